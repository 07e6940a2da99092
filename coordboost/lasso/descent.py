"""The Lasso of the squared loss by coordinate descent on a working set, which is a dense or a
sparse block.

After a fit all learners are checked: by a scan, or one by one those that may reach the penalty
according to the last two scans.

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent*; Massias, Gramfort, Salmon, *Celer* (working sets).
"""

import math
from abc import abstractmethod

import numpy as np

from coordboost._numba import compiled
from coordboost.certificates.sphere import LastScans, Trend, farthest, few_entries
from coordboost.lasso.blocks import Block, EntryBlock, GramBlock
from coordboost.lasso.outside import expected_to_reach, gap_over_all, within_reach
from coordboost.lasso.penalty import Penalty
from coordboost.lasso.workingset import FEW_PENALTIES, InnerSolver, by_working_sets

EPS = float(np.finfo(float).eps)
#: A dictionary that stores more than this share of its entries is treated as dense: then a step
#: with the Gram matrix reads less.
DENSE = 0.15
#: Up to this number, all learners join the working set at the start, if there are many penalties
#: and twice as many samples.
SMALL = 2048
#: Up to this number they do so for any number of penalties: their Gram matrix costs no more than
#: the checks that it saves.
FEW_COLUMNS = 32
#: On entries steps at fixed signs begin after the first turn of sweeps for gaps up to this part of
#: the loss at 0: larger gaps mostly need few sweeps.
FINE = 1e-4
#: Rounds of sweeps in a turn on dense columns, beyond those of a quadratic model: from one penalty
#: to the next they mostly suffice, and a step at fixed signs costs more.
MORE_ROUNDS = 12
#: With quadratic terms the gap is of second order in the coefficients: for gaps up to this part of
#: the loss at 0 a fit ends with a step at fixed signs, which makes them as accurate as rounding
#: allows.
FINEST = 1e-10
#: Largest rounding of the Gram form, as a part of the wanted gap.
ROUNDED = 0.05
#: BESIDE: learners whose correlation may exceed this part of the penalty are evaluated one by one.
#: FEW: for more than this share, scan all.
BESIDE, FEW = 0.9, 0.25
#: Learners join before a fit if their correlation, extrapolated from the last two checks, reaches
#: this part of the penalty: a learner that is missing costs another fit.
EXPECTED = 0.99


def few_stored(dictionary):
    """Whether a dictionary is stored sparsely, with a share of at most ``DENSE`` of its entries."""
    size = dictionary.n_samples * dictionary.n_learners
    return dictionary.entries and len(dictionary.data) <= DENSE * size


class SquaredSet(Block):
    """The working set of a squared loss: a block that grows, and the model on it.

    Attributes
    ----------
    learner, gamma, ridge : ndarray, (m,)
        The learners, their coefficients, and the quadratic part of the penalty.
    """

    #: Whether correlations of a few learners cost only their share of a scan.
    scans_few: bool
    #: Learners outside are evaluated one by one from this part of the penalty on.
    beside: float
    #: Whether the set has columns: without, correlations take a scan.
    has_columns: bool
    learner: np.ndarray
    gamma: np.ndarray
    ridge: np.ndarray

    @abstractmethod
    def set_ridge(self, ridge):
        """Change the quadratic part of the penalty to `ridge` (m,)."""

    @abstractmethod
    def add(self, learners):
        """Add learners with coefficients 0."""

    @abstractmethod
    def residual(self):
        """The residual, computed anew, (n_samples,)."""

    @abstractmethod
    def correlations(self, v):
        """The inner products of the columns with `v` (n_samples,), (m,)."""

    @abstractmethod
    def go_on_from(self, resid, corr):
        """Take over a residual that was computed anew, and the correlations with it."""

    @abstractmethod
    def errors(self, about):
        """Bounds of the errors of the correlations of all learners in an ``About`` the present
        residual: a factor, and an array (n_learners,).
        """

    def sweeps_alone(self, goal):
        """Number of turns of sweeps before steps at fixed signs, for a gap of `goal`."""
        return 0

    def certified_alone(self, wanted):
        """<r, r> and the correlations, if all learners are in the set and its own numbers give a
        gap of `wanted` accurately enough; else None.
        """
        return None


