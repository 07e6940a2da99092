r"""The Lasso of the squared loss by coordinate descent on a working set: with the Gram matrix, or
on the nonzeros of sparse columns.

In Gram form the correlations c = B'r of the m learners in the set are updated by rows of the Gram
matrix. So a step costs O(m) whatever the number of samples, and so does the duality gap on the set.
On the nonzeros the residual is updated, and a step costs the entries of its column. Where sweeps
are slow, conjugate gradients find the minimiser at fixed signs; they also work for dependent
columns.

After a fit all learners are checked: by a scan, or one by one those that may reach the penalty
according to the last two scans.

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent* (covariance and naive updates); Massias, Gramfort, Salmon, *Celer* (working
sets); Golub and Van Loan, *Matrix computations* (conjugate gradients).
"""

import math

import numpy as np
import scipy.sparse
from scipy.linalg import eigh
from scipy.linalg.lapack import dposv

from coordboost._numba import compiled, kernel, reduction
from coordboost.certificates.sphere import LastScans, Trend, farthest, few_entries
from coordboost.lasso.penalty import best_along, gap_of_sums, sums_of
from coordboost.lasso.workingset import InnerSolver

#: A dictionary that stores more than this share of its entries is treated as dense: then a step
#: with the Gram matrix reads less.
DENSE = 0.15
#: Up to this number, all learners join the working set at the start, if there are many penalties
#: and twice as many samples.
SMALL = 2048
#: SWEEPS: maximum number of sweeps over the support in a round, which ends when one gains at most
#: FLAT times the goal. TURNS: maximum number of turns of rounds and conjugate gradients; they end
#: after STUCK in a row with at least LITTLE times the best gap.
SWEEPS = 10
FLAT = 0.1
TURNS = 40
STUCK = 4
LITTLE = 0.999
#: ROUNDS: rounds of a turn with the Gram matrix, plus one for every MORE learners in the support.
#: LONG: rounds of a turn on nonzeros.
ROUNDS, MORE, LONG = 3, 50, 20
#: Conjugate gradients start anew when a coefficient reaches 0 or after STEPS steps, at most
#: RESTARTS times. They end when the largest gradient times the l1 norm is at most PART times the
#: wanted gap, or when more than LEFT times the last largest gradient remains.
RESTARTS = 100
STEPS = 50
PART = 0.01
LEFT = 0.5
#: Larger supports are left to conjugate gradients, without Cholesky factors.
FACTORED = 150
#: SURE: squared pivots above this part of the diagonal are not rounding. NULL: eigenvalues up to
#: this part of the largest count as 0.
SURE, NULL = 1e-11, 1e-11
#: On entries conjugate gradients run from the first turn on for gaps up to this part of the loss at
#: 0: larger gaps mostly need few sweeps.
FINE = 1e-4
#: Largest rounding of the Gram form, as a part of the wanted gap.
ROUNDED = 0.05
#: BESIDE: learners whose correlation may exceed this part of the penalty are evaluated one by one.
#: FEW: for more than this share, scan all.
BESIDE, FEW = 0.9, 0.25
#: Learners join before a fit if their correlation, extrapolated from the last two checks, reaches
#: this part of the penalty: a learner that is missing costs another fit.
EXPECTED = 0.99


@kernel
def support_of(gamma):
    """``np.flatnonzero(gamma)``, which takes longer to compile."""
    out = np.empty(len(gamma), dtype=np.int64)
    n = 0
    for j in range(len(gamma)):
        if gamma[j] != 0.0:
            out[n] = j
            n += 1
    return out[:n]


@kernel
def sweep_gram(gram, now, gamma, index, lam, lower, upper):
    """Minimise exactly along each of the learners `index` in turn.

    Return the decrease of the objective.
    """
    gain = 0.0
    for j in index:
        old = gamma[j]
        new, gained = best_along(now[j], old, gram[j, j], lam, lower[j], upper[j])
        move = new - old
        if move != 0.0:
            gain += gained
            gamma[j] = new
            for q in range(len(now)):
                now[q] -= move * gram[j, q]
    return gain


