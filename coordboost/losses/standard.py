r"""The losses of the package: functions of one prediction, summed over the samples.

Each has the scalar kernels ``value(y, f)``, ``residual(y, f)`` (the pseudo-residual
:math:`-\partial\ell/\partial f`) and, for a faster line search, ``curvature(y, f)``, and declares
what is known of it (see ``Loss``).

Source: Lu and Mazumder, Randomized Gradient Boosting Machine, Definition 4.1 and Section 5. Losses
that are not convex are meant for Langevin boosting, which can leave a local minimum: they have no
certificate and no line search (Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin
Boosting*, Section 7.1; the sigmoid here is increasing, because with the printed one errors lower
the loss). Quantile loss: Koenker, Bassett, *Regression quantiles*, Econometrica 46 (1978); in
boosting: Friedman (2001), Section 4.3, with q = 1/2.
"""

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.decay import decay, sigmoid
from coordboost._numba.linesearch import safeguarded_newton
from coordboost._utils.checks import InfiniteConstant, not_negative, positive, real, signs
from coordboost._utils.kinds import examples
from coordboost.losses.base import ExponentialForm, Loss


def log_odds(y, weight, factor):
    """Return the log odds of the label +1, times `factor`."""
    positive = float(weight[y > 0].sum())
    negative = float(weight[y < 0].sum())
    if positive == 0 or negative == 0:
        raise InfiniteConstant(
            "y holds one class only, so the best constant prediction is infinite"
        )
    return factor * math.log(positive / negative)


@kernel
def extended_exp(a):
    """``exp(a)``, continued by its tangent above a = 600: finite and convex."""
    return math.exp(min(a, 600.0)) * (1.0 + max(a - 600.0, 0.0))


@kernel
def extended_exp_slope(a):
    """The derivative of ``extended_exp``."""
    return math.exp(min(a, 600.0))


class TwoClassLoss(Loss):
    """Base of losses for labels -1 and +1."""

    __slots__ = ()

    two_class = True

    def labels(self, y):
        return signs(type(self).__name__, y)


class LogMeanLoss(Loss):
    """Base of losses with log link: f is the logarithm of the mean of y >= 0.

    Neither Lipschitz derivative nor strong convexity.
    """

    __slots__ = ()

    def labels(self, y):
        if (y < 0).any():
            raise ValueError(
                f"{type(self).__name__} loss expects counts or rates y >= 0, got {y.min():g}; drop "
                "or recode those rows."
            )
        return y

    def mean(self, f):
        return np.exp(np.minimum(f, 600.0))

    def constant(self, y, weight):
        mean = float(np.average(y, weights=weight))
        if mean == 0:
            raise InfiniteConstant(
                f"every y is 0, so the best constant of the {type(self).__name__} loss is -infinity"
            )
        return math.log(mean)


@examples({})
class Squared(namedtuple("Squared", ""), Loss):
    r""":math:`\ell(y, f) = (y - f)^2 / 2`.

    Lipschitz constant of the derivative `sigma` = 1, constant of strong convexity `mu` = 1.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Squared()
    >>> loss.value(3.0, 1.0), loss.residual(3.0, 1.0)
    (2.0, 2.0)
    """

    sigma = 1.0
    mu = 1.0
    self_concordance = 0.0
    infimum = 0.0
    quadratic = True
    location = True

    def value(self, y, f):
        return (y - f) * (y - f) / 2

    def residual(self, y, f):
        return y - f

    def curvature(self, y, f):
        return 1.0

    def line_search(self, y, weight, f, direction):
        """Closed form: <resid, d> / <d, d>."""
        along = 0 * f[0]
        length = 0 * f[0]
        for i in range(len(y)):
            along += weight[i] * (y[i] - f[i]) * direction[i]
            length += weight[i] * direction[i] * direction[i]
        return along / length if length > 0 else along

    def constant(self, y, weight):
        return float((y * weight).sum() / weight.sum())


class _Huber(NamedTuple):
    d: float = 1.0


