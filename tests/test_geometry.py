"""Minimal cosine angles and distances: golden values, exact methods against one another, intervals, witnesses, refusals."""

import math
from itertools import product

import numpy as np
import pytest

import coordboost as cb
from coordboost.geometry import (
    Interval,
    cells,
    closed,
    facets,
    lambda_pmin,
    mca,
    rays,
    second_moment_mca,
    sphere,
)
from coordboost.geometry.ascent import climb, starts
from coordboost.geometry.ball import CuttingPlanes, Written
from coordboost.geometry.design import best_weights, even
from coordboost.geometry.interval import ROUNDING, floor_of
from coordboost.geometry.learners import Learners

ROOT = math.sqrt(0.5)
STAR = np.array([[math.cos(a), math.sin(a)] for a in np.deg2rad(range(0, 180, 30))]).T
STAR_GROUPS = [0, 0, 1, 1, 2, 2]
SPACE = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [ROOT, ROOT, 0], [0, ROOT, ROOT], [ROOT, 0, ROOT]]).T
SPACE_GROUPS = [0, 0, 0, 1, 1, 1]


def ternary(p):
    return np.array([v for v in product((-1, 0, 1), repeat=p) if any(v)], dtype=float).T


def sign_vectors(p):
    return np.array(list(product((-1, 1), repeat=p)), dtype=float).T


def stumps(n):
    return np.where(np.arange(n)[:, None] <= np.arange(n), 1.0, -1.0)


GOLDEN = [
    (STAR, cb.Full(), None, 0.9659258262890682),
    (STAR, cb.Subset(1), None, 0.6220084679281461),
    (STAR, cb.Subset(2), None, 0.8325123591757915),
    (STAR, cb.Subset(3), None, 0.914162017268564),
    (STAR, cb.Groups(1), STAR_GROUPS, 0.7302235658935524),
    (STAR, cb.Groups(2), STAR_GROUPS, 0.8796528112548947),
    (SPACE, cb.Full(), None, 0.678598344545847),
    (SPACE, cb.Subset(1), None, 0.40236892706218247),
    (SPACE, cb.Subset(2), None, 0.5653679582548223),
    (SPACE, cb.Subset(3), None, 0.654544293135154),
    (SPACE, cb.Groups(1), SPACE_GROUPS, 0.6035533905932737),
    (SPACE, cb.Groups(2), SPACE_GROUPS, 0.678598344545847),
    (ternary(2), cb.Full(), None, 0.9238795325112867),
    (ternary(3), cb.Full(), None, 0.8864518862828913),
    (ternary(4), cb.Full(), None, 0.8624567738764792),
    (ternary(5), cb.Full(), None, 0.8451185644914254),
    *[(sign_vectors(p), cb.Full(), None, 1 / math.sqrt(p)) for p in (2, 3, 4, 5)],
    *[(stumps(n), cb.Full(), None, closed.one_feature_stumps(n)) for n in range(2, 9)],
    *[(np.eye(4), cb.Groups(t), [0, 0, 1, 2], value) for t, value in zip((1, 2, 3), (0.2357022604, 0.4714045208, 0.5), strict=True)],
    *[(np.eye(p), cb.Subset(t), None, min(t / p, 1 / math.sqrt(p))) for p in (3, 7, 16) for t in (1, 2, 3)],
    (np.array([[1.0, -2.0]]), cb.Subset(1), None, 1.0),
]  # fmt: skip


@pytest.mark.parametrize("B, rule, groups, value", GOLDEN)
def test_golden_values(B, rule, groups, value):
    found = mca(B, rule, groups=groups)
    assert found.upper == pytest.approx(value, rel=1e-9) and found.width <= 3 * ROUNDING
    assert found.verify(B, rule, groups)


def test_the_width_of_an_interval_is_a_part_of_its_upper_end():
    assert Interval(0.25, 0.5).width == 0.5


def test_orthonormal_learners_are_known():
    assert mca(np.eye(16), cb.Subset(3)).witness["method"] == "closed form"