class GramSet(GramBlock, SquaredSet):
    """The working set with its Gram matrix.

    Attributes
    ----------
    store : HeldColumns
        Its columns and Gram matrix.
    squares : ndarray, (m,)
        The diagonal of the Gram matrix without the ridge.
    rounding : float
        Bound of the rounding of a squared norm.
    """

    def __init__(self, source, many):
        nothing = np.zeros(0)
        self.source = source
        self.store = source.hold(with_gram=True, columns=False)
        # no optimum needs more learners; memory that is not used is not touched
        if many and source.n_samples <= SMALL:
            self.store.reserve(source.n_samples)
        null_loss = float(source.y @ source.y) / 2
        super().__init__(self.store.gram, nothing, nothing, null_loss)
        self.gamma = nothing
        self.squares = nothing
        self.ridge = nothing
        self.scans_few = source.apart
        self.beside = BESIDE if source.apart else 1.0
        self.has_columns = self.store.entries is None
        self.norm = np.full(source.n_learners, source.norm_bound(slice(None)))
        self.rounding = 2 * EPS * math.sqrt(source.n_samples) * source.doubt

    @property
    def learner(self):
        return self.store.learner

    def rounds(self, coef):
        return super().rounds(coef) + MORE_ROUNDS

    def set_ridge(self, ridge):
        m = len(ridge)
        np.einsum("ii->i", self.gram[:m, :m])[:] = self.squares + ridge
        self.neg_grad -= (ridge - self.ridge) * self.gamma
        self.ridge = ridge

    def add(self, learners):
        m = len(self.store)
        self.store.add(learners)
        self.gram = self.store.gram
        rows = self.gram[m : m + len(learners)]
        start = self.source.zero[learners]
        zeros = np.zeros(len(learners))
        self.start = np.append(self.start, start)
        self.neg_grad = np.append(self.neg_grad, start - rows[:, :m] @ self.gamma)
        self.squares = np.append(self.squares, rows.diagonal(m))
        self.ridge = np.append(self.ridge, zeros)
        self.gamma = np.append(self.gamma, zeros)

    def residual(self):
        if self.has_columns:
            return self.source.y - self.store.combine(self.gamma)
        gamma = np.zeros(self.source.n_learners)
        gamma[self.learner] = self.gamma
        return self.source.y - self.source.combine(gamma)

    def correlations(self, v):
        return self.store.correlations(v)

    def go_on_from(self, resid, corr):
        self.neg_grad = corr - self.ridge * self.gamma

    def errors(self, about):
        return farthest(0.0, about.off, 1.0), self.norm

    def certified_alone(self, wanted):
        m = len(self.gamma)
        size = float(np.abs(self.gamma).sum()) + math.sqrt(2 * self.loss)
        if m < self.source.n_learners or self.rounding * size * size > ROUNDED * wanted:
            return None
        support = np.flatnonzero(self.gamma)
        self.neg_grad = self.start - self.gamma[support] @ self.gram[support, :m]
        corr = self.neg_grad + self.ridge * self.gamma
        return max(2 * self.loss - float(self.gamma @ (self.start + corr)), 0.0), corr


