r"""Minimal cosine angles of the package, compared with those from a semidefinite solver.

Problem: up to five unit columns, of any rank up to four.

Method: selection rules of Types 0-3, whose norms measure the cosines.

Assumptions: none.

Claim: tight, Definition 4.2: the exact angle of the package equals the lower bound from
semidefinite programs, one for each pattern of signs of the cosines. These relaxations only
guarantee a lower bound; on these columns it is attained.

Constants: none; the norm is the largest w'|a| over all w that give the weights of the rule to
learners, or groups, in some order.

Measured: the lower bound from the relaxation, to the tolerance of the solver.

Reference: Lu, Mazumder, Definition 4.2; the programs are ours (``verification.judged``), solved by
Clarabel.
"""

import functools
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from verification.judged import angle_bound
from verification.rgbm import RULES, unit_columns
from verification.statement import claim

#: Clarabel stops at an absolute or relative error of 1e-8 in 1 / Theta^2, and reports inaccurate
#: solutions from 1e-5 on.
TOLERANCE = 1e-6


def weights_of(rule, label):
    """Return all w with F(a) = max_w w'|a|, (n_weights, n_learners): weights of the rule on one
    learner of each group, in every order.
    """
    if type(rule) is cb.rules.Greedy:
        return np.eye(len(label))
    label = np.arange(len(label)) if type(rule) is cb.rules.RandomSubset else label
    groups = [np.flatnonzero(label == g) for g in np.unique(label)]
    each = np.eye(len(label))
    orders = set(permutations(rule.weights(len(groups))))
    return np.array(
        [order @ each[list(members)] for order in orders for members in product(*groups)]
    )


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns B, a rule, groups."""

    B: np.ndarray
    rule: object
    label: np.ndarray

    @functools.cached_property
    def angle(self):
        """The angle by the package, an Interval."""
        return cb.theory.mca(self.B, self.rule, groups=self.label)

    @functools.cached_property
    def solver(self):
        """The lower bound by the solver."""
        return angle_bound(self.B, weights_of(self.rule, self.label))


@claim("Minimal cosine angle, by a solver", of=Columns, sharpened="verified")
def check_angle(case, variant):
    """Semidefinite programs, one for each pattern of signs, attain the exact angle."""
    return _angle(case)


def _angle(case, factor=1.0):
    ours = factor * case.angle.upper
    return BoundCheck(
        "angle",
        "sharpened",
        "tight",
        case.solver,
        ours,
        TOLERANCE * case.angle.upper + case.angle.width,
    )


def _columns(rank, n, rule, seed=0):
    label = np.array([0, 1, 1, 2, 2][:n])
    return lambda: Columns(unit_columns(rank, n, seed=seed), RULES[rule], label)


CASES = {
    "a basis, Type 0": _columns(4, 4, "Type 0"),
    "five columns of rank 3, Type 0": _columns(3, 5, "Type 0"),
    "five columns of rank 2, Type 0": _columns(2, 5, "Type 0"),
    "four of rank 3, Type 1, t = 1": _columns(3, 4, "Type 1, t = 1"),
    "four of rank 3, Type 1, t = 2": _columns(3, 4, "Type 1, t = 2"),
    "four of rank 3, Type 2": _columns(3, 4, "Type 2"),
    "four of rank 2, Type 3": _columns(2, 4, "Type 3"),
    "a column and its negative": lambda: Columns(
        np.array([[1.0, -1, 0.6], [0, 0, 0.8]]), RULES["Type 0"], np.arange(3)
    ),
}
SABOTAGE = {check_angle: {"an angle larger by a thousandth": lambda case: _angle(case, 1.001)}}
