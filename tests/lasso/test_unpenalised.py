"""Columns without a penalty, for losses other than the squared one: optima by cvxpy, gaps by exact
conjugates in NumPy, and what such columns are in special cases.
"""

import numpy as np
import pytest
import scipy.sparse
from glm_judge import dual_value, residual
from objectives import Objective
from sklearn.linear_model import LogisticRegression

import coordboost as cb

RNG = np.random.default_rng(5)
N = 40
X = RNG.normal(size=(N, 6)) + RNG.choice([0.0, 2.0], 6)
SIGNAL = (X - X.mean(axis=0)) @ [1.0, -0.7, 0.0, 0.5, 0.0, 0.0]
TARGETS = {
    "Logistic": np.where(SIGNAL + 1.5 * RNG.normal(size=N) > 0, 1.0, -1.0),
    "Exponential": np.where(SIGNAL + 1.5 * RNG.normal(size=N) > 0, 1.0, -1.0),
    "Poisson": RNG.poisson(np.exp(SIGNAL / 2)) * 1.0,
    "Gamma": np.exp(SIGNAL / 2) * RNG.gamma(2, 0.5, N) + 1e-6,
    "Huber": SIGNAL + RNG.normal(size=N),
}
LOSSES = {name: getattr(cb.losses, name)() for name in TARGETS} | {"Huber": cb.losses.Huber(0.5)}
FREE = np.array([0.0, 1.0, 2.0, 1.0, 0.0, 0.5])
WEIGHT = RNG.uniform(0.2, 3, N)
OFFSET = RNG.normal(size=N) / 2
GRID = {"n_alphas": 3, "eps": 0.05, "unit_columns": False, "refit_intercept": True, "tol": 1e-9}


def objective_of(name, alpha, l1_ratio, weight, offset, factors=FREE, **limits):
    lam = alpha * weight.sum() * factors
    lower = limits.get("lower_limits", np.full(6, -np.inf))
    parts = lam * l1_ratio, lam * (1 - l1_ratio), lower, np.full(6, np.inf)
    return Objective(name, X, TARGETS[name], weight, offset, *parts, True)


@pytest.mark.parametrize(
    ("name", "l1_ratio", "weighted", "limited"),
    [
        ("Logistic", 1.0, True, False),
        ("Poisson", 0.5, True, True),
        ("Huber", 1.0, False, True),
        ("Gamma", 0.0, False, False),
        ("Exponential", 0.3, True, False),
    ],
)
def test_the_optimum_is_that_of_cvxpy(name, l1_ratio, weighted, limited):
    weight, offset = (WEIGHT, OFFSET) if weighted else (np.ones(N), np.zeros(N))
    limits = {"lower_limits": np.where(FREE == 0, -np.inf, -0.1)} if limited else {}
    path = cb.lasso_path(
        X,
        TARGETS[name],
        loss=LOSSES[name],
        sample_weight=weight,
        offset=offset,
        penalty_factor=FREE,
        l1_ratio=l1_ratio,
        **limits,
        **GRID,
    )
    assert path.message == "complete"
    for k in (1, 2):
        objective = objective_of(name, path.alphas[k], l1_ratio, weight, offset, **limits)
        value = objective.value(path.coefs[:, k], path.intercepts[k])
        best = objective.optimum()
        room = 1e-8 * abs(value)
        certificate = path.certificate(k)
        assert certificate.lower <= best + room and abs(certificate.upper - value) <= room
        assert best - room <= value <= best + 1e-9 * path.problem.start_excess + room
        assert certificate.gap <= 1.01e-9 * path.problem.start_excess


@pytest.mark.parametrize("name", ["logistic", "poisson", "exponential", "gamma"])
def test_gaps_are_those_of_a_dual_point_that_is_orthogonal_to_these_columns(name):
    """The residual is projected, and its exact conjugate is the lower end."""
    loss = name.capitalize()
    y = TARGETS[loss]
    options = {**GRID, "tol": 1e-5}
    path = cb.lasso_path(X, y, loss=LOSSES[loss], penalty_factor=FREE, **options)
    free = np.column_stack([np.ones(N), X[:, FREE == 0]])
    for k, alpha in enumerate(path.alphas):
        coef = path.coefs[:, k]
        pred = path.intercepts[k] + X @ coef
        resid = residual(name, y, pred)
        bend = 1e5 * (residual(name, y, pred) - residual(name, y, pred + 1e-5))
        inner = free.T @ (bend[:, None] * free)
        theta = resid - bend * (free @ np.linalg.solve(inner, free.T @ resid))
        assert abs(free.T @ theta).max() <= 1e-9
        priced = FREE > 0
        largest = (abs(X[:, priced].T @ theta) / (alpha * N * FREE[priced])).max()
        lower = dual_value(name, y, min(1.0, 1 / largest) * theta).sum()
        value = objective_of(loss, alpha, 1.0, np.ones(N), np.zeros(N)).value(
            coef, path.intercepts[k]
        )
        own = path.certificate(k)
        assert value - lower <= 2e-5 * path.problem.start_excess
        assert own.lower <= value and lower <= own.upper  # both intervals hold the optimum
        assert path.gaps[k] <= 1e-5


