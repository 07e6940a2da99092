"""The candidates of an exact path: room for them, scans that are not done in compiled code, and the record of what was passed."""

import numpy as np

from coordboost._generic import compiled
from coordboost.exact.candidates import BINS, choose, join, wander
from coordboost.exact.state import (
    BETA,
    CORNERS,
    ENTRIES,
    EVENTS,
    FRESH,
    KIND,
    LAM,
    SCANS,
    SIZE,
    STILL,
    WANTED,
    Edge,
)
from coordboost.screening.columns import grown

#: Candidates at the start; room for corners in the record of one block, and at least for so many coefficients.
FEWEST, ROOM, ENTRIES_LEAST = 64, 512, 1 << 15
#: All stored learners are candidates at once where they have so few entries that these stay in the cache.
CACHED = 1 << 17
#: So many entries of columns make room for all learners at the start, or for more candidates.
SPACE = 1 << 20
#: Most corners from one scan, so that rounding cannot pile up where all learners are candidates.
FARTHEST = 128
NOTHING = np.zeros(0)


class Pool:
    """The candidates of an exact path on the columns of `source`, and where the walk on them stands (see ``Edge``)."""

    def __init__(self, source, target, kind, tie, end, tol, first=None):
        self.source, self.target = source, target
        self.stored = source.in_memory or (np.zeros((0, source.n_samples)), NOTHING, NOTHING)
        self.place = np.full(source.n_learners, -1)
        self.columns, self.gram = np.empty((0, source.n_samples)), np.empty((0, 0))
        self.of, self.ids = np.zeros((9, 0)), np.zeros((5, 0), dtype=np.int64)
        self.active, self.factor = np.zeros(0, dtype=np.int64), np.zeros((0, 0))
        self.level, self.count = np.array([0.0, -1.0, 1.0, tie, end, -1.0, tol]), np.zeros(11, dtype=np.int64)
        least = source.n_learners if self.in_columns and 0 < self.stored[0].size <= CACHED else FEWEST
        self.count[KIND], self.count[WANTED] = kind, least if first is None else first
        self.lams, self.stops = np.empty(ROOM), np.empty(ROOM, dtype=np.int64)
        n_learners, n_samples = source.n_learners, source.n_samples
        self.corr, self.found, self.resid = np.empty(n_learners), np.empty(n_learners, dtype=np.int64), np.empty(n_samples)
        self._choose, self._join, self._wander = (compiled(part, ()) for part in (choose, join, wander))
        space = SPACE // n_samples
        self.grow(n_learners if self.in_columns and n_learners <= space else max(4 * FEWEST, min(16 * FEWEST, space)))

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
        scratch = self.corr, self.found, self.resid, self.scratch
        return Edge(*self.stored, *now, *scratch, self.lams, self.stops, self.index, self.value, self.events)

    def start(self, corr):
        """At beta = 0, where a scan found the correlations `corr`."""
        self.level[LAM] = np.abs(corr).max()
        if self.source.in_memory:
            self.corr[:], self.count[FRESH] = corr, -1
        else:
            self.take(corr)

    def scan(self):
        """All correlations now, (n_learners,)."""
        self.count[SCANS] += 1
        return self.source.scan(self.residual())

    def residual(self):
        """The residual now, (n_samples,)."""
        m = int(self.count[SIZE])
        return self.target - self.of[BETA, :m] @ self.columns[:m]

    def take(self, corr):
        """Choose candidates by the correlations of a scan, and let the walk start anew from there."""
        new = self.found[: self._choose(self.edge, corr)]
        m = int(self.count[SIZE])
        if m + len(new) > len(self.columns):
            self.grow(m + len(new))
        self.source.gather(new, self.columns[m : m + len(new)])
        self._join(self.edge, new, corr)

    def grow(self, least=0):
        """Room for at least so many candidates, and twice as many as before, and for a record of their corners."""
        n_learners, n_samples, cap = self.source.n_learners, self.source.n_samples, len(self.columns)
        cap = min(n_learners, max(least, 2 * cap))
        most = min(cap, n_samples + 1)
        rows = 0 if self.in_columns else cap
        self.columns, self.gram = grown(self.columns, (cap, n_samples)), grown(self.gram, (rows, cap))
        self.of, self.ids = grown(self.of, (9, cap)), grown(self.ids, (5, cap))
        self.active, self.factor = grown(self.active, (most,)), grown(self.factor, (most, most))
        self.scratch = np.empty(max(rows * cap, n_learners, BINS))
        entries = max(ENTRIES_LEAST, 8 * cap)
        self.index, self.value = np.empty(entries, dtype=np.int64), np.empty(entries)
        self.events = np.empty((3, entries), dtype=np.int64)

    def go_on(self):
        """Walk until the record is full, the end is reached, a scan or room is needed: (status, lams, stops, index, value, events)."""
        self.count[[CORNERS, ENTRIES, EVENTS, STILL]] = 0
        status = self._wander(self.edge, FARTHEST)
        corners, filled, happened = self.count[[CORNERS, ENTRIES, EVENTS]]
        record = self.lams[:corners], self.stops[:corners], self.index[:filled], self.value[:filled], self.events[:, :happened]
        return status, *(part.copy() for part in record)
