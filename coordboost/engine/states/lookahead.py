r"""The model state that steps on a few candidates as long as no other learner can win: exact
lookahead for the squared loss.

With unit columns, by the Cauchy-Schwarz inequality, for every learner j and the residuals r_0 at
the last scan and r now,

    abs(<B_j, r>) <= abs(<B_j, r_0>) + norm(r - r_0).

Let ``outside`` be the largest absolute correlation of the other learners at the last scan. While
the best candidate exceeds ``outside`` plus norm(r - r_0), it is provably the best of all learners,
and no scan is needed. The same test is used within the candidates: the *front*, a few of them,
against the others. A step costs O(front), a new front O(candidates x front), a scan O(n_samples x
n_learners).

    all learners      scan         Python, one pass over the data
      candidates      correlations at the last scan, Gram matrix, sums for the distance since then
        front         correlations now, small Gram matrix, sums for the distance since the front was
                      formed

The distance of the residual from r_0 is updated in O(1) a step. With p_0 the prediction at an
anchor, d = pred - p_0 and a step pred <- (1 - s) pred + t B_j,

    |d|^2 <- (1-s)^2 |d|^2 + s^2 |p_0|^2 + t^2 |B_j|^2
             - 2 s (1-s) <d, p_0> + 2 (1-s) t <B_j, d> - 2 s t <B_j, p_0>
    <d, p_0> <- (1-s) <d, p_0> - s |p_0|^2 + t <B_j, p_0>

where <B_j, d> and <B_j, p_0> are differences of known correlations. The proof with rounding is in
``docs/lookahead.md``.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel, record, verb
from coordboost.certificates.sphere import SLACK
from coordboost.data.column_store import HeldColumns, grown
from coordboost.engine.states.base import GreedyState, StatesOnCandidates, call_work, scan_work
from coordboost.learners.scan import LITTLE, in_parallel, inner_product
from coordboost.learners.strongest import SIZE_BITS, edge, top_learners

regroup = verb("regroup")

#: The front is updated and searched in strips of this length: loops of a fixed length compile to
#: vector code without branches.
STRIP = 8
#: A large Gram matrix is computed in TASKS tasks, from blocks of WIDTH columns and DEPTH samples
#: that stay in the cache.
TASKS, WIDTH, DEPTH = 8, 64, 1024
#: Rows of `values`, for the candidates: correlations at beta = 0 and at the last scan, changes of
#: the coefficients since the scan in units of ``scalars.unit``, and correlations when the front was
#: formed.
START, SCANNED, MOVED, RECENT = range(4)
#: Rows of `front`: correlations at beta = 0, when the front was formed, and now; and the largest
#: absolute value in each strip of NOW.
AT_START, FORMED, NOW, TOPS = range(4)
#: Rows of `places`: the candidates; their positions, by increasing learner; the positions of the
#: front, by increasing learner.
LEARNER, ORDER, FRONT = range(3)


def scale_of(problem):
    """A power of two near the norm of y, 1 for y = 0: the unit of correlations and predictions."""
    norm = problem.tie / (2 * problem.n_samples * np.finfo(float).eps)
    return float(np.ldexp(1.0, int(np.frexp(norm)[1]) - 1)) if norm > 0 else 1.0


def start_corr(problem):
    """Return a function that returns the correlations at beta = 0 in units of the scale, which are
    computed once.
    """
    return cache(lambda: problem.scan(problem.weight * (problem.y / scale_of(problem))))


def anchor(outside, square):
    """The record of a distance from an anchor p_0: `outside`, the largest absolute correlation
    outside, and `square`, |p_0|^2.

    distance, along : |d|^2 and <d, p_0>; kept : the factor of p_0 in the prediction; length, steps
    : path length and number of steps
    """
    return record(
        outside=float(outside),
        square=float(square),
        distance=0.0,
        along=0.0,
        kept=1.0,
        length=0.0,
        steps=0.0,
    )


@kernel
def restart(anchor, outside, square):
    """Make the present prediction the anchor."""
    anchor.outside, anchor.square = outside, square
    anchor.distance, anchor.along, anchor.kept, anchor.length, anchor.steps = (
        0.0,
        0.0,
        1.0,
        0.0,
        0.0,
    )


@kernel
def follow(anchor, shrink, theta, square, with_d, with_anchor):
    """Update the distance for one step.

    `square` is |B_j|^2, `with_d` is <B_j, d> and `with_anchor` is <B_j, p_0>.
    """
    keep = 1.0 - shrink
    distance = anchor.distance
    along = anchor.along
    start = anchor.square
    gone = (
        keep * keep * distance
        + shrink * shrink * start
        + theta * theta * square
        - 2.0 * shrink * keep * along
    )
    anchor.distance = gone + 2.0 * theta * (keep * with_d - shrink * with_anchor)
    anchor.along = keep * along - shrink * start + theta * with_anchor
    anchor.kept *= keep
    anchor.length += abs(theta) + shrink
    anchor.steps += 1.0


@kernel
def pred_square(anchor):
    """|pred|^2."""
    return anchor.square + 2.0 * anchor.along + anchor.distance


@kernel
def beats(anchor, size, doubt):
    """Whether `size` certainly exceeds every absolute correlation outside.

    `doubt` bounds the rounding.
    """
    room = size - anchor.outside - doubt
    return (
        room > 0.0 and room * room > (1.0 + SLACK) * anchor.distance + 2.0 * anchor.length * doubt
    )


@kernel
def strips(w):
    """Number of strips that w entries fill."""
    return (w + STRIP - 1) // STRIP


class _LookaheadState(NamedTuple):
    gram: np.ndarray
    block: np.ndarray
    values: np.ndarray
    front: np.ndarray
    places: np.ndarray
    outer: np.record
    inner: np.record
    scalars: np.record
    rounding: float
    error: float
    scale: float


class LookaheadState(_LookaheadState, GreedyState):
    """Candidates and front.

    Correlations and predictions in units of `scale`, a power of two near the norm of y.

    For the squared loss and greedy methods. *Cost* of a step: O(front), a few dozen; a scan if the
    winner cannot be proved without one. A run with this model state changes to
    ``CovarianceColumns`` or ``NaiveState`` where steps cost less on them.

    Parameters
    ----------
    gram : ndarray, (>= s, >= s)
        Gram matrix of the s candidates.
    block : ndarray, (s * STRIP * strips(s),)
        Gram matrix of the front, its rows one after the other, each padded with zeros to whole
        strips.
    values : ndarray, (4, s)
        Values of the candidates: rows ``START``, ``SCANNED``, ``MOVED`` and ``RECENT`` of the
        module.
    front : ndarray, (4, STRIP * strips(s))
        Values of the front: rows ``AT_START``, ``FORMED``, ``NOW`` and ``TOPS``; the first three
        have ``scalars.front`` valid entries.
    places : ndarray of int64, (3, s)
        Rows ``LEARNER``, ``ORDER`` and ``FRONT``. Sums over candidates, and ties, go by increasing
        learner, so the positions of candidates do not matter.
    outer, inner : record
        The distances since the last scan, and since the front was formed: see `anchor`.
    scalars : record
        `with_y`, <y, pred>; `unit`, the unit of ``MOVED``; `front`, the size of the front;
        `winner`, the position of the last winner in it; `fresh`, no step since the scan; `wanted`,
        the size of the next front; `regroups`, fronts formed since the scan.
    rounding : float
        The tie of the problem, in units of `scale`.
    error : float
        Relative rounding of an inner product.
    scale : float
        A power of two near the norm of y.

    Examples
    --------
    Two thousand greedy steps, of which few needed a scan:

    >>> from sklearn.datasets import load_diabetes
    >>> import coordboost as cb
    >>> problem = cb.Problem(*load_diabetes(return_X_y=True))
    >>> run = cb.solve(
    ...     problem, cb.forward_stagewise(1.0), 2000, model_state=cb.engine.LookaheadState
    ... )
    >>> run.n_scans < 10
    True
    """

    quadratic = True

    def tie(self):
        return self.rounding * self.scale

    def regroup(self):
        """Update the correlations of all candidates, and form a new front.

        The front holds the ``scalars.wanted`` largest in absolute value.
        """
        values = self.values
        front = self.front
        order = self.places[ORDER]
        scalars = self.scalars
        n = self.places.shape[1]
        recent = values[RECENT]
        kept = self.outer.kept
        for p in range(n):
            recent[p] = kept * values[SCANNED, p] + (1.0 - kept) * values[START, p]
        for r in range(n):
            change = scalars.unit * values[MOVED, order[r]]
            if change != 0.0:
                row = self.gram[order[r]]
                for p in range(n):
                    recent[p] -= change * row[p]
        bits = recent.view(np.int64)
        low, ties = edge(bits, min(scalars.wanted, n))
        w = 0
        outside = -np.inf
        for r in range(n):
            i = order[r]
            size = bits[i] & SIZE_BITS
            if size > low or (size == low and ties > 0):
                ties -= size == low
                self.places[FRONT, w] = i
                front[AT_START, w], front[FORMED, w], front[NOW, w] = (
                    values[START, i],
                    recent[i],
                    recent[i],
                )
                w += 1
            else:
                outside = max(outside, abs(recent[i]))
        width = STRIP * strips(w)
        for a in range(w):
            for b in range(w):
                self.block[a * width + b] = self.gram[self.places[FRONT, a], self.places[FRONT, b]]
            self.block[a * width + w : (a + 1) * width] = 0.0
        front[NOW, w:width] = 0.0
        for c in range(strips(w)):
            front[TOPS, c] = np.abs(front[NOW, c * STRIP : (c + 1) * STRIP]).max()
        restart(self.inner, outside, pred_square(self.outer))
        scalars.front = w
        scalars.regroups += 1

    def best(self, step, beta):
        front = self.front
        scalars = self.scalars
        outer = self.outer
        inner = self.inner
        n = self.places.shape[1]
        while True:
            w = scalars.front
            top = 0.0
            for c in range(strips(w)):
                top = max(top, front[TOPS, c])
            certain = top - min(self.rounding, 0.5 * top)
            doubt = self.rounding + self.error * outer.length + 1e-15 * inner.steps
            if w > 0 and (w == n or beats(inner, certain, doubt)):
                break
            if w > 0 and inner.steps < 8 * w:
                scalars.wanted = min(n, scalars.wanted + scalars.wanted // 2 + 8)
            regroup(self)
        if scalars.fresh == 0 and not beats(outer, certain, doubt):
            return -1, 0.0
        local = 0
        while front[TOPS, local // STRIP] < certain:
            local += STRIP
        while abs(front[NOW, local]) < certain:
            local += 1
        scalars.fresh, scalars.winner = 0, local
        return self.places[LEARNER, self.places[FRONT, local]], front[NOW, local] * self.scale

    def search(self, j, a, b):
        """Learner j is the one that `best` returned."""
        scalars = self.scalars
        local = self.scalars.winner
        corr = self.front[NOW, local]
        start = self.front[AT_START, local]
        square = pred_square(self.outer)
        a = a / self.scale
        along = a * corr - b * (scalars.with_y - square)
        own = self.block[local * STRIP * strips(scalars.front) + local]
        length = a * a * own - 2.0 * a * b * (start - corr) + b * b * square
        return along / length if length > 0.0 else 0.0

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j, j the learner that `best`
        returned.
        """
        front = self.front
        scalars = self.scalars
        local = self.scalars.winner
        w = self.scalars.front
        theta = theta * (1.0 / self.scale)
        first = local * STRIP * strips(w)
        i = self.places[FRONT, local]
        own = self.block[first + local]
        keep = 1.0 - shrink
        corr = front[NOW, local]
        start = front[AT_START, local]
        formed = front[FORMED, local]
        scanned = self.values[SCANNED, i]
        follow(self.outer, shrink, theta, own, scanned - corr, start - scanned)
        follow(self.inner, shrink, theta, own, formed - corr, start - formed)
        scalars.with_y = keep * scalars.with_y + theta * start
        if shrink != 0.0:
            scalars.unit *= keep
            if scalars.unit < 1e-100:
                for p in range(self.values.shape[1]):
                    self.values[MOVED, p] *= scalars.unit
                scalars.unit = 1.0
            for p in range(w):
                front[NOW, p] = keep * front[NOW, p] + shrink * front[AT_START, p]
        for c in range(strips(w)):
            top = 0.0
            for q in range(c * STRIP, (c + 1) * STRIP):
                value = front[NOW, q] - theta * self.block[first + q]
                front[NOW, q] = value
                size = abs(value)
                top = size if size > top else top
            front[TOPS, c] = top
        self.values[MOVED, i] += theta / scalars.unit


