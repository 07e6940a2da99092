"""Each exact method for the minimal cosine angle alone, against the angle in fractions; what weights and searches must reach."""

import math
from fractions import Fraction as F
from itertools import combinations, product

import numpy as np
import pytest
from test_geometry import GOLDEN, SPACE

import coordboost as cb
from coordboost.geometry import cells, closed, rays, signs, sphere
from coordboost.geometry.angle import EXACT, enclosed
from coordboost.geometry.ascent import climb
from coordboost.geometry.ball import CuttingPlanes, Written
from coordboost.geometry.design import best_weights
from coordboost.geometry.interval import floor_of
from coordboost.geometry.learners import Learners

#: Unit vectors of fractions: in the plane and in space.
PLANE = [(F(1), F(0)), (F(3, 5), F(4, 5)), (F(5, 13), F(12, 13)), (F(-4, 5), F(3, 5))]
SOLID = [(F(1, 3), F(2, 3), F(2, 3)), (F(2, 7), F(3, 7), F(6, 7)), (F(3, 5), F(4, 5), F(0)), (F(2, 3), F(-1, 3), F(2, 3))]
GROUPS = [0, 1, 1, 2]


def sets(K, rule):
    """A rule as it is defined: the sets of learners of which one is drawn, all as likely."""
    if type(rule) is cb.Groups:
        places = [[j for j in range(K) if GROUPS[j] == g] for g in sorted(set(GROUPS[:K]))]
        return [[j for place in chosen for j in place] for chosen in combinations(places, rule.t)]
    return list(combinations(range(K), K if type(rule) is cb.Full else rule.t))


ANGLES = [
    pytest.param(columns, rule, id=f"{name}, {rule}")
    for name, columns in {
        "plane": PLANE,
        "space": SOLID,
        "basis": PLANE[1:3],
        "basis of space": SOLID[:3],
        "blunt basis": [PLANE[1], (F(-1), F(0))],
    }.items()
    for rule in (cb.Full(), cb.Subset(1), cb.Subset(2), cb.Subset(3), cb.Groups(1), cb.Groups(2))
    if sets(len(columns), rule)
]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def across(normals):
    """A vector orthogonal to one vector of the plane, or to two of space."""
    if len(normals) == 1:
        ((x, y),) = normals
        return -y, x
    (a, b, c), (u, v, w) = normals
    return b * w - c * v, c * u - a * w, a * v - b * u


def angle2(columns, drawn):
    """The square of the angle: the mean of the largest cosines of the sets, at every place where kinks of it meet."""
    pairs = [tuple(x + sign * y for x, y in zip(a, b, strict=True)) for a, b in combinations(columns, 2) for sign in (1, -1)]
    places = [across(normals) for normals in combinations([*columns, *pairs], len(columns[0]) - 1)]

    def cosine2(c):
        return F(sum(max(abs(dot(columns[j], c)) for j in J) for J in drawn), len(drawn)) ** 2 / dot(c, c)

    return min(cosine2(c) for c in places if any(c))


@pytest.mark.parametrize("columns, rule", ANGLES)
def test_every_method_finds_the_angle_in_fractions(columns, rule):
    """The cones too, from below."""
    K, exact = len(columns), angle2(columns, sets(len(columns), rule))
    learners = Learners.of(np.array(columns, dtype=float).T, rule, GROUPS[:K] if type(rule) is cb.Groups else None)
    found = {name: method.direction(learners) for name, method in EXACT.items() if method.cost(learners) < 10}
    assert {"rays", "facets"} <= set(found) and ("sign vectors" in found) == (len(columns[0]) == K and type(rule) is cb.Full)
    for name, direction in found.items():
        assert learners.cosine(direction) ** 2 == pytest.approx(float(exact), rel=1e-12), name
    lower, _ = cells.certified_lower(learners, 1.0)
    assert (1 - 1e-7) * math.sqrt(exact) <= lower <= (1 + 1e-12) * math.sqrt(exact)