def test_golden_minimiser():
    direction = np.sort(np.abs(mca(SPACE).witness["direction"]))
    np.testing.assert_allclose(direction / direction[-1], [math.sqrt(2) - 1, 1, 1], atol=1e-9)


def test_even_weights():
    """Every group has the same mass, and each of its learners the same share of it."""
    weights = even(Learners.of(np.eye(4), cb.Groups(1), [0, 0, 1, 2]))
    np.testing.assert_allclose(weights, [1 / 6, 1 / 6, 1 / 3, 1 / 3], rtol=1e-15)


def test_the_lower_end_that_weights_prove_by_hand():
    """Subset(2) of four has sums of weights (1/2, 5/6, 1, 1), these weights have (1, 1.1, 1.2, 1.3), the least eigenvalue is 0.1."""
    learners, weights = Learners.of(np.eye(4), cb.Subset(2)), np.array([1.0, 0.1, 0.1, 0.1])
    assert floor_of(learners.second_moment(), weights) == pytest.approx(math.sqrt(0.1 / 2), rel=1e-12)
    assert floor_of(learners, weights) == pytest.approx(math.sqrt(0.1 / 4), rel=1e-12)


def test_the_best_of_several_starts_is_returned():
    learners = Learners.of(SPACE, cb.Subset(2)).second_moment()
    several = np.vstack([np.eye(3), [[1, -1, 1], [1, 2, -3]]])
    reached = [learners.cosine(sphere.best_reached(learners, one[None])) for one in several]
    assert learners.cosine(sphere.best_reached(learners, several)) == min(reached) < max(reached)
    assert reached[-1] < 0.99 * learners.cosine(several[-1])


def test_closed_forms():
    large = {10: 0.7972424968235994, 100: 0.6821612556341741, 10**4: 0.5504618444781466}
    assert all(closed.ternary(p) == pytest.approx(value, rel=1e-12) for p, value in large.items())
    assert [closed.one_feature_stumps(n) for n in (2, 3)] == pytest.approx([ROOT, 1 / 3])
    for p in (1, 5, 199):
        for t in range(1, p + 1):
            assert closed.orthonormal(cb.Subset(t).weights(p)) == pytest.approx(min(t / p, 1 / math.sqrt(p)), rel=1e-12)


# Exact methods against one another, and intervals around them. -----------------------------------------------------------


def dictionary(seed):
    """A random dictionary of rank <= 5 with groups, one of them of size 1, and a rule of each type in turn."""
    rng = np.random.default_rng([seed, 5])
    rank = int(rng.integers(2, 6))
    K = int(rng.integers(rank, (13, 13, 9, 7)[rank - 2]))
    B = rng.standard_normal((rank + int(rng.integers(0, 3)), rank)) @ rng.standard_normal((rank, K))
    groups = np.append([0], rng.integers(1, 3, K - 1))
    rules = [cb.Full(), cb.Subset(1), cb.Subset(min(2, K)), cb.Groups(1), cb.Groups(2), cb.Subset(min(3, K))]
    rule = rules[seed % 6]
    return B, rule if len(np.unique(groups)) > 1 else cb.Full(), groups


def enumerated(learners):
    """Theta by the first of two enumerations that share no code and is cheap here: rays, facets."""
    cheap = {
        name: method.direction(learners)
        for name, method in {"rays": rays, "facets": facets}.items()
        if method.cost(learners) < 0.6
    }
    return {name: learners.cosine(direction) for name, direction in cheap.items() if direction is not None}


