r"""What coefficients cost: :math:`\sum_j \lambda |g_j| + q_j g_j^2 / 2`, where :math:`l_j \le g_j \le u_j`, with :math:`l_j \le 0 \le u_j`.

The Lasso has neither squares nor limits, ridge has no l1 part. Solvers ask the penalty, and have no cases of their own. With
correlations c = B'r at coefficients g, the *pull* on a coefficient is p = c - q g. Two dual points certify:

* The squares are rows of a Lasso with pulls as correlations. Residuals are scaled until no pull exceeds lam; where a coefficient meets a
  limit on that side, what exceeds lam costs the limit times as much instead, nothing where the limit is 0.
* Where lam is 0 the dual point is the residual itself, and the gap what one step on each coefficient gains, with q_j as its square.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.linesearch import soft_threshold
from coordboost.certificates.objectives import L1Penalty, Priced


@kernel
def best_along(pull, old, square, lam, low, high):
    """The coefficient within its limits that minimises along one learner, from `old`, and what it gains."""
    new = soft_threshold(pull + square * old, lam, square)
    new = low if new < low else (high if new > high else new)
    move = new - old
    return new, move * (pull - 0.5 * square * move) - lam * (abs(new) - abs(old))


# Duality gaps from a few numbers: ``along`` is <r, B gamma>, ``worst`` the largest abs correlation of a learner with r, the residual or
# pseudo-residual.


@kernel
def squared_gap(square, along, l1, worst, lam):
    """Gap at a residual r of the squared loss, ``square`` = <r, r>: the dual point is r, scaled until no correlation exceeds lam."""
    share = lam / worst if worst > lam else 1.0
    return 0.5 * square + lam * l1 - share * (square + along) + 0.5 * share * share * square


@kernel
def convex_gap(loss, along, l1, worst, lam, infimum):
    """Gap at a sum of losses that is never below `infimum`; infinite where a correlation exceeds lam and no infimum is known.

    With s = min(1, lam / worst) convexity gives  L(b) + lam |b| >= s (L + along) + (1 - s) infimum  for every b.
    """
    share = lam / worst if worst > lam else 1.0
    lost = (1.0 - share) * (loss + along - infimum) if share < 1.0 else 0.0
    return max(lam * l1 - along + max(lost, 0.0), 0.0)


@kernel
def gap_of_sums(loss, infimum, along, l1, worst, over, split, lam):
    """The gap from sums over the coefficients, see ``sums_of``; `infimum` is NaN for the squared loss, of which `loss` is half a square."""
    plain = infimum != infimum
    gap = squared_gap(2.0 * loss, along, l1, worst, lam) if plain else convex_gap(loss, along, l1, worst, lam, infimum)
    return min(gap + over, split)


@kernel
def sums_of(gamma, pull, lam, ridge, lower, upper):
    """The l1 norm, <gamma, pull>, the largest pull where nothing limits, what limits cost beside lam, what steps gain where lam is 0."""
    l1, along, worst, over, split = 0.0, 0.0, 0.0, 0.0, math.inf if lam > 0.0 else 0.0
    for j in range(len(pull)):
        l1 += abs(gamma[j])
        along += gamma[j] * pull[j]
        size, room = abs(pull[j]), upper[j] if pull[j] > 0.0 else -lower[j]
        if lam == 0.0:
            split += best_along(pull[j], gamma[j], ridge[j], lam, lower[j], upper[j])[1] if ridge[j] > 0.0 else math.inf
        if room == math.inf:
            worst = max(worst, size)
        elif size > lam:
            over += (size - lam) * room
    return l1, along, worst, over, split


class Penalty(NamedTuple):
    """The penalty of some columns, or at lam = 1 what multiplies it.

    lam : float;  ridge, lower, upper : (m,), as q, l and u above
    squares, limited : whether any q is not 0, and any limit finite: without them no time is spent on them
    """

    lam: float
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    squares: bool
    limited: bool

    def at(self, lam, index):
        """That of the columns `index` at `lam` times the penalty."""
        if not (self.squares or self.limited):  # all alike
            return Penalty(lam * self.lam, *(part[: len(index)] for part in self[1:4]), *self[4:])
        return Penalty(lam * self.lam, lam * self.ridge[index], self.lower[index], self.upper[index], *self[4:])

    @property
    def numbers(self):
        """What kernels are given."""
        return self[:4]

    def size(self, corr):
        """The correlations of columns without coefficients, (m,), as they count against lam: 0 where the sign is not allowed."""
        return np.where(corr > 0, self.upper > 0, self.lower < 0) * np.abs(corr) if self.limited else np.abs(corr)

    def value(self, gamma):
        """What the coefficients cost."""
        return self.lam * float(np.abs(gamma).sum()) + self.square(gamma)

    def square(self, gamma):
        """What their squares cost."""
        return float(self.ridge @ gamma**2) / 2 if self.squares else 0.0

    def pull(self, corr, gamma):
        """The pulls from the correlations."""
        return corr - self.ridge * gamma if self.squares else corr

    @property
    def signed(self):
        """Whether a coefficient that becomes 0 stays there as a rule: not in ridge."""
        return self.lam > 0 or not self.squares

    def movable(self, gamma):
        """Which coefficients a direction may move: those between 0 and their limits, in ridge those at 0 as well."""
        moves = gamma if self.signed else np.ones(len(gamma))
        return np.flatnonzero(moves * (self.lower < gamma) * (gamma < self.upper) if self.limited else moves)

    def within(self, gamma, goal, index):
        """The coefficients `index` at `goal`, or as far on the way there from `gamma` as the limits allow."""
        if not self.limited:
            return goal
        low, high, way = self.lower[index], self.upper[index], goal - gamma
        end = np.clip(goal, low, high)
        share = np.divide(end - gamma, way, out=np.ones_like(way), where=end != goal).min(initial=1.0)
        return np.clip(gamma + share * way, low, high)

    def target(self, lam):
        """What the certificate at `lam` is for."""
        l1 = L1Penalty(float(lam * self.lam))
        if not self.limited and not self.squares:
            return l1
        return Priced(l1, np.full(len(self.ridge), l1.lam), lam * self.ridge, self.lower, self.upper)
