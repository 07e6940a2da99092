"""Objectives of linear models and their optimum by cvxpy, written without the package."""

import contextlib
import warnings
from dataclasses import dataclass

import numpy as np

LOSSES = {
    "Squared": lambda y, f: (y - f) ** 2 / 2,
    "Logistic": lambda y, f: np.logaddexp(0, -y * f),
    "Huber": lambda y, f: np.where(abs(y - f) <= 0.5, (y - f) ** 2 / 2, 0.5 * (abs(y - f) - 0.25)),
    "Poisson": lambda y, f: np.exp(f) - y * f,
    "Exponential": lambda y, f: np.exp(-y * f),
    "Gamma": lambda y, f: y * np.exp(-f) + f,
}
FOR_CVXPY = {
    "Squared": lambda cp, y, f: cp.square(y - f) / 2,
    "Logistic": lambda cp, y, f: cp.logistic(-cp.multiply(y, f)),
    "Huber": lambda cp, y, f: cp.huber(y - f, 0.5) / 2,
    "Poisson": lambda cp, y, f: cp.exp(f) - cp.multiply(y, f),
    "Exponential": lambda cp, y, f: cp.exp(-cp.multiply(y, f)),
    "Gamma": lambda cp, y, f: cp.multiply(y, cp.exp(-f)) + f,
}


@dataclass(frozen=True)
class Objective:
    """sum_i weight_i loss(y_i, base_i + X_i w + b) + l1 |w| + ridge w^2 / 2, lower <= w <= upper.

    X (n, p); y, weight, base (n,); l1, ridge, lower, upper (p,); the intercept b is 0 unless
    `intercept`; with a `radius` the l1 norm of w is at most that.
    """

    loss: str
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    base: np.ndarray
    l1: np.ndarray
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    intercept: bool
    radius: float = np.inf

    def value(self, coef, intercept=0.0):
        """The objective at a model, in sums over samples."""
        pred = self.base + self.X @ coef + intercept
        loss = self.weight @ LOSSES[self.loss](self.y, pred)
        return loss + self.l1 @ abs(coef) + self.ridge @ coef**2 / 2

    @property
    def scale(self):
        """The objective of the model 0, the unit of differences that are rounding."""
        return abs(self.value(np.zeros(self.X.shape[1])))

    def infeasible(self, coef):
        """How far a model is outside the limits, relative to its coefficients."""
        unit = 1e-12 * (1 + abs(coef))
        outside = np.maximum(self.lower - coef, coef - self.upper) > unit
        too_long = abs(coef).sum() > self.radius * (1 + 1e-9)
        return bool(outside.any() or too_long)

    def optimum(self):
        """The optimum found by cvxpy, or slightly more; inf where no solver ends."""
        import cvxpy as cp

        unit = float(self.weight.mean())
        spread = np.sqrt((self.X**2).mean(axis=0))
        scale = np.where(spread > 0, spread, 1.0)
        v = cp.Variable(self.X.shape[1])
        b = cp.Variable() if self.intercept else 0.0
        pred = self.base + (self.X / scale) @ v + b
        loss = (self.weight / unit) @ FOR_CVXPY[self.loss](cp, self.y, pred)
        l1 = self.l1 / scale / unit @ cp.abs(v)
        ridge = self.ridge / scale**2 / unit @ cp.square(v) / 2
        low = np.flatnonzero(np.isfinite(self.lower))
        high = np.flatnonzero(np.isfinite(self.upper))
        limits = []
        if len(low):
            limits.append(v[low] >= (self.lower * scale)[low])
        if len(high):
            limits.append(v[high] <= (self.upper * scale)[high])
        if np.isfinite(self.radius):
            limits.append(cp.norm1(cp.multiply(1 / scale, v)) <= self.radius)
        problem = cp.Problem(cp.Minimize(loss + l1 + ridge), limits)
        tight = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
        values = [np.inf]
        for options in (tight, {}):
            with warnings.catch_warnings(), contextlib.suppress(cp.error.SolverError):
                warnings.simplefilter("ignore")
                problem.solve(solver=cp.CLARABEL, **options)
                if v.value is None:
                    continue
                coef = np.clip(v.value / scale, self.lower, self.upper)
                coef *= min(1.0, self.radius / (abs(coef).sum() or 1.0))
                values.append(self.value(coef, float(b.value) if self.intercept else 0.0))
        return float(np.min(values))


