"""The sphere test: how far correlations can have moved since they were last computed.

If the residual moves by d, the correlation with b_j moves by <b_j, d>, which is at most ||b_j||
||d||. For a column with few stored entries only these entries of d count, so the bound is smaller.
If the residual goes on in the direction between the last two scans, the effect of most of the move
is known from them, and d is only the rest.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel, reduction

#: Relative slack of the bounds: columns have unit norm only to 1e-8, and the bounds are rounded.
SLACK = 2.1e-8
#: Levels t of ``few_entries``, relative to the largest square of a move.
LEVELS = np.array([1, 1 / 2, 1 / 4, 1 / 16, 1 / 256, 0])


@kernel
def farthest(size, rho, reach):
    """Upper bound of an abs correlation that was `size`, with a column of norm `reach`.

    The residual has moved by `rho` since.
    """
    return size + reach * rho * (1.0 + SLACK)


@reduction
def sum_above(moved, level):
    """``maximum(moved**2 - level, 0).sum()``;  moved : (n_samples,)."""
    total = 0.0
    for i in range(len(moved)):
        total += max(moved[i] * moved[i] - level, 0.0)
    return total


def sums_above(moved, levels, out):
    """Fill `out` with `sum_above` for each of the `levels`."""
    for k in range(len(levels)):
        out[k] = sum_above(moved, levels[k])


def few_entries(moved, most):
    """Return a close upper bound of the norm of the q largest entries of `moved`.

    `moved` is (n_samples,); the bounds for q = 0, ..., `most` are (most + 1,).

    For every level t the squares of q entries sum to at most sum_i (moved_i^2 - t)_+ + q t. *Cost*:
    a few passes over `moved`.
    """
    levels = LEVELS * float(np.abs(moved).max(initial=0.0)) ** 2
    q = np.arange(most + 1)
    over = np.empty(len(LEVELS))
    compiled(sums_above)(moved, levels, over)
    return np.sqrt((over[:, None] + levels[:, None] * q).min(axis=0)) * (1.0 + SLACK)


class About(NamedTuple):
    """Correlations with a residual, up to an unknown part.

    They are ``a last - b before``, of the correlations at two scans, (n_learners,) each, plus the
    unknown correlations with `rest` (n_samples,).

    rounding : bound of the rounding in the known part, relative to the norm of the column
    """

    a: float
    last: np.ndarray
    b: float
    before: np.ndarray
    rest: np.ndarray
    rounding: float

    @property
    def off(self):
        """Bound of the error of the known part, relative to the norm of the column."""
        return float(np.linalg.norm(self.rest)) + self.rounding


class LastTwo:
    """The last two observations, at two penalties.

    `seen` at the penalty `lam`, `before` at a larger one, `lam_before`, which is inf if there was
    none.
    """

    def __init__(self, seen, nothing, lam):
        self.seen = seen
        self.lam = lam
        self.before = nothing
        self.lam_before = math.inf

    def add(self, seen, lam):
        """Add an observation at the penalty `lam`.

        It replaces the last one, unless `lam` is smaller.
        """
        if lam < self.lam:
            self.before = self.seen
            self.lam_before = self.lam
        self.seen = seen
        self.lam = lam


class LastScans(LastTwo):
    """The last two scans.

    The residuals (n_samples,), and the correlations of all learners with them, (n_learners,).

    Parameters
    ----------
    resid, corr : the residual at coefficients 0, and all correlations with it
    """

    def __init__(self, resid, corr):
        super().__init__((resid, corr), (0.0 * resid, 0.0 * corr), float(np.abs(corr).max()))

    def about(self, resid):
        """Estimate the correlations with `resid` from the scans, as an ``About``.

        *Cost*: a few passes over the samples.

        `resid` is written as ``s r + t (r - q) + e``, with the scanned residuals r and q. The
        correlations with the first two terms are known; s and t are chosen such that e, the rest,
        is as short as possible.
        """
        r, last = self.seen
        q, before = self.before
        change = r - q
        square = float(r @ r) or 1.0
        along = float(r @ change)
        eps = np.finfo(float).eps
        across = change - along / square * r
        apart = float(across @ across)
        t = float(across @ resid) / apart if apart > eps * square else 0.0
        s = (float(r @ resid) - t * along) / square
        remainder = resid - s * r - t * change
        rounding = (
            len(r)
            * eps
            * ((abs(s) + abs(t)) * math.sqrt(square) + abs(t) * float(np.linalg.norm(q)))
        )
        return About(s + t, last, t, before, remainder, rounding)


class Trend(LastTwo):
    """How the abs correlations of all learners grow as the penalty falls.

    They are (n_learners,), known or estimated.

    Parameters
    ----------
    size : all abs correlations with the residual at coefficients 0
    """

    def __init__(self, size):
        super().__init__(size, 0.0 * size, float(size.max()))
