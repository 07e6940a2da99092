"""The model state of one class of several.

All classes make a step from the same predictions in every round.
"""

from coordboost._numba import verb
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState

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

    @classmethod
    def start(cls, problem, coefficients, noise=None):
        """The state at beta = 0."""
        return cls(ClassState.start(problem))

    def bounded(self, j, corr):
        """The length of the tree as it is fitted.

        The joint loss, not that of one class, decides (``rounds.step_together``).
        """
        return self.fitted(corr)
