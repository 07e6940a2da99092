"""The Lasso over an implicit dictionary, such as all rules of a table, by column generation.

The working set holds the learners found so far. After a fit on it comes a search among all
learners, for those whose correlation with the residual exceeds a level: the largest bound on the
correlations outside the set for which the duality gap is small enough. The hundred best of them
join the set. If there are none, the search has proved the gap over all learners. So has one that
was cut short, with the bound on what it has left out: the gap is then larger, but true.

Source: Demiriz, Bennett, Shawe-Taylor, *Linear programming boosting via column generation* (2002);
the level and the gap are ours.
"""

import math
from abc import abstractmethod
from bisect import bisect_right
from dataclasses import replace
from inspect import signature

import numpy as np

from coordboost._numba.threads import one_thread
from coordboost._utils.checks import shown
from coordboost._utils.interrupt import interruptible
from coordboost.data import validation
from coordboost.data.column_store import HeldColumns
from coordboost.data.problem import Problem
from coordboost.data.standardize import Standardization
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.descent import GramSet, SquaredLasso
from coordboost.lasso.gaps import reliable_gaps
from coordboost.lasso.inputs import closing_message
from coordboost.lasso.newton import FreeNewton, Newton, judge_of
from coordboost.lasso.objective import Objective
from coordboost.lasso.penalty import Penalty, squared_gap
from coordboost.lasso.workingset import CROWD, InnerSolver, Solved, by_working_sets
from coordboost.learners.base import LearnerFamily

#: Most learners of a working set.
MOST = 1 << 16
#: The level of a search is the penalty times 1 + 2^k, k one of these.
EXPONENTS = range(-40, 10)
#: Relative rounding of correlations, and of the bounds of a search.
NEAR = 1e-12
LOOSE = 1 + 4e-9


class FoundColumns(ScaledColumns):
    """The learners found so far as the columns of a Lasso, and the search for others.

    Attributes
    ----------
    zero : ndarray, (n_learners,)
        Their correlations at 0.
    pending : dict
        What the last search found, and is not yet numbered: learners and their correlations.
    largest : float
        A bound on the correlations of all learners outside the set with the last residual.
    n_searches : int
    was_cut : bool
        Whether the last search ended before its time.

    Parameters
    ----------
    problem : Problem
    interrupted : callable
        Whether a search ends early.
    """

    def __init__(self, problem, interrupted):
        super().__init__(problem, penalty=Penalty.plain(MOST), weighted=problem.loss.quadratic)
        self.bank = problem.dictionary
        self.interrupted = interrupted
        self.zero = np.zeros(0)
        self.pending = {}
        self.largest = math.inf
        self.n_searches = 0
        self.was_cut = False

    def hold(self, with_gram=False, columns=True):
        return HeldColumns(self.gather, MOST, self.n_samples, with_gram)

    def scan(self, resid):
        """The correlations of the learners found so far, (n_learners,)."""
        return self.bank.correlations(self._weighted(resid), range(self.n_learners))

    def sizes(self, resid):
        """A bound on the correlations of all learners, (1,)."""
        return self.problem.scan(resid)

    def search(self, resid, above):
        """Search learners with a correlation above a level; return the largest, or a bound on all.

        Parameters
        ----------
        resid : ndarray, (n_samples,)
        above : float
            At least the largest correlation of the set.
        """
        learners, corr, outside = self.bank.search(
            self._weighted(resid), CROWD, above, self.interrupted
        )
        self.pending = dict(zip(learners, np.abs(corr).tolist(), strict=True))
        self.n_searches += 1
        self.largest = max(outside, max(self.pending.values(), default=0.0))
        self.was_cut = not learners and outside > max(above, 0.0) * LOOSE
        if self.largest == math.inf and not self.interrupted():
            raise ValueError(
                f"lasso_path needs a search that bounds the correlations of all learners: find of "
                f"{type(self.bank.family).__name__} gives no bound."
            )
        return self.largest

    def numbered(self, level):
        """Number the learners of the last search whose correlation reaches `level`."""
        chosen = [learner for learner, corr in self.pending.items() if corr >= level]
        before = self.n_learners
        for learner in chosen:
            self.bank.number_of(learner)
            del self.pending[learner]
        fresh = np.arange(before, self.n_learners)
        self.zero = np.append(self.zero, self.bank.correlations(self._weighted(self.y), fresh))
        return fresh


def level_of_search(lam, wanted, own, gap_beside):
    """Return the largest bound on the correlations outside the set for a gap of `wanted`.

    It is at least the penalty, and the largest correlation of the set.

    own : float, that correlation
    gap_beside : callable, the gap where no correlation outside exceeds its argument
    """
    levels = [lam] + [lam * (1 + 2.0**k) for k in EXPONENTS]
    n_good = bisect_right(levels[1:], wanted, key=lambda level: gap_beside(level * LOOSE))
    return max(levels[n_good], own * (1 + NEAR))


