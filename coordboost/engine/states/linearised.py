r"""The model state for any smooth loss that updates correlations by Gram columns.

Gram columns are those in the metric of the second derivatives, and correlations are estimates.

Let :math:`f_0` be the prediction at the last scan, :math:`r_0` the residual there, h the second
derivatives of the weighted losses at some earlier prediction, and :math:`H = \mathrm{diag}(h)`.
Along the steps

.. math:: B'r = B'r_0 - B'H (f - f_0) + B'e, \qquad e = r - r_0 + H (f - f_0).

The first two terms, the *estimates*, move by a Gram column :math:`B'H B_j` in a step along learner
j. As columns are unit vectors, they are off by no more than :math:`\|W^{-1/2} e\|_2`, which is
computed in every step, and which grows with the change of the second derivatives only: for Huber's
loss with the rows that cross the bend. The learners that may win are looked at: their correlations
are computed from the columns. When looks have cost as much as a scan, there is one.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import record, reduction, verb
from coordboost._numba.sums import curvature_into
from coordboost.certificates.sphere import SLACK
from coordboost.data.column_store import HeldColumns
from coordboost.engine.states.base import GreedyState, scan_work
from coordboost.engine.states.covariance import (
    AT_ONCE,
    FEWEST,
    IN_BLOCK,
    ROOM,
    STRIP,
    TOGETHER,
    gram_columns,
    move_strips,
    padded,
)
from coordboost.engine.states.naive import NaiveState, residual_work

dot = verb("dot")
push = verb("push")
search = verb("search")

EPS = float(np.finfo(float).eps)
#: Multiplications of the looks in a step, in inner products of two columns: an estimate.
LOOKS = 32


@reduction
def error_square(resid, anchor, share, unit):
    """``|W^{-1/2} e|^2`` in units of unit^2.

    anchor : (3, n_samples), r_0 + H f_0, h, and the prediction; share : 1 / weight
    """
    total = 0.0
    for i in range(len(resid)):
        e = (resid[i] - anchor[0, i] + anchor[1, i] * anchor[2, i]) / unit
        total += e * e * share[i]
    return total


class _LinearisedState(NamedTuple):
    inner: NaiveState
    columns: np.ndarray
    place: np.ndarray
    start: np.ndarray
    corr: np.ndarray
    tops: np.ndarray
    anchor: np.ndarray
    share: np.ndarray
    looked: np.ndarray
    seen: np.ndarray
    scalars: np.record


class LinearisedState(_LinearisedState, GreedyState):
    """Estimates of all correlations, and the Gram columns of some learners.

    For any smooth loss, greedy methods and stored columns. *Cost* of a step: O(n_samples +
    n_learners), and an inner product for each learner that may win. Runs that begin with
    ``WorkingSetState`` change to it where steps on candidates cost more.

    Parameters
    ----------
    inner : NaiveState
        The prediction and the residual.
    columns : ndarray, (>= n_held, width)
        Gram columns in the metric h, one per row; width is n_learners rounded up to whole strips.
    place : ndarray of int, (n_learners,)
        For each learner the row of its Gram column in `columns`, or -1.
    start, corr : ndarray, (width,)
        The estimates at beta = 0, and now.
    tops : ndarray, (n_strips,)
        The largest absolute estimate in each strip.
    anchor : ndarray, (3, n_samples)
        ``r_0 + H f_0``; h; and the prediction of `inner`, the same memory.
    share : ndarray, (n_samples,)
        1 / weight, 0 for a weight of 0.
    looked, seen : ndarray, (n_learners,)
        Work space: learners that may win, and their correlations.
    scalars : record
        `fresh`, no step since the scan; `wanted`, the learner whose Gram column is needed next, or
        -1; `stale`, whether a scan is due; `recent`, looks since the scan; `looks`, all looks;
        `length`, `steps`, path length and number of steps since the scan; `largest`, the largest
        second derivative of a loss; `size`, a bound of the estimates at the scan.
    """

    def tie(self):
        return self.inner.rounding

    def doubt(self):
        """A bound of the rounding of an estimate and of a correlation."""
        scalars = self.scalars
        moved = len(self.share) * scalars.largest * scalars.length + scalars.steps * scalars.size
        return 3.0 * self.inner.rounding + 4.0 * EPS * moved

    def best(self, step, beta):
        scalars = self.scalars
        tie = self.inner.rounding
        unit = tie if tie > 0.0 else 1.0
        error = doubt(self)
        if scalars.fresh == 0:
            square = error_square(self.inner.resid, self.anchor, self.share, unit)
            error += (1.0 + SLACK) * np.sqrt(square) * unit
        top = 0.0
        for c in range(len(self.tops)):
            top = self.tops[c] if self.tops[c] > top else top
        level = top - 2.0 * error - 2.0 * tie
        count = 0
        for c in range(len(self.tops)):
            if self.tops[c] >= level:
                for j in range(c * STRIP, min(len(self.place), (c + 1) * STRIP)):
                    if abs(self.corr[j]) >= level:
                        self.looked[count] = j
                        count += 1
        if scalars.fresh == 0 and scalars.recent + count > len(self.place):
            scalars.stale = 1
            return -1, 0.0
        largest = 0.0
        for i in range(count):
            self.seen[i] = dot(self.inner.dictionary, self.looked[i], self.inner.resid)
            size = abs(self.seen[i])
            largest = size if size > largest else largest
        scalars.recent += count
        scalars.looks += count
        limit = largest - min(tie, 0.5 * largest)
        i = 0
        while i < count - 1 and abs(self.seen[i]) < limit:
            i += 1
        j = self.looked[i]
        if self.place[j] < 0:
            scalars.wanted = j
            return -1, 0.0
        return j, self.seen[i]

    def search(self, j, a, b):
        return search(self.inner, j, a, b)

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j, whose Gram column is held."""
        scalars = self.scalars
        push(self.inner, j, shrink, theta)
        move_strips(self.corr, self.start, self.columns[self.place[j]], self.tops, shrink, theta)
        scalars.fresh = 0
        scalars.length += abs(theta)
        scalars.steps += 1.0