@pytest.mark.parametrize("seed", [pytest.param(s, marks=[pytest.mark.slow] if s >= 25 else []) for s in range(200)])
def test_intervals_contain_the_exact_value(seed):
    """Rays, facets and cones agree; the interval that large problems get (semidefinite program, linear programs) contains the value."""
    B, rule, groups = dictionary(seed)
    learners = Learners.of(B, rule, groups)
    found, values = mca(B, rule, groups=groups), enumerated(learners)
    for value in values.values():
        assert value == pytest.approx(found.upper, rel=1e-8)
    lower, _ = cells.certified_lower(learners, found.upper, budget=30_000)
    assert found.upper * (1 - (2e-8 if learners.rank <= 3 else 0.25)) <= lower <= found.upper * (1 + 1e-12)
    weights = best_weights(learners)
    blind = Interval.of(learners, np.random.default_rng(seed).standard_normal(learners.rank), method="", weights=weights)
    assert 0 < blind.lower <= found.upper * (1 + 1e-12) and blind.upper >= found.lower
    assert blind.lower >= floor_of(learners, even(learners)) * (1 - 1e-12)
    second = second_moment_mca(B, rule, groups=groups, n_starts=2)
    assert found.lower <= second.upper * (1 + 1e-9) and second.lower <= math.sqrt(found.upper) * (1 + 1e-9)
    assert second.verify(B, rule, groups, second_moment=True) and found.verify(B, rule, groups)


def test_ascent_finds_the_minimum_in_low_rank():
    """Local search alone hits the exact value in nearly all dictionaries, never a smaller one; both forms of the program agree."""
    hits = 0
    for seed in range(12):
        B, rule, groups = dictionary(seed)
        learners, exact = Learners.of(B, rule, groups), mca(B, rule, groups=groups)
        found = learners.cosine(climb(learners, starts(learners, even(learners), 12, 0)))
        assert found >= exact.lower
        hits += found <= exact.upper * (1 + 1e-6)
    assert hits >= 11


def test_large_learners_get_an_interval():
    rng = np.random.default_rng(3)
    B = rng.standard_normal((12, 30))
    for rule in (cb.Full(), cb.Subset(3)):
        found = mca(B, rule, n_starts=3)
        assert 0 < found.lower < found.upper < 1 and found.verify(B, rule)


def test_the_orthonormal_weights_are_tight():
    """The bound with squared partial sums gives Theta itself for an orthonormal basis, for every t."""
    for t in range(1, 7):
        learners = Learners.of(np.eye(6), cb.Subset(t))
        assert floor_of(learners, best_weights(learners)) == pytest.approx(min(t / 6, 1 / math.sqrt(6)), rel=1e-6)


def test_second_moment_of_random_coordinate_descent():
    """Type 1 with t = 1: the square is lambda_pmin(B'B) / K; orthonormal: 1 / p for every t; Type 0: mca itself."""
    found = second_moment_mca(SPACE, cb.Subset(1))
    assert found.lower**2 == pytest.approx(0.25, rel=1e-8) == pytest.approx(lambda_pmin(SPACE) / 6)
    for t in (1, 2, 5):
        found = second_moment_mca(np.eye(5), cb.Subset(t), n_starts=3)
        assert (found.lower**2, found.upper**2) == pytest.approx((0.2, 0.2), rel=1e-6)
    assert second_moment_mca(SPACE).upper == mca(SPACE).upper


# Norms, linear programs and distances. -----------------------------------------------------------------------------------

RULES = [cb.Full(), cb.Subset(1), cb.Subset(3), cb.Groups(1), cb.Groups(2)]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_norms_subgradients_and_duals(rule):
    """Many vectors at once = the rule's norm; <w, a> = norm(a) with dual_norm(w) = 1, also in ties; the dual norm by linear programming."""
    learners = Learners.of(np.eye(6), rule, [0, 1, 0, 2, 1, 0])
    norm, rng = learners.norm, np.random.default_rng(0)
    rows = np.concatenate([rng.standard_normal((20, 6)), rng.integers(-2, 3, (40, 6))])
    weights = norm.subgradients(rows)
    for row, value, weight in zip(rows, norm.values(rows), weights, strict=True):
        assert value == pytest.approx(norm.rule.norm(row), rel=1e-14, abs=1e-15)
        assert weight @ row == pytest.approx(value, rel=1e-14, abs=1e-15) and norm.rule.dual_norm(weight) == pytest.approx(1)
    for row in rows[:25]:
        if np.any(row):
            b = learners.basis.T @ row
            for program in (Written(learners), CuttingPlanes(learners)):
                assert b @ program.maximiser(b) == pytest.approx(norm.rule.dual_norm(row), rel=1e-7)
