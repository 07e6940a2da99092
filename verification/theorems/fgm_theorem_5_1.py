r"""PATH-R-FS follows the Lasso path on average (Theorem 5.1, Corollary 5.1).

Problem: least squares over unit columns in l1 balls of growing radii delta_0 <= delta_1 <= ...

Method: PATH-R-FS_eps, one step per radius.

Assumptions: unit columns; eps <= delta_0; radii that do not decrease.

Claim: upper, Theorem 5.1 (i)-(iii), (56), (57), for every k: averages over 0, ..., k; single gaps
can exceed the bound. Corollary 5.1: on grids refined within the same range the average ends below 2
delta eps. Sharpened: (ii) with the radius of the previous step.

Constants: A from the thin SVD, rounded against the claim; each optimum is replaced by a certified
lower end.

Measured: running means of omega and of the gaps.

Reference: Freund, Grigas, Mazumder, Theorem 5.1, Corollary 5.1, (56), (57).
"""

from fractions import Fraction as F

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, regularized
from coordboost.theory.bounds.trail import lower_end
from verification.cases import Lab, lab, tampered
from verification.spaces.walks import GOLDEN, JUMP, PATH, exact_walk
from verification.statement import Check, refuted, stated

check_omega = Check(regularized.path_omega, PATH)
check_weighted = Check(regularized.path_weighted, PATH, compare="bound")
check_mean = Check(regularized.path_excess, PATH, compare="neither")
check_feasible = Check(regularized.path_l1, PATH)
check_sparsity = Check(regularized.path_sparsity, PATH)
check_each = stated(
    "Theorem 5.1 (i) for each radius",
    (PATH, JUMP),
    "Without the mean: not claimed, and false after a jump of the radius.",
    sharpened=refuted("loss - lasso <= delta[-1] * W"),
    where=regularized.WHERE,
)
check_limit = stated(
    "Corollary 5.1",
    PATH,
    "With so many radii that A^2 / (2 eps (k + 1)) is at most eps, the mean is at most 3 "
    "delta eps.",
    printed="mean(loss - lasso)[-1] <= 3 * delta[-1] * eps",
    assuming="A**2 <= 2 * eps**2 * (1 + k[-1])",
)


@check_limit.otherwise
def _(case, variant):
    """With so many radii that A^2/(2 eps (K+1)) is below a hundredth of eps, the mean of the gaps
    is at most 2.01 delta eps.
    """
    if not isinstance(case, Lab):
        return None
    trail = case.trail
    eps = trail.step.eps
    radius = trail.step.deltas
    if trail.constants.size**2 / (2 * eps * len(radius)) > 0.01 * eps:
        return None
    gap = trail.loss[: len(radius)] - lower_end(trail, radius)
    return BoundCheck(
        check_limit.statement,
        variant,
        "upper",
        gap.mean(),
        2.01 * radius[-1] * eps,
        trail.noise[-1],
        at=len(radius),
    )


def _grid(eps, first, last, n, space=np.geomspace):
    return lambda size: cb.path_forward_stagewise(eps * size, size * space(first, last, n))


CASES = {
    "as many radii as the corollary needs": lambda: exact_walk(
        "path", y=[1], eps=F(1, 4), delta=F(1, 4) + F(1, 8) * np.arange(1, 9), n_steps=7
    ),
    "too few radii for the corollary": lambda: exact_walk(
        "path", y=[1], eps=F(1, 16), delta=F(1, 16) * np.arange(2, 10), n_steps=7
    ),
    "golden, in rationals": lambda: exact_walk(
        "path", X=GOLDEN, y=(2, 1, 2), eps=F(1, 4), delta=F(1, 4) * np.arange(2, 23), n_steps=20
    ),
    "golden, exact optima": lambda: exact_walk(
        "path", X=GOLDEN, y=(3, 1, 2), eps=F(1, 8), delta=F(1, 8) * np.arange(2, 27), n_steps=24
    ),
    "60 x 20, geometric": lab("60 x 20", _grid(0.01, 0.05, 2, 3000)),
    "30 x 80, linear": lab("30 x 80", _grid(0.01, 0.05, 1, 3000, np.linspace)),
    "60 x 20, faster than the steps": lab("60 x 20", _grid(0.02, 0.02, 2, 40), 40),
    "60 x 20, a jump at the end": lab(
        "60 x 20",
        lambda size: cb.path_forward_stagewise(0.01 * size, size * np.r_[np.full(2000, 0.05), 2]),
        2001,
    ),
    "60 x 20, refined": lab("60 x 20", _grid(0.05, 0.05, 2, 30_000), 30_000),
    "constant radius": lab("rank-deficient", _grid(0.01, 0.5, 0.5, 3000)),
    "diabetes": lab("diabetes", _grid(0.002, 0.01, 1.5, 50_000), 50_000),
}
QUICK = tuple(CASES)[:9]


def _tenth(case):
    check = check_limit(case, "printed") if isinstance(case, Lab) else None
    return check and BoundCheck(
        "a hundredth", "printed", "upper", check.measured, check.bound / 100, check.slack
    )


SABOTAGE = {
    check_feasible: {
        "one step ahead": tampered(
            regularized.path_l1, "sharpened", l1=lambda t: np.r_[t.l1[1:], t.l1[-1]]
        )
    },
    check_sparsity: {
        "one coefficient more": tampered(regularized.path_sparsity, l0=lambda t: t.l0 + 1)
    },
    check_limit: {
        "a fifth": check_limit.instead("mean(loss - lasso)[-1] <= 3 * delta[-1] * eps / 5"),
        "a hundredth of the bound": _tenth,
    },
}
