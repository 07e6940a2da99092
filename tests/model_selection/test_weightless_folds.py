"""Folds of weight 0, and folds whose targets allow no model: other folds are used, or an error
names the fold and an option.
"""

import inspect
import re

import numpy as np
import pytest
from all_estimators import COUNTS, ESTIMATORS, X, by_folds, quick, target
from sklearn.base import is_classifier
from sklearn.model_selection import PredefinedSplit

import coordboost as cb

CHOOSING = [kind for kind in ESTIMATORS if by_folds(kind)]
NUMBER = np.arange(len(X)) % 4
each = pytest.mark.parametrize("kind", CHOOSING, ids=lambda kind: kind.__name__)


@each
def test_the_other_folds_are_used(kind):
    """The message was once "zero-size array to reduction operation"."""
    weight = np.where(NUMBER == 2, 0.0, 1.0 + NUMBER)
    rows = NUMBER != 2
    found = quick(kind, cv=PredefinedSplit(NUMBER)).fit(X, target(kind), sample_weight=weight)
    without = quick(kind, cv=PredefinedSplit(NUMBER[rows])).fit(
        X[rows], target(kind)[rows], sample_weight=weight[rows]
    )
    assert (
        found.cross_validation_.losses.shape[0] == 3
        and (found.cross_validation_.losses == without.cross_validation_.losses).all()
    )
    assert (found.coef_ == without.coef_).all() and found.place_ == without.place_


@each
def test_a_fold_that_fits_nothing_is_named(kind):
    classes = (
        r"fold 3 of 4 holds out all \d+ row\(s\) of the class '\w+': give it two rows or "
        r"more, or other folds \(cv\)\.$"
    )
    said = (
        classes
        if is_classifier(kind())
        else r"fold 3 of 4 fits no row with a sample_weight above 0: take other folds\.$"
    )
    with pytest.raises(ValueError, match=f"^{said}"):
        quick(kind, cv=PredefinedSplit(NUMBER)).fit(
            X, target(kind), sample_weight=np.where(NUMBER == 2, 1.0, 0.0)
        )


def walk(X, y, weight):
    return cb.lasso_path(X, y, [1.0, 0.1], sample_weight=weight)


def test_cross_validate_skips_and_names_folds():
    folds = [(np.flatnonzero(k != NUMBER), np.flatnonzero(k == NUMBER)) for k in range(4)]
    y = X[:, 0] + 1.0
    weight = np.where(NUMBER == 1, 0.0, 1.0)
    found = cb.cross_validate(walk, X, y, folds=folds, sample_weight=weight)
    rows = NUMBER != 1
    place = np.cumsum(rows) - 1
    less = [
        tuple(place[part[rows[part]]] for part in fold) for k, fold in enumerate(folds) if k != 1
    ]
    assert np.allclose(
        found.losses, cb.cross_validate(walk, X[rows], y[rows], folds=less).losses, rtol=1e-9
    )
    with pytest.raises(ValueError, match=r"^fold 2 of 4 fits no row"):
        cb.cross_validate(walk, X, y, folds=folds, sample_weight=1.0 - weight)
    with pytest.raises(ValueError, match=r"^no fold holds out a row"):
        cb.cross_validate(walk, X, y, folds=folds[1:2], sample_weight=weight)
    with pytest.raises(ValueError, match=r"^fold 1 of 4: alphas must"):
        cb.cross_validate(lambda X, y, w: cb.lasso_path(X, y, [-1.0]), X, y, folds=folds)


@pytest.mark.parametrize("in_a_fold", [True, False])
@pytest.mark.parametrize(
    "kind",
    [cb.CertifiedPoissonRegressorCV, cb.CertifiedPoissonRegressor, cb.RandomizedGBMRegressor],
)
def test_a_target_without_a_constant_names_the_fold_and_what_is_there(kind, in_a_fold):
    """The message once advised "pass center=False", which no estimator has."""
    y = np.where(NUMBER == 1, COUNTS, 0.0) if in_a_fold and by_folds(kind) else 0 * COUNTS
    model = quick(kind, **{"cv": PredefinedSplit(NUMBER)} if by_folds(kind) else {})
    if "loss" in model.get_params():
        model.set_params(loss=cb.losses.Poisson())
    where = "fold 2 of 4: " if in_a_fold and by_folds(kind) else ""
    what = ", or take other folds (cv)" if by_folds(kind) else ""
    said = (
        f"{where}every y is 0, so the best constant of the Poisson loss is -infinity; add rows "
        f"with another target{what}."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        model.fit(X, y)


@pytest.mark.parametrize(
    "loss, y", [(cb.losses.Poisson(), 0 * COUNTS), (cb.losses.Logistic(), np.ones(len(X)))]
)
def test_the_error_of_a_problem_names_center(loss, y):
    for make in (lambda: cb.Problem(X, y, loss), lambda: cb.lasso_path(X, y, loss=loss)):
        with pytest.raises(ValueError, match=r"; pass center=False to Problem, or more data\.$"):
            make()
    assert (
        "center" in inspect.signature(cb.Problem).parameters
        and cb.Problem(X, y, loss, center=False).constant == 0
    )


def trials(kind):
    """Arguments of `fit` and settings that each estimator refuses."""
    y = target(kind)
    settings = kind().get_params(deep=False)
    few = np.r_[np.zeros(len(X) - 1), 1.0]
    for weight in (np.zeros(len(X)), -np.ones(len(X)), np.ones(3), few):
        yield (X, y, weight), {}
    for table in (X * np.nan, X[:1], X.astype(str), X * 1e300):
        yield (table, y[: len(table)]), {}
    for wrong in (y[:3], np.full(len(X), np.nan), np.array(["a"] * len(X)), 0 * COUNTS):
        yield (X, wrong), {}
    for name in settings:
        for value in (-1, "x", [1, 0, 0, 0]):
            yield (X, y), {name: value}
    for loss in (
        (
            cb.losses.Poisson(),
            cb.losses.Logistic(),
            cb.losses.Exponential(),
            cb.losses.Quantile(0.5),
            cb.losses.Huber(-1.0),
        )
        if "loss" in settings
        else ()
    ):
        for more in (
            {},
            {"newton": True},
            {"monotonic_cst": [1, 0, 0, 0]},
            {"early_stopping": True},
        ):
            yield (
                (X, np.abs(COUNTS - 1.0)),
                {"loss": loss, **{key: value for key, value in more.items() if key in settings}},
            )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_option_named_in_an_error_exists(kind):
    known = {"shape", *kind().get_params(), *inspect.signature(kind.fit).parameters}
    for data, settings in trials(kind):
        few = {"n_estimators": 2, "n_steps": 2, "noise_variance": 1.0}
        small = {
            key: value
            for key, value in few.items()
            if key in kind().get_params() and key not in settings
        }
        try:
            quick(kind, **small, **settings).fit(*data)
        except ValueError as error:
            # the numbers of a loss are not options
            words = re.sub(r"\b[A-Z]\w+\([^)]*\)", "", str(error))
            named = {*re.findall(r"\b([a-z_]+)=", words), *re.findall(r"`([a-z_]+)`", words)}
            assert named <= known, str(error)
