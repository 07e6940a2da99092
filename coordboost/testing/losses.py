"""Laws of losses: their kernels agree with each other, and what they declare is true.

That is constants, an infimum, a line search.
"""

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, is_piece
from coordboost._numba.linesearch import CAP, safeguarded_newton, slope
from coordboost._numba.sums import residual_of_each, sum_of_each
from coordboost.data import validation
from coordboost.losses.base import link_of, on_scale_of_y
from coordboost.testing.report import SKIPPED, Law, about

ROUNDOFF = float(np.finfo(float).eps) / 2


def ulps(*terms):
    """Return a bound on the rounding of a short formula with these terms."""
    return 16 * ROUNDOFF * sum(map(abs, terms))


#: Convexity is also tested at predictions multiplied by these numbers, where values are known and
#: below HUGE: larger ones may be cut off.
FARTHER = (2.0**6, 2.0**14)
HUGE = 1e150
#: Half the width of a central difference.
H = 2.0**-18
#: Default targets, the labels of a loss of two classes; for others tried in turn until the loss
#: accepts them: real numbers, labels, counts, numbers above 0.
LABELS = [-1.0, 1.0]
TARGETS = (
    [-3.0, -1.0, -0.25, 0.0, 0.5, 1.0, 4.0],
    LABELS,
    [0.0, 1.0, 2.0, 7.0],
    [0.25, 0.5, 1.0, 4.0],
)
#: Other targets, tried if a loss fails at the default ones, by description.
OTHERS = {
    "above 0": [0.25, 0.5, 1.0, 4.0],
    "between 0 and 1": [0.125, 0.5, 0.75],
    "-1 and 1": LABELS,
    "counts": [0.0, 1.0, 2.0, 7.0],
}


class LossCase(NamedTuple):
    """A loss, targets that it accepts, and predictions."""

    piece: object
    targets: np.ndarray
    predictions: np.ndarray

    def points(self):
        return [(float(y), float(f)) for y in self.targets for f in self.predictions]

    def rounding(self, y, *predictions):
        """Return a bound on the rounding of values or residuals at these points.

        It limits the accuracy of their differences.
        """
        loss = self.piece
        return sum(
            ulps(loss.value(y, f), (1 + abs(f)) * (abs(loss.residual(y, f)) + abs(y)), f)
            for f in predictions
        )


def case(loss, y):
    """Return a test case: a loss, with targets and predictions."""
    eighths = np.random.default_rng(0).integers(-64, 65, 40) / 8
    return LossCase(loss, _targets(loss, y), np.unique([*eighths, -0.5, 0.0, 0.5, 1.0]))


def _targets(loss, y):
    labels = loss.labels
    default = [LABELS] if loss.two_class else TARGETS
    for target in default if y is None else [y]:
        targets = np.unique(validation.numeric("y", target, 1))[:12]
        try:
            return targets if labels is None else np.unique(labels(targets))
        except ValueError as error:
            refused = error
    raise ValueError(
        "labels(y) refuses real numbers, labels -1 and 1, counts, and numbers above 0 "
        f"({refused}); pass targets that the loss takes as y=."
    )


def at_its_targets(loss, report, tried):
    """Return the report on a loss that fails at the default targets.

    If it has no numbers there, the report on others, with a note.

    A law that fails with numbers is reported at these targets: data may be like them.

    tried : function that returns the report at targets y
    """
    alternatives = (
        {what: (y, tried(y)) for what, y in OTHERS.items()}
        if report.with_errors and not (loss.labels or loss.two_class)
        else {}
    )
    for what, (y, alternative) in alternatives.items():
        if alternative or (report.with_errors and not alternative.with_errors):
            usual = f"from {min(TARGETS[0]):g} to {max(TARGETS[0]):g}"
            where = "hold" if alternative else "are tried here"
            sentence = (
                f"laws fail at the default targets, {usual}, and {where} at targets {what}; "
                f"pass targets that the loss takes, y={y}."
            )
            return alternative._replace(
                laws=[Law("test targets suit the loss", "failed", sentence), *alternative.failed]
            )
    return report


def apart(a, b):
    """Return two different numbers as texts that differ."""
    digits = next(n for n in range(6, 18) if f"{a:.{n}g}" != f"{b:.{n}g}" or n == 17)
    return f"{a:.{digits}g}", f"{b:.{digits}g}"


def known(kernel, y, f):
    """Return the number of a kernel; NaN where there is none."""
    try:
        return float(kernel(y, f))
    except (ArithmeticError, ValueError):
        return math.nan