def without_bound(loss, X, y, free):
    """Whether some direction of the columns `X` (and of constants, if `free`) never raises the
    loss and lowers it somewhere: then there is no best fit. By a linear program.
    """
    from scipy.optimize import linprog

    columns = np.column_stack([X, np.ones(len(y))]) if free else X
    if loss in ("Logistic", "Exponential"):
        falls = y[:, None] * columns
        stays = np.zeros((0, columns.shape[1]))
    elif loss == "Poisson":
        falls = -columns[y == 0]
        stays = columns[y > 0]
    else:
        return False
    found = linprog(
        -falls.sum(axis=0),
        A_ub=-falls,
        b_ub=np.zeros(len(falls)),
        A_eq=stays,
        b_eq=np.zeros(len(stays)),
        bounds=(-1, 1),
    )
    return bool(-found.fun > 1e-9 * np.abs(columns).max())


@dataclass(frozen=True)
class MultinomialObjective:
    """sum_i weight_i (log sum_k exp f_ik - f_{i, label_i}) + sum_kj l_j |w_kj| + q_j w_kj^2 / 2.

    Here f = base + X w' + b, lower_j <= w_kj <= upper_j, l is `l1` and q `ridge`.
    """

    X: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    l1: np.ndarray
    intercept: bool
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    base: np.ndarray

    @property
    def scale(self):
        """The objective of the model 0."""
        return float(self.weight.sum() * np.log(self.label.max() + 1))

    def infeasible(self, coef):
        """Whether a coefficient is outside its limits."""
        unit = 1e-12 * (1 + abs(coef))
        return bool((np.maximum(self.lower - coef, coef - self.upper) > unit).any())

    def value(self, coef, intercept):
        """The objective at coefficients (n_classes, p) and intercepts (n_classes,)."""
        f = self.base + self.X @ coef.T + intercept
        losses = np.logaddexp.reduce(f, axis=1) - f[np.arange(len(f)), self.label]
        penalty = (abs(coef) @ self.l1 + coef**2 @ self.ridge / 2).sum()
        return self.weight @ losses + penalty

    def optimum(self):
        """The optimum found by cvxpy, or slightly more."""
        import cvxpy as cp

        unit = float(self.weight.mean())
        n_classes = self.label.max() + 1
        w = cp.Variable((n_classes, self.X.shape[1]))
        b = cp.Variable(n_classes) if self.intercept else np.zeros(n_classes)
        shifts = np.ones((len(self.X), 1)) @ cp.reshape(b, (1, n_classes), order="C")
        f = self.base + self.X @ w.T + shifts
        own = cp.sum(cp.multiply(np.eye(n_classes)[self.label], f), axis=1)
        loss = (self.weight / unit) @ (cp.log_sum_exp(f, axis=1) - own)
        penalty = cp.sum(cp.abs(w) @ (self.l1 / unit) + cp.square(w) @ (self.ridge / unit) / 2)
        low, high = (np.flatnonzero(np.isfinite(end)) for end in (self.lower, self.upper))
        limits = [w[:, j] >= self.lower[j] for j in low] + [w[:, j] <= self.upper[j] for j in high]
        problem = cp.Problem(cp.Minimize(loss + penalty), limits)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem.solve(solver=cp.CLARABEL)
        coef = np.clip(w.value, self.lower, self.upper)
        return self.value(coef, b.value if self.intercept else b)
