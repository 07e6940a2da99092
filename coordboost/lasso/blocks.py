r"""Blocks: some columns, dense or sparse, and the Lasso of the squared loss on them.

A `Block` is minimised by sweeps of coordinate descent and, where these are slow, by steps at fixed
signs. It comes in two forms, which differ in what a step updates:

* `GramBlock`, for dense columns, keeps their Gram matrix: the negative gradients of all m columns
  are updated by its rows (glmnet's covariance updates). A step costs O(m) whatever the number of
  samples, and so does the duality gap.
* `EntryBlock`, for sparse columns, updates the residual (glmnet's naive updates). A step costs the
  entries of its column.

Both say by four kernels what a sweep needs: see `Updates`. Newton's quadratic models are blocks,
too.

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent* (covariance and naive updates).
"""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._numba import compiled, kernel, reduction, verb
from coordboost.lasso.fixed_signs import minimise_at_signs, solve_at_signs
from coordboost.lasso.penalty import best_along, duality_gap

#: Maximum number of sweeps over the support in a round.
SWEEPS = 10
#: Larger supports are left to conjugate gradients, without Cholesky factors.
FACTORED = 150
#: Multiplications that take as long as a step of conjugate gradients besides its product.
CALL = 20_000
#: A turn on dense columns has ROUNDS rounds, plus one for every MORE learners in the support.
ROUNDS, MORE = 3, 50
#: Turns end after STUCK in a row with at least LITTLE times the best gap.
STUCK = 4
LITTLE = 0.999

slope = verb("slope")
curvature = verb("curvature")
move = verb("move")
gap_of = verb("gap")
measure = verb("measure")


class Updates(ABC):
    """What a step along a column of a block reads and updates: the kernels of a sweep, and the
    penalty.

    The objective is the loss and the quadratic part of the penalty; its *negative gradient* at
    coefficients g is c - q g, c the correlations with the residual.
    """

    __slots__ = ()

    @abstractmethod
    def slope(self, j, coef):
        """The negative gradient along column j, whose coefficient is `coef`."""

    @abstractmethod
    def curvature(self, j):
        """The second derivative along column j."""

    @abstractmethod
    def move(self, j, step):
        """Update what `slope` reads after coefficient j has grown by `step`."""

    @abstractmethod
    def measure(self, coef):
        """Return what a duality gap needs, at the coefficients (m,): all negative gradients (m,),
        the objective, the infimum of the loss (NaN for the squared loss), <coef, negative
        gradient>.
        """

    def gap(self, coef):
        """The duality gap at the coefficients (m,)."""
        neg_grad, loss, infimum, along = measure(self, coef)
        return duality_gap(
            coef,
            neg_grad,
            loss,
            infimum,
            along,
            self.lam,
            self.ridge,
            self.lower,
            self.upper,
        )


class GramUpdates(Updates):
    """The negative gradients of all columns, updated by rows of the Gram matrix."""

    __slots__ = ()

    def slope(self, j, coef):
        return self.neg_grad[j]

    def curvature(self, j):
        return self.gram[j, j]

    def move(self, j, step):
        gram = self.gram
        neg_grad = self.neg_grad
        for i in range(len(neg_grad)):
            neg_grad[i] -= step * gram[j, i]


class _CovarianceUpdates(NamedTuple):
    gram: np.ndarray
    start: np.ndarray
    neg_grad: np.ndarray
    loss: float
    infimum: float
    lam: float
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


class CovarianceUpdates(_CovarianceUpdates, GramUpdates):
    """The squared loss of dense columns, or another loss at its present value.

    Parameters
    ----------
    gram : ndarray, (>= m, >= m)
        With the ridge in its diagonal.
    start, neg_grad : ndarray, (m,)
        Negative gradients at coefficients 0, and now.
    loss, infimum : float
        For the squared loss its value at 0, and NaN; for another loss its present value, and its
        lower bound.
    lam, ridge, lower, upper
        The penalty: see ``Penalty``.
    """

    __slots__ = ()

    def measure(self, coef):
        start = self.start
        neg_grad = self.neg_grad
        along = 0.0
        square = 2.0 * self.loss
        for j in range(len(neg_grad)):
            along += coef[j] * neg_grad[j]
            square -= coef[j] * (start[j] + neg_grad[j])
        squared = self.infimum != self.infimum
        loss = max(square, 0.0) / 2.0 if squared else self.loss
        return neg_grad, loss, self.infimum, along


