"""Trees compared with LightGBM and scikit-learn on the same bins: predictions agree, which other
splits would prevent.
"""

import numpy as np
import pytest
from plain_newton import PlainNewton
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import coordboost as cb

pytestmark = pytest.mark.peers

N = 3000
LEAST = 20
WEIGHT = 4.0
TREES = 20
RATE = 0.1
RNG = np.random.default_rng(3)  # a generator of its own: draws in other modules change nothing here
X = RNG.integers(0, [2, 5, 30, 60, 200, 200], (N, 6)).astype(float)
SIGNAL = X[:, 4] / 50 + (X[:, 2] > 11) * X[:, 3] / 30 + np.sin(X[:, 5] / 20) + X[:, 1]
#: Noise keeps nodes of a few hundred samples impure: with equal residuals the floats of other
#: packages split by their rounding.
NUMBERS = SIGNAL + RNG.standard_normal(N)
SIGNS = np.where(SIGNAL + 3 * RNG.standard_normal(N) > np.median(SIGNAL), 1.0, -1.0)
every_tree = pytest.mark.parametrize(
    ("logistic", "depth"), [(lo, depth) for lo in (False, True) for depth in (1, 3, 5)]
)


def boosted(logistic=False, X=X, y=NUMBERS, n_trees=TREES, rate=RATE, **limits):
    """Predictions of boosting, with Newton's leaves for the logistic loss."""
    family = cb.data.trees(X, newton=logistic, **limits)
    problem = cb.Problem(
        family, SIGNS if logistic else y, PlainNewton() if logistic else cb.losses.Squared()
    )
    return cb.solve(problem, cb.gbm(rate), n_trees).predict(X)


def lightgbm(logistic, depth, leaves, **more):
    """Predictions of LightGBM. With second derivatives it only estimates the samples of a leaf, so
    their sum is limited instead.
    """
    lgb = pytest.importorskip("lightgbm")
    params = {
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
    data = lgb.Dataset(X, SIGNS > 0 if logistic else NUMBERS, params=params | more)
    return lgb.train(params | more, data, TREES).predict(X, raw_score=True)


@every_tree
@pytest.mark.parametrize("leaves", [None, 5])
def test_lightgbm_grows_the_same_trees(logistic, depth, leaves):
    least = {"min_weight": WEIGHT} if logistic else {"min_samples": LEAST}
    ours = boosted(logistic, max_depth=depth, max_leaves=leaves, **least)
    np.testing.assert_allclose(ours, lightgbm(logistic, depth, leaves or 2**depth), atol=1e-5)


@every_tree
def test_scikit_learn_grows_the_same_trees(logistic, depth):
    kind = HistGradientBoostingClassifier if logistic else HistGradientBoostingRegressor
    limits = {
        "max_leaf_nodes": 2**depth,
        "max_depth": depth,
        "min_samples_leaf": LEAST,
        "early_stopping": False,
    }
    model = kind(max_iter=TREES, learning_rate=RATE, **limits).fit(
        X, SIGNS if logistic else NUMBERS
    )
    theirs = model.decision_function(X) if logistic else model.predict(X)
    np.testing.assert_allclose(
        boosted(logistic, max_depth=depth, min_samples=LEAST), theirs, atol=1e-5
    )


@pytest.mark.parametrize("kind", ["missing values", "categories"])
def test_scikit_learn_sends_missing_values_and_categories_the_same_way(kind):
    """It sorts categories by gradient over (second derivative + 10): with l2 = 10 our order is the
    same.
    """
    codes = RNG.integers(0, 31, (N, 3))
    table = np.where(codes == 30, np.nan, codes)
    more = {"max_depth": 3}
    theirs = {"max_depth": 3, "max_leaf_nodes": 8}
    y = codes[:, 0] * (codes[:, 0] < 30) + 20 * (codes[:, 1] == 30) + RNG.standard_normal(N)
    if kind == "categories":
        table = codes[:, :1] % 10.0
        more = {"max_depth": 2, "l2": 10.0, "categorical": [0]}
        theirs = {
            "max_depth": 2,
            "max_leaf_nodes": 4,
            "categorical_features": [0],
            "l2_regularization": 10,
        }
        y = np.array([3.0, -1, 0, 7, 2, -4, 1, 5, 0.5, -2])[codes[:, 0] % 10] + RNG.standard_normal(
            N
        )
    model = HistGradientBoostingRegressor(
        max_iter=1, learning_rate=1, early_stopping=False, **theirs
    ).fit(table, y)
    ours = boosted(X=table, y=y, n_trees=1, rate=1.0, min_samples=20, **more)
    np.testing.assert_allclose(ours, model.predict(table), rtol=1e-5)


@pytest.mark.parametrize("sign", [-1, 1])
def test_lightgbm_grows_the_same_monotone_trees(sign):
    """With its basic method, at depth 2. Deeper nodes may have bounded values: our splits must gain
    on these, LightGBM's on free ones.
    """
    signs = [0, sign, 0, 0, sign, sign]
    theirs = lightgbm(False, 2, 4, monotone_constraints=signs, monotone_constraints_method="basic")
    np.testing.assert_allclose(
        boosted(max_depth=2, min_samples=LEAST, monotone=signs), theirs, atol=1e-5
    )
