r"""The penalty of the Lasso within limits.

It is :math:`\sum_j \lambda |g_j| + q_j g_j^2 / 2` for :math:`l_j \le g_j \le u_j`, with
:math:`l_j \le 0 \le u_j`.

The Lasso has neither quadratic terms nor limits, ridge has no l1 part. Solvers call the penalty,
and do not distinguish these cases. With correlations c = B'r at coefficients g, the *negative
gradient* of the smooth part (loss and quadratic terms) is c - q g. The dual point of certificates
is the best multiple of the residual: see ``coordboost.certificates.dual``.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.linesearch import soft_threshold
from coordboost.certificates.dual import best_multiple, conjugate
from coordboost.certificates.objectives import L1Penalty, Priced

#: The largest factor of a square: infinity times a coefficient of 0 is no number.
LARGEST = float(np.finfo(float).max)


@kernel
def best_along(neg_grad, old, curvature, lam, low, high):
    """Return the coefficient within its limits that minimises along one learner.

    The search starts from `old`. The second result is the decrease of the objective.
    """
    new = soft_threshold(neg_grad + curvature * old, lam, curvature)
    new = low if new < low else (high if new > high else new)
    move = new - old
    return new, move * (neg_grad - 0.5 * curvature * move) - lam * (abs(new) - abs(old))


# Duality gaps from a few numbers: ``along`` is <r, B coef>, ``worst`` the largest abs correlation
# of a learner with r, the residual or pseudo-residual.


@kernel
def squared_gap(rss, along, l1, worst, lam):
    """Gap at a residual r of the squared loss, ``rss`` = <r, r>.

    The dual point is the best multiple of r where no correlation exceeds lam.
    """
    dual_scale = max(rss + along, 0.0) / rss if rss > 0.0 else 1.0
    if dual_scale * worst > lam:
        dual_scale = lam / worst
    return 0.5 * rss + lam * l1 - dual_scale * (rss + along) + 0.5 * dual_scale * dual_scale * rss


@kernel
def duality_gap(coef, neg_grad, loss, infimum, along, lam, ridge, lower, upper):
    """The gap at the coefficients, with the best multiple of the residual as dual point.

    Parameters
    ----------
    coef, neg_grad : ndarray, (m,)
        The coefficients, and the negative gradient of the loss and the quadratic terms.
    loss : float
        The loss and the quadratic terms.
    infimum : float
        A lower bound of the loss; NaN for the squared loss.
    along : float
        <coef, neg_grad>.
    lam, ridge, lower, upper
        The penalty: see ``Penalty``.
    """
    size = np.empty(len(coef))
    limit = np.empty(len(coef))
    penalty = 0.0
    squares = 0.0
    for j in range(len(coef)):
        back = ridge[j] * coef[j]
        corr = neg_grad[j] + back
        size[j] = abs(corr)
        limit[j] = upper[j] if corr > 0.0 else -lower[j]
        penalty += lam * abs(coef[j])
        squares += back * coef[j]
    penalty += squares / 2.0
    loss = max(loss - squares / 2.0, 0.0) if infimum != infimum else loss - squares / 2.0
    along += squares
    if infimum != infimum:
        s = best_multiple(2.0 * loss + along, 2.0 * loss, math.inf, lam, ridge, size, limit)
        lost = (1.0 - s) * (1.0 - s) * loss
    elif infimum > -math.inf:
        s = best_multiple(loss + along - infimum, 0.0, 1.0, lam, ridge, size, limit)
        lost = (1.0 - s) * max(loss - infimum, 0.0)
    else:
        s = 1.0
        lost = 0.0
    for j in range(len(coef)):
        lost += conjugate(s * size[j], lam, ridge[j], limit[j])
    return max(penalty - s * along + lost, 0.0)


class Penalty(NamedTuple):
    """The penalty of some columns, or a template that `at` multiplies.

    lam : float
    ridge, lower, upper : (m,), as q, l and u above
    has_ridge, limited : whether any q is not 0, and whether any limit is finite; used to skip work
    """

    lam: float
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    has_ridge: bool
    limited: bool

    @classmethod
    def plain(cls, n_columns, lam=1.0):
        """Return the l1 penalty of some columns, without a ridge part and limits."""
        infinite = np.full(n_columns, math.inf)
        return cls(lam, np.zeros(n_columns), -infinite, infinite, False, False)

    def at(self, lam, index):
        """Return the penalty of the columns `index`, with lam and ridge multiplied by `lam`."""
        if not (self.has_ridge or self.limited):  # all entries are equal, so any slice will do
            return Penalty(lam * self.lam, *(part[: len(index)] for part in self[1:4]), *self[4:])
        with np.errstate(over="ignore"):
            ridge = np.minimum(lam * self.ridge[index], LARGEST)
        # infinite limits are equal, so any slice will do
        limits = index if self.limited else slice(len(index))
        return Penalty(lam * self.lam, ridge, self.lower[limits], self.upper[limits], *self[4:])

    @property
    def kernel_args(self):
        """The arguments of kernels: lam, ridge, lower, upper."""
        return self[:4]

    def size(self, corr, some=slice(None)):
        """The abs correlations to compare with lam, of columns with coefficient 0, as `corr`.

        They are 0 where the limits exclude the sign. Columns are along the last axis; `some` is the
        slice of them.
        """
        size = np.abs(corr)
        if self.limited:
            size *= np.where(corr > 0, self.upper[some] > 0, self.lower[some] < 0)
        return size

    def passed(self, coef, index):
        """Which coefficients, of the columns `index`, are beyond a limit other than 0, (m,)."""
        lower = self.lower[index]
        upper = self.upper[index]
        return ((coef < lower) & (lower < 0)) | ((coef > upper) & (upper > 0))

    def value(self, coef):
        """The penalty of the coefficients."""
        return self.lam * float(np.abs(coef).sum()) + self.ridge_cost(coef)

    def ridge_cost(self, coef):
        """The quadratic part of the penalty."""
        return float(self.ridge @ coef**2) / 2 if self.has_ridge else 0.0

    def neg_grad(self, corr, coef):
        """The negative gradient of the smooth part, from the correlations."""
        return corr - self.ridge * coef if self.has_ridge else corr

    @property
    def has_l1(self):
        """Whether there is an l1 part, which sets coefficients to 0. Ridge has none."""
        return self.lam > 0 or not self.has_ridge

    def movable(self, coef):
        """The indices of the coefficients that a direction may move.

        Those strictly between their limits and not 0; in ridge also 0.
        """
        moves = coef if self.has_l1 else np.ones(len(coef))
        return np.flatnonzero(
            moves * (self.lower < coef) * (coef < self.upper) if self.limited else moves
        )

    def within(self, coef, goal, index):
        """Move the coefficients `index` from `coef` towards `goal`, as far as the limits allow."""
        if not self.limited:
            return goal
        low = self.lower[index]
        high = self.upper[index]
        way = goal - coef
        end = np.clip(goal, low, high)
        step = np.divide(end - coef, way, out=np.ones_like(way), where=end != goal).min(initial=1.0)
        return np.clip(coef + step * way, low, high)

    def target(self, lam):
        """The target of certificates at `lam`."""
        l1 = L1Penalty(float(lam * self.lam))
        if not self.limited and not self.has_ridge:
            return l1
        return Priced(
            l1, np.full(len(self.ridge), l1.lam), lam * self.ridge, self.lower, self.upper
        )
