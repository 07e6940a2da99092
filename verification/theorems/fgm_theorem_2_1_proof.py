r"""The identities in the proof of Theorem 2.1, which reveal errors that the bounds are too loose to
reveal.

Problem: least squares over unit columns.

Method: LS-Boost(eps).

Assumptions: unit columns; 0 < eps < 2 (eps <= 1 in print, but the identities do not need it).

Claim: tight, (1) and (10), (25), (29), (30); upper, (13), (28).

Constants: A and lambda_pmin from the thin SVD, rounded against the claim.

Measured: at every step; in the exact case everything is compared as rationals.

Reference: Freund, Grigas, Mazumder, proof of Theorem 2.1 in Appendix A.2.1.
"""

import numpy as np

import coordboost as cb
from verification.cases import identity, lab, tampered
from verification.spaces.walks import LS
from verification.statement import Statement
from verification.theorems.fgm_theorem_2_1 import GAMMA

check_contraction = Statement(
    "(13)",
    LS,
    "Each step reduces the error by a constant factor.",
    printed="later(excess) <= gamma * excess",
    sharpened="later(excess) <= sharper * excess",
    where=GAMMA,
    assuming={"printed": "eps <= 1"},
)
check_length = Statement(
    "(1), (10) step length",
    LS,
    "The residual moves by eps times the largest correlation.",
    printed="abs(theta) == eps * corr",
)
check_descent = Statement(
    "(25) descent",
    LS,
    "The decrease of the error in a step.",
    printed="later(excess) == excess - eps * (2 - eps) / 2 * corr**2",
)
check_correlation = Statement(
    "(28)", LS, "The error bounds the largest correlation.", printed="corr <= root(2 * excess)"
)
check_fall = Statement(
    "(29)",
    LS,
    "The decrease of the distance to least squares, squared.",
    printed="later(fit2) == fit2 - (2 * eps - eps**2) * corr**2",
)
check_energy = Statement(
    "(30) energy",
    LS,
    "The sum of all decreases.",
    printed="eps * (2 - eps) * spent(corr**2) == A**2 - fit**2",
)

CASES = {
    "golden, in rationals": lambda: LS.at((3, 3, 12), "0 2 1 2 1 0 3/5 4/5 0 3 1/2"),
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
    check_contraction: {
        "gamma without its p": tampered(
            "(13)", constants=lambda t: t.constants._replace(n_learners=1)
        )
    },
    check_length: {"another eps": tampered("(1), (10) step length", **_OTHER_EPS)},
    check_descent: {"another eps": tampered("(25) descent", **_OTHER_EPS)},
    check_correlation: {"columns twice as long": tampered("(28)", corr=lambda t: 2 * t.corr)},
    check_fall: {
        "eps in place of 2 eps": check_fall.instead(
            "later(fit2) == fit2 - (eps - eps**2) * corr**2"
        )
    },
    check_energy: {
        "another eps": tampered("(30) energy", **_OTHER_EPS),
        "||y|| in place of A": tampered(
            "(30) energy",
            constants=lambda t: t.constants._replace(
                size=np.sqrt(t.constants.size**2 + 2 * t.constants.optimum)
            ),
        ),
    },
}
