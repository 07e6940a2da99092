"""Intervals of Lasso models under every option that changes the feasible set or the objective,
compared with cvxpy.
"""

import cvxpy as cp
import numpy as np
import pytest

import coordboost as cb
from coordboost import losses

LOSSES = {
    "squared": losses.Squared(),
    "logistic": losses.Logistic(),
    "huber": losses.Huber(0.5),
    "poisson": losses.Poisson(),
    "gamma": losses.Gamma(),
}
TERMS = {
    "squared": lambda y, f: cp.square(y - f) / 2,
    "logistic": lambda y, f: cp.logistic(-cp.multiply(y, f)),
    "huber": lambda y, f: cp.huber(y - f, 0.5) / 2,
    "poisson": lambda y, f: cp.exp(f) - cp.multiply(y, f),
    "gamma": lambda y, f: cp.multiply(y, cp.exp(-f)) + f,
}


class Drawn:
    """A small problem and its options, drawn by seed; columns are centred, and there is an
    intercept, unless `centre` is False.
    """

    def __init__(self, name, seed):
        rng = np.random.default_rng(seed)
        self.name = name
        self.loss = LOSSES[name]
        n = int(rng.integers(7, 14))
        p = int(rng.integers(1, 6))
        self.X = rng.normal(size=(n, p)) * 10 ** rng.uniform(-1, 1, p) + rng.normal(size=p)
        if p > 2 and rng.random() < 0.3:
            self.X[:, 1] = self.X[:, 0]
        f = self.X @ rng.normal(size=p) / (1 + self.X.std(axis=0).sum()) + 0.3 * rng.normal(size=n)
        targets = {"logistic": np.where(f > np.median(f), 1.0, -1.0), "gamma": np.exp(f)}
        self.y = targets.get(
            name, rng.poisson(np.exp(f)) + 1.0 * (np.arange(n) < 2) if name == "poisson" else f
        )
        self.weight = rng.integers(1, 4, n) + 0.0 if rng.random() < 0.4 else np.ones(n)
        self.offset = 0.5 * rng.normal(size=n) if rng.random() < 0.4 else np.zeros(n)
        self.centre = bool(rng.random() < 0.8)
        self.free = self.centre and (name == "squared" or bool(rng.random() < 0.7))
        options = {
            "upper_limits": (0.4, rng.choice([0.0, 0.05, 0.3, np.inf], p)),
            "lower_limits": (0.3, -rng.choice([0.0, 0.05, 0.3, np.inf], p)),
            "positive": (0.3, True),
            "penalty_factor": (0.4, rng.choice([0.1, 1.0, 3.0], p)),
            "l1_ratio": (0.3, float(rng.choice([0.0, 0.3, 0.8]))),
            "unit_columns": (0.4, False),
        }
        self.options = {
            key: value for key, (share, value) in options.items() if rng.random() < share
        }
        if (
            name == "squared"
            and not {"upper_limits", "lower_limits", "positive", "l1_ratio"} & set(self.options)
            and p > 1
        ):
            self.options["penalty_factor"] = np.arange(p) + 0.0
        known = self.offset if self.offset.any() else None
        self.problem = cb.Problem(
            self.X, self.y, self.loss, sample_weight=self.weight, offset=known, center=self.centre
        )
        free = self.free and name != "squared"
        self.path = cb.lasso_path(
            self.problem, n_alphas=3, eps=0.03, tol=1e-8, refit_intercept=free, **self.options
        )

    def loss_at(self, coef, intercept):
        """The loss of a model, from the definition of the loss alone."""
        pred = self.X @ coef + intercept + self.offset
        terms = [self.loss.value(y, f) for y, f in zip(self.y.tolist(), pred.tolist(), strict=True)]
        return float(self.weight @ terms)

    def penalty_at(self, coef, k):
        """The penalty of the k-th alpha, in sums over samples."""
        path = self.path
        l1 = path.factors[0] @ np.abs(coef)
        squares = path.factors[1] @ coef**2 / 2
        return (
            self.weight.sum()
            * path.alphas[k]
            * (path.l1_ratio * l1 + (1 - path.l1_ratio) * squares)
        )

    def optimum(self, k, penalised=True, columns=None):
        """The optimum within the limits by cvxpy, of the objective or of the loss alone over the
        coefficients of some columns.
        """
        path = self.path
        p = self.X.shape[1]
        coef = cp.Variable(p)
        shift = cp.Variable()
        f = self.X @ coef + shift + self.offset
        objective = self.weight @ TERMS[self.name](self.y, f)
        if penalised:
            l1 = path.factors[0] @ cp.abs(coef)
            squares = path.factors[1] @ cp.square(coef) / 2
            scale = self.weight.sum() * path.alphas[k]
            objective += scale * (path.l1_ratio * l1 + (1 - path.l1_ratio) * squares)
        within = [coef[j] >= path.limits[0, j] for j in range(p) if np.isfinite(path.limits[0, j])]
        within += [coef[j] <= path.limits[1, j] for j in range(p) if np.isfinite(path.limits[1, j])]
        within += [] if columns is None else [coef[j] == 0 for j in range(p) if j not in columns]
        if not self.centre:
            within.append(shift == 0)
        elif not self.free:
            within.append(
                shift + np.average(self.X, axis=0, weights=self.weight) @ coef
                == self.problem.constant
            )
        found = cp.Problem(cp.Minimize(objective), within)
        found.solve(solver=cp.CLARABEL)
        return float(found.value)


