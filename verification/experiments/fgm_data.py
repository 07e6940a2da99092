"""The data of Freund, Grigas, Mazumder, Section 6, and the choices that the paper leaves open.

*Gaussian designs*: rows from N(0, Sigma) with correlation rho between any two columns; the target
is the sum of the first columns plus noise; SNR is the variance of the signal over that of the
noise. A seed gives the same normal numbers for every rho and SNR, so draws can be compared in
pairs. *Genes*: 500 random columns, the same kind of target; the variance of the signal is that over
the rows. *Prostate*: lcavol on eight predictors (a); on 44 with squares and products (b); on ten
rows of (b) without a constant column (c). Products are those of the predictors as they are ("raw")
or standardised first. The target is scaled to norm 1, which sets the scale of eps and the radii.
"""

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

import coordboost as cb

INTERACTIONS = ("raw", "standardised")


class Draw(NamedTuple):
    """Samples of a linear model.

    X : (n, p)
    signal, y : (n,), without and with noise
    truth : (p,)
    noise : variance of the noise
    rho : None for genes
    """

    X: np.ndarray
    signal: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    noise: float
    rho: float | None


def gaussian(seed, rho, snr=1.0, n=50, p=500, ones=10):
    """Return a draw of the Gaussian design with correlations `rho` and `ones` coefficients of 1."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    common = rng.standard_normal((n, 1))
    noise = rng.standard_normal(n)
    X = np.sqrt(rho) * common + np.sqrt(1 - rho) * X
    return _with_noise(X, (ones + ones * (ones - 1) * rho) / snr, noise, ones, rho)


def genes(data, seed, snr=1.0, p=500, ones=10):
    """Return a draw on the rows of a data set: `p` random genes, and noise."""
    rng = np.random.default_rng(seed)
    X = data.X[:, rng.permutation(data.X.shape[1])[:p]]
    return _with_noise(
        X, X[:, :ones].sum(axis=1).var() / snr, rng.standard_normal(len(X)), ones, None
    )


def _with_noise(X, variance, noise, ones, rho):
    truth = (np.arange(X.shape[1]) < ones).astype(float)
    return Draw(X, X @ truth, X @ truth + np.sqrt(variance) * noise, truth, float(variance), rho)


def interactions(X, kind):
    """Return the columns of X, their squares and products."""
    X = (X - X.mean(axis=0)) / X.std(axis=0) if kind == "standardised" else X
    pairs = combinations_with_replacement(range(X.shape[1]), 2)
    return np.column_stack([X, *(X[:, i] * X[:, j] for i, j in pairs)])


def ten_rows(data, kind, seed):
    """Return X (10, 44) and y of (c): ten random rows, drawn again until no column is constant."""
    rng = np.random.default_rng(seed)
    X = interactions(data.X, kind)
    while True:
        rows = rng.permutation(len(X))[:10]
        if (np.ptp(interactions(data.X, "raw")[rows], axis=0) > 0).all():
            return X[rows], data.y[rows]


def problem_of(X, y):
    """Return the problem with the centred target scaled to norm 1."""
    return cb.Problem(X, y / np.linalg.norm(y - y.mean()))
