r"""Exact arithmetic for the tests: instances with unit columns, linear systems and the Lasso, in
`fractions.Fraction`.

The Lasso is solved by trying every signed support against the KKT conditions, so nothing is
iterated and nothing is rounded; at most six columns. ``fractions`` turns a float64 instance into
the exact one it stores.

FGM = Freund, Grigas, Mazumder, "A New Perspective on Boosting in Linear Regression" (2017).
"""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np


def fractions(a):
    """The same numbers, exactly, as an object array of Fractions."""
    return np.vectorize(Fraction, otypes=[object])(a)


def rational_columns(U):
    """Integers (n - 1, p) -> Fractions (n, p) with columns of norm exactly 1: (2u, |u|^2 - 1) /
    (|u|^2 + 1).
    """
    U = fractions(U)
    square = np.sum(U * U, axis=0)
    return np.vstack([2 * U, square - 1]) / (square + 1)


def solve_exact(A, b):
    """x with A x = b by Gauss-Jordan elimination in Fractions; None if A is singular."""
    T = fractions(np.column_stack([A, b]))
    for i in range(len(T)):
        pivot = next((r for r in range(i, len(T)) if T[r, i] != 0), None)
        if pivot is None:
            return None
        T[[i, pivot]] = T[[pivot, i]]
        T[i] = T[i] / T[i, i]
        for r in set(range(len(T))) - {i}:
            T[r] = T[r] - T[r, i] * T[i]
    return T[:, -1]


def least_squares(X, y):
    return (
        solve_exact(X.T @ X, X.T @ y) if X.dtype == object else np.linalg.lstsq(X, y, rcond=None)[0]
    )


def _lasso(X, y, systems):
    """First beta that passes the KKT conditions, over all signed supports: A = X_S diag(s), beta_S
    = s * b, b >= 0.

    ``systems(A'A, A'y)`` yields candidates (b or None, mu). Some solution has independent columns,
    so the search finds one.
    """
    p = X.shape[1]
    for size in range(p + 1):
        for S, s in product(map(list, combinations(range(p), size)), product([1, -1], repeat=size)):
            A = X[:, S] * np.array(s, dtype=object)
            for b, mu in systems(A.T @ A, A.T @ y):
                if b is not None and all(b >= 0) and all(np.abs(X.T @ (y - A @ b)) <= mu):
                    beta = X[0] - X[0]
                    beta[S] = s * b
                    return beta


def lasso_penalty(X, y, lam):
    """Exact solution of min 1/2 ||y - X beta||^2 + lam ||beta||_1 (Fractions, p <= 6): G b = c -
    lam, |X' r| <= lam.
    """
    return _lasso(X, y, lambda G, c: [(solve_exact(G, c - lam), lam)])


def lasso_ball(X, y, delta):
    """Exact solution of min ||y - X beta||^2, ||beta||_1 <= delta (p <= 6): G b + mu = c, sum b =
    delta, or LS.
    """

    def systems(G, c):
        ones = np.ones((len(c), 1), dtype=int)
        bordered = solve_exact(
            np.block([[G, ones], [ones.T, np.zeros((1, 1), dtype=int)]]), np.append(c, delta)
        )
        ls = solve_exact(G, c)
        if ls is not None and sum(ls) <= delta:
            yield ls, 0
        if bordered is not None:
            yield bordered[:-1], bordered[-1]

    return _lasso(X, y, systems)


def root_of(number, digits=60):
    """The square root of a Fraction, rounded down to `digits` decimals."""
    scale = 10**digits
    return Fraction(math.isqrt(number.numerator * scale * scale // number.denominator), scale)


def net_optimum(X, y, weight, first, second, centred=True):
    """The exact minimum of sum w (y - b - X beta)^2 / 2 + sum first |beta| + sum second beta^2 / 2,
    over b too if `centred`.

    Fractions, few columns: every signed support that solves its linear system is tried against the
    KKT conditions. Supports with dependent columns are skipped: some solution has independent ones.
    """
    total = sum(weight)
    if centred:
        X = X - np.array([weight @ column / total for column in X.T])
        y = y - weight @ y / total
    p = X.shape[1]
    for size in range(p + 1):
        for S, s in product(map(list, combinations(range(p), size)), product([1, -1], repeat=size)):
            A = X[:, S] * np.array(s, dtype=object)
            gram = (A.T * weight) @ A
            for i, j in enumerate(S):
                gram[i, i] += second[j]
            b = (
                solve_exact(gram, A.T @ (weight * y) - first[S])
                if size
                else np.zeros(0, dtype=object)
            )
            if b is None or not all(b >= 0):
                continue
            beta = fractions(np.zeros(p))
            beta[S] = s * b
            rest = y - X @ beta
            if all(np.abs(X.T @ (weight * rest) - second * beta) <= first):
                return (
                    weight @ (rest * rest) / 2 + first @ np.abs(beta) + second @ (beta * beta) / 2
                )
    raise AssertionError("no support satisfies the conditions")
