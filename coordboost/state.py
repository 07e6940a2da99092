"""A model along a run."""

from functools import cached_property

import numpy as np

from coordboost.targets import At


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
        return (self.target if target is None else target).certificate(self.problem, self.point)
