"""Data: from X and y to a problem with finite numbers and unit columns; weak learners made from X; tables from files."""

from coordboost.data.binning import bin_columns
from coordboost.data.block_learners import blocks
from coordboost.data.families import tree_families
from coordboost.data.outofcore import open_columns
from coordboost.data.problem import Problem
from coordboost.data.stump_learners import leaf_stumps, stumps
from coordboost.data.table import Table, read_table
from coordboost.data.tree_learners import trees
from coordboost.data.validation import ConstantColumnWarning

__all__ = [
    "ConstantColumnWarning", "Problem", "Table", "bin_columns", "blocks", "leaf_stumps", "open_columns", "read_table", "stumps",
    "tree_families", "trees",
]  # fmt: skip
