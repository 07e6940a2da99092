"""The outer loop of the Lasso solvers with working sets.

Fit on the set, check all learners, keep the best model, add learners.

The solvers differ only in the fit on the working set: each is an `InnerSolver`.

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent* (active sets); Tibshirani et al., *Strong rules for discarding predictors in
lasso-type problems*; Massias, Gramfort, Salmon, *Celer: a fast solver for the Lasso with dual
extrapolation* (working sets that grow).
"""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._utils.interrupt import interruptible

#: Smallest gap sought, relative to the loss at 0: a gap is a difference of numbers of that size.
SMALLEST_GAP = 4 * float(np.finfo(float).eps)
#: The goal on the working set, as a part of the tolerance: the rest covers rounding and learners
#: outside.
GOAL = 0.9
#: An accurate enough model is kept for smaller penalties, but only down to this part of the penalty
#: it was fitted for: steps stay short.
KEPT_DOWN_TO = 0.8
#: Maximum number of learners that join at once, or as many as the model has, if more. After a long
#: step nearly all reach the penalty, but few stay in the model.
CROWD = 100
#: While learners that reach the penalty have to wait, a fit goes only to this part of the best gap
#: so far.
ROUGH = 0.1
#: TRIES: maximum number of checks in a row without a new learner or a smaller gap. CHECKS: maximum
#: number of checks for one penalty.
TRIES, CHECKS = 3, 100
#: Up to this number of penalties, only learners that are needed join the set: the paths are short.
FEW_PENALTIES = 10


class InnerSolver(ABC):
    """Fits the coefficients of a working set of learners, and checks all others.

    Subclasses set the attributes and supply the abstract methods. `WorkingSet` calls
    ``set_penalty``, then ``fit``, ``check`` and ``add`` in turn.
    """

    #: Learners whose correlation at the last check reaches this part of the penalty join before a
    #: fit, however old the check is: less than 1 where a fit costs more than a learner.
    joins_from = 1.0
    #: Whether no further check at this penalty would give a smaller gap: a search was cut short.
    exhausted = False
    #: The loss at 0, less the infimum: gaps are relative to it.
    null_loss: float
    #: Number of scans of all learners so far.
    n_scans: int
    #: Abs correlations at the last check of all learners, or bounds of them, (n_learners,): 0 where
    #: limits exclude the sign.
    abs_corr: np.ndarray
    #: The working set, (m,), to which learners are appended, and its coefficients, (m,).
    learner: np.ndarray
    gamma: np.ndarray

    @abstractmethod
    def set_penalty(self, lam):
        """Set the penalty of the following calls to `lam`."""

    @abstractmethod
    def violators(self, level):
        """Learners outside the set whose correlation reaches `level`, increasing.

        The correlation is that at the last check, perhaps extrapolated.
        """

    @abstractmethod
    def add(self, learners):
        """Add learners, at least one, to the set."""

    @abstractmethod
    def fit(self, goal):
        """Fit on the working set until the gap there is at most `goal`. Return whether it is."""

    @abstractmethod
    def check(self, wanted):
        """Check all learners, and return the certified gap over all of them.

        A gap of `wanted` is enough: a check that shows it may cost less.
        """

    @abstractmethod
    def gap(self):
        """The certified gap of the point checked last at the present penalty, or a bound of it."""


class Answer(NamedTuple):
    """Learners, their coefficients, and the certified gap over the loss at 0."""

    learner: np.ndarray
    value: np.ndarray
    gap: float


class Joined(NamedTuple):
    """Whether learners joined the working set, and whether others have to wait."""

    joined: bool
    crowded: bool


