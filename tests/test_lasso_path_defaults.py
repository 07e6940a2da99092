"""The ends of a Lasso path: the grid that nobody asked for, as the documentation says it; and no penalty at all."""

import inspect

import numpy as np
import pytest
from test_lasso_path import table

import coordboost as cb


def test_the_default_grid():
    """100 alphas, evenly on a log scale, from the smallest that gives 0 down to 1e-3 of it."""
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [0.0, -1.0]]), np.array([1.0, 2.0, 0.0, -1.0])
    path = cb.lasso_path(X, y)
    top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    np.testing.assert_allclose(path.alphas, np.geomspace(top, 1e-3 * top, 100), rtol=1e-12)
    assert (path.coefs[:, 0] == 0).all() and inspect.signature(cb.lasso_path).parameters["tol"].default == 1e-6


@pytest.mark.parametrize("solver", ["homotopy", "cd"])
def test_the_gap_without_a_penalty(solver):
    """In rounded numbers no correlation is 0: the dual point is 0 then, and the gap the loss that is left."""
    X, y = table(40, 6)
    path = cb.lasso_path(X, y, alphas=[0.0], solver=solver)
    resid = y - path.intercepts[0] - X @ path.coefs[:, 0]
    assert path.gaps[0] == pytest.approx(resid @ resid / np.sum((y - y.mean()) ** 2), rel=1e-10)


def test_an_exact_path_on_few_learners_has_one_scan():
    """At 0: all of them are candidates then, and followed."""
    assert cb.exact_path(cb.Problem(*table(60, 20))).n_scans == 1
