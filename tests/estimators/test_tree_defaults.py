"""Defaults of the randomised trees that follow the data: depth, leaf values, early stopping."""

import numpy as np
import pytest

import coordboost as cb

RNG = np.random.default_rng(6)
X = RNG.integers(0, 9, (10_000, 2)).astype(float)
Y = X[:, 0] + RNG.normal(size=10_000)
LABELS = Y > 4


def depth_of(kind, y, **settings):
    """Return the depth that a model used, and assert that its trees have that limit."""
    model = kind(n_estimators=1, random_state=0, **settings).fit(X[: len(y)], y)
    growth = model.runs_[0].problem.dictionary.family.growth
    if model.max_depth_ is None:
        assert (growth.max_depth > 31, growth.max_leaves) == (True, 31)
    else:
        assert growth.max_depth == model.max_depth_
    return model.max_depth_


@pytest.mark.parametrize(
    ("n_rows", "settings", "depth"),
    [
        (200, {}, 3),
        (511, {}, 3),
        (512, {}, 4),
        (1024, {}, 5),
        (2047, {}, 5),
        (2048, {}, None),
        (300, {"max_depth": None}, None),
        (2048, {"max_leaf_nodes": None}, 3),
        (2048, {"max_depth": 5}, 5),
    ],
)
def test_trees_of_few_rows_are_shallow(n_rows, settings, depth):
    assert depth_of(cb.RandomizedGBMRegressor, Y[:n_rows], **settings) == depth


@pytest.mark.parametrize(
    ("counts", "depth"),
    [
        ((256, 256), 4),
        ((256, 255), 3),
        ((9744, 256), 4),  # 10,000 rows tell as much as 998
        ((9737, 263), 5),  # 1,024
        ((9463, 537), 5),  # 2,032
        ((9458, 542), None),  # 2,050
        ((171, 171, 171), 4),
        ((171, 171, 169), 3),
        ((3000, 200, 100), 4),  # 836
    ],
)
def test_rows_of_classes_are_counted_by_what_they_tell(counts, depth):
    labels = np.repeat(np.arange(len(counts)), counts)
    assert depth_of(cb.RandomizedGBMClassifier, labels) == depth


@pytest.mark.parametrize(
    ("n_features", "n_drawn"), [(1, 1), (5, 5), (6, 6), (7, 6), (12, 6), (13, 6), (14, 7), (41, 20)]
)
def test_a_tree_draws_half_of_the_features_but_at_least_six(n_features, n_drawn):
    table = RNG.normal(size=(100, n_features))
    model = cb.RandomizedGBMRegressor(n_estimators=1, random_state=0).fit(table, table[:, 0])
    select = model.run_.method.select
    assert getattr(select, "t", n_features) == n_drawn


@pytest.mark.parametrize(
    ("kind", "loss", "newton"),
    [
        (cb.RandomizedGBMClassifier, None, True),
        (cb.RandomizedGBMClassifier, cb.losses.Exponential(), True),
        (cb.RandomizedGBMRegressor, None, False),
        (cb.RandomizedGBMRegressor, cb.losses.Huber(1.0), False),
        (cb.RandomizedGBMRegressor, cb.losses.Quantile(0.3), False),
        (cb.RandomizedGBMRegressor, cb.losses.Poisson(), True),
    ],
)
def test_leaves_are_newton_steps_where_a_loss_has_damped_ones(kind, loss, newton):
    y = LABELS if kind is cb.RandomizedGBMClassifier else np.abs(Y)
    model = kind(loss=loss, n_estimators=1, random_state=0).fit(X[:200], y[:200])
    assert model.run_.problem.dictionary.family.newton == newton


def of(n_trees, n_rows=10_000, **settings):
    model = cb.RandomizedGBMRegressor(
        n_estimators=n_trees, max_leaf_nodes=2, random_state=0, **settings
    )
    return model.fit(X[:n_rows], Y[:n_rows])


def test_rows_are_held_out_for_many_trees_on_many_rows():
    many = of(101)
    assert many.early_stopping_ and many.run_.problem.n_samples == 9_000
    assert len(many.validation_score_) == many.run_.n_steps + 1
    for model in (of(100), of(101, n_rows=9_999), of(101, early_stopping=None)):
        assert not model.early_stopping_ and not hasattr(model, "validation_score_")


def test_a_fit_that_is_continued_holds_out_what_it_held_out_before():
    longer = of(100, warm_start=True).set_params(n_estimators=110).fit(X, Y)
    whole = of(110, early_stopping=False)
    assert longer.predict(X[:50]).tobytes() == whole.predict(X[:50]).tobytes()
    again = of(101, warm_start=True)
    n_steps = again.run_.n_steps
    assert again.set_params(n_estimators=102).fit(X, Y).run_.n_steps >= n_steps
    assert again.early_stopping_


def test_rows_given_to_fit_end_it_by_default():
    model = cb.RandomizedGBMRegressor(n_estimators=3, random_state=0)
    rows = (X[200:300], Y[200:300])
    assert model.fit(X[:200], Y[:200], eval_set=[rows]).early_stopping_
    model.set_params(early_stopping=False).fit(X[:200], Y[:200], eval_set=[rows])
    assert not model.early_stopping_
