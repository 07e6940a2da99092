"""The designs of the benchmarks: seeded generators, and real data sets where they are available."""

import numpy as np
import scipy.sparse

from verification.sets import Absent, read


def ar1(n_samples, n_columns, *, rho=0.5, n_active=50, snr=3.0, seed=0):
    """Return AR(1) columns X (n_samples, n_columns) and y of unit norm, from normal coefficients on
    random columns and noise.
    """
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((n_columns, n_samples))
    for j in range(1, n_columns):
        columns[j] = rho * columns[j - 1] + np.sqrt(1 - rho**2) * columns[j]
    signal = rng.standard_normal(n_active) @ columns[rng.choice(n_columns, n_active, replace=False)]
    return columns.T, unit(signal + rng.standard_normal(n_samples) * np.sqrt(signal.var() / snr))


def sparse_normal(n_samples, n_columns, *, density=1e-3, n_active=50, snr=5.0, seed=0):
    """Return a CSC matrix X (n_samples, n_columns) with normal entries at random places, and y of
    unit norm as in ``ar1``.
    """
    rng = np.random.default_rng(seed)
    places = np.sort(
        rng.choice(
            n_samples * n_columns,
            round(density * n_samples * n_columns),
            replace=False,
            shuffle=False,
        )
    )
    columns, rows = np.divmod(places, n_samples)
    X = scipy.sparse.csc_array(
        (rng.standard_normal(len(places)), (rows, columns)), shape=(n_samples, n_columns)
    )
    signal = X[:, np.sort(rng.choice(n_columns, n_active, replace=False))] @ rng.standard_normal(
        n_active
    )
    return X, unit(signal + rng.standard_normal(n_samples) * np.sqrt(signal.var() / snr))


def unit(y):
    """Return `y`, centred and scaled to unit norm."""
    y = np.asarray(y, dtype=float) - np.mean(y)
    return y / np.linalg.norm(y)


def with_products(data):
    """Return the standardised X with the products of all pairs of columns (squares included), and
    y; None for None.
    """
    if data is None:
        return None
    X, y = data
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    one, other = np.triu_indices(X.shape[1])
    return np.hstack([X, X[:, one] * X[:, other]]), y


def real(name):
    """Return X (CSC if sparse) and y of unit norm of a real data set, or None if it is not
    available.
    """
    try:
        X, y = read(name)
    except Absent:
        return None
    return X.tocsc() if scipy.sparse.issparse(X) else X, unit(y)
