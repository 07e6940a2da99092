"""The grid of a Lasso path that nobody asked for, as the documentation says it."""

import inspect

import numpy as np

import coordboost as cb


def test_the_default_grid():
    """100 alphas, evenly on a log scale, from the smallest that gives 0 down to 1e-3 of it."""
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [0.0, -1.0]]), np.array([1.0, 2.0, 0.0, -1.0])
    path = cb.lasso_path(X, y)
    top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    np.testing.assert_allclose(path.alphas, np.geomspace(top, 1e-3 * top, 100), rtol=1e-12)
    assert (path.coefs[:, 0] == 0).all() and inspect.signature(cb.lasso_path).parameters["tol"].default == 1e-6