def test_a_column_of_ones_is_the_intercept():
    ones = np.column_stack([np.ones(N), X])
    for name in ("Logistic", "Huber"):
        y = TARGETS[name]
        with_intercept = cb.lasso_path(X, y, loss=LOSSES[name], **GRID)
        options = {**GRID, "refit_intercept": False, "fit_intercept": False}
        of_ones = cb.lasso_path(
            ones,
            y,
            with_intercept.alphas,
            loss=LOSSES[name],
            penalty_factor=[0, *[1] * 6],
            **options,
        )
        np.testing.assert_allclose(of_ones.coefs[1:], with_intercept.coefs, atol=1e-4)
        np.testing.assert_allclose(of_ones.coefs[0], with_intercept.intercepts, atol=1e-4)
        assert of_ones.message == "complete"


def test_the_default_grid_begins_beside_these_columns():
    path = cb.lasso_path(X, TARGETS["Logistic"], loss=LOSSES["Logistic"], penalty_factor=FREE)
    assert (path.coefs[FREE == 0] != 0).all() and not path.coefs[FREE > 0, 0].any()
    assert path.coefs[FREE > 0, 1].any()


@pytest.mark.filterwarnings("ignore:Setting penalty=None")  # scikit-learn 1.8
def test_all_columns_without_a_penalty_are_the_plain_fit():
    y = TARGETS["Logistic"]
    options = {"refit_intercept": True, "tol": 1e-10}
    path = cb.lasso_path(X, y, [1.0], loss=LOSSES["Logistic"], penalty_factor=[0] * 6, **options)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(path.coefs[:, 0], theirs.coef_[0], atol=1e-4)
    assert path.gaps[0] <= 1e-10


def test_sparse_columns_weights_and_repeated_rows_agree():
    y = TARGETS["Poisson"]
    twice = 1 + np.arange(N) % 2
    rows = np.repeat(np.arange(N), twice)
    options = {"loss": LOSSES["Poisson"], "penalty_factor": FREE, **GRID}
    weighted = cb.lasso_path(scipy.sparse.csc_array(X), y, sample_weight=twice, **options)
    repeated = cb.lasso_path(X[rows], y[rows], weighted.alphas, **options)
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, atol=1e-5)
    relaxed = weighted.relaxed()
    assert (relaxed.coefs[FREE == 0] != 0).all()


@pytest.mark.parametrize("name", ["Logistic", "Poisson"])
def test_columns_that_fit_without_bound_are_named(name):
    y = TARGETS[name].copy()
    group = np.zeros(N)
    group[:4] = 1.0
    y[:4] = -1.0 if name == "Logistic" else 0.0  # all rows of the group are alike
    table = np.column_stack([X, group])
    factors = [*[1] * 6, 0]
    options = {"loss": LOSSES[name], "refit_intercept": True, "unit_columns": False}
    with pytest.raises(ValueError, match=r"fit y without bound, as where they separate .*: x6"):
        cb.lasso_path(table, y, [0.1], penalty_factor=factors, **options)
    small = cb.lasso_path(table, y, [0.1], penalty_factor=[*[1] * 6, 1e-3], **options)
    assert small.message == "complete"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (cb.CertifiedLasso, "Huber"),
        (cb.CertifiedLassoClassifier, "Logistic"),
        (cb.CertifiedPoissonRegressor, "Poisson"),
    ],
)
def test_estimators_take_them(kind, name):
    more = {"loss": cb.losses.Huber(0.5)} if name == "Huber" else {}
    model = kind(alpha=0.2, standardize=True, penalty_factor=FREE, **more).fit(X, TARGETS[name])
    coef = np.ravel(model.coef_)
    assert (coef[FREE == 0] != 0).all() and not coef[FREE > 0].all()
    certificate = model.certificate_
    assert certificate.gap <= 1.1e-6 * model.path_.problem.start_excess
