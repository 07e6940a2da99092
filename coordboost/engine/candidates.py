"""Scans certify, blocks move: where the lookahead view gets its candidates, and when it steps aside."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled
from coordboost.engine.explicit import Explicit
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

#: Most candidates: their Gram block takes 8 * MOST^2 bytes.
MOST = 4096
#: Most steps from one scan, so that rounding cannot pile up where all learners are candidates.
FARTHEST = 1 << 20


def products(columns, weight, known, gram):
    """Fill gram[i, j] = <columns[i], columns[j]>_weight where either index is not `known`, entry by entry: equal bits always."""
    for i in range(len(columns)):
        weighted = columns[i] * weight
        for j in range(i + 1):
            if not (known[i] and known[j]):
                gram[i, j] = np.dot(columns[j], weighted)
                gram[j, i] = gram[i, j]


def choose(corr, tie, n_candidates):
    """The `n_candidates` learners with the largest abs correlation (the winner among them), increasing, and the largest outside."""
    size = np.abs(corr)
    if n_candidates >= len(size):
        return np.arange(len(size)), -np.inf
    winner = int(np.argmax(size >= size.max() - tie))
    chosen = np.union1d(np.argpartition(size, len(size) - n_candidates)[-n_candidates:], [winner])
    rest = np.ones(len(size), dtype=bool)
    rest[chosen] = False
    return chosen, float(size[rest].max(initial=-np.inf))


class Candidates(NamedTuple):
    """What a scan chose: the learners, their columns (s, n_samples), their Gram matrix, and the view that steps on them."""

    learner: np.ndarray
    columns: np.ndarray
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
    columns, gram = _block(problem, learner, previous)
    s = len(learner)
    of, ids = np.zeros((7, s)), np.zeros((2, s), dtype=np.int64)
    of[START], of[SCANNED] = columns @ (problem.weight * y), corr[learner]
    ids[LEARNER] = learner
    sums, extra, state = np.zeros((2, 7)), np.zeros(2), np.zeros(5, dtype=np.int64)
    sums[0, [OUTSIDE, ANCHOR, KEPT]] = outside, problem.weight @ pred**2, 1.0
    extra[[WITH_Y, UNIT]] = problem.weight @ (y * pred), 1.0
    state[[FRESH, WANTED]] = 1, min(s, 32)
    error = 4 * problem.n_samples * float(np.finfo(float).eps)
    view = Lookahead(gram, np.empty(s * s), of, ids, sums, extra, state, tie, error, scale)
    return Candidates(learner, columns, gram, view)


def scale_of(problem):
    """A power of two near the norm of y, 1 for y = 0."""
    norm = problem.tie / (2 * problem.n_samples * np.finfo(float).eps)
    return float(np.ldexp(1.0, int(np.frexp(norm)[1]) - 1)) if norm > 0 else 1.0


def _block(problem, learner, previous):
    """Columns and Gram matrix of the learners, taking over what is known."""
    s = len(learner)
    known, at = np.zeros(s, dtype=bool), np.zeros(s, dtype=np.int64)
    gram, columns = np.empty((s, s)), np.empty((s, problem.n_samples))
    if previous is not None:
        at = np.minimum(np.searchsorted(previous.learner, learner), len(previous.learner) - 1)
        known = previous.learner[at] == learner
        gram[np.ix_(known, known)] = previous.gram[np.ix_(at[known], at[known])]
        columns[known] = previous.columns[at[known]]
    if not known.all():
        columns[~known] = problem.dictionary.gather(learner[~known]).T
    compiled(products, ())(columns, problem.weight, known, gram)
    return columns, gram


class Scout:
    """The source of views for exact lookahead.

    After K scans there are sqrt(2 K n_learners) candidates: their Gram block has then cost no more inner products than the scans. Where
    steps are so long that scans come nearly as often as steps, the explicit view takes over for a spell, longer each time.
    All decisions depend on step counts only, never on a clock.
    """

    follows = False  # steps since the last scan are made again, not read from the path

    def __init__(self, problem):
        self.problem = problem
        self.scans, self.strikes, self.spell, self.longest = 0, 0, 0, 0
        self.candidates = None
        self.view = None

    @property
    def memory(self):
        """All that the next view depends on beside the coefficients."""
        return [self.scans, self.strikes, self.spell, self.longest]

    def rebuild(self, beta, gained):
        """A new view at the coefficients `beta`, `gained` steps after the last one (None: at the start)."""
        if gained is not None:
            self._judge(gained)
        self._place(beta)

    def restore(self, beta, memory):
        """The view that `rebuild` had made when `memory` was noted."""
        self.scans, self.strikes, self.spell, self.longest = memory
        self.scans -= not self.spell
        self._place(beta)

    def _place(self, beta):
        if self.spell:
            self.view = Explicit.start(self.problem)
            self.view.renew(beta)
            return
        self.scans += 1
        n = self.problem.n_learners
        size = min(n, MOST, int(np.ceil(np.sqrt(2.0 * self.scans * n))))
        self.candidates = look(self.problem, beta, size, self.candidates)
        self.view = self.candidates.view

    def _judge(self, gained):
        """Count looks that were not worth their cost, in multiplications, beside a plain step."""
        if self.spell:
            self.scans += gained
            self.strikes, self.spell = 2, 0
            return
        plain = self.problem.n_samples * self.problem.n_learners
        overhead = 4 * len(self.candidates.learner) ** 2 + 400_000
        if gained > 2 + overhead / plain:
            self.strikes = self.longest = 0
            return
        self.strikes += 1
        if self.strikes >= 3:
            self.spell = self.longest = min(4096, max(16, 2 * self.longest))

    def room(self, gained):
        """Steps that the view may make before it must be rebuilt."""
        return (self.spell or FARTHEST) - gained
