"""Runs of accelerated boosting by the package, checked against the theorems of the package."""

import functools

import numpy as np

import coordboost as cb
from coordboost.angles.angle import momentum_limit

LOSSES = {"squared": cb.losses.Squared(), "logistic": cb.losses.Logistic(0.1)}


@functools.cache
def run(loss, eta, period=None):
    """Run on a random 20 x 3 matrix with the largest gamma that is proved to work.

    `eta` in units of 1 / sigma.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    y = 3 * rng.standard_normal(20)
    problem = cb.Problem(X, np.sign(y) if loss == "logistic" else y, LOSSES[loss])
    given = eta / problem.loss.sigma, momentum_limit(problem)
    method = cb.agbm(*given) if period is None else cb.agbmr(*given, period)
    return cb.solve(problem, method, 120 if period is None else 6 * period, compile=False)