class _NaiveUpdates(NamedTuple):
    entries: np.ndarray
    row: np.ndarray
    begin: np.ndarray
    shift: np.ndarray
    total: np.ndarray
    square: np.ndarray
    one: np.ndarray
    mass: float
    y: np.ndarray
    resid: np.ndarray
    drift: np.ndarray
    neg_grad: np.ndarray
    lam: float
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


class NaiveUpdates(_NaiveUpdates, Updates):
    """The residual of sparse columns ``b_j = x_j - shift_j one``, updated at their entries.

    Parameters
    ----------
    entries, row, begin : ndarray
        The entries of x_j are ``entries[begin[j] : begin[j + 1]]``, in the rows `row`.
    shift, total, square : ndarray, (m,)
        The shifts; <x_j, one>; the squared norms of b_j.
    one, mass : ndarray, (n_samples,), and float
        The vector that is subtracted, and <one, one>.
    y : ndarray, (n_samples,)
        The target.
    resid, drift : ndarray, (n_samples,) and (2,)
        The residual is ``resid - drift[0] one``, and drift[1] its product with `one`.
    neg_grad : ndarray, (m,)
        Scratch for `measure`.
    lam, ridge, lower, upper
        The penalty: see ``Penalty``.
    """

    __slots__ = ()

    def slope(self, j, coef):
        begin = self.begin[j]
        end = self.begin[j + 1]
        entry = self.entries[begin:end]
        sample = self.row[begin:end]
        resid = self.resid
        corr = 0.0
        for p in range(len(entry)):
            corr += entry[p] * resid[sample[p]]
        drift = self.drift
        return corr - drift[0] * self.total[j] - self.shift[j] * drift[1] - self.ridge[j] * coef

    def curvature(self, j):
        return self.square[j] + self.ridge[j]

    def move(self, j, step):
        begin = self.begin[j]
        end = self.begin[j + 1]
        entry = self.entries[begin:end]
        sample = self.row[begin:end]
        resid = self.resid
        for p in range(len(entry)):
            resid[sample[p]] -= step * entry[p]
        drift = self.drift
        drift[0] -= step * self.shift[j]
        drift[1] -= step * (self.total[j] - self.mass * self.shift[j])

    def measure(self, coef):
        neg_grad = self.neg_grad
        square, along = residual_sums(self.y, self.resid, self.drift[0], self.one)
        for j in range(len(coef)):
            back = self.ridge[j] * coef[j]
            neg_grad[j] = slope(self, j, coef[j])
            square += back * coef[j]
            along -= back * coef[j]
        return neg_grad, square / 2.0, math.nan, along


@reduction
def residual_sums(y, resid, off, one):
    """Return <r, r> and <r, y - r> for r = resid - off one."""
    square, along = 0.0, 0.0
    for i in range(len(resid)):
        r = resid[i] - off * one[i]
        square += r * r
        along += r * (y[i] - r)
    return square, along


@kernel
def support_of(coef):
    """``np.flatnonzero(coef)``, which takes longer to compile."""
    support = np.empty(len(coef), dtype=np.int64)
    n = 0
    for j in range(len(coef)):
        if coef[j] != 0.0:
            support[n] = j
            n += 1
    return support[:n]


@kernel
def sweep(updates, coef, index):
    """Minimise exactly along each of the columns `index` in turn.

    Return the decrease of the objective.
    """
    gain = 0.0
    for j in index:
        old = coef[j]
        new, gained = best_along(
            slope(updates, j, old),
            old,
            curvature(updates, j),
            updates.lam,
            updates.lower[j],
            updates.upper[j],
        )
        step = new - old
        if step != 0.0:
            gain += gained
            coef[j] = new
            move(updates, j, step)
    return gain


@kernel
def descend(updates, coef, everyone, goal, flat, rounds):
    """Make rounds of sweeps over all columns and over their support until the gap is at most
    `goal`. Return the gap, and the number of coordinates of the support in all sweeps.

    Parameters
    ----------
    updates : Updates
    coef : ndarray, (m,)
        Changed in place.
    everyone : ndarray
        0, ..., m - 1.
    goal, flat : float
        A round ends when a sweep over the support gains at most `flat` times the goal.
    rounds : int
    """
    gap = math.inf
    n_steps = 0
    for _ in range(rounds):
        sweep(updates, coef, everyone)
        support = support_of(coef)
        n_steps += len(support)
        for _ in range(SWEEPS):
            n_steps += len(support)
            if sweep(updates, coef, support) <= flat * goal:
                break
        gap = gap_of(updates, coef)
        if gap <= goal:
            break
    return gap, n_steps


