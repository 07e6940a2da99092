r"""How many learners to draw (Remark 4.4, and claims on rates).

Problem: the squared loss over an orthonormal basis of p learners; one epoch examines p learners: p
/ t steps of Type 1.

Method: RGBM, Type 1, step 1 / sigma.

Assumptions: orthonormal learners, all coordinates of y equal (the slowest start).

Claim: printed: the gap guaranteed after an epoch is smallest for t = sqrt p; true of the guarantee.
The advice to draw sqrt p learners follows from a loose constant. It is false if it means that the
expected gap there is at most that at t = 1. Sharpened, ours: the second-moment rate (1 - mu / (p
sigma))^(p / t) holds for every t, is attained at t = 1, and is smallest there; the angle itself
gives t^2 / p^2 up to t = sqrt p. Rates: Theta_inf^2 >= lambda_pmin / K, so Theorem 4.1 beats 1 -
lambda_pmin / (4 K) of Freund, Grigas, Mazumder by a factor of at least 4 in the exponent.

Constants: p = 64 and 144, exact: with equal coordinates the number of zeros is a Markov chain.

Measured: the expected gap after a number of epochs, relative to the start, from the chain, in
rationals.

Reference: Lu, Mazumder, Remark 4.4; docs/geometry.md.
"""

import functools
from dataclasses import dataclass
from fractions import Fraction
from math import comb, isqrt

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from coordboost.theory.distances import lambda_pmin
from verification.rgbm import unit_columns
from verification.space import Space
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import claim, stated


@functools.cache
def gap(p, t, steps):
    """Return the expected share of coordinates not fitted after `steps`: a step fits one, unless
    all t drawn are fitted already.
    """
    law = [Fraction(0)] * (p + 1)
    law[0] = Fraction(1)
    for _ in range(steps):
        stay = [Fraction(comb(z, t), comb(p, t)) for z in range(p + 1)]
        law = [
            law[z] * stay[z] + (law[z - 1] * (1 - stay[z - 1]) if z else 0) for z in range(p + 1)
        ]
    return sum(mass * Fraction(p - z, p) for z, mass in enumerate(law))


@dataclass(frozen=True)
class Epochs:
    """The gaps after some epochs for several t."""

    p: int
    epochs: int

    @property
    def ts(self):
        """Divisors of p among the numbers of learners drawn, so that epochs are whole steps.

        Sqrt p is one.
        """
        return [t for t in (1, 2, 4, isqrt(self.p), self.p // 2, self.p) if self.p % t == 0]

    def gap(self, t):
        """Expected relative gap."""
        return gap(self.p, t, self.epochs * self.p // t)


EPOCHS = Space(
    "numbers of learners, and of epochs",
    lambda rng: ((int(rng.integers(2, 9)) ** 2, int(rng.integers(1, 3))), np.zeros(0)),
    lambda shape, _: Epochs(*shape),
    has=lambda case: isinstance(case, Epochs),
)


def _advice(case, factor=1):
    root = isqrt(case.p)
    return BoundCheck(
        "Remark 4.4, advice",
        "printed",
        "upper",
        [case.gap(root)],
        [factor * case.gap(1)],
        0,
        "exact",
        at=[case.p],
        along="p",
    )


@claim("Remark 4.4, advice", EPOCHS, printed="refuted")
def check_advice(case, variant):
    """After some epochs the expected gap for t = sqrt p is not above that for t = 1."""
    return _advice(case)


def _guarantee(case, square):
    """Compare the guarantees after an epoch, for t = sqrt p and for every t, with Theta^2 =
    square(t).
    """
    bounds = [(1 - square(t)) ** (case.p // t) for t in case.ts]
    root = bounds[case.ts.index(isqrt(case.p))]
    return BoundCheck(
        "Remark 4.4, guarantee",
        "printed",
        "upper",
        [root] * len(bounds),
        bounds,
        0,
        "exact",
        case.ts,
        along="t",
    )


@claim("Remark 4.4, guarantee", EPOCHS, printed="verified")
def check_guarantee(case, variant):
    """(1 - Theta^2)^(p / t), Theta = min(t / p, 1 / sqrt p), is smallest at t = sqrt p."""
    return _guarantee(case, lambda t: min(Fraction(t * t, case.p**2), Fraction(1, case.p)))


def _rate(case, extra=0):
    shares = [(1 - Fraction(1 + extra, case.p)) ** (case.epochs * case.p // t) for t in case.ts]
    gaps = [case.gap(t) for t in case.ts]

    def held(kind, measured, bound):
        return BoundCheck(
            "One learner is best per epoch",
            "sharpened",
            kind,
            measured,
            bound,
            0,
            "exact",
            case.ts[: len(bound)],
            along="t",
        )

    return [
        held("upper", gaps, shares),
        held("tight", gaps[:1], shares[:1]),
        held("upper", gaps[:1] * len(gaps), gaps),
    ]


@claim("One learner is best per epoch", EPOCHS, sharpened="verified")
def check_rate(case, variant):
    """Gap after p / t steps <= (1 - 1 / p)^(p / t); equality at t = 1, where it is smallest."""
    return _rate(case)


def _against(case, factor=1.0):
    if isinstance(case, Epochs) or not isinstance(case, np.ndarray):
        return None
    smallest = lambda_pmin(case) / case.shape[1]
    return BoundCheck(
        "Better than 1 - lambda_pmin / (4 K)",
        "printed",
        "upper",
        [factor * smallest],
        [cb.theory.mca(case).lower ** 2],
        1e-9,
        "float",
        at=[1],
        along="case",
    )


check_against = stated(
    "Better than 1 - lambda_pmin / (4 K)",
    (DRAWS, BASIS),
    "The angle of Type 0 against the constant of Freund, Grigas and Mazumder.",
    printed="least_eigenvalue <= K * angle2",
    assuming="kind == 0",
)


@check_against.otherwise
def _(case, variant):
    """Theta_inf^2 >= lambda_pmin / K."""
    return _against(case)


CASES = {
    "p = 64, 2 epochs": lambda: Epochs(64, 2),
    "p = 144, 1 epoch": lambda: Epochs(144, 1),
    "identity": lambda: np.eye(4),
    **{
        f"rank {rank}, {seed}": (lambda rank=rank, seed=seed: unit_columns(rank, 7, 5, seed))
        for rank in (2, 3, 4)
        for seed in range(4)
    },
}
QUICK = ("p = 64, 2 epochs", "identity", "rank 2, 0", "rank 3, 0")

SABOTAGE = {
    check_advice: {"half the gap of t = 1": lambda case: _advice(case, Fraction(1, 2))},
    check_guarantee: {
        "the second-moment angle": lambda case: _guarantee(case, lambda t: Fraction(1, case.p))
    },
    check_rate: {"1 + 1 / 8 in place of 1": lambda case: _rate(case, Fraction(1, 8))},
    check_against: {"a tenth more": lambda case: _against(case, 1.1)},
}
