"""Candidates of an exact path: their columns, their Gram matrix and the edge that walks on them, renewed from scan to scan."""

import numpy as np

from coordboost._generic import compiled
from coordboost.engine.block import Block, grown
from coordboost.engine.corners import (
    ACTIVE,
    BETA,
    CORNERS,
    ENTRIES,
    EVENTS,
    FRESH,
    KIND,
    LAM,
    LEARNER,
    NOW,
    ORIGIN,
    OUTSIDE,
    PLACE,
    SCANNED,
    SLOPE,
    START,
    STILL,
    TIE,
    TIED,
    WAS,
    Edge,
)  # fmt: skip
from coordboost.engine.walking import advance

#: Candidates at the start; room for corners in the record of one block.
FIRST, ROOM = 64, 512
#: Most corners from one scan, so that rounding cannot pile up where all learners are candidates.
FARTHEST = 128


class Pool:
    """The candidates of an exact path: a block of columns, and where the walk on them stands (see ``Edge``)."""

    def __init__(self, source, target, kind, tie, end):
        self.block, self.target = Block(source), target
        self.of, self.ids = np.zeros((10, 0)), np.zeros((5, 0), dtype=np.int64)
        self.active, self.factor = np.zeros(0, dtype=np.int64), np.zeros((0, 0))
        self.level, self.count = np.array([0.0, -1.0, 1.0, tie, end]), np.zeros(7, dtype=np.int64)
        self.count[KIND] = kind
        self.walk = compiled(advance, ())

    @property
    def lam(self):
        """The correlation level that the walk has come to."""
        return float(self.level[LAM])

    @property
    def n_active(self):
        return int(self.count[ACTIVE])

    def gamma(self):
        """All coefficients, (n_learners,)."""
        out = np.zeros(len(self.block.place))
        out[self.block.learner] = self.of[BETA]
        return out

    def choose(self, corr, wanted):
        """Candidates from a scan: those there are, and the `wanted` learners with the largest abs correlation."""
        size, block = np.abs(corr), self.block
        if wanted >= len(size):
            chosen = np.arange(len(size))
        else:
            cut = np.partition(size, len(size) - wanted)[-wanted]
            chosen = np.flatnonzero(size >= min(cut, self.lam - 2 * self.level[TIE]))
        if len(block) > 2 * max(wanted, 2 * self.n_active) + FIRST:
            self._thin(chosen)
        self._add(chosen[block.place[chosen] < 0])
        outside = block.place < 0
        self.level[OUTSIDE] = size[outside].max(initial=-1.0)
        self.level[SLOPE] = np.max(block.source.reach(1.0, outside), initial=0.0)

    def take(self, corr):
        """Start from the correlations of a scan at the present coefficients."""
        self.of[NOW] = self.of[SCANNED] = corr[self.block.learner]
        self.of[ORIGIN] = self.of[BETA]
        self.count[FRESH] = 0

    @property
    def advanced(self):
        """Whether any corner was passed since the last scan."""
        return bool(self.count[FRESH])

    def _thin(self, chosen):
        """Let go of candidates that are neither chosen nor moving nor in the model."""
        keep = (self.of[BETA] != 0) | (self.ids[PLACE] >= 0) | np.isin(self.block.learner, chosen)
        new, here = np.cumsum(keep) - 1, np.flatnonzero(keep)
        self.block.keep(here)
        self.of, self.ids = np.ascontiguousarray(self.of[:, here]), np.ascontiguousarray(self.ids[:, here])
        self.active[: self.n_active] = new[self.active[: self.n_active]]

    def _add(self, learners):
        """New candidates."""
        m, room = len(self.block), len(self.block) + len(learners)
        self.block.add(learners)
        most = min(len(self.block.columns), self.block.source.n_samples + 1)
        if len(self.active) < min(room, most):
            self.active, self.factor = grown(self.active, (most,)), grown(self.factor, (most, most))
        self.of, self.ids = grown(self.of, (10, room)), grown(self.ids, (5, room))
        self.of[:, m:], self.ids[:, m:] = 0.0, 0
        self.of[START, m:] = self.block.columns[m:room] @ self.target
        self.ids[LEARNER, m:], self.ids[PLACE, m:] = learners, -1

    def go_on(self):
        """Walk until a scan is needed, the record is full or the end is reached: (status, lams, stops, index, value, events)."""
        m = len(self.block)
        self.count[[CORNERS, ENTRIES, EVENTS, STILL]] = 0
        entries = max(4 * m, min(ROOM * (self.n_active + 32), 1 << 20))
        lams, stops = np.empty(ROOM), np.empty(ROOM, dtype=np.int64)
        index, value, events = np.empty(entries, dtype=np.int64), np.empty(entries), np.empty((3, entries), dtype=np.int64)
        now = (self.block.gram, self.of, self.ids, self.active, self.factor, self.level, self.count)
        status = self.walk(Edge(*now, lams, stops, index, value, events), FARTHEST)
        corners, filled, happened = self.count[[CORNERS, ENTRIES, EVENTS]]
        return status, lams[:corners], stops[:corners], index[:filled], value[:filled], events[:, :happened]

    def start(self, lam):
        """At beta = 0, with level `lam`."""
        self.level[LAM] = lam
        self.ids[[TIED, WAS]] = 0
