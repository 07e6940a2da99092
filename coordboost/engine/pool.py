"""The candidates of an exact path: room for them, scans that are not done in compiled code, and the record of what was passed."""

import numpy as np

from coordboost._generic import compiled
from coordboost.engine.block import grown
from coordboost.engine.edge import (
    CORNERS,
    ENTRIES,
    EVENTS,
    KIND,
    LAM,
    SCANS,
    SIZE,
    STILL,
    TIED,
    WANTED,
    WAS,
    Edge,
)
from coordboost.engine.recruits import BINS, choose, join, residual, wander

#: Candidates at the start; room for corners in the record of one block, and at least for so many coefficients.
FEWEST, ROOM, ENTRIES_LEAST = 64, 512, 1 << 15
#: All stored learners are candidates at once where they have so few entries that these stay in the cache.
CACHED = 1 << 17
#: Where so many entries of columns leave room for more candidates at the start, they get it.
SPACE = 1 << 20
#: Most corners from one scan, so that rounding cannot pile up where all learners are candidates.
FARTHEST = 128
NOTHING = np.zeros(0)


class Pool:
    """The candidates of an exact path on the columns of `source`, and where the walk on them stands (see ``Edge``)."""

    def __init__(self, source, target, kind, tie, end, first=None):
        self.source, self.target = source, target
        self.stored = source.in_memory or (np.zeros((0, source.n_samples)), NOTHING, NOTHING)
        self.place = np.full(source.n_learners, -1)
        self.columns, self.gram = np.empty((0, source.n_samples)), np.empty((0, 0))
        self.of, self.ids = np.zeros((9, 0)), np.zeros((5, 0), dtype=np.int64)
        self.active, self.factor = np.zeros(0, dtype=np.int64), np.zeros((0, 0))
        self.level, self.count = np.array([0.0, -1.0, 1.0, tie, end, -1.0]), np.zeros(10, dtype=np.int64)
        least = source.n_learners if self.in_columns and 0 < self.stored[0].size <= CACHED else FEWEST
        self.count[KIND], self.count[WANTED] = kind, least if first is None else first
        self.lams, self.stops = np.empty(ROOM), np.empty(ROOM, dtype=np.int64)
        self._choose, self._join, self._wander = (compiled(part, ()) for part in (choose, join, wander))
        self._grow(max(4 * FEWEST, min(16 * FEWEST, SPACE // source.n_samples)))

    @property
    def in_columns(self):
        """Whether products are taken of the columns: a Gram matrix pays for tall data only."""
        return self.source.n_samples <= self.source.n_learners

    @property
    def edge(self):
        """What the kernels work on."""
        now = (
            self.target,
            self.place,
            self.columns,
            self.gram,
            self.of,
            self.ids,
            self.active,
            self.factor,
            self.level,
            self.count,
        )
        return Edge(*self.stored, *now, *self.scratch, self.lams, self.stops, self.index, self.value, self.events)

    def start(self, lam):
        """At beta = 0, with level `lam`."""
        self.level[LAM] = lam
        self.ids[[TIED, WAS]] = 0

    def scan(self):
        """All correlations now, (n_learners,)."""
        self.count[SCANS] += 1
        edge = self.edge
        residual(edge)
        return self.source.scan(edge.resid)

    def take(self, corr):
        """Choose candidates by the correlations of a scan, and let the walk start anew from there."""
        edge = self.edge
        new = edge.found[: self._choose(edge, corr)]
        m = int(self.count[SIZE])
        if m + len(new) > len(self.columns):
            self._grow(m + len(new))
        self.source.gather(new, self.columns[m : m + len(new)])
        self._join(self.edge, new, corr)

    def _grow(self, least):
        """Room for at least so many candidates, and for a record of their corners."""
        n_learners, n_samples, cap = self.source.n_learners, self.source.n_samples, len(self.columns)
        cap = min(n_learners, max(least, 2 * cap))
        most = min(cap, n_samples + 1)
        rows = 0 if self.in_columns else cap
        self.columns, self.gram = grown(self.columns, (cap, n_samples)), grown(self.gram, (rows, cap))
        self.of, self.ids = grown(self.of, (9, cap)), grown(self.ids, (5, cap))
        self.active, self.factor = grown(self.active, (most,)), grown(self.factor, (most, most))
        corr, found, resid = np.empty(n_learners), np.empty(n_learners, dtype=np.int64), np.empty(n_samples)
        self.scratch = corr, found, resid, np.empty(max(rows * cap, n_learners, BINS))
        entries = max(ENTRIES_LEAST, 8 * cap)
        self.index, self.value = np.empty(entries, dtype=np.int64), np.empty(entries)
        self.events = np.empty((3, entries), dtype=np.int64)

    def go_on(self):
        """Walk until the record is full, the end is reached or a scan is needed: (status, lams, stops, index, value, events)."""
        self.count[[CORNERS, ENTRIES, EVENTS, STILL]] = 0
        status = self._wander(self.edge, FARTHEST)
        corners, filled, happened = self.count[[CORNERS, ENTRIES, EVENTS]]
        record = self.lams[:corners], self.stops[:corners], self.index[:filled], self.value[:filled], self.events[:, :happened]
        return status, *(part.copy() for part in record)
