"""Trees beside LightGBM's and scikit-learn's on the same bins: the same splits, the same training loss to 5 digits."""

import numpy as np
import pytest
from test_trees import RNG, finished, table, tree_of

from coordboost.dictionaries.trees import Growth

pytestmark = pytest.mark.peers
N, D, LEAST, TREES, RATE = 3000, 6, 20, 20, 0.1
CODES = RNG.integers(0, [[2], [5], [30], [60], [200], [200]], (D, N))
SIGNAL = CODES[4] / 50 + (CODES[2] > 11) * CODES[3] / 30 + np.sin(CODES[5] / 20) + CODES[1]
TARGETS = {False: SIGNAL + RNG.standard_normal(N), True: (SIGNAL + RNG.standard_normal(N) > np.median(SIGNAL)).astype(float)}
every_tree = pytest.mark.parametrize(("logistic", "depth"), [(lo, depth) for lo in (False, True) for depth in (1, 3, 5)])


def loss(logistic, pred):
    y = TARGETS[logistic]
    return np.mean(np.logaddexp(0, (1 - 2 * y) * pred)) if logistic else np.mean((y - pred) ** 2) / 2


def boosted(binned, logistic, growth):
    """The trees of TREES steps, Newton's for the logistic loss, and the predictions after them."""
    y, trees = TARGETS[logistic], []
    pred = np.full(N, np.log(y.mean() / (1 - y.mean())) if logistic else y.mean())
    for _ in range(TREES):
        p = 1 / (1 + np.exp(-pred))
        space, _ = tree_of(binned, growth, y - p if logistic else y - pred, p * (1 - p) if logistic else np.ones(N))
        trees.append(finished(binned, space))
        pred += RATE * space.values[space.leaf]
    return trees, pred


def splits(tree, at=0):
    """(feature, bin) of all splits, left to right."""
    if tree.feature[at] < 0:
        return []
    return [*splits(tree, tree.left[at]), (tree.feature[at], tree.bin[at]), *splits(tree, tree.left[at] + 1)]


def from_lightgbm(node, rows, X):
    """As `splits`, of a node of LightGBM's dump: its threshold as the last code that goes left, of those that the node has."""
    if "split_feature" not in node:
        return []
    left = X[rows, node["split_feature"]] <= node["threshold"]
    own = (node["split_feature"], X[rows[left], node["split_feature"]].max())
    return [
        *from_lightgbm(node["left_child"], rows[left], X),
        own,
        *from_lightgbm(node["right_child"], rows[~left], X),
    ]


def last_codes(tree, X, at=0, rows=None):
    """As `splits`, with the last code on the left that the node has."""
    if tree.feature[at] < 0:
        return []
    rows = np.arange(len(X)) if rows is None else rows
    f = tree.feature[at]
    left = X[rows, f] <= tree.bin[at]
    own = (f, X[rows[left], f].max())
    return [*last_codes(tree, X, tree.left[at], rows[left]), own, *last_codes(tree, X, tree.left[at] + 1, rows[~left])]


def lightgbm_params(logistic, depth, leaves):
    """With second derivatives LightGBM estimates how many samples a leaf has: no limit then."""
    return {
        "objective": "binary" if logistic else "regression",
        "learning_rate": RATE,
        "num_leaves": leaves,
        "max_depth": depth,
        "min_data_in_leaf": 0 if logistic else LEAST,
        "min_sum_hessian_in_leaf": 0,
        "min_data_in_bin": 1,
        "verbose": -1,
        "num_threads": 1,
        "deterministic": True,
    }


@every_tree
@pytest.mark.parametrize("leaves", [None, 5])
def test_lightgbm_grows_the_same_trees(logistic, depth, leaves):
    lgb = pytest.importorskip("lightgbm")
    X, y = CODES.T.astype(float), TARGETS[logistic]
    params = lightgbm_params(logistic, depth, leaves or 2**depth)
    booster = lgb.train(params, lgb.Dataset(X, y, params=params), TREES)
    trees, pred = boosted(table(CODES), logistic, Growth(depth, leaves or -1, min_samples=1 if logistic else LEAST))
    for mine, theirs in zip(trees[:3], booster.dump_model()["tree_info"], strict=False):
        assert last_codes(mine, X) == from_lightgbm(theirs["tree_structure"], np.arange(N), X)
    assert loss(logistic, pred) == pytest.approx(loss(logistic, booster.predict(X, raw_score=True)), rel=1e-5)