def numbers_are_finite(at):
    """Test that kernels are finite.

    At predictions up to the largest that a line search can reach.
    """
    kernels = [
        name for name in ("value", "residual", "curvature") if getattr(at.piece, name) is not None
    ]
    for y, f, kernel in product(
        map(float, at.targets), (-CAP, *map(float, at.predictions), CAP), kernels
    ):
        number = getattr(at.piece, kernel)(y, f)
        if not math.isfinite(number):
            yield (
                f"{kernel}(y={y:g}, f={f:g}) is {number}; rewrite it so that it does not "
                f"overflow for |f| <= {CAP:g}."
            )


def residual_is_minus_the_derivative(at):
    """Test that differences of values are means of residuals.

    A central difference lies between the residuals at its ends, as the mean value theorem requires.
    """
    for y, f in at.points():
        ends = sorted([at.piece.residual(y, f - H), at.piece.residual(y, f + H)])
        slack = at.rounding(y, f - H, f + H) / (2 * H)
        slope = (at.piece.value(y, f - H) - at.piece.value(y, f + H)) / (2 * H)
        if not ends[0] - slack <= slope <= ends[1] + slack:
            yield (
                f"at y = {y:g}, f = {f:g} a difference of values gives {slope:.6g}, residual gives "
                f"{at.piece.residual(y, f):.6g}; residual(y, f) must be minus the derivative of "
                "value(y, f) in f."
            )


@about("convex")
def value_is_convex(at):
    """Test convexity on segments, near and far."""
    value = at.piece.value
    segments = list(zip(at.predictions, at.predictions[::-1], strict=True))
    for unit, y in product((1.0, *FARTHER), map(float, at.targets)):
        for (f, g), share in product(segments, (0.5, 0.125)):
            f = unit * f
            g = unit * g
            middle = (1 - share) * f + share * g
            kernels = product((value, at.piece.residual), (f, g, middle))
            if unit > 1 and not all(
                abs(known(kernel, y, point)) < HUGE for kernel, point in kernels
            ):
                continue
            line = (1 - share) * value(y, f) + share * value(y, g)
            if value(y, middle) > line + at.rounding(y, f, g, middle):
                top, chord = apart(value(y, middle), line)
                yield (
                    f"between f = {f:g} and {g:g} at y = {y:g} the value is {top} "
                    f"at f = {middle:g}, above the straight line, {chord}; a loss that is not "
                    "convex in f declares `convex = False`: certificates and line searches need "
                    "convexity."
                )


@about("curvature")
def curvature_is_the_second_derivative(at):
    """Test curvature by differences of residuals.

    Each is a mean of the curvature, within its range over the interval.
    """
    for y, f in at.points():
        near = [at.piece.curvature(y, f + h) for h in (-H, -H / 2, 0.0, H / 2, H)]
        slope = (at.piece.residual(y, f - H) - at.piece.residual(y, f + H)) / (2 * H)
        slack = (max(near) - min(near)) + at.rounding(y, f - H, f + H) / (2 * H)
        if not min(near) - slack <= slope <= max(near) + slack or min(near) < 0:
            yield (
                f"at y = {y:g}, f = {f:g} a difference of residuals gives {slope:.6g}, curvature "
                f"gives {near[2]:.6g}; curvature(y, f) must be minus the derivative of residual(y, "
                "f), never below 0. Omit it if there is none."
            )


def kernels_are_functions(at):
    """Test that kernels return the same when called again."""
    for y, f in at.points()[:50]:
        if at.piece.value(y, f) != at.piece.value(y, f) or at.piece.residual(
            y, f
        ) != at.piece.residual(y, f):
            yield (
                f"at y = {y:g}, f = {f:g} two calls differ; a kernel must depend on its "
                "arguments alone."
            )


def compiled_kernels_are_the_same(at):
    """Compare compiled and interpreted sums, as a Problem computes them."""
    if not is_piece(at.piece):
        yield SKIPPED
    for f in at.predictions[::5]:
        pred = np.full(len(at.targets), f)
        args = (at.piece, at.targets, np.ones(len(pred)), 0.0, pred)
        plain = np.empty(len(pred))
        quick = np.empty(len(pred))
        sums = sum_of_each(*args), compiled(sum_of_each, (at.piece,))(*args)
        residual_of_each(*args, plain)
        compiled(residual_of_each, (at.piece,))(*args, quick)
        slack = sum(at.rounding(float(y), float(f)) for y in at.targets)
        if abs(sums[0] - sums[1]) > slack or np.abs(plain - quick).max() > slack:
            yield (
                f"at f = {f:g} the compiled sum is {sums[1]:.9g}, in plain Python "
                f"{sums[0]:.9g}; use operations that agree in both."
            )


