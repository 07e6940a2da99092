"""The data of Freund, Grigas, Mazumder, Section 5, and the choices that the paper leaves open.

*Gaussian designs*: rows from N(0, Sigma) with correlations rho between all columns; a target that adds the first columns, and noise; SNR is
the variance of the signal over that of the noise. A seed gives the same normal numbers for every rho and SNR, so draws are pairs. *Genes*:
500 columns at random, the same kind of target, the variance that of the rows. *Prostate*: lcavol on eight predictors (a), with squares and
products 44 (b), ten rows of them without a constant column (c); products of the predictors as they are ("raw"), or standardised first.
The target is scaled to norm 1: eps of FS, R-FS and the Lasso's radius are in parts of it.
"""

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

import coordboost as cb

INTERACTIONS = ("raw", "standardised")


class Draw(NamedTuple):
    """Samples of a linear model.

    X : (n, p);  signal, y : (n,), without and with noise;  truth : (p,);  noise : variance of the noise;  rho : None for genes
    """

    X: np.ndarray
    signal: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    noise: float
    rho: float | None


def gaussian(seed, rho, snr=1.0, n=50, p=500, ones=10):
    """A draw of the design with correlations `rho` and `ones` coefficients of 1."""
    rng = np.random.default_rng(seed)
    X, common, noise = rng.standard_normal((n, p)), rng.standard_normal((n, 1)), rng.standard_normal(n)
    X = np.sqrt(rho) * common + np.sqrt(1 - rho) * X
    return _with_noise(X, (ones + ones * (ones - 1) * rho) / snr, noise, ones, rho)


def genes(data, seed, snr=1.0, p=500, ones=10):
    """A draw on the rows of a set: `p` genes at random, and noise."""
    rng = np.random.default_rng(seed)
    X = data.X[:, rng.permutation(data.X.shape[1])[:p]]
    return _with_noise(X, X[:, :ones].sum(axis=1).var() / snr, rng.standard_normal(len(X)), ones, None)


def _with_noise(X, variance, noise, ones, rho):
    truth = (np.arange(X.shape[1]) < ones).astype(float)
    return Draw(X, X @ truth, X @ truth + np.sqrt(variance) * noise, truth, float(variance), rho)


def interactions(X, kind):
    """The columns of X, their squares and products."""
    X = (X - X.mean(axis=0)) / X.std(axis=0) if kind == "standardised" else X
    pairs = combinations_with_replacement(range(X.shape[1]), 2)
    return np.column_stack([X, *(X[:, i] * X[:, j] for i, j in pairs)])


def ten_rows(data, kind, seed):
    """(c): X (10, 44) and y of the first ten rows, in an order drawn at random, of which no column is constant."""
    rng, X = np.random.default_rng(seed), interactions(data.X, kind)
    while True:
        rows = rng.permutation(len(X))[:10]
        if (np.ptp(interactions(data.X, "raw")[rows], axis=0) > 0).all():
            return X[rows], data.y[rows]


def problem_of(X, y):
    """The problem with the target scaled to norm 1."""
    return cb.Problem(X, y / np.linalg.norm(y - y.mean()))
