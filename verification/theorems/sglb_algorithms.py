r"""The steps of Langevin boosting in the package: noise, selection and fit.

Problem: the squared loss over blocks of columns, or one column.

Method: SGB and SGLB (Algorithms 1 and 2).

Assumptions: none.

Claim: tight: the noise has the standard deviation sqrt(2 N / (eps beta)), in the rule and in the
steps of a run; a step is F <- (1 - gamma eps) F + eps P_s (y - F + noise), P_s the projector on the
columns of the block; without noise the block with the longest projection is chosen.

Constants: none.

Measured: the noise of 4,000 steps on one column, where it is all that moves the model; fits of
blocks by least squares, step by step.

Reference: Ustimenko, Prokhorenkova, SGLB, Algorithms 1 and 2, (3), (7).
"""

import math
from dataclasses import dataclass

import numpy as np

import coordboost as cb
from verification.algorithms import Algorithm, Feature, feature, unscaled
from verification.spaces.blocks import projector


@dataclass(frozen=True, eq=False)
class Column:
    """One column of four samples, y = 0: theta / eps + beta is the noise along the column."""

    eps: float
    beta: float
    gamma: float
    n_steps: int

    @property
    def problem(self):
        return unscaled(np.eye(4)[:, :1], np.zeros(4))

    @property
    def method(self):
        return cb.sglb(self.eps, self.beta, self.gamma)


def _package_deviations(case):
    """The deviation of the rule, and that of the steps of a run."""
    run = cb.solve(case.problem, case.method, case.n_steps, rng=1, compile=False)
    model = 0.0
    noise = []
    for shrink, theta in zip(run.path.shrink, run.path.theta * run.method.unit, strict=True):
        noise.append(theta / case.eps + model)
        model = (1 - shrink) * model + theta
    return [case.method.bind(case.problem).noise.sigma, np.std(noise)]


def deviations(case, samples=8):
    """sqrt(2 N / (eps beta)), N = 4."""
    deviation = math.sqrt(samples / (case.eps * case.beta))
    return [deviation, deviation]


check_noise = Algorithm(
    "SGLB, deviation of the noise",
    Column,
    "The noise of a step has the standard deviation sqrt(2 N / (eps beta)): in a run within six "
    "standard errors.",
    _package_deviations,
    deviations,
    slack=6 / math.sqrt(2 * 2000),
    level="sampled",
)


@dataclass(frozen=True, eq=False)
class Fits:
    """Columns (n, p) in blocks, y, eps and gamma."""

    X: np.ndarray
    blocks: tuple
    y: np.ndarray
    eps: float
    gamma: float
    n_steps: int = 12

    @property
    def problem(self):
        return cb.Problem(cb.data.blocks(self.X, self.blocks), self.y, center=False)


def _package_fits(case):
    method = cb.sgb(case.eps, case.gamma)
    run = cb.solve(case.problem, method, case.n_steps, compile=False)
    return [state.pred for state in run.replay(range(case.n_steps + 1))]


def fits(case, shrink=1.0, length=1.0):
    """F <- (1 - gamma eps) F + eps P_s (y - F), with the longest P_s (y - F)."""
    projectors = [projector(case.X[:, list(block)]) for block in case.blocks]
    pred = 0 * case.y
    models = [pred]
    for _ in range(case.n_steps):
        resid = case.y - pred
        step = max((P @ resid for P in projectors), key=np.linalg.norm)
        pred = (1 - shrink * case.gamma * case.eps) * pred + length * case.eps * step
        models.append(pred)
    return models


check_fits = Algorithm(
    "SGLB, steps without noise",
    Fits,
    "A step is eps times the least squares fit of a block to the residual, after a decay.",
    _package_fits,
    fits,
)


def _package_boosting(case):
    run = cb.solve(case.problem, cb.gbm(case.eps), case.n_steps, compile=False)
    return [state.pred for state in run.replay(range(case.n_steps + 1))]


