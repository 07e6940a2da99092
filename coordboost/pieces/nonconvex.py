r"""Losses that are not convex: for Langevin boosting, which need not stay where it begins. They have no certificate and no line search.

Source: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Section 7.1, with an increasing sigmoid (the printed
one rewards errors); Welsch's loss is the one of robust regression.
"""

import math
from collections import namedtuple
from typing import NamedTuple

from coordboost._checks import positive, signs
from coordboost._numba.decay import sigmoid
from coordboost.pieces.base import Loss


class _SmoothZeroOne(NamedTuple):
    scale: float = 0.1


class SmoothZeroOne(_SmoothZeroOne, Loss):
    r""":math:`1 - \sigma(y f / s)` for labels -1, +1: errors, smoothed over the width s (``scale``).

    A sample at f = 0 counts 1/2. Lipschitz with constant 1 / (4 s), smooth with sigma = :math:`1 / (6 \sqrt 3 s^2)`.
    """

    mu = None
    infimum = 0.0
    convex = False
    two_class = True

    @property
    def sigma(self):
        return 1.0 / (6.0 * math.sqrt(3.0) * self.scale * self.scale)

    def check(self):
        positive("SmoothZeroOne(scale): scale", self.scale)

    def value(self, y, f):
        margin = y * f / self.scale
        tail = math.exp(-abs(margin))
        return tail / (1.0 + tail) if margin > 0.0 else 1.0 / (1.0 + tail)

    def residual(self, y, f):
        tail = math.exp(-abs(y * f / self.scale))
        return y / self.scale * tail / ((1.0 + tail) * (1.0 + tail))

    def labels(self, y):
        return signs(type(self).__name__, y)

    def mean(self, f):
        return sigmoid(f / self.scale)


class Welsch(namedtuple("Welsch", ""), Loss):
    r""":math:`1 - e^{-(y - f)^2 / 2}`: squared loss near the target, constant far from it; sigma = 1."""

    sigma = 1.0
    mu = None
    infimum = 0.0
    convex = False
    location = True

    def value(self, y, f):
        return -math.expm1(-(y - f) * (y - f) / 2)

    def residual(self, y, f):
        return (y - f) * math.exp(-(y - f) * (y - f) / 2)
