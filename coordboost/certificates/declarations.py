"""What a loss or learners of your own declare, tried at the data at hand.

What is false gives no lower end.

A lower end rests on convexity, on the infimum, on mu, on residuals that are slopes, and on
correlations with columns of unit norm. The losses of the package are not tried. *Cost*: some 1,000
values of the loss, for any number of samples; a few columns.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import NEAR
from coordboost.data import validation
from coordboost.losses import standard

#: Numbers of samples that are tried, in the order of the residuals and again in that of the
#: targets; of points evenly spaced over the predictions, and over the quantiles of the residuals;
#: of points ever nearer to the prediction, and ever farther, on each side.
SAMPLES = 5
EVEN = 17
QUANTILES = 9
FINE = 6
FAR = 8
#: Rounding of a value of a loss, relative to its usual terms. As there may be larger ones, a fault
#: must be there in most of AGAIN trials at points moved by up to MOVED of their distance, one point
#: by little: rounding has both signs.
ROUNDED = 64 * float(np.finfo(float).eps)
AGAIN = 64
MOST = 0.9
MOVED = 0.3
#: Smaller faults, relative to the range of the values, do not count.
SMALL = 1e-9
#: Faults that are tried again, the largest first.
WORST = 4
#: Most columns whose correlations are computed again: those with the largest correlations.
COLUMNS = 8


def tried(loss):
    """Whether a loss is tried: it is not one of the package."""
    return type(loss).__module__ != standard.__name__


def contradiction(problem, pred, upper, convexity=True):
    """Return a sentence about a declaration of the loss that is seen to be false; "" if none is.

    pred : (n_samples,), the predictions of a model
    upper : an upper end of the optimum, penalty included
    convexity : whether the lower end rests on convexity; else it rests on the infimum alone
    """
    loss = problem.loss
    if not tried(loss):
        return ""
    with np.errstate(all="ignore"):
        if loss.value is None:
            return _joint(problem, pred) if convexity else ""
        return next(_seen(problem, pred, upper, convexity), "")


def _seen(problem, pred, upper, convexity):
    """Yield the sentences about some samples."""
    loss = problem.loss
    counted = np.flatnonzero(problem.weight > 0)
    f = (pred + problem.base)[counted]
    y = problem.y[counted]
    weight = problem.weight[counted]
    infima = validation.infimum(loss, y)
    for i, points in _samples(y, f):
        room = (upper - problem.infimum) / weight[i] + infima[i]
        if not math.isfinite(room):
            room = (abs(upper) + abs(problem.value(pred))) / weight[i]
        sample = Sample.at(loss, float(y[i]), points, room, infima[i])
        sample = sample.looser(
            SMALL * float(np.ptp(sample.value[sample.inside])) if sample.inside.any() else 0.0
        )
        for fault in FAULTS if convexity else FAULTS[:1]:
            excess = fault.excess(sample)
            for k in np.argsort(-excess, kind="stable")[:WORST] if (excess > 0).any() else ():
                where = slice(int(k), int(k) + fault.width)
                if excess[k] > 0 and sample.again(fault, where):
                    yield sample.told(fault, where)


def _samples(y, f):
    """Yield samples, and the predictions to try there, (n_points,).

    They are in the range of those at hand and of their residuals, and beyond.
    """
    resid = y - f
    share = np.linspace(0.0, 1.0, QUANTILES)
    by_resid = np.argsort(resid, kind="stable")
    by_target = np.argsort(y, kind="stable")
    places = np.unique(np.round(np.linspace(0, len(y) - 1, SAMPLES)).astype(np.int64))
    residuals = resid[by_resid[np.round(share * (len(y) - 1)).astype(np.int64)]]
    for i in np.unique([by_resid[places], by_target[places]]):
        some = np.concatenate([y[i] - residuals, [y[i], f[i], f.min(), f.max()]])
        low = some.min()
        high = some.max()
        near = (high - low) * 0.25 ** np.arange(1, FINE + 1)
        far = (high - low) * 2.0 ** np.arange(FAR)
        points = np.unique(
            np.concatenate(
                [
                    some,
                    np.linspace(low, high, EVEN),
                    f[i] - near,
                    f[i] + near,
                    low - far,
                    high + far,
                ]
            )
        )
        yield i, points[np.isfinite(points)]


class Sample(NamedTuple):
    """The loss of one target at increasing predictions f (n_points,).

    It has values, residuals, and a bound of the rounding of a value.

    gap, slope, error : (n_points - 1,), the distances of neighbours, the slopes of the values
        between them, and bounds of their rounding
    room : predictions of larger values are those of no better model, so they do not count
    infimum : the declared infimum
    """

    loss: object
    y: float
    f: np.ndarray
    value: np.ndarray
    resid: np.ndarray
    slack: np.ndarray
    gap: np.ndarray
    slope: np.ndarray
    error: np.ndarray
    room: float
    infimum: float

    @classmethod
    def at(cls, loss, y, f, room, infimum):
        """Compute the loss where it is a number, and the bound from the sizes of usual terms.

        A loss of y - f has terms of the size of its values, also at the predictions that are 1 away
        from the target; other losses may have products of y and f.
        """
        table = np.array(
            [(number(loss.value, y, at), number(loss.residual, y, at)) for at in f.tolist()]
        )
        usual = np.array([number(loss.value, y, at) for at in (-1.0, 0.0, 1.0, y - 1, y, y + 1)])
        unit = float(np.max(np.abs(usual[np.isfinite(usual)]), initial=0.0))
        known = np.isfinite(table).all(axis=1)
        f = f[known]
        value, resid = table[known].T
        size = np.abs(value) + unit + (abs(y) + np.abs(f)) * np.abs(resid)
        some = slice(None, None, 1 + len(f) // 8)
        apart = np.array([number(loss.value, y - at, 0.0) for at in f[some].tolist()])
        if not (np.abs(apart - value[some]) <= ROUNDED * size[some]).all():
            size = size + (1 + np.abs(f)) * abs(y) + np.abs(f) * np.abs(resid)
        gap = f[1:] - f[:-1]
        slack = ROUNDED * size
        return cls(
            loss,
            y,
            f,
            value,
            resid,
            slack,
            gap,
            (value[1:] - value[:-1]) / gap,
            (slack[1:] + slack[:-1]) / gap,
            room,
            infimum,
        )

    def looser(self, by):
        """The same with a larger bound of the rounding."""
        return self._replace(slack=self.slack + by, error=self.error + 2 * by / self.gap)

    def again(self, fault, where):
        """Whether a fault is there in most trials at points near those of the slice `where`."""
        f = self.f[where]
        apart = np.diff(f).min() if len(f) > 1 else NEAR * max(abs(f[0]), abs(self.y))
        moves = MOVED * apart * np.random.default_rng(0).uniform(-1, 1, (AGAIN, len(f)))
        by = float(self.slack.min(initial=0.0))
        moved_samples = (
            self.at(self.loss, self.y, np.sort(f + move), self.room, self.infimum).looser(by)
            for move in moves
        )
        return (
            sum(bool((fault.excess(sample) > 0).any()) for sample in moved_samples) >= MOST * AGAIN
        )

    def told(self, fault, where):
        """The sentence about a fault at the points of the slice `where`."""
        f, value, resid = (array[where].tolist() for array in (self.f, self.value, self.resid))
        return fault.words.format(
            name=type(self.loss).__name__,
            loss=self.loss,
            y=self.y,
            f=f,
            value=value,
            resid=resid,
            infimum=self.infimum,
        )

    @property
    def inside(self):
        return self.value <= self.room + self.slack

    @property
    def rises(self):
        """What each value has above the tangent of its neighbour, over their distance.

        It is (2, n_points - 1).
        """
        return np.array([self.slope + self.resid[:-1], -self.slope - self.resid[1:]])

    def between(self, excess):
        """The excess of neighbours where both count, else -1."""
        return np.where(self.inside[1:] & self.inside[:-1], excess, -1.0)


class Fault(NamedTuple):
    """A way to break a declaration: the sentence; the number of neighbouring points that show it;
    by how much they do, above 0.
    """

    words: str
    width: int
    excess: Callable


def below(at):
    """The excess of the declared infimum."""
    return at.infimum - at.slack - at.value


def not_quadratic(at):
    """The distance from (y - f)^2 / 2."""
    return np.abs(at.value - (at.y - at.f) ** 2 / 2) - at.slack if at.loss.quadratic else -at.slack


def not_alike(at):
    """The distance from value(y - f, 0)."""
    if not at.loss.location:
        return -at.slack
    apart = np.array([number(at.loss.value, at.y - f, 0.0) for f in at.f.tolist()])
    return np.where(np.isnan(apart), -1.0, np.abs(apart - at.value) - at.slack)


def bent(at):
    """The height of a value above the straight line between its neighbours."""
    width = at.gap[1:] * at.gap[:-1] / (at.f[2:] - at.f[:-2])
    excess = (at.slope[:-1] - at.slope[1:] - at.error[1:] - at.error[:-1]) * width
    return np.where(at.inside[2:] & at.inside[:-2], excess, -1.0)


def under_tangent(at, side):
    """The distance of a value below the tangent of its neighbour."""
    return at.between((-at.rises[side] - at.error) * at.gap)


def flatter(at, side):
    """The distance of a value below the parabola of curvature mu that touches at its neighbour."""
    mu = at.loss.mu or 0.0
    return at.between(
        (mu * at.gap / 2 * (1 - ROUNDED) - at.rises[side] - at.error) * at.gap if mu else -at.gap
    )


def steeper(at, side):
    """The distance of a value above a parabola that touches at its neighbour.

    The parabola has the curvature sigma.
    """
    sigma = at.loss.sigma
    return at.between(
        (at.rises[side] - at.error - sigma * at.gap / 2 * (1 + ROUNDED)) * at.gap
        if sigma is not None
        else -at.gap
    )


AT = "value(y={y:.6g}, f={f[0]:.6g}) is {value[0]:.6g}"
FROM = "from f={f[0]:.6g} to {f[1]:.6g} at y={y:.6g} "
RESIDUAL = "residual goes from {resid[0]:.6g} to {resid[1]:.6g}"
BELOW = AT + ", below the infimum {infimum:.6g} that {name} declares"
NOT_QUADRATIC = AT + ", not (y - f)^2 / 2: {name} must not declare `quadratic`"
NOT_ALIKE = AT + ", and value(y - f, 0) is another number: {name} must not declare `location`"
BENT = (
    "value(y={y:.6g}, f={f[1]:.6g}) is {value[1]:.6g}, above the straight line from "
    "{value[0]:.6g} at "
    "f={f[0]:.6g} to {value[2]:.6g} at f={f[2]:.6g}: {name} is not convex, and must declare "
    "`convex = False`"
)
UNDER = (
    FROM
    + "the value goes from {value[0]:.6g} to {value[1]:.6g}, and "
    + RESIDUAL
    + ": residual of {name} is "
    "not minus the derivative of a convex value"
)
FLATTER = FROM + RESIDUAL + ", less than mu = {loss.mu:.6g} asks for, which {name} declares"
STEEPER = FROM + RESIDUAL + ", more than sigma = {loss.sigma:.6g} allows, which {name} declares"

#: The first one is about the infimum, the others about convexity. Tangents of one side after those
#: of the other: rounding breaks neither of them in most trials.
FAULTS = (
    Fault(BELOW, 1, below),
    Fault(NOT_QUADRATIC, 1, not_quadratic),
    Fault(NOT_ALIKE, 1, not_alike),
    Fault(BENT, 3, bent),
    Fault(UNDER, 2, partial(under_tangent, side=0)),
    Fault(UNDER, 2, partial(under_tangent, side=1)),
    Fault(FLATTER, 2, partial(flatter, side=0)),
    Fault(FLATTER, 2, partial(flatter, side=1)),
    Fault(STEEPER, 2, partial(steeper, side=0)),
    Fault(STEEPER, 2, partial(steeper, side=1)),
)


def number(kernel, y, f):
    """Return a kernel's float; NaN where it has none."""
    try:
        return float(kernel(y, f))
    except (ArithmeticError, ValueError, TypeError):
        return math.nan