class Block(ABC):
    """Columns, dense or sparse, and the Lasso of the squared loss on them."""

    #: Multiplications so far, of sweeps and of steps at fixed signs; counted for dense columns.
    work = 0.0
    #: No more turns are made after this number of them.
    most_work = math.inf

    #: Maximum number of turns: each is some rounds of sweeps, then a step at fixed signs.
    turns: int
    #: Turns end after this many in a row without progress.
    patience: float
    #: A round ends when a sweep gains at most this part of the goal.
    flat: float

    @abstractmethod
    def updates(self, penalty):
        """The `Updates` of a sweep."""

    @abstractmethod
    def rounds(self, coef):
        """The number of rounds in a turn that starts at the coefficients `coef`."""

    @abstractmethod
    def at_signs(self, coef, index, penalty, goal):
        """The coefficients `index` that minimise at their present signs, the others fixed."""

    @abstractmethod
    def replace(self, coef, index, values):
        """Set the coefficients `index` to `values`, in place, and update the gradients."""

    def minimise(self, coef, penalty, goal, sweeps_alone=0):
        """Update `coef` (m,) in place until the gap is at most `goal`, or sweeps and steps at fixed
        signs make no progress.

        Parameters
        ----------
        coef : ndarray, (m,)
        penalty : Penalty
        goal : float
        sweeps_alone : int
            Number of turns at the start without steps at fixed signs.

        Returns
        -------
        float
            The gap.
        """
        run = compiled(descend)
        updates = self.updates(penalty)
        rounds = self.rounds(coef)
        everyone = np.arange(len(coef))
        best = math.inf
        stuck = 0
        for turn in range(self.turns):
            gap, n_steps = run(updates, coef, everyone, goal, self.flat, rounds)
            self.work += n_steps * len(coef)
            stuck = 0 if gap < LITTLE * best else stuck + 1
            best = min(gap, best)
            if gap <= goal or stuck == self.patience or self.exhausted:
                break
            if turn >= sweeps_alone:
                self.step_at_signs(coef, penalty, goal)
        return gap

    @property
    def exhausted(self):
        """Whether `work` has passed `most_work`."""
        return self.work > self.most_work

    def step_at_signs(self, coef, penalty, goal):
        """Move `coef` (m,) to the minimiser at its present signs, as far as limits allow."""
        index = penalty.movable(coef)
        values = self.at_signs(coef, index, penalty, goal)
        self.replace(coef, index, penalty.within(coef[index], values, index))


class GramBlock(Block):
    """Columns by their Gram matrix: see `CovarianceUpdates` for the parameters."""

    turns = 40
    patience = STUCK
    flat = 0.1

    def __init__(self, gram, start, neg_grad, loss, infimum=math.nan):
        self.gram = gram
        self.start = start
        self.neg_grad = neg_grad
        self.loss = loss
        self.infimum = infimum

    def updates(self, penalty):
        return CovarianceUpdates(
            self.gram,
            self.start,
            self.neg_grad,
            self.loss,
            self.infimum,
            *penalty.kernel_args,
        )

    def rounds(self, coef):
        return ROUNDS + np.count_nonzero(coef) // MORE

    def at_signs(self, coef, index, penalty, goal):
        gram = self.gram[index][:, index]
        corr = self.neg_grad[index]

        def image(direction):
            self.work += len(index) ** 2 + CALL
            return gram @ direction

        values = None
        if penalty.has_l1 and len(index) <= FACTORED:
            self.work += len(index) ** 3 / 3 + CALL
            values = solve_at_signs(gram, corr, coef[index], penalty.lam)
        if values is None:
            values = minimise_at_signs(image, corr, coef[index], penalty.lam, goal, penalty.has_l1)
        return values

    def replace(self, coef, index, values):
        self.neg_grad -= (values - coef[index]) @ self.gram[index, : len(coef)]
        coef[index] = values


