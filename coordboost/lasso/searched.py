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

from coordboost._numba import compiled
from coordboost._numba.threads import one_thread
from coordboost._utils.checks import shown
from coordboost._utils.interrupt import interruptible
from coordboost.certificates.objectives import Evaluation
from coordboost.data import validation
from coordboost.data.column_store import HeldColumns
from coordboost.data.problem import Problem
from coordboost.data.standardize import Standardization
from coordboost.lasso.descent import GramSet
from coordboost.lasso.gaps import reliable_gaps
from coordboost.lasso.inputs import closing_message, given_penalties, penalty_grid
from coordboost.lasso.newton import FreeNewton, Newton, Reach
from coordboost.lasso.objective import BALANCED, Objective
from coordboost.lasso.penalty import Penalty, duality_gap
from coordboost.lasso.workingset import CROWD, InnerSolver, Solved, by_working_sets
from coordboost.learners.base import LearnerFamily
from coordboost.paths.intercept import best_shift

#: Most learners of a working set.
MOST = 1 << 16
#: The level of a search is the penalty times 1 + 2^k, k one of these.
EXPONENTS = range(-40, 10)
#: Relative rounding of correlations, and of the bounds of a search.
NEAR = 1e-12
LOOSE = 1 + 4e-9


class FoundColumns:
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
    """

    #: All learners have the same penalty, and correlations of a few cost only their share.
    scale = None
    apart = True
    doubt = 1.0

    def __init__(self, problem, weighted):
        self.problem = problem
        self.bank = problem.dictionary
        self.n_samples = problem.n_samples
        self.root = np.sqrt(problem.weight) if weighted and (problem.weight != 1).any() else None
        self.y = self._weighted(problem.y)
        self.zero = np.zeros(0)
        self.pending = {}
        self.largest = math.inf
        self.n_searches = 0
        self.was_cut = False
        self.interrupted = None

    def _weighted(self, v):
        return v if self.root is None else self.root * v

    @property
    def n_learners(self):
        """The number of learners found so far."""
        return self.bank.n_learners

    @property
    def penalty(self):
        """The penalty of the set at lam = 1."""
        return Penalty.plain(self.n_learners)

    def hold(self, with_gram=False, columns=True):
        """Return a store for columns of learners."""
        return HeldColumns(self.gather, MOST, self.n_samples, with_gram)

    def gather(self, index, out):
        """Fill `out` (len(index), n_samples) with the columns `index`, one in a row."""
        out[:] = self.problem.gather(index).T
        if self.root is not None:
            out *= self.root

    def norm_bound(self, learners):
        """The norm of the columns."""
        return 1.0

    def scan(self, resid):
        """The correlations of the learners found so far, (n_learners,)."""
        return self.bank.correlations(self._weighted(resid), range(self.n_learners))

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
        if self.largest == math.inf and not (self.interrupted and self.interrupted()):
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

    source : FoundColumns
    corr : ndarray, the correlations of learners of the set at the last check
    """

    source: FoundColumns
    corr: np.ndarray
    lam = 0.0

    def violators(self, level):
        return self.source.numbered(level)

    def gap(self):
        return self._gap_beside(self.source.largest)

    @abstractmethod
    def _gap_beside(self, largest):
        """The gap where no correlation outside the set exceeds `largest`."""

    def _look_outside(self, resid, wanted):
        """Search learners that a gap of `wanted` may need."""
        own = float(np.abs(self.corr).max(initial=0.0))
        self.source.search(resid, level_of_search(self.lam, wanted, own, self._gap_beside))
        self._take_over()

    def _take_over(self):
        """Take over what the last search found out."""
        self.abs_corr = np.append(np.abs(self.corr), self.source.largest)
        self.exhausted = self.source.was_cut
        self.n_scans = self.source.n_searches


