"""Scores of all models of a grid on rows in memory, sparse, or on disk."""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb

RNG = np.random.default_rng(2)
X = np.where(RNG.random((9, 7)) < 0.5, RNG.integers(-9, 10, (9, 7)), 0) * 1.0


def stored(X, folder):
    np.save(folder / "X.npy", X)
    return cb.data.open_columns(folder / "X.npy")


KINDS = {
    "dense": lambda X, _: X,
    "of columns": lambda X, _: np.asfortranarray(X),
    "sparse": lambda X, _: scipy.sparse.csr_array(X),
    "stored": stored,
}


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_a_grid(kind, tmp_path):
    """For any storage they equal the losses of the models one by one, up to the rounding of sums of
    seven products.
    """
    y = X @ np.arange(7.0) + RNG.normal(size=9)
    path = cb.lasso_path(X, y, n_alphas=12)
    each = [
        np.sum((y - X @ coef - intercept) ** 2) / 18
        for coef, intercept in zip(path.coefs.T, path.intercepts, strict=True)
    ]
    np.testing.assert_allclose(
        path.score_path(KINDS[kind](X, tmp_path), y), -np.array(each), rtol=1e-12
    )
