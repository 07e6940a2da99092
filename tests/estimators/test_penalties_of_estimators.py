"""Penalty factors, limits and l1_ratio of the Certified estimators give the models of
``lasso_path`` and of scikit-learn.
"""

import numpy as np
import pytest
from all_estimators import ESTIMATORS, NAMES, X, Y, quick, target
from sklearn import linear_model
from sklearn.base import is_classifier

import coordboost as cb

CERTIFIED = [kind for kind in ESTIMATORS if kind.__name__.startswith("Certified")]
every = pytest.mark.parametrize("kind", CERTIFIED, ids=lambda kind: kind.__name__)


@every
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_limits_hold_and_are_certified(kind, fit_intercept):
    one = {"alpha": 0.01} if "alpha" in kind().get_params() else {"n_alphas": 5, "eps": 1e-2}
    y = target(kind) if is_classifier(kind()) else np.abs(target(kind))
    for limits in (
        {"positive": True},
        {"lower_limits": -0.05, "upper_limits": [0.1, 0.2, np.inf, 0.0]},
    ):
        model = quick(
            kind, **one, **limits, fit_intercept=fit_intercept, penalty_factor=[1, 2, 1, 0.5]
        ).fit(X, y)
        for coef, path, one_certificate in zip(
            np.atleast_2d(model.coef_), model.paths_, model.certificates_, strict=True
        ):
            if "positive" in limits:
                assert (coef >= 0).all() and path.coefs.any()
            else:
                assert (coef >= -0.05 - 1e-12).all() and (
                    coef <= np.array([0.1, 0.2, np.inf, 0.0]) + 1e-12
                ).all()
            assert one_certificate.gap <= 1.1e-6 * path.problem.start_excess
            np.testing.assert_allclose(path.factors[0], [1, 2, 1, 0.5])


@every
def test_a_standardised_factor_is_a_product(kind):
    model = quick(kind, standardize=True, penalty_factor=[1, 2, 1, 0.5]).fit(X, target(kind))
    np.testing.assert_allclose(model.paths_[0].factors[0], X.std(axis=0) * [1, 2, 1, 0.5])
    with pytest.raises(ValueError, match="penalty_factor must have one entry per column of X"):
        quick(kind, standardize=True, penalty_factor=[1.0]).fit(X, target(kind))
    with pytest.raises(ValueError, match="lower_limits must be a number"):
        quick(kind, lower_limits=1).fit(X, target(kind))


def test_elastic_nets_of_scikit_learn():
    ours = cb.CertifiedElasticNet(alpha=0.1, positive=True, tol=1e-10).fit(X, Y)
    theirs = linear_model.ElasticNet(alpha=0.1, positive=True, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    ridge = cb.CertifiedElasticNet(alpha=0.1, l1_ratio=0, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(
        ridge.coef_, linear_model.Ridge(alpha=8.0).fit(X, Y).coef_, atol=1e-7
    )


def test_ridge_classifiers_and_counts_of_scikit_learn():
    ours = cb.CertifiedLassoClassifier(alpha=0.02, l1_ratio=0, tol=1e-10).fit(X, NAMES)
    theirs = linear_model.LogisticRegression(C=1 / (0.02 * 80), tol=1e-10, max_iter=10_000).fit(
        X, NAMES
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    counts = target(cb.CertifiedPoissonRegressor)
    ours = cb.CertifiedPoissonRegressor(alpha=0.1, l1_ratio=0, tol=1e-10).fit(X, counts)
    theirs = linear_model.PoissonRegressor(alpha=0.1, tol=1e-10, max_iter=10_000).fit(X, counts)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_cross_validation_chooses_among_ridge_and_others():
    model = cb.CertifiedElasticNetCV(l1_ratio=[0, 0.5, 1], n_alphas=8, cv=3).fit(X, Y)
    assert model.cross_validation_.losses.shape == (3, 24) and model.path_.l1_ratio in (0, 0.5, 1)
    choice = cb.CertifiedLassoClassifierCV(l1_ratio=[0, 1], n_alphas=4, cv=3).fit(X, NAMES)
    assert choice.cross_validation_.losses.shape == (3, 8)
