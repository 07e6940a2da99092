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

from fractions import Fraction as F

import coordboost as cb
from coordboost.theory.bounds import ls_boost
from verification.cases import identity, lab
from verification.spaces.walks import GOLDEN, LS, exact_walk
from verification.statement import Check, stated

check_contraction = Check(ls_boost.contraction, LS)
check_length = Check(ls_boost.step_length, LS)
check_descent = Check(ls_boost.descent, LS)
check_correlation = Check(ls_boost.correlation_by_error, LS)
check_fall = stated(
    "(29)",
    LS,
    "The decrease of the distance to least squares, squared.",
    printed="later(fit2) == fit2 - (2 * eps - eps**2) * corr**2",
)
check_energy = Check(ls_boost.energy, LS)

CASES = {
    "golden, in rationals": lambda: exact_walk(
        "ls", X=GOLDEN, y=(2, 1, 2), eps=F(1, 2), n_steps=12
    ),
    "identity": lab(identity(), cb.ls_boost(1.0), 60),
    "60 x 20, eps 1": lab("60 x 20", cb.ls_boost(1.0), 1000),
    "60 x 20, eps 1.9": lab("60 x 20", cb.ls_boost(1.9), 1000),
    "30 x 80, eps 0.5": lab("30 x 80", cb.ls_boost(0.5), 1000),
    "rank-deficient, eps 0.1": lab("rank-deficient", cb.ls_boost(0.1)),
    "diabetes, eps 0.01": lab("diabetes", cb.ls_boost(0.01), 20_000),
}
QUICK = tuple(CASES)[:6]

SABOTAGE = {
    check_fall: {
        "eps in place of 2 eps": check_fall.instead(
            "later(fit2) == fit2 - (eps - eps**2) * corr**2"
        )
    },
}
