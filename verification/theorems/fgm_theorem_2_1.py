r"""Linear convergence of LS-Boost (Theorem 2.1).

Problem: least squares over unit columns, any rank, any shape.

Method: LS-Boost(eps), theta = eps times the largest correlation.

Assumptions: unit columns (normalised at the door); 0 < eps <= 1 as printed, eps < 2 for the sharpened variant, as the proof uses only
eps (2 - eps) > 0. Rank by the rule of ``Spectrum``.

Claim: upper, Theorem 2.1 (i)-(vi) and (23), for every k >= 0, with gamma = 1 - eps (2 - eps) lambda_pmin / (4 p). Sharpened: without
the 4, as Proposition A.1 loses a factor of 2; attained on the identity.

Constants: A and lambda_pmin from the thin SVD, rounded against the claim; in the exact case a rational just above lambda_pmin.

Measured: at every step, from coordinates of the residual in the left singular vectors; in the exact case from the residual itself.

Reference: Freund, Grigas, Mazumder, Theorem 2.1, (23); the sharper constant and the convergence of the iterates are ours.
"""

import numpy as np

import coordboost as cb
from coordboost.bounds import BoundCheck, ls_boost
from verification.cases import Lab, along, claim, identity, lab, other_constants, tampered
from verification.exact import walk


def _ls(case):
    return case.kind == "ls"


def _decay(case, variant):
    return case.size2 * case.gamma(variant) ** case.k.astype(int)


check_loss = along(
    "Theorem 2.1 (i)", lambda c, v: (c.excess, _decay(c, v) / 2) if _ls(c) else None, printed="verified", sharpened="verified"
)
check_distance = along("Theorem 2.1 (ii)", printed="verified", sharpened="verified")
check_fit = along(
    "Theorem 2.1 (iii)", lambda c, v: (c.fit2, _decay(c, v)) if _ls(c) else None, printed="verified", sharpened="verified"
)
check_gradient = along(
    "Theorem 2.1 (iv)", lambda c, v: (c.largest**2, _decay(c, v)) if _ls(c) else None, printed="verified", sharpened="verified"
)
check_l1_steps = along(
    "Theorem 2.1 (v), first term",
    lambda c, v: (c.l1**2, c.k * c.eps / (2 - c.eps) * (c.size2 - c.fit2)) if _ls(c) else None,
    printed="verified",
)
check_l1_rate = along("Theorem 2.1 (v), second term", printed="verified", sharpened="verified")
check_sparsity = along("Theorem 2.1 (vi)", lambda c, v: (c.l0, c.k) if _ls(c) else None, printed="verified")
check_simple = along("(23)", printed="verified", sharpened="verified")
check_limit = along("Convergence of the iterates", sharpened="verified")


@claim("(23) for eps above 1", sharpened="refuted")
def check_beyond(case, variant):
    """||beta_k||_1 <= A min{sqrt(k eps), eps / (1 - sqrt(gamma))}: not claimed for eps > 1, and false there."""
    if not isinstance(case, Lab) or case.run.method.step.rate <= 1:
        return None
    trail = case.trail
    bound = ls_boost.l1_simple(trail.constants, trail.step.rate, trail.k, variant)
    return BoundCheck(check_beyond.statement, variant, "upper", trail.l1, bound, trail.noise * (1 + 2 * trail.k))


CASES = {
    "golden, in rationals": lambda: walk("ls", "1/2", 14),
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
        "sharpened further by 2": tampered("Theorem 2.1 (i)", "sharpened", constants=other_constants(lambda_pmin=2)),
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
        "sum of the correlations in place of the largest": tampered("Theorem 2.1 (iv)", corr=lambda t: 5 * t.corr),
    },
    check_l1_steps: {
        "A too small": tampered("Theorem 2.1 (v), first term", **_SHRUNK),
        "steps five percent too long": tampered("Theorem 2.1 (v), first term", l1=lambda t: 1.05 * t.l1),
    },
    check_l1_rate: {"A too small": tampered("Theorem 2.1 (v), second term", constants=other_constants(size=0.4))},
    check_sparsity: {"one coefficient more": tampered("Theorem 2.1 (vi)", l0=lambda t: t.l0 + 1)},
    check_simple: {"A too small by a third": tampered("(23)", constants=other_constants(size=0.5))},
    check_beyond: {"the claim itself": lambda case: check_beyond(case, "sharpened")},
    check_limit: {
        "distance to the start": tampered("Convergence of the iterates", "sharpened", to_end=lambda t: t.to_end[::-1].copy()),
    },
}
