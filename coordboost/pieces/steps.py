"""Step rules: how far to move along the chosen learner, and how much of the old model to give up.

``move(k, view, j, corr, beta_j) -> (shrink, theta)`` stands for the update

    pred <- (1 - shrink) pred + unit theta B_j,        beta <- (1 - shrink) beta,   beta_j <- beta_j + unit theta.

`unit` is a constant of the rule: forward stagewise has theta = -1, 0 or 1 in units of eps, so its coefficients are exact counts.
Optional: ``score(j, corr, beta_j)``, what the learners compete by (default ``abs(corr)``; it may change by at most what `corr` changes
by), and ``bind(problem)``, which checks the rule against the loss.
"""

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from coordboost._checks import not_negative, positive, real, shown
from coordboost._numba import verb
from coordboost._numba.linesearch import NO_SEARCH, sign, soft_threshold
from coordboost.pieces.base import StepRule, sigma_of

search = verb("search")
soft = verb("soft")


def sequence(name, values, instead=""):
    """`values` as a float64 vector of positive steps; `instead` says what to use for a single one."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.ndim != 1 or array.size == 0 or not (np.isfinite(array).all() and (array > 0).all()):
        raise ValueError(f"{name} must be a sequence of positive finite numbers, one per step, got {shown(values)}.{instead}")
    return array


class _Proportional(NamedTuple):
    rate: float | None = None


class Proportional(_Proportional, StepRule):
    """theta = rate * corr: LS-Boost(eps) with rate = eps, coordinate descent with rate = 1 / sigma.

    ``rate=None`` stands for 1 / sigma of the problem's loss.
    """

    @property
    def ls_rate(self):
        return self.rate

    def bind(self, problem):
        sigma = sigma_of(problem.loss, "a constant step")
        if self.rate is None:
            return Proportional(1.0 / sigma)
        return Proportional(positive("rate", self.rate, 2.0 / sigma, f"between 0 and 2 / sigma = {2.0 / sigma:g}"))

    def move(self, k, view, j, corr, beta_j):
        return 0, self.rate * corr


class LineSearch(namedtuple("LineSearch", ""), StepRule):
    """theta minimises the loss along the learner."""

    ls_rate = 1.0
    needs_convex = NO_SEARCH

    def move(self, k, view, j, corr, beta_j):
        return 0, search(view, j, 1, 0)


class _Sign(NamedTuple):
    eps: float
    delta: float = math.inf


class Sign(_Sign, StepRule):
    """theta = sign(corr) in units of eps: FS_eps, and R-FS_{eps,delta} with shrink = eps / delta."""

    @property
    def unit(self):
        return self.eps

    @property
    def stagewise(self):
        return self.eps, self.delta

    def bind(self, problem):
        eps = positive("eps", self.eps)
        least = f"at least eps = {self.eps!r} (the factor 1 - eps / delta must not be negative)"
        return Sign(eps, real("delta", self.delta, lambda number: number >= eps, least))

    def move(self, k, view, j, corr, beta_j):
        return self.eps / self.delta, sign(corr)


class _SignSequence(NamedTuple):
    eps: np.ndarray


class SignSequence(_SignSequence, StepRule):
    """theta = eps[k] * sign(corr): FS with a sequence of steps."""

    @property
    def horizon(self):
        return len(self.eps)

    def bind(self, problem):
        return SignSequence(sequence("eps", self.eps, " For the same in every step use Sign(eps)."))

    @property
    def stagewise(self):
        return self.eps, math.inf

    def move(self, k, view, j, corr, beta_j):
        return 0, self.eps[k] * sign(corr)


class _PathSign(NamedTuple):
    eps: float
    deltas: np.ndarray


class PathSign(_PathSign, StepRule):
    """theta = sign(corr) in units of eps, shrink = eps / deltas[k]: PATH-R-FS_eps, one step per radius."""

    @property
    def unit(self):
        return self.eps

    @property
    def horizon(self):
        return len(self.deltas)

    @property
    def stagewise(self):
        return self.eps, self.deltas

    def radius_at(self, k):
        """The radius that beta after k steps is compared with."""
        return float(self.deltas[min(k, len(self.deltas) - 1)])

    def bind(self, problem):
        eps, deltas = positive("eps", self.eps), sequence("deltas", self.deltas, " For a single radius use Sign(eps, delta).")
        if not deltas[0] >= eps:
            raise ValueError(f"the smallest delta must be at least eps = {self.eps!r}, got {float(deltas[0])!r}.")
        if (np.diff(deltas) < 0).any():
            raise ValueError("deltas must not decrease: feasibility of the path rests on it. Sort them.")
        return PathSign(eps, deltas)

    def move(self, k, view, j, corr, beta_j):
        return self.eps / self.deltas[k], sign(corr)


class _SoftThreshold(NamedTuple):
    lam: float
    rate: float | None = None


class SoftThreshold(_SoftThreshold, StepRule):
    """The exact minimiser along learner j of (quadratic bound of the loss) + lam * abs(beta_j).

    The score is the size of the step. Source: Freund, Grigas and Mazumder, A.4.4 (eq. 55); `lam` in the sum convention.
    """

    def bind(self, problem):
        return SoftThreshold(not_negative("lam", self.lam), Proportional(self.rate).bind(problem).rate)

    def soft(self, corr, beta_j):
        return soft_threshold(beta_j + self.rate * corr, self.rate * self.lam, 1) - beta_j

    def score(self, j, corr, beta_j):
        return abs(soft(self, corr, beta_j))

    def move(self, k, view, j, corr, beta_j):
        return 0, soft(self, corr, beta_j)


class _RecordedMoves(NamedTuple):
    shrink: np.ndarray
    theta: np.ndarray


class RecordedMoves(_RecordedMoves, StepRule):
    """The moves of a path already run."""

    def move(self, k, view, j, corr, beta_j):
        return self.shrink[k], self.theta[k]
