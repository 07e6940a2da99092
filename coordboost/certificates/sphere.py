"""The sphere test: how far correlations can have moved since they were last computed.

A correlation with b_j moves by <b_j, d> where the residual moves by d, and that is at most ||b_j|| ||d||. Where a column has few stored
entries it meets only few of those of d, and the bound is smaller. Where a residual goes on as it went between two scans, most of its move
is known from them, and d is only the rest.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel, reduction

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
    compiled(sums_above)(moved, levels, over)
    return np.sqrt((over[:, None] + levels[:, None] * q).min(axis=0)) * (1.0 + SLACK)


class About(NamedTuple):
    """The correlations with a residual are `corr` (n_learners,) and those with `rest` (n_samples,).

    rounding : times the norm of a column, how far rounding may have moved its correlation
    """

    corr: np.ndarray
    rest: np.ndarray
    rounding: float

    @property
    def off(self):
        """`corr` alone is off by no more than this, times the norm of a column."""
        return float(np.linalg.norm(self.rest)) + self.rounding


class LastTwo:
    """What was `seen` last, at the penalty `lam`, and what `before` that at a larger one, `lam_before`: inf where there was nothing."""

    def __init__(self, seen, nothing, lam):
        self.seen, self.lam, self.before, self.lam_before = seen, lam, nothing, math.inf

    def add(self, seen, lam):
        """What is seen at penalty `lam`: at the same one it takes the place of the last."""
        if lam < self.lam:
            self.before, self.lam_before = self.seen, self.lam
        self.seen, self.lam = seen, lam


class LastScans(LastTwo):
    """Seen are residuals that were scanned and the correlations of all learners with them, (n_samples,) and (n_learners,).

    Parameters
    ----------
    resid, corr : the residual at 0, and all correlations with it
    """

    def __init__(self, resid, corr):
        super().__init__((resid, corr), (0.0 * resid, 0.0 * corr), float(np.abs(corr).max()))

    def about(self, resid):
        """What scans tell of the correlations with `resid`, an ``About``. *Cost*: a few passes over samples and learners.

        `resid` is ``s r + t (r - q) + e``, with the scanned residuals r and q; the correlations are these parts of the scanned ones, and
        that with e, which is as short as s and t can make it.
        """
        (r, last), (q, before) = self.seen, self.before
        way = r - q
        square, along, eps = float(r @ r) or 1.0, float(r @ way), np.finfo(float).eps
        across = way - along / square * r
        apart = float(across @ across)
        t = float(across @ resid) / apart if apart > eps * square else 0.0
        s = (float(r @ resid) - t * along) / square
        rest = resid - s * r - t * way
        rounding = len(r) * eps * ((abs(s) + abs(t)) * math.sqrt(square) + abs(t) * float(np.linalg.norm(q)))
        return About((s + t) * last - t * before, rest, rounding)


class Trend(LastTwo):
    """Seen are the abs correlations of all learners, (n_learners,), or what they are about: how they grow as the penalty falls.

    Parameters
    ----------
    size : all abs correlations with the residual at 0
    """

    def __init__(self, size):
        super().__init__(size, 0.0 * size, float(size.max()))

    @property
    def two(self):
        """Whether there were two looks at all learners."""
        return self.lam_before < math.inf

    def rise(self):
        """How much each grew where the penalty fell by 1, (n_learners,): 0 with one look only."""
        return (self.seen - self.before) / (self.lam_before - self.lam)
