"""Dictionaries: objects that stand for the matrix B of weak learners, stored or not.

They have these methods ("verbs").

===================================  ==========================================================
verb                                 meaning (unit columns B_j; `v` has one entry per sample)
===================================  ==========================================================
``scan(v)``                          all correlations <B_j, v>: the expensive verb
``correlations(v, index)``           the correlations of the learners `index`
``dot(j, v)``                        the correlation <B_j, v> of one learner
``add(j, a, v)``                     v += a * B_j, in place
``column(j)``                        B_j
``n_samples``, ``n_learners``        the shape of B
===================================  ==========================================================
"""

from coordboost.learners.base import LearnerFamily, Learners
from coordboost.learners.dense import Dense
from coordboost.learners.families import Families
from coordboost.learners.oracle import Oracle
from coordboost.learners.sparse import Sparse
from coordboost.learners.stumps import LeafStumps, Stumps

__all__ = [
    "Dense",
    "Families",
    "LeafStumps",
    "LearnerFamily",
    "Learners",
    "Oracle",
    "Sparse",
    "Stumps",
]
