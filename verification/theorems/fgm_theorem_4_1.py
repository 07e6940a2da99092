r"""R-FS approaches the Lasso up to 2 delta eps (Theorem 4.1).

Problem: least squares over unit columns in the l1 ball of radius delta.

Method: R-FS_{eps,delta}.

Assumptions: unit columns; 0 < eps <= delta < inf.

Claim: upper, Theorem 4.1 (i)-(iv) and (53), at the first i <= k with the smallest omega; tight, (52). Sharpened: (53) with the lengths of
the subgradients bounded by 2 - (1 - eps/delta)^i in place of 2.

Constants: A from the thin SVD, rounded against the claim; the optimum is replaced by its certified lower end, the largest over the run.

Measured: omega at every step; loss over the certified lower end; in rationals, with the exact optimum, in the exact cases.

Reference: Freund, Grigas, Mazumder, Theorem 4.1, (50)-(54); the sharper constant is ours.
"""

from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.bounds import BoundCheck, regularized
from verification.cases import Lab, along, claim, identity, lab, other_constants, tampered
from verification.exact import COLUMNS, GOLDEN, lasso, lasso_loss, walk


def _means(values):
    return np.cumsum(values) / np.array([Fraction(k + 1) for k in range(len(values))], dtype=object)


def _omega_bound(case):
    return case.size2 / (2 * case.eps * (case.k + 1)) + 2 * case.eps


def _keep(case):
    return (1 - case.eps / case.delta[0]) ** case.k.astype(int)


def _sharp(case):
    return (case.size2 + case.eps**2 * np.cumsum((2 - _keep(case)) ** 2)) / (2 * case.eps * (case.k + 1))


def _taken(case):
    """<g_i, r_i - r_LS> with the steps that were taken."""
    along_step = np.array([step / case.eps * corr[j] for step, corr, j in zip(case.step, case.corr, case.chosen, strict=False)])
    return along_step - (case.corr * case.beta).sum(axis=1)[:-1] / case.delta[:-1], case.omega[:-1]


def _best(case):
    best = [0]
    for k in range(1, len(case.omega)):
        best.append(k if case.omega[k] < case.omega[best[-1]] else best[-1])
    return np.array(best)


def _gap(case):
    """The gap to the exact optimum at i(k)."""
    if case.y is not GOLDEN:
        return None
    return case.excess[_best(case)] - lasso_loss(case.delta[:1])[0], case.delta * _omega_bound(case)


def _fit(case):
    """The squares of both sides of (ii)."""
    if case.y is not GOLDEN:
        return None
    best = GOLDEN - COLUMNS @ lasso(case.delta[0])
    return ((case.resid - best) ** 2).sum(axis=1)[_best(case)], 2 * case.delta * _omega_bound(case)


check_average = along(
    "(53) average",
    lambda c, v: (_means(c.omega), _omega_bound(c) if v == "printed" else _sharp(c)),
    printed="verified",
    sharpened="verified",
)
check_smallest = along("(53) smallest", lambda c, v: (np.minimum.accumulate(c.omega), _omega_bound(c)), printed="verified")
check_subgradients = along("(52) subgradients", lambda c, v: _taken(c), printed="verified")
check_loss = along("Theorem 4.1 (i)", lambda c, v: _gap(c), printed="verified")
check_fit = along("Theorem 4.1 (ii)", lambda c, v: _fit(c), printed="verified")
check_l1 = along("Theorem 4.1 (iii)", lambda c, v: (c.l1, c.delta * (1 - _keep(c))), printed="verified")
check_sparsity = along("Theorem 4.1 (iv)", lambda c, v: (c.l0, c.k), printed="verified")


