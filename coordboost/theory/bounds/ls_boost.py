r"""Bounds of LS-Boost(eps): Theorem 2.1, (13), (15), (23), (25)-(31), Propositions A.1 and A.2 of
Freund, Grigas, Mazumder.

All in sums over samples: the paper's :math:`L_n` is L / n, so its n cancels.
:math:`\gamma = 1 - x`, with :math:`x = \varepsilon(2 - \varepsilon)\lambda_{pmin} / (4p)` as
printed; *sharpened* without the 4 (``docs/bounds.md`` has the proof).
"""

from functools import partial

import numpy as np

from coordboost.theory.bounds.check import Sides, Statement
from coordboost.theory.bounds.trail import covered


def decrease(constants, eps, variant="printed"):
    """X = 1 - gamma of (8)."""
    return (
        eps
        * (2 - eps)
        * constants.lambda_pmin
        / ((4 if variant == "printed" else 1) * constants.n_learners)
    )


def power(x, exponent):
    """(1 - x)^exponent, exponent >= 0, x in [0, 1], accurate for small x."""
    exponent = np.asarray(exponent, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(exponent == 0, 1.0, np.exp(exponent * np.log1p(-min(x, 1.0))))


def one_minus_power(x, exponent):
    """1 - (1 - x)^exponent."""
    exponent = np.asarray(exponent, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(exponent == 0, 0.0, -np.expm1(exponent * np.log1p(-min(x, 1.0))))


def excess(constants, eps, k, variant="printed"):
    """Theorem 2.1 (i): L(beta_k) - L* <= A^2 gamma^k / 2."""
    return constants.size**2 / 2 * power(decrease(constants, eps, variant), k)


def fit(constants, eps, k, variant="printed"):
    """Theorem 2.1 (iii): ||B (beta_k - beta_LS)|| <= A gamma^(k/2).

    By (iv) the largest abs correlation too.
    """
    return constants.size * power(decrease(constants, eps, variant), np.asarray(k) / 2)


def distance(constants, eps, k, variant="printed"):
    """Theorem 2.1 (ii): the distance to the least-squares solutions is at most A gamma^(k/2) /
    sqrt(lambda_pmin).
    """
    return fit(constants, eps, k, variant) / np.sqrt(constants.lambda_pmin)


def l1_by_steps(constants, eps, k, fit=0.0):
    """Theorem 2.1 (v), first term: sqrt(k eps / (2 - eps)) sqrt(A^2 - ||B (beta_LS - beta_k)||^2).

    `fit` is 0 before the run.
    """
    return np.sqrt(np.asarray(k) * eps / (2 - eps)) * np.sqrt(
        np.maximum(constants.size**2 - fit**2, 0.0)
    )


def l1_by_rate(constants, eps, k, variant="printed"):
    """Theorem 2.1 (v), second term: eps A (1 - gamma^(k/2)) / (1 - sqrt(gamma))."""
    x = decrease(constants, eps, variant)
    return eps * constants.size * one_minus_power(x, np.asarray(k) / 2) / one_minus_power(x, 0.5)


def l1(constants, eps, k, variant="printed"):
    """The l1 norm ell_k of the bound profile (15): the smaller of the two terms of Theorem 2.1 (v),
    known before the run.
    """
    return np.minimum(l1_by_steps(constants, eps, k), l1_by_rate(constants, eps, k, variant))


def l1_simple(constants, eps, k, variant="printed"):
    """(23), eps <= 1: A min{sqrt(k eps), eps / (1 - sqrt(gamma))}."""
    x = decrease(constants, eps, variant)
    return constants.size * np.minimum(np.sqrt(np.asarray(k) * eps), eps / one_minus_power(x, 0.5))


def tail(constants, eps, k, end=np.inf, variant="printed"):
    """Ours: ||beta_k - beta_end||_1 <= eps A (gamma^(k/2) - gamma^(end/2)) / (1 - sqrt(gamma)).

    The iterates converge.
    """
    x = decrease(constants, eps, variant)
    late = 0.0 if np.isinf(end) else power(x, end / 2)
    return eps * constants.size * (power(x, np.asarray(k) / 2) - late) / one_minus_power(x, 0.5)


def smallest_correlation(constants, eps, k, next_fit=0.0, variant="printed"):
    """(31): min over i <= k of the largest abs correlation.

    `next_fit` = ||B (beta_LS - beta_{k+1})||, or 0 before the run.
    """
    k = np.asarray(k)
    by_steps = np.sqrt(np.maximum(constants.size**2 - next_fit**2, 0.0)) / np.sqrt(
        eps * (2 - eps) * (k + 1)
    )
    return np.minimum(by_steps, fit(constants, eps, k, variant))


def rate(run):
    """Return eps if the run is one of LS-Boost(eps), else None."""
    return run.method.step.ls_boost_rate if covered(run) else None


def _any(run):
    return rate(run) is not None


def _up_to_one(run):
    return _any(run) and rate(run) <= 1


def _eps(trail):
    return trail.step.ls_boost_rate


def _slack(trail, variant):
    """Each step adds an error of norm <= eps noise, and later steps contract it: the sum is at most
    min(k, 1 / (1 - sqrt(gamma))) of it.
    """
    eps = _eps(trail)
    many = np.minimum(trail.k, 1 / one_minus_power(decrease(trail.constants, eps, variant), 0.5))
    return trail.noise * (1 + eps * many)


def _loss(trail, variant):
    slack = _slack(trail, variant)
    root = fit(trail.constants, _eps(trail), trail.k, variant)
    bound = excess(trail.constants, _eps(trail), trail.k, variant)
    return Sides(trail.excess, bound, slack * (root + slack), trail.constants.size**2 / 2)


def _norm(what, formula, trail, variant):
    bound = formula(trail.constants, _eps(trail), trail.k, variant)
    scale = formula(trail.constants._replace(size=1.0), _eps(trail), 0, variant)
    return Sides(getattr(trail, what), bound, scale * _slack(trail, variant), bound[0])


def _lost(trail, late=slice(None)):
    """The rounding error of sqrt(A^2 - fit^2): it suffers from cancellation in the first steps."""
    square = np.maximum(trail.constants.size**2 - trail.fit[late] ** 2, 0)
    return np.sqrt(square + 8 * trail.noise[late] * trail.constants.size) - np.sqrt(square)


def _l1(formula, trail, variant):
    """The sides for a bound of the l1 norm; each step adds a rounding error of eps noise."""
    eps = _eps(trail)
    return Sides(
        trail.l1, formula(trail.constants, eps, trail.k, variant), trail.noise * (1 + eps * trail.k)
    )


def _l1_by_steps(trail):
    eps = _eps(trail)
    bound = l1_by_steps(trail.constants, eps, trail.k, trail.fit)
    return Sides(
        trail.l1,
        bound,
        trail.noise * (1 + eps * trail.k) + np.sqrt(trail.k * eps / (2 - eps)) * _lost(trail),
    )


def _tail(trail):
    bound = tail(trail.constants, _eps(trail), trail.k, trail.k[-1], "sharpened")
    return Sides(
        trail.to_end,
        bound,
        trail.noise[-1] + np.cumsum(_eps(trail) * _slack(trail, "sharpened")[::-1])[::-1],
    )


def _contraction(trail, variant):
    gamma = 1 - decrease(trail.constants, _eps(trail), variant)
    before = trail.excess[:-1]
    slack = 4 * trail.noise[1:] * (trail.fit[:-1] + trail.noise[1:])
    return Sides(trail.excess[1:], gamma * before, slack, at=trail.k[1:])


def _descent(trail):
    eps = _eps(trail)
    bound = trail.excess[:-1] - eps * (2 - eps) / 2 * trail.corr[:-1] ** 2
    return Sides(
        trail.excess[1:],
        bound,
        4 * trail.noise[1:] * (trail.fit[:-1] + trail.noise[1:]),
        at=trail.k[1:],
    )


def _spent(trail):
    eps = _eps(trail)
    spent = np.r_[0.0, np.cumsum(eps * (2 - eps) * trail.corr[:-1] ** 2)]
    sums = np.cumsum(trail.noise * (np.maximum(trail.corr, trail.fit) + trail.noise))
    slack = 4 * sums + 4 * trail.noise * trail.constants.size
    return Sides(spent, trail.constants.size**2 - trail.fit**2, slack)


def _step_length(trail):
    length = np.abs(trail.theta)
    return Sides(
        length, _eps(trail) * trail.corr[:-1], 2 * _eps(trail) * trail.noise[1:], at=trail.k[:-1]
    )


def _smallest(trail, variant):
    eps = _eps(trail)
    k = trail.k[:-1]
    bound = smallest_correlation(trail.constants, eps, k, trail.fit[1:], variant)
    rounding = (
        _lost(trail, slice(1, None)) / np.sqrt(eps * (2 - eps) * (k + 1))
        + _slack(trail, variant)[1:]
    )
    return Sides(np.minimum.accumulate(trail.corr)[:-1], bound, rounding, trail.corr[0], at=k)


def _l2(trail):
    eps = _eps(trail)
    share = np.sqrt(trail.repeats * eps / (2 - eps))
    bound = share * np.sqrt(np.maximum(trail.constants.size**2 - trail.fit**2, 0))
    return Sides(trail.l2, bound, trail.noise * (1 + eps * trail.k) + share * _lost(trail))


def _both(name, claim, sides, applies=_any):
    """The printed and the sharpened variant of one claim; the printed one is for eps <= 1 only."""
    printed, sharpened = (partial(sides, variant=variant) for variant in ("printed", "sharpened"))
    sharper = f"{claim}, gamma without the factor 4"
    return (
        Statement(
            name, "printed", "upper", claim, lambda run: applies(run) and _up_to_one(run), printed
        ),
        Statement(
            name,
            "sharpened",
            "upper",
            sharper,
            applies,
            sharpened,
            "ours; Freund, Grigas, Mazumder",
        ),
    )


STATEMENTS = (
    *_both("Theorem 2.1 (i)", "L(beta_k) - L* <= A^2 gamma^k / 2", _loss),
    *_both(
        "Theorem 2.1 (ii)",
        "dist(beta_k, LS) <= A gamma^(k/2) / sqrt(lambda_pmin)",
        partial(_norm, "distance", distance),
    ),
    *_both(
        "Theorem 2.1 (iii)", "||B (beta_k - beta_LS)|| <= A gamma^(k/2)", partial(_norm, "fit", fit)
    ),
    *_both("Theorem 2.1 (iv)", "max |B'r_k| <= A gamma^(k/2)", partial(_norm, "corr", fit)),
    Statement(
        "Theorem 2.1 (v), first term",
        "printed",
        "upper",
        "||beta_k||_1 <= sqrt(k eps/(2-eps) (A^2 - ||B (beta_LS - beta_k)||^2))",
        _any,
        _l1_by_steps,
    ),
    *_both(
        "Theorem 2.1 (v), second term",
        "||beta_k||_1 <= eps A (1 - gamma^(k/2)) / (1 - sqrt(gamma))",
        partial(_l1, l1_by_rate),
    ),
    Statement(
        "Theorem 2.1 (vi)",
        "printed",
        "upper",
        "||beta_k||_0 <= k",
        _any,
        lambda t: Sides(t.l0, t.k),
    ),
    *_both("(13)", "L(beta_{k+1}) - L* <= gamma (L(beta_k) - L*)", _contraction),
    *_both(
        "(23)",
        "||beta_k||_1 <= A min{sqrt(k eps), eps / (1 - sqrt(gamma))}",
        partial(_l1, l1_simple),
        _up_to_one,
    ),
    Statement(
        "(1), (10) step length",
        "printed",
        "tight",
        "||r_{k+1} - r_k|| = eps max |B'r_k|",
        _any,
        _step_length,
    ),
    Statement(
        "(25) descent",
        "printed",
        "tight",
        "L(beta_{k+1}) = L(beta_k) - eps (2-eps)/2 max |B'r_k|^2",
        _any,
        _descent,
    ),
    Statement(
        "(28)",
        "printed",
        "upper",
        "max |B'r_k| <= sqrt(2 (L(beta_k) - L*))",
        _any,
        lambda t: Sides(t.corr, t.fit, 4 * t.noise),
    ),
    Statement(
        "(30) energy",
        "printed",
        "tight",
        "eps (2-eps) sum_{i<k} max |B'r_i|^2 = A^2 - ||B (beta_k - beta_LS)||^2",
        _any,
        _spent,
    ),
    *_both(
        "Proposition A.2 (31)",
        "min_{i<=k} max |B'r_i| <= min{sqrt(A^2 - fit_{k+1}^2) / sqrt(eps (2-eps)(k+1)), A "
        "gamma^(k/2)}",
        _smallest,
    ),
    Statement(
        "Proposition A.2 (32)",
        "printed",
        "upper",
        "||beta_k||_2 <= sqrt(J_max eps/(2-eps) (A^2 - fit_k^2))",
        _any,
        _l2,
    ),
    Statement(
        "Convergence of the iterates",
        "sharpened",
        "upper",
        "||beta_k - beta_N||_1 <= eps A (gamma^(k/2) - gamma^(N/2)) / (1 - sqrt(gamma))",
        _any,
        _tail,
        "ours, from (28)",
    ),
)
