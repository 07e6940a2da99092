"""The adaptive Lasso: two fits by hand, folds without leaks, and what its certificate is of."""

import numpy as np
import pandas as pd
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(3)
N, P = 80, 6
X = RNG.normal(size=(N, P)) * [1, 10, 0.1, 1, 1, 1]
SIGNAL = X @ [1.0, -0.1, 0.0, 0.5, 0.0, 0.0]
Y = SIGNAL + 0.5 * RNG.normal(size=N)
LABELS = np.where(SIGNAL + RNG.normal(size=N) > 0, "yes", "no")
COUNTS = RNG.poisson(np.exp(SIGNAL / 2)).astype(float)
FOLDS = [(np.flatnonzero(np.arange(N) % 4 != k), np.arange(k, N, 4)) for k in range(4)]
SMALL = {"n_alphas": 8, "eps": 0.01, "cv": FOLDS, "tol": 1e-9}
MODELS = {
    "squared": (cb.CertifiedLassoCV, Y, cb.losses.Squared()),
    "elastic net": (cb.CertifiedElasticNetCV, Y, cb.losses.Squared()),
    "logistic": (cb.CertifiedLassoClassifierCV, LABELS, cb.losses.Logistic()),
    "poisson": (cb.CertifiedPoissonRegressorCV, COUNTS, cb.losses.Poisson()),
}
each = pytest.mark.parametrize("name", MODELS)
SHARE = {"ridge": 0.0, "lasso": 1.0}


@each
@pytest.mark.parametrize("first", SHARE)
@pytest.mark.parametrize("standardize", [False, True])
def test_two_fits_by_hand(name, first, standardize):
    kind, y, loss = MODELS[name]
    model = kind(adaptive=first, standardize=standardize, **SMALL).fit(X, y)
    sizes = X.std(axis=0) if standardize else np.ones(P)
    numbers = np.where(y == "yes", 1.0, -1.0) if name == "logistic" else y
    given = {"loss": loss, "tol": 1e-9, "unit_columns": False}
    given["refit_intercept"] = name in ("logistic", "poisson")
    by_cv = cb.CertifiedElasticNetCV if name == "squared" else kind
    alpha = by_cv(l1_ratio=SHARE[first], standardize=standardize, **SMALL).fit(X, y).alpha_
    factors = [sizes, sizes**2]
    initial = cb.lasso_path(
        X, numbers, [alpha], l1_ratio=SHARE[first], penalty_factor=factors, **given
    )
    adaptive = cb.lasso.adaptive_factors(initial.coef_at(step=0) * sizes)
    share = model.get_params().get("l1_ratio", 1.0)
    path = cb.lasso_path(
        X,
        numbers,
        [model.alpha_],
        l1_ratio=share,
        penalty_factor=[sizes * adaptive, np.where(np.isinf(adaptive), np.inf, sizes**2)],
        **given,
    )
    np.testing.assert_allclose(np.ravel(model.coef_), path.coef_at(step=0), atol=1e-3)
    left = np.flatnonzero(np.isinf(adaptive))
    assert model.path_.left_out == [f"x{j}" for j in left]
    kept = np.isfinite(adaptive)
    np.testing.assert_allclose(
        model.path_.factors[0][kept], (sizes * adaptive)[kept], rtol=1e-2, atol=1e-6
    )


@each
def test_a_fold_sees_its_own_rows_only(name):
    """Its factors are those of a first fit on the rows that it fits; the penalty is that of all."""
    kind, y, loss = MODELS[name]
    model = kind(adaptive="ridge", **SMALL).fit(X, y)
    by_cv = cb.CertifiedElasticNetCV if name == "squared" else kind
    alpha = by_cv(l1_ratio=0.0, **SMALL).fit(X, y).alpha_
    numbers = np.where(y == "yes", 1.0, -1.0) if name == "logistic" else y
    for path, (rows, _) in zip(model.cross_validation_.paths, FOLDS, strict=False):
        first = cb.lasso_path(
            X[rows],
            numbers[rows],
            [alpha],
            l1_ratio=0.0,
            loss=loss,
            tol=1e-9,
            unit_columns=False,
            refit_intercept=name in ("logistic", "poisson"),
        )
        by_hand = cb.lasso.adaptive_factors(first.coef_at(step=0))
        np.testing.assert_allclose(path.factors[0], by_hand, rtol=1e-2)


@each
def test_the_certificate_is_given_the_factors(name):
    kind, y, _ = MODELS[name]
    frame = pd.DataFrame(X, columns=[*"abcdef"])
    model = kind(adaptive="lasso", gamma=[0.0, 1.0], **SMALL).fit(frame, y)
    assert "given the penalty factors of a first fit, lasso" in str(model.certificate_)
    assert model.path_.gamma < 1 or model.certificate_.gap >= 0
    plain = kind(**SMALL).fit(frame, y)
    assert "given" not in str(plain.certificate_)


def test_columns_without_a_penalty_keep_none():
    model = cb.CertifiedLassoCV(adaptive="lasso", penalty_factor=[0, 1, 1, 1, 1, np.inf], **SMALL)
    model.fit(X, Y)
    assert model.path_.factors[0, 0] == 0 and model.coef_[0] != 0
    assert model.path_.coefs[0].all() and not model.path_.coefs[5].any()
    assert (model.path_.gaps <= 1e-9).all()


def test_of_three_classes_each_has_its_own_factors():
    three = np.digitize(SIGNAL, [-0.7, 0.7])
    model = cb.CertifiedLassoClassifierCV(adaptive="ridge", **SMALL).fit(X, three)
    factors = [path.factors[0] for path in model.paths_]
    assert not np.allclose(factors[0], factors[1])


def test_rules_without_folds():
    model = cb.CertifiedLassoCV(adaptive="ridge", rule="bic").fit(X, Y)
    assert set(np.flatnonzero(model.coef_)) >= {0, 1, 3}


ONE = {
    "squared": cb.CertifiedLasso,
    "elastic net": cb.CertifiedElasticNet,
    "logistic": cb.CertifiedLassoClassifier,
    "poisson": cb.CertifiedPoissonRegressor,
}


@each
@pytest.mark.parametrize("first", SHARE)
def test_at_one_penalty_it_is_the_second_fit_there(name, first):
    """The penalty of the first fit is that of five folds, as with CV."""
    kind, y, _ = MODELS[name]
    one = ONE[name](alpha=0.05, adaptive=first, tol=1e-9).fit(X, y)
    grid = kind(alphas=[0.05], adaptive=first, cv=5, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(one.coef_, grid.coef_, atol=1e-6)
    np.testing.assert_allclose(one.path_.factors, grid.path_.factors, rtol=1e-3)
    assert f"given the penalty factors of a first fit, {first}" in str(one.certificate_)
    assert one.certificate_.gap <= 1.1e-9 * one.path_.problem.start_excess


def test_at_one_penalty_classes_need_two_rows():
    y = np.where(np.arange(N) == 3, "yes", "no")
    refused(
        lambda: cb.CertifiedLassoClassifier(adaptive="ridge").fit(X, y),
        "one of them holds out all rows of a class",
    )
    refused(lambda: cb.CertifiedLasso(adaptive="ols").fit(X, Y), "adaptive must be")


def test_bad_values_are_refused():
    for bad in ("ols", 1, True, ["ridge"]):
        refused(lambda bad=bad: cb.CertifiedLassoCV(adaptive=bad).fit(X, Y), "adaptive must be")
    refused(lambda: cb.lasso.adaptive_factors([1.0, np.nan]), "coefs")
    refused(lambda: cb.lasso.adaptive_factors([1.0], power=0), "power must be")
