r"""The model states for the squared loss that update correlations by Gram columns.

Gram columns are those of B'WB; the data are not scanned.

A step gives :math:`c \leftarrow (1 - s) c + s\, c_0 - \theta\, B'W B_j`. ``CovarianceState`` has
all columns from the start. For ``CovarianceColumns`` a column is computed when its learner is first
chosen, together with those that are likely to be next, as a product of matrices. *Cost*:
O(n_learners) a step whatever the number of samples, no scans, and one Gram column for each learner
in use.

    tops    |   of strip 0     |    of strip 1    | ...
    corr    |c_0 ....... c_255 |c_256 ..... c_511 | ...  0 0|    padded with zeros to whole strips

A strip is updated, and then its largest absolute value is found while the strip is in the cache.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, record
from coordboost.data.column_store import HeldColumns
from coordboost.engine.states.base import GreedyState, ModelState, scan_work
from coordboost.engine.states.lookahead import scale_of
from coordboost.learners.scan import BLOCK, in_parallel
from coordboost.learners.strongest import SIZE_BITS

#: Bytes of a cache line.
LINE = 64
#: Rounding decides the sign of a difference of inner products that is a smaller part of them.
CLEAR = 1e-6


def aligned(values):
    """A copy in C order that begins at a cache line: loops over it may take half the time."""
    if values.dtype != np.float64:
        return values.copy()
    memory = np.empty(values.nbytes + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    out = memory[start : start + values.nbytes].view(np.float64).reshape(values.shape)
    out[:] = values
    return out


class _CovarianceState(NamedTuple):
    gram: np.ndarray
    start_corr: np.ndarray
    corr: np.ndarray
    inner: np.ndarray  # <pred, pred> and <y, pred>
    rounding: float
    bits: np.ndarray
    largest: np.ndarray
    largest_bits: np.ndarray


class CovarianceState(_CovarianceState, ModelState):
    r"""All correlations, and the inner products that an exact line search needs.

    With :math:`c = B'(y - B\beta)` (weights inside), a step gives
    :math:`c \leftarrow (1 - s) c + s\, c_0 - \theta\, G_{\cdot j}`. *Cost*: O(n_learners) a step,
    whatever the number of samples. For the squared loss only. *Source*: the "covariance updates" of
    Friedman, Hastie, Tibshirani, *Regularization Paths for Generalized Linear Models via Coordinate
    Descent*, Section 2.2.

    Parameters
    ----------
    gram : ndarray, (n_learners, n_learners)
        B'WB.
    start_corr : ndarray, (n_learners,)
        Correlations at beta = 0.
    corr : ndarray, (n_learners,)
        Correlations now.
    inner : ndarray, (2,)
        <pred, pred> and <y, pred>.
    rounding : float
        Correlations that differ by no more than this tie.
    bits : ndarray of int64, (n_learners,)
        The bits of `corr`, the same memory; none of exact numbers.
    largest, largest_bits : ndarray, (1,)
        Work space of a search, the same memory.

    Examples
    --------
    The same steps as those of ``NaiveState``, without another scan of the data:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> state = cb.engine.CovarianceState.start(problem)
    >>> state.push(1, 0.0, 2.0)
    >>> state.scan().round(3)
    array([1.414, 0.753])
    """

    quadratic = True
    from_gram = True
    foresees = True

    @classmethod
    def start(cls, problem):
        """The model state at beta = 0.

        Parameters
        ----------
        problem : Problem
            With the squared loss.

        Returns
        -------
        CovarianceState
            With its own arrays.

        Notes
        -----
        *Cost*: one scan and the Gram matrix, which is one product of matrices where columns are
        stored.
        """
        gram = aligned(problem.dictionary.gram(problem.weight))
        corr = aligned(problem.scan(problem.weight * problem.y))
        start_corr = corr.copy()
        inner = np.zeros(2, corr.dtype)
        is_float = corr.dtype == np.float64
        bits = corr.view(np.int64) if is_float else np.zeros(0, np.int64)
        largest = np.zeros(1)
        largest_bits = largest.view(np.int64)
        return cls(gram, start_corr, corr, inner, problem.tie, bits, largest, largest_bits)

    def renew(self, beta):
        """Recompute the state from the coefficients, so that rounding errors do not accumulate."""
        support = np.flatnonzero(beta)
        self.corr[:] = self.start_corr - self.gram[:, support] @ beta[support]
        self.inner[0] = beta @ (self.start_corr - self.corr)
        self.inner[1] = beta @ self.start_corr

    def scan(self):
        """All correlations <B_j, resid>, (n_learners,).

        Returns
        -------
        ndarray, (n_learners,)
            The array that steps update, not a copy.
        """
        return self.corr

    def correlations(self, index):
        """The correlations of the learners `index`.

        Parameters
        ----------
        index : ndarray of int, (k,)
            Indices of learners.

        Returns
        -------
        ndarray, (k,)
            Correlations <B_j, resid>.
        """
        return self.corr[index]

    def tie(self):
        return self.rounding

    def search(self, j, a, b):
        with_pred = self.start_corr[j] - self.corr[j]
        along = a * self.corr[j] - b * (self.inner[1] - self.inner[0])
        length = a * a * self.gram[j, j] - 2 * a * b * with_pred + b * b * self.inner[0]
        return along / length if length > 0 else 0 * along

    def search_pair(self, i, a, j, b):
        along = a * self.corr[i] + b * self.corr[j]
        gram = self.gram
        length = a * a * gram[i, i] + 2 * a * b * gram[i, j] + b * b * gram[j, j]
        return along / length if length > 0 else 0 * along

    def change(self):
        """The loss less that at beta = 0.

        Returns
        -------
        float
            ``|pred|^2 / 2 - <y, pred>``; 0 where rounding may decide its sign.
        """
        change = self.inner[0] / 2 - self.inner[1]
        return change if abs(change) > CLEAR * abs(self.inner[1]) else 0 * change

    def after(self, j, theta):
        """The sum of the losses at pred + theta B_j, less that at pred.

        Parameters
        ----------
        j : int
            The learner.
        theta : float
            The length of the step.

        Returns
        -------
        float
            theta^2 G_jj / 2 - theta c_j.
        """
        return theta * theta * self.gram[j, j] / 2 - theta * self.corr[j]

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j.

        Arrays get no local names: numba would count the references to them in every step.
        """
        keep = 1 - shrink
        with_pred = self.start_corr[j] - self.corr[j]
        self.inner[0] = (
            keep * keep * self.inner[0]
            + 2 * keep * theta * with_pred
            + theta * theta * self.gram[j, j]
        )
        self.inner[1] = keep * self.inner[1] + theta * self.start_corr[j]
        if shrink != 0:
            for p in range(len(self.corr)):
                old = keep * self.corr[p] + shrink * self.start_corr[p]
                self.corr[p] = old - theta * self.gram[j, p]
        else:
            for p in range(len(self.corr)):
                self.corr[p] -= theta * self.gram[j, p]