class SearchedDescent(Searched):
    """The Lasso of the squared loss: coordinate descent on the set, and searches.

    Parameters
    ----------
    source : FoundColumns

    Attributes
    ----------
    set : GramSet
    sums : (float, float)
        <r, r> and <r, y - r> at the last check.
    """

    def __init__(self, source):
        self.source = source
        self.set = GramSet(source, many=False)
        self.null_loss = float(source.y @ source.y) / 2
        self.duality_gap = compiled(duality_gap)
        self.corr = np.zeros(0)
        self.sums = (float(source.y @ source.y), 0.0)
        self._take_over()

    @property
    def learner(self):
        return self.set.learner

    @property
    def gamma(self):
        return self.set.gamma

    def set_penalty(self, lam):
        self.lam = lam
        self.penalty = self.source.penalty.at(lam, self.learner)

    def add(self, learners):
        self.set.add(learners)
        self.set_penalty(self.lam)

    def fit(self, goal):
        return self.set.minimise(self.gamma, self.penalty, goal, 0) <= goal

    def check(self, wanted):
        """*Cost*: the correlations of the set, and a search."""
        resid = self.set.residual()
        self.corr = self.set.correlations(resid)
        self.set.go_on_from(resid, self.corr)
        self.sums = float(resid @ resid), float(resid @ (self.source.y - resid))
        self._look_outside(resid, wanted)
        return self.gap()

    def _gap_beside(self, largest):
        m = len(self.corr)
        coef = np.append(self.gamma[:m], 0.0)
        penalty = Penalty.plain(m + 1, self.lam)
        square, along = self.sums
        corr = np.append(self.corr, largest)
        return self.duality_gap(coef, corr, square / 2, math.nan, along, *penalty.kernel_args)


class SearchedNewton(Searched, Newton):
    """Newton's method and searches."""

    wanted = 0.0

    def add(self, learners):
        super().add(learners)
        # of the last residual: learners join only after a check
        self.corr = self.source.scan(self.resid)
        self._take_over()

    def check(self, wanted):
        self.wanted = wanted
        return super().check(wanted)

    def _scan(self):
        self.corr = self.source.scan(self.resid)
        if self.lam > 0:
            self._look_outside(self.resid, self.wanted)
        else:  # the first search was made before
            self._take_over()

    def _gap_beside(self, largest):
        gamma = np.zeros(self.source.n_learners)
        gamma[self.learner] = self.gamma
        corr = np.array([max(largest, float(np.abs(self.corr).max(initial=0.0)))])
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
    with one_thread(), interruptible(lambda: True) as interrupted:
        source = FoundColumns(problem, weighted=squared)
        top = source.search(_start(problem, source, free), -1.0)
        source.interrupted = interrupted
        total = problem.total_weight
        least = _at_zero(problem).rounding_of_corr(problem) / total
        if alphas is None:
            alphas = penalty_grid(n_alphas, eps, top / total, least)
        else:
            alphas = given_penalties(alphas)
        if interrupted():
            raise KeyboardInterrupt
        best = source.numbered(0.0)
        if problem.start_excess == 0 or top == 0:
            solved = Solved.constant(len(alphas), MOST)
        elif alphas[-1] == 0:
            raise ValueError(
                "alphas must be > 0 for learners found by a search: without a penalty all of them "
                "may be needed."
            )
        else:
            inner = _inner_solver(source, squared, free)
            inner.add(best)
            solved = by_working_sets(inner, MOST, alphas * total, tol)
        cut = interrupted()
    return _finished(problem, source, solved, alphas, tol, free, cut)


def _at_zero(problem):
    pred = np.zeros(problem.n_samples)
    return Evaluation(np.zeros(0), pred, problem.start_loss, problem.resid(pred), None)


def _start(problem, source, free):
    """The residual of the constant model; with the best constant, if it is free."""
    if problem.loss.quadratic:
        return source.y
    pred = np.zeros(problem.n_samples)
    resid = problem.resid(pred)
    if free and abs(resid.sum()) > BALANCED * np.abs(resid).sum():
        resid = problem.resid(pred + best_shift(problem, pred))
    return resid


def _inner_solver(source, squared, free):
    if squared:
        return SearchedDescent(source)
    if free:
        return SearchedFreeNewton(source, FoundReach(source).gap)

    def judge(lam, *point):
        target = source.penalty.target(lam)
        return target.certificate(source.problem, Evaluation(*point)).gap

    return SearchedNewton(source, judge)


class FoundReach(Reach):
    """How far the intercept can be from the start: bounds come from the search."""

    def __init__(self, source):
        super(Reach, self).__init__(source.problem)
        self.source = source

    @property
    def penalty(self):
        """The penalty of the learners found so far."""
        return self.source.penalty


def _finished(problem, source, solved, alphas, tol, free, cut):
    """The path of the models of a `Solved`, with the learners that they use alone."""
    used = np.unique(solved.coefs.indices)
    used = used if len(used) else np.zeros(1, dtype=np.int64)
    n = len(used)
    found = problem.replace(
        dictionary=source.bank.only(used), standardization=Standardization.identity(n)
    )
    ones = np.ones(n)
    limits = np.full((2, n), math.inf) * [[-1.0], [1.0]]
    objective = Objective(found, np.ones((2, n)), limits, 1.0, free, ones, 1.0)
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