@pytest.mark.parametrize("B, rule, groups, value", GOLDEN)
def test_every_method_finds_the_values_known(B, rule, groups, value):
    learners = Learners.of(B, rule, groups)
    for name, method in EXACT.items():
        if method.cost(learners) < 0.05:
            assert learners.cosine(method.direction(learners)) == pytest.approx(value, rel=1e-9), name


@pytest.mark.parametrize("label", [(0, 1), (0, 1, 1), (0, 0, 1), (0, 1, 1, 1, 2), (0, 1, 2, 2, 2, 3, 3)], ids=str)
def test_an_orthonormal_basis_in_groups_of_any_order(label):
    """The longest vectors of the ball are 0 and 1: all of them, by the mean over all sets of groups, in fractions."""
    n, n_groups = len(label), max(label) + 1
    places = [[j for j in range(n) if label[j] == g] for g in range(n_groups)]
    for t in range(1, n_groups + 1):
        sets = [[j for place in chosen for j in place] for chosen in combinations(places, t)]
        ends = (c for c in product((0, 1), repeat=n) if any(c))
        exact = min(F(sum(max(c[j] for j in J) for J in sets), len(sets)) ** 2 / sum(c) for c in ends)
        learners = Learners.of(np.eye(n), cb.Groups(t), label)
        assert learners.cosine(closed.direction(learners)) ** 2 == pytest.approx(float(exact), rel=1e-13)


def test_cones_begin_with_the_upper_end_that_the_search_found(monkeypatch):
    seen = []
    monkeypatch.setattr(cells, "certified_lower", lambda learners, upper: seen.append(upper) or (0.0, None))
    learners = Learners.of(np.random.default_rng(0).standard_normal((5, 9)), cb.Subset(2))
    found = enclosed(learners, 2, 0)
    assert seen == [found.upper] and found.witness["weights"] is not None
    monkeypatch.setattr(cells, "MAX_RANK", 4)
    assert enclosed(learners, 2, 0).lower == found.lower and len(seen) == 1


def test_a_single_learner():
    """There is one direction; the methods for kinks and facets do not apply."""
    learners = Learners.of([[2.0]], cb.Full())
    found = {name: method.direction(learners) for name, method in EXACT.items() if method.cost(learners) < math.inf}
    assert set(found) == {"closed form", "sign vectors"} and all(abs(direction) == 1 for direction in found.values())


@pytest.mark.parametrize("columns, rule", ANGLES)
def test_the_cost_of_rays_counts_the_places_of_kinks(columns, rule):
    """None is looked at twice, and none that is no kink."""
    generic = np.random.default_rng(5).standard_normal((3, len(columns)))
    learners = Learners.of(generic, rule, GROUPS[: len(columns)] if type(rule) is cb.Groups else None)
    assert len(rays._normals(learners)) == rays._count(learners)


@pytest.mark.parametrize("method", [signs, rays])
def test_the_best_of_all_blocks_is_taken(method, monkeypatch):
    for seed in range(4):
        learners = Learners.of(np.random.default_rng(seed).standard_normal((4, 4)), cb.Full())
        monkeypatch.setattr(method, "_BLOCK", 1000)
        once = learners.cosine(method.direction(learners))
        for size in (1, 2, 3, 5):
            monkeypatch.setattr(method, "_BLOCK", size)
            assert learners.cosine(method.direction(learners)) == pytest.approx(once, rel=1e-13)  # a product of another size


