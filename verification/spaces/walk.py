r"""Boosting of the squared loss over a few unit columns, in floats or in Fractions: instances for
Freund, Grigas and Mazumder.

Implemented independently of the package. The columns span all coordinates but the last one,
where y has a part that no model explains.
"""

import functools
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coordboost.theory.bounds.formula import root
from verification.spaces.linear import least_eigenvalue, solutions, solved


@dataclass(frozen=True, eq=False)
class Walk:
    """Models 0, 1, ..., N of one method, and the quantities in the theorems; one entry per model.

    X : (m, p)
    y : (m,), the part that the columns explain
    outside : the rest of y, one number
    eps : a number, or the steps of FS
    delta : (N + 1,) radii, or None
    beta : (N + 1, p)
    chosen, theta, shrink : (N + 1,), learner, signed length and shrinkage of the step from each
        model, also the last
    """

    kind: str
    X: np.ndarray
    y: np.ndarray
    outside: Any
    eps: Any
    delta: Any
    beta: np.ndarray
    chosen: np.ndarray
    theta: np.ndarray
    shrink: np.ndarray
    moves: tuple = field(default=("theta", "taken"), repr=False)

    def in_units(self, unit):
        """Return the same run with the target multiplied by `unit`."""
        of_y = {name: getattr(self, name) * unit for name in ("y", "outside", "beta", "theta")}
        lengths = {} if self.kind == "ls" else {"eps": self.eps * unit}
        return replace(
            self, **of_y, **lengths, delta=None if self.delta is None else self.delta * unit
        )

    @functools.cached_property
    def k(self):
        """0, 1, ..., N."""
        return (
            np.array([k + 0 * self.y[0] for k in range(len(self.beta))])
            if self.y.dtype != object
            else np.arange(len(self.beta)).astype(object)
        )

    @property
    def end(self):
        """N."""
        return len(self.beta) - 1

    @property
    def horizon(self):
        """The number of models, which all have a radius."""
        return len(self.beta)

    @property
    def p(self):
        """Number of columns."""
        return self.X.shape[1]

    @property
    def n(self):
        """Number of samples."""
        return len(self.y) + 1

    @property
    def A2(self):
        """A^2 = ||X beta_LS||^2."""
        return self.y @ self.y

    @property
    def A(self):
        """A."""
        return root(self.A2)

    @functools.cached_property
    def lambda_pmin(self):
        """The smallest non-zero eigenvalue of X'X, rounded up in Fractions."""
        return least_eigenvalue(self.X @ self.X.T)

    @functools.cached_property
    def resid(self):
        """Residuals without the part outside, (N + 1, m)."""
        return self.y - self.beta @ self.X.T

    @functools.cached_property
    def correlations(self):
        """Correlations of the columns with the residuals, (N + 1, p)."""
        return self.resid @ self.X

    @functools.cached_property
    def corr(self):
        """C_k, the largest abs correlation."""
        return np.abs(self.correlations).max(axis=1)

    @functools.cached_property
    def fit2(self):
        """||X (beta_LS - beta_k)||^2."""
        return (self.resid**2).sum(axis=1)

    @property
    def fit(self):
        """||X (beta_LS - beta_k)||."""
        return root(self.fit2)

    @property
    def excess(self):
        """L(beta_k) - L*, a sum over samples."""
        return self.fit2 / 2

    @property
    def loss(self):
        """L(beta_k)."""
        return self.excess + self.outside**2 / 2

    @property
    def distance2(self):
        """The square of the distance to the least-squares solutions, r'(XX')^{-1} r."""
        return (self.resid * solved(self.X @ self.X.T, self.resid.T).T).sum(axis=1)

    @property
    def distance(self):
        """The distance to the least-squares solutions."""
        return root(self.distance2)

    @property
    def l1(self):
        """||beta_k||_1."""
        return np.abs(self.beta).sum(axis=1)

    @property
    def l2(self):
        """||beta_k||_2."""
        return root((self.beta**2).sum(axis=1))

    @property
    def l0(self):
        """Number of non-zeros."""
        return (self.beta != 0).sum(axis=1)

    @property
    def l1_of_least_squares(self):
        """||beta_LS||_1, if the solution is unique."""
        return np.abs(solved(self.X, self.y)).sum()

    @property
    def length(self):
        """||r_{k+1} - r_k||, lengths of the moves of the residual."""
        return root((np.diff(self.resid, axis=0, append=self.resid[-1:]) ** 2).sum(axis=1))

    @property
    def to_end(self):
        """||beta_k - beta_N||_1."""
        return np.abs(self.beta - self.beta[-1]).sum(axis=1)

    @property
    def to_least(self):
        """||beta_k - b||_1, b the least-squares solution of smallest norm."""
        return np.abs(self.beta - self.X.T @ solved(self.X @ self.X.T, self.y)).sum(axis=1)

    @property
    def repeats(self):
        """Largest number of steps along one column before step k."""
        taken = list(self.chosen)
        return 0 * self.y[0] + np.array(
            [
                max((taken[:k].count(j) for j in set(taken[:k])), default=0)
                for k in range(len(taken))
            ]
        )

    @property
    def steps(self):
        """eps_k, one for each model."""
        return self.eps + 0 * self.corr if np.ndim(self.eps) == 0 else self.eps

    @property
    def inner(self):
        """<r_k, X beta_k>."""
        return (self.correlations * self.beta).sum(axis=1)

    @property
    def omega(self):
        """omega_delta(beta_k) at the radius of step k."""
        return self.corr - self.inner / self.delta

    @property
    def length_of_subgradient(self):
        """||s_k X_j + (r_k - y) / delta_k||, of the step that was taken."""
        step = np.sign(self.theta.astype(float)).astype(int)[:, None] * self.X.T[self.chosen]
        return root(((step - (self.beta @ self.X.T) / self.delta[:, None]) ** 2).sum(axis=1))

    @property
    def taken(self):
        """<g_k, r_k - r_LS> for the step that was taken."""
        step = (
            np.sign(self.theta.astype(float)).astype(int)
            * self.correlations[np.arange(len(self.chosen)), self.chosen]
        )
        return step - self.inner / self.delta

    @functools.cached_property
    def lasso(self):
        """L*_delta at the radius of each step."""
        return solutions(self.X, self.y, self.delta)[0] + self.outside**2 / 2

    @property
    def fit_to_lasso(self):
        """||X (beta_k - beta*)|| for the Lasso solution of each radius."""
        best = solutions(self.X, self.y, self.delta)[1]
        return root((((self.beta - best) @ self.X.T) ** 2).sum(axis=1))

    @property
    def vertex(self):
        """The vertex of the ball with the smallest <grad L, v>, (N + 1, p)."""
        rows = np.arange(len(self.beta))
        out = 0 * self.beta
        j = np.argmax(np.abs(self.correlations), axis=1)
        out[rows, j] = self.delta * np.array([sign(c) for c in self.correlations[rows, j]])
        return out

    @property
    def frank_wolfe_gap(self):
        """<grad L, beta_k - v>, largest over the vertices v of the ball."""
        ends = np.concatenate([self.correlations, -self.correlations], axis=1).max(axis=1)
        return self.delta * ends - (self.correlations * self.beta).sum(axis=1)

    @property
    def off_frank_wolfe(self):
        """l1 distance of each model from a Frank-Wolfe step of eps / delta from the model before
        it.
        """
        share = (self.eps / self.delta)[:, None]
        made = (1 - share) * self.beta + share * self.vertex
        return np.concatenate([[0 * self.eps], np.abs(made[:-1] - self.beta[1:]).sum(axis=1)])

    @property
    def lasso_of_l1(self):
        """L* over the ball of radius ||beta_k||_1."""
        return solutions(self.X, self.y, self.l1)[0] + self.outside**2 / 2

    def lasso_at(self, radii):
        """Return L* over balls of other radii."""
        return solutions(self.X, self.y, radii)[0] + self.outside**2 / 2

    @property
    def method(self):
        """Name, parameters and number of steps for the package."""
        return self.kind, self.eps, self.delta, len(self.beta) - 1


def sign(x):
    """-1, 0 or 1."""
    return int(x > 0) - int(x < 0)