check_boosting = Algorithm(
    "SGLB, steps of gradient boosting",
    Fits,
    "A step of gradient boosting is eps times the least squares fit of a block to the residual.",
    _package_boosting,
    lambda case: fits(case, shrink=0),
)


@dataclass(frozen=True, eq=False)
class Orthogonal:
    """The unit vectors, each its own block that is drawn with its chance, and y."""

    y: np.ndarray
    chance: np.ndarray
    eps: float = 0.1
    beta: float = 5.0
    gamma: float = 0.5
    n_steps: int = 10

    @property
    def problem(self):
        n = len(self.y)
        return cb.Problem(cb.data.blocks(np.eye(n), [[j] for j in range(n)]), self.y, center=False)

    @property
    def method(self):
        return cb.sglb(self.eps, self.beta, self.gamma, select=cb.rules.Weighted(self.chance))


def _package_laws(case):
    langevin = cb.theory.langevin
    problem = case.problem
    limit = langevin.limit_of(problem, case.method.select)
    laws = [
        langevin.gibbs(problem, case.method),
        langevin.transient(problem, case.method, case.n_steps),
        langevin.stationary(problem, case.method),
        langevin.after_steps(problem, case.method, [case.n_steps])[0],
    ]
    moments = [[law.mean, np.diag(law.cov)] for law in laws]
    return [limit.p, limit.mean_projector, moments]


def laws(case, temperature=1.0):
    """Each coordinate is a chain of its own: x <- b x, and with its chance p also x <- a x + eps y
    + noise. The law of the limit, of the limit process at t = eps k, of the chain after many and
    after k steps.
    """
    n = len(case.y)
    p = case.chance
    rate = p + case.gamma
    mean = p / rate * case.y
    variance = temperature * n / case.beta * p / rate
    decay = np.exp(-rate * case.eps * case.n_steps)
    b = 1 - case.gamma * case.eps
    a = b - case.eps
    noise = 2 * temperature * n * case.eps / case.beta
    moments = []
    for steps in (5000, case.n_steps):
        first = np.zeros(n)
        second = np.zeros(n)
        for _ in range(steps):
            moved = a**2 * second + 2 * a * case.eps * case.y * first + (case.eps * case.y) ** 2
            second = p * (moved + noise) + (1 - p) * b**2 * second
            first = b * first + p * case.eps * (case.y - first)
        moments.append([first, second - first**2])
    gibbs = [mean, variance]
    transient = [mean * (1 - decay), variance * (1 - decay**2)]
    return [p, np.diag(p), [gibbs, transient, *moments]]


check_laws = Algorithm(
    "SGLB, laws of the coefficients",
    Orthogonal,
    "Means and variances on orthogonal columns: of the limit, before it, and of the chain.",
    _package_laws,
    laws,
)


def _package_grid(case):
    problem = unscaled(np.eye(len(case.y))[:, :1], case.y)
    law = cb.theory.langevin.quadrature(
        problem, cb.sglb(case.eps, case.beta, case.gamma), width=12.0, n_points=2001
    )
    return [law.mean, law.cov, law.mean_loss]


def grid(case, temperature=1.0):
    """The normal law of one coordinate, chance 1, and the mean loss of both coordinates."""
    n = len(case.y)
    mean = case.y[0] / (1 + case.gamma)
    variance = temperature * n / case.beta / (1 + case.gamma)
    loss = ((case.y[0] - mean) ** 2 + variance + case.y[1:] @ case.y[1:]) / (2 * n)
    return [mean, variance, loss]


check_grid = Algorithm(
    "SGLB, the law on a grid",
    Orthogonal,
    "Mean, variance and mean loss of the Gibbs law of one coordinate by quadrature.",
    _package_grid,
    grid,
    slack=1e-6,
)


@dataclass(frozen=True, eq=False)
class Margins:
    """Margins y f, and the width of the smoothed loss."""

    margin: np.ndarray
    scale: float


