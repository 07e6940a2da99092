"""Trees are those of the naive grower, node by node and number by number, on small whole numbers, where sums are exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_trees import naive_tree

from coordboost._numba import compiled
from coordboost.dictionaries.binned import Binned
from coordboost.dictionaries.trees import Grower, Growth, Tree
from coordboost.dictionaries.trees.kept import keep_nodes
from coordboost.dictionaries.trees.stored import Trees

RNG = np.random.default_rng(3)


def table(codes, missing=None, categorical=None, n_bins=None):
    """Codes (n_features, n_samples) as a table; the bin of missing values, where there is one, is the last."""
    codes = np.ascontiguousarray(codes, dtype=np.uint8)
    d = len(codes)
    n_bins = np.asarray(codes.max(axis=1) + 1 if n_bins is None else n_bins, dtype=np.int64)
    missing = np.full(d, -1, dtype=np.int64) if missing is None else np.asarray(missing, dtype=np.int64)
    categorical = np.zeros(d, dtype=np.int64) if categorical is None else np.asarray(categorical, dtype=np.int64)
    cuts = np.where(categorical == 1, 0, np.maximum(n_bins - (missing >= 0) - 1, 0))
    binned = Binned(codes, n_bins, missing, categorical, np.zeros(cuts.sum()), np.concatenate([[0], np.cumsum(cuts)]))
    binned.check()
    return binned


def tree_of(binned, growth, target, weight=None, features=None, penalty=None):
    """The grower after a tree; growth as the door leaves it; and what the naive grower needs."""
    growth, d = growth.check(binned), len(binned.codes)
    target = np.asarray(target, dtype=float)
    weight = np.ones(len(target)) if weight is None else np.asarray(weight, dtype=float)
    features = np.arange(d) if features is None else np.asarray(features)
    penalty = np.zeros(d) if penalty is None else np.asarray(penalty, dtype=float)
    grower = Grower(binned, growth)
    equal = bool((weight == weight[0]).all())
    n_leaves = grower.grow(target, weight[:1] if equal else weight, features, penalty, not equal)
    assert n_leaves == grower.state.leaves > 0
    grower.tree = lambda: finished(binned, grower)
    return grower, (binned, growth, target, weight, features, penalty)


def finished(binned, grower):
    """The tree in a grower, as a bank keeps trees; its values are not scaled."""
    trees, state = Trees.empty(1, (len(grower.nodes) + 1) // 2), grower.state
    rows = (trees.feature[0], trees.left[0], trees.goes_left[0], trees.gain[0], trees.n_samples[0])
    trees.n_leaves[0] = compiled(keep_nodes)(grower.nodes, grower.goes_left, state.nodes, *rows, state.scale)
    trees.values[0, : state.leaves] = grower.values[: state.leaves]
    return Tree.of(trees, 0, binned)


def same_as_naive(binned, growth, target, **more):
    """Grow, hold against the naive tree, and return the tree."""
    grower, data = tree_of(binned, growth, target, **more)
    nodes, rows = naive_tree(*data)
    tree, values = grower.tree(), grower.nodes["value"]
    mine = zip(tree.feature, tree.bin, tree.missing_left, tree.left, values[: len(nodes)], strict=True)
    assert [one if one[0] >= 0 else (-1, 0, 0, 0, one[4]) for one in mine] == nodes
    leaf = np.empty(len(data[2]), dtype=int)
    for k, some in enumerate(rows):
        leaf[some] = k
    np.testing.assert_array_equal(grower.leaf, leaf)
    np.testing.assert_array_equal(tree.values, [nodes[at][4] for at in np.flatnonzero(tree.feature < 0)])
    np.testing.assert_array_equal(tree.apply(binned.codes), leaf)
    np.testing.assert_array_equal(tree.n_samples[tree.feature < 0], np.bincount(leaf))
    return tree


@st.composite
def cases(draw):
    """A small table, limits, targets and weights of small whole numbers."""
    n, d = draw(st.integers(1, 24)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.integers(0, rng.integers(1, 7, (d, 1)), (d, n))
    kind = rng.integers(0, 3, d)  # ordered, ordered with missing values, categories
    n_bins = codes.max(axis=1) + 1 + rng.integers(0, 2, d)
    binned = table(codes, np.where(kind == 1, n_bins - 1, -1), kind == 2, n_bins)
    monotone = rng.integers(-1, 2, d) * (kind != 2) if draw(st.booleans()) else np.zeros(0, dtype=int)
    growth = Growth(
        max_depth=draw(st.sampled_from([1, 2, 3, 5])),
        max_leaves=draw(st.sampled_from([-1, 2, 3, 5])),
        min_samples=draw(st.integers(1, 3)),
        min_weight=draw(st.sampled_from([0.0, 2.0, 4.0])),
        min_gain=draw(st.sampled_from([0.0, 1.5])),
        l2=draw(st.sampled_from([0.0, 1.0])),
        monotone=monotone,
    )
    target, weight = rng.integers(-4, 5, n), rng.integers(1, 4, n) if draw(st.booleans()) else np.full(n, rng.integers(1, 3))
    features = np.flatnonzero(rng.integers(0, 3, d)) if draw(st.booleans()) else np.arange(d)
    return binned, growth, target, {"weight": weight, "features": features, "penalty": rng.integers(0, 3, d)}


@settings(max_examples=300, deadline=None)
@given(case=cases())
def test_small_trees_are_the_naive_ones(case):
    binned, growth, target, more = case
    same_as_naive(binned, growth, target, **more)


@pytest.mark.parametrize("depth", [1, 3, 5])
@pytest.mark.parametrize("equal", [True, False])
def test_trees_on_many_samples_are_the_naive_ones(depth, equal):
    codes = RNG.integers(0, [[2], [3], [9], [17], [40]], (5, 400))
    target = RNG.integers(-9, 10, 400) + 3 * (codes[2] > 4) * (codes[3] > 8)
    weight = np.ones(400) if equal else RNG.integers(1, 5, 400)
    tree = same_as_naive(table(codes, missing=[-1, 2, -1, 16, -1]), Growth(depth, min_samples=5), target, weight=weight)
    assert tree.n_leaves > depth


def test_ties_go_to_the_lowest_feature_then_the_lowest_bin_then_missing_on_the_right():
    codes = [[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 1, 1]]
    assert same_as_naive(table(codes), Growth(1), [1, -1, -1, 1]).bin[0] == 0  # after the first bin as good as after the third
    assert same_as_naive(table(codes[1:]), Growth(1), [1, 1, 0, 0]).feature[0] == 0
    tree = same_as_naive(table([[0, 1, 2, 2]], missing=[2]), Growth(1), [2, 0, 1, 1])
    assert (tree.bin[0], tree.missing_left[0]) == (0, 0)


def test_one_sample_equal_targets_and_constant_features_make_a_leaf():
    for codes, target in (([[0]], [3]), ([[0, 1, 2]], [2, 2, 2]), ([[1, 1, 1]], [1, 2, 3]), ([[0, 1, 2]], [0, 0, 0])):
        tree = same_as_naive(table(codes), Growth(3), target)
        assert tree.n_leaves == 1 and tree.values[0] == np.mean(target)


def test_leaves_that_gain_the_same_are_split_in_their_order():
    tree = same_as_naive(table([[0, 0, 1, 1], [0, 1, 0, 1]]), Growth(-1, 3), [0, 2, 10, 12])
    assert tree.feature.tolist() == [0, 1, -1, -1, -1] and tree.gain[:2].tolist() == [100, 2]


def test_rounding_is_no_gain():
    for n in range(2, 60):
        codes, weight = RNG.integers(0, 9, (3, n)), RNG.random(n)
        for target, w in ((np.full(n, 0.1), np.ones(n)), (0.1 * weight, weight)):
            tree = tree_of(table(codes), Growth(2), target, w)[0].tree()
            assert tree.n_leaves == 1 or np.ptp(tree.values) > 0


def test_no_feature_no_split():
    tree = same_as_naive(table([[0, 1, 2]]), Growth(2), [1, 2, 3], features=np.zeros(0, dtype=np.int64))
    assert tree.n_leaves == 1 and tree.values[0] == 2


def test_no_split_is_made_but_by_the_features_listed():
    codes = RNG.integers(0, 8, (9, 200))
    tree = same_as_naive(table(codes), Growth(4), RNG.integers(-5, 6, 200), features=[1, 4, 5, 6, 8])
    assert set(tree.feature) <= {-1, 1, 4, 5, 6, 8}


@pytest.mark.parametrize("leaves", [-1, 7])
def test_predictions_keep_the_direction_of_a_feature(leaves):
    codes = RNG.integers(0, 7, (3, 500))
    target = RNG.integers(-20, 21, 500) + 3 * codes[0] - 3 * codes[1]
    binned, signs = table(codes, missing=[-1, 6, -1]), np.array([1, -1, 0])
    tree = same_as_naive(binned, Growth(6, leaves, monotone=signs), target)
    assert {0, 1} <= set(tree.feature)
    for feature in (0, 1):
        moved = np.repeat(codes[:, :, None], 6, axis=2)
        moved[feature] = np.arange(6)  # missing values have no place in the order
        values = tree.values[tree.apply(moved.reshape(3, -1).astype(np.uint8))].reshape(500, 6)
        assert (signs[feature] * np.diff(values, axis=1) >= 0).all() and np.ptp(values) > 0


def test_the_smaller_tree_is_the_beginning_of_the_larger_one():
    codes, target = RNG.integers(0, 9, (4, 300)), RNG.integers(-9, 10, 300)
    trees = [same_as_naive(table(codes), Growth(-1, leaves), target) for leaves in (4, 9)]
    inner = np.flatnonzero(trees[0].feature >= 0)
    assert trees[0].n_leaves == 4 and (trees[0].feature[inner] == trees[1].feature[inner]).all()
    assert (trees[0].bin[inner] == trees[1].bin[inner]).all()


def test_codes_that_no_sample_has():
    """A missing value where the fit had none goes with most of the samples; an unknown category goes right."""
    tree = same_as_naive(table([[0, 0, 0, 1]]), Growth(1), [1, 1, 1, 5])
    assert tree.apply(np.array([[2, 255]], dtype=np.uint8)).tolist() == [0, 0]
    tree = same_as_naive(table([[0, 1, 1, 1]]), Growth(1), [5, 1, 1, 1])
    assert tree.apply(np.array([[2, 255]], dtype=np.uint8)).tolist() == [1, 1]
    tree = same_as_naive(table([[0, 0, 2, 2]], categorical=[1]), Growth(1), [0, 0, 1, 1])
    assert tree.apply(np.array([[0, 1, 2, 3]], dtype=np.uint8)).tolist() == [0, 1, 1, 1]


def test_the_text_of_a_tree():
    codes = [[0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 0, 1, 0, 1]]
    binned = table(codes, missing=[3, -1], categorical=[0, 1])
    tree = same_as_naive(binned, Growth(2), [0, 0, 0, 0, 4, 9, 4, 9])
    cuts = {0: [0.5, 1.5], 1: None}
    labels = lambda feature, code: "abc"[code]  # noqa: E731
    splits = tree.splits(["size", "kind"], cuts.get, labels)
    assert splits == [("size", 1.5, None, False), None, ("kind", None, ("a",), False), None, None]
    assert tree.text(splits).splitlines() == [
        "if size <= 1.5:",
        "    leaf 0: 0 (4 samples)",
        "else:",
        "    if kind in {a}:",
        "        leaf 1: 4 (2 samples)",
        "    else:",
        "        leaf 2: 9 (2 samples)",
    ]


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"max_depth": 0}, "max_depth >= 1"),
        ({"max_leaves": 1}, "max_leaves from 2 to 65536"),
        ({"max_depth": -1}, r"max_leaves \(max_leaf_nodes of an estimator\); got max_depth=None and no such limit"),
        ({"max_depth": 11}, "or deeper than 10"),
        ({"max_depth": 2.5}, "max_depth must be a whole number"),
        ({"max_leaves": 1 << 17}, "from 2 to 65536"),
        ({"min_samples": 0}, "min_samples must be a whole number >= 1"),
        ({"min_weight": -1.0}, "min_weight must be"),
        ({"min_gain": np.nan}, "min_gain must be"),
        ({"l2": -0.5}, "l2 must be"),
        ({"monotone": [1]}, "-1, 0 or 1 for each of 2 features"),
        ({"monotone": [2, 0]}, "-1, 0 or 1 for each of 2 features"),
        ({"monotone": [0, 1]}, "they have no order"),
    ],
)
def test_limits_that_no_tree_can_have_are_refused(limits, sentence):
    with pytest.raises(ValueError, match=sentence):
        Growth(**limits).check(table([[0, 1], [0, 1]], categorical=[0, 1]))
