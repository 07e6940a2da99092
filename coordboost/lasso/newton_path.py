r"""The Lasso path of a loss of exponential form by proximal Newton steps, in compiled code.

For each penalty, largest first, steps are made until the duality gap over all learners is met:

1. the gap: on the working set, and by a scan of all learners where that is small enough, or costs
   little. Learners whose correlation reaches the penalty join the set; at the first step of a
   penalty those that may reach it by the strong rule;
2. a quadratic model, in the metric of the curvatures of an earlier point as long as steps in it
   leave only a small part of the gap. Columns that join get their products in that metric;
3. coordinate descent on its Gram matrix until the gap of the model is small; where that is slow,
   as along the directions that separate classes, steps at fixed signs, as for other blocks;
4. a step there, halved until the objective falls. The intercept, if it is free, has its best value
   after every step.

The dual point is orthogonal to constants even where the residuals do not quite sum to 0, and its
gap needs no logarithms: see ``losses/exponential.py``. The penalty may have quadratic terms and
limits: see ``lasso/penalty.py``. The quadratic terms are extra rows of the squared loss. The steps
are in ``lasso/newton_steps.py``.

A call of `follow_path` ends after so much work, so that Ctrl-C is heard between two calls, and
where the arrays have to grow.

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent*; Tibshirani et al., *Strong rules for discarding predictors in lasso-type
problems*; Lee, Sun, Saunders, *Proximal Newton-type methods for minimizing composite functions*.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._numba import compiled
from coordboost._utils.interrupt import interruptible
from coordboost.lasso.blocks import GramBlock
from coordboost.lasso.newton_steps import (
    BASE,
    INEXACT,
    INTERCEPT_ROWS,
    LEARNER,
    LOWER,
    MEMBER_ROWS,
    MODEL_GRAD,
    PRED,
    RIDGE,
    SAMPLE_ROWS,
    SOLUTION,
    TARGET,
    UPPER,
    first_record,
    form_model,
    keep,
    let_join,
    make_step,
    measure_gap,
    minimise_model,
    start_model,
)
from coordboost.lasso.path_columns import path_columns
from coordboost.lasso.workingset import GOAL, SMALLEST_GAP, Solved
from coordboost.losses.exponential import form_at

#: After a step that leaves a larger part of the gap, the metric is renewed.
SLOW = 0.2
#: MOST: most steps for a penalty. IDLE: most steps in a row that lower the gap by less than 1 %.
MOST, IDLE = 600, 4
#: A gap of this part of the loss at 0 may be nothing but rounding: then it is the answer.
ROUNDED = 1e-13
#: Learners that the arrays have room for at the start, and at most.
ROOM, LARGEST = 64, 4096
#: Multiplications of one call of `follow_path`: some tenths of a second.
WORK = 2.0e8
#: Most steps at fixed signs for one quadratic model.
TURNS = 20
#: Why `follow_path` returns.
GOING_ON, ENDED, NO_ROOM, STUCK, SLOW_MODEL = 0, 1, 2, 3, 4


def follow_path(
    form,
    columns,
    samples,
    intercepts,
    learners,
    corr,
    index,
    everyone,
    members,
    gram,
    means,
    coefs,
    shifts,
    solutions,
    at,
):
    """Solve for one penalty after the other: see ``lasso/newton_steps.py`` for the arrays.

    Return why it ended: the last penalty, enough work for one call, no room, steps without
    progress, or a model that coordinate descent hardly lowers.
    """
    at.work = 0.0
    while at.k < len(solutions):
        if at.begun and at.turns == 0:  # else a step without learners finds the intercept
            if at.work > WORK:
                return GOING_ON
            measure_gap(columns, samples, learners, corr, index, members, at)
            if at.gap <= at.goal or at.forced:
                keep(learners, intercepts, index, members, coefs, shifts, solutions, at)
                if at.interrupted:
                    return ENDED
                continue
            at.idle = 0 if at.gap <= 0.99 * at.best else at.idle + 1
            at.best = min(at.best, at.gap)
            if 0.1 * at.last < at.gap <= at.rounding:
                at.forced = 1
                continue
            if at.idle > at.patience or at.steps == MOST:
                return STUCK
            if at.scanned and not let_join(learners, corr, index, members, at):
                return NO_ROOM
            if at.gap > SLOW * at.last and not at.renewed:
                at.in_gram = 0
            at.renewed = 1 if at.in_gram == 0 else 0
            at.last = at.gap
            form_model(columns, samples, index, members, gram, means, at)
            start_model(members, gram, at)
            at.steps += 1
            at.work += float(samples.shape[1]) * (at.m + 10)
        if at.begun:
            solved = minimise_model(everyone, members, gram, at)
            if not solved and at.turns < TURNS and not at.forced:
                at.turns += 1
                return SLOW_MODEL
            at.turns = 0
        step = make_step(form, columns, samples, intercepts, index, members, means, at)
        if not at.begun:
            at.begun = 1
            if not math.isfinite(at.loss + at.sum_h):
                return STUCK
        if step < 1.0:
            at.in_gram = 0
            if step == 0.0:
                at.idle += at.patience
    return ENDED


class SetArrays(NamedTuple):
    """The arrays that grow with the working set.

    learner, members, gram, means : `index` and the others of ``lasso/newton_steps.py``
    everyone : 0, 1, ...
    coefs : (n_lams, room), the coefficients of the solutions
    """

    learner: np.ndarray
    everyone: np.ndarray
    members: np.ndarray
    gram: np.ndarray
    means: np.ndarray
    coefs: np.ndarray


class NewtonPath:
    """A path of a loss of exponential form, or of the multinomial loss, on stored columns.

    Parameters
    ----------
    form : ExponentialForm or ClassForm
        The losses.
    table : PathColumns
        The learners.
    penalty : Penalty
        At lam = 1, with an l1 part.
    base : ndarray
        The predictions without coefficients, for all samples; of several intercepts, one after the
        other.
    null_loss, infimum : float
        The loss at 0 less the infimum, and the infimum.
    lams : ndarray, (n_lams,), decreasing
    tol : float
        The gap to reach, over the loss at 0.
    free : bool
        Whether to fit the intercepts.
    n_shifts : int
        Number of intercepts.
    patience : int
        Most steps in a row that hardly lower the gap.

    Attributes
    ----------
    done : int
        Number of penalties that are solved.
    shifts : ndarray, (n_lams, n_shifts)
        Of those: the intercepts less those at the start.
    """

    @classmethod
    def of(cls, columns, lams, tol, free):
        """The path of the loss of a problem, or None where it has no such form, the learners are
        not stored, or the penalty is ridge alone.

        Parameters
        ----------
        columns : ScaledColumns, not weighted
        """
        problem = columns.problem
        form = form_at(problem)
        table = path_columns(columns)
        if form is None or table is None or columns.penalty.lam == 0:
            return None
        base = np.full(problem.n_samples, problem.base, dtype=np.float64)
        infimum = float(problem.infimum)
        null_loss = problem.start_excess
        return cls(form, table, columns.penalty, base, null_loss, infimum, lams, tol, free)

    def __init__(
        self,
        form,
        table,
        penalty,
        base,
        null_loss,
        infimum,
        lams,
        tol,
        free,
        n_shifts=1,
        patience=IDLE,
    ):
        self.null_loss = null_loss
        self.n_learners = len(penalty.ridge)
        self.form = form
        self.table = table
        self.penalty = penalty
        self.samples = np.zeros((SAMPLE_ROWS, len(base)))
        self.samples[BASE] = base
        self.samples[PRED] = base
        self.intercepts = np.zeros((INTERCEPT_ROWS, n_shifts))
        self.learners = np.zeros(self.n_learners, dtype=LEARNER)
        self.learners["ridge"] = penalty.ridge
        self.learners["lower"] = penalty.lower
        self.learners["upper"] = penalty.upper
        self.corr = np.zeros(self.n_learners)
        self.shifts = np.zeros((len(lams), n_shifts))
        self.solutions = np.zeros(len(lams), dtype=SOLUTION)
        self.solutions["lam"] = lams
        self.set = self._working_set(min(ROOM, self.n_learners))
        self.at = first_record(
            lams[0],
            goal=max(GOAL * tol, SMALLEST_GAP) * null_loss,
            rounding=ROUNDED * null_loss,
            free=free,
            infimum=infimum,
            patience=patience,
            scan_cost=table.scan_cost,
        )
        self.compiled_path = compiled(follow_path, (form, table))

    @property
    def done(self):
        return int(self.at.k)

    def run(self):
        """Solve for the penalties until the last one, an interruption, or no progress.

        Return whether it was interrupted. Then the model of the first penalty is kept, even if it
        is not finished.
        """
        with interruptible(lambda: self.done == 0) as interrupted:
            why = GOING_ON
            while why in (GOING_ON, NO_ROOM, SLOW_MODEL):
                why = self._follow()
                if why == SLOW_MODEL:
                    self._step_at_signs()
                if why == NO_ROOM:
                    if self.at.wanted > LARGEST:
                        break
                    self._make_room()
                if why != ENDED and interrupted():
                    if self.done == 0:
                        self.at.interrupted = 1
                        self.at.forced = 1
                        self._follow()
                    return True
        return False

    def _follow(self):
        return self.compiled_path(
            self.form,
            self.table,
            self.samples,
            self.intercepts,
            self.learners,
            self.corr,
            *self.set,
            self.shifts,
            self.solutions,
            self.at,
        )

    def _step_at_signs(self):
        """Move the target to the minimiser of the quadratic model at its signs."""
        m = self.at.m
        members = self.set.members[:, :m]
        block = GramBlock(self.set.gram, None, members[MODEL_GRAD], 0.0)
        cost = self.penalty._replace(
            lam=self.at.lam, ridge=members[RIDGE], lower=members[LOWER], upper=members[UPPER]
        )
        block.step_at_signs(members[TARGET], cost, INEXACT * self.at.gap)

    def _make_room(self):
        """Enlarge the arrays of the working set."""
        wanted = int(self.at.wanted)
        room = min(max(2 * wanted, 2 * ROOM), self.n_learners, max(LARGEST, wanted))
        old = self.set
        self.set = self._working_set(room)
        for before, after in zip(old, self.set, strict=True):
            after[tuple(map(slice, before.shape))] = before

    def _working_set(self, room):
        """A working set without learners, with room for so many."""
        return SetArrays(
            learner=np.zeros(room, dtype=np.int64),
            everyone=np.arange(room),
            members=np.zeros((MEMBER_ROWS, room)),
            gram=np.zeros((room, room)),
            means=np.zeros(room * len(self.intercepts[0])),
            coefs=np.zeros((len(self.solutions), room)),
        )

    def solved(self):
        """The models so far, a `Solved`."""
        done = self.done
        coefs = self.set.coefs[:done, : self.at.m]
        used = coefs != 0.0
        stops = np.append(0, np.cumsum(np.count_nonzero(used, axis=1)))
        learner = self.set.learner[np.nonzero(used)[1]]
        shape = (done, self.n_learners)
        return Solved(
            scipy.sparse.csr_array((coefs[used], learner, stops), shape=shape),
            self.solutions["gap"][:done] / self.null_loss,
            int(self.at.scans),
            self.shifts[:done, 0],
        )
