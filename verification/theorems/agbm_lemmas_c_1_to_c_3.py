r"""What a single round of accelerated boosting does (Lemmas C.1, C.2, C.3).

Problem: a convex, 1-smooth loss over the multiples of unit columns.

Method: AGBM (Algorithm 2); for C.1 with any learners whatever, drawn at random.

Assumptions: C.1 none; C.2 eta <= 1 and exact best fits; C.3 convexity.

Claim: tight, C.1: hhat^{m+1} = h^{m+1} + alpha_m (c^m - b_{m,2}), hhat the momentum that takes the whole residual. Upper, C.2:
L(f^{m+1}) <= L(g^m) - (eta / 2) Theta^2 ||r^m||^2, sharpened with the cosine of the fit in the place of Theta. Upper, C.3:
L(g^m) + theta_m <r^m, h^m - f> <= theta_m L(f) + (1 - theta_m) L(f^m) for every f.

Constants: Theta in closed form.

Measured: C.1 along a fixed vector; C.3 at f = f* and at points a hundredth of the way from h^m to f*, and away from it.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Appendix C, Lemmas C.1 to C.3 (the main text counts one more).
"""

import numpy as np

from coordboost.bounds import BoundCheck
from verification import agbm
from verification.spaces.momentum import AGBM, LINE
from verification.statement import claim


def _along(case):
    """The sides of C.1 along (1, 2, ..., n)."""
    u = np.array([case.eta**0 * (i + 1) for i in range(len(case.y))])
    return case.hat[1:] @ u, case.h[1:] @ u + case.alpha * (case.e @ u)


@claim("AGBM, Lemma C.1", (AGBM, LINE), printed="verified")
def check_identity(case, variant):
    """hhat^{m+1} = h^{m+1} + alpha_m (c^m - b_{m,2}), whatever the learners are."""
    hat, h = _along(case)
    slack = 0 if case.exact else 1e-11 * (1 + np.abs(hat).max())
    return BoundCheck(check_identity.statement, variant, "tight", hat, h, slack, case.level)


def _fall(case, variant, factor=1):
    part = case.cosine2 if variant == "sharpened" else case.theta2
    bound = case.loss(case.g) - factor * case.eta / 2 * part * (case.r * case.r).sum(axis=1)
    return BoundCheck("C.2", variant, "upper", case.loss(case.f)[1:], bound, case.slack, case.level)


@claim("AGBM, Lemma C.2", (AGBM, LINE), printed="verified", sharpened="verified")
def check_fall(case, variant):
    """L(f^{m+1}) <= L(g^m) - eta / 2 Theta^2 ||r^m||^2; sharpened: with the cosine of the fit."""
    return _fall(case, variant) if case.best else None


def _mixing(case, variant, factor=1, late=0):
    checks = []
    for part in (case.eta**0, case.eta**0 / 100, -(case.eta**0) / 100):
        theta = 2 / (case.m + 2 + late)
        f = case.h[:-1] + part * (case.y - case.h[:-1])
        left = case.loss(case.g) + factor * case.theta * (case.r * (case.h[:-1] - f)).sum(axis=1)
        right = theta * case.loss(f) + (1 - theta) * case.loss(case.f[:-1])
        checks.append(BoundCheck("C.3", variant, "upper", left, right, case.slack, case.level))
    return checks


@claim("AGBM, Lemma C.3", (AGBM, LINE), printed="verified")
def check_mixing(case, variant):
    """L(g^m) + theta_m <r^m, h^m - f> <= theta_m L(f) + (1 - theta_m) L(f^m)."""
    return _mixing(case, variant)


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
    """The runs of Algorithm 2 with a fault in it, for the two cases that can be run again."""
    return lambda case: check_identity((_five if case.exact else _drawn)(**wrong), "printed")


SABOTAGE = {
    check_identity: {
        "the other sign of the correction": _wrongly(sign=-1),
        "(m + 2) / (m + 3) in the place of (m + 1) / (m + 2)": _wrongly(late=1),
        "no correction": _wrongly(sign=0),
    },
    check_fall: {
        "1.05 times the fall": lambda case: _fall(case, "printed", 1.05) if case.best else None,
        "1.05 times the fall, by the cosine": lambda case: _fall(case, "sharpened", 1.05) if case.best else None,
    },
    check_mixing: {
        "nine tenths of the inner product": lambda case: _mixing(case, "printed", 0.9),
        "1.1 times the inner product": lambda case: _mixing(case, "printed", 1.1),
        "theta one round later": lambda case: _mixing(case, "printed", late=1),
    },
}
