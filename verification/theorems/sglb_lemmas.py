r"""Langevin boosting: learners as projectors, convergence of the distribution of the choice, and
why no direction is lost.

Problem: learners H_s, blocks of columns, linear in their parameters, drawn with fixed
probabilities; or two orthonormal learners.

Method: the choice of SGLB (Algorithm 2), with noise N(0, sigma^2 I); by the decrease of the squared
error (greedy), or by signed products.

Assumptions: every block is drawn with a positive probability; for the distribution of the choice u
= ||g|| / sigma.

Claim: Lemma 1, exact: P_s is an orthogonal projector with the image of H_s. Lemma 2 with a constant
of ours, upper: the total variation between the distribution of the choice and its limit is at most
2 Phi(u/2) - 1, tight for the signed choice as u tends to 0; at most u^2 / (2 pi) for two learners
and the greedy choice, which ignores signs. Statement 1, exact: the mean projector is invertible on
the span of all columns.

Constants: none is estimated; for two orthonormal learners the distribution of the choice is known
in closed form.

Measured: entries of P^2 - P, P - P' and P H - H in Fractions; total variations; ranks in Fractions.

Reference: Ustimenko, Prokhorenkova, SGLB, Lemmas 1 and 2, Statement 1.
"""

from dataclasses import dataclass
from fractions import Fraction as F
from math import erf, pi, sqrt

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.spaces.blocks import BLOCKS, exact_blocks, independent, projector
from verification.spaces.linear import solved
from verification.statement import claim


def normal(x):
    """Return Phi(x), the normal distribution function."""
    return (1 + erf(x / sqrt(2))) / 2


@dataclass(frozen=True, eq=False)
class Choice:
    """Gradients g = u sigma (cos, sin) in the plane of two orthonormal learners, for some u and
    angles.
    """

    u: np.ndarray
    angle: np.ndarray

    def off(self, signed):
        """Return the total variation between the distribution of the choice and its limit (1/2,
        1/2).
        """
        one = self.u * np.cos(self.angle + pi / 4)
        two = self.u * np.sin(self.angle + pi / 4)
        phi = np.vectorize(normal)
        return abs(phi(one) - 0.5) if signed else abs(2 * phi(one) - 1) * abs(2 * phi(two) - 1) / 2


CHOICES = Space(
    "a gradient beside two learners",
    lambda rng: ((), np.array([10 ** rng.uniform(-3, 1), rng.uniform(-pi, pi)])),
    lambda shape, numbers: (
        Choice(np.abs(numbers[:1]), numbers[1:]) if 1e-3 <= abs(numbers[0]) <= 30 else None
    ),
    exact=False,
    has=lambda case: isinstance(case, Choice),
)


@claim("SGLB, Lemma 1", BLOCKS, printed="verified")
def check_projector(case, variant):
    """P_s = P_s' = P_s^2 with the image of H_s: P^2 is P, P is P', and P H is H, entry by entry."""
    return _projector(case, projector)


def _projector(case, project):
    pairs = []
    for H in case.blocks:
        P = project(H)
        pairs += [(P @ P, P), (P, P.T), (P @ H, H)]
    sides = (
        np.concatenate([matrix.ravel() for matrix in side]) for side in zip(*pairs, strict=True)
    )
    return BoundCheck("SGLB, Lemma 1", "printed", "tight", *sides, F(0), "exact", along="entry")


def _with_weights(H):
    """Return the weighted least-squares fit with weights 1, 2, ...: it has the image of H, but is
    not symmetric.
    """
    basis = independent(H)
    weighted = basis * (1 + np.arange(len(basis)))[:, None]
    return basis @ solved(weighted.T @ basis, weighted.T)


@claim("SGLB, Lemma 2", CHOICES, sharpened="verified")
def check_choice(case, variant):
    """Total variation between p_*(s|g) and its limit <= 2 Phi(u/2) - 1, u = ||g|| / sigma: ours,
    tight as u tends to 0.
    """
    return _choice(case, True, lambda u: 2 * normal(u / 2) - 1)


@claim("SGLB, rate of the greedy choice", CHOICES, sharpened="verified")
def check_even(case, variant):
    """Two orthonormal learners, greedy: total variation <= u^2 / (2 pi), of order eps, not
    sqrt(eps): ours.
    """
    return _choice(case, False, lambda u: u * u / (2 * pi))


def _choice(case, signed, bound):
    return BoundCheck(
        "choice",
        "sharpened",
        "upper",
        case.off(signed),
        np.vectorize(bound)(case.u),
        1e-14,
        "float",
    )


@claim("SGLB, Statement 1", BLOCKS, printed="verified")
def check_invertible(case, variant):
    """The rank of the mean projector equals that of all columns together."""
    return _rank(case, lambda chance: chance)


def _rank(case, chances):
    rank = independent(case.mean(chances(case.chance))).shape[1]
    return BoundCheck(
        "SGLB, Statement 1",
        "printed",
        "tight",
        np.array([F(rank)]),
        np.array([F(case.rank)]),
        F(0),
        "exact",
    )


def _never_the_last(chance):
    """Return the probabilities with 0 for the last block."""
    out = chance.copy()
    out[-1] = 0 * out[-1]
    return out


CASES = {
    "two blocks, one dependent column": lambda: exact_blocks(
        [(1, 2, 0, 1), (0, 1, 1, 1)],
        [(1, 3, 1, 2), (2, -1, 0, 1)],
        chance=(1, 2),
        gamma=F(1, 10),
    ),
    "leaves of two trees": lambda: exact_blocks(
        [(1, 1, 0, 0), (0, 0, 1, 1)], [(1, 0, 1, 0), (0, 1, 0, 1)], chance=(1, 1), gamma=1
    ),
    "a column of zeros, a copy": lambda: exact_blocks(
        [(0, 0, 0), (1, 2, 1)], [(1, 2, 1)], chance=(1, 3), gamma=F(1, 2)
    ),
    "choice, against each other": lambda: Choice(np.geomspace(4, 1e-4, 30), np.full(30, -pi / 4)),
    "choice, one learner": lambda: Choice(np.geomspace(4, 1e-4, 30), np.zeros(30)),
    "choice, some angle": lambda: Choice(np.geomspace(4, 1e-4, 30), np.full(30, 0.3)),
}

SABOTAGE = {
    check_projector: {
        "ridge leaves": lambda case: _projector(case, lambda H: projector(H, F(1))),
        "fits with weights": lambda case: _projector(case, _with_weights),
    },
    check_choice: {
        "nine tenths of it": lambda case: _choice(
            case, True, lambda u: 0.9 * (2 * normal(u / 2) - 1)
        )
    },
    check_even: {
        "nine tenths of it": lambda case: _choice(case, False, lambda u: 0.9 * u * u / (2 * pi)),
        "the signed choice": lambda case: _choice(case, True, lambda u: u * u / (2 * pi)),
    },
    check_invertible: {"a block that is never drawn": lambda case: _rank(case, _never_the_last)},
}
