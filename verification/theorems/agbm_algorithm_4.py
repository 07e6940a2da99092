r"""Momentum without the correction (Algorithm 4, VAGBM) has no convergence rate: exact
counterexamples.

Problem: sum_i (f_i - y_i)^2 / 2 over multiples of the coordinate vectors, ties to the lowest index.

Method: VAGBM with eta = 1 and gamma = 1; for comparison AGBM with gamma at the limit of Theorem
4.1.

Assumptions: none; the paper argues that errors add up, and proves no lower bound.

Claim: upper, refuted: the rate of Theorem 4.1 with the corrected constant holds for VAGBM. Tight:
on five coordinates with y = 1 the losses of rounds 0 to 8 are 5/2, 2, 3/2, 33/32, 513/800, 77/200,
25/49, 11469/25088, 23575/75264. Upper: from round 30 on the loss is above the loss at the start.

Constants: Theta^2 = 1/5.

Measured: losses, in Fractions.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Algorithm 4, Appendix B, Figures 2 and 3; the
counterexamples are ours.
"""

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification import agbm
from verification.agbm import F
from verification.spaces.momentum import VAGBM
from verification.statement import claim, refuted, stated

FIRST = [
    F(5, 2),
    F(2),
    F(3, 2),
    F(33, 32),
    F(513, 800),
    F(77, 200),
    F(25, 49),
    F(11469, 25088),
    F(23575, 75264),
]
#: From this round on, the loss is above the loss at the start.
SINCE = 30


check_rate = stated(
    "VAGBM, the rate of Theorem 4.1",
    VAGBM,
    "The rate of Theorem 4.1 for momentum without a correction.",
    printed=refuted("later(gaps) <= 2 * radius2 / (eta * (k + 2)**2)"),
    assuming="one",
)


@claim(
    "VAGBM on five coordinates",
    sharpened="verified",
    shown={"sharpened": f"gaps == ({', '.join(map(str, FIRST))})"},
)
def check_values(case, variant):
    """The first nine losses, k = 0, ..., 8, where y = 1 on five coordinates."""
    if case.one and (case.y == 1).all() and len(case.y) == 5:
        return BoundCheck(
            check_values.statement, variant, "tight", case.gaps[:9], FIRST, 0, "exact"
        )
    return None


def _above(case, since, factor=1):
    if not case.one or len(case.y) != 5:
        return None
    later = case.gaps[since:]
    return BoundCheck(
        "above",
        "sharpened",
        "upper",
        factor * case.gaps[0] + 0 * later,
        later,
        0,
        "exact",
        at=np.arange(since, len(case.gaps)),
    )


@claim(
    "VAGBM comes back above its start",
    sharpened="verified",
    shown={"sharpened": f"gaps > where(k >= {SINCE}, gaps[0], 0)"},
)
def check_above(case, variant):
    """From round 30 on, the loss is above the loss at the start, on five coordinates."""
    return _above(case, SINCE)


CASES = {
    "five equal ones": lambda: agbm.eye((1,) * 5, 1, 44, one=True),
    "five coordinates": lambda: agbm.eye((5, 4, 3, 2, 1), 1, 44, one=True),
    "ten equal ones": lambda: agbm.eye((1,) * 10, 1, 44, one=True),
}


SABOTAGE = {
    check_rate: {
        "ten times as much": check_rate.instead(
            "later(gaps) <= 20 * radius2 / (eta * (k + 2)**2)", "one"
        )
    },
    check_values: {
        "with the correction": lambda case: BoundCheck(
            "values",
            "printed",
            "tight",
            agbm.eye((1,) * 5, agbm.limit(F(1, 5)), 8).gaps,
            FIRST,
            0,
            "exact",
        ),
        "gamma of 0.99": lambda case: BoundCheck(
            "values",
            "printed",
            "tight",
            agbm.eye((1,) * 5, F(99, 100), 8, one=True).gaps,
            FIRST,
            0,
            "exact",
        ),
    },
    check_above: {
        "from round 10 on": lambda case: _above(case, 10),
        "500 times its start": lambda case: _above(case, SINCE, 500),
    },
}