def descend_gram(
    gram, start, now, gamma, everyone, lam, ridge, lower, upper, goal, loss, infimum, rounds
):
    """Make rounds of sweeps over the set and its support until the gap is at most `goal`.

    Return the gap.

    gram : (>= m, >= m), with the ridge; start, now, gamma : (m,), correlations at 0, negative
    gradient now, coefficients everyone : 0, ..., m - 1; lam, ridge, lower, upper : see ``Penalty``
    loss, infimum : for the squared loss its value at 0, and NaN; for another loss its present
    value, and its lower bound
    """
    gap = math.inf
    for _ in range(rounds):
        sweep_gram(gram, now, gamma, everyone, lam, lower, upper)
        support = support_of(gamma)
        for _ in range(SWEEPS):
            if sweep_gram(gram, now, gamma, support, lam, lower, upper) <= FLAT * goal:
                break
        l1, along, worst, limit_cost, ridge_gap = sums_of(gamma, now, lam, ridge, lower, upper)
        square = 2.0 * loss
        for j in range(len(now)):
            square -= gamma[j] * (start[j] + now[j])
        there = max(square, 0.0) / 2.0 if infimum != infimum else loss
        gap = gap_of_sums(there, infimum, along, l1, worst, limit_cost, ridge_gap, lam)
        if gap <= goal:
            break
    return gap


@kernel
def sweep_entries(columns, resid, drift, gamma, index, lam, ridge, lower, upper):
    """Minimise exactly along each of the columns `index` in turn.

    Return the decrease of the objective.
    """
    (data, row, start, shift, total, square, mass), gain = columns, 0.0
    for j in index:
        first = start[j]
        last = start[j + 1]
        old = gamma[j]
        entry = data[first:last]
        sample = row[first:last]
        corr = 0.0
        for p in range(len(entry)):
            corr += entry[p] * resid[sample[p]]
        corr = corr - drift[0] * total[j] - shift[j] * drift[1] - ridge[j] * old
        new, gained = best_along(corr, old, square[j] + ridge[j], lam, lower[j], upper[j])
        move = new - old
        if move != 0.0:
            gain += gained
            gamma[j] = new
            for p in range(len(entry)):
                resid[sample[p]] -= move * entry[p]
            drift[0] -= move * shift[j]
            drift[1] -= move * (total[j] - mass * shift[j])
    return gain


@reduction
def residual_sums(y, resid, off, one):
    """Return <r, r> and <r, y - r> for r = resid - off one."""
    square, along = 0.0, 0.0
    for i in range(len(resid)):
        r = resid[i] - off * one[i]
        square += r * r
        along += r * (y[i] - r)
    return square, along


def descend_entries(
    columns,
    one,
    y,
    resid,
    drift,
    gamma,
    everyone,
    neg_grad,
    lam,
    ridge,
    lower,
    upper,
    goal,
    rounds,
    flat,
):
    """Make rounds of sweeps over the set and its support until the gap of the squared loss is at
    most `goal`. Return the gap.

    columns : (data, row, start, shift, total, square, mass), of ``b_j = x_j - shift_j one``; the
    entries of x_j are data[start[j] : start[j + 1]], in the rows `row`; total, square : (m,), <x_j,
    one> and the squared norm of b_j; mass : <one, one> everyone : 0, ..., m - 1; neg_grad : (m,),
    scratch resid, drift : the residual is ``resid - drift[0] one``, and drift[1] its product with
    `one`
    """
    data, row, start, shift, total, _, _ = columns
    gap = math.inf
    for _ in range(rounds):
        sweep_entries(columns, resid, drift, gamma, everyone, lam, ridge, lower, upper)
        support = support_of(gamma)
        for _ in range(SWEEPS):
            if (
                sweep_entries(columns, resid, drift, gamma, support, lam, ridge, lower, upper)
                <= flat * goal
            ):
                break
        norm, along = residual_sums(y, resid, drift[0], one)
        for j in range(len(gamma)):
            corr = 0.0
            back = ridge[j] * gamma[j]
            for p in range(start[j], start[j + 1]):
                corr += data[p] * resid[row[p]]
            neg_grad[j] = corr - drift[0] * total[j] - shift[j] * drift[1] - back
            norm += back * gamma[j]
            along -= back * gamma[j]
        l1, _, worst, limit_cost, ridge_gap = sums_of(gamma, neg_grad, lam, ridge, lower, upper)
        gap = gap_of_sums(norm / 2.0, math.nan, along, l1, worst, limit_cost, ridge_gap, lam)
        if gap <= goal:
            break
    return gap


