r"""The potential of accelerated boosting, and the sum of its increments over all rounds (Lemmas
C.4, C.5).

Problem: a convex, 1-smooth loss over the multiples of unit columns that span R^n.

Method: AGBM (Algorithm 2).

Assumptions: C.4 eta <= 1 and gamma < Theta^2; C.5 gamma <= Theta^4 / (4 + Theta^2), sharpened gamma
<= (1 - sqrt(1 - Theta^2))^2; checked.

Claim: upper. C.4: V^{m+1} <= V^m + delta_m with V^m = (alpha_{m-1} / theta_{m-1}) (L(f^m) - L(f)) +
||f - hhat^m||^2 / 2, printed for every f. One step of the proof needs L(f^m) >= L(f); corrected:
for f = f*. C.5: delta_0 + ... + delta_m <= 0. Tight, Remark C.1: in one dimension, where every
target is fitted exactly, delta_m has a closed form; one of its constants is misprinted.

Constants: Theta in closed form; delta_m from s = gamma / Theta^2 and t = (1 - s) / 2.

Measured: at f = f*; the printed claim also at f = -f* / 10, where the loss is a little above that
at the start.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Appendix C, Lemmas C.4 and C.5 (C.5 and C.6 in the
main text), Remark C.1.
"""

from verification import agbm
from verification.spaces.momentum import AGBM, LINE
from verification.statement import refuted, stated
from verification.theorems.agbm_theorem_4_1 import PRINTED, SHARPER

#: s < 1.
SMALL = "gamma < theta2"

check_potential = stated(
    "AGBM, Lemma C.4",
    (AGBM, LINE),
    "The potential grows by at most delta: printed for every f, here f* and -f* / 10; "
    "corrected for f*.",
    printed=refuted("later(potential) <= potential + gain and later(above) <= above + gain"),
    corrected="later(potential) <= potential + gain",
    assuming=SMALL,
)
check_sums = stated(
    "AGBM, Lemma C.5",
    (AGBM, LINE),
    "The sum of the increments delta over all rounds is at most 0.",
    printed="total(gain) <= 0",
    sharpened="total(gain) <= 0",
    assuming={"printed": f"{SMALL} and {PRINTED}", "sharpened": f"{SMALL} and {SHARPER}"},
)
check_exact_fit = stated(
    "AGBM, Remark C.1",
    LINE,
    "If every target is fitted exactly, nothing is left over, and delta has a closed form.",
    printed=refuted(
        "gain == -(1 - gamma) / (4 * gamma**2) * alpha_m**2 * residual2 and left2 == 0"
    ),
    corrected="gain == -(1 - gamma) / (4 * gamma) * alpha_m**2 * residual2 and left2 == 0",
    assuming=f"{SMALL} and theta2 == 1",
)


CASES = {
    **agbm.CASES,
    "five coordinates, gamma 1/8": lambda: agbm.eye((5, 4, 3, 2, 1), agbm.F(1, 8), 40),
}

SABOTAGE = {
    check_potential: {
        "five times the fall": check_potential.instead(
            "later(potential) <= potential + least(5 * gain, gain)", SMALL
        ),
        "the weight of a round later": check_potential.instead(
            "later(potential_of(y, 1)) <= potential_of(y, 1) + gain", SMALL
        ),
    },
    check_exact_fit: {"for two coordinates": check_exact_fit.instead("left2 == 0", "theta2 != 1")},
    check_sums: {
        "gamma = 1/8 on five coordinates": check_sums.instead(
            "total(gain) <= 0", f"{SMALL} and gamma > sharp"
        )
    },
}
