"""Minimal cosine angles: golden values, intervals and their witnesses, second moments."""

import math
from itertools import product

import numpy as np
import pytest

import coordboost as cb
from coordboost.angles.angle import mca, second_moment_mca
from coordboost.theory.distances import lambda_pmin

ROOT = math.sqrt(0.5)
STAR = np.array([[math.cos(a), math.sin(a)] for a in np.deg2rad(range(0, 180, 30))]).T
STAR_GROUPS = [0, 0, 1, 1, 2, 2]
SPACE = np.array(
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [ROOT, ROOT, 0], [0, ROOT, ROOT], [ROOT, 0, ROOT]]
).T
SPACE_GROUPS = [0, 0, 0, 1, 1, 1]


def sign_vectors(p):
    return np.array(list(product((-1, 1), repeat=p)), dtype=float).T


def stumps(n):
    return np.where(np.arange(n)[:, None] <= np.arange(n), 1.0, -1.0)


GOLDEN = [
    (STAR, cb.rules.Greedy(), None, 0.9659258262890682),
    (STAR, cb.rules.RandomSubset(1), None, 0.6220084679281461),
    (STAR, cb.rules.RandomSubset(2), None, 0.8325123591757915),
    (STAR, cb.rules.RandomSubset(3), None, 0.914162017268564),
    (STAR, cb.rules.Groups(1), STAR_GROUPS, 0.7302235658935524),
    (STAR, cb.rules.Groups(2), STAR_GROUPS, 0.8796528112548947),
    (SPACE, cb.rules.Greedy(), None, 0.678598344545847),
    (SPACE, cb.rules.RandomSubset(1), None, 0.40236892706218247),
    (SPACE, cb.rules.RandomSubset(2), None, 0.5653679582548223),
    (SPACE, cb.rules.RandomSubset(3), None, 0.654544293135154),
    (SPACE, cb.rules.Groups(1), SPACE_GROUPS, 0.6035533905932737),
    (SPACE, cb.rules.Groups(2), SPACE_GROUPS, 0.678598344545847),
    *[(sign_vectors(p), cb.rules.Greedy(), None, 1 / math.sqrt(p)) for p in (2, 3, 4, 5)],
    *[(stumps(n), cb.rules.Greedy(), None, value) for n, value in ((2, ROOT), (3, 1 / 3))],
    *[
        (np.eye(4), cb.rules.Groups(t), [0, 0, 1, 2], value)
        for t, value in zip((1, 2, 3), (0.2357022604, 0.4714045208, 0.5), strict=True)
    ],
    *[
        (np.eye(p), cb.rules.RandomSubset(t), None, min(t / p, 1 / math.sqrt(p)))
        for p in (3, 7, 16)
        for t in (1, 2, 3)
    ],
    (np.array([[1.0, -2.0]]), cb.rules.RandomSubset(1), None, 1.0),
]


@pytest.mark.parametrize("B, rule, groups, value", GOLDEN)
def test_golden_values(B, rule, groups, value):
    found = mca(B, rule, groups=groups)
    assert found.upper == pytest.approx(value, rel=1e-9) and found.width <= 1e-9
    assert found.verify(B, rule, groups)


def test_golden_minimiser():
    direction = np.sort(np.abs(mca(SPACE).witness["direction"]))
    np.testing.assert_allclose(direction / direction[-1], [math.sqrt(2) - 1, 1, 1], atol=1e-9)


# Intervals, their witnesses, and second-moment angles.
# -----------------------------------------------------------


def dictionary(seed):
    """A random dictionary of rank <= 5 with groups, one of them of size 1, and a rule of each type
    in turn.
    """
    rng = np.random.default_rng([seed, 5])
    rank = int(rng.integers(2, 6))
    K = int(rng.integers(rank, (13, 13, 9, 7)[rank - 2]))
    B = rng.standard_normal((rank + int(rng.integers(0, 3)), rank)) @ rng.standard_normal((rank, K))
    groups = np.append([0], rng.integers(1, 3, K - 1))
    rules = [
        cb.rules.Greedy(),
        cb.rules.RandomSubset(1),
        cb.rules.RandomSubset(min(2, K)),
        cb.rules.Groups(1),
        cb.rules.Groups(2),
        cb.rules.RandomSubset(min(3, K)),
    ]
    rule = rules[seed % 6]
    return B, rule if len(np.unique(groups)) > 1 else cb.rules.Greedy(), groups


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[pytest.mark.slow] if s >= 12 else []) for s in range(100)]
)
def test_intervals_and_their_witnesses(seed):
    """No direction has a smaller cosine than the lower end; the second-moment angle is between the
    angle and its square root.
    """
    B, rule, groups = dictionary(seed)
    found = mca(B, rule, groups=groups)
    second = second_moment_mca(B, rule, groups=groups, n_starts=2)
    assert found.verify(B, rule, groups) and second.verify(B, rule, groups, second_moment=True)
    assert (
        found.width <= 1e-7
        and found.lower <= second.upper * (1 + 1e-9)
        and second.lower <= math.sqrt(found.upper) * (1 + 1e-9)
    )
    unit = B / np.linalg.norm(B, axis=0)
    bound = (
        cb.rtgcd(select=rule)
        .bind(cb.Problem(unit, np.zeros(len(B)), center=False, scale=False, groups=groups))
        .select
    )
    for c in np.random.default_rng(seed).standard_normal((200, B.shape[1])) @ B.T:
        assert bound.norm(unit.T @ c) >= found.lower * np.linalg.norm(c)


def test_large_learners_get_an_interval():
    rng = np.random.default_rng(3)
    B = rng.standard_normal((12, 30))
    for rule in (cb.rules.Greedy(), cb.rules.RandomSubset(3)):
        found = mca(B, rule, n_starts=3)
        assert 0 < found.lower < found.upper < 1 and found.verify(B, rule)


def test_second_moment_of_random_coordinate_descent():
    """One random learner: the square is lambda_pmin(B'B) / K; orthonormal columns: 1 / p for every
    t; greedy: mca itself.
    """
    found = second_moment_mca(SPACE, cb.rules.RandomSubset(1))
    assert found.lower**2 == pytest.approx(0.25, rel=1e-8) == pytest.approx(lambda_pmin(SPACE) / 6)
    for t in (1, 2, 5):
        found = second_moment_mca(np.eye(5), cb.rules.RandomSubset(t), n_starts=3)
        assert (found.lower**2, found.upper**2) == pytest.approx((0.2, 0.2), rel=1e-6)
    assert second_moment_mca(SPACE).upper == mca(SPACE).upper


# The rules of test_distance.py.
# -----------------------------------------------------------------------------------

RULES = [
    cb.rules.Greedy(),
    cb.rules.RandomSubset(1),
    cb.rules.RandomSubset(3),
    cb.rules.Groups(1),
    cb.rules.Groups(2),
]
