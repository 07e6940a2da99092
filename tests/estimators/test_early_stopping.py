"""Early stopping keeps the best iteration of the run, in any unit of y, and refuses bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_sets import needs_compiler

import coordboost as cb

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 4)).round(1)
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * RNG.normal(size=120)
NAMES = np.array(["blue", "green", "red"])[np.digitize(Y, [-0.5, 0.5])]
QUICK = {"min_samples_leaf": 5, "random_state": 0}
MODELS = [
    cb.RandomizedGBMRegressor(**QUICK, max_depth=2),
    cb.AcceleratedGBMRegressor(**QUICK, max_depth=2),
    cb.AcceleratedGBMRegressor(**QUICK, max_depth=2, correction=1),
    cb.RegularizedGBMRegressor(**QUICK),
    cb.LangevinGBMRegressor(**QUICK, max_depth=2, beta=1e4, gamma=1e-3),
    cb.RandomizedGBMClassifier(**QUICK, max_depth=2),
    cb.AcceleratedGBMClassifier(**QUICK, max_depth=2),
    cb.RegularizedGBMClassifier(**QUICK),
    cb.LangevinGBMClassifier(**QUICK, max_depth=2, gamma=1e-3),
]
each = pytest.mark.parametrize(
    "model", MODELS, ids=lambda model: f"{type(model).__name__}{getattr(model, 'correction', '')}"
)


def target(model, y=Y):
    return NAMES if type(model).__name__.endswith("Classifier") else y


def test_the_best_iteration_may_come_after_the_one_that_ended_the_run():
    """The losses on three validation rows fall rarely; early stopping is checked every 5
    iterations.
    """
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 3)).round(1)
        y = X[:, 0] + 2 * rng.normal(size=60)
        model = cb.RandomizedGBMRegressor(
            **QUICK, max_depth=1, max_features=0.5, n_estimators=60
        ).fit(X[3:], y[3:], X_val=X[:3], y_val=y[:3])
        score = model.validation_score_
        assert model.n_iter_ == np.argmax(score) and len(score) == model.run_.n_steps + 1
        end = next(
            (
                k
                for k in range(10, len(score))
                if score[k - 9 : k + 1].max() <= score[k - 10] - 1e-7 * score[0]
            ),
            60,
        )
        found.append(model.n_iter_ > end)
        assert model.run_.n_steps <= end + 4
    assert any(found)


@needs_compiler
@each
@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), patience=st.integers(1, 12), n_held=st.integers(2, 40))
def test_the_model_is_that_of_the_best_iteration(model, seed, patience, n_held):
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(120)
    weight = rng.integers(1, 4, 120).astype(float)
    fit = mixed[n_held:]
    held = mixed[:n_held]
    y = target(model)
    model.set_params(n_estimators=25, n_iter_no_change=patience)
    model.fit(
        X[fit], y[fit], weight[fit], X_val=X[held], y_val=y[held], sample_weight_val=weight[held]
    )
    assert model.n_iter_ == np.argmax(model.validation_score_)
    model.fit(X[fit], y[fit])
    assert not hasattr(model, "validation_score_")


def test_each_of_several_classes_keeps_its_best_iteration():
    model = cb.RandomizedGBMClassifier(
        **QUICK, multinomial=False, n_estimators=200, early_stopping=True, max_depth=2
    ).fit(X, NAMES)
    assert (
        len(model.validation_score_) == model.n_iter_ + 1 == len(list(model.staged_predict(X))) + 1
    )
    assert min(fitted.n_iter for fitted in model._models) < model.n_iter_
    assert model.validation_score_[-1] == model.validation_score_.max()


@pytest.mark.parametrize("model", [MODELS[0], MODELS[5]], ids=["numbers", "classes"])
@pytest.mark.parametrize("part", [0, 1, None, 1.0, 0.0, -0.5, 30, "half", True, np.nan])
def test_the_validation_fraction_is_above_0_and_below_1(model, part):
    model.set_params(early_stopping=True, validation_fraction=part)
    with pytest.raises(
        ValueError, match="validation_fraction must be a fraction of the rows, above 0 and below 1"
    ):
        model.fit(X, target(model))
    model.set_params(early_stopping=None, validation_fraction=0.1)


@pytest.mark.parametrize(
    "given, words",
    [
        ({"X_val": X}, "X_val and y_val come together: y_val is missing"),
        ({"y_val": Y}, "X_val and y_val come together: X_val is missing"),
        ({"sample_weight_val": np.ones(120)}, "X_val and y_val come together: X_val is missing"),
        (
            {"X_val": X, "y_val": Y, "sample_weight_val": np.zeros(120)},
            "sample_weight_val must contain at least one non-zero number",
        ),
    ],
)
def test_validation_rows_must_be_complete(given, words):
    with pytest.raises(ValueError, match=words):
        cb.RandomizedGBMRegressor(**QUICK).fit(X, Y, **given)


@pytest.mark.parametrize(
    "labels, part, words",
    [
        (
            ["a"] * 60 + ["b"] * 59 + ["c"],
            0.1,
            "the class 'c' has too few, 1: add rows, or pass X_val and y_val to fit",
        ),
        (["a"] * 118 + ["c"] * 2, 0.95, "the class 'c' has too few, 2"),
        (
            list("abc") * 40,
            0.01,
            r"holds back 2 of 120 row\(s\) and leaves 118 to fit, too few .* for the 3 classes",
        ),
        (list("abc") * 40, 0.99, r"holds back 119 of 120 row\(s\) and leaves 1 to fit"),
    ],
)
def test_classes_with_too_few_rows(labels, part, words):
    with pytest.raises(ValueError, match=words):
        cb.RandomizedGBMClassifier(**QUICK, early_stopping=True, validation_fraction=part).fit(
            X, labels
        )
    with pytest.raises(ValueError, match=r"holds back 1 of 1 row\(s\)"):
        cb.RandomizedGBMRegressor(early_stopping=True).fit(X[:1], Y[:1])


@needs_compiler
def test_the_unit_of_y_does_not_end_a_run():
    """`tol` is relative to the loss of the constant model; powers of two are exact."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    y = X[:, 0] - 2 * (X[:, 1] > 0) + 0.3 * rng.normal(size=1000)
    model = cb.RandomizedGBMRegressor(n_estimators=300, early_stopping=True, random_state=0)
    score = model.fit(X, y).score(X, y)
    for unit in (2.0**-40, 2.0**-13, 2.0**20):
        model.fit(X * 8, unit * y)
        assert model.score(X * 8, unit * y) == pytest.approx(score, rel=1e-12) and score > 0.95
    for unit in (1e-3, 1e-4):
        assert model.fit(X, unit * y).score(X, unit * y) == pytest.approx(score, abs=1e-6)
