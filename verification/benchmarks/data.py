"""The designs that the benchmarks run on: seeded generators, and real data where they are found."""

import numpy as np
import scipy.sparse

from verification.sets import Absent, read


def ar1(n_samples, n_columns, *, rho=0.5, n_active=50, snr=3.0, seed=0):
    """AR(1) columns, normal coefficients on random columns, a given signal-to-noise ratio; X (n_samples, n_columns), y of unit norm."""
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((n_columns, n_samples))
    for j in range(1, n_columns):
        columns[j] = rho * columns[j - 1] + np.sqrt(1 - rho**2) * columns[j]
    signal = rng.standard_normal(n_active) @ columns[rng.choice(n_columns, n_active, replace=False)]
    return columns.T, unit(signal + rng.standard_normal(n_samples) * np.sqrt(signal.var() / snr))


def sparse_normal(n_samples, n_columns, *, density=1e-3, n_active=50, snr=5.0, seed=0):
    """Normal entries at random places, normal coefficients on random columns; X (n_samples, n_columns) as CSC, y of unit norm."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.choice(n_samples * n_columns, round(density * n_samples * n_columns), replace=False, shuffle=False))
    columns, rows = np.divmod(places, n_samples)
    X = scipy.sparse.csc_array((rng.standard_normal(len(places)), (rows, columns)), shape=(n_samples, n_columns))
    signal = X[:, np.sort(rng.choice(n_columns, n_active, replace=False))] @ rng.standard_normal(n_active)
    return X, unit(signal + rng.standard_normal(n_samples) * np.sqrt(signal.var() / snr))


def unit(y):
    """`y` centred, of unit norm."""
    y = np.asarray(y, dtype=float) - np.mean(y)
    return y / np.linalg.norm(y)


def with_products(data):
    """X of a data set in standard units, and the products of all pairs of its columns, squares too; y. None stays None."""
    if data is None:
        return None
    X, y = data
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    one, other = np.triu_indices(X.shape[1])
    return np.hstack([X, X[:, one] * X[:, other]]), y


def real(name):
    """X (sparse ones as CSC), y of unit norm of a real data set, or None where it is not here."""
    try:
        X, y = read(name)
    except Absent:
        return None
    return X.tocsc() if scipy.sparse.issparse(X) else X, unit(y)
