"""Trees beside LightGBM's and scikit-learn's on the same bins: the same splits, the same training loss to 5 digits."""

import numpy as np
import pytest
from test_trees import table, tree_of

from coordboost.dictionaries.trees import Growth

pytestmark = pytest.mark.peers
N, D, LEAST, WEIGHT, TREES, RATE = 3000, 6, 20, 4.0, 20, 0.1
RNG = np.random.default_rng(3)  # its own: what other modules draw changes nothing here
CODES = RNG.integers(0, [[2], [5], [30], [60], [200], [200]], (D, N))
SIGNAL = CODES[4] / 50 + (CODES[2] > 11) * CODES[3] / 30 + np.sin(CODES[5] / 20) + CODES[1]
#: No node of a few hundred samples is pure: where all residuals are the same, floats of the peers split by their rounding.
TARGETS = {
    False: SIGNAL + RNG.standard_normal(N),
    True: (SIGNAL + 3 * RNG.standard_normal(N) > np.median(SIGNAL)).astype(float),
}
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
        trees.append(space.tree())
        pred += RATE * space.values[space.leaf]
    return trees, pred


def from_lightgbm(node, rows, X):
    """(feature, last code) of all splits, left to right: the last code that goes left, of those that the node has."""
    if "split_feature" not in node:
        return []
    left = X[rows, node["split_feature"]] <= node["threshold"]
    own = (node["split_feature"], X[rows[left], node["split_feature"]].max())
    return [
        *from_lightgbm(node["left_child"], rows[left], X),
        own,
        *from_lightgbm(node["right_child"], rows[~left], X),
    ]


def from_scikit_learn(nodes, rows, X, at=0):
    """The same of a tree of scikit-learn."""
    node = nodes[at]
    if node["is_leaf"]:
        return []
    code = X[rows, node["feature_idx"]]
    left = code <= node["bin_threshold"]
    return [
        *from_scikit_learn(nodes, rows[left], X, node["left"]),
        (node["feature_idx"], code[left].max()),
        *from_scikit_learn(nodes, rows[~left], X, node["right"]),
    ]


def last_codes(tree, X, at=0, rows=None):
    """The same of ours."""
    if tree.feature[at] < 0:
        return []
    rows = np.arange(len(X)) if rows is None else rows
    f = tree.feature[at]
    left = X[rows, f] <= tree.bin[at]
    own = (f, X[rows[left], f].max())
    return [*last_codes(tree, X, tree.left[at], rows[left]), own, *last_codes(tree, X, tree.left[at] + 1, rows[~left])]


def lightgbm_params(logistic, depth, leaves):
    """With second derivatives LightGBM estimates how many samples a leaf has: their sum is limited then."""
    return {
        "objective": "binary" if logistic else "regression",
        "learning_rate": RATE,
        "num_leaves": leaves,
        "max_depth": depth,
        "min_data_in_leaf": 0 if logistic else LEAST,
        "min_sum_hessian_in_leaf": WEIGHT if logistic else 0,
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
    least = {"min_weight": WEIGHT} if logistic else {"min_samples": LEAST}
    trees, pred = boosted(table(CODES), logistic, Growth(depth, leaves or -1, **least))
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
        assert last_codes(mine, X) == from_scikit_learn(theirs[0].nodes, np.arange(N), X)
    raw = model.decision_function(X) if logistic else model.predict(X)
    assert loss(logistic, pred) == pytest.approx(loss(logistic, raw), rel=1e-5)


def test_scikit_learn_sends_missing_values_the_same_way():
    """In nodes that have some. Where there are none it sends them right, and ours to the larger side."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    codes = RNG.integers(0, 31, (3, N))  # code 30 stands for missing
    y = codes[0] * (codes[0] < 30) + 20 * (codes[1] == 30) + RNG.standard_normal(N)
    X = np.where(codes == 30, np.nan, codes).T
    model = HistGradientBoostingRegressor(max_iter=1, learning_rate=1, max_leaf_nodes=8, max_depth=3, early_stopping=False)
    model.fit(X, y)
    binned = table(codes, missing=[30] * 3)
    space, _ = tree_of(binned, Growth(3, min_samples=20), y - y.mean())
    tree, nodes = space.tree(), model._predictors[0][0].nodes
    pairs, compared = [(0, 0, np.arange(N))], 0
    while pairs:
        mine, other, rows = pairs.pop()
        node, f = nodes[other], tree.feature[mine]
        assert (f < 0) == node["is_leaf"]
        if f >= 0:
            code = codes[f, rows]
            assert (f, code[code <= tree.bin[mine]].max()) == (node["feature_idx"], code[code <= node["bin_threshold"]].max())
            if (code == 30).any():
                assert tree.missing_left[mine] == node["missing_go_to_left"]
                compared += 1
            left = np.where(code == 30, tree.missing_left[mine] == 1, code <= tree.bin[mine])
            pairs += [(tree.left[mine], node["left"], rows[left]), (tree.left[mine] + 1, node["right"], rows[~left])]
    assert compared >= 4
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
