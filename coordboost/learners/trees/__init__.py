"""Regression trees on bins: their limits, their growth in compiled code, and the trees of a run.

The files in the order of the work: `histogram` turns targets into integers and sums them over bins,
`cuts` finds the best cut of one feature, `nodes` has the records that `grow` works on, which grows
a tree, `grower` holds the limits and the memory and distributes the work over threads, `tree`
stores finished trees; `bank` numbers the trees of a run.
"""

from coordboost.learners.trees.grower import Grower, Growth
from coordboost.learners.trees.tree import Tree

__all__ = ["Grower", "Growth", "Tree"]
