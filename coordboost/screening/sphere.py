"""The sphere test: how far correlations can have moved since they were last computed.

A correlation with b_j moves by <b_j, d> where the residual moves by d, and that is at most ||b_j|| ||d||. Where a column has few stored
entries it meets only few of those of d, and the bound is smaller.
"""

import numpy as np

from coordboost._generic import compiled, kernel, reduction

#: Columns have unit norm to 1e-8: this and rounding may add so much to a bound, in parts of it.
SLACK = 2.1e-8
#: Levels at which the squares of a move are cut, in parts of the largest.
LEVELS = np.array([1, 1 / 2, 1 / 4, 1 / 16, 1 / 256, 0])


@kernel
def farthest(size, rho, reach):
    """Most that an abs correlation `size` with a column of norm `reach` can be where the residual has moved by `rho`."""
    return size + reach * rho * (1.0 + SLACK)


@reduction
def sum_above(moved, level):
    """The sum of the squares of `moved` (n_samples,) above `level`, of what they are above it."""
    total = 0.0
    for i in range(len(moved)):
        total += max(moved[i] * moved[i] - level, 0.0)
    return total


def sums_above(moved, levels, out):
    """Fill `out` with `sum_above` for each of the `levels`."""
    for k in range(len(levels)):
        out[k] = sum_above(moved, levels[k])


def few_entries(moved, most):
    """The norm of the q largest entries of `moved` (n_samples,), or a little more, for q = 0 to `most`: (most + 1,).

    For every level t the squares of q entries sum to at most  sum_i (moved_i^2 - t)_+ + q t.  *Cost*: a few passes over `moved`.
    """
    levels, q = LEVELS * float(np.abs(moved).max(initial=0.0)) ** 2, np.arange(most + 1)
    over = np.empty(len(LEVELS))
    compiled(sums_above, ())(moved, levels, over)
    return np.sqrt((over[:, None] + levels[:, None] * q).min(axis=0)) * (1.0 + SLACK)
