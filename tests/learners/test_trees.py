"""Trees equal those of a naive grower, split by split and leaf by leaf, on small whole numbers,
where sums are exact.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_trees import naive_tree

import coordboost as cb

RNG = np.random.default_rng(3)


def grown(X, y, weight=None, **limits):
    """One full boosting step from 0: the run, and the column that splits each node of its tree, -1
    for a leaf.
    """
    run = cb.solve(
        cb.Problem(cb.data.trees(X, **limits), y, sample_weight=weight, center=False),
        cb.gbm(1.0),
        1,
    )
    return run, [
        -1 if split is None else int(split.name[1:]) for split in run.problem.dictionary.splits(0)
    ]


def same_as_naive(X, y, weight=None, **limits):
    """Grow a tree, compare it with the naive tree, and return the run and the splits."""
    X = np.asarray(X, dtype=float)
    y = np.asarray(y, dtype=float)
    run, features = grown(X, y, weight, **limits)
    zeros = [0] * X.shape[1]
    columns = (
        limits.pop("categorical", ()),
        limits.pop("monotone", zeros),
        limits.pop("penalty", zeros),
    )
    known = {
        "max_depth": 3,
        "max_leaves": None,
        "min_samples": 1,
        "min_weight": 0.0,
        "min_gain": 0.0,
        "l2": 0.0,
        "min_samples_category": 1,
        "max_split_categories": None,
        "category_smoothing": 0.0,
    } | limits
    weight = np.ones(len(y)) if weight is None else weight
    expected, leaves = naive_tree(X, weight * y, weight, *columns, known)
    assert features == expected
    for rows, value in leaves:
        np.testing.assert_allclose(run.pred[rows], value, rtol=1e-12, atol=1e-12)
    counts = [
        line.split("(")[1].split()[0]
        for line in run.problem.dictionary.text(0).splitlines()
        if "leaf" in line
    ]
    assert sorted(map(int, counts)) == sorted(len(rows) for rows, _ in leaves)
    return run, features


@st.composite
def cases(draw):
    """A small table with categories and missing values, limits, targets and weights of small whole
    numbers.
    """
    n = draw(st.integers(1, 24))
    d = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, rng.integers(1, 7, d), (n, d)).astype(float)
    categorical = np.flatnonzero(rng.integers(0, 3, d) == 2).tolist()
    X[rng.random((n, d)) < 0.2 * rng.integers(0, 2, d)] = np.nan
    limits = {
        "max_depth": draw(st.sampled_from([1, 2, 3, 5])),
        "max_leaves": draw(st.sampled_from([None, 2, 3, 5])),
        "min_samples": draw(st.integers(1, 3)),
        "min_weight": draw(st.sampled_from([0.0, 2.0, 4.0])),
        "min_gain": draw(st.sampled_from([0.0, 1.5])),
        "l2": draw(st.sampled_from([0.0, 1.0])),
        "categorical": categorical,
        "penalty": rng.integers(0, 3, d).tolist(),
        "min_samples_category": draw(st.sampled_from([1, 2, 4])),
        "max_split_categories": draw(st.sampled_from([None, 1, 2, 4])),
        "category_smoothing": draw(st.sampled_from([0.0, 3.0])),
    }
    if draw(st.booleans()):
        limits["monotone"] = (rng.integers(-1, 2, d) * ~np.isin(np.arange(d), categorical)).tolist()
    weight = rng.integers(1, 4, n) if draw(st.booleans()) else np.full(n, rng.integers(1, 3))
    return X, rng.integers(-4, 5, n), weight.astype(float), limits


@settings(max_examples=300, deadline=None)
@given(case=cases())
def test_small_trees_are_the_naive_ones(case):
    X, y, weight, limits = case
    same_as_naive(X, y, weight, **limits)


@pytest.mark.parametrize("depth", [1, 3, 5])
@pytest.mark.parametrize("equal", [True, False])
def test_trees_on_many_samples_are_the_naive_ones(depth, equal):
    X = RNG.integers(0, [2, 3, 9, 17, 40], (400, 5)).astype(float)
    y = RNG.integers(-9, 10, 400) + 3 * (X[:, 2] > 4) * (X[:, 3] > 8)
    X[X[:, 1] == 2, 1] = X[X[:, 3] == 16, 3] = np.nan
    weight = None if equal else RNG.integers(1, 5, 400).astype(float)
    assert len(same_as_naive(X, y, weight, max_depth=depth, min_samples=5)[1]) > 2 * depth


def test_ties_go_to_the_lowest_feature_then_the_lowest_bin_then_missing_on_the_right():
    X = np.array([[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 1, 1]]).T
    (split, *_) = same_as_naive(X, [1, -1, -1, 1], max_depth=1)[0].problem.dictionary.splits(0)
    # the first and the third bin are equally good
    assert (split.name, split.threshold) == ("x0", 0.5)
    assert same_as_naive(X[:, 1:], [1, 1, 0, 0], max_depth=1)[1][0] == 0
    (split, *_) = same_as_naive([[0], [1], [np.nan], [np.nan]], [2, 0, 1, 1], max_depth=1)[
        0
    ].problem.dictionary.splits(0)
    assert (split.threshold, split.missing) == (0.5, False)


@pytest.mark.parametrize("sign", [1, -1])
def test_equal_cuts_tie_whether_or_not_their_feature_is_constrained(sign):
    """Of two copies of a column, one of them with a monotone constraint, the first one is split
    by wherever its constraint permits it.
    """
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=12)
        X = np.column_stack([x, x])
        y = rng.normal(size=12)
        assert 1 not in grown(X, y, monotone=[0, sign])[1]
        run, features = grown(X, y, max_depth=1, monotone=[sign, 0])
        if features[0] == 1:
            low, high = run.pred[np.argsort(x)[[0, -1]]]
            assert sign * (high - low) < 0


def test_categories_of_equal_means_tie_whatever_the_weights():
    """Rounding of weighted targets does not decide which of some categories with one mean, too
    large together for a side, go left: the first ones do.
    """
    rng = np.random.default_rng(11)
    codes = np.repeat(np.arange(24), 3)
    low = np.isin(codes, np.flatnonzero(rng.random(24) < 0.7))
    y = np.where(low, -1 / 3, 0.7)
    levels = np.unique(codes[low])
    for _ in range(20):
        weight = rng.uniform(0.2, 3, len(codes))
        for factor in (1.0, 2.0**20, 1e6, 3.0):
            run, _ = grown(
                codes[:, None].astype(float),
                y,
                factor * weight,
                max_depth=1,
                categorical=[0],
                min_samples=int(np.sum(~low)) + 10,
            )
            left = np.unique(codes[run.pred < run.pred.mean()])
            assert np.array_equal(left, levels[: len(left)])
            assert 0 < len(left) < len(levels)


def test_one_sample_equal_targets_and_constant_features_make_a_leaf():
    for x, y in (
        ([0], [3]),
        ([0, 1, 2], [2, 2, 2]),
        ([1, 1, 1], [1, 2, 3]),
        ([0, 1, 2], [0, 0, 0]),
    ):
        run, features = same_as_naive(np.transpose([x]), y)
        assert features == [-1] and (run.pred == np.mean(y)).all()


def test_leaves_of_equal_gain_are_split_in_order():
    run, features = same_as_naive(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 2, 10, 12], max_depth=None, max_leaves=3
    )
    assert features == [0, 1, -1, -1, -1] and run.pred == pytest.approx([0, 2, 11, 11])


def test_rounding_does_not_count_as_gain():
    for n in range(2, 60):
        X = RNG.integers(0, 9, (n, 3))
        weight = RNG.random(n)
        for w in (None, weight):
            run, features = grown(X, np.full(n, 0.1), w, max_depth=2)
            assert features == [-1] or np.ptp(run.pred) > 0


@pytest.mark.parametrize("leaves", [None, 7])
def test_predictions_keep_the_direction_of_a_feature(leaves):
    X = RNG.integers(0, 7, (500, 3)).astype(float)
    y = RNG.integers(-20, 21, 500) + 3 * X[:, 0] - 3 * X[:, 1]
    X[X[:, 1] == 6, 1] = np.nan
    run, features = same_as_naive(X, y, max_depth=6, max_leaves=leaves, monotone=[1, -1, 0])
    assert {0, 1} <= set(features)
    for feature, sign in ((0, 1), (1, -1)):
        moved = np.repeat(X, 6, axis=0)
        moved[:, feature] = np.tile(np.arange(6), 500)  # missing values are not ordered
        values = run.predict(moved).reshape(500, 6)
        assert (sign * np.diff(values, axis=1) >= 0).all() and np.ptp(values) > 0


def test_the_smaller_tree_is_a_prefix_of_the_larger_one():
    X = RNG.integers(0, 9, (300, 4))
    y = RNG.integers(-9, 10, 300)
    few, many = (
        same_as_naive(X, y, max_depth=None, max_leaves=leaves)[0].problem.dictionary.splits(0)
        for leaves in (4, 9)
    )
    assert sum(split is not None for split in few) == 3
    assert all(one in (None, other) for one, other in zip(few, many, strict=False))


@pytest.mark.parametrize(
    "x, y, categorical, new, expected",
    [
        ([0, 0, 0, 1], [1, 1, 1, 5], (), [np.nan, 9.0], [1, 5]),
        ([0, 1, 1, 1], [5, 1, 1, 1], (), [np.nan, -9.0], [1, 5]),
        ([0, 0, 2, 2], [0, 0, 1, 1], (0,), [0, 1, 2, 3, np.nan], [0, 0, 1, 0, 0]),
        ([0, 0, 2, 2], [1, 1, 0, 0], (0,), [0, 1, 2, 3, np.nan], [1, 1, 0, 1, 1]),
        ([0, 0, 0, 2], [0, 0, 0, 1], (0,), [0, 1, 2, 3, np.nan], [0, 0, 1, 0, 0]),
        ([0, 2, 2, 2], [0, 1, 1, 1], (0,), [0, 1, 2, 3, np.nan], [0, 1, 1, 1, 1]),
    ],
)
def test_values_that_no_sample_has(x, y, categorical, new, expected):
    """A missing value where the fit had none, and an unknown category, go to the larger side; if
    both are equal, right, or where the first category goes.
    """
    run, _ = same_as_naive(np.transpose([x]), y, max_depth=1, categorical=categorical)
    assert run.predict(np.transpose([new])) == pytest.approx(expected)


@pytest.mark.parametrize("subsample", [1.0, 0.3])
@pytest.mark.parametrize("gaps", [False, True])
def test_categories_without_rows_in_a_node_go_to_the_larger_child(gaps, subsample, tmp_path):
    """A node of a tree on two crossed columns holds few of their pairs. Of two equal children, that
    of the first level takes them.
    """
    rng = np.random.default_rng(5)
    X = rng.integers(0, 30, (400, 2)).astype(float)
    if gaps:
        X[rng.random(X.shape) < 0.03] = np.nan
    y = rng.normal(size=30)[np.nan_to_num(X[:, 0], nan=29).astype(int)] * np.nan_to_num(
        X[:, 1], nan=9
    ) + rng.normal(size=400)
    limits = {"max_depth": 6, "categorical": [0, 1], "subsample": subsample}
    run = cb.solve(cb.Problem(cb.data.trees(X, **limits), y), cb.gbm(1.0), 1)
    tree = run.problem.dictionary.tree(0)
    splits = run.problem.dictionary.splits(0)
    words = np.where(np.isnan(X), "missing", X.astype(str))
    levels = {*map(str, map(float, range(30))), "missing"}
    at_node = {0: np.arange(400)}
    absent = 0
    for at, split in enumerate(splits):
        rows = at_node[at]
        if split is not None:
            column = words[rows, int(split.name[1:])]
            left = np.isin(column, split.categories)
            at_node |= {tree.left[at]: rows[left], tree.left[at] + 1: rows[~left]}
            if subsample == 1:
                n_left = tree.n_samples[tree.left[at]]
                n_right = tree.n_samples[tree.left[at] + 1]
                assert (left.sum(), (~left).sum()) == (n_left, n_right)
                gone = levels - set(column)
                # it decides between equal children
                level = min(set(column) - {"missing"}, key=float, default="missing")
                leftwards = n_left > n_right or (n_left == n_right and level in split.categories)
                assert (
                    gone <= set(split.categories) if leftwards else not gone & set(split.categories)
                )
                absent += len(gone)
    assert absent > 100 or subsample < 1
    run.save(tmp_path / "crossed.run")
    new = np.column_stack([np.tile(np.arange(33.0), 33), np.repeat(np.arange(33.0), 33)])
    assert cb.load(tmp_path / "crossed.run").predict(new).tobytes() == run.predict(new).tobytes()
    unseen, missing = run.predict([[77.0, 3.0], [np.nan, 3.0]])
    assert unseen == missing


def test_the_text_of_a_tree():
    X = np.array([[0, 0, 1, 1, 2, 2, np.nan, np.nan], [0, 1, 0, 1, 0, 1, 0, 1]]).T
    run, _ = same_as_naive(X, [0, 0, 0, 0, 4, 9, 4, 9], max_depth=2, categorical=[1])
    bank = run.problem.dictionary
    assert [split and tuple(split) for split in bank.splits(0)] == [
        ("x0", 1.5, None, False),
        None,
        ("x1", None, ("0.0", "missing"), True),
        None,
        None,
    ]
    assert bank.text(0, run.beta[0]).splitlines() == [
        "if x0 <= 1.5:",
        "    leaf 0: 0 (4 samples)",
        "else:",
        "    if x1 in {0.0, missing}:",
        "        leaf 1: 4 (2 samples)",
        "    else:",
        "        leaf 2: 9 (2 samples)",
    ]


TABLE = RNG.integers(0, 40, (500, 3)).astype(float)
REAL = RNG.standard_normal(500) + TABLE[:, 1] / 10


@settings(max_examples=100, deadline=None)
@given(
    y=st.lists(st.floats(-1, 1), min_size=1, max_size=40),
    power=st.integers(-400, 400),
    weight=st.lists(st.floats(0.5, 8), min_size=40, max_size=40) | st.just([2.0] * 40),
)
def test_a_leaf_is_a_mean_but_for_the_rounding_of_whole_numbers(y, power, weight):
    """Residuals are quantised to multiples of at most 2^-50 of the sum of their sizes, so that the
    order of summation does not matter.
    """
    weight = np.array(weight)[: len(y)]
    y = np.array(y)
    y = np.where(abs(y) < 1e-90, 0, y) * 2.0**power
    pred = grown(np.zeros((len(y), 1)), y, weight)[0].pred[0]
    w = [Fraction(one) for one in weight]
    target = [Fraction(a) * Fraction(b) for a, b in zip(y, weight, strict=True)]
    allowed = (len(y) + 12) * Fraction(2) ** -49 * sum(map(abs, target))
    assert abs(Fraction(pred) * sum(w) - sum(target)) <= allowed


@pytest.mark.parametrize("weight", [None, RNG.random(500) + 0.5], ids=["equal", "different"])
def test_a_heavy_tail_does_not_spoil_the_other_leaves(weight):
    """One sample of 1e12 has a leaf of its own: the means of other leaves are exact up to the
    quantisation step of such a target.
    """
    X = TABLE.copy()
    y = REAL.copy()
    X[:, 0], y[7] = np.minimum(X[:, 0], 38), 1e12
    X[7, 0] = 39
    run, _ = grown(X, y, weight, max_depth=4)
    leaf = np.unique(run.pred, return_inverse=True)[1]
    assert (leaf == leaf[7]).sum() == 1 and run.pred[7] == pytest.approx(1e12)
    for k in set(leaf) - {leaf[7]}:
        some = leaf == k
        mean = np.average(y[some], weights=None if weight is None else weight[some])
        assert run.pred[some][0] == pytest.approx(mean, abs=2.0**-12, rel=2.0**-42)


@pytest.mark.parametrize("equal", [True, False])
def test_neither_scales_nor_the_order_of_the_samples_matter(equal):
    weight = None if equal else RNG.random(500)
    mixed = RNG.permutation(500)
    run, features = grown(TABLE, REAL, weight, min_samples=5)
    for power in (-400, 400):
        scaled, same = grown(TABLE, REAL * 2.0**power, weight, min_samples=5)
        assert same == features and (scaled.pred == run.pred * 2.0**power).all()
    other, same = grown(
        TABLE[mixed], REAL[mixed], weight if equal else weight[mixed], min_samples=5
    )
    assert same == features and (other.pred == run.pred[mixed]).all()


@pytest.mark.slow
def test_more_samples_than_one_channel_counts():
    n = 1 << 24
    x = (np.arange(n) % 3).astype(np.uint8)[:, None]
    for some in (n, n - 1):
        run, _ = grown(x[:some], (x[:some, 0] == 2) * 3.0, max_depth=2)
        np.testing.assert_allclose(run.pred, (x[:some, 0] == 2) * 3.0, atol=1e-12)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"max_depth": 0}, "max_depth >= 1"),
        ({"max_leaves": 1}, "max_leaves from 2 to 65536"),
        ({"max_depth": 11}, "above 10 needs"),
        (
            {"max_depth": None},
            r"needs max_leaves \(max_leaf_nodes in estimators\); got max_depth=None and no limit "
            r"on leaves",
        ),
        ({"max_depth": 2.5}, "max_depth must be a whole number"),
        ({"max_leaves": 1 << 17}, "from 2 to 65536"),
        ({"min_samples": 0}, "min_samples must be a whole number >= 1"),
        ({"min_weight": -1.0}, "min_weight must be"),
        ({"min_gain": np.nan}, "min_gain must be"),
        ({"l2": -0.5}, "l2 must be"),
        ({"min_samples_category": 0}, "min_samples_category must be a whole number >= 1"),
        ({"max_split_categories": 0}, "max_split_categories must be a whole number >= 1, or None"),
        ({"max_split_categories": 1.5}, "max_split_categories must be a whole number"),
        ({"category_smoothing": -1.0}, "category_smoothing must be a finite number >= 0"),
        ({"monotone": [1]}, "for each of the 2 features"),
        ({"monotone": [2, 0]}, "-1, 0 or 1 for each of 2 features"),
        ({"monotone": [0, 1]}, "they have no order"),
    ],
)
def test_limits_that_no_tree_can_have_are_refused(limits, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.data.trees([[0, 0], [1, 1]], categorical=[1], **limits)
