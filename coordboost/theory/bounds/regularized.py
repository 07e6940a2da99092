r"""Bounds of R-FS and PATH-R-FS: Theorems 4.1 and 5.1, (50)-(53), (56), (57) of Freund, Grigas,
Mazumder; in sums over samples.

:math:`\omega_\delta(\beta) = \|B'r\|_\infty - \langle r, B\beta\rangle /
\delta` bounds the gap: :math:`L(\beta) - L^*_\delta \le \delta\,
\omega_\delta(\beta)`. *Sharpened* (ours): the subgradients are no longer than :math:`1 +
\|\beta_i\|_1/\delta \le 2 - (1 - \varepsilon/\delta)^i`, where the paper takes 2.
"""

from functools import partial

import numpy as np

from coordboost.theory.bounds.check import Sides, Statement
from coordboost.theory.bounds.ls_boost import one_minus_power
from coordboost.theory.bounds.trail import covered, running_argmin

#: Number of models along a run that give lower ends of the optimum, where the radius varies.
WITNESSES = 400


def l1(eps, delta, k):
    """Theorem 4.1 (iii), (50): ||beta_k||_1 <= delta (1 - (1 - eps/delta)^k)."""
    return delta * one_minus_power(eps / delta, k)


def average_omega(constants, eps, k):
    """(53), (57): the mean of omega over 0, ..., k is at most A^2 / (2 eps (k + 1)) + 2 eps."""
    return constants.size**2 / (2 * eps * (k + 1)) + 2 * eps


def average_omega_sharpened(constants, eps, delta, k):
    """(53) with the lengths of the subgradients bounded by 2 - (1 - eps/delta)^i, where `k` is the
    array 0, 1, ...
    """
    length = 1 + one_minus_power(eps / delta, k)
    return (constants.size**2 + eps**2 * np.cumsum(length**2)) / (2 * eps * (np.asarray(k) + 1))


def excess(constants, eps, delta, k):
    """Theorem 4.1 (i): L(beta_i) - L*_delta <= delta (A^2 / (2 eps (k + 1)) + 2 eps)."""
    return delta * average_omega(constants, eps, k)


def fit(constants, eps, delta, k):
    """Theorem 4.1 (ii): ||B (beta_i - beta*_delta)|| <= sqrt(delta A^2 / (eps (k + 1)) + 4 delta
    eps).
    """
    return np.sqrt(2 * excess(constants, eps, delta, k))


def smallest_omega(constants, steps):
    """R-FS with steps eps_0, eps_1, ...

    <= delta (ours): min over i <= k of omega <= (A^2 + 4 sum eps_i^2) / (2 sum eps_i).
    """
    return (constants.size**2 + 4 * np.cumsum(steps * steps)) / (2 * np.cumsum(steps))


def lower_end(trail, radius):
    """Return the largest certified lower end of the optimum over the ball, for each radius, from
    models along the run.

    By convexity L*_delta >= L(beta) + <r, B beta> - delta max |B'r| for every model.
    """
    if (radius == radius[0]).all():
        return np.full(len(radius), np.max(trail.loss + trail.inner - radius[0] * trail.corr))
    out = np.full(len(radius), -np.inf)
    for i in np.unique(np.linspace(0, len(trail.k) - 1, WITNESSES).astype(int)):
        np.maximum(out, trail.loss[i] + trail.inner[i] - radius * trail.corr[i], out=out)
    return out


def _radii(run):
    """The radius, or one for each step, inf without regularisation.

    None where the run is not stagewise, or not covered.
    """
    _, delta = run.method.step.stagewise or (None, None)
    return delta if covered(run) else None


def _regularized(run):
    return np.ndim(_radii(run)) == 0 and _radii(run) is not None and _radii(run) < np.inf


def _path(run):
    return np.ndim(_radii(run)) == 1


def _means(values):
    return np.cumsum(values) / np.arange(1, len(values) + 1)


def _cut(trail):
    """The steps that have a radius: a path of n_steps radii has no radius for the model after the
    last step.
    """
    return slice(0, trail.step.horizon)


def _slack(trail):
    return 8 * trail.noise * (1 + np.maximum(1.0, trail.l1 / trail.radius))


def _average(trail):
    cut = _cut(trail)
    k = trail.k[cut]
    bound = average_omega(trail.constants, trail.step.eps, k)
    return Sides(
        _means(trail.omega[cut]),
        bound,
        np.maximum.accumulate(_slack(trail))[cut],
        trail.omega[0],
        at=k,
    )


def _average_sharpened(trail):
    bound = average_omega_sharpened(trail.constants, trail.step.eps, trail.step.delta, trail.k)
    return Sides(_means(trail.omega), bound, np.maximum.accumulate(_slack(trail)), trail.omega[0])


def _smallest(trail):
    bound = average_omega(trail.constants, trail.step.eps, trail.k)
    return Sides(
        np.minimum.accumulate(trail.omega),
        bound,
        np.maximum.accumulate(_slack(trail)),
        trail.omega[0],
    )


def _subgradients(trail):
    """(52): <g_i, r_i - r_LS> = omega_i, with the subgradient g_i that the run used."""
    taken = np.sign(trail.theta) * trail.chosen - trail.inner[:-1] / trail.radius[:-1]
    return Sides(taken, trail.omega[:-1], _slack(trail)[:-1], at=trail.k[:-1])


