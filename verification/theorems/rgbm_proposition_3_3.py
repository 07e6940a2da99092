r"""The weights approach a Beta density (Proposition 3.3), and how soon (text beside Figure 2).

Problem: the distribution of the rank of the winner among K learners when t are drawn.

Method: Type 1.

Assumptions: t fixed, K to infinity, j / K = q in (0, 1).

Claim: upper: the largest abs(K gamma_t^K(j) - t (1 - q)^{t-1}) over j is at most C / K with C = t^2
(t + 1) / 2, so it halves when K doubles. Printed beside Figure 2: for t = 10 the curves cannot be
told apart from K = 40 on; taken as: they differ by at most a tenth of the height of the density.
This is false: at the first point the values are 10 and 7.96. Corrected: from K = 120 on.

Constants: none.

Measured: the difference at every q = j / K, in rationals.

Reference: Lu, Mazumder, Proposition 3.3, Figure 2.
"""

from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.statement import claim

SIZES = (20, 40, 80, 160, 320)


def difference(t, K):
    """Return the largest abs(K gamma(j) - t (1 - j / K)^{t-1}) over j = 1..K, a Fraction."""
    return max(
        abs(K * Fraction(comb(K - j, t - 1), comb(K, t)) - t * (1 - Fraction(j, K)) ** (t - 1))
        for j in range(1, K + 1)
    )


def _limit(case, power=1):
    t, measured, sizes = case
    bounds = [Fraction(t * t * (t + 1), 2) / K**power for K in sizes]
    return BoundCheck(
        "Proposition 3.3", "printed", "upper", measured, bounds, 0, "exact", at=sizes, along="K"
    )


RANKS = Space(
    "numbers of learners drawn, and of learners",
    lambda rng: ((int(rng.integers(1, 7)), int(rng.integers(20, 200))), np.zeros(0)),
    lambda shape, _: (shape[0], [difference(*shape)], [shape[1]]) if shape[0] <= shape[1] else None,
)
TENS = replace(RANKS, draw=lambda rng: ((10, int(rng.integers(20, 200))), np.zeros(0)))


@claim("Proposition 3.3", RANKS, printed="verified")
def check_limit(case, variant):
    """K gamma_t^K(j) -> t (1 - q)^{t-1}, at the rate 1 / K."""
    return _limit(case)


def _figure(case, variant, start):
    t, measured, sizes = case
    far = [(K, value) for K, value in zip(sizes, measured, strict=True) if start <= K]
    sides = [value for _, value in far], [Fraction(t, 10)] * len(far)
    return (
        BoundCheck(
            "Figure 2, text",
            variant,
            "upper",
            *sides,
            0,
            "exact",
            at=[K for K, _ in far],
            along="K",
        )
        if t == 10 and far
        else None
    )


@claim("Figure 2, text", TENS, printed="refuted", corrected="verified")
def check_figure(case, variant):
    """T = 10: from K = 40 (corrected: 120) on the curves differ by less than a tenth of the
    height.
    """
    return _figure(case, variant, 40 if variant == "printed" else 120)


#: Just below and at the values of K from which the claim on Figure 2 starts, as printed (40) and as
#: corrected (120).
ENDS = (39, 40, 119, 120)
CASES = {
    f"t = {t}": (lambda t=t: (t, [difference(t, K) for K in SIZES], list(SIZES)))
    for t in (1, 2, 3, 5, 10)
}
CASES |= {
    "t = 10, where the text begins": lambda: (10, [difference(10, K) for K in ENDS], list(ENDS))
}

SABOTAGE = {
    check_limit: {"at the rate 1 / K^2": lambda case: _limit(case, power=2)},
    check_figure: {"from K = 20 on": lambda case: _figure(case, "corrected", 20)},
}
