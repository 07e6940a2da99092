"""Options of a fit of trees that other boosting packages have: class weights, ``eval_set``,
threads, ``verbose``.
"""

import os

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 4))
LABELS = np.where(X[:, 0] + RNG.normal(size=300) > 1.2, "rare", "usual")
Y = X[:, 0] - np.abs(X[:, 1]) + 0.3 * RNG.normal(size=300)
CLASSIFIERS = [
    cb.RandomizedGBMClassifier,
    cb.AcceleratedGBMClassifier,
    cb.RegularizedGBMClassifier,
    cb.LangevinGBMClassifier,
]


def small(kind, **given):
    return kind(**{"n_estimators": 12, "min_samples_leaf": 5, "random_state": 1} | given)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)
def test_class_weights_multiply_sample_weights(kind):
    counts = {name: np.count_nonzero(name == LABELS) for name in np.unique(LABELS)}
    by_hand = np.array([300 / (2 * counts[name]) for name in LABELS])
    balanced = small(kind, class_weight="balanced").fit(X, LABELS)
    np.testing.assert_array_equal(
        balanced.predict_proba(X), small(kind).fit(X, LABELS, by_hand).predict_proba(X)
    )
    weight = RNG.uniform(0.5, 1.5, size=300)
    given = small(kind, class_weight={"rare": 3.0, "usual": 0.5}).fit(X, LABELS, weight)
    other = small(kind).fit(X, LABELS, weight * np.where(LABELS == "rare", 3.0, 0.5))
    np.testing.assert_array_equal(given.predict_proba(X), other.predict_proba(X))
    assert (balanced.predict(X) == "rare").sum() > (
        small(kind).fit(X, LABELS).predict(X) == "rare"
    ).sum()


def test_three_classes_and_bad_class_weights():
    many = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-1.0, 1.5])]
    model = small(cb.RandomizedGBMClassifier, class_weight="balanced").fit(X, many)
    weight = np.array([300 / (3 * np.count_nonzero(many == one)) for one in many])
    np.testing.assert_array_equal(
        model.predict_proba(X),
        small(cb.RandomizedGBMClassifier).fit(X, many, weight).predict_proba(X),
    )
    wrong = (
        "auto",
        [1],
        3,
        {"rare": -1.0},
        {"rare": np.nan},
        {"rare": "x"},
        {"rare": 10**400},
        {"rare": 0.0, "usual": 0.0},
        {"zz": 1},
    )
    for bad in wrong:
        refused(
            lambda bad=bad: small(cb.RandomizedGBMClassifier, class_weight=bad).fit(X, LABELS),
            "class_weight",
        )


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)
def test_balanced_class_weights_do_not_count_rows_of_weight_0(kind):
    weight = np.where(np.arange(300) % 3 == 0, 0.0, 1.0 + np.arange(300) % 2) + 9 * (
        LABELS == "rare"
    ) * (np.arange(300) % 3 > 0)
    kept = weight > 0
    all_rows = small(kind, class_weight="balanced").fit(X, LABELS, weight)
    fewer = small(kind, class_weight="balanced").fit(X[kept], LABELS[kept], weight[kept])
    np.testing.assert_array_equal(all_rows.predict_proba(X), fewer.predict_proba(X))


@pytest.mark.parametrize("pair", [(X[200:], Y[200:]), [(X[200:], Y[200:])]], ids=["pair", "list"])
def test_an_eval_set_is_validation_rows(pair):
    one, other = (small(cb.RandomizedGBMRegressor, n_iter_no_change=2) for _ in range(2))
    one.fit(X[:200], Y[:200], eval_set=pair)
    other.fit(X[:200], Y[:200], X_val=X[200:], y_val=Y[200:])
    np.testing.assert_array_equal(one.validation_score_, other.validation_score_)
    refused(lambda: one.fit(X, Y, eval_set=(X, Y), X_val=X), "instead of X_val")


@pytest.mark.slow
def test_any_number_of_threads_gives_the_same_bits():
    table = RNG.normal(size=(70_000, 16))
    y = table[:, 0] * table[:, 1]
    models = [
        small(cb.RandomizedGBMRegressor, n_jobs=n, n_estimators=3, max_features=None).fit(table, y)
        for n in (1, 2, 5, -1, None)
    ]
    assert (
        len({model.run_.beta.tobytes() + model.predict(table).tobytes() for model in models}) == 1
    )


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (cb.RandomizedGBMRegressor, {"max_depth": 5, "categorical_features": [2]}),
        (cb.RandomizedGBMClassifier, {"max_leaf_nodes": 9, "subsample": 0.9, "newton": True}),
    ],
)
def test_threads_share_the_rows_of_few_columns(kind, options, monkeypatch):
    """140,000 sorted rows of 8 columns: the rows of a node lie in the shares of a few threads."""
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(16), raising=False)
    table = RNG.normal(size=(140_000, 8)).astype(np.float32)
    table[:, 0].sort()
    table[:, 2] = RNG.integers(0, 30, len(table))
    table[:999, 1] = np.nan
    y = table[:, 0] + np.cos(table[:, 2]) * table[:, 3]
    if kind is cb.RandomizedGBMClassifier:
        y = y > 0
    models = [
        small(kind, n_jobs=n, n_estimators=2, max_features=None, **options).fit(table, y)
        for n in (1, 2, 3, 5, 16)
    ]
    beta = {model.run_.beta.tobytes() for model in models}
    predictions = {model.predict(table[::9]).tobytes() for model in models}
    assert len(beta) == len(predictions) == 1


def test_threads_are_a_whole_number():
    for bad in (0, 1.5, "all"):
        refused(
            lambda bad=bad: small(cb.RandomizedGBMRegressor, n_jobs=bad).fit(X, Y), "n_jobs must be"
        )
