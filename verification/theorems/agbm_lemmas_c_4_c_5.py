r"""The potential of accelerated boosting, and what it gains in all rounds together (Lemmas C.4, C.5).

Problem: a convex, 1-smooth loss over the multiples of unit columns that span R^n.

Method: AGBM (Algorithm 2).

Assumptions: C.4 eta <= 1 and gamma < Theta^2; C.5 gamma <= Theta^4 / (4 + Theta^2), sharpened gamma <= (1 - sqrt(1 - Theta^2))^2; checked.

Claim: upper. C.4: V^{m+1} <= V^m + delta_m with V^m = (alpha_{m-1} / theta_{m-1}) (L(f^m) - L(f)) + ||f - hhat^m||^2 / 2, printed for every
f. One step of the proof needs L(f^m) >= L(f): corrected for f = f*. C.5: delta_0 + ... + delta_m <= 0. Tight, Remark C.1: in one dimension,
where every target is fitted, delta_m has a closed form; one of its constants is misprinted.

Constants: Theta in closed form; delta_m from s = gamma / Theta^2 and t = (1 - s) / 2.

Measured: at f = f*; for the print also at f = -f* / 10, a little above the start.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Appendix C, Lemmas C.4 and C.5 (C.5 and C.6 in the main text), Remark C.1.
"""

import numpy as np

from coordboost.bounds import BoundCheck
from verification import agbm
from verification.spaces.momentum import AGBM, LINE
from verification.statement import claim


def _potential(case, f, late=0):
    """V^0, ..., V^M."""
    weight = case.eta * case.gamma * (case.m + 2 + late) ** 2 / 4
    gaps = (case.loss(case.f) - case.loss(f)) * np.concatenate([[0 * case.eta], weight])
    return gaps + ((f - case.hat) ** 2).sum(axis=1) / 2


def _step(case, variant, f, factor=1, late=0):
    V = _potential(case, f, late)
    gain = case.delta()
    gain = np.where(gain < 0, factor * gain, gain)
    return BoundCheck("C.4", variant, "upper", V[1:], V[:-1] + gain, case.slack, case.level)


def _applies(case):
    return case.gamma < case.theta2


@claim("AGBM, Lemma C.4", (AGBM, LINE), printed="refuted", corrected="verified")
def check_potential(case, variant):
    """V^{m+1} <= V^m + delta_m: printed for every f, corrected for f = f*."""
    if not _applies(case):
        return None
    found = [_step(case, variant, case.y)]
    return found if variant == "corrected" else [*found, _step(case, variant, -case.y / 10)]


def _sums(case, variant, factor=1):
    part = case.delta()
    sums = np.cumsum(np.where(part < 0, part, factor * part))
    return BoundCheck(
        "C.5", variant, "upper", sums, 0 * case.m, 1e-12 * float(np.abs(part).sum()) * (not case.exact), case.level
    )


@claim("AGBM, Lemma C.5", (AGBM, LINE), printed="verified", sharpened="verified")
def check_sums(case, variant):
    """delta_0 + ... + delta_m <= 0; sharpened: for every gamma <= (1 - sqrt(1 - Theta^2))^2."""
    return _sums(case, variant) if _applies(case) and case.within(variant) else None


def _exact_fit(case, variant):
    """delta_m where every target is fitted, with s or its square below."""
    if case.theta2 != 1 or not _applies(case):
        return None
    s = case.gamma
    bound = -(1 - s) / 2 * case.alpha**2 * (case.r * case.r).sum(axis=1) / (2 * (s if variant == "corrected" else s**2))
    return [
        BoundCheck("C.1", variant, "tight", case.delta(), bound, case.slack, case.level),
        BoundCheck("C.1", variant, "tight", (case.e * case.e).sum(axis=1), 0 * bound, case.slack, case.level),
    ]


@claim("AGBM, Remark C.1", LINE, printed="refuted", corrected="verified")
def check_exact_fit(case, variant):
    """Where every target is fitted nothing is left over, and delta_m = -(1 - s - t) alpha_m^2 / (2 s) ||r^m||^2; printed with 2 s^2."""
    return _exact_fit(case, variant)


CASES = {
    **agbm.CASES,
    "five coordinates, gamma 1/8": lambda: agbm.eye((5, 4, 3, 2, 1), agbm.F(1, 8), 40),
}

SABOTAGE = {
    check_potential: {
        "five times the fall": lambda case: _step(case, "corrected", case.y, factor=5) if _applies(case) else None,
        "the weight of a round later": lambda case: _step(case, "corrected", case.y, late=1) if _applies(case) else None,
    },
    check_exact_fit: {
        "for two coordinates": lambda case: (
            None
            if case.theta2 == 1
            else BoundCheck("C.1", "corrected", "tight", (case.e * case.e).sum(axis=1), 0 * case.m, case.slack, case.level)
        ),
    },
    check_sums: {
        "gamma = 1/8 on five coordinates": lambda case: (
            _sums(case, "printed") if _applies(case) and not case.within("sharpened") else None
        ),
    },
}