@every_tree
def test_scikit_learn_grows_the_same_trees(logistic, depth):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if logistic else HistGradientBoostingRegressor
    model = kind(
        max_iter=TREES,
        learning_rate=RATE,
        max_leaf_nodes=2**depth,
        max_depth=depth,
        min_samples_leaf=LEAST,
        early_stopping=False,
    )
    X = CODES.T.astype(float)
    model.fit(X, TARGETS[logistic])
    trees, pred = boosted(table(CODES), logistic, Growth(depth, min_samples=LEAST))
    for mine, theirs in zip(trees[:3], model._predictors, strict=False):
        inner = theirs[0].nodes[theirs[0].nodes["is_leaf"] == 0]
        want = sorted(zip(inner["feature_idx"].tolist(), inner["bin_threshold"].tolist(), strict=True))
        assert sorted((int(f), int(b)) for f, b in splits(mine)) == want
    raw = model.decision_function(X) if logistic else model.predict(X)
    assert loss(logistic, pred) == pytest.approx(loss(logistic, raw), rel=1e-5)


def test_scikit_learn_sends_missing_values_the_same_way():
    from sklearn.ensemble import HistGradientBoostingRegressor

    codes = RNG.integers(0, 31, (3, N))  # code 30 stands for missing
    y = codes[0] * (codes[0] < 30) + 20 * (codes[1] == 30) + RNG.standard_normal(N)
    X = np.where(codes == 30, np.nan, codes).T
    model = HistGradientBoostingRegressor(max_iter=1, learning_rate=1, max_leaf_nodes=8, max_depth=3, early_stopping=False)
    model.fit(X, y)
    binned = table(codes, missing=[30] * 3)
    space, _ = tree_of(binned, Growth(3, min_samples=20), y - y.mean())
    nodes = model._predictors[0][0].nodes
    tree = finished(binned, space)
    inner, own = nodes["is_leaf"] == 0, tree.feature >= 0
    want = sorted(
        zip(nodes["feature_idx"][inner], nodes["bin_threshold"][inner], nodes["missing_go_to_left"][inner], strict=True)
    )
    assert sorted(zip(tree.feature[own], tree.bin[own], tree.missing_left[own], strict=True)) == want
    np.testing.assert_allclose(model.predict(X), y.mean() + space.values[space.leaf], rtol=1e-6)


@pytest.mark.parametrize("sign", [-1, 1])
def test_lightgbm_grows_the_same_monotone_trees(sign):
    """By its basic method. Below depth 2 a node may have a bounded value: ours must be better than that, LightGBM's than a free one."""
    lgb = pytest.importorskip("lightgbm")
    X, signs = CODES.T.astype(float), [0, sign, 0, 0, sign, sign]
    params = lightgbm_params(False, 2, 4) | {"monotone_constraints": signs, "monotone_constraints_method": "basic"}
    booster = lgb.train(params, lgb.Dataset(X, TARGETS[False], params=params), TREES)
    trees, pred = boosted(table(CODES), False, Growth(2, min_samples=LEAST, monotone=np.array(signs)))
    for mine, theirs in zip(trees[:3], booster.dump_model()["tree_info"], strict=False):
        assert last_codes(mine, X) == from_lightgbm(theirs["tree_structure"], np.arange(N), X)
    assert loss(False, pred) == pytest.approx(loss(False, booster.predict(X)), rel=1e-5)


def test_scikit_learn_splits_categories_the_same_way():
    """Its order of categories is by gradients over second derivatives and a constant of its own, 10: the l2 that makes ours the same."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    y = np.array([3.0, -1, 0, 7, 2, -4, 1, 5, 0.5, -2])[CODES[4] % 10] + RNG.standard_normal(N)
    X = (CODES[4] % 10)[:, None].astype(float)
    model = HistGradientBoostingRegressor(
        max_iter=1,
        learning_rate=1,
        max_leaf_nodes=4,
        max_depth=2,
        early_stopping=False,
        categorical_features=[0],
        l2_regularization=10,
    )
    model.fit(X, y)
    space, _ = tree_of(table([CODES[4] % 10], categorical=[1]), Growth(2, min_samples=20, l2=10.0), y - y.mean())
    np.testing.assert_allclose(model.predict(X), y.mean() + space.values[space.leaf], rtol=1e-6)