doubt = verb("doubt")


class LinearisedColumns:
    """Makes ``LinearisedState`` at any coefficients, from Gram columns in its metric.

    The states at some coefficients depend on these alone.

    held : the columns, (width,) each
    most : largest number of columns
    n_columns, n_scans : Gram columns and scans so far
    curvature : the metric h
    renewed : rows of the data with which the columns were corrected since they were computed
    spent : multiplications by looks and scans since the metric was renewed
    """

    kind = LinearisedState
    exact = False
    counted = False
    blocks = ()

    def __init__(self, problem):
        width = STRIP * -(-problem.n_learners // STRIP)
        self.problem = problem
        self.scan_work = scan_work(problem)
        looks = LOOKS * problem.n_samples
        self.step_work = 1.3 * problem.n_learners + 600 + residual_work(problem) + looks
        self.column_work = IN_BLOCK * self.scan_work
        self.most = ROOM // (8 * width)
        self.at_once = AT_ONCE // (8 * width)
        self.n_columns = 0
        self.n_scans = 0
        self.past_looks = 0
        self.scalars = None
        weight = problem.weight
        self.share = np.divide(1.0, weight, out=np.zeros_like(weight), where=weight > 0)
        self.curvature = np.zeros(problem.n_samples)
        self.held = HeldColumns(self._fill, problem.n_learners, width)

    @classmethod
    def fit(cls, problem):
        """Whether the state can run on the problem: stored columns, a sum of smooth losses."""
        loss = problem.loss
        smooth = loss.curvature is not None and loss.sum_of_losses is None
        return smooth and problem.dictionary.rows is not None

    @property
    def n_looks(self):
        """Correlations of single learners computed from the data so far."""
        return self.past_looks + (0 if self.scalars is None else int(self.scalars.looks))

    def _fill(self, learners, out):
        gram_columns(self.problem, self.curvature, learners, out)

    def missing(self, beta):
        """The learners in use whose columns are not held."""
        used = np.flatnonzero(beta)
        return used[self.held.place[used] < 0]

    def entry_work(self, beta):
        """Multiplications that `model_state` takes; inf if there is no room for the columns."""
        in_use = np.count_nonzero(beta)
        if in_use + 2 * TOGETHER > self.most:
            return np.inf
        return self.scan_work + in_use * self.column_work

    def hold(self, blocks):
        """Drop all columns: a state at an anchor computes those in use."""
        self.held.keep(0)

    def model_state(self, beta):
        """The model state at the coefficients `beta`, with the columns of all learners in use.

        *Cost*: one scan, and the columns.
        """
        problem = self.problem
        self.past_looks = self.n_looks
        self.hold(())
        inner = NaiveState.start(problem)
        inner.renew(beta)
        self._measure(inner.pred, self.curvature)
        self.renewed = 0
        self.spent = 0
        self.add(np.flatnonzero(beta))
        n = problem.n_learners
        width = self.held.rows.shape[1]
        self.scalars = record(
            fresh=1,
            wanted=-1,
            stale=0,
            recent=0,
            looks=0,
            length=0.0,
            steps=0.0,
            largest=0.0,
            size=0.0,
        )
        anchor = np.zeros((3, problem.n_samples))
        state = LinearisedState(
            inner._replace(pred=anchor[2]),
            self.held.rows,
            self.held.place,
            np.zeros(width),
            np.zeros(width),
            np.zeros(width // STRIP),
            anchor,
            self.share,
            np.empty(n, dtype=np.int64),
            np.empty(n),
            self.scalars,
        )
        anchor[2] = inner.pred
        self._scan(state, beta)
        return state

    def completed(self, model_state, beta):
        """The model state with what its next step needs: Gram columns, or a scan; None if it needs
        nothing.
        """
        scalars = model_state.scalars
        if scalars.stale:
            self.spent += scalars.recent * self.problem.n_samples + self.scan_work
            self._renew_metric(model_state)
            self._scan(model_state, beta)
            self.n_scans += 1
        elif scalars.wanted >= 0:
            if len(self.held) + TOGETHER > self.most:
                return None
            size = np.abs(model_state.corr[: self.problem.n_learners])
            size[self.held.place >= 0] = -1.0
            size[scalars.wanted] = np.inf
            fetched = np.argpartition(size, max(0, len(size) - FEWEST))[-FEWEST:]
            self.add(fetched[size[fetched] >= 0])
            scalars.wanted = -1
        else:
            return None
        return model_state._replace(columns=self.held.rows, place=self.held.place)

    def add(self, learners):
        """Compute the columns of some learners, some at a time."""
        self.held.reserve(min(self.at_once, self.most))
        for first in range(0, len(learners), TOGETHER):
            self.held.add(learners[first : first + TOGETHER])
        self.n_columns += len(learners)

    def _measure(self, pred, out):
        """Write the second derivatives of the weighted losses at a prediction into `out`."""
        problem = self.problem
        curvature_into(problem.loss, problem.y, problem.weight, problem.base, pred, out)

    def _scan(self, state, beta):
        """Make the present residual and prediction the anchor, by one scan."""
        problem = self.problem
        inner = state.inner
        scalars = state.scalars
        weighted = self.curvature * self.share
        state.anchor[0] = inner.resid + self.curvature * inner.pred
        state.anchor[1] = self.curvature
        state.corr[:] = padded(problem.scan(inner.resid))
        state.start[:] = state.corr
        used = np.flatnonzero(beta)
        if len(used):
            state.start[:] += beta[used] @ self.held.rows[self.held.place[used]]
        state.tops[:] = np.abs(state.corr.reshape(-1, STRIP)).max(axis=1)
        scalars.fresh, scalars.stale, scalars.recent = 1, 0, 0
        scalars.length, scalars.steps = 0.0, 0.0
        scalars.largest = float(weighted.max())
        scalars.size = float(np.abs(state.start).max() + np.abs(state.corr).max())

    def _renew_metric(self, state):
        """Correct the columns for the second derivatives that have changed, if that costs less than
        looks and scans since the last time.
        """
        problem = self.problem
        now = np.empty(problem.n_samples)
        self._measure(state.inner.pred, now)
        changed = np.flatnonzero(now != self.curvature)
        columns = self.held.learner
        work = IN_BLOCK * len(changed) * len(columns) * problem.n_learners
        if work > self.spent:
            return
        self.spent = 0
        self.renewed += len(changed)
        change = now[changed] - self.curvature[changed]
        self.curvature[:] = now
        if self.renewed > problem.n_samples:
            self.renewed = 0
            self.held.keep(0)
            self.add(columns.copy())
            return
        rows = problem.dictionary.rows
        some = np.ascontiguousarray(rows[:, changed])
        self.held.rows[: len(columns), : problem.n_learners] += (some[columns] * change) @ some.T