@examples({}, {"d": 0.5})
class Huber(_Huber, Loss):
    r""":math:`(y-f)^2/2` where :math:`|y-f| \le d`, else :math:`d|y-f| - d^2/2`.

    Lipschitz constant of the derivative `sigma` = 1.

    ``residual`` is minus the derivative in f, here y - f cut off at -d and d.

    Parameters
    ----------
    d : float, default 1
        Threshold: differences y - f up to d in absolute value are squared, larger ones count
        linearly. In the units of y and not estimated from the data (scikit-learn's
        ``HuberRegressor`` multiplies its epsilon by an estimated scale). Choose it from the noise,
        e.g. 1.345 times a robust standard deviation of the residuals.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Huber(d=1.0)
    >>> loss.value(3.0, 0.0), loss.residual(3.0, 0.0)
    (2.5, 1.0)
    """

    sigma = 1.0
    infimum = 0.0
    location = True

    def check(self):
        positive("Huber(d): d", self.d)

    def value(self, y, f):
        size = abs(y - f)
        return size * size / 2 if size <= self.d else self.d * size - self.d * self.d / 2

    def residual(self, y, f):
        return min(max(y - f, -self.d), self.d)

    def curvature(self, y, f):
        return 1.0 if abs(y - f) <= self.d else 0.0

    def level_radius(self, total):
        """Return the largest norm of y - f if the losses sum to `total`: attained if one sample has
        the whole loss.
        """
        return math.sqrt(2 * total) if 2 * total <= self.d**2 else total / self.d + self.d / 2

    def constant(self, y, weight):
        # The sum of the residuals is piecewise linear and falls in f: bisect between the smallest
        # and the largest target.
        low = float(y.min())
        high = float(y.max())
        for _ in range(200):
            middle = low + (high - low) / 2
            if float(weight @ np.clip(y - middle, -self.d, self.d)) > 0:
                low = middle
            else:
                high = middle
        return low + (high - low) / 2


class _Logistic(NamedTuple):
    d: float = 0.0


@examples({}, {"d": 0.5})
class Logistic(_Logistic, TwoClassLoss):
    r""":math:`\log(1 + e^{-yf}) + d f^2/2` for labels -1, +1.

    `sigma` = 1/4 + d, `mu` = d (None for d = 0).

    Parameters
    ----------
    d : float, default 0
        Ridge on the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Logistic()
    >>> round(loss.value(1.0, 0.0), 4), float(loss.residual(1.0, 0.0))
    (0.6931, 0.5)
    """

    infimum = 0.0
    self_concordance = 1.0

    @property
    def sigma(self):
        return 0.25 + self.d

    @property
    def mu(self):
        return self.d if self.d > 0 else None

    def check(self):
        not_negative("Logistic(d): d", self.d)

    def value(self, y, f):
        margin = y * f
        return max(-margin, 0.0) + math.log1p(math.exp(-abs(margin))) + self.d * f * f / 2

    def residual(self, y, f):
        margin = y * f
        tail = decay(abs(margin))
        probability = (1.0 if margin < 0.0 else tail) / (1.0 + tail)
        return y * probability - self.d * f

    def curvature(self, y, f):
        tail = decay(abs(y * f))
        return tail / ((1.0 + tail) * (1.0 + tail)) + self.d

    def exponential_form(self, y, weight):
        if self.d > 0:
            return None
        return ExponentialForm(weight, -y, 0.0 * y, True)

    def mean(self, f):
        return sigmoid(f)

    def constant(self, y, weight):
        without_ridge = log_odds(y, weight, 1.0)
        if self.d == 0:
            return without_ridge
        zeros = np.zeros(len(y))
        ones = np.ones(len(y))
        return float(safeguarded_newton(self, y, weight, zeros, ones))


@examples({})
class Exponential(namedtuple("Exponential", ""), TwoClassLoss):
    """:math:`e^{-yf}` for labels -1, +1.

    Its derivative is not Lipschitz, and it is not strongly convex: use the line search.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Exponential()
    >>> loss.value(-1.0, 0.0), loss.residual(-1.0, 0.0)
    (1.0, -1.0)
    """

    infimum = 0.0
    self_concordance = 1.0

    def value(self, y, f):
        return math.exp(min(-y * f, 700.0))

    def residual(self, y, f):
        return y * math.exp(min(-y * f, 700.0))

    def curvature(self, y, f):
        return math.exp(min(-y * f, 700.0))

    def exponential_form(self, y, weight):
        return ExponentialForm(weight, -y, 0.0 * y, False)

    def mean(self, f):
        return sigmoid(2 * f)

    def constant(self, y, weight):
        return log_odds(y, weight, 0.5)


