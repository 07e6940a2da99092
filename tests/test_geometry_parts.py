"""Parts of the geometry by hand: programs and their sizes, weights, facets, intervals, blocks, small forms on a sphere, least losses."""

import math
import sys
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
import scipy.spatial
from test_geometry import SPACE, STAR

import coordboost as cb
from coordboost.geometry import ball, design, distance, facets, learners, mca, momentum_limit, rays, sampled, sphere
from coordboost.geometry.design import best_weights, even
from coordboost.geometry.distance import reach, start_distance
from coordboost.geometry.greedy_norm import GreedyNorm
from coordboost.geometry.interval import BESIDES, ROUNDING, Interval, floor_of
from coordboost.geometry.learners import Learners
from coordboost.geometry.least import away, has_minimiser
from coordboost.targets import At


@pytest.mark.parametrize("rule, most", [(cb.Subset(2), 31), (cb.Subset(1), 333), (cb.Full(), 998)], ids=str)
def test_which_programs_are_written_down(rule, most):
    """Of n learners Subset(2) has n - 1 different weights above 0, so n n + n variables; Subset(1) has one, 3 n; Full() 2 + n."""

    def small(n):
        problem = cb.Problem(np.random.default_rng(0).standard_normal((2, n)), np.zeros(2), center=False)
        return ball.is_small(Learners(GreedyNorm.of(rule, problem), np.eye(2), np.ones((2, n))))

    assert small(most) and not small(most + 1)


def test_the_working_set_of_a_program_ends(monkeypatch):
    """Few programs do: the last one adds nothing."""
    solved, real = [], ball._solved
    monkeypatch.setattr(ball, "_solved", lambda cost, **program: solved.append(len(program["b_ub"])) or real(cost, **program))
    one = Learners.of(SPACE, cb.Subset(2))
    program = ball.CuttingPlanes(one)
    for y in np.random.default_rng(1).standard_normal((4, 3)):
        c = program.maximiser(y)
        assert one.value(c) == pytest.approx(1, rel=1e-7)
    assert len(solved) <= 30
    before = len(solved)
    program.maximiser(y, enough=0.0)
    assert len(solved) == before + 1


def test_weights_of_the_first_moment():
    """Even weights on a tight frame: 3/2 / 6 by the program for squares, which is better here than root(3/2) / 6."""
    one = Learners.of(SPACE, cb.Subset(1))
    assert floor_of(one, best_weights(one)) == pytest.approx(0.25, rel=1e-6)


@pytest.mark.parametrize("shift", [1e-6, -1e-6])
def test_a_facet_that_misses_its_points_is_no_facet(monkeypatch, shift):
    one, real = Learners.of(SPACE, cb.Full()), scipy.spatial.ConvexHull

    def merged(points):
        equations = real(points).equations.copy()
        equations[2, -1] += shift
        return SimpleNamespace(equations=equations)

    assert facets.direction(one) is not None
    monkeypatch.setattr(scipy.spatial, "ConvexHull", merged)
    assert facets.direction(one) is None


@pytest.mark.parametrize("B", [STAR, SPACE], ids=["star", "space"])
@pytest.mark.parametrize("rule", [cb.Full(), cb.Subset(1), cb.Subset(2)], ids=str)
def test_each_line_is_looked_at_once(B, rule):
    normals = rays._normals(Learners.of(B, rule))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-14)
    assert np.triu(np.abs(normals @ normals.T), 1).max() < 1 - 1e-9


def test_an_exact_interval_is_as_wide_as_its_rounding():
    found = mca(SPACE, cb.Subset(2))
    assert found.upper - found.lower == pytest.approx(found.upper * ROUNDING + BESIDES, abs=1e-15)
    assert found.witness["weights"] is None
    assert np.linalg.norm(found.witness["direction"]) == pytest.approx(1, rel=1e-14)
    wide = mca(np.random.default_rng(3).standard_normal((12, 30)), n_starts=1)
    assert wide.witness["weights"] is not None and np.linalg.norm(wide.witness["direction"]) == pytest.approx(1, rel=1e-14)


