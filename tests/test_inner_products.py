"""Inner products of a few vectors with many, tile by tile: exact on whole numbers, whatever fills no tile."""

import numpy as np
import pytest

from coordboost.screening import inner_products as tiles


@pytest.mark.parametrize("few", [1, 3, 4, 5, 9])
@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 3), (0, 16), (2, 21), (5, 24)])
@pytest.mark.parametrize("n_samples", [1, 7, 40])
def test_inner_products(few, first, last, n_samples):
    """The sums of whole numbers are exact, so every entry is the one of a product of matrices; the rest of `out` is not touched."""
    rng = np.random.default_rng(few)
    a, b = rng.integers(-99, 100, (few, n_samples)) * 1.0, rng.integers(-99, 100, (24, n_samples)) * 1.0
    out = np.full((few, 30), np.nan)
    tiles.inner_products(a, b, first, last, out)
    assert (out[:, first:last] == a @ b[first:last].T).all()
    assert np.isnan(out[:, :first]).all() and np.isnan(out[:, last:]).all()


@pytest.mark.parametrize("n", [1, 3, 4, 9, tiles.PANEL + 6])
@pytest.mark.parametrize("n_samples", [1, 40, tiles.SHORT + 3])
def test_gram_of(n, n_samples):
    """With each other: exact again, and the rest of `out` is not touched."""
    rows = np.random.default_rng(n).integers(-9, 10, (n, n_samples)) * 1.0
    out = np.full((n + 2, n + 2), np.nan)
    tiles.gram_of(rows, out)
    assert (out[:n, :n] == rows @ rows.T).all()
    assert np.isnan(out[n:]).all() and np.isnan(out[:, n:]).all()


def test_many_samples():
    """More samples than are taken at a time."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 10, (6, 2 * tiles.DEPTH + 5)) * 1.0, rng.integers(-9, 10, (9, 2 * tiles.DEPTH + 5)) * 1.0
    out = np.empty((6, 9))
    tiles.inner_products(a, b, 0, 9, out)
    assert (out == a @ b.T).all()
