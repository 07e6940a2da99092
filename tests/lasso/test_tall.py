"""Lasso paths of tall tables, from their Gram matrix."""

import tracemalloc

import numpy as np
import pytest
from reference_sets import needs_compiler

import coordboost as cb
from coordboost.learners.moments import second_moments

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
        ((44, 7129), 1e-3, "homotopy"),
        ((500, 520), 1e-6, "homotopy"),
        ((300, 700), 1e-3, "cd"),
    ],
)
def test_the_default_solver(shape, tol, solver):
    """The faster one in ``verification/benchmarks/lasso_solvers.py``."""
    assert cb.lasso_path(*correlated(*shape, 0.5), tol=tol, n_alphas=12, eps=0.3).solver == solver


@needs_compiler
def test_a_slow_solver_hands_over():
    """Coordinate descent is slow on correlated columns; the exact path computes the rest."""
    X, y = correlated(900, 610, 0.9)
    path = cb.lasso_path(X, y, n_alphas=60, eps=1e-4, tol=1.1e-4)
    assert path.solver == "cd" and path.message == "complete" and len(path.alphas) == 60
    for k in (0, 30, 45, 59):
        assert path.certificate(k).witness["relative_gap"] <= max(1.01 * path.gaps[k], 1e-11)
    assert path.gaps[-1] < 1e-10  # the exact path


def large(mean=0.0, jump=0.0, order="C"):
    """A table that is read once and not copied, with means, and its targets."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((66_000, 4)) @ [
        [1.0, 0.5, 0, 0],
        [0, 2, 0, 0],
        [0, 0, 1, 1],
        [0, 0, 0, 0.1],
    ]
    y = X @ [1.0, 0.0, -0.5, 0.2] + rng.standard_normal(len(X)) + 5.0
    X[5_000:, 2] += jump
    return np.asarray(X + mean, order=order), y


def largest_gap(X, y, weight, path):
    """The largest relative gap of a Lasso or ridge path on unit columns, computed anew."""
    centre = 0.0
    if path.intercepts.any():
        X = X - weight @ X / weight.sum()
        X = X - weight @ X / weight.sum()
        centre = weight @ y / weight.sum()
    norm = np.sqrt(weight @ X**2)
    y = y - centre
    gaps = []
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        lam = alpha * weight.sum()
        resid = y - X @ coef
        corr = X.T @ (weight * resid) / norm
        beta = coef * norm
        if path.l1_ratio == 0:
            gaps.append(((corr - lam * beta) ** 2).sum() / (2 * lam))
            continue
        point = min(1.0, lam / np.abs(corr).max())
        loss = weight @ resid**2 * (1 + point**2) / 2
        gaps.append(loss - point * (weight @ (resid * y)) + lam * np.abs(beta).sum())
    return 2 * max(gaps) / (weight @ y**2)


@needs_compiler
@pytest.mark.parametrize(
    ("form", "options"),
    {
        "rows": ({}, {}),
        "columns and weights": ({"order": "F"}, {"sample_weight": np.linspace(0.1, 3.0, 66_000)}),
        "means": ({"mean": 1e5, "order": "F"}, {}),
        "means that the first rows do not show": ({"jump": 1e4}, {}),
        "no intercept": ({"mean": 2.0}, {"fit_intercept": False}),
        "ridge": ({"mean": -30.0}, {"l1_ratio": 0.0}),
    }.values(),
)
def test_a_large_table_is_read_once(form, options):
    """The models are those of a Problem, and an independent gap is no larger than theirs."""
    X, y = large(**form)
    kept = X.copy()
    path = cb.lasso_path(X, y, n_alphas=20, **options)
    assert (kept == X).all() and path.message == "complete"
    weight = options.get("sample_weight", np.ones(len(y)))
    centred = options.pop("fit_intercept", True)
    options.pop("sample_weight", None)
    problem = cb.Problem(X, y, sample_weight=weight, center=centred)
    same = cb.lasso_path(problem, alphas=path.alphas, **options)
    np.testing.assert_allclose(path.coefs, same.coefs, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(path.intercepts, same.intercepts, rtol=1e-9)
    np.testing.assert_allclose(path.problem.dictionary.rows, problem.dictionary.rows, atol=1e-10)
    assert largest_gap(X, y, weight, path) <= path.gaps.max() + 1e-9


@needs_compiler
@pytest.mark.parametrize("mean", [1e8, 1e12])
def test_means_far_above_the_spread(mean):
    """Unit columns are made first, so that nothing is lost in the moments."""
    X, y = large(mean)
    path = cb.lasso_path(X, y, n_alphas=12)
    same = cb.lasso_path(cb.Problem(X, y), n_alphas=12)
    assert (path.coefs == same.coefs).all() and (path.gaps == same.gaps).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_columns", [1, 5, 6])
def test_moments_are_sums_of_products(order, n_columns):
    """In blocks of rows, the last one shorter, compiled and in plain Python."""
    rng = np.random.default_rng(3)
    X = np.asarray(rng.normal(100.0, 1.0, (9_001, n_columns)), order=order)
    y = rng.normal(size=len(X))
    weight = rng.uniform(0.0, 2.0, len(X))
    shift = np.append(X[0], 0.5)
    z = np.column_stack([X - shift[:-1], y - 0.5, np.ones(len(X))])
    found = second_moments(X, y, weight, shift)
    np.testing.assert_allclose(found, (z.T * weight) @ z, rtol=1e-11, atol=1e-9)


@needs_compiler
def test_a_large_table_with_constant_columns():
    X, y = large()
    X[:, 1] = 1e9
    with pytest.warns(cb.data.ConstantColumnWarning, match=r"1 constant column\(s\) set aside"):
        path = cb.lasso_path(X, y, n_alphas=12)
    rest = cb.lasso_path(X[:, [0, 2, 3]].copy(), y, n_alphas=12)
    np.testing.assert_allclose(path.coefs[[0, 2, 3]], rest.coefs, rtol=1e-8, atol=1e-12)
    assert not path.coefs[1].any()


@needs_compiler
def test_a_large_table_that_is_changed_after_the_fit():
    """What needs its columns later says so; it predicts, and works again with the old entries."""
    X, y = large()
    kept = X.copy()
    path = cb.lasso_path(X, y, n_alphas=12)
    for changed in (kept[::-1], np.add(kept, [0, 0, 1, 0])):
        X[:] = changed
        with pytest.raises(ValueError, match="X was changed after the fit"):
            path.certificate(5)
        assert len(path.predict(X[:3], alpha=path.alphas[5])) == 3
    X[:] = kept
    assert path.certificate(5).witness["relative_gap"] <= path.gaps[5] + 1e-9
    assert path.without_data().problem.n_learners == 4


@needs_compiler
def test_memory_beside_a_large_table():
    """No copy of the table is made, and its rows are sorted out block by block."""
    X, y = large(order="F")
    cb.lasso_path(X, y, n_alphas=12)
    for order in "FC":
        table = np.asarray(X, order=order)
        tracemalloc.start()
        cb.lasso_path(table, y, n_alphas=12)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * y.nbytes


def test_coefficients_of_ridge_are_a_view():
    """All coefficients are stored, so the dense array needs no copy, and is not to be written."""
    X, y = table()
    path = cb.lasso_path(X, y, l1_ratio=0, n_alphas=12)
    assert (path.coefs == path.models.toarray().T).all()
    assert np.shares_memory(path.coefs, path.models.data)
    with pytest.raises(ValueError, match="read-only"):
        path.coefs[0, 0] = 1.0
