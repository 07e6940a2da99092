"""The rule for splits by categories: few of them, with enough rows, are chosen against all others,
and both sides are smoothed.
"""

import math
from itertools import combinations

import lightgbm_file
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_trees import naive_tree

import coordboost as cb

RNG = np.random.default_rng(60)
RULE = {"min_samples_category": 20, "max_split_categories": 4, "category_smoothing": 100.0}


def one_tree(X, y, weight=None, loss=None, **limits):
    problem = cb.Problem(
        cb.data.trees(X, **limits), y, loss or cb.losses.Squared(), sample_weight=weight
    )
    return cb.solve(problem, cb.gbm(1.0), 1)


def best_subset(codes, y, most, l2):
    """Return the lowest loss of any subset of levels against all others, by brute force."""

    def score(side):
        return y[side].sum() ** 2 / (side.sum() + l2)

    levels = np.unique(codes)
    most = min(most, (len(levels) + 1) // 2)
    subsets = [s for k in range(1, most + 1) for s in combinations(levels, k)]
    sides = [np.isin(codes, some) for some in subsets if len(some) < len(levels)]
    return max(score(side) + score(~side) for side in sides)


@settings(max_examples=60, deadline=None)
@given(
    y=st.lists(st.integers(-9, 9), min_size=4, max_size=24).filter(lambda y: len(set(y)) > 1),
    most=st.integers(1, 4),
    smoothing=st.sampled_from([0.0, 2.0]),
)
def test_no_subset_of_levels_of_the_same_size_is_better(y, most, smoothing):
    """With as many rows each, the extreme levels are the best of all subsets."""
    y = np.array(y[: len(y) // 2 * 2], dtype=float)
    codes = np.arange(len(y)) // 2
    y -= y.mean()
    limits = {"max_split_categories": most, "category_smoothing": smoothing}
    run = one_tree(codes[:, None], y, max_depth=1, categorical=[0], **limits)
    tree = run.problem.dictionary.tree(0)
    best = best_subset(codes, y, most, smoothing)
    if tree.n_leaves == 2:
        assert tree.gain[0] == pytest.approx(best, rel=1e-9)
    else:
        assert best == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([1e-6, 0.5, 3.0, 1e8]))
def test_the_unit_of_the_weights_does_not_matter(seed, factor):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (400, 2)).astype(float)
    y = rng.normal(size=12)[X[:, 0].astype(int)] + rng.normal(size=400)
    weight = rng.uniform(0.2, 3.0, 400)
    limits = {"max_depth": 3, "categorical": [0, 1], **RULE}
    one = one_tree(X, y, weight, **limits)
    other = one_tree(X, y, factor * weight, **limits)
    np.testing.assert_allclose(one.pred, other.pred, rtol=1e-9, atol=1e-9)


def crossed(n=4000):
    """Return two columns of many levels, some of few rows, and a numeric one, with a target."""
    a = np.minimum(RNG.geometric(0.05, n), 90)
    b = RNG.integers(0, 15, n)
    x = RNG.normal(size=n)
    y = RNG.normal(size=91)[a] * (1 + x) + RNG.normal(size=15)[b] + RNG.normal(size=n)
    return np.column_stack([a, b, x]).astype(float), y


def test_few_levels_with_enough_rows_are_chosen_in_every_node():
    X, y = crossed()
    run = one_tree(X, y, max_depth=6, categorical=[0, 1], **RULE)
    tree = run.problem.dictionary.tree(0)
    rows = {0: np.arange(len(y))}
    n_chosen = []
    for at, split in enumerate(run.problem.dictionary.splits(0)):
        if split is None:
            continue
        column = X[rows[at], int(split.name[1:])]
        left = column <= split.threshold if split.categories is None else None
        if left is None:
            levels, count = np.unique(column, return_counts=True)
            chosen = levels[np.isin(levels.astype(str), split.categories)]
            assert count[np.isin(levels, chosen)].min() >= 20
            n_able = int(np.sum(count >= 20))
            assert len(chosen) <= min(4, (n_able + 1) // 2)
            n_chosen.append(len(chosen))
            left = np.isin(column, chosen)
        rows |= {tree.left[at]: rows[at][left], tree.left[at] + 1: rows[at][~left]}
    assert len(n_chosen) > 5 and max(n_chosen) == 4


@pytest.mark.parametrize("newton", [False, True])
def test_both_sides_have_the_values_of_smoothed_means(newton):
    """One split of a level against the others, with weights, by hand."""
    n = 1000
    level = RNG.integers(0, 2, n)
    y = np.where(RNG.random(n) < np.where(level, 0.7, 0.4), 1.0, -1.0)
    weight = RNG.uniform(0.5, 2.0, n)
    loss = cb.losses.Logistic()
    limits = {"max_depth": 1, "categorical": [0], "newton": newton, **RULE}
    run = one_tree(level[:, None], y, weight, loss, **limits)
    p = 1 / (1 + np.exp(-run.problem.constant))
    gradient = weight * ((y > 0) - p)
    mass = weight * p * (1 - p) if newton else weight
    for side in (level == 0, level == 1):
        value = gradient[side].sum() / (mass[side].sum() + 100 * mass.mean())
        if newton:
            value = np.sign(value) * math.log1p(abs(value))
        np.testing.assert_allclose(run.pred[side], value, rtol=1e-6)


@pytest.mark.parametrize("quantile", [0.5, 0.9])
def test_quantiles_of_the_residuals_are_smoothed_too(quantile):
    level = RNG.integers(0, 2, 600)
    y = 5.0 * level + RNG.normal(size=600)
    loss = cb.losses.Quantile(quantile)
    table = {"max_depth": 1, "categorical": [0], **RULE}
    problem = cb.Problem(cb.data.trees(level[:, None], **table), y, loss)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LeafSearch(1.0)), 1)
    for side in (level == 0, level == 1):
        whole = np.quantile(y[side] - problem.constant, quantile, method="inverted_cdf")
        np.testing.assert_allclose(
            run.pred[side], whole * side.sum() / (side.sum() + 100), atol=0.02
        )