@claim("R-FS with varying steps", sharpened="verified")
def check_varying(case, variant):
    """min_{i<=k} omega_i <= (A^2 + 4 sum eps_i^2) / (2 sum eps_i), steps eps_i <= delta; here Frank-Wolfe with its steps delta gamma_i."""
    if not isinstance(case, Lab) or not isinstance(case.run.method.step, cb.OpenLoop | cb.BallSearch):
        return None
    trail = case.trail
    steps = trail.step.radius * trail.shrink
    used = np.cumsum(steps) > 0
    bound = regularized.smallest_omega(trail.constants, steps)[used]
    omega = np.minimum.accumulate(trail.corr[:-1] - trail.inner[:-1] / trail.step.radius)[used]
    return BoundCheck(
        check_varying.statement, variant, "upper", omega, bound, 16 * trail.noise[:-1][used], at=trail.k[:-1][used]
    )


def _ball(eps, delta):
    return lambda size: cb.regularized_forward_stagewise(eps * size, delta * size)


CASES = {
    "golden, delta = 2, in rationals": lambda: walk("rfs", "1/4", 25, 2),
    "golden, delta = 1, in rationals": lambda: walk("rfs", "1/4", 25, 1, y=GOLDEN),
    "golden, delta = eps, in rationals": lambda: walk("rfs", 4, 25, 4),
    "identity": lab(identity(), _ball(0.01, 0.5), 2000),
    "60 x 20, delta = A": lab("60 x 20", _ball(0.01, 1.0), 5000),
    "30 x 80, delta = A / 2": lab("30 x 80", _ball(0.005, 0.5), 5000),
    "30 x 80, eps = delta": lab("30 x 80", _ball(0.1, 0.1), 500),
    "rank-deficient, delta = 3 A": lab("rank-deficient", _ball(0.01, 3.0), 20_000),
    "Frank-Wolfe": lab("60 x 20", lambda size: cb.frank_wolfe(size), 2000),
    "Frank-Wolfe, line search": lab("30 x 80", lambda size: cb.frank_wolfe(size, cb.BallSearch(size)), 2000),
    "diabetes, delta = A": lab("diabetes", _ball(0.001, 1.0), 50_000),
}
QUICK = (*tuple(CASES)[:7], "Frank-Wolfe")

_WEAKER = {"constants": other_constants(size=0.05), "step": lambda t: t.step._replace(eps=t.step.eps / 20)}
_WEAK = {"constants": other_constants(size=0.2), "step": lambda t: t.step._replace(eps=t.step.eps / 5)}


def _no_shrinkage(case):
    """The feasibility of a method that forgets to shrink: l1 norms of FS."""
    if not isinstance(case, Lab) or not isinstance(case.run.method.step, cb.Sign):
        return None
    free = Lab(cb.solve(case.problem, cb.forward_stagewise(case.trail.step.eps), case.run.n_steps)).trail
    return BoundCheck("no shrinkage", "printed", "upper", free.l1, np.full(len(free.l1), case.trail.step.delta), free.noise)


def _short(case):
    """(53) for subgradients of length 1."""
    if isinstance(case, Lab):
        return None
    bound = case.size2 / (2 * case.eps * (case.k + 1)) + case.eps / 2
    return BoundCheck("length 1", "printed", "upper", _means(case.omega), bound, level="exact")


def _short_steps(case):
    check = check_varying(case, "sharpened")
    return check and BoundCheck("a tenth", "sharpened", "upper", check.measured, check.bound / 10, check.slack, at=check.at)


SABOTAGE = {
    check_average: {"A and eps too small": tampered("(53) average", **_WEAK), "subgradients of length 1": _short},
    check_smallest: {"A and eps too small": tampered("(53) smallest", **_WEAK)},
    check_subgradients: {"the sign of the step forgotten": tampered("(52) subgradients", theta=lambda t: np.abs(t.theta))},
    check_loss: {"A and eps too small": tampered("Theorem 4.1 (i)", **_WEAKER)},
    check_fit: {"A and eps too small": tampered("Theorem 4.1 (ii)", **_WEAKER)},
    check_l1: {
        "one step ahead": tampered("Theorem 4.1 (iii)", l1=lambda t: np.r_[t.l1[1:], t.l1[-1]]),
        "no shrinkage": _no_shrinkage,
    },
    check_sparsity: {"one coefficient more": tampered("Theorem 4.1 (iv)", l0=lambda t: t.l0 + 1)},
    check_varying: {"a tenth of the bound": _short_steps},
}
