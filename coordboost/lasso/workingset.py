"""The outer loop of the Lasso solvers with working sets: fit on the set, check all learners, keep
the best model, recruit learners.

The solvers differ only in the fit on the working set. An *inner solver* has

    null                  the loss at 0
    size, level           (n_learners,), abs correlations at the last check of all learners, or
                          bounds of them; the largest
    n_scans               number of scans so far
    near                  learners whose correlation at the last check reaches this part of the
                          penalty join before a fit, however old the check is: less than 1 where a
                          fit costs more than a learner
    penalise(lam)         set the penalty to `lam`
    waiting(level)        learners outside the set whose correlation at the last check, perhaps
                          extrapolated, reaches `level`, in order
    recruit(new)          add the learners `new`, at least one, to the set
    fit(lam, goal)        fit on the working set to a gap of at most `goal`; whether it was reached
    check(lam, wanted)    check all learners; the certified gap over all of them, where a gap of
                          `wanted` is enough
    gap(lam, wanted)      the certified gap of the point checked last, at another penalty; or an
                          upper bound, if that exceeds `wanted`
    model()               learners, their coefficients

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent* (active sets); Tibshirani et al., *Strong rules for discarding predictors in
lasso-type problems*; Massias, Gramfort, Salmon, *Celer: a fast solver for the Lasso with dual
extrapolation* (working sets that grow).
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._utils.interrupt import interruptible

#: Smallest gap sought, relative to the loss at 0: a gap is a difference of numbers of that size.
LEAST = 4 * float(np.finfo(float).eps)
#: The goal on the working set, as a part of the tolerance: the rest covers rounding and learners
#: outside.
SHARE = 0.9
#: An accurate enough model is kept for smaller penalties, but only down to this part of the penalty
#: it was fitted for: steps stay short.
LASTS = 0.8
#: Maximum number of learners that join at once, or as many as the model has, if more. After a long
#: step nearly all reach the penalty, but few stay in the model.
CROWD = 100
#: While learners that reach the penalty have to wait, a fit goes only to this part of the best gap
#: so far.
ROUGH = 0.1
#: TRIES: maximum number of checks in a row without a new learner or a smaller gap. CHECKS: maximum
#: number of checks for one penalty.
TRIES, CHECKS = 3, 100


class Answer(NamedTuple):
    """Learners, their coefficients, and the certified gap over the loss at 0."""

    learner: np.ndarray
    value: np.ndarray
    gap: float


class Recruited(NamedTuple):
    """Whether learners joined the working set, and whether others have to wait."""

    joined: bool
    crowded: bool


class WorkingSet:
    """Solve for one penalty after the other, largest first.

    `answers`, those that ``path`` has found.
    """

    def __init__(self, inner):
        self.inner = inner
        self.found_for = math.inf
        self.answers = []

    def solve(self, lam, tol, interrupted=lambda: False):
        """Return the `Answer` at `lam`.

        Its gap is at most `tol`, unless rounding, an interruption or the limit of checks ends the
        work.
        """
        inner = self.inner
        null = self.inner.null
        wanted = tol * null
        inner.penalise(lam)
        best = inner.gap(lam, wanted)
        at = inner.model()
        if best > wanted or lam < LASTS * self.found_for:
            self.found_for = lam
            crowded = (
                inner.level > lam
                and self._recruit(max(2 * lam - inner.level, inner.near * lam)).crowded
            )
            least = LEAST * null
            goal = max(SHARE * wanted, least)
            tries = 0
            for _ in range(CHECKS):
                near = max(goal, ROUGH * best) if crowded and best < math.inf else goal
                reached = inner.fit(lam, near)
                gap = inner.check(lam, wanted)
                tries = 0 if gap <= SHARE * best < math.inf or gap < best == math.inf else tries + 1
                if gap < best:
                    best = gap
                    at = inner.model()
                if best <= wanted or interrupted():
                    break
                joined, crowded = self._recruit(lam)
                if joined:
                    tries = 0
                elif tries == TRIES:
                    break
                elif reached and near == goal:
                    goal = max(0.1 * goal, least)
        return Answer(*at, max(best, 0.0) / null if null > 0 else 0.0)

    def _recruit(self, level):
        """Add the learners that reach `level` to the set.

        If they are too many, those with the largest correlations.
        """
        inner = self.inner
        new = self.inner.waiting(level)
        most = max(CROWD, len(inner.model()[0])) if len(new) > CROWD else CROWD
        if crowded := len(new) > most:
            new = np.sort(new[np.argsort(-inner.size[new], kind="stable")[:most]])
        if len(new):
            inner.recruit(new)
        return Recruited(len(new) > 0, crowded)

    def path(self, lams, tol, interrupted=lambda: False):
        """Return the answers at the decreasing `lams`.

        Fewer of them once `interrupted()` is true.
        """
        for lam in lams:
            if self.answers and interrupted():
                break
            self.answers.append(self.solve(float(lam), tol, interrupted))
        return self.answers


def along(columns, inner, lams, tol):
    """Solve for the penalties `lams` by working sets with an inner solver, largest penalty first,
    until interrupted.

    Return coefficients, CSR array (n_done, n_learners), their gaps (n_done,), and the number of
    scans.
    """
    solver = WorkingSet(inner)
    with interruptible(lambda: not solver.answers) as interrupted:
        answers = solver.path(lams, tol, interrupted)
    stops = np.cumsum([0] + [len(answer.learner) for answer in answers])
    learner = np.concatenate([stops[:0]] + [answer.learner for answer in answers])
    value = np.concatenate([np.zeros(0)] + [answer.value for answer in answers])
    gammas = scipy.sparse.csr_array(
        (value, learner, stops), shape=(len(answers), columns.n_learners)
    )
    return gammas, np.array([answer.gap for answer in answers]), inner.n_scans
