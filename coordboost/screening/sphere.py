"""The sphere test: how far correlations can have moved since they were last computed.

A correlation with b_j moves by <b_j, d> where the residual moves by d, and that is at most ||b_j|| ||d||. Where a column has few stored
entries it meets only few of those of d, and the bound is smaller.
"""

import numpy as np

from coordboost._generic import kernel

#: Columns have unit norm to 1e-8: this and rounding may add so much to a bound, in parts of it.
SLACK = 2.1e-8
#: Levels at which the squares of a move are cut, in parts of the largest.
LEVELS = np.array([1 / 2, 1 / 4, 1 / 16, 1 / 256])


@kernel
def farthest(size, rho, reach):
    """Most that an abs correlation `size` with a column of norm `reach` can be where the residual has moved by `rho`."""
    return size + reach * rho * (1.0 + SLACK)


def few_entries(moved, most):
    """The norm of the q largest entries of `moved` (n_samples,), or a little more, for q = 0 to `most`: (most + 1,).

    For every level t the squares of q entries sum to at most  sum_i (moved_i^2 - t)_+ + q t.  *Cost*: a few passes over `moved`.
    """
    square = moved * moved
    levels, q = LEVELS * square.max(initial=0.0), np.arange(most + 1)
    over = [float(np.maximum(square - level, 0.0).sum()) for level in levels]
    best = q * square.max(initial=0.0)
    for level, rest in zip(levels, over, strict=True):
        np.minimum(best, rest + q * level, out=best)
    return np.sqrt(np.minimum(best, square.sum())) * (1.0 + SLACK)
