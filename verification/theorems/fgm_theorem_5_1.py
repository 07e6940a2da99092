r"""PATH-R-FS follows the Lasso path on average (Theorem 5.1, Corollary 5.1).

Problem: least squares over unit columns in l1 balls of growing radii delta_0 <= delta_1 <= ...

Method: PATH-R-FS_eps, one step per radius.

Assumptions: unit columns; eps <= delta_0; radii that do not decrease.

Claim: upper, Theorem 5.1 (i)-(iii), (56), (57), for every k: averages over 0, ..., k; single gaps may exceed the bound, and do. Corollary
5.1: on grids refined within the same range the average ends below 2 delta eps. Sharpened: (ii) with the radius of the step before.

Constants: A from the thin SVD, rounded against the claim; each optimum is replaced by a certified lower end.

Measured: running means of omega and of the gaps.

Reference: Freund, Grigas, Mazumder, Theorem 5.1, Corollary 5.1, (56), (57).
"""

from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.bounds import BoundCheck, regularized
from verification.cases import Lab, along, claim, lab, other_constants, tampered
from verification.exact import GOLDEN, lasso_loss, walk


def _means(values):
    return np.cumsum(values) / np.array([Fraction(k + 1) for k in range(len(values))], dtype=object)


def _gaps(case, weight, size):
    """Means of the gaps to the exact optima, each divided by its weight, and the bound times `size`."""
    if case.y is not GOLDEN:
        return None
    gaps = (case.excess - lasso_loss(case.delta)) / weight
    return _means(gaps), size * (case.size2 / (2 * case.eps * (case.k + 1)) + 2 * case.eps)


check_omega = along("(57)", lambda c, v: (_means(c.omega), c.size2 / (2 * c.eps * (c.k + 1)) + 2 * c.eps), printed="verified")
check_weighted = along("(56)", lambda c, v: _gaps(c, c.delta, 1), printed="verified")
check_mean = along("Theorem 5.1 (i)", lambda c, v: _gaps(c, 1 + 0 * c.delta, c.delta[-1]), printed="verified")
check_feasible = along(
    "Theorem 5.1 (ii)",
    lambda c, v: (c.l1, c.delta if v == "printed" else np.minimum(np.r_[0 * c.eps, c.delta[:-1]], c.k * c.eps)),
    printed="verified",
    sharpened="verified",
)
check_sparsity = along("Theorem 5.1 (iii)", lambda c, v: (c.l0, c.k), printed="verified")


@claim("Theorem 5.1 (i) for each radius", sharpened="refuted")
def check_each(case, variant):
    """L(beta_k) - L*_k <= delta_K (A^2/(2 eps (k+1)) + 2 eps) without the mean: not claimed, and false after a jump of the radius."""
    if not isinstance(case, Lab):
        return None
    trail = case.trail
    n = len(trail.step.deltas)
    k, radius = trail.k[:n], trail.radius[:n]
    # against the refutation: the optimum is replaced by the loss of a model in the ball, so the gap can only be larger
    upper = _feasible_loss(case.problem, float(radius[-1]))
    bound = radius[-1] * regularized.average_omega(trail.constants, trail.step.eps, k)
    return BoundCheck(
        check_each.statement, variant, "upper", (trail.loss[:n] - upper)[-1:], bound[-1:], 4 * trail.noise[n - 1], at=k[-1:]
    )


def _feasible_loss(problem, radius):
    return cb.solve(problem, cb.frank_wolfe(radius, cb.BallSearch(radius)), 500).final.loss


@claim("Corollary 5.1", printed="verified")
def check_limit(case, variant):
    """With so many radii that A^2/(2 eps (K+1)) is below a hundredth of eps, the mean of the gaps is at most 2.01 delta eps."""
    if not isinstance(case, Lab):
        return None
    trail = case.trail
    eps, radius = trail.step.eps, trail.step.deltas
    if trail.constants.size**2 / (2 * eps * len(radius)) > 0.01 * eps:
        return None
    gap = trail.loss[: len(radius)] - regularized.lower_end(trail, radius)
    return BoundCheck(
        check_limit.statement, variant, "upper", gap.mean(), 2.01 * radius[-1] * eps, trail.noise[-1], at=len(radius)
    )


def _grid(eps, first, last, n, space=np.geomspace):
    return lambda size: cb.path_forward_stagewise(eps * size, size * space(first, last, n))


CASES = {
    "golden, in rationals": lambda: walk("path", "1/4", 20, [Fraction(1, 2) + Fraction(k, 4) for k in range(21)]),
    "golden, exact optima": lambda: walk("path", "1/8", 24, [Fraction(1, 4) + Fraction(k, 8) for k in range(25)], y=GOLDEN),
    "60 x 20, geometric": lab("60 x 20", _grid(0.01, 0.05, 2, 3000)),
    "30 x 80, linear": lab("30 x 80", _grid(0.01, 0.05, 1, 3000, np.linspace)),
    "60 x 20, faster than the steps": lab("60 x 20", _grid(0.02, 0.02, 2, 40), 40),
    "60 x 20, a jump at the end": lab(
        "60 x 20", lambda size: cb.path_forward_stagewise(0.01 * size, size * np.r_[np.full(2000, 0.05), 2]), 2001
    ),
    "60 x 20, refined": lab("60 x 20", _grid(0.05, 0.05, 2, 30_000), 30_000),
    "constant radius": lab("rank-deficient", _grid(0.01, 0.5, 0.5, 3000)),
    "diabetes": lab("diabetes", _grid(0.002, 0.01, 1.5, 50_000), 50_000),
}
QUICK = tuple(CASES)[:7]

_WEAK = {"constants": other_constants(size=0.2), "step": lambda t: t.step._replace(eps=t.step.eps / 5)}


def _tenth(case):
    check = check_limit(case, "printed")
    return check and BoundCheck("a hundredth", "printed", "upper", check.measured, check.bound / 100, check.slack)


SABOTAGE = {
    check_omega: {"A and eps too small": tampered("(57)", **_WEAK)},
    check_weighted: {"A and eps too small": tampered("(56)", **_WEAK)},
    check_mean: {"A and eps too small by more": tampered(
        "Theorem 5.1 (i)", constants=other_constants(size=0.05), step=lambda t: t.step._replace(eps=t.step.eps / 20))},
    check_feasible: {"one step ahead": tampered("Theorem 5.1 (ii)", "sharpened", l1=lambda t: np.r_[t.l1[1:], t.l1[-1]])},
    check_sparsity: {"one coefficient more": tampered("Theorem 5.1 (iii)", l0=lambda t: t.l0 + 1)},
    check_each: {"the claim itself": lambda case: check_each(case, "sharpened")},
    check_limit: {"a hundredth of the bound": _tenth},
}  # fmt: skip
