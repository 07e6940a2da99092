"""Both ends of a Lasso path: the default grid, as documented, and a path without a penalty."""

import inspect

import numpy as np
import pytest
from reference_sets import needs_compiler
from scipy.signal import lfilter
from test_lasso_path import table

import coordboost as cb


def test_the_default_grid():
    """100 alphas, evenly spaced on a log scale, from the smallest that gives 0 down to 1e-3 of
    it.
    """
    X = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [0.0, -1.0]])
    y = np.array([1.0, 2.0, 0.0, -1.0])
    path = cb.lasso_path(X, y, unit_columns=False)
    top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    np.testing.assert_allclose(path.alphas, np.geomspace(top, 1e-3 * top, 100), rtol=1e-12)
    assert (path.coefs[:, 0] == 0).all() and inspect.signature(cb.lasso_path).parameters[
        "tol"
    ].default == 1e-6


@pytest.mark.parametrize("solver", ["homotopy", "cd"])
def test_the_gap_without_a_penalty(solver):
    """If rounding leaves a correlation above 0, the dual point is 0 and the gap is the remaining
    loss; otherwise the gap is about 0.
    """
    X, y = table(40, 6)
    path = cb.lasso_path(X, y, alphas=[0.0], solver=solver)
    resid = y - path.intercepts[0] - X @ path.coefs[:, 0]
    left = resid @ resid / np.sum((y - y.mean()) ** 2)
    assert path.gaps[0] == pytest.approx(left, rel=1e-10) or path.gaps[0] < 1e-13


@needs_compiler  # 250 columns: minutes without it
@pytest.mark.parametrize("tol", [1e-6, 1e-10])
def test_the_exact_path_takes_over_where_coordinate_descent_is_slow(tol):
    """On columns that are much alike and a target of noise: also where coordinate descent was
    named, and the table is wide.
    """
    rng = np.random.default_rng(0)
    X = lfilter([1], [1, -0.95], rng.standard_normal((250, 280)), axis=1)
    y = rng.standard_normal(250)
    path = cb.lasso_path(X, y, solver="cd", tol=tol)
    assert path.message == "complete"
    assert max(path.certificate(k).witness["relative_gap"] for k in (50, 75, 99)) <= tol


def test_an_exact_path_on_few_learners_has_one_scan():
    """The scan at the start: all learners are candidates then, and their correlations are
    updated.
    """
    assert cb.exact_path(cb.Problem(*table(60, 20))).n_scans == 1


def test_every_function_that_takes_x_and_y_uses_unit_columns():
    """A column in other units enters at the same place: paths from X and y use unit columns, and
    their reprs say so.
    """
    X, y = table(40, 6)
    X = X * [1.0, 1e3, 1.0, 1e-3, 1.0, 1.0]
    exact = cb.exact_path(X, y)
    grid = cb.lasso_path(X, y, eps=1e-4, n_alphas=300, tol=1e-10)
    boosted = cb.solve(cb.Problem(X, y), cb.forward_stagewise(1e-4 * exact.lam[0]), 20_000)
    assert exact.order_of_entry()[0] == grid.order_of_entry()[0] == boosted.order_of_entry()[0]
    np.testing.assert_allclose(grid.coefs[:, 200], exact.coef_at(alpha=grid.alphas[200]), rtol=1e-3)
    assert all("unit columns" in repr(path) for path in (exact, grid, boosted))
    raw = cb.lasso_path(X, y, unit_columns=False)
    assert "original units" in repr(raw) and raw.order_of_entry()[0] == 1
