"""The result of a run: its record in plain numbers, without any part of the engine.

And the models along its path.
"""

import enum
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coordboost.certificates.objectives import Certificate, Evaluation, known_target
from coordboost.data.problem import Problem
from coordboost.engine.following import run_losses, staged, training_losses
from coordboost.engine.loop import Path, retrace
from coordboost.paths.places import PathLike, PathPoint, checked_place
from coordboost.rules.method import Method


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


@dataclass(frozen=True, eq=False)
class Outcome:
    """The record of a run, from which it is replayed and resumed bit for bit.

    problem : the problem; method : the method, bound to the problem model_state : the class of the
    engine's model state; seed : int; compile : bool path : the steps; beta : (n_learners,), the
    coefficients after them anchor : (k, memory), the last step at which the model state was built
    from the coefficients, and what else was needed to build it counts : [full scans, single
    correlations, Gram columns] computed from the data status : Status; message : the status in a
    sentence; seconds : wall time of the steps validation : validation losses, if the number of
    steps was chosen by them: a dict of plain numbers (``engine.held_out``), or None rise : by how
    much the loss ends above the one of the constant model, 0 if it does not
    """

    problem: Problem
    method: Method
    model_state: type
    seed: int
    compile: bool
    path: Path
    beta: np.ndarray
    anchor: tuple
    counts: list
    status: Status
    message: str
    seconds: float
    validation: dict | None = None
    rise: float = 0.0


class Replay:
    """The states along a recorded path, without a scan.

    *Cost*: each step passed; going back starts again at step 0.
    """

    def __init__(self, problem, method, path, seconds=0.0):
        self.problem = problem
        self.method = method
        self.path = path
        self.seconds = seconds
        self._begin()

    def _begin(self):
        self.k, self.coefficients = 0, self.method.coefficients.start(self.problem)

    def beta(self, k):
        """Coefficients of the unit columns after k steps, (n_learners,)."""
        if k < self.k:
            self._begin()
        self.coefficients = retrace(self.coefficients, self.path, self.k, k)
        self.k = k
        return self.coefficients.beta(self.method.unit)

    def state(self, k):
        """The state after k steps."""
        return State(
            self.problem,
            self.method.target_at(k),
            k,
            self.beta(k),
            self.seconds,
            self.path.cut(0, k),
        )


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
        return (
            f"<State after {self.k} steps: l1 {self.l1:.6g}, loss {self.loss:.6g}, "
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
        """Sums of the losses on the training rows after 0, 1, ...

        steps, (n_points,). *Cost*: O(n_samples) a step.
        """
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