def test_bounds_above_a_split_hold_in_its_smoothed_sides():
    X, y = crossed()
    limits = {"max_depth": 5, "categorical": [0, 1], "monotone": [0, 0, 1], **RULE}
    run = one_tree(X, y + 4 * X[:, 2], **limits)
    moved = np.repeat(X[:300], 7, axis=0)
    moved[:, 2] = np.tile(np.linspace(-3, 3, 7), 300)
    assert (np.diff(run.predict(moved).reshape(300, 7), axis=1) >= 0).all()


def test_columns_in_files_and_saved_runs_have_the_same_bits(tmp_path):
    X, y = crossed()
    limits = {"max_depth": 4, "categorical": [0, 1], **RULE}
    runs = [one_tree(X, y, **limits)]
    np.save(tmp_path / "x.npy", np.asfortranarray(X))
    stored = cb.data.open_columns(tmp_path / "x.npy")
    runs.append(one_tree(stored, y, file=tmp_path / "codes.npy", **limits))
    runs[0].save(tmp_path / "the.run")
    runs.append(cb.load(tmp_path / "the.run"))
    assert len({run.predict(X[:500]).tobytes() for run in runs}) == 1


def test_the_export_has_the_same_predictions():
    X, y = crossed()
    town = pd.Categorical(np.char.add("t", X[:, 0].astype(int).astype(str)))
    frame = pd.DataFrame({"town": town, "x": X[:, 2]})
    problem = cb.Problem(cb.data.trees(frame, max_depth=4, **RULE), y)
    run = cb.solve(problem, cb.gbm(0.3), 20)
    towns = ["nowhere", *frame["town"].iloc[1:400]]
    new = frame.iloc[:400].assign(town=pd.Categorical(towns))
    expected = run.predict(new)
    text = cb.estimators.lightgbm_text(run)
    np.testing.assert_allclose(lightgbm_file.predicted(text, new)[:, 0], expected, rtol=1e-9)


def leaves_by_hand(X, target, weight, rate, **limits):
    """What one step adds to the predictions: damped Newton leaves, all splits tried."""
    d = X.shape[1]
    others = {"max_leaves": None, "min_samples": 1, "min_weight": 0.0, "min_gain": 0.0, "l2": 0.0}
    features, leaves = naive_tree(X, target, weight, [0, 1], [0] * d, [0] * d, others | limits)
    added = np.empty(len(X))
    for rows, value in leaves:
        added[rows] = rate * np.sign(value) * np.log1p(abs(value))
    return features, added


@pytest.mark.parametrize("n_classes", [3, 4])
def test_three_classes_or_more_have_the_splits_of_a_search_on_the_samples(n_classes):
    """Two rounds of the softmax: in each a tree for every class from the same predictions."""
    rng = np.random.default_rng(n_classes)
    n = 700
    X = np.column_stack(
        [rng.integers(0, 12, n), np.minimum(rng.geometric(0.15, n), 25), rng.integers(0, 6, n)]
    ).astype(float)
    score = rng.normal(size=(n_classes, 12))[:, X[:, 0].astype(int)]
    score += rng.normal(size=(n_classes, 26))[:, X[:, 1].astype(int)] + 0.2 * X[:, 2]
    y = (score + rng.gumbel(size=score.shape)).argmax(axis=0)
    weight = rng.integers(1, 4, n).astype(float)
    rule = {"min_samples_category": 8, "max_split_categories": 3, "category_smoothing": 5.0}
    model = cb.RandomizedGBMClassifier(
        n_estimators=2,
        learning_rate=0.25,
        max_features=None,
        max_depth=3,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        categorical_features=[0, 1],
        random_state=0,
        **rule,
    ).fit(X, y, sample_weight=weight)
    pred = np.tile([[run.problem.constant] for run in model.runs_], n)
    for k in range(2):
        p = np.exp(pred) / np.exp(pred).sum(axis=0)
        for c, run in enumerate(model.runs_):
            target = weight * ((y == c) - p[c])
            curvature = weight * p[c] * (1 - p[c])
            features, added = leaves_by_hand(X, target, curvature, 0.25, max_depth=3, **rule)
            assert run.problem.dictionary.tree(k).feature.tolist() == features
            assert {0, 1} & set(features)
            pred[c] += added
    np.testing.assert_allclose(model.decision_function(X), pred.T, rtol=1e-6, atol=1e-8)
