"""A fit that ends in an error changes nothing: the model of the previous fit stays complete."""

import numpy as np
import pytest
from all_estimators import ESTIMATORS, NAMES, X, by_folds, of_trees, quick, target
from sklearn.base import is_classifier

import coordboost as cb

every = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)


def test_classes_of_a_refused_fit_do_not_replace_those_of_the_model():
    model = cb.RandomizedGBMClassifier(n_estimators=3).fit(X, NAMES)
    seen = model.predict(X)
    with pytest.raises(ValueError, match="the class 'rare' has too few, 1"):
        model.set_params(early_stopping=True).fit(X, np.where(np.arange(80) == 7, "rare", NAMES))
    assert model.classes_.tolist() == ["blue", "red"] and (model.predict(X) == seen).all()


@every
def test_every_estimator_keeps_its_model(kind, monkeypatch):
    model = quick(kind)
    y = target(kind)
    new = (
        np.where(np.arange(80) == 7, "rare", y)
        if is_classifier(model)
        else np.where(np.arange(80) == 7, np.nan, y)
    )
    model.fit(X, y)
    before = dict(vars(model))
    seen = model.predict(X)
    wrong = (
        {"n_estimators": 0}
        if of_trees(kind)
        else {"cv": 1}
        if by_folds(kind)
        else {"loss": 7}
        if is_classifier(model)
        else {}
    )
    for table, labels, weight in [
        (X[:, :2], new, None),
        (X, new, np.zeros(80)),
        (X[:, 1:], y[:5], None),
        (X[:0], y[:0], None),
    ]:
        with pytest.raises(ValueError):
            model.set_params(**wrong).fit(table, labels, weight)
        model.set_params(**{key: before[key] for key in wrong})
        assert vars(model).keys() == before.keys() and all(
            vars(model)[key] is before[key] for key in before
        )
        assert (model.predict(X) == seen).all()
    for name in ("_fit", "_choose", "_keep"):
        if hasattr(kind, name):
            monkeypatch.setattr(kind, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :3], np.arange(80) % 3 if is_classifier(model) else y)
    assert (
        all(vars(model)[key] is before[key] for key in before) and (model.predict(X) == seen).all()
    )


def interrupted(*args, **given):
    raise KeyboardInterrupt
