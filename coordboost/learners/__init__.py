"""Dictionaries: the weak-learner matrix B as a noun with verbs, stored or not.

===================================  ====================================================================
verb                                 meaning (unit columns B_j; `v` has one entry per sample)
===================================  ====================================================================
``scan(v)``                          all correlations <B_j, v>: the expensive one
``correlations(v, index)``           those of the learners `index`
``dot(j, v)``                         one of them
``add(j, a, v)``                     v += a * B_j, in place
``column(j)``                        B_j
``n_samples``, ``n_learners``        the shape of B
===================================  ====================================================================
"""

from coordboost.learners.base import LearnerFamily, Learners
from coordboost.learners.dense import Dense
from coordboost.learners.families import Families
from coordboost.learners.oracle import Oracle
from coordboost.learners.sparse import Sparse
from coordboost.learners.stumps import LeafStumps, Stumps

__all__ = ["Dense", "Families", "LeafStumps", "LearnerFamily", "Learners", "Oracle", "Sparse", "Stumps"]
