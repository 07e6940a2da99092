"""The outer loop of every Lasso solver here: fit on a working set, check all learners, keep the best, recruit.

What differs is how the Lasso is fitted on the working set. An *inner solver* has

    null                  the loss at 0
    size, level           (n_learners,), abs correlations at the last look at all learners, or bounds of them; the largest
    n_scans               scans so far
    near                  learners whose correlation at the last look reaches this part of the penalty join before a fit, however long
                          ago it was: less than 1 where a fit costs more than a learner
    penalise(lam)         the penalty is now `lam`
    waiting(level)        learners outside the set whose correlation, known from that look, reaches `level`, in order
    recruit(new)          the learners `new`, at least one, join the set
    fit(lam, goal)        towards a gap of at most `goal` on the working set; whether it was reached
    check(lam, wanted)    the certified gap over all learners (`wanted` is small enough); a look at all of them, or as good
    gap(lam, wanted)      the same for a point that was checked, at another penalty; or a bound of it, where that is above `wanted`
    model()               learners, their coefficients

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent* (active sets);
Tibshirani et al., *Strong rules for discarding predictors in lasso-type problems*; Massias, Gramfort, Salmon, *Celer: a fast solver for
the Lasso with dual extrapolation* (working sets that grow).
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._utils.interrupt import interruptible

#: No gap is sought below this part of the loss at 0: it is a difference of numbers as large.
LEAST = 4 * float(np.finfo(float).eps)
#: Part of the tolerance asked for on the working set: what is left covers rounding and learners outside.
SHARE = 0.9
#: A model serves for penalties down to this part of the one it was found for, where it is good enough: steps stay short.
LASTS = 0.8
#: No more learners join at once than the model has, or so many. After a long step nearly all reach the penalty, and few stay in the model.
CROWD = 100
#: While learners that reach the penalty have to wait, a fit goes to this part of the gap known.
ROUGH = 0.1
#: Checks without a new learner or a smaller gap that are let pass; checks for one penalty, at most.
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
    """Solve for one penalty after the other, largest first."""

    def __init__(self, inner):
        self.inner, self.found_for = inner, math.inf

    def solve(self, lam, tol, interrupted=lambda: False):
        """The `Answer` at `lam`, its gap at most `tol` unless rounding, an interruption or the count of checks ends the work before."""
        inner, null = self.inner, self.inner.null
        wanted = tol * null
        inner.penalise(lam)
        best, at = inner.gap(lam, wanted), inner.model()
        if best > wanted or lam < LASTS * self.found_for:
            self.found_for = lam
            crowded = inner.level > lam and self._recruit(max(2 * lam - inner.level, inner.near * lam)).crowded
            least = LEAST * null
            goal, tries = max(SHARE * wanted, least), 0
            for _ in range(CHECKS):
                near = max(goal, ROUGH * best) if crowded and best < math.inf else goal
                reached = inner.fit(lam, near)
                gap = inner.check(lam, wanted)
                tries = 0 if gap <= SHARE * best < math.inf or gap < best == math.inf else tries + 1
                if gap < best:
                    best, at = gap, inner.model()
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
        """Learners that reach `level` join, those of the largest correlations where they are too many; how it went."""
        inner, new = self.inner, self.inner.waiting(level)
        most = max(CROWD, len(inner.model()[0])) if len(new) > CROWD else CROWD
        if crowded := len(new) > most:
            new = np.sort(new[np.argsort(-inner.size[new], kind="stable")[:most]])
        if len(new):
            inner.recruit(new)
        return Recruited(len(new) > 0, crowded)

    def path(self, lams, tol, interrupted=lambda: False):
        """The answers at `lams`, decreasing; fewer where `interrupted()` says so on the way."""
        answers = []
        for lam in lams:
            if answers and interrupted():
                break
            answers.append(self.solve(float(lam), tol, interrupted))
        return answers


def along(columns, inner, lams, tol):
    """Coefficients, CSR array (n_done, n_learners), their gaps (n_done,), and scans, of working sets with an inner solver.

    Largest penalty first, until it is interrupted.
    """
    with interruptible() as interrupted:
        answers = WorkingSet(inner).path(lams, tol, interrupted)
    stops = np.cumsum([0] + [len(answer.learner) for answer in answers])
    learner = np.concatenate([stops[:0]] + [answer.learner for answer in answers])
    value = np.concatenate([np.zeros(0)] + [answer.value for answer in answers])
    gammas = scipy.sparse.csr_array((value, learner, stops), shape=(len(answers), columns.n_learners))
    return gammas, np.array([answer.gap for answer in answers]), inner.n_scans
