"""Contributions of the features to the predictions of estimators, and shap's form of them."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from all_estimators import ESTIMATORS, X, of_trees, quick, target
from scipy.special import expit
from sklearn.base import is_classifier

import coordboost as cb

TREES = [kind for kind in ESTIMATORS if of_trees(kind)]
LINEAR = [kind for kind in ESTIMATORS if not of_trees(kind)]
RNG = np.random.default_rng(5)
N = 300


def every(kinds):
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.__name__)


def awkward_table():
    """Numbers with gaps, text with gaps, whole numbers as categories, a constant column."""
    town = RNG.choice(["Oslo", "Bern", "Rome", None], N)
    size = RNG.choice([3, 5, 9], N)
    x = np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N))
    frame = pd.DataFrame(
        {
            "x": x,
            "town": pd.Categorical(town),
            "size": pd.Categorical(size),
            "z": RNG.normal(size=N),
            "one": 1.0,
        }
    )
    y = np.where(np.isnan(x), 1.0, x) * (size == 5) + 2.0 * (town == "Bern") + frame["z"]
    return frame, y.to_numpy()


FRAME, Y = awkward_table()
NEW = pd.concat([FRAME.iloc[:40], FRAME.iloc[:3].assign(x=1e9, town="Paris")])


def raw(model, rows):
    """The raw predictions, (n_samples,) or (n_samples, n_classes)."""
    return model.decision_function(rows) if is_classifier(model) else model.predict(rows)


def adds_up(model, rows, **given):
    values, bases = model.contributions(rows, **given)
    want = raw(model, rows)
    assert values.shape == (len(want), model.n_features_in_, *want.shape[1:])
    assert bases.shape == want.shape
    np.testing.assert_allclose(values.sum(axis=1) + bases, want, rtol=1e-11, atol=1e-12)
    return values, bases


@every(TREES)
def test_contributions_of_trees_add_up(kind):
    y = np.digitize(Y, [0.5]) if is_classifier(kind()) else Y
    # the scores of several members of a chain of classifiers are not the odds of their mean
    alone = {"n_members": 1} if kind is cb.LangevinGBMClassifier else {}
    model = quick(kind, **alone).fit(FRAME, y)
    values, bases = adds_up(model, NEW)
    assert (values[:, 4] == 0).all() and np.ptp(bases) == 0
    there, mean = adds_up(model, NEW, background=FRAME[::-60])
    np.testing.assert_allclose(mean[0], raw(model, FRAME[::-60]).mean(), rtol=1e-11)
    assert np.abs(there - values).max() > 1e-3
    again = pickle.loads(pickle.dumps(model)).contributions(NEW)
    assert again.values.tobytes() == values.tobytes()


@pytest.mark.parametrize("multinomial", [True, False])
def test_contributions_to_the_scores_of_three_classes_add_up(multinomial):
    model = cb.RandomizedGBMClassifier(n_estimators=8, random_state=0, multinomial=multinomial)
    model.fit(FRAME, np.digitize(Y, [0.5, 2.0]))
    adds_up(model, NEW)
    _, mean = adds_up(model, NEW, background=FRAME[::-60])
    np.testing.assert_allclose(mean[0], raw(model, FRAME[::-60]).mean(axis=0), rtol=1e-11)


def test_contributions_to_the_scores_of_a_chain_of_three_classes():
    model = cb.LangevinGBMClassifier(n_estimators=8, n_members=1, random_state=0)
    model.fit(FRAME, np.digitize(Y, [0.5, 2.0]))
    values, bases = model.contributions(NEW)
    p = expit(values.sum(axis=1) + bases)
    np.testing.assert_allclose(
        p / p.sum(axis=1, keepdims=True), model.predict_proba(NEW), rtol=1e-11
    )


@pytest.mark.parametrize(
    "model",
    [
        cb.RandomizedGBMRegressor(max_leaf_nodes=31, max_depth=None, min_samples_leaf=3),
        cb.RandomizedGBMRegressor(max_features=0.3, subsample=0.5),
        cb.RandomizedGBMRegressor(loss=cb.losses.Poisson()),
        cb.AcceleratedGBMRegressor(gamma=0.5, correction=1, early_stopping=True),
        cb.RegularizedGBMRegressor(bounds=(1.0, 2.0), nodes=(1, 3, 20), n_candidates=2),
        cb.RandomizedGBMRegressor(min_samples_leaf=200),
    ],
    ids=["leaves", "drawn", "counts", "corrected", "families", "no split"],
)
def test_contributions_add_up_with_options(model):
    model.set_params(random_state=0, n_estimators=12)
    model.fit(FRAME, np.maximum(np.round(Y), 0.0))
    if model.get_params()["loss"] is None:
        adds_up(model, NEW)
        return
    values, bases = model.contributions(NEW)
    np.testing.assert_allclose(values.sum(axis=1) + bases, np.log(model.predict(NEW)), rtol=1e-11)


@every(LINEAR)
def test_contributions_of_linear_models_are_coefficients_times_centred_columns(kind):
    y = target(kind)
    model = quick(kind).fit(X, y)
    values, bases = model.contributions(X)
    coef = np.atleast_2d(model.coef_)[0]
    np.testing.assert_allclose(values, coef * (X - X.mean(axis=0)), rtol=1e-11, atol=1e-12)
    want = X @ coef + np.ravel(model.intercept_)[0]
    np.testing.assert_allclose(values.sum(axis=1) + bases, want, rtol=1e-11, atol=1e-12)
    there = model.contributions(scipy.sparse.csr_array(X), background=X[:3])
    np.testing.assert_allclose(there.values, coef * (X - X[:3].mean(axis=0)), atol=1e-12)
    np.testing.assert_allclose(there.values.sum(axis=1) + there.base_values, want, rtol=1e-11)


def test_an_offset_is_part_of_the_base_values():
    offset = np.linspace(0, 1, N)
    model = cb.RandomizedGBMRegressor(loss=cb.losses.Poisson(), n_estimators=5, random_state=0)
    model.fit(FRAME, np.maximum(Y, 0).round(), offset=offset)
    values, bases = model.contributions(FRAME, offset=offset)
    want = np.log(model.predict(FRAME, offset=offset))
    np.testing.assert_allclose(values.sum(axis=1) + bases, want, rtol=1e-11)
    np.testing.assert_allclose(bases - offset, model.contributions(FRAME).base_values, rtol=1e-15)


def test_rows_may_come_in_any_form():
    table = FRAME[["x", "z"]].to_numpy()
    model = cb.RandomizedGBMRegressor(n_estimators=20, random_state=0).fit(table, Y)
    want = model.contributions(table).values
    for rows in (np.asfortranarray(table), table.tolist(), scipy.sparse.csr_array(table)):
        assert model.contributions(rows).values.tobytes() == want.tobytes()


def test_bad_tables_are_refused():
    model = cb.RandomizedGBMRegressor(n_estimators=2, random_state=0).fit(FRAME, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.contributions(FRAME[["x"]])
    with pytest.raises(ValueError, match="feature names should match"):
        model.contributions(FRAME, background=FRAME[["x"]])
    with pytest.raises(ValueError, match="background"):
        model.contributions(FRAME, background=FRAME[:0])
    with pytest.raises(ValueError, match="background must be an array"):
        model.contributions(FRAME, background="the mean")


def test_without_shap_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    model = cb.CertifiedLasso(alpha=0.1).fit(X, X[:, 0])
    with pytest.raises(
        ImportError, match=r"needs shap .*; contributions\(X\) has the same numbers"
    ):
        model.explanation(X)


@pytest.mark.peers
def test_explanations_of_shap():
    pytest.importorskip("shap")
    model = cb.RandomizedGBMRegressor(n_estimators=20, random_state=0).fit(FRAME, Y)
    found = model.explanation(NEW)
    values, bases = model.contributions(NEW)
    np.testing.assert_array_equal(found.values, values)
    np.testing.assert_array_equal(found.base_values, bases)
    assert found.feature_names == ["x", "town", "size", "z", "one"]
    assert found.display_data[0].tolist() == NEW.iloc[0].tolist()
    assert found.data[:3, 2].tolist() == [sorted([3, 5, 9]).index(v) for v in NEW["size"][:3]]
    classes = np.digitize(Y, [0.5, 2.0])
    model = cb.RandomizedGBMClassifier(n_estimators=4, random_state=0).fit(X_OF(FRAME), classes)
    found = model.explanation(X_OF(NEW))
    assert found[..., 1].shape == (len(NEW), 2) and found.output_names == ["0", "1", "2"]
    assert found.feature_names == ["x0", "x1"]


def X_OF(frame):
    return frame[["x", "z"]].to_numpy()


@pytest.mark.peers
@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_contributions_are_those_of_lightgbm(n_classes):
    lgb = pytest.importorskip("lightgbm")
    kind = cb.RandomizedGBMRegressor if n_classes == 1 else cb.RandomizedGBMClassifier
    y = Y if n_classes == 1 else np.digitize(Y, [0.5, 2.0][: n_classes - 1])
    model = kind(n_estimators=40, max_depth=None, max_leaf_nodes=31, min_samples_leaf=2)
    frame = FRAME.assign(town=FRAME["town"].cat.add_categories(["none"]).fillna("none"))
    model.set_params(random_state=0).fit(frame, y)
    values, bases = model.contributions(frame)
    booster = lgb.Booster(model_str=model.lightgbm_text())
    theirs = booster.predict(frame, pred_contrib=True).reshape(N, (n_classes == 3 and 3) or 1, 6)
    theirs = np.moveaxis(theirs, 1, 2)
    ours = np.concatenate(
        [values.reshape(N, 5, -1), bases.reshape(N, 1, -1)],
        axis=1,
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.peers
def test_contributions_are_those_of_shap():
    lgb, shap = pytest.importorskip("lightgbm"), pytest.importorskip("shap")
    table = X_OF(FRAME)
    model = cb.AcceleratedGBMRegressor(n_estimators=30, max_depth=5).fit(table, Y)
    booster = lgb.Booster(model_str=model.lightgbm_text())
    whole = shap.TreeExplainer(booster, feature_perturbation="tree_path_dependent")
    np.testing.assert_allclose(
        model.contributions(table).values, whole.shap_values(table), rtol=1e-6, atol=1e-9
    )
    there = shap.TreeExplainer(booster, table[:50], feature_perturbation="interventional")
    np.testing.assert_allclose(
        model.contributions(table, background=table[:50]).values,
        there.shap_values(table),
        rtol=1e-4,
        atol=1e-6,
    )
