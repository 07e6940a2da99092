"""Minimal cosine angles against exact fractions, and second-moment angles against their definition
in the plane.
"""

import math
from fractions import Fraction as F
from itertools import combinations, product

import numpy as np
import pytest

import coordboost as cb
from coordboost.angles.angle import mca, second_moment_mca

#: Unit vectors of fractions: in the plane and in space.
PLANE = [(F(1), F(0)), (F(3, 5), F(4, 5)), (F(5, 13), F(12, 13)), (F(-4, 5), F(3, 5))]
SOLID = [
    (F(1, 3), F(2, 3), F(2, 3)),
    (F(2, 7), F(3, 7), F(6, 7)),
    (F(3, 5), F(4, 5), F(0)),
    (F(2, 3), F(-1, 3), F(2, 3)),
]
GROUPS = [0, 1, 1, 2]


def sets(K, rule):
    """Return the sets of learners that a rule may draw, all with the same probability."""
    if type(rule) is cb.rules.Groups:
        places = [[j for j in range(K) if GROUPS[j] == g] for g in sorted(set(GROUPS[:K]))]
        return [[j for place in chosen for j in place] for chosen in combinations(places, rule.t)]
    return list(combinations(range(K), K if type(rule) is cb.rules.Greedy else rule.t))


ANGLES = [
    pytest.param(columns, rule, id=f"{name}, {rule}")
    for name, columns in {
        "plane": PLANE,
        "space": SOLID,
        "basis": PLANE[1:3],
        "basis of space": SOLID[:3],
        "blunt basis": [PLANE[1], (F(-1), F(0))],
    }.items()
    for rule in (
        cb.rules.Greedy(),
        cb.rules.RandomSubset(1),
        cb.rules.RandomSubset(2),
        cb.rules.RandomSubset(3),
        cb.rules.Groups(1),
        cb.rules.Groups(2),
    )
    if sets(len(columns), rule)
]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def across(normals):
    """Return a vector orthogonal to one vector of the plane, or to two of space."""
    if len(normals) == 1:
        ((x, y),) = normals
        return -y, x
    (a, b, c), (u, v, w) = normals
    return b * w - c * v, c * u - a * w, a * v - b * u


def angle2(columns, drawn):
    """Return the squared angle: the least mean over the sets of their largest cosine, which is at a
    point where kinks meet.
    """
    pairs = [
        tuple(x + sign * y for x, y in zip(a, b, strict=True))
        for a, b in combinations(columns, 2)
        for sign in (1, -1)
    ]
    places = [across(normals) for normals in combinations([*columns, *pairs], len(columns[0]) - 1)]

    def cosine2(c):
        return F(
            sum(max(abs(dot(columns[j], c)) for j in J) for J in drawn), len(drawn)
        ) ** 2 / dot(c, c)

    return min(cosine2(c) for c in places if any(c))


@pytest.mark.parametrize("columns, rule", ANGLES)
def test_the_angle_agrees_with_fractions(columns, rule):
    K = len(columns)
    exact = angle2(columns, sets(len(columns), rule))
    found = mca(
        np.array(columns, dtype=float).T,
        rule,
        groups=GROUPS[:K] if type(rule) is cb.rules.Groups else None,
    )
    assert found.upper**2 == pytest.approx(float(exact), rel=1e-12)
    assert (1 - 1e-7) * math.sqrt(exact) <= found.lower <= (1 + 1e-12) * math.sqrt(exact)


@pytest.mark.parametrize(
    "label", [(0, 1), (0, 1, 1), (0, 0, 1), (0, 1, 1, 1, 2), (0, 1, 2, 2, 2, 3, 3)], ids=str
)
def test_an_orthonormal_basis_in_groups_of_any_order(label):
    """The longest vectors of the ball have entries 0 and 1: try all of them in fractions, with the
    mean over all sets of groups.
    """
    n = len(label)
    n_groups = max(label) + 1
    places = [[j for j in range(n) if label[j] == g] for g in range(n_groups)]
    for t in range(1, n_groups + 1):
        sets = [[j for place in chosen for j in place] for chosen in combinations(places, t)]
        ends = (c for c in product((0, 1), repeat=n) if any(c))
        exact = min(
            F(sum(max(c[j] for j in J) for J in sets), len(sets)) ** 2 / sum(c) for c in ends
        )
        assert mca(np.eye(n), cb.rules.Groups(t), groups=label).upper ** 2 == pytest.approx(
            float(exact), rel=1e-12
        )


@pytest.mark.parametrize(
    "rule",
    [
        cb.rules.RandomSubset(1),
        cb.rules.RandomSubset(2),
        cb.rules.RandomSubset(3),
        cb.rules.Groups(1),
        cb.rules.Groups(2),
    ],
    ids=str,
)
def test_the_second_moment_angle_agrees_with_a_grid_of_the_plane(rule):
    """By its definition at 20,000 directions: the mean over all sets of the largest squared
    cosine.
    """
    B = np.array(PLANE, dtype=float).T
    drawn = sets(4, rule)
    angles = np.linspace(0, math.pi, 20_000, endpoint=False)
    cosines = np.abs(np.array([np.cos(angles), np.sin(angles)]).T @ B)
    least = math.sqrt(
        np.mean([(cosines[:, J] ** 2).max(axis=1) for J in map(list, drawn)], axis=0).min()
    )
    found = second_moment_mca(B, rule, groups=GROUPS if type(rule) is cb.rules.Groups else None)
    # between neighbouring directions a cosine changes by at most pi / 20,000
    assert least - 2e-4 <= found.upper <= least * (1 + 1e-9) and found.lower <= least
