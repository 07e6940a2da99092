r"""How long a period must be for restarts to halve the gap (Theorem 4.2).

Problem: a 1-smooth loss with strong convexity mu, over the multiples of unit columns that span R^n.

Method: AGBM for the M rounds of one period, from f^0 = 0.

Assumptions: those of Theorem 4.1, and mu > 0; checked.

Claim: upper: L(f^M) - L* <= (L(f^0) - L*) / 2, printed M = ceil(sqrt(2 / (eta gamma mu))),
corrected M = ceil(sqrt(8 / (eta gamma mu))). Sharpened: the same for gamma <= (1 - sqrt(1 -
Theta^2))^2; for every M: L(f^M) - L* <= 4 / (mu eta gamma (M + 1)^2) (L(f^0) - L*).

Constants: mu = min w of the loss.

Measured: the gap after a period, relative to the gap before.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Theorem 4.2, Algorithm 3 with Option 1.
"""

from coordboost.theory.bounds import accelerated
from verification import agbm
from verification.agbm_runs import run
from verification.spaces.momentum import AGBM, LINE
from verification.statement import Check, refuted, stated
from verification.theorems.agbm_theorem_4_1 import PRINTED, SHARPER

#: The sharper limit of gamma, and a loss that is quadratic, without a cap.
SQUARES = f"{SHARPER} and parabolas"


def _half(period, part=2):
    """Return a formula: from round `period` on, the gap is at most the first gap divided by `part`.

    Before, a bound that always holds.
    """
    return f"gaps <= where(k >= {period}, gaps[0] / {part}, 100 * (gaps + gaps[0]))"


LONG = {
    variant: f"{limit} and parabolas and k[-1] >= long"
    for variant, limit in (("corrected", PRINTED), ("sharpened", SHARPER))
}

check_halving = stated(
    "AGBM, Theorem 4.2",
    LINE,
    "After a period the gap is at most half of the first.",
    printed=refuted(_half("short")),
    corrected=_half("long"),
    sharpened=_half("long"),
    where={"short": accelerated.PERIOD["printed"], "long": accelerated.PERIOD["corrected"]},
    assuming={"printed": f"{PRINTED} and parabolas and k[-1] >= short", **LONG},
)
RUNS = Check(accelerated.halved, ())


@check_halving.otherwise
def _(case, variant):
    """A run of the package."""
    return RUNS(case, variant)


check_every = stated(
    "AGBM, proof of Theorem 4.2",
    (AGBM, LINE),
    "The gap after every round, relative to the first.",
    sharpened="later(gaps) <= 4 / (mu * eta * gamma * (k + 2)**2) * gaps[0]",
    assuming=SQUARES,
)


CASES = {
    "one dimension, eta 0.001": lambda: agbm.line(1e-3, 0.2, 240),
    "one dimension, eta 0.0001": lambda: agbm.line(1e-4, 0.2, 640),
    "one dimension, gamma 1": lambda: agbm.line(1e-2, 1.0, 40),
    "two coordinates": lambda: agbm.eye((2, 1), agbm.limit(agbm.F(1, 2)), 14),
    "four weights": lambda: agbm.weighted(760),
    "star, sharper gamma": lambda: agbm.star(400),
    "a run of the package": lambda: run("squared", 1.0, 60),
}

SABOTAGE = {
    check_halving: {
        "half of the length, as printed": check_halving.instead(
            _half("short"), f"{PRINTED} and parabolas and k[-1] >= short"
        ),
        "a fifteenth in the place of a half": check_halving.instead(
            _half("long", 15), LONG["corrected"]
        ),
    },
    check_every: {
        "1.3 in the place of 4": check_every.instead(
            "10 * later(gaps) <= 13 / (mu * eta * gamma * (k + 2)**2) * gaps[0]", SQUARES
        ),
        "the cube of M + 1": check_every.instead(
            "later(gaps) <= 4 / (mu * eta * gamma * (k + 2)**3) * gaps[0]", SQUARES
        ),
    },
}
