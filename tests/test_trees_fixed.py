"""Targets as whole numbers: what is lost, how it is bounded, and that no order of adding can be seen."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_trees import RNG, table, tree_of

from coordboost import _generic
from coordboost._generic import compiled
from coordboost.dictionaries.trees import Growth, Workspace, fixed, grow, histogram

CODES = RNG.integers(0, 40, (3, 500))
GROWTH = Growth(3, min_samples=5)


def whole(target, weight):
    """The record and the whole numbers of a target, one row for each sample."""
    space = Workspace.of(table(np.zeros((1, len(target)))), Growth(1).check(table([[0]])))
    assert compiled(all_fixed, ())(space.form, space.fixed[0], np.asarray(target, float), np.asarray(weight, float))
    return space.form, space.fixed[0][: len(target) * space.form.channels].reshape(len(target), -1)


def all_fixed(form, entries, target, weight):
    """All samples as whole numbers: whether they are finite."""
    good, n = fixed.choose_form(form, target, weight), len(target)
    if good and not fixed.fine_enough(form, fixed.to_fixed(form, entries, target, weight, 0, n)[0], n):
        good = fixed.widen(form, weight)
        fixed.to_fixed(form, entries, target, weight, 0, n)
    return good


def nodes_of(space):
    return space.nodes[: space.count.nodes][["feature", "bin", "left", "start", "stop"]]


@settings(max_examples=200, deadline=None)
@given(
    target=st.lists(st.floats(-1, 1), min_size=1, max_size=40),
    power=st.integers(-880, 1000),
    weight=st.lists(st.floats(0, 8), min_size=1, max_size=1) | st.lists(st.floats(0, 8), min_size=40, max_size=40),
)
def test_sums_are_off_by_half_a_step_for_each_sample_at_most(target, power, weight):
    n = len(target)
    target, weight = np.array(target) * 2.0**power, np.array(weight)[: 1 if len(weight) == 1 else n]
    form, entries = whole(target, weight)
    scale, sums = Fraction(float(form.scale)), sum(int(entry) >> int(form.shift) for entry in entries[:, 0])
    assert abs(sums / scale - sum(map(Fraction, target.tolist()))) <= Fraction(n, 2) / scale
    assert (
        abs(sum(int(abs(entry)) for entry in entries[:, 0])) < 2**63
        and (entries[:, -1] & ((1 << int(form.bits)) - 1) == 1).all()
    )
    step, mean = 1 / form.scale, np.abs(target).mean()
    bits = 62 - form.bits * (2 if form.channels == 1 else 1)
    assert mean == 0 or mean < 2.0**-880 or step <= 2.0 ** -(bits - 1) * mean  # n < 2^bits <= 2 n
    if form.channels == 2:
        each = form.unit * (entries[:, 1] >> int(form.bits))
        np.testing.assert_allclose(each, np.broadcast_to(weight, n), atol=form.unit / 2 * (1 + 1e-9))


@pytest.mark.parametrize("n", [1023, 2047, 2048, 5000])
def test_every_target_is_rounded_once(n):
    """One sample may hold nearly all: its whole number is the largest that there can be. Beyond 2^51 vectors would lose bits of it."""
    target = RNG.standard_normal(n)
    target[7] = -(2.0**20) * n
    form, entries = whole(target, np.ones(1))
    expected = [round(x * form.scale) for x in target.tolist()]
    assert form.channels == 1 and (entries[:, 0] >> int(form.shift)).tolist() == expected
    assert min(expected) < -(2 ** (60 - form.bits))


def test_small_whole_numbers_stay_what_they_are():
    target = RNG.integers(-99, 100, 1000)
    form, entries = whole(target, np.ones(1))
    assert form.channels == 1 and ((entries[:, 0] >> int(form.shift)) / form.scale == target).all()


def test_one_channel_for_equal_weights_two_for_others_and_for_heavy_tails():
    target = RNG.standard_normal(1000)
    assert whole(target, np.full(1000, 0.3))[0].channels == whole(target, [0.3])[0].channels == 1
    assert whole(target, RNG.random(1000))[0].channels == 2
    heavy = target * 10.0 ** RNG.integers(-20, 20, 1000)
    assert whole(heavy, np.ones(1))[0].channels == 2
    for power, channels in ((30, 1), (45, 2)):  # a step is 2^-(51 - power); a target is to have 2^10 of them
        assert whole(np.append(target, 2.0**power), np.ones(1))[0].channels == channels


@pytest.mark.parametrize("weight", [np.ones(1), np.ones(500), RNG.random(500) + 0.5], ids=["one", "equal", "different"])
def test_a_heavy_tail_does_not_spoil_the_other_leaves(weight):
    """One sample of 1e12 has a leaf of its own: the means of the others are right to 1e12 times the step of the mean."""
    codes, target = CODES.copy(), RNG.standard_normal(500)
    codes[0], target[7] = np.minimum(codes[0], 38), 1e12
    codes[0, 7] = 39
    space, _ = tree_of(table(codes), Growth(4), target, np.broadcast_to(weight, 500) if len(weight) > 1 else weight)
    alone = space.leaf == space.leaf[7]
    assert alone.sum() == 1 and space.values[space.leaf[7]] == pytest.approx(1e12 if len(weight) == 1 else 1e12 / weight[7])
    for k in range(space.count.leaves):
        some = space.leaf == k
        mean = target[some].sum() / np.broadcast_to(weight, 500)[some].sum()
        # the sum is below 2^40: a step is 2^-(62 - 40), or 2^-(53 - 40) in one channel; of weights 2^-(62 - 18) of their mean
        assert space.values[k] == pytest.approx(mean, abs=2.0 ** (-22 if space.form.channels == 2 else -13), rel=2.0**-42)


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
    growth = GROWTH.check(binned)
    space, target, weight = Workspace.of(binned, growth), np.ones(500), np.ones(1 if where == "one weight" else 500)
    (target if where == "target" else weight)[-1] = bad
    data = binned, growth, space, target, weight, np.arange(3), np.zeros(3)
    assert grow.ready(*data)(*data) == 0


def test_weights_of_zero_count_for_nothing_but_samples():
    weight = (CODES[0] < 20).astype(float)
    target = (RNG.standard_normal(500) + CODES[1] / 10) * weight
    space, _ = tree_of(table(CODES), Growth(2, min_weight=1.0), target, weight)
    for k in range(space.count.leaves):
        some = space.leaf == k
        assert space.values[k] == pytest.approx(target[some].sum() / weight[some].sum(), rel=1e-12)


@pytest.mark.slow
@pytest.mark.skipif(_generic.numba.config.DISABLE_JIT, reason="too many samples for plain Python")
def test_more_samples_than_one_channel_counts():
    n = 1 << 24
    codes = (np.arange(n) % 3).astype(np.uint8)[None]
    for some in (n, n - 1):
        space, _ = tree_of(table(codes[:, :some]), Growth(2), (codes[0, :some] == 2) * 3.0, np.ones(1))
        assert space.form.channels == (2 if some == n else 1)
        assert space.values[: space.count.leaves].tolist() == [0, 3] and (space.leaf == (codes[0, :some] == 2)).all()


@pytest.mark.parametrize("n", [1, 7, 8, 31])
def test_histograms_of_all_samples_and_of_their_list_are_the_sums_by_codes(n):
    """Codes of whole columns are read eight at a time, wherever in memory a column begins."""
    codes, entries = RNG.integers(0, 256, (4, n)).astype(np.uint8), RNG.integers(-(2**50), 2**50, n)
    expected = np.zeros((4, 256), dtype=np.int64)
    for one, bins in zip(codes, expected, strict=True):
        np.add.at(bins, one, entries)
    for width, kernel in ((4, histogram.one_channel), (2, histogram.one_channel_pair)):
        for rows in (None, np.arange(n, dtype=np.uint32)):
            bins = np.zeros((width, 256), dtype=np.int64)
            compiled(kernel, ())(entries, rows, *codes[:width], *bins)
            assert (bins == expected[:width]).all()