def _joint(problem, pred):
    """The sentence about a loss that is no sum over samples.

    On the line through 0 and the predictions its slopes must not fall.
    """
    share = np.linspace(-0.5, 1.5, QUANTILES)
    value = np.array([problem.value(by * pred) for by in share])
    slope = np.array([-float(problem.resid(by * pred) @ pred) for by in share])
    slack = 2 * ROUNDED * (np.abs(value).max() + np.abs(slope).max()) * math.sqrt(len(pred))
    rise = np.diff(value) - slope[:-1] * np.diff(share)
    if not (rise < -slack).any():
        return ""
    by = share[int(np.argmax(rise < -slack))]
    name = type(problem.loss).__name__
    return (
        f"on the line through 0 and the predictions the loss is below its tangent at {by:g} "
        "times the "
        f"predictions: {name} is not convex, or its residual is not minus its gradient"
    )


def miscounted(problem, resid, corr):
    """Return a sentence about learners of your own that contradict their columns.

    Their correlations, or a bound of them, do not agree with the columns; "" if they do.

    resid : (n_samples,)
    corr : of a scan
    """
    if problem.unit_norm or not problem.n_learners:
        return ""
    if problem.countable:
        some = np.sort(np.argsort(-np.abs(corr), kind="stable")[:COLUMNS])
        claimed = corr[some]
    else:
        some = np.arange(problem.n_learners)
        claimed = corr
    own = resid @ problem.gather(some)
    size = problem.size(resid)
    if problem.countable and (off := np.abs(claimed - own) > NEAR * size).any():
        k = int(np.argmax(off))
        return (
            f"scan gives the correlation {claimed[k]:.9g} for learner {some[k]}, its column "
            f"{own[k]:.9g}"
        )
    if not problem.countable and np.abs(own).max() > float(claimed[0]) + NEAR * size:
        k = int(np.argmax(np.abs(own)))
        return (
            f"find bounds all correlations by {float(claimed[0]):.9g}, and that of learner {k} "
            f"is {own[k]:.9g}"
        )
    return ""
