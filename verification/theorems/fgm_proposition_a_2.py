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

from fractions import Fraction as F

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import ls_boost
from verification.cases import identity, lab, tampered
from verification.spaces.walks import GOLDEN, LS, exact_walk
from verification.statement import Check

check_gradient = Check(ls_boost.smallest_correlation, LS)
check_l2 = Check(ls_boost.l2, LS)

CASES = {
    "golden, in rationals": lambda: exact_walk(
        "ls", X=GOLDEN, y=(2, 1, 2), eps=F(1, 2), n_steps=12
    ),
    "one column, many steps": lambda: exact_walk("ls", y=[1], eps=F(1, 2), n_steps=60),
    "identity": lab(identity(), cb.ls_boost(1.0), 60),
    "60 x 20, eps 1": lab("60 x 20", cb.ls_boost(1.0), 1000),
    "30 x 80, eps 0.5": lab("30 x 80", cb.ls_boost(0.5), 1000),
    "rank-deficient, eps 0.1": lab("rank-deficient", cb.ls_boost(0.1)),
    "diabetes, eps 0.01": lab("diabetes", cb.ls_boost(0.01), 20_000),
}
QUICK = tuple(CASES)[:6]

SABOTAGE = {
    check_gradient: {
        "the largest in place of the smallest": tampered(
            ls_boost.smallest_correlation, corr=lambda t: np.maximum.accumulate(t.corr)
        ),
    },
    check_l2: {
        "steps counted one too few": tampered(
            ls_boost.l2, repeats=lambda t: np.maximum(t.repeats - 1, 0)
        ),
    },
}
