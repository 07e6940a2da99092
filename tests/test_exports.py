"""Models in the text format of LightGBM, which predicts the same from them."""

import numpy as np
import pytest

import coordboost as cb

RNG = np.random.default_rng(2)
X = RNG.standard_normal((300, 4))
X[:, 3] = RNG.integers(0, 70, 300)
X[RNG.random((300, 4)) < [0.2, 0, 0, 0]] = np.nan
Y = np.where(np.isnan(X[:, 0]), 2.0, X[:, 0]) + (X[:, 3] % 7 > 3) * X[:, 1] + 0.1 * RNG.standard_normal(300) + 5
NEW = np.vstack([X, np.where(RNG.random(X.shape) < 0.3, np.nan, X + 0.01), np.full((1, 4), 1e9)])
NEW[:, 3] = np.where(np.isnan(NEW[:, 3]), 999, np.round(NEW[:, 3]))


def runs():
    yield "squared", cb.solve(cb.Problem(cb.data.trees(X, max_depth=3), Y), cb.gbm(0.3), 20)
    yield "categories", cb.solve(cb.Problem(cb.data.trees(X, max_depth=3, categorical=[3]), Y), cb.gbm(0.3), 20)
    signs = np.where(np.median(Y) < Y, 1.0, -1.0)
    yield "logistic", cb.solve(cb.Problem(cb.data.trees(X, max_depth=2, newton=True), signs, cb.losses.Logistic()), cb.gbm(0.3), 20)
    yield "no tree", cb.solve(cb.Problem(cb.data.trees(X), Y), cb.gbm(0.3), 0)
    yield "accelerated", cb.solve(cb.Problem(cb.data.trees(X, max_leaves=5), Y), cb.agbm(0.3, 0.1), 20)


@pytest.mark.peers
def test_lightgbm_predicts_the_same():
    lgb = pytest.importorskip("lightgbm")
    for name, run in runs():
        booster = lgb.Booster(model_str=cb.estimators.lightgbm_text(run))
        want = run.predict(NEW)
        np.testing.assert_allclose(booster.predict(NEW, raw_score=True), want, rtol=1e-12, err_msg=name)
        if name == "logistic":
            np.testing.assert_allclose(booster.predict(NEW), 1 / (1 + np.exp(-want)), rtol=1e-12)
        parts = booster.predict(X, pred_contrib=True)
        np.testing.assert_allclose(parts.sum(axis=1), run.predict(X), rtol=1e-9)
        trees = run.problem.dictionary.trees
        assert booster.num_trees() == max(1, np.count_nonzero(run.beta))
        if name == "squared":
            np.testing.assert_allclose(booster.feature_importance("gain"), gains(trees, 4))


@pytest.mark.peers
def test_the_model_at_an_earlier_step():
    lgb = pytest.importorskip("lightgbm")
    run = cb.solve(cb.Problem(cb.data.trees(X, max_depth=2), Y), cb.gbm(0.3), 12)
    early = cb.solve(cb.Problem(cb.data.trees(X, max_depth=2), Y), cb.gbm(0.3), 5)
    booster = lgb.Booster(model_str=cb.estimators.lightgbm_text(run, early.beta))
    np.testing.assert_allclose(booster.predict(NEW), early.predict(NEW), rtol=1e-12)


@pytest.mark.peers
@pytest.mark.parametrize(
    "model",
    [
        cb.AcceleratedGBMRegressor(n_estimators=60, early_stopping=True, random_state=0, learning_rate=0.5),
        cb.AcceleratedGBMRegressor(n_estimators=60, early_stopping=True, random_state=0, learning_rate=0.5, gamma=0.5, correction=1),
        cb.RandomizedGBMRegressor(n_estimators=200, early_stopping=True, random_state=0, learning_rate=1.0),
        cb.AcceleratedGBMClassifier(n_estimators=20),
    ],
    ids=["momentum", "corrected", "randomized", "classes"],
)
def test_an_estimator_at_its_best_iteration(model):
    """Momentum changes all coefficients in every iteration: the exported model is that of the best iteration, not of the last."""
    lgb = pytest.importorskip("lightgbm")
    classes = isinstance(model, cb.AcceleratedGBMClassifier)
    model.fit(X, np.where(np.median(Y) < Y, "yes", "no") if classes else Y)
    found = lgb.Booster(model_str=model.lightgbm_text()).predict(NEW)
    np.testing.assert_allclose(found, model.predict_proba(NEW)[:, 1] if classes else model.predict(NEW), rtol=1e-11)
    if not classes:
        steps = model.run_.n_steps // (1 + (getattr(model, "correction", 0) == 1))
        last = lgb.Booster(model_str=cb.estimators.lightgbm_text(model.run_)).predict(NEW)
        assert model.n_iter_ < steps and np.abs(last - found).max() > 1e-6