def _gap(trail):
    """L at i(k), the first i <= k with the smallest omega, minus the lower end of the optimum."""
    i = running_argmin(trail.omega)
    delta = trail.step.delta
    measured = (trail.loss - lower_end(trail, trail.radius))[i]
    slack = delta * np.maximum.accumulate(_slack(trail)) + trail.noise * trail.constants.size
    return Sides(
        measured, excess(trail.constants, trail.step.eps, delta, trail.k), slack, measured[0]
    )


def _fit(trail):
    """Measure sqrt(2 (L(beta_i) - L*_delta)), which is at least ||B (beta_i - beta*)||."""
    gap = _gap(trail)
    bound = fit(trail.constants, trail.step.eps, trail.step.delta, trail.k)
    return Sides(
        np.sqrt(2 * np.maximum(gap.measured, 0)),
        bound,
        gap.slack / bound,
        np.sqrt(2 * max(gap.measured[0], 0)),
    )


def _path_mean(trail, divided):
    """Theorem 5.1 (i); if `divided`, (56), where each gap is divided by its radius."""
    cut = _cut(trail)
    c = trail.constants
    radius = trail.radius[cut]
    k = trail.k[cut]
    size, unit = (1.0, radius) if divided else (trail.step.deltas[-1], 1.0)
    least = lower_end(trail, radius)
    rounding = np.maximum.accumulate(_slack(trail))[cut] + trail.noise[cut] * c.size / radius[0]
    before = np.max((c.optimum + c.size**2 / 2 - least) / unit)
    measured = _means((trail.loss[cut] - least) / unit)
    return Sides(
        measured, size * average_omega(c, trail.step.eps, k), size * rounding, before, at=k
    )


def _in_ball(trail, bound):
    cut = _cut(trail)
    return Sides(trail.l1[cut], bound[cut], trail.noise[cut], at=trail.k[cut])


def _earlier_ball(trail):
    return _in_ball(
        trail, np.minimum(np.r_[0.0, trail.step.deltas][: len(trail.k)], trail.k * trail.step.eps)
    )


def _sparse(applies, name):
    return Statement(
        name, "printed", "upper", "||beta_k||_0 <= k", applies, lambda t: Sides(t.l0, t.k)
    )


STATEMENTS = (
    Statement(
        "(53) average",
        "printed",
        "upper",
        "mean_{i<=k} omega_i <= A^2/(2 eps (k+1)) + 2 eps",
        _regularized,
        _average,
    ),
    Statement(
        "(53) average",
        "sharpened",
        "upper",
        "mean_{i<=k} omega_i <= (A^2 + eps^2 sum (2 - (1-eps/delta)^i)^2) / (2 eps (k+1))",
        _regularized,
        _average_sharpened,
        "ours",
    ),
    Statement(
        "(53) smallest",
        "printed",
        "upper",
        "min_{i<=k} omega_i <= A^2/(2 eps (k+1)) + 2 eps",
        _regularized,
        _smallest,
    ),
    Statement(
        "(52) subgradients",
        "printed",
        "tight",
        "<g_i, r_i - r_LS> = omega_i",
        lambda run: _regularized(run) or _path(run),
        _subgradients,
    ),
    Statement(
        "Theorem 4.1 (i)",
        "printed",
        "upper",
        "L(beta_i) - L*_delta <= delta (A^2/(2 eps (k+1)) + 2 eps)",
        _regularized,
        _gap,
    ),
    Statement(
        "Theorem 4.1 (ii)",
        "printed",
        "upper",
        "||B (beta_i - beta*_delta)|| <= sqrt(delta A^2/(eps (k+1)) + 4 delta eps)",
        _regularized,
        _fit,
    ),
    Statement(
        "Theorem 4.1 (iii)",
        "printed",
        "upper",
        "||beta_k||_1 <= delta (1 - (1-eps/delta)^k)",
        _regularized,
        lambda t: Sides(t.l1, l1(t.step.eps, t.step.delta, t.k), t.noise),
    ),
    _sparse(_regularized, "Theorem 4.1 (iv)"),
    Statement(
        "(57)",
        "printed",
        "upper",
        "mean_{i<=k} omega_i <= A^2/(2 eps (k+1)) + 2 eps, omega_i at delta_i",
        _path,
        _average,
    ),
    Statement(
        "(56)",
        "printed",
        "upper",
        "mean_{i<=k} (L(beta_i) - L*_i) / delta_i <= A^2/(2 eps (k+1)) + 2 eps",
        _path,
        partial(_path_mean, divided=True),
    ),
    Statement(
        "Theorem 5.1 (i)",
        "printed",
        "upper",
        "mean_{i<=k} (L(beta_i) - L*_i) <= delta_K (A^2/(2 eps (k+1)) + 2 eps)",
        _path,
        partial(_path_mean, divided=False),
    ),
    Statement(
        "Theorem 5.1 (ii)",
        "printed",
        "upper",
        "||beta_i||_1 <= delta_i",
        _path,
        lambda t: _in_ball(t, t.radius),
    ),
    Statement(
        "Theorem 5.1 (ii)",
        "sharpened",
        "upper",
        "||beta_i||_1 <= min{delta_{i-1}, i eps}",
        _path,
        _earlier_ball,
        "ours",
    ),
    _sparse(_path, "Theorem 5.1 (iii)"),
)
