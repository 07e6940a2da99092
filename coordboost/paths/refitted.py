"""A run as a path whose intercept is fitted anew at every step: ``Run.refit_intercept``."""

from functools import cached_property

import numpy as np

from coordboost.paths.intercept import CAP, best_shift, moved_by
from coordboost.paths.places import PathLike, Place, checked_place
from coordboost.paths.scoring import predictions, run_losses
from coordboost.state import State


class RefittedRun(PathLike):
    """The models of a run, each with the best intercept beside its coefficients.

    The steps, the coefficients and where a ``Place`` is are those of ``run``, which keeps the intercept of its start; predictions,
    scores, losses and certificates are those of the models here. At the best intercept residuals sum to 0: but for the rounding of that
    sum, what a certificate says of coefficients beside this intercept it says beside any other.
    """

    def __init__(self, run):
        self.run, self.problem, self.method = run, run.problem, run.method
        self.n_points, self.n_scans, self.status, self.message = run.n_points, run.n_scans, run.status, run.message

    def __repr__(self):
        return f"{repr(self.run)[:-1]}; with the best intercept at every step>"

    @cached_property
    def shifts(self):
        """What the best intercept adds to that of the start after 0, 1, ... steps, (n_points,). *Cost*: some passes over the rows each."""
        found, step = [0.0], 1.0
        for pred in predictions(self.run):
            near = found[-1] if abs(found[-1]) < CAP else 0.0
            found.append(best_shift(self.problem, pred, near, step))
            step = max(2 * abs(found[-1] - near), 1e-6)
        return np.array(found[1:])

    def _state(self, place):
        """The state at a place, of the problem with the intercept that is best there."""
        run = self.run
        state = next(run.replay([run.step_at(place)]))
        return State(moved_by(self.problem, best_shift(self.problem, state.pred)), state.target, state.k, state.beta)

    def _model(self, place):
        state = self._state(place)
        return state.problem.raw(state.beta)

    def predict(self, X, at=None):
        """Predictions (offset included) for new rows, (len(X),): of the last model, or of that at a ``Place``."""
        state = self._state(Place(step=self.run.n_steps) if at is None else checked_place(at))
        return state.problem.predict(state.beta, X)

    def certificate_at(self, place):
        """Certificate of the model at a ``Place``."""
        return self._state(place).certificate()

    def order_of_entry(self):
        """As that of the run."""
        return self.run.order_of_entry()

    def profile(self):
        """As that of the run, with the intercepts and the losses of the models here."""
        numbers, coefs = self.run.profile()
        states = [self._state(Place(step=int(k))) for k in numbers["step"]]
        numbers |= self._deviance(np.array([state.loss for state in states]))
        return numbers | {"intercept": np.array([state.problem.raw(state.beta)[1] for state in states])}, coefs

    def _losses(self, X, y, weight):
        return run_losses(self.run, X, y, weight, self.shifts)

    def _names(self):
        return self.run._names()