def _package_zero_one(case):
    loss = cb.losses.SmoothZeroOne(case.scale)
    values = [loss.value(1.0, f) for f in case.margin]
    residuals = [loss.residual(-1.0, f) for f in case.margin]
    return [values, residuals, loss.sigma]


def zero_one(case, sign=1):
    """1 - 1 / (1 + exp(-m / s)), its slope by differences, and the largest curvature, 1 / (6 sqrt 3
    s^2).
    """
    tail = np.exp(-sign * case.margin / case.scale)
    values = tail / (1 + tail)
    slopes = -values * (1 - values) / case.scale
    return [values, slopes, 1 / (6 * math.sqrt(3) * case.scale**2)]


check_zero_one = Algorithm(
    "SGLB, (12) in the package",
    Margins,
    "The smoothed 0-1 loss, its derivative, and its constant of smoothness.",
    _package_zero_one,
    zero_one,
)


def _package_estimators(case):
    options = {**case.options(), "max_depth": 1, "beta": 1e40, "gamma": 0.2, "n_members": 2}
    regressor = cb.LangevinGBMRegressor(**options).fit(case.X, case.y)
    classifier = cb.LangevinGBMClassifier(**options).fit(case.X, case.label)
    return [regressor.predict(case.X), classifier.predict_proba(case.X)[:, 1]]


def estimates(case, ridge=0.2):
    """The mean of the last two of four models of boosting with decay, without noise; of their
    probabilities for a classification.
    """
    models, margins = case.boosted(ridge=ridge)
    chances = 1 / (1 + np.exp(-margins))
    return [models[-2:].mean(axis=0), chances[-2:].mean(axis=0)]


check_estimators = Algorithm(
    "SGLB, estimators",
    Feature,
    "Langevin boosting on one feature, one split a tree, at a temperature of nearly 0: the mean of "
    "the members, the models of the second half.",
    _package_estimators,
    estimates,
)


def _package_split(case):
    trees = cb.data.trees(case.X, max_depth=1)
    run = cb.solve(cb.Problem(trees, case.y), cb.sglb(1.0, np.inf, 0.0), 1, compile=False)
    return run.predict(case.X)


check_split = Algorithm(
    "SGLB, a split in the package",
    Feature,
    "A tree with one split of the package has the least squared error.",
    _package_split,
    lambda case: case.y.mean() + case.stump(case.y - case.y.mean()),
)


def blocks(seed):
    """Return three blocks of two columns, the last of which overlaps the others."""
    rng = np.random.default_rng(seed)
    return Fits(rng.normal(size=(6, 4)), ((0, 1), (2, 3), (1, 2)), rng.normal(size=6), 0.3, 0.2)


CASES = {
    "one column": lambda: Column(0.1, 5.0, 0.5, 2000),
    "three blocks": lambda: blocks(0),
    "three other blocks": lambda: blocks(1),
    "three coordinates": lambda: Orthogonal(np.array([1.0, 2, -3]), np.array([0.2, 0.3, 0.5])),
    "margins": lambda: Margins(np.linspace(-0.5, 0.5, 11), 0.1),
    "a feature": feature,
}

SABOTAGE = {
    check_noise: {"half of the variance": check_noise.instead(lambda case: deviations(case, 4))},
    check_laws: {
        "half of the variance": check_laws.instead(lambda case: laws(case, temperature=0.5))
    },
    check_grid: {
        "half of the variance": check_grid.instead(lambda case: grid(case, temperature=0.5))
    },
    check_zero_one: {
        "a sigmoid that falls": check_zero_one.instead(lambda case: zero_one(case, sign=-1))
    },
    check_estimators: {"no decay": check_estimators.instead(lambda case: estimates(case, 0.0))},
    check_boosting: {"with a decay": check_boosting.instead(fits)},
    check_split: {"the last split": check_split.instead(lambda case: case.stump(-abs(case.y)))},
    check_fits: {
        "no decay": check_fits.instead(lambda case: fits(case, shrink=0)),
        "steps a tenth longer": check_fits.instead(lambda case: fits(case, length=1.1)),
    },
}
