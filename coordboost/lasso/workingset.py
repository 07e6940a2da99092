"""The outer loop of every Lasso solver here: fit on a working set, check all learners, keep the best, recruit.

What differs is how the Lasso is fitted on the working set. An *inner solver* has

    null                  the loss at 0
    level                 the largest abs correlation at the last look at all learners
    n_scans               scans so far
    penalise(lam)         the penalty is now `lam`
    recruit(level)        learners whose correlation, known from that look, reaches `level` join the set; whether any is new
    fit(lam, goal)        towards a gap of at most `goal` on the working set; whether it was reached
    check(lam, wanted)    the certified gap over all learners (`wanted` is small enough); a look at all of them, or as good
    gap(lam, wanted)      the same for a point that was checked, at another penalty; or a bound of it, where that is above `wanted`
    model()               learners, their coefficients

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent* (active sets);
Tibshirani et al., *Strong rules for discarding predictors in lasso-type problems*.
"""

import math
from typing import NamedTuple

import numpy as np

#: Part of the tolerance asked for on the working set: what is left covers rounding and learners outside.
SHARE = 0.9
#: Learners whose correlation at the last scan was nearer than this to the penalty join the working set at once, however long ago it was.
NEAR = 0.96
#: A model serves for penalties down to this part of the one it was found for, where it is good enough: steps stay short.
LASTS = 0.8
#: Checks without a new learner or a smaller gap that are let pass.
TRIES = 6


class Answer(NamedTuple):
    """Learners, their coefficients, and the certified gap over the loss at 0."""

    learner: np.ndarray
    value: np.ndarray
    gap: float


class WorkingSet:
    """Solve for one penalty after the other, largest first."""

    def __init__(self, inner):
        self.inner, self.found_for = inner, math.inf

    def solve(self, lam, tol, interrupted=lambda: False):
        """The `Answer` at `lam`, its gap at most `tol` unless rounding or an interruption ends the work before."""
        inner, null = self.inner, self.inner.null
        wanted = tol * null
        inner.penalise(lam)
        best, at = inner.gap(lam, wanted), inner.model()
        if best > wanted or lam < LASTS * self.found_for:
            self.found_for = lam
            if inner.level > lam:
                inner.recruit(max(2 * lam - inner.level, NEAR * lam))
            goal, tries = SHARE * wanted, 0
            while tries < TRIES:
                reached = inner.fit(lam, goal)
                gap = inner.check(lam, wanted)
                tries = 0 if gap <= SHARE * best else tries + 1
                if gap < best:
                    best, at = gap, inner.model()
                if best <= wanted or interrupted():
                    break
                if inner.recruit(lam):
                    tries = 0
                elif reached:
                    goal *= 0.1
        return Answer(*at, max(best, 0.0) / null if null > 0 else 0.0)

    def path(self, lams, tol, interrupted=lambda: False):
        """The answers at `lams`, decreasing; fewer where `interrupted()` says so on the way."""
        answers = []
        for lam in lams:
            if answers and interrupted():
                break
            answers.append(self.solve(float(lam), tol, interrupted))
        return answers