def test_separate_models_of_classes_are_not_exported_as_one():
    model = cb.RandomizedGBMClassifier(n_estimators=2, multinomial=False).fit(X, np.digitize(Y, [4, 6]))
    with pytest.raises(ValueError, match="there are 3 models, one for each class"):
        model.lightgbm_text()


@pytest.mark.peers
@pytest.mark.parametrize(
    "given", [{"early_stopping": True, "learning_rate": 1.0}, {"categorical_features": [3]}, {"min_samples_leaf": 200}], ids=str
)
def test_one_model_of_several_classes(given):
    lgb = pytest.importorskip("lightgbm")
    model = cb.RandomizedGBMClassifier(**{"n_estimators": 30, "random_state": 0, **given}).fit(X, np.digitize(Y, [4, 6]))
    booster = lgb.Booster(model_str=model.lightgbm_text())
    np.testing.assert_allclose(booster.predict(NEW), model.predict_proba(NEW), rtol=1e-9)
    parts = booster.predict(X, pred_contrib=True).reshape(len(X), 3, 5)
    np.testing.assert_allclose(parts.sum(axis=2), model.decision_function(X), rtol=1e-9, atol=1e-12)


@pytest.mark.peers
def test_text_and_other_categories_of_a_data_frame():
    lgb, pd = pytest.importorskip("lightgbm"), pytest.importorskip("pandas")
    town, size = RNG.choice(["Oslo", "Bern", "Rome", "Lima"], 300), RNG.choice([3, 5, 9], 300)
    frame = pd.DataFrame({"x": X[:, 1], "town": pd.Categorical(town), "size": pd.Categorical(size)})
    y = X[:, 1] + 2 * (town == "Bern") - (town == "Rome") + (size == 5)
    model = cb.RandomizedGBMRegressor(n_estimators=30, random_state=0, max_features=None).fit(frame, y)
    booster = lgb.Booster(model_str=model.lightgbm_text())
    np.testing.assert_allclose(booster.predict(frame), model.predict(frame), rtol=1e-12)
    parts = booster.predict(frame, pred_contrib=True)
    np.testing.assert_allclose(parts.sum(axis=1), model.predict(frame), rtol=1e-9)
    assert np.abs(parts[:, 1]).mean() > np.abs(parts[:, 2]).mean() > 0.1


def gains(trees, d):
    """The gains of all splits by feature."""
    inner = trees.feature >= 0
    return np.bincount(trees.feature[inner], trees.gain[inner], d)


def test_gains_add_up_to_the_decrease_of_the_squared_residual():
    """Without a penalty, the gains of one tree add up to the decrease of the sum of squares."""
    run = cb.solve(cb.Problem(cb.data.trees(X, max_depth=3), Y), cb.gbm(1.0), 1)
    start = ((Y - Y.mean()) ** 2).sum()
    assert gains(run.problem.dictionary.trees, 4).sum() == pytest.approx(start - ((Y - run.predict(X)) ** 2).sum(), rel=1e-9)
    assert (run.problem.dictionary.trees.n_samples[0, 0], run.problem.dictionary.tree(0).n_leaves) == (300, 8)


def test_the_text_of_a_tree_of_a_bank():
    table = np.column_stack([np.array([1.0, 1, 2, 2]), [0, 1, 0, 2]])
    run = cb.solve(cb.Problem(cb.data.trees(table, max_depth=1, categorical=[1]), [0.0, 4, 0, 4]), cb.gbm(1.0), 1)
    assert run.problem.dictionary.text(0, by=4.0).splitlines() == [
        "if x1 in {0.0}:",
        "    leaf 0: -2 (2 samples)",
        "else:",
        "    leaf 1: 2 (2 samples)",
    ]


def test_what_cannot_be_exported_is_refused():
    with pytest.raises(ValueError, match="other learners have no leaves"):
        cb.estimators.lightgbm_text(cb.solve(cb.Problem(np.eye(3), [1.0, 2, 3]), cb.methods.gcd(), 1))
    half = np.column_stack([[0.5, 1.5, 2.5, 0.5]])
    run = cb.solve(cb.Problem(cb.data.trees(half, categorical=[0]), [1.0, 2, 3, 1]), cb.gbm(1.0), 1)
    with pytest.raises(ValueError, match="whole numbers >= 0"):
        cb.estimators.lightgbm_text(run)