def minimise_at_signs(image, corr, gamma, lam, goal, has_l1=True):
    """Minimise at the signs of the coefficients `gamma` (k,) by conjugate gradients.

    A coefficient that reaches 0 stays there.

    image : function of a direction (k,), the fall of the correlations `corr` (k,) along it
    has_l1 : False for ridge, where signs do not matter
    """
    gamma, corr, before, there = gamma.copy(), corr.copy(), math.inf, len(gamma)
    for _ in range(RESTARTS):
        sign = np.sign(gamma) if has_l1 else np.ones(len(gamma))
        grad = np.where(sign == 0, 0.0, corr - lam * sign)
        l1 = float(np.abs(gamma).sum())
        n = int(np.count_nonzero(sign))
        worst = float(np.abs(grad).max(initial=0.0))
        if worst * l1 <= PART * goal or (n == there and worst > LEFT * before):
            break
        before = worst
        there = n
        way = grad
        square = float(grad @ grad)
        for _ in range(STEPS):
            change = image(way)
            curved = float(way @ change)
            first, most = first_zero(gamma, way) if has_l1 else (-1, math.inf)
            step = min(square / curved, most) if curved > 0 else most
            if step == math.inf:
                return gamma
            gamma = gamma + step * way
            corr = corr - step * change
            if step == most:
                gamma[first] = 0.0
                break
            grad = np.where(sign == 0, 0.0, grad - step * change)
            last = square
            square = float(grad @ grad)
            if np.abs(grad).max() * l1 <= PART * goal:
                break
            way = grad + square / last * way
    return gamma


def first_zero(gamma, way):
    """Find which of the coefficients `gamma` (k,) is the first to become 0 along `way` (k,), and at
    which step; -1 and inf if none is.
    """
    shrinks = np.flatnonzero(np.sign(gamma) * way < 0)
    if not len(shrinks):
        return -1, math.inf
    limits = -gamma[shrinks] / way[shrinks]
    return shrinks[limits.argmin()], float(limits.min())


def use_fewer(free, grad, gamma, way):
    """Move the coefficients `gamma` (k,) along the null directions `free` (k, n).

    Each move sets one of them to 0 and uses up a direction.

    The objective, whose gradient is -`grad`, does not rise.  way : (k,), scratch
    """
    for n in range(free.shape[1], 0, -1):
        way[:] = 0.0
        for c in range(n):
            slope = 0.0
            for i in range(len(way)):
                slope += grad[i] * free[i, c]
            for i in range(len(way)):
                way[i] += slope * free[i, c]
        first = -1
        most = math.inf
        for _ in range(
            2
        ):  # if no coefficient shrinks, go the opposite way: the objective is constant here
            for i in range(len(way)):
                if gamma[i] * way[i] < 0.0 and -gamma[i] / way[i] < most:
                    first = i
                    most = -gamma[i] / way[i]
            if first >= 0:
                break
            for i in range(len(way)):
                way[i] = -way[i] if way[i] != 0.0 else free[i, 0]
        if first < 0:
            return
        row = free[first].copy()
        c = np.abs(free[first, :n]).argmax()
        for i in range(len(way)):
            gamma[i] += most * way[i]
            by = free[i, c] / row[c]
            for q in range(n):
                free[i, q] -= by * row[q]
            free[i, c] = free[i, n - 1]
        gamma[first], free[first] = 0.0, 0.0


