r"""Two more bounds of LS-Boost (Proposition A.2).

Problem: least squares over unit columns.

Method: LS-Boost(eps).

Assumptions: unit columns; eps <= 1 as printed, eps < 2 sharpened.

Claim: upper, (31) bounds the smallest gradient among 0, ..., k; (32) bounds the l2 norm by the
largest number of steps in one coordinate. Sharpened: gamma without the 4.

Constants: A and lambda_pmin from the thin SVD; the fit at k + 1, for (31), and at k, for (32), from
the run.

Measured: running minimum of the largest correlation, l2 norm, number of steps in each coordinate.

Reference: Freund, Grigas, Mazumder, Proposition A.2.
"""

import numpy as np

import coordboost as cb
from verification.cases import identity, lab, other_constants, tampered
from verification.spaces.walks import LS
from verification.statement import Statement
from verification.theorems.fgm_theorem_2_1 import GAMMA

check_gradient = Statement(
    "Proposition A.2 (31)",
    LS,
    "Some gradient among the first is small.",
    printed="smallest(corr) <= least(root(A**2 - later(fit)**2) / root(eps * (2 - eps) * (k + 1)), "
    "A * root(gamma)**k)",
    sharpened="smallest(corr) <= least(root(A**2 - later(fit)**2) / root(eps * (2 - eps) * (k + "
    "1)), A * root(sharper)**k)",
    where=GAMMA,
    assuming={"printed": "eps <= 1"},
)
check_l2 = Statement(
    "Proposition A.2 (32)",
    LS,
    "The l2 norm by the number of steps in one coordinate.",
    printed="l2 <= root(repeats) * root(eps / (2 - eps)) * root(A**2 - fit**2)",
)

CASES = {
    "golden, in rationals": lambda: LS.at((3, 3, 12), "0 2 1 2 1 0 3/5 4/5 0 3 1/2"),
    "one column, many steps": lambda: LS.at((1, 1, 60), "0 1 1/2"),
    "identity": lab(identity(), cb.ls_boost(1.0), 60),
    "60 x 20, eps 1": lab("60 x 20", cb.ls_boost(1.0), 1000),
    "30 x 80, eps 0.5": lab("30 x 80", cb.ls_boost(0.5), 1000),
    "rank-deficient, eps 0.1": lab("rank-deficient", cb.ls_boost(0.1)),
    "diabetes, eps 0.01": lab("diabetes", cb.ls_boost(0.01), 20_000),
}
QUICK = tuple(CASES)[:6]

_SHRUNK = {"constants": other_constants(size=0.9)}
SABOTAGE = {
    check_gradient: {
        "A too small": tampered("Proposition A.2 (31)", **_SHRUNK),
        "the largest in place of the smallest": tampered(
            "Proposition A.2 (31)", corr=lambda t: np.maximum.accumulate(t.corr)
        ),
    },
    check_l2: {
        "A too small": tampered("Proposition A.2 (32)", **_SHRUNK),
        "steps counted one too few": tampered(
            "Proposition A.2 (32)", repeats=lambda t: np.maximum(t.repeats - 1, 0)
        ),
    },
}