def _changes(at):
    """Yield (y, f, ratio, rounding) of changes, small and large.

    The ratio is a decrease of the residual divided by an increase of the prediction.
    """
    for y, f in at.points():
        for g in (f + 2.0**-10, f + 0.5, f + 3.0):
            allowed = at.rounding(y, f, g) / (g - f)
            yield y, f, (at.piece.residual(y, f) - at.piece.residual(y, g)) / (g - f), allowed


@about("sigma")
def sigma_is_a_smoothness_constant(at):
    """Test that the residual changes by at most sigma times the change of the prediction."""
    sigma = at.piece.sigma
    for y, f, ratio, allowed in _changes(at):
        if ratio > sigma + allowed + ulps(sigma):
            yield (
                f"at y = {y:g}, f = {f:g} the residual changes {ratio:.6g} times as much as f, "
                f"sigma is {sigma:g}; make sigma larger, or None."
            )


@about("mu")
def mu_is_a_constant_of_strong_convexity(at):
    """Test that the residual decreases by at least mu times the increase of the prediction."""
    mu = at.piece.mu
    for y, f, ratio, allowed in _changes(at):
        if ratio < mu - allowed - ulps(mu):
            yield (
                f"at y = {y:g}, f = {f:g} the residual falls only {ratio:.6g} times as fast as f "
                f"grows, mu is {mu:g}; make mu smaller, or None."
            )


@about("self_concordance")
def self_concordance_bounds_the_curvature(at):
    """Test that curvatures differ by no more than self-concordance allows.

    At two predictions, a and b, by a factor of at most exp(C abs(a - b)).
    """
    C = at.piece.self_concordance
    for y, f in at.points():
        for g in (f - 3.0, f - 0.5, f + 2.0**-10, f + 0.5, f + 3.0):
            near = at.piece.curvature(y, f)
            far = at.piece.curvature(y, g)
            if far > near * math.exp(C * abs(g - f)) * (1 + 1e-9) + at.rounding(y, f, g):
                yield (
                    f"at y = {y:g} the curvature is {near:.6g} at f = {f:g} and {far:.6g} at f = "
                    f"{g:g}, more than exp({C:g} * {abs(g - f):g}) times as large; make "
                    "self_concordance larger, or None: leaves of trees could raise the loss."
                )


def infimum_is_a_lower_bound(at):
    """Test the infimum at the predictions, far away, and at the minimiser."""
    if at.piece.infimum == -math.inf:
        yield SKIPPED
    infima = validation.infimum(at.piece, at.targets)
    unit = np.ones(1)
    for y, bound in zip(map(float, at.targets), infima, strict=True):
        best = safeguarded_newton(at.piece, np.array([y]), unit, 0 * unit, unit)
        for f in (best, -CAP, CAP, *at.predictions):
            if at.piece.value(y, float(f)) < bound - at.rounding(y, float(f)):
                yield (
                    f"value(y={y:g}, f={f:g}) is {at.piece.value(y, float(f)):.6g}, below the "
                    f"infimum {bound:.6g}; every certificate would claim too much: correct "
                    "`infimum`, or leave it out."
                )


@about("location")
def location_is_true(at):
    """Test that value(y + t, f + t) = value(y, f)."""
    for (y, f), t in product(at.points(), (-2.5, 1.0)):
        at_target = at.piece.value(y, f)
        moved = at.piece.value(y + t, f + t)
        if abs(at_target - moved) > at.rounding(y, f) + at.rounding(y + t, f + t):
            yield (
                f"value({y:g}, {f:g}) is {at_target:.6g} and value({y + t:g}, {f + t:g}) is "
                f"{moved:.6g}; omit `location`, or set it to False."
            )


@about("quadratic")
def quadratic_is_true(at):
    """Test that value(y, f) = (y - f)^2 / 2."""
    for y, f in at.points():
        if abs(at.piece.value(y, f) - (y - f) ** 2 / 2) > at.rounding(y, f):
            yield (
                f"value({y:g}, {f:g}) is {at.piece.value(y, f):.6g}, not (y - f)^2 / 2; omit "
                "`quadratic`, or set it to False."
            )


