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

import numpy as np

import coordboost as cb
from verification.cases import identity, lab, other_constants, tampered
from verification.spaces.walks import LS
from verification.statement import Statement, refuted

GAMMA = {
    "gamma": "1 - eps * (2 - eps) * lambda_pmin / (4 * p)",
    "sharper": "1 - eps * (2 - eps) * lambda_pmin / p",
}


def _both(name, words, formula):
    """The printed variant, for eps <= 1, and the sharpened one, gamma without the factor 4."""
    return Statement(
        name,
        LS,
        words,
        printed=formula,
        sharpened=formula.replace("gamma", "sharper"),
        where=GAMMA,
        assuming={"printed": "eps <= 1"},
    )


check_loss = _both(
    "Theorem 2.1 (i)", "The training error falls at a linear rate.", "excess <= A**2 * gamma**k / 2"
)
check_distance = _both(
    "Theorem 2.1 (ii)",
    "Some least-squares solution is close.",
    "distance <= A * root(gamma)**k / root(lambda_pmin)",
)
check_fit = _both(
    "Theorem 2.1 (iii)",
    "The predictions approach those of least squares.",
    "fit <= A * root(gamma)**k",
)
check_gradient = _both(
    "Theorem 2.1 (iv)",
    "The largest correlation falls at half the rate.",
    "corr <= A * root(gamma)**k",
)
check_l1_steps = Statement(
    "Theorem 2.1 (v), first term",
    LS,
    "The l1 norm is at most of the order of sqrt(k).",
    printed="l1 <= root(k * eps / (2 - eps)) * root(A**2 - fit**2)",
)
check_l1_rate = _both(
    "Theorem 2.1 (v), second term",
    "The l1 norm is bounded.",
    "l1 <= eps * A * (1 - root(gamma)**k) / (1 - root(gamma))",
)
check_sparsity = Statement(
    "Theorem 2.1 (vi)", LS, "A step adds at most one learner.", printed="l0 <= k"
)
check_simple = Statement(
    "(23)",
    LS,
    "Both bounds of the l1 norm, simplified.",
    printed="l1 <= A * least(root(k * eps), eps / (1 - root(gamma)))",
    sharpened="l1 <= A * least(root(k * eps), eps / (1 - root(sharper)))",
    where=GAMMA,
    assuming="eps <= 1",
)
check_beyond = Statement(
    "(23) for eps above 1",
    LS,
    "The same for eps > 1: not claimed, and false.",
    sharpened=refuted("l1 <= A * least(root(k * eps), eps / (1 - root(sharper)))"),
    where=GAMMA,
    assuming="eps > 1",
)
check_limit = Statement(
    "Convergence of the iterates",
    LS,
    "The coefficients converge, at a linear rate.",
    sharpened="to_end <= eps * A * (root(sharper)**k - root(sharper)**k[-1]) / (1 - root(sharper))",
    where=GAMMA,
)

CASES = {
    "golden, in rationals": lambda: LS.at((3, 3, 14), "0 2 1 2 1 0 3/5 4/5 0 3 1/2"),
    "eps above 1, in rationals": lambda: LS.at((2, 3, 5), "1/2 1 2 1/3 -1 2 3/2"),
    "one column, many steps": lambda: LS.at((1, 1, 60), "0 1 1/2"),
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

_NO_P = {"constants": lambda t: t.constants._replace(n_learners=1)}
_SHRUNK = {"constants": other_constants(size=0.9)}
SABOTAGE = {
    check_loss: {
        "gamma without its p": tampered("Theorem 2.1 (i)", **_NO_P),
        "twice the loss": tampered("Theorem 2.1 (i)", fit=lambda t: t.fit * np.sqrt(2)),
        "sharpened further by 2": tampered(
            "Theorem 2.1 (i)", "sharpened", constants=other_constants(lambda_pmin=2)
        ),
    },
    check_distance: {
        "lambda_pmin in place of its root": tampered(
            "Theorem 2.1 (ii)", distance=lambda t: t.distance / np.sqrt(t.constants.lambda_pmin)
        ),
        "gamma without its p": tampered("Theorem 2.1 (ii)", **_NO_P),
    },
    check_fit: {
        "gamma without its p": tampered("Theorem 2.1 (iii)", **_NO_P),
        "A too small": tampered("Theorem 2.1 (iii)", **_SHRUNK),
    },
    check_gradient: {
        "gamma without its p": tampered("Theorem 2.1 (iv)", **_NO_P),
        "sum of the correlations in place of the largest": tampered(
            "Theorem 2.1 (iv)", corr=lambda t: 5 * t.corr
        ),
    },
    check_l1_steps: {
        "A too small": tampered("Theorem 2.1 (v), first term", **_SHRUNK),
        "steps five percent too long": tampered(
            "Theorem 2.1 (v), first term", l1=lambda t: 1.05 * t.l1
        ),
    },
    check_l1_rate: {
        "A too small": tampered("Theorem 2.1 (v), second term", constants=other_constants(size=0.4))
    },
    check_sparsity: {"one coefficient more": tampered("Theorem 2.1 (vi)", l0=lambda t: t.l0 + 1)},
    check_simple: {"A too small by a third": tampered("(23)", constants=other_constants(size=0.5))},
    check_limit: {
        "distance to the start": tampered(
            "Convergence of the iterates", "sharpened", to_end=lambda t: t.to_end[::-1].copy()
        ),
    },
}
