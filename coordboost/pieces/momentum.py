r"""Step rules with momentum: the steps of accelerated boosting, for two models f and h.

With :math:`\theta_m = 2 / (m + 2)` the gradient is taken at :math:`g = (1 - \theta_m) f + \theta_m h`, and the next f starts there. A
row of the path with shrink > 0 moves f: f <- (1 - shrink) f + shrink h, then f_j += theta. One with shrink = 0 moves h: h_j += theta.
The view knows the round m, counted from where momentum last began, and says how the next row begins: with theta_m, or anew.

Source: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*, Algorithms 2 and 4.
"""

import math
from typing import NamedTuple

from coordboost._checks import positive
from coordboost._numba import kernel, verb
from coordboost.pieces.base import ANY_LOSS, StepRule, sigma_of

tempo = verb("tempo")
#: Why momentum needs a convex loss.
NO_THEOREM = "momentum has no theorem for it, use sglb()"


@kernel
def mixing(m):
    """theta_m, the share of h in the point where the gradient of iteration m is taken."""
    return 2 / (m + 2)


@kernel
def admissible(cosine):
    """The largest gamma that Theorem 4.1 allows where the cosine of each fit is at least `cosine`: (1 - sqrt(1 - cosine^2))^2."""
    square = min(cosine * cosine, 1.0)
    return square * square / (1.0 + math.sqrt(1.0 - square)) ** 2


def _checked(rule, problem):
    sigma = sigma_of(problem.loss, "accelerated boosting", ANY_LOSS)
    positive("eta", rule.eta, 2.0 / sigma, f"between 0 and 2 / sigma = {2.0 / sigma:g}")
    return rule


class _TwoPhase(NamedTuple):
    eta: float
    gamma: float


class TwoPhase(_TwoPhase, StepRule):
    """AGBM: in even steps f moves by eta corr, in odd ones h by gamma eta / theta_m times the correlation with the corrected residual."""

    needs_convex = NO_THEOREM
    sequences = 2
    phases = 2

    def bind(self, problem):
        return _checked(self, problem)

    def move(self, k, view, j, corr, beta_j):
        m, begin, slower = tempo(view)
        mix = mixing(m)
        if begin != 0:
            return begin, self.eta * corr
        return 0 * mix, self.gamma * slower * self.eta / mix * corr


class _OnePhase(NamedTuple):
    eta: float


class OnePhase(_OnePhase, StepRule):
    """VAGBM: f moves by eta corr, and h takes its part of the same step."""

    needs_convex = NO_THEOREM
    sequences = 2

    def bind(self, problem):
        return _checked(self, problem)

    def move(self, k, view, j, corr, beta_j):
        _, begin, _ = tempo(view)
        return begin, self.eta * corr
