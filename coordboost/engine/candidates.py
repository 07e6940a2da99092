"""Where the lookahead view for the squared loss gets its candidates and their Gram block."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled
from coordboost.engine.lookahead import (
    ANCHOR,
    FRESH,
    KEPT,
    LEARNER,
    OUTSIDE,
    SCANNED,
    START,
    UNIT,
    WANTED,
    WITH_Y,
    Lookahead,
)  # fmt: skip
from coordboost.engine.scan import choose, in_parallel

#: Rows of a large Gram block (at least so many multiplications) are dealt out to this many tasks.
LARGE, STRIDE = 4_000_000, 8


class Store:
    """Columns that were candidates once, gathered once: ``rows[slot]``, (n_held, n_samples), append-only."""

    def __init__(self, problem):
        self.problem = problem
        self.rows, self.held = np.empty((0, problem.n_samples)), 0
        self.slot_of = np.full(problem.n_learners, -1, dtype=np.int64)

    def slots(self, learner):
        """Where the columns of the learners are, after gathering those that are not."""
        fresh = learner[self.slot_of[learner] < 0]
        if self.held + len(fresh) > len(self.rows):
            rows = np.empty((2 * (self.held + len(fresh)), self.rows.shape[1]))
            rows[: self.held] = self.rows[: self.held]
            self.rows = rows
        if len(fresh):
            self.rows[self.held : self.held + len(fresh)] = self.problem.dictionary.gather(fresh).T
            self.slot_of[fresh] = np.arange(self.held, self.held + len(fresh))
            self.held += len(fresh)
        return self.slot_of[learner]

    def rows_of(self, learner):
        """The columns of the learners, a copy (len(learner), n_samples)."""
        slot = self.slots(learner)
        return self.rows[slot]


def products(rows, slot, vector, weight, at, old, gram, out, first, stride):
    """Rows first, first + stride, ... of the Gram block of the columns ``rows[slot]``, and their products with `vector`.

    Entries between learners with places ``at >= 0`` in the block `old` are taken from it, the others computed one by one (and written
    for both): whatever is taken over, and on however many threads, the bits are the same.
    """
    for i in range(first, len(slot), stride):
        row = gram[i]
        if at[i] >= 0:
            known = old[at[i]]
            for j in range(len(slot)):
                if at[j] >= 0:
                    row[j] = known[at[j]]
        out[i] = np.dot(rows[slot[i]], vector)
    for block in range(0, len(slot), 32):  # these columns stay in cache
        for i in range(first, len(slot), stride):
            if i >= block:
                weighted = rows[slot[i]] * weight
                for j in range(block, min(block + 32, i + 1)):
                    if at[i] < 0 or at[j] < 0:
                        gram[i, j] = np.dot(rows[slot[j]], weighted)
                        gram[j, i] = gram[i, j]


class Candidates(NamedTuple):
    """What a scan chose: the learners, the store of columns, their Gram matrix, and the view that steps on them."""

    learner: np.ndarray
    store: Store
    gram: np.ndarray
    view: Lookahead


def look(problem, beta, n_candidates, previous=None):
    """Candidates at the coefficients `beta`: one scan, and the Gram entries that `previous` does not hold.

    A function of (problem, beta, n_candidates) alone, whatever came before.
    """
    scale = scale_of(problem)
    pred = problem.combine(beta) / scale
    y = problem.y / scale
    corr = problem.scan(problem.weight * (y - pred))
    tie = problem.tie / scale
    learner, outside = choose(corr, tie, n_candidates)
    store = Store(problem) if previous is None else previous.store
    start, gram = _block(problem, learner, store, previous, problem.weight * y)
    s = len(learner)
    of, now, ids = np.zeros((6, s)), np.zeros(s + 1), np.zeros((2, s), dtype=np.int64)
    of[START], of[SCANNED] = start, corr[learner]
    ids[LEARNER] = learner
    sums, extra, state = np.zeros((2, 7)), np.zeros(2), np.zeros(5, dtype=np.int64)
    sums[0, [OUTSIDE, ANCHOR, KEPT]] = outside, problem.weight @ pred**2, 1.0
    extra[[WITH_Y, UNIT]] = problem.weight @ (y * pred), 1.0
    state[[FRESH, WANTED]] = 1, min(s, 32)
    error = 4 * problem.n_samples * float(np.finfo(float).eps)
    view = Lookahead(gram, np.empty(s * s), of, now, now.view(np.int64), ids, sums, extra, state, tie, error, scale)
    return Candidates(learner, store, gram, view)


def scale_of(problem):
    """A power of two near the norm of y, 1 for y = 0."""
    norm = problem.tie / (2 * problem.n_samples * np.finfo(float).eps)
    return float(np.ldexp(1.0, int(np.frexp(norm)[1]) - 1)) if norm > 0 else 1.0


def _block(problem, learner, store, previous, vector):
    """Products of the learners' columns with `vector` and with each other, taking over what is known."""
    s = len(learner)
    slot, at, old = store.slots(learner), np.full(s, -1, dtype=np.int64), np.empty((0, 0))
    if previous is not None:
        place = np.minimum(np.searchsorted(previous.learner, learner), len(previous.learner) - 1)
        at, old = np.where(previous.learner[place] == learner, place, -1), previous.gram
    gram, out = np.empty((s, s)), np.empty(s)
    run, stride = compiled(products, ()), STRIDE if s * s * problem.n_samples > LARGE else 1
    in_parallel(lambda first: run(store.rows, slot, vector, problem.weight, at, old, gram, out, first, stride), range(stride))
    return out, gram