@examples({})
class Poisson(namedtuple("Poisson", ""), LogMeanLoss):
    """:math:`e^f - y f` for counts or rates y >= 0: Poisson regression.

    f is the logarithm of the mean. The constant log y! is left out.

    Its derivative is not Lipschitz, and it is not strongly convex: use the line search. The infimum
    y - y log y is reached at f = log y. *Numerics*: above f = 600 the exponential is continued by
    its tangent, so that losses stay finite and convex.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Poisson()
    >>> loss.value(3.0, 0.0), loss.residual(3.0, 0.0)
    (1.0, 2.0)
    """

    self_concordance = 1.0

    def value(self, y, f):
        return extended_exp(f) - y * f

    def residual(self, y, f):
        return y - extended_exp_slope(f)

    def curvature(self, y, f):
        return extended_exp_slope(f)

    def exponential_form(self, y, weight):
        return ExponentialForm(weight, np.ones(len(y)), weight * y, False)

    def infimum(self, y):
        """Lower bounds, (n_samples,): the infima, less four roundings of the larger term."""
        log = np.log(np.where(y > 0, y, 1.0))
        return y * (1.0 - log) - 4 * np.finfo(float).eps * y * (1.0 + np.abs(log))


@examples({})
class Gamma(namedtuple("Gamma", ""), LogMeanLoss):
    """:math:`y e^{-f} + f` for targets y > 0: Gamma regression.

    f is the logarithm of the mean. It is half the deviance up to a constant of y.

    Its derivative is not Lipschitz, and it is not strongly convex: use the line search. The infimum
    1 + log y is reached at f = log y. *Numerics*: below f = -600 the exponential is continued by
    its tangent, so that losses stay finite and convex.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Gamma()
    >>> loss.value(3.0, 0.0), loss.residual(3.0, 0.0)
    (3.0, 2.0)
    """

    self_concordance = 1.0

    def value(self, y, f):
        return y * extended_exp(-f) + f

    def residual(self, y, f):
        return y * extended_exp_slope(-f) - 1.0

    def curvature(self, y, f):
        return y * extended_exp_slope(-f)

    def exponential_form(self, y, weight):
        return ExponentialForm(weight * y, -np.ones(len(y)), -weight, False)

    def infimum(self, y):
        """Lower bounds, (n_samples,): the infima, less four roundings of each term."""
        log = np.log(y)
        return 1.0 + log - 4 * np.finfo(float).eps * (1.0 + np.abs(log))

    def labels(self, y):
        if (y <= 0).any():
            raise ValueError(
                f"Gamma loss expects targets y > 0, got {y.min():g}; drop those rows, or use "
                "another loss."
            )
        return y


class _Tweedie(NamedTuple):
    power: float = 1.5


@examples({}, {"power": 1.25})
class Tweedie(_Tweedie, LogMeanLoss):
    r""":math:`y e^{(1 - p) f} / (p - 1) + e^{(2 - p) f} / (2 - p)` for y >= 0.

    f is the logarithm of the mean, and 1 < p < 2 (``power``).

    Half the deviance of a compound Poisson-gamma distribution, up to a constant of y; its variance
    is proportional to the p-th power of the mean. For amounts that are often 0, such as claims. Its
    derivative is not Lipschitz, and it is not strongly convex: use the line search. The infimum
    :math:`y^{2 - p} / ((p - 1)(2 - p))` is reached at f = log y. *Numerics*: exponentials above
    e^600 are continued by their tangents.

    Parameters
    ----------
    power : float, default 1.5
        The power p of the mean, between 1 (Poisson) and 2 (gamma).

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Tweedie(power=1.5)
    >>> loss.value(3.0, 0.0), loss.residual(3.0, 0.0)
    (8.0, 2.0)
    """

    @property
    def self_concordance(self):
        return max(self.power - 1.0, 2.0 - self.power)

    def check(self):
        real("Tweedie(power): power", self.power, lambda number: 1 < number < 2, "between 1 and 2")

    def value(self, y, f):
        fall = (1.0 - self.power) * f
        rise = (2.0 - self.power) * f
        return y * extended_exp(fall) / (self.power - 1.0) + extended_exp(rise) / (2.0 - self.power)

    def residual(self, y, f):
        fall = extended_exp_slope((1.0 - self.power) * f)
        rise = extended_exp_slope((2.0 - self.power) * f)
        return y * fall - rise

    def curvature(self, y, f):
        fall = extended_exp_slope((1.0 - self.power) * f)
        rise = extended_exp_slope((2.0 - self.power) * f)
        return (self.power - 1.0) * y * fall + (2.0 - self.power) * rise

    def infimum(self, y):
        """Lower bounds, (n_samples,): the infima, less 16 roundings."""
        infimum = y ** (2.0 - self.power) / ((self.power - 1.0) * (2.0 - self.power))
        return infimum * (1.0 - 16 * np.finfo(float).eps)


