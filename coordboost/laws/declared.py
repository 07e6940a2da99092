"""Laws of what losses declare of themselves: constants, an infimum, a line search."""

import math

import numpy as np

from coordboost._numba.linesearch import CAP, safeguarded_newton, slope
from coordboost.data import validation
from coordboost.laws.report import SKIPPED
from coordboost.laws.rounding import rounding, ulps
from coordboost.pieces.base import link_of, on_scale_of_y


def _changes(at):
    """Changes of the residual over those of the prediction, near and far, with what rounding may add."""
    for y, f in at.points():
        for g in (f + 2.0**-10, f + 0.5, f + 3.0):
            allowed = (rounding(at.loss, y, f) + rounding(at.loss, y, g)) / (g - f)
            yield y, f, (at.loss.residual(y, f) - at.loss.residual(y, g)) / (g - f), allowed


def sigma_is_a_smoothness_constant(at):
    """The residual changes by at most sigma times what the prediction changes by."""
    sigma = at.loss.sigma
    if sigma is None:
        return SKIPPED
    for y, f, ratio, allowed in _changes(at):
        if ratio > sigma + allowed + ulps(sigma):
            return (
                f"at y = {y:g}, f = {f:g} the residual changes {ratio:.6g} times as much as f, sigma is {sigma:g}; make sigma larger, "
                "or None."
            )
    return None


def mu_is_a_constant_of_strong_convexity(at):
    """The residual falls by at least mu times what the prediction grows by."""
    mu = at.loss.mu
    if mu is None:
        return SKIPPED
    for y, f, ratio, allowed in _changes(at):
        if ratio < mu - allowed - ulps(mu):
            return (
                f"at y = {y:g}, f = {f:g} the residual falls only {ratio:.6g} times as fast as f grows, mu is {mu:g}; make mu smaller, "
                "or None."
            )
    return None


def infimum_is_a_lower_bound(at):
    """At the predictions, far away, and at the minimiser."""
    if at.loss.infimum == -math.inf:
        return SKIPPED
    least = validation.infimum(at.loss, at.targets)
    one = np.ones(1)
    for y, bound in zip(map(float, at.targets), least, strict=True):
        best = safeguarded_newton(at.loss, np.array([y]), one, 0 * one, one)
        for f in (best, -CAP, CAP, *at.predictions):
            if at.loss.value(y, float(f)) < bound - rounding(at.loss, y, float(f)):
                return (
                    f"value(y={y:g}, f={f:g}) is {at.loss.value(y, float(f)):.6g}, below the infimum {bound:.6g}; every certificate would "
                    "claim too much: correct `infimum`, or leave it out."
                )
    return None


def location_is_true(at):
    """value(y + t, f + t) = value(y, f)."""
    if not at.loss.location:
        return SKIPPED
    for y, f in at.points():
        for t in (-2.5, 1.0):
            here, there = at.loss.value(y, f), at.loss.value(y + t, f + t)
            if abs(here - there) > rounding(at.loss, y, f) + rounding(at.loss, y + t, f + t):
                return f"value({y:g}, {f:g}) is {here:.6g} and value({y + t:g}, {f + t:g}) is {there:.6g}; leave `location` out, or False."
    return None


def quadratic_is_true(at):
    """value(y, f) = (y - f)^2 / 2."""
    if not at.loss.quadratic:
        return SKIPPED
    for y, f in at.points():
        if abs(at.loss.value(y, f) - (y - f) ** 2 / 2) > rounding(at.loss, y, f):
            return f"value({y:g}, {f:g}) is {at.loss.value(y, f):.6g}, not (y - f)^2 / 2; leave `quadratic` out, or False."
    return None


