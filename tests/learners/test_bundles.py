"""Exclusive 0/1 columns share a column of histograms: the model keeps its bits."""

import numpy as np
import pandas as pd
import pytest

import coordboost as cb
from coordboost.learners.trees.bundles import Columns

RNG = np.random.default_rng(4)


def encoded(n_rows):
    """Return the levels of three columns as zeros and ones, (n_rows, 25), and a target."""
    levels = [RNG.integers(0, k, n_rows) for k in (4, 9, 12)]
    X = np.hstack([np.eye(k)[level] for k, level in zip((4, 9, 12), levels, strict=True)])
    return X, levels[0] - (levels[1] % 3) * (levels[2] > 5) + 0.3 * RNG.normal(size=n_rows)


def unshared(X):
    """Return the same table with constant columns, so many that sharing would not pay."""
    return np.hstack([X, np.zeros((len(X), 30))])


X, Y = encoded(600)
LABELS, CLASSES = Y > 0, np.digitize(Y, [-1.0, 1.0])
WEIGHT = RNG.integers(1, 5, len(Y)) / 3


def test_columns_of_one_category_share_a_column_and_no_others_do():
    beside = np.column_stack(
        [X[:, :4], RNG.normal(size=600), X[:, 4:], np.where(X[:, 0], 1, X[:, 5])]
    )
    columns = Columns.of(cb.data.bin_columns(beside)[0])
    assert columns.column.tolist() == [0] * 4 + [1] + [2] * 9 + [3] * 12 + [4]
    assert columns.code.tolist() == [1, 2, 3, 4, 0, *range(1, 10), *range(1, 13), 1]
    assert columns.n_codes.tolist()[2:] == [10, 13, 2]
    assert (columns.codes[2, :600] == beside[:, 5:14] @ np.arange(1, 10)).all()
    assert Columns.of(cb.data.bin_columns(unshared(X))[0]).column.tolist() == [*range(55)]


def test_missing_values_and_categories_have_columns_of_their_own():
    table = pd.DataFrame(X[:, :10])
    table.loc[0, 1] = np.nan
    table[2] = pd.Categorical(table[2])
    columns = Columns.of(cb.data.bin_columns(table.rename(columns=str))[0])
    assert np.bincount(columns.column)[columns.column[[1, 2]]].tolist() == [1, 1]
    assert columns.code[[1, 2]].tolist() == [0, 0]
    assert columns.column[0] == columns.column[3]


@pytest.mark.parametrize(
    ("kind", "y", "settings"),
    [
        (cb.RandomizedGBMClassifier, LABELS, {}),
        (cb.RandomizedGBMClassifier, LABELS, {"newton": False, "max_depth": 4}),
        (cb.RandomizedGBMClassifier, LABELS, {"subsample": 0.6, "min_samples_leaf": 3}),
        (cb.RandomizedGBMClassifier, CLASSES, {"l2_regularization": 1.0}),
        (cb.RandomizedGBMRegressor, Y, {"max_depth": None, "max_leaf_nodes": 12}),
        (cb.RandomizedGBMRegressor, Y, {"monotonic_cst": {"x3": 1, "x0": -1, "x20": 1}}),
        (cb.RandomizedGBMRegressor, Y, {"interaction_cst": "pairwise", "min_gain": 0.1}),
    ],
)
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_sharing_changes_no_bit_of_a_model(kind, y, settings, weight):
    fits = []
    for table in (X, unshared(X)):
        named = pd.DataFrame(table).add_prefix("x")
        model = kind(n_estimators=12, max_features=None, random_state=0, **settings)
        fits.append((model.fit(named, y, sample_weight=weight), named))
    (shared, table), (apart, wider) = fits
    predictions = [model.predict_proba if y is not Y else model.predict for model, _ in fits]
    assert predictions[0](table).tobytes() == predictions[1](wider).tobytes()
    exported = [
        model.lightgbm_text().split("Tree=0")[1].split("end of trees")[0] for model, _ in fits
    ]
    assert exported[0] == exported[1]
    for run, other in zip(shared.runs_, apart.runs_, strict=True):
        assert np.array_equal(run.beta, other.beta)


def test_threads_change_no_bit_of_trees_on_shared_columns():
    table, y = encoded(60_000)
    fits = [
        cb.RandomizedGBMRegressor(n_estimators=3, random_state=0, n_jobs=n).fit(table, y)
        for n in (1, 2)
    ]
    assert fits[0].predict(table).tobytes() == fits[1].predict(table).tobytes()
    apart = cb.RandomizedGBMRegressor(n_estimators=3, max_features=None, n_jobs=2)
    together = apart.fit(table, y).predict(table)
    assert apart.fit(unshared(table), y).predict(unshared(table)).tobytes() == together.tobytes()
