"""Targets become whole numbers, so that no order of adding can be seen; what is lost on the way is bounded."""

from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_trees import RNG, table, tree_of

from coordboost.dictionaries.trees import Grower, Growth

CODES = RNG.integers(0, 40, (3, 500))
GROWTH = Growth(3, min_samples=5)


@settings(max_examples=200, deadline=None)
@given(
    target=st.lists(st.floats(-1, 1), min_size=1, max_size=40),
    power=st.integers(-880, 1000),
    weight=st.lists(st.floats(0.5, 8), min_size=40, max_size=40) | st.just([2.0] * 40),
)
def test_sums_are_off_by_half_a_step_for_each_sample_at_most(target, power, weight):
    n, weight = len(target), np.array(weight)[: len(target)]
    target = np.array(target) * 2.0**power
    (value,) = tree_of(table(np.zeros((1, n))), Growth(1), target, weight)[0].tree().values.tolist()
    exact = [sum(map(Fraction, some)) for some in (target.tolist(), np.abs(target).tolist(), weight.tolist())]
    # a step is 2^-52 of the sum of the sizes or less, or 2^-900; weights have 2^-52 of theirs; and a few roundings
    allowed = (n + 8) * Fraction(2) ** -50 * exact[1] + n * Fraction(2) ** -900
    assert abs(Fraction(value) * exact[2] - exact[0]) <= allowed


def test_small_whole_numbers_stay_what_they_are():
    target, codes = RNG.integers(-99, 100, 1000), RNG.integers(0, 9, (1, 1000))
    tree = tree_of(table(codes), Growth(2), target)[0].tree()
    leaf = tree.apply(table(codes).codes)
    assert tree.values.tolist() == [target[leaf == k].sum() / (leaf == k).sum() for k in range(tree.n_leaves)]


def nodes_of(space):
    tree = space.tree()
    return tree.feature, tree.bin, tree.left, tree.n_samples


@pytest.mark.parametrize("weight", [np.ones(500), RNG.random(500) + 0.5], ids=["equal", "different"])
def test_a_heavy_tail_does_not_spoil_the_other_leaves(weight):
    """One sample of 1e12 has a leaf of its own: the means of the others are right to 1e12 times the step of the mean."""
    codes, target = CODES.copy(), RNG.standard_normal(500)
    codes[0], target[7] = np.minimum(codes[0], 38), 1e12
    codes[0, 7] = 39
    space, _ = tree_of(table(codes), Growth(4), target, weight)
    alone = space.leaf == space.leaf[7]
    assert alone.sum() == 1 and space.values[space.leaf[7]] == pytest.approx(1e12 / weight[7])
    for k in range(space.state.leaves):
        some = space.leaf == k
        mean = target[some].sum() / weight[some].sum()
        # the sum is below 2^40: a step is 2^-(62 - 40), or 2^-(53 - 40) in one channel; of weights 2^-(62 - 18) of their mean
        assert space.values[k] == pytest.approx(mean, abs=2.0**-13, rel=2.0**-42)


@pytest.mark.parametrize("power", [-600, -300, 0, 300, 600])
@pytest.mark.parametrize("equal", [True, False])
def test_scales_do_not_matter(power, equal):
    target, weight = RNG.standard_normal(500) + CODES[1] / 10, np.ones(500) if equal else RNG.random(500)
    plain, _ = tree_of(table(CODES), GROWTH, target, weight)
    scaled, _ = tree_of(table(CODES), GROWTH, target * 2.0**power, weight)
    np.testing.assert_array_equal(nodes_of(plain), nodes_of(scaled))
    np.testing.assert_array_equal(plain.values * 2.0**power, scaled.values)


@pytest.mark.parametrize("equal", [True, False])
def test_the_order_of_the_samples_does_not_matter(equal):
    target, weight = RNG.standard_normal(500) + CODES[1] / 10, np.ones(500) if equal else RNG.random(500)
    plain, _ = tree_of(table(CODES), GROWTH, target, weight)
    mixed = RNG.permutation(500)
    other, _ = tree_of(table(CODES[:, mixed]), GROWTH, target[mixed], weight[mixed])
    np.testing.assert_array_equal(nodes_of(plain), nodes_of(other))
    np.testing.assert_array_equal(plain.values, other.values)
    np.testing.assert_array_equal(plain.leaf[mixed], other.leaf)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["target", "weight", "one weight"])
def test_numbers_that_are_not_finite_give_no_tree(bad, where):
    binned = table(CODES)
    grower, target, weight = Grower(binned, GROWTH.check(binned)), np.ones(500), np.ones(1 if where == "one weight" else 500)
    (target if where == "target" else weight)[-1] = bad
    assert grower.grow(target, weight, np.arange(3), np.zeros(3), where != "target") == 0


def test_weights_of_zero_count_for_nothing_but_samples():
    weight = (CODES[0] < 20).astype(float)
    target = (RNG.standard_normal(500) + CODES[1] / 10) * weight
    space, _ = tree_of(table(CODES), Growth(2, min_weight=1.0), target, weight)
    for k in range(space.state.leaves):
        some = space.leaf == k
        assert space.values[k] == pytest.approx(target[some].sum() / weight[some].sum(), rel=1e-12)


@pytest.mark.slow
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too many samples for plain Python")
def test_more_samples_than_one_channel_counts():
    n = 1 << 24
    codes = (np.arange(n) % 3).astype(np.uint8)[None]
    for some in (n, n - 1):
        tree = tree_of(table(codes[:, :some]), Growth(2), (codes[0, :some] == 2) * 3.0)[0].tree()
        assert tree.values.tolist() == [0, 3] and (tree.apply(codes[:, :some]) == (codes[0, :some] == 2)).all()