class EntrySet(EntryBlock, SquaredSet):
    """The working set on the nonzeros of sparse columns; weights scale the rows.

    Attributes
    ----------
    count, norm, l1, shifts : ndarray, (n_learners,)
        Of all columns: the number of entries, their norm and l1 norm; the abs shift.
    """

    scans_few = True
    beside = 1.0
    has_columns = True

    def __init__(self, source):
        self.source = source
        self.dictionary = source.problem.dictionary
        self.entries = self.dictionary.csc()
        self.root = np.ones(source.n_samples) if source.root is None else source.root
        self.scale = np.ones(source.n_learners) if source.scale is None else source.scale
        self.learner = np.zeros(0, dtype=np.int64)
        self.gamma = np.zeros(0)
        self.ridge = np.zeros(0)
        super().__init__(self.dictionary, self.entries, self.learner, self.gamma, self.root)
        self.start_from(source.y, source.y.copy())
        everything = EntryBlock(self.dictionary, self.entries, slice(None), self.scale, self.root)
        self.everything = everything
        self.count = np.diff(everything.x.indptr)
        self.norm = np.sqrt(everything.column_sums(everything.x.data**2))
        self.l1 = everything.column_sums(np.abs(everything.x.data))
        self.shifts = np.abs(everything.shift)

    def set_ridge(self, ridge):
        self.ridge = ridge

    def add(self, learners):
        zeros = np.zeros(len(learners))
        self.learner = np.append(self.learner, learners)
        self.gamma = np.append(self.gamma, zeros)
        self.ridge = np.append(self.ridge, zeros)
        self.append(self.everything, learners)

    def sweeps_alone(self, goal):
        return 0 if goal <= FINE * self.source.null else 1

    def residual(self):
        return self.source.y - self.combine(self.gamma)

    def go_on_from(self, resid, corr):
        self.start_from(self.source.y, resid)

    def errors(self, about):
        """Only few entries of what is unknown count for a column with few entries."""
        unknown = about.rest
        of_few = few_entries(unknown, int(self.count.max(initial=0)))
        largest = float(np.abs(unknown).max())
        moved = (
            np.minimum(of_few[self.count] * self.norm, largest * self.l1)
            + abs(float(unknown @ self.root)) * self.shifts
        )
        norm = self.norm + self.mass**0.5 * self.shifts
        return 1.0, farthest(moved, about.rounding, norm)


class SquaredLasso(InnerSolver):
    """Abstract base: the Lasso of the squared loss by coordinate descent on the working set.

    Attributes
    ----------
    source : ScaledColumns
    set : SquaredSet
        The working set.
    penalty : Penalty
        That of the set.
    sums : (float, float)
        <r, r> and <r, y - r> at the point checked last.
    corr : ndarray, (m,)
        The correlations of the set there, without the ridge.
    """

    set: SquaredSet
    penalty: Penalty
    sums: tuple[float, float]
    corr: np.ndarray
    lam = 0.0

    @property
    def learner(self):
        return self.set.learner

    @property
    def gamma(self):
        return self.set.gamma

    def set_penalty(self, lam):
        self.lam = lam
        self.penalty = self.source.penalty.at(lam, self.learner)
        if self.penalty.has_ridge:
            self.set.set_ridge(self.penalty.ridge)

    def add(self, learners):
        self.set.add(learners)
        self.set_penalty(self.lam)

    def fit(self, goal):
        sweeps_alone = self.set.sweeps_alone(goal)
        gap = self.set.minimise(self.gamma, self.penalty, goal, sweeps_alone)
        if self.penalty.has_ridge and goal <= FINEST * self.source.null:
            self.set.step_at_signs(self.gamma, self.penalty, goal)
        return gap <= goal

    def _go_on_from(self, resid, corr):
        """Take over a residual that was computed anew, and the correlations of the set with it."""
        self.set.go_on_from(resid, corr)
        self.sums = float(resid @ resid), float(resid @ (self.source.y - resid))
        self.corr = corr


