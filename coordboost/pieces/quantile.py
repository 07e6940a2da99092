"""The quantile loss, convex and not smooth, and its exact line search.

Source: Koenker, Bassett, *Regression quantiles*, Econometrica 46 (1978); for boosting Friedman (2001), Section 4.3, with q = 1/2.
"""

from typing import NamedTuple

import numpy as np

from coordboost._checks import positive
from coordboost._numba import kernel
from coordboost.pieces.base import Loss


@kernel
def quantile_search(q, y, weight, f, direction):
    """The smallest t that minimises the weighted sum of the losses ``Quantile(q)`` at f + t direction; 0 where direction is 0.

    The slope rises by weight |direction| where t passes (y - f) / direction: the minimum is where it has come to 0.
    """
    at, rise, slope, found = 0 * f, 0 * f, 0 * f[0], 0 * f[0]
    for i in range(len(y)):
        d = direction[i]
        if d != 0:
            at[i] = (y[i] - f[i]) / d
            rise[i] = weight[i] * abs(d)
            slope -= rise[i] * (q if d > 0 else 1 - q)
    for i in np.argsort(at):
        slope += rise[i]
        if rise[i] > 0:
            found = at[i]
            if slope >= 0:
                break
    return found


class _Quantile(NamedTuple):
    q: float = 0.5


class Quantile(_Quantile, Loss):
    r""":math:`q (y - f)` where y > f, else :math:`(1 - q)(f - y)`: the q-quantile of the target, 0 < q < 1; not smooth.

    `residual` is minus a subgradient, 0 at f = y. There is no curvature, and no sigma: use the line search.
    """

    sigma = None
    mu = None
    infimum = 0.0
    location = True

    def check(self):
        positive("Quantile(q): q", self.q, 1, "between 0 and 1")

    def value(self, y, f):
        return self.q * (y - f) if y > f else (1 - self.q) * (f - y)

    def residual(self, y, f):
        return self.q if y > f else (self.q - 1 if y < f else 0 * self.q)

    def line_search(self, y, weight, f, direction):
        """The smallest minimiser: a weighted quantile of the quotients (y - f) / direction. *Cost*: a sort."""
        return quantile_search(self.q, y, weight, f, direction)

    def level_radius(self, total):
        """That of one sample which has it all, on the flatter side."""
        return total / min(self.q, 1 - self.q)

    def constant(self, y, weight):
        return float(quantile_search(self.q, y, weight, 0 * y, 0 * y + 1))
