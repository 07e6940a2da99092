"""Duality gaps of the penalised Lasso from a few numbers: one for the squared loss, one for any convex loss.

``along`` is <r, B gamma> and ``worst`` the largest abs correlation of a learner with r, the residual or pseudo-residual.
"""

import math

import numpy as np

from coordboost._generic import kernel

#: No gap is sought below this part of the loss at 0: it is a difference of numbers as large.
LEAST = 4 * float(np.finfo(float).eps)


@kernel
def squared_gap(square, along, l1, worst, lam):
    """Gap at a residual r of the squared loss, ``square`` = <r, r>: the dual point is r, scaled until no correlation exceeds lam."""
    share = lam / worst if worst > lam else 1.0
    return 0.5 * square + lam * l1 - share * (square + along) + 0.5 * share * share * square


def enough_level(square, along, l1, lam, wanted):
    """The largest ``worst`` whose `squared_gap` is at most `wanted`, where that at lam is: what is below need not be known better.

    In the share s the gap is  square s^2 / 2 - (square + along) s + rest + wanted: the level is lam over its smaller root.
    """
    rest, total = 0.5 * square + lam * l1 - wanted, square + along
    if rest <= 0.0:
        return math.inf
    root = math.sqrt(max(1.0 - 2.0 * (square / total) * (rest / total), 0.0))
    return lam * max(total / rest * (1.0 + root) / 2.0, 1.0)


@kernel
def convex_gap(loss, along, l1, worst, lam, infimum):
    """Gap at a sum of losses that is never below `infimum`; infinite where a correlation exceeds lam and no infimum is known.

    With s = min(1, lam / worst) convexity gives  L(b) + lam |b| >= s (L + along) + (1 - s) infimum  for every b.
    """
    share = lam / worst if worst > lam else 1.0
    lost = (1.0 - share) * (loss + along - infimum) if share < 1.0 else 0.0
    return max(lam * l1 - along + max(lost, 0.0), 0.0)
