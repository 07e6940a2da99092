"""Lasso paths of tall tables, from their Gram matrix."""

import tracemalloc

import numpy as np
import pytest

import coordboost as cb

OPTIONS = {
    "plain": {},
    "weights": {"sample_weight": np.arange(400) % 3},
    "original units": {"unit_columns": False},
    "factors": {"penalty_factor": np.linspace(0.5, 2.0, 12)},
    "no penalty": {"penalty_factor": np.repeat([0.0, 1.0], [2, 10])},
    "elastic net": {"l1_ratio": 0.4},
    "positive": {"positive": True},
    "limits": {"lower_limits": -0.3, "upper_limits": 0.5},
    "no intercept": {"fit_intercept": False},
}


def table(n_samples=400, n_columns=12, copies=0, noise=0.0):
    """A tall table, some of whose columns are copies of others up to noise, and its targets."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n_samples, n_columns)) * np.linspace(0.5, 2.0, n_columns) + 3.0
    X[:, 1] += X[:, 0]
    X[:, n_columns - copies :] = X[:, :copies] + noise * rng.standard_normal((n_samples, copies))
    return X, X[:, :4] @ [1.0, -0.5, 0.3, 0.0] + rng.standard_normal(n_samples)


@pytest.mark.parametrize("solver", ["cd", "homotopy"])
@pytest.mark.parametrize("option", OPTIONS)
def test_models_are_those_of_a_fit_to_the_data(option, solver):
    """A path of few penalties reads the data; one of many the Gram matrix."""
    X, y = table()
    options = OPTIONS[option]
    if solver == "homotopy" and option in ("no penalty", "elastic net", "positive", "limits"):
        solver = None
    path = cb.lasso_path(X, y, solver=solver, tol=1e-10, n_alphas=30, **options)
    assert path.message == "complete"
    for k in (3, 15, 29):
        data = cb.lasso_path(X, y, path.alphas[[k]], solver="cd", tol=1e-12, **options)
        np.testing.assert_allclose(path.coefs[:, k], data.coefs[:, 0], atol=2e-4)
        assert path.certificate(k).lower <= data.certificate(0).upper * (1 + 1e-12)
        assert path.certificate(k).witness["relative_gap"] <= path.gaps[k] + 1e-11


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("solver", ["cd", "homotopy"])
def test_near_copies(noise, solver):
    """Directions that the rounding of a Gram matrix hides do not make gaps too small."""
    X, y = table(200, 40, copies=15, noise=noise)
    path = cb.lasso_path(X, y, solver=solver, tol=1e-9)
    assert path.message == "complete"
    judged = [path.certificate(k).witness["relative_gap"] for k in range(0, 100, 9)]
    assert (np.array(judged) <= path.gaps[::9] * 1.01 + 1e-12).all()


def test_memory():
    """A path takes a small part of the memory of the data, weighted or not."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((60_000, 40)))
    y = X[:, 0] + rng.standard_normal(len(X))
    for weight in (None, rng.uniform(0.5, 2.0, len(X))):
        problem = cb.Problem(X, y, sample_weight=weight)
        cb.lasso_path(problem, n_alphas=11)
        tracemalloc.start()
        cb.lasso_path(problem)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.6 * X.nbytes


def correlated(n_samples, n_columns, rho):
    """Columns with correlations rho^|i - j|, and their targets."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n_samples, n_columns))
    for j in range(1, n_columns):
        X[:, j] = rho * X[:, j - 1] + (1 - rho**2) ** 0.5 * X[:, j]
    return X, X[:, :5].sum(axis=1) + rng.standard_normal(n_samples)


@pytest.mark.parametrize(
    ("shape", "tol", "solver"),
    [
        ((500, 201), 1e-6, "homotopy"),
        ((500, 201), 1e-3, "homotopy"),
        ((100, 100), 1e-3, "homotopy"),
        ((150, 5000), 1e-3, "cd"),
        ((150, 500), 1e-3, "homotopy"),
    ],
)
def test_the_default_solver(shape, tol, solver):
    """The faster one in ``verification/benchmarks/lasso_solvers.py``."""
    assert cb.lasso_path(*correlated(*shape, 0.5), tol=tol, n_alphas=12, eps=0.3).solver == solver


def test_a_slow_solver_hands_over():
    """Coordinate descent is slow on correlated columns; the exact path computes the rest."""
    X, y = correlated(900, 610, 0.9)
    path = cb.lasso_path(X, y, n_alphas=60, eps=1e-4)
    assert path.solver == "cd" and path.message == "complete" and len(path.alphas) == 60
    for k in (0, 30, 45, 59):
        assert path.certificate(k).witness["relative_gap"] <= max(1.01 * path.gaps[k], 1e-11)
    assert path.gaps[-1] < 1e-10  # the exact path
