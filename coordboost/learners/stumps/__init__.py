"""Stumps: all binary splits of single features, as the columns of a matrix that is never formed."""

from coordboost.learners.stumps.matrix import LeafStumps, Stumps

__all__ = ["LeafStumps", "Stumps"]
