"""``fit_intercept=False``: models through the origin, on paths and in every linear estimator."""

import numpy as np
import pytest
import scipy.sparse
from all_estimators import ESTIMATORS, X, of_trees, quick, target
from sklearn import linear_model

import coordboost as cb

RNG = np.random.default_rng(1)
Y = X @ [1.0, 0, -2, 0.5] + RNG.normal(size=80) + 3.0
LINEAR = [kind for kind in ESTIMATORS if not of_trees(kind)]


@pytest.mark.parametrize("kind", LINEAR, ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore:the gap")
def test_no_linear_estimator_has_an_intercept(kind):
    model = quick(kind, fit_intercept=False).fit(X, target(kind))
    assert not np.any(model.intercept_)
    assert np.any(quick(kind).fit(X, target(kind)).intercept_)
    for path in model.paths_:
        assert (path.problem.standardization.mean == 0).all() and path.problem.constant == 0
    with pytest.raises(ValueError, match="fit_intercept must be"):
        quick(kind, fit_intercept="no").fit(X, target(kind))


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csc_array])
@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, 80)])
def test_the_lasso_of_scikit_learn(make, weight):
    ours = cb.CertifiedLasso(alpha=0.2, fit_intercept=False, tol=1e-10).fit(make(X), Y, weight)
    theirs = linear_model.Lasso(alpha=0.2, fit_intercept=False, tol=1e-12).fit(X, Y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert ours.certificate_.gap <= 1e-9 * ours.certificate_.upper


def test_cross_validation_chooses_as_scikit_learn():
    folds = [(np.delete(np.arange(80), out), out) for out in np.arange(80).reshape(4, 20)]
    ours = cb.CertifiedLassoCV(
        fit_intercept=False, cv=folds, alphas=[2.0, 0.5, 0.1, 0.01], tol=1e-9
    ).fit(X, Y)
    theirs = linear_model.LassoCV(
        fit_intercept=False, cv=folds, alphas=[2.0, 0.5, 0.1, 0.01], tol=1e-10
    ).fit(X, Y)
    np.testing.assert_allclose(
        2 * ours.cross_validation_.mean, theirs.mse_path_.mean(axis=1), rtol=1e-5
    )
    assert ours.alpha_ == theirs.alpha_


def test_logistic_regression_of_scikit_learn():
    y = np.sign(Y - 2.0)
    ours = cb.CertifiedLassoClassifier(alpha=0.05, fit_intercept=False, tol=1e-9).fit(X, y)
    theirs = linear_model.LogisticRegression(
        l1_ratio=1,
        C=1 / (0.05 * 80),
        fit_intercept=False,
        solver="saga",
        tol=1e-10,
        max_iter=20_000,
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.intercept_ == [0.0]


def test_standard_deviations_are_about_the_mean():
    # a constant column may get a coefficient: its scale is 1
    wide = np.column_stack([X + 5.0, np.ones(80)])
    ours = cb.CertifiedLasso(alpha=0.3, fit_intercept=False, standardize=True, tol=1e-10).fit(
        wide, Y
    )
    scale = np.append(X.std(axis=0), 1.0)
    theirs = linear_model.Lasso(alpha=0.3, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(
        wide / scale, Y
    )
    np.testing.assert_allclose(ours.coef_ * scale, theirs.coef_, atol=1e-7)


@pytest.mark.parametrize("loss", [None, cb.losses.Huber(1.0)])
def test_paths_through_the_origin(loss):
    path = cb.lasso_path(X, Y, loss=loss, fit_intercept=False, n_alphas=5, tol=1e-9)
    same = cb.lasso_path(cb.Problem(X, Y, loss, center=False), n_alphas=5, tol=1e-9)
    assert not path.intercepts.any() and (path.coefs == same.coefs).all()
    for k, alpha in enumerate(path.alphas):
        one = path.certificate(k)
        value = path.problem.value(X @ path.coefs[:, k]) + 80 * alpha * path.l1[k]
        assert (
            one.gap <= 2e-9 * path.problem.start_excess and abs(one.upper - value) <= 1e-9 * value
        )
        assert path.certificate(k, independent=True).agree


def test_exact_paths_through_the_origin():
    path = cb.exact_path(X, Y, fit_intercept=False)
    np.testing.assert_allclose(path.coef_at(lam=0.0), np.linalg.lstsq(X, Y)[0])
    assert path.intercept_at(lam=0.0) == 0 and path.gaps.max() < 1e-10


@pytest.mark.parametrize("of", [cb.lasso_path, cb.exact_path])
def test_a_problem_has_decided(of):
    with pytest.raises(ValueError, match=r"fit_intercept \(center=False\) are part of the Problem"):
        of(cb.Problem(X, Y), fit_intercept=False)
    with pytest.raises(ValueError, match="fit_intercept must be"):
        of(X, Y, fit_intercept="no")
