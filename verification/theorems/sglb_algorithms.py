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
from verification.algorithms import Algorithm, unscaled
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


def blocks(seed):
    """Return three blocks of two columns, the last of which overlaps the others."""
    rng = np.random.default_rng(seed)
    return Fits(rng.normal(size=(6, 4)), ((0, 1), (2, 3), (1, 2)), rng.normal(size=6), 0.3, 0.2)


CASES = {
    "one column": lambda: Column(0.1, 5.0, 0.5, 2000),
    "three blocks": lambda: blocks(0),
    "three other blocks": lambda: blocks(1),
}

SABOTAGE = {
    check_noise: {"half of the variance": check_noise.instead(lambda case: deviations(case, 4))},
    check_fits: {
        "no decay": check_fits.instead(lambda case: fits(case, shrink=0)),
        "steps a tenth longer": check_fits.instead(lambda case: fits(case, length=1.1)),
    },
}