class Searched(InnerSolver):
    """Abstract base: learners outside the set, and bounds on their correlations, are found by
    searches.

    source : FoundColumns, which counts the searches
    corr : ndarray, the correlations of learners of the set at the last check
    """

    source: FoundColumns
    corr: np.ndarray
    n_scans = 0

    @property
    def abs_corr(self):
        """Those of the set, and the bound on all others."""
        return np.append(np.abs(self.corr), self.source.largest)

    @property
    def exhausted(self):
        return self.source.was_cut

    def violators(self, level):
        return self.source.numbered(level)

    def gap(self):
        return self._gap_beside(self.source.largest)

    @abstractmethod
    def _gap_beside(self, largest):
        """The gap where no correlation outside the set exceeds `largest`."""

    def _worst_beside(self, largest):
        """The largest correlation of all learners, if none outside the set exceeds `largest`."""
        return float(np.abs(self.corr).max(initial=largest))

    def _look_outside(self, resid, wanted):
        """Search learners that a gap of `wanted` may need."""
        own = self._worst_beside(0.0)
        self.source.search(resid, level_of_search(self.lam, wanted, own, self._gap_beside))


class SearchedDescent(Searched, SquaredLasso):
    """Coordinate descent for the squared loss, and searches."""

    def __init__(self, source):
        self.source = source
        self.set = GramSet(source, many=False)
        self.null_loss = source.null
        self.corr = np.zeros(0)
        self.sums = (2 * source.null, 0.0)

    def check(self, wanted):
        """*Cost*: the correlations of the set, and a search."""
        resid = self.set.residual()
        self._go_on_from(resid, self.set.correlations(resid))
        self._look_outside(resid, wanted)
        return self.gap()

    def _gap_beside(self, largest):
        l1 = float(np.abs(self.gamma).sum())
        return max(squared_gap(*self.sums, l1, self._worst_beside(largest), self.lam), 0.0)


class SearchedNewton(Searched, Newton):
    """Newton's method and searches."""

    def add(self, learners):
        super().add(learners)
        # of the last residual: learners join only after a check
        self.corr = self.source.scan(self.resid)

    def _scan(self, wanted=0.0):
        self.corr = self.source.scan(self.resid)
        if self.lam > 0:  # the first search was made before
            self._look_outside(self.resid, wanted)

    def _gap_beside(self, largest):
        gamma = np.zeros(self.source.n_learners)
        gamma[self.learner] = self.gamma
        corr = np.array([self._worst_beside(largest)])
        return self.judge(self.lam, gamma, self.pred, self.loss, self.resid, corr)


class SearchedFreeNewton(SearchedNewton, FreeNewton):
    """The same with an intercept."""


def searched_path(problem, alphas, n_alphas, eps, tol, refit_intercept):
    """The Lasso path over all learners of an implicit dictionary; return a `LassoPath`.

    Its problem holds the learners that have a coefficient at any penalty.

    Raises
    ------
    ValueError
        For penalties that are not positive, and a search that gives no bound.
    """
    problem = problem.for_run()
    squared = problem.loss.quadratic
    free = validation.flag("refit_intercept", refit_intercept) and not squared
    objective = Objective.plain(problem, free)
    with one_thread(), interruptible(lambda: True) as interrupted:
        source = FoundColumns(problem, interrupted)
        top = source.search(source.y if squared else objective.resid_of_constant(), -1.0)
        if interrupted():
            raise KeyboardInterrupt
        alphas = objective.grid(source, np.array([top]), alphas, n_alphas, eps)
        best = source.numbered(0.0)
        if problem.start_excess == 0 or top == 0:
            solved = Solved.constant(len(alphas), MOST)
        elif alphas[-1] == 0:
            raise ValueError(
                "alphas must be > 0 for learners found by a search: without a penalty all of them "
                "may be needed."
            )
        else:
            inner = SearchedDescent(source) if squared else _searched_newton(source, free)
            inner.add(best)
            solved = by_working_sets(inner, MOST, objective.lams(alphas), tol)
        cut = interrupted()
    return _finished(problem, source, solved, alphas, tol, free, cut)


def _searched_newton(source, free):
    kind = SearchedFreeNewton if free else SearchedNewton
    return kind(source, judge_of(source, free))


def _finished(problem, source, solved, alphas, tol, free, cut):
    """The path of the models of a `Solved`, with the learners that they use alone."""
    used = np.unique(solved.coefs.indices)
    used = used if len(used) else np.zeros(1, dtype=np.int64)
    found = problem.replace(
        dictionary=source.bank.only(used), standardization=Standardization.identity(len(used))
    )
    objective = Objective.plain(found, free)
    solved = solved._replace(coefs=solved.coefs[:, used], n_scans=source.n_searches - 1)
    path = objective.path(alphas, solved, "search")
    gaps = reliable_gaps(path, objective, math.inf)
    message = closing_message("lasso_path", alphas, gaps, tol, cut)
    return replace(path, gaps=gaps, message=message)


def is_searched(X):
    """Whether X stands for learners that a search finds, with a bound on all others."""
    if isinstance(X, LearnerFamily):
        return not X.newton and (X.bank is None or hasattr(X, "search"))
    return isinstance(X, Problem) and not X.countable and X.dictionary.search is not None


def check_options(path, options):
    """Refuse options of a function that are not for learners found by a search."""
    for name, value in options.items():
        default = signature(path).parameters[name].default
        if value is not default and not (np.isscalar(value) and value == default):
            raise ValueError(
                f"{name} is not for learners found by a search: leave it at {default!r}, got "
                f"{shown(value)}."
            )
