r"""Bounds of FS_eps and FS_{eps_k}: Theorem 3.1, (37), Proposition 3.1 of Freund, Grigas, Mazumder.

In sums over samples.

:math:`D_k = A^2 / (\varepsilon (k + 1)) + \varepsilon`. All parts hold at the same step
:math:`i(k) \le k`: the step with the smallest value of max abs(B'r) so far. The functions run on
Fractions too where the formula is rational.
"""

from functools import partial

import numpy as np

from coordboost.theory.bounds.check import Sides, Statement
from coordboost.theory.bounds.trail import covered


def width(constants, eps, k):
    """D_k = A^2 / (eps (k + 1)) + eps."""
    return constants.size**2 / (eps * (k + 1)) + eps


def _half(variant):
    return 1 if variant == "printed" else 2


def excess(constants, eps, k, variant="printed"):
    """Theorem 3.1 (i): L(beta_i) - L* <= p / (2 lambda_pmin) D_k^2.

    Sharpened: p / (8 lambda_pmin).
    """
    return constants.kappa / 2 * (width(constants, eps, k) / _half(variant)) ** 2


def distance(constants, eps, k, variant="printed"):
    """Theorem 3.1 (ii): dist(beta_i, LS) <= sqrt(p) / lambda_pmin D_k; sharpened: half of it."""
    return (
        np.sqrt(constants.n_learners)
        / constants.lambda_pmin
        * width(constants, eps, k)
        / _half(variant)
    )


def fit(constants, eps, k, variant="printed"):
    """Theorem 3.1 (iii): ||B (beta_i - beta_LS)|| <= sqrt(p / lambda_pmin) D_k.

    Sharpened: half of it.
    """
    return np.sqrt(constants.kappa) * width(constants, eps, k) / _half(variant)


def correlation(constants, eps, k):
    """Theorem 3.1 (iv): the largest abs correlation at i is at most D_k / 2."""
    return width(constants, eps, k) / 2


def subgradient(distance2, steps, length=1):
    """(37): min over i <= k of f - f* <= (||x_0 - x*||^2 + G^2 sum a_i^2) / (2 sum a_i), for k = 0,
    ..., len(steps) - 1.
    """
    return (distance2 + length**2 * np.cumsum(steps * steps)) / (2 * np.cumsum(steps))


def _constant(run):
    eps, delta = run.method.step.stagewise or (None, None)
    return covered(run) and np.ndim(delta) == 0 and delta == np.inf and np.ndim(eps) == 0


def _varying(run):
    eps, _ = run.method.step.stagewise or (None, None)
    return covered(run) and (np.ndim(eps) == 1 or run.method.step.ls_boost_rate is not None)


def _at_best(what, formula, scale, trail, variant):
    """The sides for `what` at i(k).

    The rounding of the smallest correlation is multiplied by the constants of the claim.
    """
    c = trail.constants
    measured = getattr(trail, what)
    return Sides(
        measured[trail.best],
        formula(c, trail.step.eps, trail.k, variant),
        4 * trail.noise * scale(c),
        measured[0],
    )


def _excess(trail, variant):
    c = trail.constants
    eps = trail.step.eps
    slack = 4 * trail.noise * np.sqrt(c.kappa) * (fit(c, eps, trail.k, variant) + trail.noise)
    return Sides(trail.excess[trail.best], excess(c, eps, trail.k, variant), slack, trail.excess[0])


def _smallest(trail):
    return Sides(
        trail.corr[trail.best],
        correlation(trail.constants, trail.step.eps, trail.k),
        4 * trail.noise,
        trail.corr[0],
    )


def _change(trail):
    """Compare only where a step was made: if all correlations are 0 the model does not change, and
    the identity does not hold.
    """
    eps = trail.step.eps
    moved = trail.theta != 0
    bound = trail.excess[:-1] + eps / 2 * (eps - 2 * trail.corr[:-1])
    slack = 4 * trail.noise[1:] * (trail.fit[:-1] + eps + trail.noise[1:])
    return Sides(trail.excess[1:][moved], bound[moved], slack[moved], at=trail.k[1:][moved])


def _general(trail):
    """(37) with the lengths of the steps of the run, k = 0, ..., n_steps - 1."""
    steps = np.abs(trail.theta)
    used = np.cumsum(steps) > 0
    bound = subgradient(trail.constants.size**2, steps[used])
    smallest = np.minimum.accumulate(trail.corr)[:-1]
    return Sides(
        smallest[used], bound, 4 * trail.noise[:-1][used], trail.corr[0], at=trail.k[:-1][used]
    )


def _both(name, claim, sides):
    return tuple(
        Statement(name, v, "upper", claim, _constant, partial(sides, variant=v))
        for v in ("printed", "sharpened")
    )


STATEMENTS = (
    *_both(
        "Theorem 3.1 (i)",
        "L(beta_i) - L* <= p/(2 lambda_pmin) D_k^2, sharpened p/(8 lambda_pmin)",
        _excess,
    ),
    *_both(
        "Theorem 3.1 (ii)",
        "dist(beta_i, LS) <= sqrt(p)/lambda_pmin D_k, sharpened half",
        partial(_at_best, "distance", distance, lambda c: np.sqrt(c.n_learners) / c.lambda_pmin),
    ),
    *_both(
        "Theorem 3.1 (iii)",
        "||B (beta_i - beta_LS)|| <= sqrt(p/lambda_pmin) D_k, sharpened half",
        partial(_at_best, "fit", fit, lambda c: np.sqrt(c.kappa)),
    ),
    Statement(
        "Theorem 3.1 (iv)", "printed", "upper", "max |B'r_i| <= D_k / 2", _constant, _smallest
    ),
    Statement(
        "Theorem 3.1 (v)",
        "printed",
        "upper",
        "||beta_k||_1 <= k eps",
        _constant,
        lambda t: Sides(t.l1, t.k * t.step.eps, t.noise),
    ),
    Statement(
        "Theorem 3.1 (vi)",
        "printed",
        "upper",
        "||beta_k||_0 <= k",
        _constant,
        lambda t: Sides(t.l0, t.k),
    ),
    Statement(
        "Change of the training error",
        "sharpened",
        "tight",
        "L(beta_{k+1}) - L(beta_k) = eps/2 (eps - 2 max |B'r_k|)",
        _constant,
        _change,
        "ours",
    ),
    Statement(
        "Proposition 3.1 (37)",
        "printed",
        "upper",
        "min_{i<=k} max |B'r_i| <= (A^2 + sum eps_i^2) / (2 sum eps_i)",
        lambda run: _constant(run) or _varying(run),
        _general,
    ),
)