@about("level_radius")
def level_radius_is_a_bound(at):
    """Test that level_radius bounds the norm of y - f, for one sample and for several."""
    radius = at.piece.level_radius
    rng = np.random.default_rng(2)
    for n in (1, 1, 1, 1, 2, 3, 8) * 4:
        y = rng.choice(at.targets, n)
        f = rng.choice(at.predictions, n)
        total = sum(map(at.piece.value, y.tolist(), f.tolist()))
        length = float(np.linalg.norm(y - f))
        if not length <= radius(total) + 1e-12 * (1 + length):
            yield (
                f"y = {y.tolist()}, f = {f.tolist()} have losses of {total:.6g} together, and y - "
                f"f has norm {length:.6g}; level_radius gives {radius(total):.6g}. Make it larger, "
                "or leave it out."
            )


@about("line_search")
def line_search_finds_the_minimum(at):
    """Test that the derivative is 0 or changes sign, relative to 1e-9 of its terms at the start.

    Or that Newton's method does no better.
    """
    rng = np.random.default_rng(1)
    for _ in range(20):
        y = rng.choice(at.targets, 6)
        f = rng.integers(-16, 17, 6) / 8
        d = rng.integers(-16, 17, 6) / 8
        weight = rng.integers(0, 4, 6).astype(float)
        t = at.piece.line_search(y, weight, f, d)
        known = safeguarded_newton(at.piece, y, weight, f, d)
        start = sum(weight[i] * abs(at.piece.residual(y[i], f[i]) * d[i]) for i in range(6))
        ends = [abs(slope(at.piece, y, weight, f, d, step)[0]) for step in (t, known)]
        left, right = (
            slope(at.piece, y, weight, f, d, t + h)[0]
            for h in (-1e-9 * (1 + abs(t)), 1e-9 * (1 + abs(t)))
        )
        allowed = 1e-9 * (start + 1)
        if not (ends[0] <= ends[1] + allowed or (left <= allowed and right >= -allowed)):
            yield (
                f"from f = {f.tolist()} along {d.tolist()} it gives {t:.6g}, where the derivative "
                f"is {ends[0]:.3g}; the minimum is at {known:.6g}."
            )


def inverse_link_leaves_no_residual(at):
    """Test residual(inverse_link(f), f) = 0: no step if the target equals the prediction.

    Skipped for labels, which are no predictions.
    """
    if at.piece.two_class or not link_of(at.piece):
        yield SKIPPED
    for f in map(float, at.predictions):
        y = float(on_scale_of_y(at.piece, np.array([f]))[0])
        near = [at.piece.residual(y, f + t) for t in (-1e-6, 1e-6)] if math.isfinite(y) else [y, y]
        if not min(near) - at.rounding(y, f) <= 0 <= max(near) + at.rounding(y, f):
            yield (
                f"at f = {f:g} it gives y = {y:.6g}, where the residual is "
                f"{max(near, key=abs):.6g}; inverse_link(f) must be the target at "
                "which residual(y, f) is 0, or changes its sign."
            )


@about("constant")
def constant_is_the_best(at):
    """Test that constants 0.001 and 1 away from the optimum have no smaller loss."""
    for weight in (np.ones(len(at.targets)), 1.0 + np.arange(len(at.targets)) % 3):
        c = at.piece.constant(at.targets, weight)
        pairs = list(zip(map(float, at.targets), weight, strict=True))
        values = {
            t: sum(w * at.piece.value(y, c + t) for y, w in pairs)
            for t in (0.0, -1e-3, 1e-3, -1.0, 1.0)
        }
        best = min(values, key=values.get)
        if values[best] < values[0.0] - sum(w * at.rounding(y, c) for y, w in pairs):
            yield (
                f"for y = {at.targets.tolist()} with weights {weight.tolist()} it gives {c:.6g}, "
                f"and {c + best:.6g} has a smaller loss; constant(y, weight) must minimise the "
                "weighted sum."
            )


LAWS = (
    numbers_are_finite,
    residual_is_minus_the_derivative,
    value_is_convex,
    curvature_is_the_second_derivative,
    sigma_is_a_smoothness_constant,
    mu_is_a_constant_of_strong_convexity,
    self_concordance_bounds_the_curvature,
    infimum_is_a_lower_bound,
    location_is_true,
    quadratic_is_true,
    level_radius_is_a_bound,
    line_search_finds_the_minimum,
    constant_is_the_best,
    inverse_link_leaves_no_residual,
    kernels_are_functions,
    compiled_kernels_are_the_same,
)
