"""Unit columns and small linear systems in floats or in Fractions."""

from fractions import Fraction
from itertools import product

import numpy as np

#: Rational bounds of eigenvalues are multiples of this.
CLOSE = Fraction(1, 10**28)


def exact(values):
    """Return numbers, or texts such as "3/5", as an array of Fractions."""
    given = np.array(values, dtype=object)
    return np.array([Fraction(x) for x in given.ravel()] + [None], dtype=object)[:-1].reshape(
        given.shape
    )


def unit_columns(free):
    """Return unit columns (m, p): stereographic images of the rows of `free` (p, m - 1), rational
    for rational numbers.
    """
    square = (free * free).sum(axis=1)[:, None]
    return np.concatenate([2 * free, square - 1], axis=1).T / (square.T + 1)


def solved(M, rhs):
    """Return M^{-1} rhs by elimination, for any number type; None if M is singular."""
    if M.dtype != object:
        return np.linalg.solve(M, rhs) if abs(np.linalg.det(M)) > 1e-12 else None
    rows = np.concatenate([M, rhs.reshape(len(M), -1)], axis=1)
    for i in range(len(M)):
        pivot = next((j for j in range(i, len(M)) if rows[j, i] != 0), None)
        if pivot is None:
            return None
        rows[[i, pivot]] = rows[[pivot, i]]
        rows[i] = rows[i] / rows[i, i]
        for j in range(len(M)):
            if j != i:
                rows[j] = rows[j] - rows[j, i] * rows[i]
    return rows[:, len(M) :].reshape(rhs.shape)


def least_eigenvalue(G):
    """Return the smallest eigenvalue of a positive definite matrix.

    For Fractions a Fraction at most 2e-28 above it, or None.
    """
    values, vectors = np.linalg.eigh(G.astype(float))
    if values[0] < 1e-9 * values[-1]:
        return None
    if G.dtype != object:
        return values[0]
    v = np.array([Fraction(float(x)) for x in vectors[:, 0]], dtype=object)
    high = (v @ G @ v) / (v @ v)
    high = Fraction(-((-high.numerator * CLOSE.denominator) // high.denominator), CLOSE.denominator)
    return high if _positive(G - np.diag([high - 2 * CLOSE] * len(G))) else None


def _positive(M):
    """Whether all pivots of a matrix of Fractions are positive."""
    M = M.copy()
    for i in range(len(M)):
        if M[i, i] <= 0:
            return False
        for j in range(i + 1, len(M)):
            M[j] = M[j] - M[j, i] / M[i, i] * M[i]
    return True


def solutions(X, y, radii):
    """Return min ||y - X b||^2 / 2 over ||b||_1 <= radius, and a solution (len(radii), p), by
    trying all signs; at most three columns.
    """
    G = X.T @ X
    c = X.T @ y
    start = y @ y / 2
    best = 0 * radii + start
    where = 0 * radii[:, None] * c
    for signs in product((-1, 0, 1), repeat=X.shape[1]):
        at = np.flatnonzero(signs)
        found = _with_signs(G, c, at, np.array(signs)[at], start, radii) if len(at) else None
        if found is not None:
            better = found[0] < best
            best = np.where(better, found[0], best)
            rows = np.zeros_like(where)
            rows[:, at] = found[1].T
            where = np.where(better[:, None], rows, where)
    return best, where


def _with_signs(G, c, at, s, start, radii):
    """Return loss and coefficients of the solution with these columns and signs.

    The loss is `start` where the signs are violated.
    """
    both = solved(G[np.ix_(at, at)], np.stack([c[at], s + 0 * c[at]], axis=1))
    if both is None:
        return None
    u, v = both.T
    mu = np.maximum((s @ u - radii) / (s @ v), 0 * radii)
    b = u[:, None] - v[:, None] * mu
    loss = start - c[at] @ b + (b * (G[np.ix_(at, at)] @ b)).sum(axis=0) / 2
    return np.where((b * s[:, None] >= 0).all(axis=0), loss, start), b