class CoordinateDescent(SquaredLasso):
    """The Lasso of the squared loss on scaled columns.

    Parameters
    ----------
    source : ScaledColumns
    many : bool
        Whether there are many penalties: then all learners, if they are few, join the working set
        at the start, which saves scans.

    Attributes
    ----------
    last, trend
        The last two scans; the abs correlations of all learners at the last two checks.
    n_products : int
        Correlations of single learners computed so far.
    """

    def __init__(self, source, many=True):
        self.source = source
        problem = source.problem
        sparse = not problem.stored and few_stored(problem.dictionary)
        sparse = sparse and not len(source.unpenalised)
        self.set = EntrySet(source) if sparse else GramSet(source, many)
        self.null_loss = source.null
        self.gap_over_all = compiled(gap_over_all)
        self.within_reach = compiled(within_reach)
        self.expected_to_reach = compiled(expected_to_reach)
        self.n_products = 0
        corr = source.zero
        self.last = LastScans(source.y, corr)
        self.trend = Trend(source.penalty.size(corr))
        self.abs_corr = self.trend.seen
        self.member = np.zeros(source.n_learners, dtype=bool)
        self.sums = (float(source.y @ source.y), 0.0)
        ridge_only = source.penalty.lam == 0
        self.corr = corr if ridge_only else corr[:0]
        small = source.n_learners <= min(SMALL, source.n_samples // 2)
        if ridge_only or source.gram is not None or (many and small and not sparse):
            self.add(np.arange(source.n_learners))

    @property
    def n_scans(self):
        """Number of scans of all learners; a partial scan counts as its share."""
        return -(-self.n_products // self.source.n_learners)

    @property
    def exhausted(self):
        return self.set.exhausted

    def violators(self, level):
        if self.member.all():
            return np.empty(0, dtype=np.int64)
        trend = self.trend
        fall = max(trend.lam - self.lam, 0.0) / (trend.lam_before - trend.lam)
        if fall > 0:
            level = EXPECTED * level
        return self.expected_to_reach(trend.seen, trend.before, fall, self.member, level)

    def add(self, learners):
        super().add(learners)
        self.member[learners] = True

    def check(self, wanted):
        """*Cost*: none if the Gram matrix is complete and accurate enough, else the residual, and a
        scan or a part of one.
        """
        certified = self.set.certified_alone(wanted)
        if certified is not None:
            square, self.corr = certified
            self.sums = (square, float(self.gamma @ self.corr))
        else:
            resid = self.set.residual()
            self._go_on_from(resid, self._correlations(resid))
        return self.gap()

    def _correlations(self, resid):
        """Return the correlations of the working set with `resid`.

        Others are evaluated only where they may come near the penalty.
        """
        penalty = self.source.penalty
        learner = self.learner
        about = self.last.about(resid)
        estimate = np.empty(self.source.n_learners)
        reach = np.empty(self.source.n_learners)
        index = self.within_reach(
            about.a,
            about.last,
            about.b,
            about.before,
            *self.set.errors(about),
            penalty,
            self.member,
            self.set.beside * self.lam,
            estimate,
            reach,
        )
        limit = FEW * len(reach) if self.set.scans_few else 0
        if not self.set.has_columns or len(index) > limit:
            corr = self.source.scan(resid)
            self.n_products += len(corr)
            self.last.add((resid, corr), self.lam)
            self.abs_corr = penalty.size(corr)
            self.trend.add(self.abs_corr, self.lam)
            return corr[learner]
        corr = self.set.correlations(resid)
        estimate[learner] = penalty.size(corr, learner)
        reach[learner] = estimate[learner]
        if len(index):
            estimate[index] = penalty.size(self.source.scan_few(resid, index), index)
            reach[index] = estimate[index]
            self.n_products += len(index)
        self.abs_corr = reach
        self.trend.add(estimate, self.lam)
        return corr

    def gap(self):
        return self.gap_over_all(
            self.gamma,
            self.corr,
            self.penalty,
            self.learner,
            self.member,
            self.abs_corr,
            self.source.penalty,
            self.lam,
            *self.sums,
        )


def by_descent(columns, lams, tol):
    """The Lasso of the squared loss at the penalties `lams`, largest first; return a `Solved`."""
    return by_working_sets(descent_for(columns, lams), columns.n_learners, lams, tol)


def descent_for(columns, lams):
    """The `CoordinateDescent` for some penalties."""
    many = len(lams) > FEW_PENALTIES or columns.n_learners <= FEW_COLUMNS
    return CoordinateDescent(columns, many)
