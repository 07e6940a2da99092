r"""Exact lookahead for any smooth loss: the naive state on a few gathered columns, and the same
test as for the squared loss.

Between scans only the candidates are searched, as long as the absolute correlation of their winner
exceeds ``outside`` plus the distance of the residual from that of the last scan,
:math:`\|W^{-1/2}(r - r_0)\|_2`: then no other learner of unit (weighted) norm can win. *Cost* of a
step: O(candidates x n_samples).
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import record, verb
from coordboost.certificates.sphere import SLACK
from coordboost.engine.states.base import GreedyState, StatesOnCandidates, call_work, scan_work
from coordboost.engine.states.lookahead import bounded_size, held_columns
from coordboost.engine.states.naive import NaiveState, residual_work, room_for_a_line
from coordboost.learners import Dense
from coordboost.learners.strongest import top_learners
from coordboost.rules.selection import best_of_all

push = verb("push")
search = verb("search")


class _WorkingSetState(NamedTuple):
    inner: NaiveState
    learner: np.ndarray
    anchor: np.ndarray
    outside: float
    scalars: np.record


class WorkingSetState(_WorkingSetState, GreedyState):
    """Steps on a few candidates, as long as no other learner can win.

    It makes `inner` steps on the columns of the candidates `learner`.

    For any smooth loss and greedy methods. *Cost* of a step: O(candidates x n_samples); a scan if
    the winner cannot be proved without one. A run with this model state changes to
    ``LinearisedState`` or ``NaiveState`` where steps cost less there.

    Parameters
    ----------
    inner : NaiveState
        The model state of the candidates alone.
    learner : ndarray of int, (s,)
        The candidates, increasing.
    anchor : ndarray, (n_samples,)
        The residual at the last scan.
    outside : float
        The largest absolute correlation of the other learners at the last scan.
    scalars : record
        `fresh`, no step since the scan; `winner`, the position of the last winner among the
        candidates.

    Examples
    --------
    Two thousand greedy steps for Huber's loss, one in four or fewer with a scan:

    >>> from sklearn.datasets import load_diabetes
    >>> import coordboost as cb
    >>> problem = cb.Problem(*load_diabetes(return_X_y=True), cb.losses.Huber(50.0))
    >>> run = cb.solve(
    ...     problem, cb.forward_stagewise(1.0), 2000, model_state=cb.engine.WorkingSetState
    ... )
    >>> run.n_scans < 500
    True
    """

    def tie(self):
        return self.inner.rounding

    def best(self, step, beta):
        local, corr = best_of_all(self.inner, step, beta)
        if self.scalars.fresh == 0:
            moved = 0.0
            unit = self.inner.rounding if self.inner.rounding > 0.0 else 1.0
            for i in range(len(self.anchor)):
                if self.inner.weight[i] > 0.0:
                    change = (self.inner.resid[i] - self.anchor[i]) / unit
                    moved += change * change / self.inner.weight[i]
            # 3 roundings, in units of that of a correlation: of the winner, of the other learners
            # and of the distance
            room = (abs(corr) - self.outside) / unit - 3.0
            if not (room > 0.0 and room * room > (1.0 + SLACK) * moved):
                return -1, 0.0
        self.scalars.fresh = 0
        self.scalars.winner = local
        return self.learner[local], corr

    def search(self, j, a, b):
        """The t that minimises the loss at pred + t (a B_j - b pred).

        j is the learner that `best` returned.

        Parameters
        ----------
        j : int
            The learner.
        a : float
            The factor of its column in the direction.
        b : float
            The share of the model that the direction takes away: 0 for a step along the learner
            alone.

        Returns
        -------
        float
            The result of ``NaiveState.search``.
        """
        return search(self.inner, self.scalars.winner, a, b)

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j, j the learner that `best`
        returned.
        """
        push(self.inner, self.scalars.winner, shrink, theta)


class GatheredCandidates(StatesOnCandidates):
    """Makes ``WorkingSetState`` at any coefficients; holds the columns of all learners that were
    candidates in some scan.
    """

    kind = WorkingSetState

    def __init__(self, problem):
        self.problem = problem
        self.held = held_columns(problem)

    def n_candidates(self, n_scans, former, steps_done):
        """As in the base class: the work on the candidates is kept near the work of the scan."""
        s = scan_work(self.problem) / self.problem.n_samples
        if former == 0:
            size = math.ceil(math.sqrt(2.0 * s))
        elif steps_done * former < s:
            size = math.ceil(1.5 * former)
        else:
            size = max(16, (4 * former) // 5)
        return bounded_size(self.problem, size)

    def model_state(self, beta, n_candidates):
        """The model state at the coefficients `beta`, on `n_candidates`.

        *Cost*: one scan, and the columns that are not held yet.
        """
        problem = self.problem
        pred = problem.combine(beta)
        resid = problem.resid(pred)
        learner, outside = top_learners(problem.scan(resid), problem.tie, n_candidates)
        slot = self.held.at(learner)
        self.size = len(learner)
        inner = NaiveState(
            problem.loss,
            Dense(self.held.rows[slot]),
            problem.y,
            problem.weight,
            problem.base,
            pred,
            resid,
            problem.tie,
            room_for_a_line(problem.y),
        )
        return WorkingSetState(inner, learner, resid.copy(), outside, record(fresh=1, winner=0))

    def scan_work(self, n_candidates):
        column = self.problem.n_samples + call_work(self.problem)
        return scan_work(self.problem) + n_candidates * column

    def work(self, n_steps):
        """Multiplications of `n_steps` steps on the last model state."""
        of_candidates = (self.problem.n_samples + 100) * self.size
        return n_steps * (residual_work(self.problem) + of_candidates)