def test_many_learners_are_looked_at_less_often(monkeypatch):
    learners = Learners.of(SPACE, cb.Subset(2))
    monkeypatch.setattr(cells, "WORK", 40)
    few = cells.certified_lower(learners, 1.0)[0]
    monkeypatch.undo()
    assert few == cells.certified_lower(learners, 1.0, budget=40 // 6)[0] < cells.certified_lower(learners, 1.0)[0]


def test_weights_in_a_fan_of_lines():
    """Lines at 0, 10 and 20 degrees: the least cosine is that of the line across the middle, and weights of the outer two prove it."""
    fan = np.deg2rad([0, 10, 20])
    learners = Learners.of(np.array([np.cos(fan), np.sin(fan)]), cb.Full())
    weights = best_weights(learners)
    np.testing.assert_allclose(weights, [0.5, 0, 0.5], atol=1e-5)
    assert floor_of(learners, weights) == pytest.approx(math.sin(fan[1]), rel=1e-5)


def test_weights_that_miss_a_direction_prove_nothing():
    learners = Learners.of(np.eye(3), cb.Full())
    assert floor_of(learners, np.array([0.5, 0.5, 0])) == 0 == floor_of(learners.second_moment(), np.array([1.0, 0, 0]))
    assert floor_of(learners, np.array([1.0, 1, -1])) == 0


@pytest.mark.parametrize("rule", [cb.Full(), cb.Subset(1), cb.Subset(2)], ids=str)
def test_both_programs_reach_the_end_of_a_long_ball(rule):
    """Lines an angle of a hundredth apart: the ball is a hundred times as long as it is wide."""
    fan = np.array([0, 0.01, 0.02])
    learners = Learners.of(np.array([np.cos(fan), np.sin(fan)]), rule)
    across = learners.basis.T @ [-fan[1], 1.0]
    one, other = (program(learners).maximiser(across) for program in (Written, CuttingPlanes))
    assert across @ one == pytest.approx(across @ other, rel=1e-6) and across @ one > 50
    assert np.abs(one).max() <= CuttingPlanes(learners).box


def test_the_box_holds_the_longest_vector_of_the_ball():
    """One of 16 groups is drawn; a vector on nine learners of one group has length 48, as nothing of it is seen elsewhere."""
    learners = Learners.of(np.eye(24), cb.Groups(1), [0] * 9 + list(range(1, 16)))
    longest = learners.basis.T @ np.where(np.arange(24) < 9, 16.0, 0.0)
    assert learners.value(longest) == pytest.approx(1) and np.linalg.norm(longest) <= CuttingPlanes(learners).box


def test_norms_of_many_directions_do_not_hang_on_blocks(monkeypatch):
    learners, directions = Learners.of(SPACE, cb.Subset(2)), np.random.default_rng(0).standard_normal((7, 3))
    values, slopes = learners.values(directions), learners.slopes(directions)
    monkeypatch.setattr("coordboost.geometry.learners.BLOCK", 13)
    np.testing.assert_allclose(learners.values(directions), values, rtol=1e-14)
    np.testing.assert_allclose(learners.slopes(directions), slopes, rtol=1e-14)


@pytest.mark.parametrize("search", [climb, sphere.best_reached])
def test_a_start_counts_by_its_direction_alone(search):
    learners = Learners.of(SPACE, cb.Subset(2))
    learners = learners.second_moment() if search is sphere.best_reached else learners
    for start in ([1.0, -1.0, 1.0], [1.0, 2.0, -3.0]):
        one, other = (search(learners, scale * np.array([start])) for scale in (1.0, 2.0**40))
        assert learners.cosine(one) == learners.cosine(other) < learners.cosine(np.array(start)) * (1 - 1e-3)


@pytest.mark.parametrize("rule", [cb.Subset(1), cb.Subset(2), cb.Subset(3), cb.Groups(1), cb.Groups(2)], ids=str)
def test_the_search_on_the_sphere_finds_the_least_of_the_plane(rule):
    """By its definition at 20,000 directions: the mean over all sets of the largest cosine, or squared cosine."""
    B, drawn = np.array(PLANE, dtype=float).T, sets(4, rule)
    angles = np.linspace(0, math.pi, 20_000, endpoint=False)
    cosines = np.abs(np.array([np.cos(angles), np.sin(angles)]).T @ B)
    learners = Learners.of(B, rule, GROUPS if type(rule) is cb.Groups else None)
    for one, power in ((learners, 1), (learners.second_moment(), 2)):
        least = np.mean([(cosines[:, J] ** power).max(axis=1) for J in map(list, drawn)], axis=0).min() ** (1 / power)
        # between two directions a cosine moves by at most pi / 20,000
        found = one.cosine(sphere.best_reached(one, np.array([[1.0, 0.3], [0.2, -1.0]])))
        assert least - 2e-4 <= found <= least * (1 + 1e-9)
