r"""A single round of accelerated boosting (Lemmas C.1, C.2, C.3).

Problem: a convex, 1-smooth loss over the multiples of unit columns.

Method: AGBM (Algorithm 2); for C.1 also with learners drawn at random.

Assumptions: C.1 none; C.2 eta <= 1 and exact best fits; C.3 convexity.

Claim: tight, C.1: hhat^{m+1} = h^{m+1} + alpha_m (c^m - b_{m,2}), hhat the momentum model updated
by the whole residual. Upper, C.2: L(f^{m+1}) <= L(g^m) - (eta / 2) Theta^2 ||r^m||^2, sharpened
with the cosine of the fit in place of Theta. Upper, C.3: L(g^m) + theta_m <r^m, h^m - f> <= theta_m
L(f) + (1 - theta_m) L(f^m) for every f.

Constants: Theta in closed form.

Measured: C.1 along a fixed vector; C.3 at f = f*, at f_1, a hundredth of the way from h^m to f*,
and at f_2, as far in the other direction.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Appendix C, Lemmas C.1 to C.3 (numbered one higher
in the main text).
"""

import numpy as np

from verification import agbm
from verification.spaces.momentum import AGBM, LINE
from verification.statement import stated

check_identity = stated(
    "AGBM, Lemma C.1",
    (AGBM, LINE),
    "hhat - h is alpha times what the learner of h left over, for any learners; along (1, 2, "
    "..., n).",
    printed="later(hat_along) == later(h_along) + alpha_m * left_along",
)
check_fall = stated(
    "AGBM, Lemma C.2",
    (AGBM, LINE),
    "The decrease of the loss in a round; sharpened: with the length of the learner.",
    printed="later(gaps) <= at_mix - eta / 2 * theta2 * residual2",
    sharpened="later(gaps) <= at_mix - eta / 2 * learner2",
    assuming="best",
)


def _mixing(mix="mix", factor=""):
    """Return the formula of C.3 at f*, at f_1, a hundredth of the way from h to f*, and at f_2, as
    far in the other direction.
    """
    ends = (("to_star", ""), ("to_near", f"{mix} * near + "), ("to_beyond", f"{mix} * beyond + "))
    return " and ".join(
        f"at_mix + {factor}{mix} * {tilt} <= {at}(1 - {mix}) * gaps" for tilt, at in ends
    )


check_mixing = stated(
    "AGBM, Lemma C.3",
    (AGBM, LINE),
    "Convexity at the mixing point, for every f: f* and, near h, f1 towards it and f2 away "
    "from it.",
    printed=_mixing(),
    where={"mix": "2 / (k + 2)"},
)


def _five(**wrong):
    return agbm.eye((5, 4, 3, 2, 1), agbm.F(1, 2), 24, **wrong)


def _drawn(**wrong):
    return agbm.star(60, 0.5, picks=np.random.default_rng(0), **wrong)


CASES = {
    "two coordinates": agbm.CASES["two coordinates"],
    "five equal ones": agbm.CASES["five equal ones"],
    "five coordinates, gamma 1/2": _five,
    "four weights": agbm.CASES["four weights"],
    "star": agbm.CASES["star"],
    "random learners": _drawn,
}


def _wrongly(**wrong):
    """Return a sabotage: C.1 on a faulty run of Algorithm 2, on five coordinates for exact cases,
    else with random learners.
    """
    return lambda case: check_identity((_five if case.exact else _drawn)(**wrong), "printed")


SABOTAGE = {
    check_identity: {
        "the other sign of the correction": _wrongly(sign=-1),
        "(m + 2) / (m + 3) in the place of (m + 1) / (m + 2)": _wrongly(late=1),
        "no correction": _wrongly(sign=0),
    },
    check_fall: {
        "1.05 times the fall": check_fall.instead(
            "later(gaps) <= at_mix - 21 * eta / 40 * theta2 * residual2", "best"
        ),
        "1.05 times the fall, by the learner": check_fall.instead(
            "later(gaps) <= at_mix - 21 * eta / 40 * learner2", "best"
        ),
    },
    check_mixing: {
        "nine tenths of the inner product": check_mixing.instead(
            _mixing(factor="9 / (10 + 0 * eta) * ")
        ),
        "1.1 times the inner product": check_mixing.instead(
            _mixing(factor="11 / (10 + 0 * eta) * ")
        ),
        "theta one round later": check_mixing.instead(_mixing("(2 / (k + 3))")),
    },
}