def in_limits(path):
    """Whether all coefficients of a path are within its limits, without any slack."""
    lower, upper = path.limits
    return np.array_equal(path.coefs.T, np.clip(path.coefs.T, lower, upper))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", LOSSES)
def test_models_are_feasible_and_intervals_hold_the_optimum(name, seed):
    drawn = Drawn(name, 100 + seed)
    path = drawn.path
    k = 2
    best = drawn.optimum(k)
    slack = 1e-6 * drawn.problem.start_excess
    for found in (path, path.relaxed(), path.relaxed(0.4)):
        assert in_limits(found)
        coef = found.coefs[:, k]
        certificate = found.certificate(k)
        own = drawn.loss_at(coef, found.intercepts[k]) + drawn.penalty_at(coef, k)
        assert certificate.upper == pytest.approx(own, rel=1e-9, abs=1e-9)
        assert certificate.lower <= certificate.upper
        assert certificate.lower - slack <= best <= certificate.upper + slack
        assert found.gaps[k] * drawn.problem.start_excess >= own - best - slack
        fixed = cb.certify(drawn.problem, drawn.problem.unit(coef), found.target(k))
        assert fixed.lower <= fixed.upper and best - slack <= fixed.upper
        if not drawn.free or name == "squared":
            assert fixed.lower <= best + slack


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", LOSSES)
def test_fits_without_a_penalty_are_the_best_within_the_limits(name, seed):
    drawn = Drawn(name, 200 + seed)
    plain = drawn.path.relaxed()
    k = 2
    columns = np.flatnonzero(drawn.path.coefs[:, k])
    best = drawn.optimum(k, False, columns)
    assert plain.message == "complete" and in_limits(plain)
    assert plain.losses[k] == pytest.approx(best, abs=1e-5 * drawn.problem.start_excess)


@pytest.mark.parametrize("gamma", [0.0, 0.5, [0.0, 0.5, 1.0]])
@pytest.mark.parametrize(
    "limits", [{"upper_limits": 0.1}, {"positive": True}, {"lower_limits": [0.0, -0.02]}]
)
@pytest.mark.parametrize("kind", [cb.CertifiedLassoCV, cb.CertifiedElasticNetCV])
def test_relaxed_estimators_keep_the_limits(kind, limits, gamma):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y = 3 * X[:, 0] - 0.3 * X[:, 1] + 0.5 * rng.normal(size=20)
    model = kind(gamma=gamma, alphas=[0.05], cv=2, **limits).fit(X, y)
    lasso = kind(alphas=[0.05], cv=2, **limits).fit(X, y)
    assert in_limits(model.path_)
    assert all(in_limits(path) for path in model.cross_validation_.paths)
    certificate = model.certificate_
    beneath = lasso.certificate_
    assert certificate.lower <= beneath.upper and beneath.lower <= certificate.upper
    assert certificate.lower <= certificate.upper
    said = "the Lasso beneath the relaxed model" in str(certificate)
    assert said == (model.path_.gamma < 1)


def test_a_model_outside_the_limits_is_moved_to_them():
    """As a model outside an l1 ball is scaled back into it: the upper end is the objective of a
    feasible model.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y = 3 * X[:, 0] + 0.5 * rng.normal(size=20)
    path = cb.lasso_path(X, y, [0.05], upper_limits=0.1, unit_columns=False)
    problem = path.problem
    best = path.certificate()
    outside = cb.certify(problem, problem.unit([2.94, -0.07]), path.target())
    assert outside.lower <= best.upper <= best.lower + 1e-6 and best.lower <= outside.upper
    inside = cb.certify(problem, problem.unit([0.1, -0.07]), path.target())
    assert outside.upper == pytest.approx(inside.upper)