def gram_entries(rows, slot, fresh, gram, first, stride):
    """Fill rows and columns `fresh` of the Gram matrix of the columns ``rows[slot]``.

    This task takes every stride-th block from `first`.

    *Numerics*: the order of summation of an entry depends on the number of samples alone, so its
    bits depend neither on the other entries computed nor on the number of threads.
    """
    n = rows.shape[1]
    m = len(fresh)
    total = np.empty((m, WIDTH))
    for block in range(first * WIDTH, len(slot), stride * WIDTH):
        width = min(WIDTH, len(slot) - block)
        total[:] = 0.0
        for top in range(0, n, DEPTH):
            bottom = min(n, top + DEPTH)
            for f in range(m):
                column = rows[slot[fresh[f]], top:bottom]
                for q in range(width):
                    total[f, q] += inner_product(column, rows[slot[block + q], top:bottom])
        for f in range(m):
            for q in range(width):
                gram[fresh[f], block + q] = gram[block + q, fresh[f]] = total[f, q]


#: Maximum number of candidates of lookahead; their Gram matrix takes 8 MOST^2 bytes.
MOST = 4096
#: Maximum size of the columns of candidates, in bytes.
MOST_BYTES = 1 << 30


def bounded_size(problem, size):
    """The number of candidates next to `size` for which there is memory."""
    most = max(16, min(MOST, MOST_BYTES // (8 * problem.n_samples)))
    return min(problem.n_learners, most, size)


def held_columns(problem, root=1.0):
    """A store for columns of candidates, each multiplied by `root` (a number, or (n_samples,))."""

    def fill(learners, out):
        np.multiply(problem.gather(learners).T, root, out=out)

    return HeldColumns(fill, problem.n_learners, problem.n_samples)


class Candidates(StatesOnCandidates):
    """Makes ``LookaheadState`` at any coefficients; the candidates of the last scan.

    Those that stay keep their positions and Gram entries.

    learner, start : (s,), the candidates, and their correlations at beta = 0
    place : (n_learners,), the positions of the candidates, -1 for other learners
    gram : (>= s, >= s)
    corr : correlations of all learners at the last scan
    start_corr : returns those at beta = 0
    """

    kind = LookaheadState

    def __init__(self, problem, start_corr):
        self.problem = problem
        self.start_corr = start_corr
        self.scale = scale_of(problem)
        self.root = np.sqrt(problem.weight)
        self.held = held_columns(problem, self.root) if problem.products is None else None
        self._clear()

    def _clear(self):
        """Drop all candidates."""
        self.learner = np.zeros(0, dtype=np.int64)
        self.start = np.zeros(0)
        self.place = np.full(self.problem.n_learners, -1)
        self.gram = np.empty((0, 0))

    def n_candidates(self, n_scans, former, steps_done):
        """As in the base class.

        With s = n_learners, sqrt(3 K s) candidates for the K-th scan, or 7 sqrt(K) s^(1/3) where
        that is less. With the first number the Gram matrix costs 3/2 of the inner products of the
        scans; the second saves memory traffic for many learners and needs hardly any more scans
        (measured). For other learners s is the number of inner products that cost as much as a
        scan; where Gram entries are counts they are cheap, and s is n_learners again.
        """
        problem = self.problem
        counted = self.held is None
        s = problem.n_learners if counted else scan_work(problem) / problem.n_samples
        size = min(math.sqrt(3.0 * s), 7.0 * s ** (1 / 3))
        return bounded_size(problem, math.ceil(math.sqrt(n_scans + 1) * size))

    def model_state(self, beta, n_candidates):
        """The model state at the coefficients `beta`, on `n_candidates`.

        *Cost*: one scan, and the Gram entries of new candidates.

        The candidates, and all steps on them, depend on (problem, beta, n_candidates) alone, not on
        earlier candidates.
        """
        problem = self.problem
        scale = self.scale
        pred = problem.combine(beta) / scale
        y = problem.y / scale
        tie = problem.tie / scale
        self.corr = problem.scan(problem.weight * (y - pred)) if beta.any() else self.start_corr()
        learner, outside = top_learners(self.corr, tie, n_candidates)
        if len(learner) < len(self.learner):
            self._clear()
        self._put(learner, y)
        s = len(learner)
        width = STRIP * strips(len(learner))
        values = np.zeros((4, s))
        front = np.zeros((4, width))
        places = np.zeros((3, s), dtype=np.int64)
        values[START], values[SCANNED] = self.start, self.corr[self.learner]
        places[LEARNER], places[ORDER] = self.learner, self.place[learner]
        scalars = record(
            with_y=float(problem.weight @ (y * pred)),
            unit=1.0,
            front=0,
            winner=0,
            fresh=1,
            wanted=min(s, 32),
            regroups=0,
        )
        levels = anchor(outside, problem.weight @ pred**2), anchor(-np.inf, 0.0)
        error = 4 * problem.n_samples * float(np.finfo(float).eps)
        self.scalars = scalars
        return LookaheadState(
            self.gram,
            np.empty(s * width),
            values,
            front,
            places,
            *levels,
            scalars,
            tie,
            error,
            scale,
        )

    def _put(self, learner, y):
        """Make the learners `learner` the candidates; there must not be fewer than before."""
        place = self.place[learner]
        old = len(self.learner)
        s = len(learner)
        new = learner[place < 0]
        free = np.ones(s, dtype=bool)
        free[place[place >= 0]] = False
        fresh = np.flatnonzero(free)
        self.place[self.learner[free[:old]]] = -1
        self.learner, self.start = grown(self.learner, (s,)), grown(self.start, (s,))
        self.learner[fresh], self.place[new] = new, fresh
        if s > len(self.gram):
            self.gram = grown(self.gram, (2 * s, 2 * s))
        if self.held is None:
            self._from_counts(fresh)
        else:
            self._from_columns(fresh, y)

    def _from_columns(self, fresh, y):
        """Fill `start` and `gram` for the candidates at positions `fresh`, from columns that are
        kept for all former candidates.
        """
        self.start[fresh] = [
            np.dot(self.held.rows[k], self.root * y) for k in self.held.at(self.learner[fresh])
        ]
        slot = self.held.place[self.learner]
        work = len(fresh) * len(self.learner) * len(y)
        run = compiled(gram_entries)
        tasks = TASKS if work > LITTLE else 1
        in_parallel(
            lambda first: run(self.held.rows, slot, fresh, self.gram, first, tasks),
            range(tasks),
            work,
        )

    def _from_counts(self, fresh):
        """As `_from_columns`, for learners whose Gram entries are counted without columns."""
        s = len(self.learner)
        self.start[fresh] = self.start_corr()[self.learner[fresh]]
        self.gram[fresh, :s] = self.problem.products.cross(self.learner[fresh], self.learner)
        self.gram[:s, fresh] = self.gram[fresh, :s].T

    def scan_work(self, n_candidates):
        """As in the base class: their Gram matrix takes about as much as the scan."""
        columns = n_candidates * call_work(self.problem)
        return 2 * scan_work(self.problem) + n_candidates**2 + columns

    def work(self, n_steps):
        """Multiplications of `n_steps` steps on the last model state."""
        front = self.scalars.front
        return n_steps * (2 * front + 120) + 2 * self.scalars.regroups * front**2
