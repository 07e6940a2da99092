"""Cases for the geometric statements of Lu and Mazumder: points of coefficient space, with
distances and norms.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordboost.theory.bounds import BoundCheck
from coordboost.theory.distances import distance
from verification.rgbm import LABELS, RULES, law, norm, unit_columns

#: Rounding of a linear program, relative to values of size 1 to 10.
SLACK = 1e-6
N = 6


@dataclass(frozen=True, eq=False)
class Space:
    """Unit columns, a rule, and random points of coefficient space."""

    B: np.ndarray
    rule: Any
    points: np.ndarray

    label = np.array(LABELS)

    def far(self, one, two):
        """Dist(one, two)."""
        return distance(self.B, self.rule, one, two, groups=self.label)

    def gradients(self):
        """Vectors in the range of B^T."""
        return self.points @ self.B.T @ self.B

    def norm(self, a):
        """The norm of the rule."""
        return norm(self.rule, self.label, a)

    def subgradient(self, a):
        """Probabilities of the winners with the signs of a: <w, a> = norm(a), dual norm 1."""
        return law(self.rule, self.label, a).astype(float) * np.where(a < 0, -1, 1)


def space(rule, rank, seed=0):
    """Return a random dictionary of a given rank, with random points."""
    return Space(
        unit_columns(rank, seed=seed),
        rule,
        np.random.default_rng(rank).standard_normal((N, len(LABELS))),
    )


def hold(name, kind, measured, bound, variant="printed"):
    """Return a BoundCheck with the rounding error of linear programs as slack."""
    return BoundCheck(
        name,
        variant,
        kind,
        np.array(measured),
        np.array(bound),
        SLACK * (1 + np.abs(bound)),
        "float",
        along="point",
    )


def spaces(seed=0):
    """Return CASES: every rule in ranks 2 and 3."""
    return {
        f"{name}, rank {rank}": functools.partial(space, rule, rank, seed)
        for name, rule in RULES.items()
        for rank in (2, 3)
    }
