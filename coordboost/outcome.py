"""What a run leaves behind: plain numbers, nothing of the engine."""

import enum
from dataclasses import dataclass

import numpy as np

from coordboost.engine.loop import retrace
from coordboost.engine.path import Path
from coordboost.method import Method
from coordboost.problem import Problem
from coordboost.state import State


class Status(enum.Enum):
    """Why a run ended."""

    COMPLETED = "all steps were made"
    STOPPED = "a stop rule ended the run"
    INTERRUPTED = "the run was interrupted; the steps made are kept"
    DIVERGED = "the predictions left the range of float64; the steps before are kept"


@dataclass(frozen=True, eq=False)
class Outcome:
    """A run as a record: with the problem and the method it fixes every bit of the run, past and future.

    problem, method : what was run, the method bound to the problem
    view : the class of the engine's view;  seed : int;  compile : bool
    path : the steps;  beta : (n_learners,), the coefficients after them
    anchor : (k, memory), the last step at which the view was built from the coefficients, and what that took beside them
    counts : [full scans, single correlations, Gram columns] computed from the data
    status : Status;  message : it in a sentence;  seconds : wall time of the steps
    validation : what rows held out said where they chose the number of steps, a dict of plain numbers (``paths.heldout``), or None
    """

    problem: Problem
    method: Method
    view: type
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


class Replay:
    """The states along a recorded path, without a scan. *Cost*: the steps gone through; going back begins anew."""

    def __init__(self, problem, method, path, seconds=0.0):
        self.problem, self.method, self.path, self.seconds = problem, method, path, seconds
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
        return State(self.problem, self.method.target_at(k), k, self.beta(k), self.seconds, self.path.cut(0, k))
