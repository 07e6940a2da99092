r"""Linear convergence of LS-Boost (Theorem 2.1).

Problem: least squares over unit columns, any rank, any shape.

Method: LS-Boost(eps), theta = eps times the largest correlation.

Assumptions: unit columns (``Problem`` normalises them); 0 < eps <= 1 as printed, eps < 2 for the
sharpened variant, as the proof uses only eps (2 - eps) > 0. Rank by the rule of ``Spectrum``.

Claim: upper, Theorem 2.1 (i)-(vi) and (23), for every k >= 0, with gamma = 1 - eps (2 - eps)
lambda_pmin / (4 p). Sharpened: without the 4, as Proposition A.1 loses a factor of 2; attained on
the identity.

Constants: A and lambda_pmin from the thin SVD, rounded against the claim; in the exact case a
rational just above lambda_pmin.

Measured: at every step, from coordinates of the residual in the left singular vectors; in the exact
case from the residual itself.

Reference: Freund, Grigas, Mazumder, Theorem 2.1, (23); the sharper constant and the convergence of
the iterates are ours.
"""

from fractions import Fraction as F

import coordboost as cb
from coordboost.theory.bounds import ls_boost
from verification.cases import identity, lab, tampered
from verification.spaces.walks import GOLDEN, LS, exact_walk
from verification.statement import Check, refuted, stated

check_loss = Check(ls_boost.excess, LS)
check_distance = Check(ls_boost.distance, LS)
check_fit = Check(ls_boost.fit, LS)
check_gradient = Check(ls_boost.correlation, LS)
check_l1_steps = Check(ls_boost.l1_by_steps, LS)
check_l1_rate = Check(ls_boost.l1_by_rate, LS)
check_sparsity = Check(ls_boost.sparsity, LS)
check_simple = Check(ls_boost.l1_simple, LS)
check_beyond = stated(
    "(23) for eps above 1",
    LS,
    "The same for eps > 1: not claimed, and false.",
    sharpened=refuted(ls_boost.l1_simple.sharpened),
    where=ls_boost.RATE,
    assuming="eps > 1",
)
check_limit = Check(ls_boost.tail, LS)

CASES = {
    "golden, in rationals": lambda: exact_walk(
        "ls", X=GOLDEN, y=(2, 1, 2), eps=F(1, 2), n_steps=14
    ),
    "eps above 1, in rationals": lambda: exact_walk(
        "ls",
        X=[["3/5", -1, "4/5"], ["-4/5", 0, "3/5"]],
        y=(1, 2),
        outside=F(1, 2),
        eps=F(3, 2),
        n_steps=5,
    ),
    "one column, many steps": lambda: exact_walk("ls", y=[1], eps=F(1, 2), n_steps=60),
    "identity": lab(identity(), cb.ls_boost(1.0), 60),
    "one column, eps 1.3": lab(identity(1), cb.ls_boost(1.3), 20),
    "60 x 20, eps 1": lab("60 x 20", cb.ls_boost(1.0)),
    "60 x 20, eps 1.5": lab("60 x 20", cb.ls_boost(1.5)),
    "30 x 80, eps 0.5": lab("30 x 80", cb.ls_boost(0.5)),
    "rank-deficient, eps 0.1": lab("rank-deficient", cb.ls_boost(0.1)),
    "correlated, eps 1": lab("correlated", cb.ls_boost(1.0)),
    "diabetes, eps 0.01": lab("diabetes", cb.ls_boost(0.01), 20_000),
}
QUICK = (
    "golden, in rationals",
    "eps above 1, in rationals",
    "one column, many steps",
    "identity",
    "one column, eps 1.3",
    "60 x 20, eps 1",
    "30 x 80, eps 0.5",
    "rank-deficient, eps 0.1",
)

SABOTAGE = {
    check_sparsity: {"one coefficient more": tampered(ls_boost.sparsity, l0=lambda t: t.l0 + 1)},
    check_limit: {
        "distance to the start": tampered(
            ls_boost.tail, "sharpened", to_end=lambda t: t.to_end[::-1].copy()
        ),
    },
}
