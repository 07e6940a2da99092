"""The Lasso for other losses, with an unpenalised intercept: the optimum and its certificate."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.linear_model import LogisticRegression

import coordboost as cb

RNG = np.random.default_rng(4)


def standard(X, y):
    X = X[:, X.std(axis=0) > 0]
    # centred, as saga converges very slowly otherwise
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(y, 1.0, -1.0)


def digits():
    X, y = load_digits(return_X_y=True)
    rows = np.flatnonzero((y == 3) | (y == 8))[:150]
    return standard(X[rows], y[rows] == 8)


SETS = {
    "breast cancer": lambda: standard(*load_breast_cancer(return_X_y=True)),
    "iris": lambda: standard(load_iris().data, load_iris().target == 1),
    "wine": lambda: standard(load_wine().data, load_wine().target == 0),
    "digits": digits,
    "wide": lambda: standard(
        *make_classification(60, 150, n_informative=8, weights=[0.8], random_state=1)
    ),
}


def objective(X, y, alpha, coef, intercept):
    return np.logaddexp(0, -y * (X @ coef + intercept)).sum() + alpha * len(y) * np.abs(coef).sum()


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)  # the interval shows how far it came
@pytest.mark.parametrize("name", SETS)
def test_the_optimum_is_that_of_scikit_learn(name):
    """Saga stops within 1e-6 of the loss at 0 above the optimum; its value is never below our lower
    end.
    """
    X, y = SETS[name]()
    path = cb.lasso_path(
        X,
        y,
        loss=cb.losses.Logistic(),
        n_alphas=3,
        eps=0.1,
        tol=1e-9,
        refit_intercept=True,
        unit_columns=False,
    )
    assert (path.gaps <= 1e-9).all()
    fixed = cb.lasso_path(
        X, y, path.alphas, loss=cb.losses.Logistic(), tol=1e-9, unit_columns=False
    )
    for k in (1, 2):
        alpha = path.alphas[k]
        made = path.certificate(k)
        model = LogisticRegression(
            C=1 / (alpha * len(y)), l1_ratio=1, solver="saga", tol=1e-8, max_iter=3000
        )
        model.fit(X, y)
        theirs = objective(X, y, alpha, model.coef_[0], model.intercept_[0])
        ours = objective(X, y, alpha, path.coefs[:, k], path.intercepts[k])
        np.testing.assert_allclose(ours, made.upper, rtol=1e-12)
        assert made.lower <= theirs <= made.upper + 1e-6 * path.problem.start_loss
        assert ours <= objective(X, y, alpha, fixed.coefs[:, k], fixed.intercepts[k])


@pytest.mark.peers
@pytest.mark.parametrize("name", SETS)
def test_the_optimum_is_that_of_glmnet(name):
    glmnet = pytest.importorskip("glmnet")
    X, y = SETS[name]()
    path = cb.lasso_path(
        X,
        y,
        loss=cb.losses.Logistic(),
        n_alphas=10,
        eps=0.05,
        tol=1e-9,
        refit_intercept=True,
        unit_columns=False,
    )
    model = glmnet.LogitNet(
        alpha=1,
        lambda_path=path.alphas,
        standardize=False,
        n_splits=0,
        tol=1e-12,
        max_iter=1_000_000,
    )
    model.fit(X, y > 0)
    for k in range(10):
        made = path.certificate(k)
        theirs = objective(
            X, y, path.alphas[k], model.coef_path_[0, :, k], np.ravel(model.intercept_path_)[k]
        )
        assert made.lower <= theirs <= made.upper + 1e-6 * path.problem.start_loss


LOSSES = {
    "logistic": (
        cb.losses.Logistic(),
        lambda f: np.where(RNG.random(len(f)) < 1 / (1 + np.exp(-f)), 1.0, -1.0),
    ),
    "huber": (cb.losses.Huber(0.7), lambda f: f + RNG.standard_t(2, len(f))),
    "poisson": (cb.losses.Poisson(), lambda f: RNG.poisson(np.exp(f)).astype(float)),
    "exponential": (
        cb.losses.Exponential(),
        lambda f: np.where(f + RNG.normal(size=len(f)) > 0.7, 1.0, -1.0),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_conditions_of_optimality(name):
    loss, draw = LOSSES[name]
    X = RNG.normal(size=(80, 7)) * [1, 2, 1, 1, 3, 1, 1]
    y = draw(X[:, 0] - 0.2 * X[:, 4] + 0.5)
    weight = RNG.integers(1, 4, 80).astype(float)
    problem = cb.Problem(X, y, loss, sample_weight=weight)
    path = cb.lasso_path(problem, n_alphas=6, eps=0.05, tol=1e-10, refit_intercept=True)
    assert (path.gaps <= 1e-10).all() and path.intercepts[-1] != path.intercepts[0]
    for k, alpha in enumerate(path.alphas):
        pred = path.predict(X, cb.lasso.PathPoint(step=k))
        lam = alpha * weight.sum()
        resid = weight * [
            loss.residual(a, f)
            for a, f in zip(problem.y, pred - problem.constant + problem.base, strict=True)
        ]
        assert abs(resid.sum()) <= 1e-12 * np.abs(resid).sum()
        corr = problem.scan(resid)
        beta = problem.unit(path.coefs[:, k])
        # a gap of g lets correlations exceed lam by at most sqrt(2 sigma g), and by far less than
        # 1e-3 here
        assert np.abs(corr).max() <= lam * (1 + 1e-3)
        np.testing.assert_allclose(corr[beta != 0], lam * np.sign(beta[beta != 0]), rtol=1e-3)
    sparse = cb.lasso_path(
        scipy.sparse.csr_array(X), y, path.alphas, loss=loss, tol=1e-10, refit_intercept=True
    )
    dense = cb.lasso_path(X, y, path.alphas, loss=loss, tol=1e-10, refit_intercept=True)
    for k in range(6):
        ours = sparse.certificate(k)
        theirs = dense.certificate(k)
        assert max(ours.lower, theirs.lower) <= min(ours.upper, theirs.upper)


def test_the_squared_loss_has_the_best_intercept_without_the_option():
    X = RNG.normal(size=(40, 5))
    y = X[:, 0] + RNG.normal(size=40)
    one, other = (cb.lasso_path(X, y, refit_intercept=free) for free in (False, True))
    np.testing.assert_array_equal(one.coefs, other.coefs)
    np.testing.assert_array_equal(one.intercepts, other.intercepts)


@pytest.mark.parametrize(
    "loss", [cb.losses.Logistic(), cb.losses.Poisson()], ids=["labels", "counts"]
)
def test_a_problem_without_a_constant_has_the_path_of_the_centred_one(loss):
    """At 0 the residuals do not sum to 0, and the correlation has the sign of that sum: the limit
    lets it stay, but not the best intercept.
    """
    x = np.array([[3.0], [4], [5], [6], [7], [8]])
    y = np.array([-1.0, -1, -1, 1, -1, 1]) if loss == cb.losses.Logistic() else 0.1 * x[:, 0] - 0.2
    paths = [
        cb.lasso_path(
            cb.Problem(x, y, loss, center=center),
            alphas=[0.05, 0.01],
            unit_columns=False,
            refit_intercept=True,
            positive=True,
            tol=1e-10,
        )
        for center in (True, False)
    ]
    assert (paths[0].coefs[0] > 0.01).all()
    np.testing.assert_allclose(paths[1].coefs, paths[0].coefs, rtol=1e-6)