def solve_at_signs(gram, corr, gamma, lam):
    """As `minimise_at_signs`, by Cholesky factors of `gram` (k, k).

    None if columns are nearly, but not quite, dependent.

    If columns are dependent, some coefficients are moved to 0 first.
    """
    gamma, used = gamma.copy(), np.arange(len(gamma))
    while len(used):
        square = gram[np.ix_(used, used)]
        grad = corr[used] - lam * np.sign(gamma[used])
        factor, way, failed = dposv(square, grad)
        if failed or not (factor.diagonal() ** 2 > SURE * square.diagonal()).all():
            fewer, (values, vectors) = gamma[used], eigh(square)
            free = np.ascontiguousarray(vectors[:, values <= NULL * values[-1]])
            compiled(use_fewer)(free, grad, fewer, np.empty(len(used)))
            if fewer.all():
                return None
            corr = corr - (fewer - gamma[used]) @ gram[used]
            gamma[used], used = fewer, used[fewer != 0]
            continue
        first, most = first_zero(gamma[used], way)
        step = min(1.0, most)
        gamma[used] += step * way
        if step < most:
            break
        corr = corr - step * (way @ gram[used])
        gamma[used[first]] = 0.0
        used = np.delete(used, first)
    return gamma


def fit_gram(gram, start, now, gamma, cost, goal, loss, infimum=math.nan):
    """Update `now` and `gamma` (m,) in place by sweeps, and by solves at fixed signs where sweeps
    are slow. Return the gap.

    Arguments as for `descend_gram`.

    cost : Penalty
    """
    m = len(gamma)
    run = compiled(descend_gram)
    rounds = ROUNDS + np.count_nonzero(gamma) // MORE
    everyone = np.arange(m)
    stuck = 0
    best = math.inf
    for _ in range(TURNS):
        gap = run(gram, start, now, gamma, everyone, *cost.kernel_args, goal, loss, infimum, rounds)
        stuck, best = (0, gap) if gap < LITTLE * best else (stuck + 1, min(gap, best))
        if gap <= goal or stuck == STUCK:
            break
        some = cost.movable(gamma)
        rows = gram[some, :m]
        square = rows[:, some]
        moved = (
            solve_at_signs(square, now[some], gamma[some], cost.lam)
            if cost.has_l1 and len(some) <= FACTORED
            else None
        )
        if moved is None:
            moved = minimise_at_signs(
                square.dot, now[some], gamma[some], cost.lam, goal, cost.has_l1
            )
        moved = cost.within(gamma[some], moved, some)
        now -= (moved - gamma[some]) @ rows
        gamma[some] = moved
    return gap


def few_stored(dictionary):
    """Whether a dictionary is stored sparsely, with a share of at most ``DENSE`` of its entries."""
    size = dictionary.n_samples * dictionary.n_learners
    return dictionary.entries and len(dictionary.data) <= DENSE * size


