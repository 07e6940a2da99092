"""A model along a run, and the steps at which a run is shown."""

from functools import cached_property

import numpy as np

from coordboost.targets import At, known_target

#: States of a run that are shown, at most.
SHOWN = 200


class State:
    """A model along a run: step `k`, coefficients `beta` (n_learners,) of the unit columns. Everything else is derived from it.

    `path` holds the steps that led here, None for a model that no run has made.
    """

    def __init__(self, problem, target, k, beta, seconds=0.0, path=None):
        self.problem, self.target, self.path = problem, target, path
        self.k, self.beta, self.seconds = k, beta, seconds

    @cached_property
    def point(self):
        """Prediction, residual and correlations, recomputed from `beta`. *Cost*: one scan."""
        return At.point(self.problem, self.beta)

    @cached_property
    def pred(self):
        """B beta, (n_samples,)."""
        return self.problem.combine(self.beta)

    @cached_property
    def loss(self):
        """Sum of the losses."""
        return self.problem.value(self.pred)

    @property
    def resid(self):
        """-dloss/dpred, (n_samples,)."""
        return self.point.resid

    @property
    def corr(self):
        """<B_j, resid> for every learner, (n_learners,)."""
        return self.point.corr

    @property
    def l1(self):
        """Sum of abs(beta)."""
        return float(np.abs(self.beta).sum())

    @property
    def support(self):
        """Indices of the non-zero coefficients."""
        return np.flatnonzero(self.beta)

    def certificate(self, target=None):
        """The interval of the optimum of `target` that this model certifies (default: what the method approaches)."""
        return (self.target if target is None else known_target(target)).certificate(self.problem, self.point)


def spaced(n_steps, n_points=SHOWN):
    """Step numbers from 0 to n_steps, half of them evenly spaced, half geometrically: both slow and fast starts look smooth."""
    even = np.linspace(0, n_steps, n_points // 2)
    growing = np.geomspace(1, max(n_steps, 1), n_points - len(even)) if n_steps else even[:0]
    return np.unique(np.round(np.concatenate([even, growing])).astype(int))
