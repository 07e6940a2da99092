"""An independent judge of Lasso paths of other losses, in NumPy: objectives and dual values with
exact conjugates, and random fits to judge.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, xlogy

import coordboost as cb

LOSSES = {
    "logistic": cb.losses.Logistic(),
    "poisson": cb.losses.Poisson(),
    "exponential": cb.losses.Exponential(),
    "gamma": cb.losses.Gamma(),
}


def value(kind, y, f):
    if kind == "logistic":
        return np.logaddexp(0, -y * f)
    if kind == "poisson":
        return np.exp(f) - y * f
    return np.exp(-y * f) if kind == "exponential" else y * np.exp(-f) + f


def residual(kind, y, f):
    if kind == "logistic":
        return y * expit(-y * f)
    if kind == "poisson":
        return y - np.exp(f)
    return y * np.exp(-y * f) if kind == "exponential" else y * np.exp(-f) - 1


def dual_value(kind, y, theta):
    """The smallest ``value(y, f) + theta f`` over all f; -inf where there is none."""
    if kind == "logistic":
        share = np.clip(theta * y, 0, 1)
        entropy = -xlogy(share, share) - xlogy(1 - share, 1 - share)
        return np.where(abs(share - theta * y) <= 1e-14, entropy, -np.inf)
    mean = {"poisson": y - theta, "exponential": theta * y, "gamma": 1 + theta}[kind]
    inside = mean >= -1e-14 * (1 + abs(y))
    mean = np.maximum(mean, 0)
    log_y = np.log(y) if kind == "gamma" else 0.0
    return np.where(inside, mean - xlogy(mean, mean) + mean * log_y, -np.inf)


class Fit(NamedTuple):
    """A table, targets and the penalty of a fit; its columns are used as they are."""

    kind: str
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    base: np.ndarray
    price: np.ndarray
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    free: bool

    def objective(self, coef, intercept):
        losses = value(self.kind, self.y, self.base + intercept + self.X @ coef)
        return self.weight @ losses + self.price @ abs(coef) + self.ridge @ coef**2 / 2

    def lower_bound(self, coef, intercept):
        """The dual value at the best multiple of the residual, at the best intercept."""
        pred = self.base + intercept + self.X @ coef
        if self.free:

            def total(shift):
                return self.weight @ residual(self.kind, self.y, pred + shift)

            pred = pred + brentq(total, -60, 60, xtol=1e-15)
        theta = self.weight * residual(self.kind, self.y, pred)
        if self.free:
            theta -= theta.sum() * abs(theta) / abs(theta).sum()
        corr = self.X.T @ theta
        limit = np.where(corr > 0, self.upper, -self.lower)
        bound = np.isinf(limit) & (self.ridge == 0) & (corr != 0)
        most = min(1.0, np.min(self.price[bound] / abs(corr[bound]), initial=1.0))

        def dual(scale):
            excess = np.maximum(scale * abs(corr) - self.price * (1 + 1e-14), 0)
            on_ridge = np.divide(
                excess, self.ridge, out=np.full_like(excess, np.inf), where=self.ridge > 0
            )
            best = np.where(excess > 0, np.minimum(on_ridge, limit), 0.0)
            conjugate = excess * best - self.ridge * best**2 / 2
            rows = self.weight > 0
            of_rows = self.weight[rows] * dual_value(
                self.kind, self.y[rows], scale * theta[rows] / self.weight[rows]
            )
            return of_rows.sum() - scale * theta @ self.base - conjugate.sum()

        inner = minimize_scalar(
            lambda s: -dual(s), bounds=(0, most), method="bounded", options={"xatol": 1e-12}
        )
        return max(dual(most), dual(inner.x))


def drawn(seed):
    """A random problem, and options of ``lasso_path``."""
    rng = np.random.default_rng(seed)
    kind = list(LOSSES)[rng.integers(4)]
    n = int(rng.choice([12, 30, 60, 150]))
    p = int(rng.choice([1, 3, 8, 25, 80]))
    X = rng.normal(size=(n, p))
    if rng.random() < 0.3:
        X = X @ (np.eye(p) + rng.normal(size=(p, p))) / np.sqrt(p)
    if rng.random() < 0.3:
        X = X + rng.normal(size=p) * rng.choice([1, 10])
    if rng.random() < 0.2:
        X = X * 10.0 ** rng.uniform(-2, 2, p)
    if rng.random() < 0.15:
        X[:, -1] = X[:, 0]
    sparse = rng.random() < 0.4
    if sparse:
        X = X * (rng.random((n, p)) < rng.choice([0.05, 0.3, 0.8]))
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    unit = (X - X.mean(axis=0)) / spread
    f = unit[:, :3].sum(axis=1) * rng.choice([0.15, 0.5, 1.5]) + rng.normal()
    weight = np.ones(n)
    if rng.random() < 0.4:
        weight = rng.integers(0, 4, n) * 1.0 if rng.random() < 0.5 else rng.uniform(0.1, 5, n)
    weight[:2] = 1.0
    if kind in ("logistic", "exponential"):
        separable = rng.random() < 0.2
        y = np.where(unit[:, 0] > 0 if separable else rng.random(n) < expit(f), 1.0, -1.0)
        y[:2] = [-1.0, 1.0]
    elif kind == "poisson":
        y = rng.poisson(np.exp(np.clip(f, -5, 4))) * 1.0
        y[0] += 1
    else:
        y = np.exp(np.clip(f, -5, 5)) * rng.gamma(2, 0.5, n) + 1e-8
    options = {
        "unit_columns": bool(rng.random() < 0.5),
        "refit_intercept": bool(rng.random() < 0.6),
        "tol": float(10.0 ** -rng.integers(2, 10)),
        "eps": float(rng.choice([0.5, 0.1, 0.01, 1e-3])),
        "n_alphas": int(rng.choice([1, 2, 5, 10])),
        "l1_ratio": float(rng.choice([1, 1, 1, 0.9, 0.5, 0.1])),
        "penalty_factor": rng.uniform(0.2, 4, p) if rng.random() < 0.3 else np.ones(p),
        "lower_limits": -np.inf * np.ones(p),
        "upper_limits": np.inf * np.ones(p),
    }
    limits = rng.random()
    if limits < 0.15:
        options["lower_limits"] = np.zeros(p)
    elif limits < 0.3:
        options["lower_limits"] = np.full(p, -rng.choice([0.01, 0.3, 2]))
        options["upper_limits"] = np.full(p, rng.choice([0.01, 0.3, 5]))
    elif limits < 0.4:
        options["lower_limits"] = -rng.choice([0, 0.1, np.inf], p)
        options["upper_limits"] = rng.choice([0, 0.1, np.inf], p)
    offset = rng.normal(size=n) * 0.5 if rng.random() < 0.25 else None
    problem = cb.Problem(
        scipy.sparse.csc_array(X) if sparse else X,
        y,
        LOSSES[kind],
        sample_weight=weight,
        offset=offset,
        center=bool(rng.random() < 0.85),
    )
    return kind, X, y, problem, options


def judged(seed):
    """Yield the gap that a random path reports at each alpha, and that of the judge; both over the
    loss at 0.

    Where the dual value at the model gives a larger gap than the path, the judge takes that at a
    much closer model.
    """
    kind, X, y, problem, options = drawn(seed)
    path = cb.lasso_path(problem, **options)
    for k, own in enumerate(path.gaps):
        fit = fit_at(kind, X, y, problem, options, path.alphas[k])
        coef = path.coefs[:, k]
        intercept = path.intercepts[k] if fit.free else 0.0
        value = fit.objective(coef, intercept)
        gap = (value - fit.lower_bound(coef, intercept)) / problem.start_excess
        if not gap <= own * (1 + 1e-6) + 1e-11:
            closer = options | {"tol": 1e-4 * options["tol"], "alphas": path.alphas[: k + 1]}
            near = cb.lasso_path(problem, **closer)
            lower = fit.lower_bound(near.coefs[:, -1], near.intercepts[-1] if fit.free else 0.0)
            gap = min(gap, (value - lower) / problem.start_excess)
        within = (coef >= fit.lower).all() and (coef <= fit.upper).all()
        yield own, gap if within else np.inf, path


def fit_at(kind, X, y, problem, options, alpha):
    """The ``Fit`` of a problem and options of ``lasso_path`` at one alpha."""
    standardization = problem.standardization
    live = np.zeros(X.shape[1], dtype=bool)
    live[standardization.kept] = True
    means = np.zeros(X.shape[1])
    norm = np.ones(X.shape[1])
    means[standardization.kept] = standardization.mean
    norm[standardization.kept] = standardization.norm
    unit = norm if options["unit_columns"] else np.ones(X.shape[1])
    free = options["refit_intercept"]
    base = np.zeros(len(y)) if problem.offset is None else problem.offset
    price = alpha * problem.weight.sum() * options["penalty_factor"]
    return Fit(
        kind,
        X * live if free else (X - means) * live,
        y,
        problem.weight,
        base if free else base + problem.constant,
        price * options["l1_ratio"] * unit,
        price * (1 - options["l1_ratio"]) * unit**2,
        options["lower_limits"],
        options["upper_limits"],
        free,
    )
