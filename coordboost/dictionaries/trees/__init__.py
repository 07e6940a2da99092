"""Regression trees on bins: what a tree may be, its growth in compiled code, and the tree that is left.

The files in the order of the work: `growth` says what a tree may be, `workspace` holds the memory, `fixed` turns targets into whole
numbers, `histogram` sums them up by bins, `splits` finds the best cut of one feature, `search` goes through all features of a level,
`partition` moves rows to the children, `rows` cuts that in blocks, `tasks` deals the work out to threads, `grow` puts it together, `nodes`
is the finished tree.
"""

from coordboost.dictionaries.trees.grow import grow
from coordboost.dictionaries.trees.growth import Growth
from coordboost.dictionaries.trees.nodes import Tree
from coordboost.dictionaries.trees.tasks import GrownTogether
from coordboost.dictionaries.trees.workspace import Workspace

__all__ = ["GrownTogether", "Growth", "Tree", "Workspace", "grow"]