class GreedyCovarianceState(CovarianceState, GreedyState):
    """``CovarianceState`` for greedy methods: the largest absolute correlation is found on bits.

    Read as integers, the bits of absolute values are ordered as these are, and a maximum of
    integers compiles to vector code.

    Examples
    --------
    The default for few columns:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.solve(problem, cb.ls_boost(0.5), 20).model_state.__name__
    'GreedyCovarianceState'
    """

    def best(self, step, beta):
        top = 0
        for p in range(len(self.bits)):
            size = self.bits[p] & SIZE_BITS
            top = size if size > top else top
        self.largest_bits[0] = top
        limit = self.largest[0] - min(self.rounding, 0.5 * self.largest[0])
        j = 0
        while abs(self.corr[j]) < limit:  # the largest is not
            j += 1
        return j, self.corr[j]


#: Correlations are updated and searched in strips of this length.
STRIP = 256
#: Numbers of Gram columns that are computed together, where several cost less than one by one.
FEWEST, TOGETHER = 16, 32
#: With fewer samples and more learners than this, columns one by one cost as little.
SHORT, WIDE = 128, 8192
#: Work of a Gram column, in scans: in a product of matrices; where its entries are counts.
IN_BLOCK, COUNTED = 0.15, 0.06
#: Maximum bytes of Gram columns that are kept; bytes that are allocated at once, which take up
#: memory only when they are filled.
ROOM = 1 << 30
AT_ONCE = 1 << 28


