"""The state of one class where several classes make a step from the same predictions in every round."""

from coordboost._numba import verb
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState

add = verb("add")


class ClassState(NaiveState):
    """The state of one class: a step moves its prediction alone, and the residual waits for the other classes."""

    def renew(self, beta):
        """Recompute the prediction from the coefficients."""
        self.pred[:] = self.dictionary.combine(beta)

    def write_curvature(self, out):
        """The second derivatives w p (1 - p) of the weighted losses, from the residual, w p or w (1 - p) in size."""
        for i in range(len(out)):
            size = abs(self.resid[i])
            out[i] = size * (1 - size / self.weight[i]) if self.weight[i] > 0 else 0.0

    def push(self, j, shrink, theta):
        """pred += theta B_j."""
        add(self.dictionary, j, theta, self.pred)


class RoundState(WeakLearnerState):
    """The same over learners that are searched for."""

    @classmethod
    def start(cls, problem, coefficients, noise=None):
        """The state at beta = 0."""
        return cls(ClassState.start(problem))
