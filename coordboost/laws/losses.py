"""Laws of losses: what their kernels must be to each other."""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, is_piece
from coordboost._numba.linesearch import CAP
from coordboost._numba.sums import residual_of_each, sum_of_each
from coordboost.data import validation
from coordboost.laws import declared
from coordboost.laws.report import SKIPPED, Law
from coordboost.laws.rounding import rounding

#: Half the width of a difference quotient.
H = 2.0**-18
#: Targets that are tried where none are given: real numbers, labels, counts.
TARGETS = ([-3.0, -1.0, -0.25, 0.0, 0.5, 1.0, 4.0], [-1.0, 1.0], [0.0, 1.0, 2.0, 7.0])
#: Targets that a loss may be for which fails at those, and what they are.
OTHERS = {
    "above 0": [0.25, 0.5, 1.0, 4.0],
    "between 0 and 1": [0.125, 0.5, 0.75],
    "-1 and 1": [-1.0, 1.0],
    "counts": [0.0, 1.0, 2.0, 7.0],
}


class LossCase(NamedTuple):
    """A loss, targets that it takes, and predictions."""

    loss: object
    targets: np.ndarray
    predictions: np.ndarray

    def points(self):
        return [(float(y), float(f)) for y in self.targets for f in self.predictions]


def case(loss, y):
    """The points at which a loss is tried."""
    eighths = np.random.default_rng(0).integers(-64, 65, 40) / 8
    return (LossCase(loss, _targets(loss, y), np.unique(np.concatenate([eighths, [-0.5, 0.0, 0.5, 1.0]]))),)


def _targets(loss, y):
    labels = loss.labels
    for given in TARGETS if y is None else [y]:
        out = np.unique(validation.numeric("y", given, 1))[:12]
        try:
            return out if labels is None else np.unique(labels(out))
        except ValueError as error:
            refused = error
    raise ValueError(
        f"labels(y) refuses real numbers, labels -1 and 1, and counts ({refused}); pass targets that the loss takes as y=."
    )


def at_its_targets(loss, report, tried):
    """The report on a loss that fails at the usual targets: where it is for others, this is what is said, and what fails at those.

    tried : gives the report at targets y
    """
    others = {} if loss.labels else {what: (y, tried(y)) for what, y in OTHERS.items()}
    for what, (y, other) in others.items():
        if other or (report.with_errors and not other.with_errors):
            usual, here = f"from {min(TARGETS[0]):g} to {max(TARGETS[0]):g}", "hold" if other else "are tried here"
            words = f"laws fail at targets {usual}, and {here} at targets {what}; pass those that the loss is for, y={y}."
            return other._replace(laws=[Law("targets are known", "failed", words), *other.failed])
    return report


def numbers_are_finite(at):
    """At predictions up to the largest that a line search can reach."""
    for y in at.targets:
        for f in (-CAP, *at.predictions, CAP):
            for kernel in ("value", "residual", "curvature"):
                if getattr(at.loss, kernel) is not None:
                    number = getattr(at.loss, kernel)(float(y), float(f))
                    if not math.isfinite(number):
                        return f"{kernel}(y={y:g}, f={f:g}) is {number}; rewrite it so that it does not overflow for |f| <= {CAP:g}."
    return None


def residual_is_minus_the_derivative(at):
    """By the mean value theorem a central difference of values lies between the residuals at its ends."""
    for y, f in at.points():
        left, right = at.loss.value(y, f - H), at.loss.value(y, f + H)
        ends = sorted([at.loss.residual(y, f - H), at.loss.residual(y, f + H)])
        slack = (rounding(at.loss, y, f - H) + rounding(at.loss, y, f + H)) / (2 * H)
        found = (left - right) / (2 * H)
        if not ends[0] - slack <= found <= ends[1] + slack:
            return (
                f"at y = {y:g}, f = {f:g} a difference of values gives {found:.6g}, residual gives {at.loss.residual(y, f):.6g}; "
                "residual(y, f) must be minus the derivative of value(y, f) in f."
            )
    return None


def value_is_convex(at):
    """On segments."""
    if not at.loss.convex:
        return SKIPPED
    for y in map(float, at.targets):
        for f, g in zip(at.predictions[:-1], at.predictions[::-1], strict=False):
            for share in (0.5, 0.125):
                middle = (1 - share) * f + share * g
                line = (1 - share) * at.loss.value(y, f) + share * at.loss.value(y, g)
                if at.loss.value(y, middle) > line + rounding(at.loss, y, f) + rounding(at.loss, y, g) + rounding(
                    at.loss, y, middle
                ):
                    return (
                        f"between f = {f:g} and {g:g} at y = {y:g} the value is {at.loss.value(y, middle):.6g} at f = {middle:g}, above "
                        f"the straight line, {line:.6g}; certificates and line searches need a loss that is convex in f."
                    )
    return None


def curvature_is_the_second_derivative(at):
    """A difference of residuals is the mean curvature between its ends; where it has a kink all values between are right."""
    if at.loss.curvature is None:
        return SKIPPED
    for y, f in at.points():
        near = [at.loss.curvature(y, f + h) for h in (-H, -H / 2, 0.0, H / 2, H)]
        found = (at.loss.residual(y, f - H) - at.loss.residual(y, f + H)) / (2 * H)
        slack = (max(near) - min(near)) + (rounding(at.loss, y, f - H) + rounding(at.loss, y, f + H)) / (2 * H)
        if not min(near) - slack <= found <= max(near) + slack or min(near) < 0:
            return (
                f"at y = {y:g}, f = {f:g} a difference of residuals gives {found:.6g}, curvature gives {near[2]:.6g}; curvature(y, f) "
                "must be minus the derivative of residual(y, f), never below 0. Leave it out where there is none."
            )
    return None


def kernels_are_functions(at):
    """Kernels are functions."""
    for y, f in at.points()[:50]:
        if at.loss.value(y, f) != at.loss.value(y, f) or at.loss.residual(y, f) != at.loss.residual(y, f):
            return f"at y = {y:g}, f = {f:g} two calls differ; a kernel must depend on its arguments alone."
    return None


def compiled_kernels_are_the_same(at):
    """The sums of a Problem, which compiles pieces."""
    if not is_piece(at.loss):
        return SKIPPED
    for f in at.predictions[::5]:
        pred = np.full(len(at.targets), f)
        args = (at.loss, at.targets, np.ones(len(pred)), 0.0, pred)
        plain, quick = np.empty(len(pred)), np.empty(len(pred))
        sums = sum_of_each(*args), compiled(sum_of_each, (at.loss,))(*args)
        residual_of_each(*args, plain)
        compiled(residual_of_each, (at.loss,))(*args, quick)
        slack = sum(rounding(at.loss, float(y), float(f)) for y in at.targets)
        if abs(sums[0] - sums[1]) > slack or np.abs(plain - quick).max() > slack:
            return f"at f = {f:g} the compiled sum is {sums[1]:.9g}, in plain Python {sums[0]:.9g}; take operations that do the same."
    return None


LAWS = (
    numbers_are_finite, residual_is_minus_the_derivative, value_is_convex, curvature_is_the_second_derivative, *declared.LAWS,
    kernels_are_functions, compiled_kernels_are_the_same,
)  # fmt: skip
