"""The model state of one class of several.

All classes make a step from the same predictions in every round.
"""

import numpy as np

from coordboost._numba import verb
from coordboost._numba.sums import BLOCK, first_rows, sum_of_blocks
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState
from coordboost.losses.multinomial import (
    multinomial_losses,
    multinomial_residuals,
    offsets_beside,
)

add = verb("add")


class ClassState(NaiveState):
    """The state of one class: a step updates its prediction only.

    The residual is written after all classes have made their step.
    """

    def renew(self, beta):
        """Recompute the prediction from the coefficients."""
        self.pred[:] = self.dictionary.combine(beta)

    def write_curvature(self, out):
        """The second derivatives w p (1 - p) of the weighted losses.

        They come from the absolute residual, which is w p or w (1 - p).
        """
        for i in range(len(out)):
            size = abs(self.resid[i])
            out[i] = size * (1 - size / self.weight[i]) if self.weight[i] > 0 else 0.0

    def push(self, j, shrink, theta):
        """Pred += theta B_j."""
        add(self.dictionary, j, theta, self.pred)


class RoundState(WeakLearnerState):
    """``ClassState`` over an implicit dictionary."""

    @staticmethod
    def inner_at_zero(problem, coefficients, noise=None, starts=None):
        return ClassState.start(problem)

    def bounded(self, j, corr):
        """The length of the tree as it is fitted.

        The joint loss, not that of one class, decides (``rounds.step_together``).
        """
        return self.fitted(corr)


class JointRows:
    """The predictions of the models of all classes on some rows.

    states : the model state of each class, with ``pred`` and ``sought()``
    constants : the constant prediction of each class
    class_index : the class of each row
    weight : (n_rows,)
    """

    def __init__(self, states, constants, class_index, weight):
        self.states = states
        self.constants = constants
        self.class_index = class_index
        self.weight = weight
        self.pred = self.before = None

    def look(self):
        """Take the present predictions, and keep those before.

        Return how many are not finite.
        """
        self.before = self.pred
        pairs = zip(self.constants, self.states, strict=True)
        self.pred = np.array([constant + state.pred for constant, state in pairs])
        return np.count_nonzero(~np.isfinite(self.pred))

    def loss(self, share=None):
        """Return the sum of the losses, see ``block_losses``."""
        return float(sum_of_blocks(self.block_losses(share), 0))

    def block_losses(self, share=None):
        """Return the sums of the losses of blocks of rows, (n_blocks, 1).

        share : of the way from the predictions before to the present ones; None for the present
            ones, 0 without any before for the constants
        """
        pred = self.pred
        if share is not None and self.before is None:
            pred = np.repeat(np.array(self.constants)[:, None], len(self.class_index), axis=1)
        elif share is not None:
            pred = self.before + share * (self.pred - self.before)
        losses = self.weight * multinomial_losses(pred, self.class_index)
        starts = first_rows(len(losses))
        return np.array([[losses[start : start + BLOCK].sum()] for start in starts])

    def write_residuals(self):
        """Write the multinomial residuals into the model state of each class."""
        residuals = multinomial_residuals(self.pred, self.class_index, self.weight)
        for state, resid in zip(self.states, residuals, strict=True):
            state.sought()[:] = resid

    def offsets(self):
        """Return the offsets with which the gradient of each class alone is the multinomial one."""
        return offsets_beside(self.pred)
