"""Regression trees on bins: their limits, their growth in compiled code, and the trees of a run.

The files in the order of the work: `growth` has the limits of a tree, `whole` turns targets into
integers, `histogram` sums them over bins, `cuts` finds the best cut of one feature, `grow` grows a
tree, `grower` holds the memory and distributes the work over threads, `kept` stores the finished
tree. `nodes` is one finished tree, `stored` are many; `bank` numbers the trees of a run.
"""

from coordboost.learners.trees.grower import Grower
from coordboost.learners.trees.growth import Growth
from coordboost.learners.trees.nodes import Tree

__all__ = ["Grower", "Growth", "Tree"]