class WorkingSet:
    """Solve for one penalty after the other, largest first, by an `InnerSolver`."""

    def __init__(self, inner):
        self.inner = inner
        self.fitted_for = math.inf

    def solve(self, lam, tol, interrupted=lambda: False):
        """Return the `Answer` at `lam`.

        Its gap is at most `tol`, unless rounding, an interruption or the limit of checks ends the
        work.
        """
        inner = self.inner
        null_loss = inner.null_loss
        wanted = tol * null_loss
        smallest = SMALLEST_GAP * null_loss
        inner.set_penalty(lam)
        best_gap = inner.gap()
        coef = inner.gamma.copy()
        if best_gap > wanted or lam < KEPT_DOWN_TO * self.fitted_for:
            self.fitted_for = lam
            level = float(inner.abs_corr.max())
            crowded = False
            if level > lam:
                crowded = self._let_join(max(2 * lam - level, inner.joins_from * lam)).crowded
            goal = max(GOAL * wanted, smallest)
            tries = 0
            for _ in range(CHECKS):
                rough = crowded and best_gap < math.inf
                fit_goal = max(goal, ROUGH * best_gap) if rough else goal
                reached = inner.fit(fit_goal)
                gap = inner.check(wanted)
                progress = gap <= GOAL * best_gap < math.inf or gap < best_gap == math.inf
                tries = 0 if progress else tries + 1
                if gap < best_gap:
                    best_gap = gap
                    coef = inner.gamma.copy()
                if best_gap <= wanted or interrupted() or inner.exhausted:
                    break
                joined, crowded = self._let_join(lam)
                if joined:
                    tries = 0
                elif tries == TRIES:
                    break
                elif reached and fit_goal == goal:
                    goal = max(0.1 * goal, smallest)
        support = np.flatnonzero(coef)
        gap = max(best_gap, 0.0) / null_loss if null_loss > 0 else 0.0
        return Answer(inner.learner[support], coef[support], gap)

    def _let_join(self, level):
        """Add the learners that reach `level` to the set.

        If they are too many, those with the largest correlations.
        """
        inner = self.inner
        violators = inner.violators(level)
        limit = max(CROWD, np.count_nonzero(inner.gamma)) if len(violators) > CROWD else CROWD
        crowded = len(violators) > limit
        if crowded:
            largest_first = np.argsort(-inner.abs_corr[violators], kind="stable")
            violators = np.sort(violators[largest_first[:limit]])
        if len(violators):
            inner.add(violators)
        return Joined(len(violators) > 0, crowded)


class Solved(NamedTuple):
    """Models at the first penalties, all of them unless interrupted.

    coefs : CSR array, (n_done, n_learners), of the scaled columns
    gaps : (n_done,), relative to the loss at 0
    n_scans : scans of all learners
    shifts : (n_done,), fitted intercepts, less that at the start; NaN or None if not known
    """

    coefs: scipy.sparse.csr_array
    gaps: np.ndarray
    n_scans: int
    shifts: np.ndarray | None = None

    @classmethod
    def constant(cls, n_lams, n_learners):
        """Coefficients 0, which are optimal."""
        return cls(scipy.sparse.csr_array((n_lams, n_learners)), np.zeros(n_lams), 0)

    def followed_by(self, other):
        """The models of both, those of `other` at smaller penalties."""
        shifts = self.shifts
        if shifts is not None:
            unknown = np.full(len(other.gaps), np.nan) if other.shifts is None else other.shifts
            shifts = np.append(shifts, unknown)
        return Solved(
            scipy.sparse.vstack([self.coefs, other.coefs], format="csr"),
            np.append(self.gaps, other.gaps),
            self.n_scans + other.n_scans,
            shifts,
        )


def by_working_sets(inner, n_learners, lams, tol, exhausted=lambda: False):
    """Solve for the penalties `lams`, largest first, until interrupted; return a `Solved`.

    inner : InnerSolver
    exhausted : callable; True ends the work as an interruption does
    """
    working_set = WorkingSet(inner)
    answers = []
    with interruptible(lambda: not answers) as interrupted:
        for lam in lams:
            if answers and (interrupted() or exhausted()):
                break
            answers.append(working_set.solve(float(lam), tol, interrupted))
    stops = np.cumsum([0] + [len(answer.learner) for answer in answers])
    learner = np.concatenate([stops[:0]] + [answer.learner for answer in answers])
    value = np.concatenate([np.zeros(0)] + [answer.value for answer in answers])
    shape = (len(answers), n_learners)
    coefs = scipy.sparse.csr_array((value, learner, stops), shape=shape)
    gaps = np.array([answer.gap for answer in answers])
    return Solved(coefs, gaps, inner.n_scans)


def mended(solved, missed, others):
    """Replace models of a `Solved` by those of another, for the penalties `missed`, where better.

    missed : (n_missed,), numbers of penalties; `others` has been solved for these
    """
    gaps = solved.gaps.copy()
    missed = missed[: len(others.gaps)]
    better = others.gaps < gaps[missed]
    row = np.arange(len(gaps))
    row[missed[better]] = len(gaps) + np.flatnonzero(better)
    gaps[missed[better]] = others.gaps[better]
    coefs = scipy.sparse.vstack([solved.coefs, others.coefs], format="csr")[row]
    return Solved(coefs, gaps, solved.n_scans + others.n_scans)
