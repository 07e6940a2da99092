"""Multinomial models of the Lasso family: penalties by cross-validation, elastic nets, limits."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss, roc_auc_score

import coordboost as cb

X, Y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NAMES = np.array(["c", "a", "b"])[Y]
HALVES = [
    (np.arange(0, 150, 2), np.arange(1, 150, 2)),
    (np.arange(1, 150, 2), np.arange(0, 150, 2)),
]
SMALL = {"multinomial": True, "n_alphas": 4, "eps": 0.05, "cv": HALVES}


def fit(**options):
    return cb.CertifiedLassoClassifierCV(**SMALL | options)


def test_losses_of_folds_are_those_of_paths_on_their_rows():
    model = fit().fit(X, NAMES)
    path = cb.lasso.multinomial_path(X, NAMES, n_alphas=4, eps=0.05, unit_columns=False)
    np.testing.assert_allclose(model.path_.alphas, path.alphas)
    for losses, (rows, others) in zip(model.cross_validation_.losses, HALVES, strict=True):
        own = cb.lasso.multinomial_path(X[rows], NAMES[rows], path.alphas, unit_columns=False)
        theirs = [log_loss(NAMES[others], own.predict_proba(X[others], step=k)) for k in range(4)]
        np.testing.assert_allclose(losses, theirs, rtol=1e-4)
        np.testing.assert_allclose(-own.score_path(X[others], NAMES[others]), theirs, rtol=1e-9)
    best = model.cross_validation_.best
    assert model.alpha_ == model.path_.alphas[best] and model.coef_.shape == (3, 4)
    assert model.certificate_.gap <= 1.1e-6 * 150 * np.log(3)
    assert (model.predict(X) == NAMES).mean() > 0.9
    assert (pickle.loads(pickle.dumps(model)).predict_proba(X) == model.predict_proba(X)).all()
    assert f"{model.cross_validation_.mean[best]:.6g}" in model.cross_validation_.summary(
        model.path_
    )


def test_a_scorer_and_several_shares_of_the_l1_norm():
    model = fit(l1_ratio=[0.5, 1], scoring="roc_auc_ovr", rule="one_se").fit(X, NAMES)
    seen = model.cross_validation_
    assert seen.losses.shape == (2, 8) and model.path_.l1_ratio in (0.5, 1)
    rows, others = HALVES[0]
    own = cb.lasso.multinomial_path(X[rows], Y[rows], model.path_.alphas, unit_columns=False)
    theirs = roc_auc_score(Y[others], own.predict_proba(X[others], step=3), multi_class="ovr")
    assert np.isclose(-seen.losses[0, 3], theirs, atol=1e-3)


@pytest.mark.parametrize("kind", [cb.CertifiedLassoClassifier, cb.CertifiedLassoClassifierCV])
def test_the_options_are_those_of_the_path(kind):
    options = {"l1_ratio": 0.5, "upper_limits": 0.4, "penalty_factor": [1, np.inf, 2, 1]}
    grid = {"alpha": 0.01} if kind is cb.CertifiedLassoClassifier else {**SMALL, "alphas": [0.01]}
    for name in ("multinomial", "n_alphas", "eps"):
        grid.pop(name, None)
    model = kind(multinomial=True, **grid, **options).fit(X, NAMES)
    path = cb.lasso.multinomial_path(X, NAMES, [0.01], unit_columns=False, **options)
    np.testing.assert_allclose(model.coef_, path.coef_at(step=0), atol=1e-6)
    assert model.coef_.max() == 0.4 and not model.coef_[:, 1].any()
    np.testing.assert_allclose(model.path_.l1, path.l1)
    assert set(path.order_of_entry()) == {0, 2, 3}


def test_class_weights_are_weights_of_rows():
    given = {"a": 2.0, "b": 0.5, "c": 1.0}
    weight = np.array([given[name] for name in NAMES])
    one = fit(class_weight=given).fit(X, NAMES)
    other = fit().fit(X, NAMES, weight)
    np.testing.assert_allclose(one.coef_, other.coef_)
    np.testing.assert_allclose(one.cross_validation_.losses, other.cross_validation_.losses)


def test_options_that_are_refused_together():
    for options in ({"gamma": 0.5}, {"rule": "aic"}):
        with pytest.raises(ValueError, match="the losses of folds, and not relaxed"):
            fit(**options).fit(X, NAMES)
    one = cb.CertifiedLassoClassifier(multinomial=True, adaptive="ridge")
    for model in (one, fit(adaptive="ridge")):
        with pytest.raises(ValueError, match="multinomial=True is not adaptive"):
            model.fit(X, NAMES)
    with pytest.raises(ValueError, match="a column for each class, 150 x 3, got shape"):
        fit().fit(X, NAMES, offset=np.ones(150))
    with pytest.raises(ValueError, match=r"multinomial=True is for Logistic\(\)"):
        fit(loss=cb.losses.Exponential()).fit(X, NAMES)
    with pytest.raises(ValueError, match="y holds the class 'z', which was not in the fit"):
        fit().fit(X, NAMES).path_.score_path(X, np.full(150, "z"))


def test_two_classes_are_one_logistic_model():
    two = NAMES[:100]
    options = {"n_alphas": 4, "eps": 0.05, "cv": 3}
    joint = cb.CertifiedLassoClassifierCV(multinomial=True, **options).fit(X[:100], two)
    plain = cb.CertifiedLassoClassifierCV(**options).fit(X[:100], two)
    assert (joint.coef_ == plain.coef_).all()


OFFSET = np.cos(np.outer(np.arange(150), [1.0, 2.0, 3.0]))


@pytest.mark.parametrize("kind", [cb.CertifiedLassoClassifier, cb.CertifiedLassoClassifierCV])
def test_an_offset_has_a_column_for_each_class(kind):
    grid = {"alpha": 0.02} if kind is cb.CertifiedLassoClassifier else {**SMALL, "alphas": [0.02]}
    grid.pop("n_alphas", None)
    model = kind(**{**grid, "multinomial": True}).fit(X, NAMES, offset=OFFSET)
    path = cb.lasso.multinomial_path(X, NAMES, [0.02], unit_columns=False, offset=OFFSET)
    np.testing.assert_allclose(model.coef_, path.coef_at(step=0), atol=1e-9)
    assert model.certificate_.upper == pytest.approx(path.bounds[0, 1])
    proba = path.predict_proba(X, offset=OFFSET)
    np.testing.assert_allclose(model.predict_proba(X, offset=OFFSET), proba, rtol=1e-9)
    pred = path.classes[proba.argmax(axis=1)]
    assert (model.predict(X, offset=OFFSET) == pred).all()
    assert model.score(X, NAMES, offset=OFFSET) == pytest.approx(np.mean(pred == NAMES))
    raw = model.decision_function(X, offset=OFFSET)
    np.testing.assert_allclose(raw, model.decision_function(X) + OFFSET)
    values, bases = model.contributions(X, offset=OFFSET)
    np.testing.assert_allclose(values.sum(axis=1) + bases, raw)
    if kind is cb.CertifiedLassoClassifierCV:
        for losses, (rows, others) in zip(model.cross_validation_.losses, HALVES, strict=True):
            given = {"unit_columns": False, "offset": OFFSET[rows]}
            own = cb.lasso.multinomial_path(X[rows], NAMES[rows], [0.02], **given)
            theirs = log_loss(NAMES[others], own.predict_proba(X[others], offset=OFFSET[others]))
            np.testing.assert_allclose(losses, theirs, rtol=1e-6)
    for offset in (OFFSET[:, 0], OFFSET[:, :2], OFFSET[1:]):
        for call in (model.fit, model.score):
            with pytest.raises(ValueError, match="offset must have"):
                call(X, NAMES, offset=offset)


def test_the_columns_of_an_offset_may_be_named_by_the_classes():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, index=np.arange(150)[::-1])
    known = pd.DataFrame(OFFSET, columns=["a", "b", "c"], index=table.index)
    one = cb.CertifiedLassoClassifier(alpha=0.02, multinomial=True)
    coef = one.fit(table, NAMES, offset=OFFSET).coef_
    other = one.fit(table, NAMES, offset=known[["c", "a", "b"]].sort_index())
    np.testing.assert_array_equal(other.coef_, coef)
    path = cb.lasso.multinomial_path(table, NAMES, [0.02], offset=known[["b", "c", "a"]])
    same = cb.lasso.multinomial_path(table, NAMES, [0.02], offset=OFFSET)
    np.testing.assert_array_equal(path.models.toarray(), same.models.toarray())
    with pytest.raises(ValueError, match="the columns of offset must be the classes, 'a', 'b'"):
        one.fit(table, NAMES, offset=known.rename(columns={"a": "x"}))