@kernel
def quantile_search(q, y, weight, f, direction):
    """Return the smallest t that minimises the weighted sum of losses ``Quantile(q)`` at f + t
    direction; 0 if direction is 0.

    The slope in t increases by weight |direction| at t = (y - f) / direction; the minimum is where
    it reaches 0.
    """
    kink = 0 * f
    rise = 0 * f
    slope = 0 * f[0]
    minimiser = 0 * f[0]
    for i in range(len(y)):
        d = direction[i]
        if d != 0:
            kink[i] = (y[i] - f[i]) / d
            rise[i] = weight[i] * abs(d)
            slope -= rise[i] * (q if d > 0 else 1 - q)
    for i in np.argsort(kink):
        slope += rise[i]
        if rise[i] > 0:
            minimiser = kink[i]
            if slope >= 0:
                break
    return minimiser


class _Quantile(NamedTuple):
    q: float = 0.5


@examples({}, {"q": 0.875})
class Quantile(_Quantile, Loss):
    """:math:`q (y - f)` if y > f, else :math:`(1 - q)(f - y)`: quantile regression.

    It estimates the q-quantile of the target, 0 < q < 1, and is not smooth.

    `residual` is minus a subgradient, 0 at f = y. There is no curvature, and no sigma: use the line
    search.

    Parameters
    ----------
    q : float, default 0.5
        The quantile, between 0 and 1; 0.5 is the median.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Quantile(q=0.75)
    >>> loss.value(3.0, 0.0), loss.value(0.0, 3.0)
    (2.25, 0.75)
    """

    infimum = 0.0
    location = True

    def check(self):
        positive("Quantile(q): q", self.q, 1, "between 0 and 1")

    def value(self, y, f):
        return self.q * (y - f) if y > f else (1 - self.q) * (f - y)

    def residual(self, y, f):
        if y > f:
            return self.q
        return self.q - 1 if y < f else 0 * self.q

    def line_search(self, y, weight, f, direction):
        """Return the smallest minimiser: a weighted quantile of the quotients (y - f) / direction.

        *Cost*: a sort.
        """
        return quantile_search(self.q, y, weight, f, direction)

    def level_radius(self, total):
        """Return the largest norm of y - f: attained if one sample has the whole loss, on the
        flatter side.
        """
        return total / min(self.q, 1 - self.q)

    def constant(self, y, weight):
        return float(quantile_search(self.q, y, weight, 0 * y, 0 * y + 1))


class _SmoothZeroOne(NamedTuple):
    scale: float = 0.1


@examples({}, {"scale": 0.5})
class SmoothZeroOne(_SmoothZeroOne, TwoClassLoss):
    r""":math:`1 - \sigma(y f / s)` for labels -1, +1: the smoothed zero-one loss.

    It is smoothed over a width s (``scale``).

    The loss at f = 0 is 1/2. It is Lipschitz with constant 1 / (4 s), and smooth with sigma =
    :math:`1 / (6 \sqrt 3 s^2)`.

    Parameters
    ----------
    scale : float, default 0.1
        The width s, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.SmoothZeroOne(scale=0.1)
    >>> loss.value(1.0, 0.0), round(loss.value(1.0, 1.0), 4), round(loss.value(-1.0, 1.0), 4)
    (0.5, 0.0, 1.0)
    """

    infimum = 0.0
    convex = False

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

    def mean(self, f):
        return sigmoid(f / self.scale)


@examples({})
class Welsch(namedtuple("Welsch", ""), Loss):
    """:math:`1 - e^{-(y - f)^2 / 2}`: squared loss near the target, constant far from it.

    Sigma = 1.

    Examples
    --------
    >>> import coordboost as cb
    >>> loss = cb.losses.Welsch()
    >>> round(loss.value(100.0, 0.0), 6), round(loss.residual(100.0, 0.0), 6)
    (1.0, 0.0)
    """

    sigma = 1.0
    infimum = 0.0
    convex = False
    location = True

    def value(self, y, f):
        return -math.expm1(-(y - f) * (y - f) / 2)

    def residual(self, y, f):
        return (y - f) * math.exp(-(y - f) * (y - f) / 2)
