"""Regression trees on bins: what a tree may be, its growth in compiled code, and the trees of a run.

The files in the order of the work: `growth` says what a tree may be, `whole` turns targets into whole numbers, `histogram` sums them up by
bins, `cuts` finds the best cut of one feature, `grow` puts it together, `grower` holds the memory and deals the work out to threads, `kept`
writes down what is left. `nodes` is one finished tree, `stored` are many; `bank` numbers the trees of a run.
"""

from coordboost.learners.trees.grower import Grower
from coordboost.learners.trees.growth import Growth
from coordboost.learners.trees.nodes import Tree

__all__ = ["Grower", "Growth", "Tree"]
