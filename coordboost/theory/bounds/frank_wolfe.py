r"""Bounds of Frank-Wolfe on the l1 ball with the step 2 / (k + 2) or the exact line search.

In sums over samples.

The curvature of the squared loss on the ball of radius delta with unit columns is at most
:math:`C = (2\delta)^2`. *Source*: Jaggi, *Revisiting Frank-Wolfe*, 2013, Theorems 1 and 2; the
constant step is R-FS (Freund, Grigas, Mazumder, A.4.5).
"""

import numpy as np

from coordboost.theory.bounds.check import Sides, Statement
from coordboost.theory.bounds.regularized import lower_end
from coordboost.theory.bounds.trail import covered

JAGGI = "Jaggi 2013"


def excess(delta, k):
    """L(beta_k) - L*_delta <= 2 C / (k + 2) = 8 delta^2 / (k + 2), k >= 1."""
    return 8 * delta**2 / (np.asarray(k) + 2)


def smallest_gap(delta, k):
    """Min over 1 <= i <= k of the gap delta omega_i <= 27 C / (4 (k + 2)) = 27 delta^2 / (k + 2), k
    >= 2.
    """
    return 27 * delta**2 / (np.asarray(k) + 2)


def _applies(run):
    return covered(run) and run.method.step.frank_wolfe is not None


def _rounding(trail, delta):
    return 16 * delta * np.maximum.accumulate(trail.noise) * (trail.k + 1)


def _excess(trail):
    delta = trail.step.frank_wolfe
    late = slice(1, None)
    measured = trail.loss - lower_end(trail, np.full(len(trail.k), delta))
    return Sides(
        measured[late],
        excess(delta, trail.k[late]),
        _rounding(trail, delta)[late],
        trail.excess[0],
        at=trail.k[late],
    )


def _gap(trail):
    delta = trail.step.frank_wolfe
    k = trail.k[2:]
    gap = delta * np.minimum.accumulate(trail.corr[1:] - trail.inner[1:] / delta)[1:]
    return Sides(
        gap, smallest_gap(delta, k), _rounding(trail, delta)[2:], delta * trail.corr[0], at=k
    )


STATEMENTS = (
    Statement(
        "Frank-Wolfe, error",
        "printed",
        "upper",
        "L(beta_k) - L*_delta <= 8 delta^2 / (k+2), k >= 1",
        _applies,
        _excess,
        JAGGI,
    ),
    Statement(
        "Frank-Wolfe, gap",
        "printed",
        "upper",
        "min_{1<=i<=k} gap_i <= 27 delta^2 / (k+2), k >= 2",
        _applies,
        _gap,
        JAGGI,
    ),
)