def test_blocks_of_directions(monkeypatch):
    one, directions = Learners.of(SPACE, cb.Full()), np.ones((7, 3))
    for entries, sizes in ((13, [2, 2, 2, 1]), (3, [1] * 7), (42, [7])):
        monkeypatch.setattr(learners, "BLOCK", entries)
        assert [len(block) for block in one._blocks(directions)] == sizes
    assert one.values(np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize("seed", range(6))
def test_the_smallest_largest_of_three_forms(seed):
    """max of c^2 + 3 c_i^2 over i, on the sphere: 2, where all entries are as large."""
    forms, start = np.eye(3) + 3 * np.array([np.diag(row) for row in np.eye(3)]), np.random.default_rng(seed).standard_normal(3)
    value, c = sphere._smallest_largest(forms, start / np.linalg.norm(start))
    assert value == pytest.approx(2, rel=1e-9) and np.linalg.norm(c) == pytest.approx(1, rel=1e-14)
    np.testing.assert_allclose(np.abs(c), math.sqrt(1 / 3), atol=1e-6)


def test_a_distance_of_length_one():
    assert distance(np.eye(3), cb.Full(), [1.0, 0, 0], [0.0, 0, 0]) == pytest.approx(1, rel=1e-9)


def test_targets_are_of_three_kinds_in_turn():
    problem = cb.Problem(np.eye(5), np.ones(5), center=False)
    found = list(sampled._targets(problem, 6, 5, 0))
    assert all(np.abs(signs) == pytest.approx(1) for signs in found[1::3])
    assert all(np.sort(single) == pytest.approx([0, 0, 0, 0, 1]) for single in found[2::3]) and len(found) == 6
    assert len(set(np.round(np.abs(np.concatenate(found[::3])), 9))) == 10
    assert len(list(sampled._targets(problem, 1, 5, 0))) == 1


@pytest.mark.parametrize("loss, weight, known", [
    (cb.Huber(1.0), None, True), (cb.Huber(1.0), [1.0, 2.0, 3.0], False), (cb.Huber(1.0), [2.0, 2.0, 2.0], False),
    (cb.Logistic(), None, False), (cb.Logistic(0.1), [1.0, 2.0, 3.0], True), (cb.Squared(), None, True),
])  # fmt: skip
def test_which_level_sets_are_known_to_be_bounded(loss, weight, known):
    problem = cb.Problem(np.eye(3), [1.0, -1.0, 1.0], loss, center=False, sample_weight=weight)
    assert has_minimiser(problem) is known


def test_how_far_a_minimiser_of_hubers_loss_may_be():
    """Residuals 3, 0, 0 with d = 1: the loss 5/2 is that of the length 3. Two of three columns nearly equal: s is the smallest of three."""
    t = 0.1
    B = np.array([[1, 1, 0], [t, -t, 0], [0, 0, 1.0]])
    problem = cb.Problem(B, [3.0, 0.0, 0.0], cb.Huber(1.0), center=False)
    assert problem.loss.level_radius(2.5) == pytest.approx(3, rel=1e-14)
    assert reach(problem) == pytest.approx((0, 6), rel=1e-14)
    smallest = math.sqrt(2) * t / math.sqrt(1 + t * t)
    assert away(problem, At.point(problem, np.zeros(3))) == pytest.approx(math.sqrt(3) * 6 / smallest, rel=1e-9)


@pytest.mark.parametrize("B, t, power", [
    ([[1, 0, -2, -1, -3, -3, -3, -2], [2, 1, 3, 0, 1, 3, 2, 1]], 2, 1), ([[1, -1, 2, 3, 2, 1], [-1, 1, 2, 2, -2, -1]], 3, 2),
])  # fmt: skip
def test_weights_of_either_program(B, t, power):
    """In the plane, by their value over all sets and 2,000 directions; neither even weights nor the other program are as good there."""
    B, n = np.array(B, dtype=float), len(B[0])
    one = Learners.of(B, cb.Subset(t))
    # the smaller eigenvalue is (sum w - |sum w exp(2 i angle)|) / 2, and that length the largest part along a direction
    twice, turn = 2 * np.arctan2(B[1], B[0]), np.linspace(0, 2 * math.pi, 2000)
    most = np.cumsum([math.comb(n - j, t - 1) / math.comb(n, t) for j in range(1, n + 1)]) ** power
    sets = np.array(list(product([0, 1], repeat=n)))[1:]
    rows = np.vstack(
        [np.column_stack([np.cos(twice - turn[:, None]), -np.ones(2000)]), np.column_stack([sets, np.zeros(len(sets))])]
    )
    limits = np.append(np.zeros(2000), most[sets.sum(axis=1) - 1])
    best = (-scipy.optimize.linprog(np.append(-np.ones(n), 1) / 2, rows, limits).fun) ** (1 / power)
    assert floor_of(one, best_weights(one)) == pytest.approx(best, rel=1e-5)  # a step of 1/300 between directions, squared
    other = design._program(one, 3 - power)
    assert max(floor_of(one, even(one)), floor_of(one, other)) < 0.86 * best


def test_two_learners_that_are_wanted_more_than_they_may_weigh():
    """Axes of space, the last of them four times; of six two are drawn: two learners weigh .6 at most, where 2/3 would be better."""
    one = Learners.of(np.eye(3)[:, [0, 1, 2, 2, 2, 2]], cb.Subset(2))
    weights = design._program(one, 1)
    np.testing.assert_allclose(weights[:2], 0.3, atol=1e-5)
    assert (one.greedy.masses(weights) <= np.cumsum(one.greedy.gamma) + 1e-6).all()


def test_a_distance_is_that_of_a_vector_of_the_ball(monkeypatch):
    """Whatever the program finds is made short enough, and a vector that is inside stays as it is."""
    one = Learners.of(SPACE, cb.Subset(2))
    y = one.basis.T @ [1.0, 2.0, -3.0]
    for size in (0.5, 1.0, 1.5):
        ends = SimpleNamespace(maximiser=lambda way, size=size: size * way / one.value(way))
        monkeypatch.setattr(module_of(distance), "ball", lambda learners, ends=ends: ends)
        assert module_of(distance).gauge(one, y) == pytest.approx(min(size, 1) * (y @ y) / one.value(y), rel=1e-14)


def test_a_start_distance_takes_the_far_ends(monkeypatch):
    """The angle in [.2, .3], the way in predictions in [2, 5]."""
    monkeypatch.setattr(module_of(distance), "mca", lambda *given, **more: Interval(0.2, 0.3))
    monkeypatch.setattr(module_of(distance), "reach", lambda *given: (2.0, 5.0))
    assert start_distance(cb.Problem(np.eye(2), np.ones(2), center=False)) == (2 / 0.3, 5 / 0.2)


def test_momentum_asks_for_the_lower_end_of_the_angle(monkeypatch):
    problem = cb.Problem(np.eye(2), np.ones(2), center=False)
    for lower, limit in ((0.5, (1 - math.sqrt(0.75)) ** 2), (0.0, None)):
        monkeypatch.setattr("coordboost.geometry.momentum.exactly", lambda *given, lower=lower: Interval(lower, 0.9))
        assert momentum_limit(problem) == (limit and pytest.approx(limit, rel=1e-9))


def module_of(function):
    """The module of a function that has its name."""
    return sys.modules[function.__module__]
