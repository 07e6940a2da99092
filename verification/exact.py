r"""Boosting in rationals, in a few lines each: nothing is rounded, so the claims are compared as they stand.

Written apart from the package, which is not used here. Squared loss, unit columns with rational entries, y with a rational norm.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt

import numpy as np


def rationals(rows):
    """Rows of numbers or of texts such as "3/5" as an array of Fractions."""
    return np.array([[Fraction(x) for x in row] for row in rows], dtype=object)


#: Unit columns of rank 3; the smallest eigenvalue of X'X is 1 - sqrt(0.5904).
COLUMNS = rationals([(1, "3/5", 0), (0, "4/5", "3/5"), (0, 0, "4/5")])
TARGET = rationals([(2, 1, 2)])[0]
#: Another target, for which the knots of the Lasso path are known: radius and solution. Between them the path is linear.
GOLDEN = rationals([(3, 1, 2)])[0]
KNOTS = tuple(
    (Fraction(radius), rationals([beta])[0])
    for radius, beta in (
        ("0", (0, 0, 0)),
        ("4/5", ("4/5", 0, 0)),
        ("322/65", ("187/65", 0, "27/13")),
        ("13/2", ("27/8", "-5/8", "5/2")),
    )
)
#: A rational just above that eigenvalue: the end that is worse for the claims.
LAMBDA_ABOVE = 1 - Fraction(isqrt(5904 * 10**36), 10**20)


@dataclass(frozen=True, eq=False)
class Exact:
    """Iterates 0, ..., n_steps of one method, and what the theorems measure, arrays of Fractions.

    kind : "ls", "fs", "rfs" or "path";  eps : Fraction;  delta : (n_steps + 1,) radii, or None
    """

    kind: str
    eps: Fraction
    delta: object
    beta: np.ndarray
    resid: np.ndarray
    corr: np.ndarray
    chosen: np.ndarray
    step: np.ndarray
    X: np.ndarray
    y: np.ndarray

    @property
    def k(self):
        """0, 1, ..., n_steps as Fractions."""
        return np.array([Fraction(k) for k in range(len(self.beta))], dtype=object)

    @property
    def largest(self):
        """C_k, the largest abs correlation."""
        return np.abs(self.corr).max(axis=1)

    @property
    def size2(self):
        """A^2 = ||y||^2: the columns span the space, the least-squares residual is 0."""
        return self.y @ self.y

    @property
    def fit2(self):
        """||X (beta_LS - beta_k)||^2 = ||r_k||^2."""
        return (self.resid**2).sum(axis=1)

    @property
    def excess(self):
        """L(beta_k) - L*, a sum over samples."""
        return self.fit2 / 2

    @property
    def l1(self):
        """||beta_k||_1."""
        return np.abs(self.beta).sum(axis=1)

    @property
    def l0(self):
        """Number of non-zeros."""
        return (self.beta != 0).sum(axis=1)

    @property
    def omega(self):
        """omega_delta(beta_k) at the radius of step k."""
        return self.largest - (self.corr * self.beta).sum(axis=1) / self.delta

    @property
    def repeats(self):
        """Largest number of times that one column was taken before step k."""
        taken = list(self.chosen)
        return np.array([max((taken[:k].count(j) for j in set(taken[:k])), default=0) for k in range(len(taken) + 1)])

    def gamma(self, variant):
        """The contraction factor (8), or without its 4; rounded against the claim."""
        return 1 - self.eps * (2 - self.eps) * LAMBDA_ABOVE / ((4 if variant == "printed" else 1) * self.X.shape[1])


def lasso(radius):
    """A Lasso solution for the target ``GOLDEN``, Fractions (3,)."""
    for (low, start), (high, end) in pairwise(KNOTS):
        if radius <= high:
            return start + (radius - low) / (high - low) * (end - start)
    return KNOTS[-1][1]


def lasso_loss(radii):
    """The optima over the balls of these radii, sums over samples."""
    return np.array([((GOLDEN - COLUMNS @ lasso(radius)) ** 2).sum() / 2 for radius in radii], dtype=object)


def sign(x):
    """-1, 0 or 1."""
    return (x > 0) - (x < 0)


def walk(kind, eps, n_steps, delta=None, X=COLUMNS, y=TARGET):
    """Run LS-Boost ("ls"), FS ("fs"), R-FS ("rfs", one radius) or PATH-R-FS ("path", n_steps + 1 radii)."""
    eps = Fraction(eps)
    radii = (
        None
        if delta is None
        else np.array([Fraction(d) for d in (delta if kind == "path" else [delta] * (n_steps + 1))], dtype=object)
    )
    beta = np.array([Fraction(0)] * X.shape[1], dtype=object)
    betas, chosen, steps = [beta], [], []
    for k in range(n_steps):
        corr = X.T @ (y - X @ beta)
        j = int(np.argmax(np.abs(corr)))
        step = eps * corr[j] if kind == "ls" else eps * sign(corr[j])
        beta = beta * (1 - eps / radii[k]) if radii is not None else beta.copy()
        beta[j] += step
        betas.append(beta)
        chosen.append(j)
        steps.append(step)
    beta = np.array(betas, dtype=object)
    resid = y - beta @ X.T
    return Exact(kind, eps, radii, beta, resid, resid @ X, np.array(chosen, dtype=int), np.array(steps, dtype=object), X, y)
