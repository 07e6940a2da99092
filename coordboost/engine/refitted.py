"""A run as a path whose intercept is refitted at every step: ``Run.refit_intercept``."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from coordboost._utils.checks import checked_run
from coordboost.certificates.objectives import Certificate
from coordboost.engine.following import predictions
from coordboost.engine.result import State, StepPath
from coordboost.paths.intercept import Farthest, Shifts, beside_any, left_open, moved_by


class RefittedState(State):
    """A state with its own intercept: the intercept at the start of the run, plus ``shift``.

    ``refitted`` is its ``RefittedRun``.
    """

    shift: float
    refitted: "RefittedRun"

    def certificate(self, target=None):
        """The interval of the optimum over coefficients and intercept."""
        found = super().certificate(target)
        if not self.problem.loss.convex or self.problem.loss.quadratic:
            return found
        return beside_any(found, self.problem, self.point, self.shift, self.refitted.reach)


class RefittedRun(StepPath):
    """The models of a run, each with the best intercept for its coefficients.

    The steps, the coefficients and the place of a ``PathPoint`` are those of ``run``, which keeps
    the intercept of its start; predictions, scores, losses and certificates are those of the
    refitted models. At the best intercept the residuals sum to 0, so the lower bound of a
    certificate holds for every intercept; if the sum is not exactly 0, the gap is widened
    accordingly.

    Parameters
    ----------
    run : Run
        The run; ``RefittedRun(run)`` is the same as ``run.refit_intercept()``.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, labels = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [-1, -1, -1, 1]
    >>> run = cb.solve(cb.Problem(X, labels, cb.losses.Logistic()), cb.ls_boost(0.5), 20)
    >>> path = run.refit_intercept()
    >>> path.final.loss < run.final.loss
    True
    >>> abs(float(path.final.resid.sum())) < 1e-9
    True
    """

    def __init__(self, run: Any) -> None:
        checked_run(run)
        self.run = run
        self.problem = run.problem
        self.method = run.method
        self.seed = run.seed
        self.n_points = run.n_points
        self.n_steps = run.n_steps
        self.n_scans = run.n_scans
        self.seconds = run.seconds
        self.status = run.status
        self.message = run.message

    def __repr__(self):
        return f"{repr(self.run)[:-1]}; with the best intercept at every step>"

    @cached_property
    def shifts(self):
        """The best intercept less that of the start, after each number of steps, (n_points,).

        *Cost*: some passes over the rows each.
        """
        shifts = Shifts(self.problem)
        return np.array([shifts.beside(pred) for pred in predictions(self.run)])

    @cached_property
    def reach(self):
        """How far the best intercept can be from that of the start. *Cost*: two scans, once."""
        return Farthest(self.problem)

    @cached_property
    def final(self) -> RefittedState:
        """The last state, with the best intercept there."""
        return self._beside(self.run.final)

    def replay(self, at: Iterable[int]) -> Iterator[State]:
        """The states after `at` steps each (non-decreasing), each with the best intercept there.

        Parameters
        ----------
        at : sequence of int
            Numbers of steps, non-decreasing.

        Yields
        ------
        State
            One for each.

        Notes
        -----
        *Cost*: each step passed, without a scan, and some passes over the rows for each state.
        """
        shifts = Shifts(self.problem)
        for state in self.run.replay(at):
            yield self._beside(state, shifts)

    def _beside(self, state, shifts=None):
        if self.problem.has_data:
            shift = (shifts or Shifts(self.problem)).beside(state.pred)
        else:
            shift = self.shifts[state.k]
        moved = RefittedState(
            moved_by(self.problem, shift),
            state.target,
            state.k,
            state.beta,
            state.seconds,
            state.path,
        )
        moved.shift = shift
        moved.refitted = self
        if self.problem.has_data:
            moved.pred = state.pred  # so that it is computed once
        return moved

    def without_data(self) -> "RefittedRun":
        """The same path without the training data, as pickles of estimators hold it.

        It predicts at every step. What needs the data, such as a certificate, raises a ValueError.
        *Cost*: the best intercept at every step, once.

        Returns
        -------
        RefittedRun
            A new path.
        """
        path = RefittedRun(self.run.without_data())
        path.shifts = np.append(self.shifts[:-1], self.final.shift)
        return path

    def certificate(self, target: Any = None) -> Certificate:
        """Certificate of the last model.

        Parameters
        ----------
        target : Unconstrained, L1Ball or L1Penalty, optional
            Default: what the method approaches.

        Returns
        -------
        Certificate
            An interval around the optimum over coefficients and intercept.
        """
        return self.final.certificate(target)

    def order_of_entry(self) -> np.ndarray:
        """The order of entry of the run, whose coefficients are the same.

        Returns
        -------
        ndarray of int, (n_entered,)
            Indices of columns or learners, in the order in which steps first moved them.
        """
        return self.run.order_of_entry()

    def profile(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The profile of the run, with the refitted intercepts and their losses.

        Returns
        -------
        numbers : dict
            Name to array, one entry for each step that is shown.
        coefs : ndarray, (n_shown, n_columns)
            Coefficients on the scale of X.
        """
        numbers, coefs = self.run.profile()
        models = [
            (state.loss, state.problem.raw(state.beta)[1])
            for state in self.replay(numbers["step"].tolist())
        ]
        losses, intercepts = np.array(models).T
        return numbers | self._deviance(losses) | {"intercept": intercepts}, coefs

    def _names(self):
        return self.run._names()


def with_intercept(run):
    """The models of a run as the estimators use them, a ``RefittedRun``.

    They have the best intercept at every step.

    The run itself if its start has settled the intercept, or if there is none: see
    ``coordboost.paths.intercept.left_open``.
    """
    return RefittedRun(run) if left_open(run.problem) else run