class EntryBlock(Block):
    """Columns of a sparse dictionary, each times its `scale`, rows times `root` (n_samples,):
    ``b_j = x_j - shift_j one``, one = root.

    Parameters
    ----------
    dictionary : Sparse
    x : scipy.sparse.csc_array
        Its entries, (n_samples, n_learners).
    learners : ndarray or slice
        Which of them.
    scale : ndarray, (m,)
    root : ndarray, (n_samples,)
    means : ndarray, (m,), or float
        Added to the shifts.

    Attributes
    ----------
    x, shift, total, square, one, mass
        As for `NaiveUpdates`.
    y, resid : ndarray, (n_samples,)
        The target, and the residual; drift : what sweeps have left out of it.
    """

    turns = 20
    patience = math.inf
    flat = 0.1 / 3

    def __init__(self, dictionary, x, learners, scale, root, means=0.0):
        self.one = root
        self.mass = float(root @ root)
        self.x = x[:, learners]
        by_column = dictionary.scale[learners] * scale
        self.x.data = (
            self.x.data * root[self.x.indices] * np.repeat(by_column, np.diff(self.x.indptr))
        )
        self.shift = dictionary.shift[learners] * scale + means
        self.total = self.x.T @ root
        squares = self.column_sums(self.x.data**2)
        of_shift = self.shift**2 * self.mass
        rounding = np.finfo(float).eps * (squares + of_shift)
        self.square = np.maximum(squares - 2 * self.shift * self.total + of_shift, rounding)

    def append(self, other, learners):
        """Append the columns `learners` of another block."""
        x = self.x
        new = other.x
        start = new.indptr[learners]
        stop = new.indptr[learners + 1]
        places = [np.arange(*ends) for ends in zip(start.tolist(), stop.tolist(), strict=True)]
        place = np.concatenate(places)
        stops = (x.indptr[-1] + np.cumsum(stop - start)).astype(x.indptr.dtype)
        parts = (
            np.append(x.data, new.data[place]),
            np.append(x.indices, new.indices[place]),
            np.append(x.indptr, stops),
        )
        self.x = scipy.sparse.csc_array(parts, shape=(x.shape[0], x.shape[1] + len(learners)))
        self.shift = np.append(self.shift, other.shift[learners])
        self.total = np.append(self.total, other.total[learners])
        self.square = np.append(self.square, other.square[learners])

    def column_sums(self, values):
        """The sums of `values` of the entries over each column."""
        sums = np.add.reduceat(np.append(values, 0.0), self.x.indptr[:-1])
        return sums * (np.diff(self.x.indptr) > 0)

    def combine(self, coef):
        """The columns times `coef` (m,), summed up, (n_samples,)."""
        return self.x @ coef - self.one * float(self.shift @ coef)

    def correlations(self, v):
        """The inner products with `v` (n_samples,), (m,)."""
        return self.x.T @ v - self.shift * float(self.one @ v)

    def start_from(self, y, resid):
        """Set the target and the residual (n_samples,), which changes in place."""
        self.y = y
        self.resid = resid
        self.drift = np.array([0.0, float(resid @ self.one)])

    def updates(self, penalty):
        x = self.x
        # with unsigned row numbers, compiled code need not check for negative ones
        row = x.indices.view(np.uint32) if x.indices.dtype == np.int32 else x.indices
        return NaiveUpdates(
            x.data,
            row,
            x.indptr,
            self.shift,
            self.total,
            self.square,
            self.one,
            self.mass,
            self.y,
            self.resid,
            self.drift,
            np.empty(x.shape[1]),
            *penalty.kernel_args,
        )

    def rounds(self, coef):
        return 20

    def at_signs(self, coef, index, penalty, goal):
        x = self.x[:, index]
        shift = self.shift[index]
        ridge = penalty.ridge[index]

        def image(direction):
            v = x @ direction - self.one * float(shift @ direction)
            return x.T @ v - shift * float(self.one @ v) + ridge * direction

        resid = self.resid - self.drift[0] * self.one
        corr = self.correlations(resid)[index] - ridge * coef[index]
        return minimise_at_signs(image, corr, coef[index], penalty.lam, goal, penalty.has_l1)

    def replace(self, coef, index, values):
        coef[index] = values
        self.resid[:] = self.y - self.combine(coef)
        self.drift[:] = 0.0, float(self.resid @ self.one)