def padded(values):
    """A copy of `values`, padded with zeros to whole strips."""
    out = np.zeros(STRIP * -(-len(values) // STRIP))
    out[: len(values)] = values
    return out


@kernel
def move(corr, start, column, shrink, theta):
    """Corr <- (1 - shrink) corr + shrink start - theta column."""
    if shrink != 0:
        for p in range(len(corr)):
            corr[p] = (1 - shrink) * corr[p] + shrink * start[p] - theta * column[p]
    else:
        for p in range(len(corr)):
            corr[p] -= theta * column[p]


@kernel
def largest(bits):
    """The largest absolute value of numbers, in and out as bits.

    A maximum of integers compiles to vector code. NaN counts as largest.
    """
    top = 0
    for p in range(len(bits)):
        size = bits[p] & SIZE_BITS
        top = size if size > top else top
    return top


@kernel
def move_strips(corr, start, column, tops, shrink, theta):
    """As `move`, strip by strip; `tops` become the largest absolute values of the strips."""
    bits = corr.view(np.int64)
    top_bits = tops.view(np.int64)
    for c in range(len(tops)):
        low = c * STRIP
        high = (c + 1) * STRIP
        move(corr[low:high], start[low:high], column[low:high], shrink, theta)
        top_bits[c] = largest(bits[low:high])


class _CovarianceColumns(NamedTuple):
    columns: np.ndarray
    place: np.ndarray
    start: np.ndarray
    corr: np.ndarray
    tops: np.ndarray
    scalars: np.record
    rounding: float
    scale: float


class CovarianceColumns(_CovarianceColumns, GreedyState):
    """All correlations, in units of `scale`, and the Gram columns of some learners.

    For the squared loss and greedy methods. *Cost* of a step: O(n_learners), and a Gram column for
    a learner that is chosen for the first time.

    Parameters
    ----------
    columns : ndarray, (>= n_held, width)
        Gram columns, one per row; width is n_learners rounded up to whole strips.
    place : ndarray of int, (n_learners,)
        For each learner the row of its Gram column in `columns`, or -1.
    start, corr : ndarray, (width,)
        Correlations at beta = 0, and now.
    tops : ndarray, (n_strips,)
        The largest absolute correlation in each strip.
    scalars : record
        `square` and `with_y`, ``|pred|^2`` and ``<y, pred>``; `wanted`, the learner whose column is
        needed next, or -1.
    rounding : float
        Correlations that differ by no more than this tie, in units of `scale`.
    scale : float
        A power of two near the norm of y.

    Examples
    --------
    Two thousand steps from one scan of the data and a Gram column for each learner:

    >>> from sklearn.datasets import load_diabetes
    >>> import coordboost as cb
    >>> problem = cb.Problem(*load_diabetes(return_X_y=True))
    >>> run = cb.solve(
    ...     problem, cb.forward_stagewise(1.0), 2000, model_state=cb.engine.CovarianceColumns
    ... )
    >>> run.n_scans, run.n_gram_columns
    (1.0, 10)
    """

    quadratic = True

    def tie(self):
        return self.rounding * self.scale

    def best(self, step, beta):
        corr = self.corr
        tops = self.tops
        top, first = 0.0, 0
        for c in range(len(tops)):
            top = tops[c] if tops[c] > top else top
        certain = top - min(self.rounding, 0.5 * top)
        while first < len(tops) - 1 and tops[first] < certain:
            first += 1
        j = first * STRIP
        while j < len(self.place) - 1 and abs(corr[j]) < certain:
            j += 1
        if self.place[j] < 0:
            self.scalars.wanted = j
            return -1, 0.0
        return j, corr[j] * self.scale

    def search(self, j, a, b):
        """The Gram column of learner j is held."""
        corr = self.corr[j]
        scalars = self.scalars
        a = a / self.scale
        along = a * corr - b * (scalars.with_y - scalars.square)
        own = self.columns[self.place[j], j]
        length = a * a * own - 2.0 * a * b * (self.start[j] - corr) + b * b * scalars.square
        return along / length if length > 0.0 else 0.0

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j.

        The Gram column of learner j is held.
        """
        corr = self.corr
        start = self.start
        scalars = self.scalars
        keep = 1.0 - shrink
        theta = theta * (1.0 / self.scale)
        column = self.columns[self.place[j]]
        scalars.square = (
            keep * keep * scalars.square
            + 2.0 * keep * theta * (start[j] - corr[j])
            + theta * theta * column[j]
        )
        scalars.with_y = keep * scalars.with_y + theta * start[j]
        move_strips(corr, start, column, self.tops, shrink, theta)


class GramColumns:
    """Makes ``CovarianceColumns`` at any coefficients, from the Gram columns B'W B_j that it holds.

    kind : the class of the model states; exact : whether their correlations are no estimates
    held : the columns, (width,) each
    most : largest number of columns
    n_scans, n_looks : of its own, none
    blocks : lists of learners
    n_columns : columns computed so far
    counted : whether their entries are counts
    scale : the unit of all correlations, a power of two near the norm of y
    start_corr : returns the correlations at beta = 0 in this unit
    step_work : multiplications of a step

    *Numerics*: a product of matrices may round a column differently in another block; the same
    blocks give the same bits.
    """

    kind = CovarianceColumns
    exact = True
    n_scans = 0
    n_looks = 0

    def __init__(self, problem, start_corr):
        n_learners = problem.n_learners
        width = STRIP * -(-n_learners // STRIP)
        stored = problem.dictionary.rows is not None
        self.problem = problem
        self.scale = scale_of(problem)
        self.start_corr = start_corr
        self.counted = problem.products is not None
        one_by_one = problem.n_samples < SHORT and n_learners > WIDE
        self.in_blocks = stored and not self.counted and not one_by_one
        self.scan_work = scan_work(problem)
        self.step_work = 1.3 * n_learners + 600
        scans = COUNTED if self.counted else IN_BLOCK if self.in_blocks else 1
        self.column_work = scans * self.scan_work
        self.most = max(1, ROOM // (8 * width))
        self.at_once = AT_ONCE // (8 * width)
        self.blocks = []
        self.n_columns = 0
        self.held = HeldColumns(partial(gram_columns, problem, problem.weight), n_learners, width)

    def missing(self, beta):
        """The learners in use whose columns are not held."""
        used = np.flatnonzero(beta)
        return used[self.held.place[used] < 0]

    def entry_work(self, beta):
        """Multiplications that `model_state` takes."""
        return self.scan_work + len(self.missing(beta)) * self.column_work

    def model_state(self, beta):
        """The model state at the coefficients `beta`, with the columns of all learners in use.

        *Cost*: one scan, and the columns that are missing.
        """
        self.make_room(len(self.missing(beta)))
        missing = self.missing(beta)
        for first in range(0, len(missing), TOGETHER):
            self.add(missing[first : first + TOGETHER])
        problem = self.problem
        weight = problem.weight
        y = problem.y / self.scale
        pred = problem.combine(beta) / self.scale
        start = padded(self.start_corr())
        corr = padded(problem.scan(weight * (y - pred))) if beta.any() else start.copy()
        return CovarianceColumns(
            self.held.rows,
            self.held.place,
            start,
            corr,
            np.abs(corr.reshape(-1, STRIP)).max(axis=1),
            record(square=float(weight @ pred**2), with_y=float(weight @ (y * pred)), wanted=-1),
            problem.tie / self.scale,
            self.scale,
        )

    def completed(self, model_state, beta):
        """The model state with the Gram column that its next step needs.

        It also gets those of the learners with the largest absolute correlations.

        In all four times as many as learners of the last block are in use, within bounds.
        """
        wanted = model_state.scalars.wanted
        if wanted < 0:
            return None
        useful = np.count_nonzero(beta[self.blocks[-1]]) if self.blocks else 0
        n_fetched = min(TOGETHER, max(FEWEST, 4 * useful)) if self.in_blocks else 1
        self.make_room(n_fetched)
        fetched = np.array([wanted])
        if n_fetched > 1:
            size = np.abs(model_state.corr[: self.problem.n_learners])
            size[self.held.place >= 0] = -1.0
            size[wanted] = np.inf
            largest_sizes = np.argpartition(size, max(0, len(size) - n_fetched))[-n_fetched:]
            fetched = largest_sizes[size[largest_sizes] >= 0]
        self.add(fetched)
        model_state.scalars.wanted = -1
        return model_state._replace(columns=self.held.rows, place=self.held.place)

    def make_room(self, n):
        """Drop all columns if there is no room for n more."""
        if len(self.held) + n > self.most:
            self.hold([])

    def hold(self, blocks):
        """Hold the columns of exactly these blocks."""
        known = self.blocks[: len(blocks)] == [list(block) for block in blocks]
        self.held.keep(sum(map(len, blocks)) if known else 0)
        self.blocks = self.blocks[: len(blocks)] if known else []
        for block in () if known else blocks:
            self.add(np.array(block))

    def add(self, learners):
        """Compute the columns of some learners as one block.

        *Cost*: products of matrices, or counts; else a scan each.
        """
        self.held.reserve(self.at_once)
        self.held.add(learners)
        self.blocks.append([int(j) for j in learners])
        self.n_columns += len(learners)


def gram_columns(problem, weight, learners, out):
    """Fill `out` (len(learners), width) with the columns B' diag(weight) B_j of the learners.

    They are padded with zeros. Counts are those for the weights of the problem.
    """
    n = problem.n_learners
    stored = problem.dictionary.rows
    out[:, n:] = 0.0
    if problem.products is not None:
        problem.products.columns(learners, out[:, :n])
    elif stored is not None and problem.n_samples < SHORT and len(learners) == 1:
        np.dot(stored, stored[learners[0]] * weight, out=out[0, :n])
    elif stored is not None:
        columns = stored[learners] * weight

        def fill(first):
            np.matmul(
                columns, stored[first : first + BLOCK].T, out=out[:, first : min(n, first + BLOCK)]
            )

        in_parallel(fill, range(0, n, BLOCK), columns.size * n)
    else:
        for row, column in zip(out, problem.gather(learners).T, strict=True):
            row[:n] = problem.scan(weight * column)