def level_radius_is_a_bound(at):
    """Of y - f, for one sample and for some together."""
    radius, rng = at.loss.level_radius, np.random.default_rng(2)
    if radius is None:
        return SKIPPED
    for n in (1, 1, 1, 1, 2, 3, 8) * 4:
        y, f = rng.choice(at.targets, n), rng.choice(at.predictions, n)
        total, length = sum(map(at.loss.value, y.tolist(), f.tolist())), float(np.linalg.norm(y - f))
        if not length <= radius(total) + 1e-12 * (1 + length):
            return (
                f"y = {y.tolist()}, f = {f.tolist()} have losses of {total:.6g} together, and y - f has norm {length:.6g}; level_radius "
                f"says {radius(total):.6g}. Make it larger, or leave it out."
            )
    return None


def line_search_finds_the_minimum(at):
    """The derivative there is 0, or changes its sign, up to a part of 1e-9 of that at the start; or the other search is no better."""
    if at.loss.line_search is None:
        return SKIPPED
    rng = np.random.default_rng(1)
    for _ in range(20):
        y, f, d = rng.choice(at.targets, 6), rng.integers(-16, 17, 6) / 8, rng.integers(-16, 17, 6) / 8
        weight = rng.integers(0, 4, 6).astype(float)
        t, known = (
            search(y, weight, f, d) for search in (at.loss.line_search, lambda *args: safeguarded_newton(at.loss, *args))
        )
        start = sum(weight[i] * abs(at.loss.residual(y[i], f[i]) * d[i]) for i in range(6))
        ends = [abs(slope(at.loss, y, weight, f, d, step)[0]) for step in (t, known)]
        left, right = (slope(at.loss, y, weight, f, d, t + h)[0] for h in (-1e-9 * (1 + abs(t)), 1e-9 * (1 + abs(t))))
        allowed = 1e-9 * (start + 1)
        if not (ends[0] <= ends[1] + allowed or (left <= allowed and right >= -allowed)):
            return (
                f"from f = {f.tolist()} along {d.tolist()} it gives {t:.6g}, where the derivative is {ends[0]:.3g}; the minimum is at "
                f"{known:.6g}."
            )
    return None


def inverse_link_leaves_no_residual(at):
    """residual(inverse_link(f), f) = 0: a row whose target is what is predicted asks for no step. Labels are no predictions."""
    if at.loss.two_class or not link_of(at.loss):
        return SKIPPED
    for f in map(float, at.predictions):
        y = float(on_scale_of_y(at.loss, np.array([f]))[0])
        near = [at.loss.residual(y, f + t) for t in (-1e-6, 1e-6)] if math.isfinite(y) else [y, y]
        if not min(near) - rounding(at.loss, y, f) <= 0 <= max(near) + rounding(at.loss, y, f):
            return (
                f"at f = {f:g} it says y = {y:.6g}, where the residual is {max(near, key=abs):.6g}; inverse_link(f) must be the target at "
                "which residual(y, f) is 0, or changes its sign."
            )
    return None


def constant_is_the_best(at):
    """No other constant a thousandth away, or further, has a smaller loss."""
    if at.loss.constant is None:
        return SKIPPED
    for weight in (np.ones(len(at.targets)), 1.0 + np.arange(len(at.targets)) % 3):
        c, pairs = at.loss.constant(at.targets, weight), list(zip(map(float, at.targets), weight, strict=True))
        values = {t: sum(w * at.loss.value(y, c + t) for y, w in pairs) for t in (0.0, -1e-3, 1e-3, -1.0, 1.0)}
        best = min(values, key=values.get)
        if values[best] < values[0.0] - sum(w * rounding(at.loss, y, c) for y, w in pairs):
            return (
                f"for y = {at.targets.tolist()} with weights {weight.tolist()} it gives {c:.6g}, and {c + best:.6g} has a smaller loss; "
                "constant(y, weight) must minimise the weighted sum."
            )
    return None


LAWS = (
    sigma_is_a_smoothness_constant, mu_is_a_constant_of_strong_convexity, infimum_is_a_lower_bound, location_is_true,
    quadratic_is_true, level_radius_is_a_bound, line_search_finds_the_minimum, constant_is_the_best,
    inverse_link_leaves_no_residual,
)  # fmt: skip