class Entries:
    """Columns of a sparse dictionary, each times its `scale`, rows times `root` (n_samples,):
    ``b_j = x_j - shift_j one``, one = root.

    x : CSC array (n_samples, m), made from the entries of the dictionary; shift, total, square :
    (m,), see `descend_entries`
    """

    def __init__(self, dictionary, x, learners, scale, root, means=0.0):
        self.one = root
        self.mass = float(root @ root)
        self.x = x[:, learners]
        by = dictionary.scale[learners] * scale
        self.x.data = self.x.data * root[self.x.indices] * np.repeat(by, np.diff(self.x.indptr))
        self.shift = dictionary.shift[learners] * scale + means
        self.total = self.x.T @ root
        whole = self.column_sums(self.x.data**2)
        part = self.shift**2 * self.mass
        self.square = np.maximum(
            whole - 2 * self.shift * self.total + part, np.finfo(float).eps * (whole + part)
        )

    def add(self, more):
        """Append the columns of `more`."""
        self.x = scipy.sparse.hstack([self.x, more.x], format="csc")
        for name in ("shift", "total", "square"):
            setattr(self, name, np.append(getattr(self, name), getattr(more, name)))

    def column_sums(self, values):
        """The sums of `values` of the entries over each column."""
        return np.add.reduceat(np.append(values, 0.0), self.x.indptr[:-1]) * (
            np.diff(self.x.indptr) > 0
        )

    def combine(self, gamma):
        """The columns times `gamma` (m,), summed up, (n_samples,)."""
        return self.x @ gamma - self.one * float(self.shift @ gamma)

    def correlations(self, v):
        """The inner products with `v` (n_samples,), (m,)."""
        return self.x.T @ v - self.shift * float(self.one @ v)

    def fit(self, y, gamma, resid, cost, goal, pays=True):
        """Update `gamma` and `resid` in place by sweeps, and conjugate gradients where sweeps are
        slow. Return whether `goal` is reached.

        cost : Penalty; goal : of the gap of the squared loss; pays : whether to use conjugate
        gradients from the first turn on
        """
        run = compiled(descend_entries)
        x = self.x
        drift = np.array([0.0, float(resid @ self.one)])
        # with unsigned row numbers, compiled code need not check for negative ones
        row = x.indices.view(np.uint32) if x.indices.dtype == np.int32 else x.indices
        everyone = np.arange(len(gamma))
        neg_grad = np.empty(len(gamma))
        columns = x.data, row, x.indptr, self.shift, self.total, self.square, self.mass
        for turn in range(TURNS // 2):
            if (
                run(
                    columns,
                    self.one,
                    y,
                    resid,
                    drift,
                    gamma,
                    everyone,
                    neg_grad,
                    *cost.kernel_args,
                    goal,
                    LONG,
                    FLAT / 3,
                )
                <= goal
            ):
                return True
            if pays or turn:
                some = cost.movable(gamma)
                few = x[:, some]
                less = self.shift[some]
                more = cost.ridge[some]

                def image(way, few=few, less=less, more=more):
                    v = few @ way - self.one * float(less @ way)
                    return few.T @ v - less * float(self.one @ v) + more * way

                corr = self.correlations(resid - drift[0] * self.one)[some] - more * gamma[some]
                moved = minimise_at_signs(image, corr, gamma[some], cost.lam, goal, cost.has_l1)
                gamma[some] = cost.within(gamma[some], moved, some)
                resid[:] = y - self.combine(gamma)
                drift[:] = 0.0, float(resid @ self.one)
        return False


class GramSet:
    """The working set with its Gram matrix.

    block : the store of its columns and Gram matrix; start, now : (m,), negative gradients of the
    smooth part at 0 and at `gamma` gamma, ridge : (m,), coefficients, and what the elastic net adds
    to the diagonal of the Gram matrix
    """

    def __init__(self, source, many):
        self.source = source
        self.block = source.hold(with_gram=True, columns=False)
        self.start, self.now, self.gamma, self.squares, self.ridge = (np.zeros(0) for _ in range(5))
        self.loss = float(source.y @ source.y) / 2
        self.doubt = 2 * float(np.finfo(float).eps) * math.sqrt(source.n_samples) * source.doubt
        if (
            many and source.n_samples <= SMALL
        ):  # no optimum needs more learners; memory that is not used is not touched
            self.block.reserve(source.n_samples)

    @property
    def learner(self):
        return self.block.learner

    @property
    def has_columns(self):
        return self.block.entries is None

    def penalise(self, ridge):
        """Change the part of the penalty in the diagonal of the Gram matrix to `ridge` (m,)."""
        if (ridge != self.ridge).any():
            diagonal = np.arange(len(ridge))
            self.block.gram[diagonal, diagonal] = self.squares + ridge
            self.now -= (ridge - self.ridge) * self.gamma
            self.ridge = ridge

    def add(self, new):
        m = len(self.block)
        more = np.zeros(len(new))
        self.block.add(new)
        gram = self.block.gram[m : m + len(new)]
        start = self.source.zero[new]
        self.start, self.now = (
            np.append(self.start, start),
            np.append(self.now, start - gram[:, :m] @ self.gamma),
        )
        self.squares, self.ridge = (
            np.append(self.squares, gram.diagonal(m)),
            np.append(self.ridge, more),
        )
        self.gamma = np.append(self.gamma, more)

    def fit(self, cost, goal):
        return (
            fit_gram(self.block.gram, self.start, self.now, self.gamma, cost, goal, self.loss)
            <= goal
        )

    def residual(self):
        if self.has_columns:
            return self.source.y - self.block.combine(self.gamma)
        whole = np.zeros(self.source.n_learners)
        whole[self.learner] = self.gamma
        return self.source.y - self.source.combine(whole)

    def correlations(self, resid):
        return self.block.correlations(resid)

    def renew(self, resid, corr):
        """Take over a residual that was computed anew, and the correlations with it."""
        self.now = corr - self.ridge * self.gamma

    def alone(self, wanted):
        """<r, r> and the correlations, if all learners are in the set and the Gram matrix gives the
        gap accurately enough; else None.
        """
        m = len(self.gamma)
        size = float(np.abs(self.gamma).sum()) + math.sqrt(2 * self.loss)
        if m < self.source.n_learners or self.doubt * size * size > ROUNDED * wanted:
            return None
        used = np.flatnonzero(self.gamma)
        self.now = self.start - self.gamma[used] @ self.block.gram[used, :m]
        plain = self.now + self.ridge * self.gamma
        return max(2 * self.loss - float(self.gamma @ (self.start + plain)), 0.0), plain


class EntrySet:
    """The working set on the nonzeros of sparse columns; weights scale the rows.

    learner, gamma, ridge : (m,), the set, its coefficients, what the elastic net adds to the
    squares; resid : (n_samples,)
    """

    has_columns = True

    def __init__(self, source):
        self.source = source
        self.dictionary = source.problem.dictionary
        self.x = self.dictionary.csc()
        self.root = np.ones(source.n_samples) if source.root is None else source.root
        self.scale = np.ones(source.n_learners) if source.scale is None else source.scale
        self.learner = np.zeros(0, dtype=np.int64)
        self.gamma = np.zeros(0)
        self.ridge = np.zeros(0)
        self.resid = source.y.copy()
        self.null = float(source.y @ source.y) / 2
        self.held = Entries(self.dictionary, self.x, self.learner, self.gamma, self.root)

    def penalise(self, ridge):
        self.ridge = ridge

    def add(self, new):
        self.learner = np.append(self.learner, new)
        more = np.zeros(len(new))
        self.gamma, self.ridge = np.append(self.gamma, more), np.append(self.ridge, more)
        self.held.add(Entries(self.dictionary, self.x, new, self.scale[new], self.root))

    def fit(self, cost, goal):
        return self.held.fit(
            self.source.y, self.gamma, self.resid, cost, goal, goal <= FINE * self.null
        )

    def residual(self):
        return self.source.y - self.held.combine(self.gamma)

    def correlations(self, resid):
        return self.held.correlations(resid)

    def renew(self, resid, corr):
        self.resid = resid

    def alone(self, wanted):
        return None


class CoordinateDescent(InnerSolver):
    """The Lasso of the squared loss on the scaled columns `source`.

    Attributes
    ----------
    set
        The working set in one of its forms.
    cost : Penalty
        Its penalty.
    last, trend
        The last two scans; the abs correlations of all learners at the last two checks.
    outside : float
        The largest abs correlation outside the set at the point checked last.
    plain : (float, float)
        <r, r> and <r, y - r> there.
    corr : ndarray, (m,)
        The correlations of the set there, without the ridge.

    Parameters
    ----------
    many : bool
        Whether there are many penalties: then all learners, if they are few, join the working set
        at the start, which saves scans.
    """

    def __init__(self, source, many=True):
        self.source = source
        zero = source.zero
        self.sums = compiled(sums_of)
        self.sparse = few_stored(source.problem.dictionary) and not len(source.unpenalised)
        self.set = EntrySet(source) if self.sparse else GramSet(source, many)
        square = float(source.y @ source.y)
        self.null_loss = source.null
        self.looks = 0
        self.lam = 0.0
        self.plain = (square, 0.0)
        self.last = LastScans(source.y, zero)
        self.trend = Trend(source.penalty.size(zero))
        self.abs_corr = self.trend.seen
        self.member = np.zeros(source.n_learners, dtype=bool)
        self.outside = float(self.abs_corr.max())
        self.corr = zero if source.penalty.lam == 0 else zero[:0]
        if self.sparse:
            whole = Entries(
                source.problem.dictionary, self.set.x, slice(None), self.set.scale, self.set.root
            )
            self.count = np.diff(whole.x.indptr)
            self.norm = np.sqrt(whole.column_sums(whole.x.data**2))
            self.mass = whole.mass**0.5
            self.l1 = whole.column_sums(np.abs(whole.x.data))
            self.shift = np.abs(whole.shift)
        if source.penalty.lam == 0 or (
            not self.sparse and many and source.n_learners <= min(SMALL, source.n_samples // 2)
        ):
            self.add(np.arange(source.n_learners))

    @property
    def n_scans(self):
        """Number of scans of all learners; a partial scan counts as its share."""
        return -(-self.looks // self.source.n_learners)

    @property
    def learner(self):
        return self.set.learner

    @property
    def gamma(self):
        return self.set.gamma

    def _reach(self, about):
        """Upper bound of each abs correlation from the last two scans, (n_learners,)."""
        size = self.source.penalty.size(about.corr)
        if not self.sparse:
            return farthest(size, about.off, self.source.norm_bound(slice(None)))
        rest = about.rest  # only few entries of the rest count for a column with few entries
        few = few_entries(rest, int(self.count.max(initial=0)))
        top = float(np.abs(rest).max())
        moved = (
            np.minimum(few[self.count] * self.norm, top * self.l1)
            + abs(float(rest @ self.set.root)) * self.shift
        )
        return farthest(size + moved, about.rounding, self.norm + self.mass * self.shift)

    def _look(self, resid, lam):
        """Return the correlations of the working set with `resid`.

        Others are evaluated only where they may come near `lam`.
        """
        held = self.set.learner
        about = self.last.about(resid)
        corr = about.corr
        reach = self._reach(about)
        apart = self.source.apart or self.sparse
        reach[held] = 0.0
        index = np.flatnonzero(reach > (BESIDE * lam if apart and not self.sparse else lam))
        if not self.set.has_columns or len(index) > (FEW * len(reach) if apart else 0):
            corr = self.source.scan(resid)
            self.looks += len(corr)
            self.last.add((resid, corr), lam)
            self.abs_corr = self.source.penalty.size(corr)
            self.trend.add(self.abs_corr, lam)
            return corr[held]
        corr[held] = self.set.correlations(resid)
        if len(index):
            corr[index] = self.source.scan_few(resid, index)
            self.looks += len(index)
        guess = self.source.penalty.size(corr)
        reach[held], reach[index] = guess[held], guess[index]
        self.abs_corr = reach
        self.trend.add(guess, lam)
        return corr[held]

    def set_penalty(self, lam):
        self.lam, self.cost = lam, self.source.penalty.at(lam, self.set.learner)
        self.set.penalise(self.cost.ridge)

    def violators(self, level):
        if self.member.all():
            return np.empty(0, dtype=np.int64)
        expected = self.trend.seen
        fall = self.trend.lam - self.lam
        if fall > 0 and self.trend.two:
            expected = expected + fall * self.trend.rise()
            level = EXPECTED * level
        return np.flatnonzero((expected >= level) & ~self.member)

    def add(self, learners):
        self.set.add(learners)
        self.member[learners] = True
        self.set_penalty(self.lam)

    def fit(self, goal):
        return self.set.fit(self.cost, goal)

    def check(self, wanted):
        """*Cost*: none if the Gram matrix is complete and accurate enough.

        Else the residual, and a scan or a part of one.
        """
        gamma = self.set.gamma
        told = self.set.alone(wanted)
        if told is not None:
            square, corr = told
            self.outside = 0.0
            self.plain = (square, float(gamma @ corr))
        else:
            resid = self.set.residual()
            corr = self._look(resid, self.lam)
            self.set.renew(resid, corr)
            self.outside = float(self.abs_corr[~self.member].max(initial=0.0))
            self.plain = float(resid @ resid), float(resid @ (self.source.y - resid))
        self.corr = corr
        return self.gap()

    def gap(self):
        gamma, cost, m = (
            self.set.gamma,
            self.cost,
            len(self.corr),
        )  # learners that joined since then count as outside
        back = cost.ridge * gamma
        _, _, worst, limit_cost, ridge_gap = self.sums(
            gamma, self.corr - back[:m], *cost.kernel_args
        )
        extra = float(back @ gamma)
        loss = (self.plain[0] + extra) / 2
        along = self.plain[1] - extra
        return gap_of_sums(
            loss,
            math.nan,
            along,
            float(np.abs(gamma).sum()),
            max(worst, self.outside),
            limit_cost,
            ridge_gap,
            cost.lam,
        )
