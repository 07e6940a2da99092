"""Stumps: all ways to split one feature in two, as the columns of a matrix that is never formed."""

from coordboost.learners.stumps.matrix import LeafStumps, Stumps

__all__ = ["LeafStumps", "Stumps"]
