r"""Two more bounds of LS-Boost (Proposition A.2).

Problem: least squares over unit columns.

Method: LS-Boost(eps).

Assumptions: unit columns; eps <= 1 as printed, eps < 2 sharpened.

Claim: upper, (31): the smallest gradient among 0, ..., k; (32): the l2 norm by the largest number of steps in one coordinate. Sharpened:
gamma without the 4.

Constants: A and lambda_pmin from the thin SVD; the fit at k + 1, for (31), and at k, for (32), from the run.

Measured: running minimum of the largest correlation, l2 norm, counts of the steps.

Reference: Freund, Grigas, Mazumder, Proposition A.2.
"""

import numpy as np

import coordboost as cb
from verification.cases import along, identity, lab, other_constants, tampered
from verification.exact import walk


def _first_term(case):
    """The first term of (31) alone, squared; k = 0, ..., n_steps - 1."""
    k = case.k[:-1]
    smallest = np.minimum.accumulate(case.largest)[:-1]
    return smallest**2, (case.size2 - case.fit2[1:]) / (case.eps * (2 - case.eps) * (k + 1))


def _l2(case):
    return (case.beta**2).sum(axis=1), case.repeats * case.eps / (2 - case.eps) * (case.size2 - case.fit2)


check_gradient = along("Proposition A.2 (31)", lambda c, v: _first_term(c), printed="verified", sharpened="verified")
check_l2 = along("Proposition A.2 (32)", lambda c, v: _l2(c), printed="verified")

CASES = {
    "golden, in rationals": lambda: walk("ls", "1/2", 12),
    "identity": lab(identity(), cb.ls_boost(1.0), 60),
    "60 x 20, eps 1": lab("60 x 20", cb.ls_boost(1.0), 1000),
    "30 x 80, eps 0.5": lab("30 x 80", cb.ls_boost(0.5), 1000),
    "rank-deficient, eps 0.1": lab("rank-deficient", cb.ls_boost(0.1)),
    "diabetes, eps 0.01": lab("diabetes", cb.ls_boost(0.01), 20_000),
}
QUICK = tuple(CASES)[:5]

_SHRUNK = {"constants": other_constants(size=0.9)}
SABOTAGE = {
    check_gradient: {
        "A too small": tampered("Proposition A.2 (31)", **_SHRUNK),
        "the largest in place of the smallest": tampered("Proposition A.2 (31)", corr=lambda t: np.maximum.accumulate(t.corr)),
    },
    check_l2: {
        "A too small": tampered("Proposition A.2 (32)", **_SHRUNK),
        "steps counted one too few": tampered("Proposition A.2 (32)", repeats=lambda t: np.maximum(t.repeats - 1, 0)),
    },
}
