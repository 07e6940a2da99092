r"""Langevin boosting: three sentences of the paper that are false as printed.

Problem: the excess of a quadratic energy under its Gibbs distribution in d dimensions; the smoothed
0-1 loss at a margin z; two trees.

Method: none.

Assumptions: for trees, that of Theorem 3: the numbers of parameters of all learners add up to the
rank.

Claim: Markov's inequality as printed, P(excess > k mean) <= 1 - 1/k, refuted; corrected 1/k. The
smoothed 0-1 loss with s(x) = 1/(1 + e^x) rewards errors, refuted; corrected e^-x. Two trees are
independent learners, refuted: they share the constant.

Constants: none.

Measured: the tail of a gamma distribution; the loss of a right and of a wrong answer; numbers of
leaves and a rank in Fractions.

Reference: Ustimenko, Prokhorenkova, SGLB, the corollary of Theorem 2, Section 7.2, and the
assumption of Theorem 3.
"""

from dataclasses import dataclass
from fractions import Fraction as F
from math import exp

import numpy as np
import scipy.special

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.spaces.blocks import independent
from verification.spaces.linear import exact
from verification.statement import claim


@dataclass(frozen=True, eq=False)
class Tail:
    """The event that the excess energy in d dimensions, gamma distributed of shape d / 2, is above
    k times its mean.
    """

    d: int
    k: float

    def chance(self):
        return float(scipy.special.gammaincc(self.d / 2, self.k * self.d / 2))


@dataclass(frozen=True, eq=False)
class Margin:
    """A margin z > 0 and the width of the smoothed 0-1 loss."""

    z: float
    width: float


@dataclass(frozen=True, eq=False)
class Trees:
    """The leaves of two trees at n samples, each a 0-1 matrix (n, leaves)."""

    first: np.ndarray
    second: np.ndarray


def _trees(shape, numbers):
    n = shape[0]
    if len(numbers) != 2 * n:
        return None
    leaves = [int(x) % 3 for x in numbers]
    return Trees(leaves_of(leaves[:n]), leaves_of(leaves[n:]))


def leaves_of(numbers):
    """Return the leaves of a tree as a 0-1 matrix, given the number of the leaf of each sample."""
    return exact([[int(leaf == k) for k in np.unique(numbers)] for leaf in numbers])


TAILS = Space(
    "a tail",
    lambda rng: ((int(rng.integers(1, 30)),), np.array([1 + rng.exponential()])),
    lambda shape, numbers: Tail(shape[0], float(numbers[0])) if numbers[0] >= 1 else None,
    exact=False,
    has=lambda case: isinstance(case, Tail),
)
MARGINS = Space(
    "a margin",
    lambda rng: ((), 10 ** rng.uniform(-1, 0.5, 2)),
    lambda shape, numbers: (
        Margin(*map(float, numbers))
        if (numbers > 0).all() and numbers[0] < 300 * numbers[1]
        else None
    ),
    exact=False,
    has=lambda case: isinstance(case, Margin),
)
TREES = Space(
    "two trees",
    lambda rng: ((n := int(rng.integers(2, 8)),), rng.integers(0, 3, 2 * n).astype(float)),
    _trees,
    has=lambda case: isinstance(case, Trees),
)


@claim("SGLB, Markov's inequality after Theorem 2", TAILS, printed="refuted", corrected="verified")
def check_markov(case, variant):
    """P(excess > k mean) <= 1 - 1/k as printed, <= 1/k corrected."""
    return _markov(case, variant, 1.0)


def _markov(case, variant, factor):
    bound = 1 - 1 / case.k if variant == "printed" else factor / case.k
    return BoundCheck(
        "Markov",
        variant,
        "upper",
        case.chance(),
        bound,
        1e-14,
        "float",
        at=case.k,
        along="multiple",
    )


@claim("SGLB, the smoothed 0-1 loss", MARGINS, printed="refuted", corrected="verified")
def check_sigmoid(case, variant):
    """1 - s((2y - 1) z / width) is smaller for a right answer than for a wrong one: printed s(x) =
    1 / (1 + e^x), corrected e^-x.
    """
    sign = 1 if variant == "printed" else -1
    right, wrong = (1 - 1 / (1 + exp(sign * z / case.width)) for z in (case.z, -case.z))
    return BoundCheck(
        "sigmoid", variant, "upper", right, wrong, 0.0, "float", at=case.z, along="margin"
    )


@claim("SGLB, trees as independent learners", TREES, printed="refuted")
def check_trees(case, variant):
    """Theorem 3 assumes that the numbers of parameters of all learners add up to the rank.

    Any two trees share the constant.
    """
    return _together(case, 0)


def _together(case, shared):
    leaves = np.concatenate([case.first, case.second], axis=1)
    rank = independent(leaves).shape[1]
    return BoundCheck(
        "trees",
        "printed",
        "upper",
        np.array([F(leaves.shape[1] - shared)]),
        np.array([F(rank)]),
        F(0),
        "exact",
        at=len(leaves),
        along="samples",
    )


CASES = {
    **{
        f"a tail, d = {d}, k = {k:g}": (lambda d=d, k=k: Tail(d, k))
        for d in (1, 2, 9)
        for k in (1.0, 1.5, 2.0, 5.0, 20.0)
    },
    "a small margin": lambda: Margin(0.5, 1.0),
    "a large margin": lambda: Margin(2.0, 1.0),
    "two stumps": lambda: Trees(first=leaves_of([0, 0, 1, 1]), second=leaves_of([0, 1, 0, 1])),
}

SABOTAGE = {
    check_markov: {"a third of it": lambda case: _markov(case, "corrected", 1 / 3)},
    check_sigmoid: {"the other sign": lambda case: check_sigmoid(case, "printed")},
    check_trees: {"one constant too few": lambda case: _together(case, 0)},
}
