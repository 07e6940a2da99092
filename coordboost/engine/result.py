"""The models along the path of a run, and why a run ended."""

import enum
from functools import cached_property
from typing import Any

import numpy as np

from coordboost._numba import compiled, interpreted, is_piece
from coordboost._utils.interrupt import heed
from coordboost.certificates.objectives import Certificate, Evaluation, known_target
from coordboost.data.problem import Problem
from coordboost.engine.following import run_losses, staged, training_losses
from coordboost.engine.kernel import Path, retrace, write_betas
from coordboost.paths.places import PathLike, PathPoint, checked_place


class Status(enum.Enum):
    """Why a run ended; the value of each member is a sentence.

    ``COMPLETED``, ``STOPPED`` by a stop rule, ``INTERRUPTED`` by Ctrl-C, or ``DIVERGED``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 20, stop=lambda state: state.loss < 1.0)
    >>> run.n_steps, run.status is cb.engine.Status.STOPPED, run.status.value
    (3, True, 'a stop rule ended the run')
    """

    COMPLETED = "all steps were made"
    STOPPED = "a stop rule ended the run"
    INTERRUPTED = "the run was interrupted; the steps made are kept"
    DIVERGED = "the predictions left the range of float64; the steps before are kept"


#: A rise of the loss up to this part of the larger loss may be rounding.
ROUNDING = 1e-10


def loss_rise(start, loss):
    """By how much the loss at the end of a run is above the one at its start; 0 if that may be
    rounding.
    """
    rise = loss - start
    return float(rise) if rise > ROUNDING * max(abs(start), abs(loss)) else 0.0


def states_along(problem, method, path, at, seconds=0.0, *, k=0, coefficients=None):
    """Yield the states after `at` steps each of a recorded path, without a scan.

    `at` does not decrease. *Cost*: each step passed, from step `k` on, where the store of
    coefficients is `coefficients`; by default from the start.
    """
    if coefficients is None:
        coefficients = method.coefficients.start(problem)
    for step in at:
        coefficients = retrace(coefficients, path, k, step)
        k = step
        beta = coefficients.beta(method.unit)
        yield State(problem, method.target_at(k), k, beta, seconds, path.cut(0, k))


def betas_along(problem, method, path, index, length):
    """Yield the entries `index` of beta after 0, 1, ..., len(path) steps, as arrays of at most
    `length` rows, a row for each of these models.
    """
    coefficients = method.coefficients.start(problem)
    run = interpreted(write_betas)
    if is_piece(coefficients):
        run = compiled(write_betas, (coefficients,))
    yield np.zeros((1, len(index)))
    for start in range(0, len(path), length):
        heed()
        steps = path.cut(start, start + length)
        out = np.empty((len(steps), len(index)))
        run(coefficients, method.unit, steps.learner, steps.shrink, steps.theta, index, out)
        yield out


#: Maximum number of states of a run that are shown.
SHOWN = 200


class State:
    """A model along a run: step `k`, coefficients `beta` of the unit columns.

    Everything else is derived from it.

    Parameters
    ----------
    problem : Problem
        What is minimised.
    target : Unconstrained, L1Ball or L1Penalty
        What the method approaches.
    k : int
        Number of steps made.
    beta : ndarray, (n_learners,)
        Coefficients of the unit columns.
    seconds : float, default 0
        Wall time so far.
    path : Path, optional
        The steps that led here; None for a model that comes from no run.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 20)
    >>> run.final.k, round(run.final.loss, 3)
    (20, 0.211)
    """

    def __init__(
        self,
        problem: Problem,
        target: Any,
        k: int,
        beta: np.ndarray,
        seconds: float = 0.0,
        path: Path | None = None,
    ):
        self.problem = problem
        self.target = target
        self.path = path
        self.k = k
        self.beta = beta
        self.seconds = seconds

    def __repr__(self):
        loss = f"loss {self.loss:.6g}, " if self.problem.has_data else ""
        return (
            f"<State after {self.k} steps: l1 {self.l1:.6g}, {loss}"
            f"{len(self.support)} coefficients not 0>"
        )

    @cached_property
    def point(self) -> Evaluation:
        """Prediction, residual and correlations, recomputed from `beta`. *Cost*: one scan."""
        return Evaluation.point(self.problem, self.beta)

    @cached_property
    def pred(self) -> np.ndarray:
        """B beta, (n_samples,)."""
        return self.problem.combine(self.beta)

    @cached_property
    def loss(self) -> float:
        """Sum of the losses."""
        return self.problem.value(self.pred)

    @property
    def resid(self) -> np.ndarray:
        """-dloss/dpred, (n_samples,)."""
        return self.point.resid

    @property
    def corr(self) -> np.ndarray:
        """<B_j, resid> for every learner, (n_learners,)."""
        return self.point.corr

    @property
    def l1(self) -> float:
        """Sum of abs(beta)."""
        return float(np.abs(self.beta).sum())

    @property
    def support(self) -> np.ndarray:
        """Indices of the non-zero coefficients."""
        return np.flatnonzero(self.beta)

    def certificate(self, target: Any = None) -> Certificate:
        """The certified interval around the optimum of `target`.

        The default is what the method approaches.

        Parameters
        ----------
        target : Unconstrained, L1Ball or L1Penalty, optional
            Default: what the method approaches.

        Returns
        -------
        Certificate
            An interval around the optimum.
        """
        return (self.target if target is None else known_target(target)).certificate(
            self.problem, self.point
        )


class StepPath(PathLike):
    """A path of steps, whose models are the states that ``replay`` yields."""

    #: The run that made the steps, and the last state.
    run: Any
    final: Any
    #: Added to the constant prediction after each step: a number, or (n_points,).
    shifts: np.ndarray | float = 0.0

    def _state(self, place):
        k = self.run.step_at(place)
        return self.final if k == self.run.n_steps else next(self.replay([k]))

    def _model(self, place):
        state = self._state(place)
        return state.problem.raw(state.beta)

    def _models(self, places):
        steps = [self.run.step_at(checked_place(place)) for place in places]
        models = {
            state.k: state.problem.raw(state.beta) for state in self.replay(sorted(set(steps)))
        }
        return [models[k] for k in steps]

    def _staged(self, X):
        return staged(self.run, X, self.shifts)

    def _losses(self, X, y, weight, offset):
        return run_losses(self.run, X, y, weight, offset, self.shifts)

    def _predict(self, X, place):
        state = self._state(place)
        return state.problem.predict(state.beta, X)

    @property
    def losses(self) -> np.ndarray:
        """Sums of the losses on the training rows after each number of steps, (n_points,).

        *Cost*: O(n_samples) a step, once.
        """
        return self._training_losses.copy()

    @cached_property
    def _training_losses(self):
        return training_losses(self.run, self.shifts)

    def certificate_at(self, place: PathPoint) -> Certificate:
        """Certificate of the model at a ``PathPoint``.

        Parameters
        ----------
        place : PathPoint
            Where.

        Returns
        -------
        Certificate
            An interval around the optimum there.
        """
        return self._state(place).certificate()


def spaced(n_steps, n_points=SHOWN):
    """Step numbers from 0 to n_steps, half of them evenly spaced, half geometrically: so curves
    look smooth at the start, too.
    """
    even = np.linspace(0, n_steps, n_points // 2)
    growing = np.geomspace(1, max(n_steps, 1), n_points - len(even)) if n_steps else even[:0]
    return np.unique(np.round(np.concatenate([even, growing])).astype(int))
