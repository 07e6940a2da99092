r"""Remarks of the text: the gradient, lengths of learners, kinds of rules, dense dictionaries, and
losses that are not strongly convex.

Problem: smooth losses over unit columns; for Remark 1.1 columns of any length.

Method: RGBM = RtGCD with the constant step 1 / sigma.

Assumptions: those of each remark.

Claim: tight, (8): the gradient is -B' r. Tight, Remark 1.1: learners of any length give the same
models if selection and steps use their directions. Kinds of rules: Type 3 with one group drawn is
Type 2, with all groups Type 0. Remark 4.2 as printed: Theta is of the order 1 / sqrt p up to p =
t^2, and t / p beyond. Remark 4.3: the ternary dictionary is denser than an orthonormal one. Remark
4.4 with any mu / sigma: the guarantee after an epoch is best at t = sqrt p. Sharpened and refuted:
the rate of Theorem 4.1 with mu = 1 / 20 for the plain logistic loss, which is not strongly convex.

Constants: none.

Measured: in rationals; differences of losses for (8); in floats for Remarks 4.3 and 4.4 and the
logistic loss.

Reference: Lu, Mazumder, (8), Section 1.2.1, Remarks 1.1, 4.2, 4.3, 4.4, Theorem 4.1.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, sqrt

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import claim, stated
from verification.theorems.rgbm_examples import ternary

check_gradient = stated(
    "(8)",
    (DRAWS, BASIS),
    "The gradient equals differences of the loss, which are exact for a quadratic.",
    printed="slopes == gradient",
)
check_lengths = stated(
    "Remark 1.1",
    (DRAWS, BASIS),
    "Steps along learners that are 1, 2, ... times as long depend on their directions only.",
    printed="long_step == one_step",
)
check_types = stated(
    "Kinds of rules",
    (DRAWS, BASIS),
    "The norm with one place drawn is that of Type 2, with all places that of Type 0.",
    printed="norm_of_one == norm_of_type_2 and norm_of_all == norm_of_type_0",
)


@dataclass(frozen=True)
class Sizes:
    """p orthonormal learners, t of them drawn, mu / sigma."""

    p: int
    t: int
    ratio: Fraction

    def angle2(self, t):
        """Return the square of the angle, min(t / p, 1 / sqrt p)^2."""
        return min(Fraction(t * t, self.p**2), Fraction(1, self.p))


def _sizes(shape, numbers):
    root, t = shape
    ratio = abs(Fraction(numbers[0])) if len(numbers) else Fraction(1)
    return (
        Sizes(root * root, t, min(ratio, Fraction(1)))
        if 1 <= t <= root * root and ratio > 0
        else None
    )


SIZES = Space(
    "numbers of orthonormal learners, a square",
    lambda rng: ((int(rng.integers(1, 12)), int(rng.integers(1, 144))), rng.random(1)),
    lambda shape, numbers: _sizes(
        shape, [Fraction(float(x)) if not isinstance(x, Fraction) else x for x in numbers]
    ),
    has=lambda case: isinstance(case, Sizes),
)


@claim("Remark 4.2, order", SIZES, printed="verified")
def check_order(case, variant):
    """Theta is 1 / sqrt p where p <= t^2, and t / p elsewhere: exactly, not only in order."""
    return _order(case, case.p <= case.t**2)


def _order(case, many):
    """Check the claim Theta = 1 / sqrt p if `many`, which does not depend on t, and Theta = t / p
    otherwise.
    """
    stated = Fraction(1, case.p) if many else Fraction(case.t**2, case.p**2)
    return BoundCheck(
        "Remark 4.2, order",
        "printed",
        "tight",
        case.angle2(case.t),
        stated,
        0,
        "exact",
        along="end",
    )


@claim("Remark 4.3", SIZES, printed="verified")
def check_dense(case, variant):
    """The angle of the ternary dictionary is not below that of an orthonormal one."""
    return BoundCheck(
        "Remark 4.3",
        variant,
        "upper",
        1 / sqrt(case.p),
        ternary(case.p),
        1e-12,
        at=[case.p],
        along="p",
    )


@claim("Remark 4.4, any mu / sigma", SIZES, printed="verified")
def check_guarantee(case, variant):
    """(1 - mu / sigma Theta^2)^(p / t) is smallest at t = sqrt p."""
    return _guarantee(case, isqrt(case.p))


def _guarantee(case, best):
    """Compare the guarantees per learner, (1 - mu / sigma Theta^2)^(1 / t), for t = `best` and for
    the t of the case.
    """
    at_best, here = (1 - case.ratio * case.angle2(t) for t in (best, case.t))
    sides = float(at_best) ** (1 / best), float(here) ** (1 / case.t)
    return BoundCheck(
        "Remark 4.4, any mu / sigma",
        "printed",
        "upper",
        *sides,
        1e-12,
        "float",
        at=[case.t],
        along="t",
    )


@dataclass(frozen=True)
class Plain:
    """The plain logistic loss of one sample of label 1 over one learner: `n_steps` steps of 1 /
    sigma = 4 from 0.
    """

    n_steps: int

    @property
    def gaps(self):
        """L(beta_M) for every M; the infimum 0 is not attained."""
        beta = 0.0
        out = []
        for _ in range(self.n_steps + 1):
            out.append(np.logaddexp(0, -beta))
            beta += 4 / (1 + np.exp(beta))
        return np.array(out)


PLAIN = Space(
    "steps on the plain logistic loss",
    lambda rng: ((int(rng.integers(1, 40)),), np.zeros(0)),
    lambda shape, _: Plain(shape[0]),
    exact=False,
    has=lambda case: isinstance(case, Plain),
)


@claim("Theorem 4.1 without strong convexity", PLAIN, sharpened="refuted")
def check_plain(case, variant):
    """The rate with mu = 1 / 20: plain logistic loss, whose gap falls like 1 / M only."""
    gaps = case.gaps
    bound = (1 - Fraction(1, 5)) ** np.arange(len(gaps)) * gaps[0]
    return BoundCheck(check_plain.statement, variant, "upper", gaps, bound.astype(float), 1e-12)


CASES = {
    "one learner": lambda: Plain(30),
    "sixteen learners": lambda: Sizes(p=16, t=3, ratio=Fraction(1, 4)),
    "a hundred learners": lambda: Sizes(p=100, t=20, ratio=Fraction(1, 100)),
    "one of nine": lambda: Sizes(p=9, t=1, ratio=Fraction(1, 2)),
    "all of four": lambda: Sizes(p=4, t=4, ratio=Fraction(1)),
}


SABOTAGE = {
    check_gradient: {"the other sign": check_gradient.instead("slopes == -gradient")},
    check_lengths: {"steps twice as long": check_lengths.instead("2 * long_step == one_step")},
    check_types: {
        "one place drawn is Type 0": check_types.instead("norm_of_one == norm_of_type_0")
    },
    check_order: {
        "1 / sqrt p wherever t > 2": lambda case: _order(case, case.t > 2),
        "t / p wherever t < 50": lambda case: _order(case, case.t >= 50),
    },
    check_dense: {
        "the other way round": lambda case: BoundCheck(
            "x", "printed", "upper", ternary(case.p), 1 / sqrt(case.p), 1e-12
        )
    },
    check_guarantee: {"best at t = 1": lambda case: _guarantee(case, 1)},
}
