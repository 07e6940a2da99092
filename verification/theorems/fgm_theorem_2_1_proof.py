r"""The identities of the proof of Theorem 2.1: they catch what the bounds let pass.

Problem: least squares over unit columns.

Method: LS-Boost(eps).

Assumptions: unit columns; 0 < eps < 2 (the print says eps <= 1, the identities do not need it).

Claim: tight, (1) and (10), (25), (30); upper, (13), (28).

Constants: A and lambda_pmin from the thin SVD, rounded against the claim.

Measured: at every step; in the exact case everything is compared as rationals.

Reference: Freund, Grigas, Mazumder, proof of Theorem 2.1 in Appendix A.2.1.
"""

import numpy as np

import coordboost as cb
from verification.cases import along, identity, lab, tampered
from verification.exact import walk


def _step(case):
    return case.eps * (2 - case.eps)


def _spent(case):
    return np.r_[0 * case.eps, np.cumsum(_step(case) * case.largest[:-1] ** 2)]


check_contraction = along(
    "(13)", lambda c, v: (c.excess[1:], c.gamma(v) * c.excess[:-1]), printed="verified", sharpened="verified"
)
check_length = along("(1), (10) step length", lambda c, v: (np.abs(c.step), c.eps * c.largest[:-1]), printed="verified")
check_descent = along(
    "(25) descent", lambda c, v: (c.excess[1:], c.excess[:-1] - _step(c) / 2 * c.largest[:-1] ** 2), printed="verified"
)
check_correlation = along("(28)", lambda c, v: (c.largest**2, c.fit2), printed="verified")
check_energy = along("(30) energy", lambda c, v: (_spent(c), c.size2 - c.fit2), printed="verified")

CASES = {
    "golden, in rationals": lambda: walk("ls", "1/2", 12),
    "identity": lab(identity(), cb.ls_boost(1.0), 60),
    "60 x 20, eps 1": lab("60 x 20", cb.ls_boost(1.0), 1000),
    "60 x 20, eps 1.9": lab("60 x 20", cb.ls_boost(1.9), 1000),
    "30 x 80, eps 0.5": lab("30 x 80", cb.ls_boost(0.5), 1000),
    "rank-deficient, eps 0.1": lab("rank-deficient", cb.ls_boost(0.1)),
    "diabetes, eps 0.01": lab("diabetes", cb.ls_boost(0.01), 20_000),
}
QUICK = tuple(CASES)[:6]

_OTHER_EPS = {"step": lambda t: t.step._replace(rate=1.01 * t.step.rate)}
SABOTAGE = {
    check_contraction: {"gamma without its p": tampered("(13)", constants=lambda t: t.constants._replace(n_learners=1))},
    check_length: {"another eps": tampered("(1), (10) step length", **_OTHER_EPS)},
    check_descent: {"another eps": tampered("(25) descent", **_OTHER_EPS)},
    check_correlation: {"columns twice as long": tampered("(28)", corr=lambda t: 2 * t.corr)},
    check_energy: {
        "another eps": tampered("(30) energy", **_OTHER_EPS),
        "||y|| in place of A": tampered(
            "(30) energy", constants=lambda t: t.constants._replace(size=np.sqrt(t.constants.size**2 + 2 * t.constants.optimum))
        ),
    },
}
