"""The candidates of an exact path: room for them, scans that are not done in compiled code, and the record of what was passed."""

import numpy as np

from coordboost._generic import compiled
from coordboost.engine.block import grown
from coordboost.engine.edge import (
    ACTIVE,
    BETA,
    CORNERS,
    ENTRIES,
    EVENTS,
    FIRST,
    FLOOR,
    FRESH,
    KIND,
    LAM,
    LEARNER,
    PLACE,
    SCANS,
    SIZE,
    STILL,
    TIED,
    WAS,
    Edge,
)
from coordboost.engine.recruits import choose, join, residual, wander

#: Candidates at the start; room for corners in the record of one block, and at least for so many coefficients.
FEWEST, ROOM, ENTRIES_LEAST = 64, 512, 1 << 15
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
        self.of, self.ids = np.zeros((10, 0)), np.zeros((5, 0), dtype=np.int64)
        self.active, self.factor = np.zeros(0, dtype=np.int64), np.zeros((0, 0))
        self.level, self.count = np.array([0.0, -1.0, 1.0, tie, end, -1.0]), np.zeros(10, dtype=np.int64)
        self.count[KIND], self.count[FIRST] = kind, FEWEST if first is None else first
        self.lams, self.stops = np.empty(ROOM), np.empty(ROOM, dtype=np.int64)
        self._choose, self._join, self._wander = (compiled(part, ()) for part in (choose, join, wander))
        self._grow(max(4 * FEWEST, min(16 * FEWEST, SPACE // source.n_samples)))

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
        new = self._chosen(corr)
        if self._lacks_room(new) and self.count[FRESH] and self._thin(np.abs(corr)):
            new = self._chosen(corr)
        if self._lacks_room(new):
            self._grow(int(self.count[SIZE]) + len(new))
        m = int(self.count[SIZE])
        self.source.gather(new, self.columns[m : m + len(new)])
        self._join(self.edge, new, corr)

    def _chosen(self, corr):
        edge = self.edge
        return edge.found[: self._choose(edge, corr)]

    def _lacks_room(self, new):
        return self.count[SIZE] + len(new) > len(self.columns)

    def _thin(self, size):
        """Let go of candidates not in the model, not moving, nor among the largest: whether that makes room for as many again."""
        m = int(self.count[SIZE])
        keep = (self.of[BETA, :m] != 0) | (self.ids[PLACE, :m] >= 0) | (size[self.ids[LEARNER, :m]] >= self.level[FLOOR])
        here, new = np.flatnonzero(keep), np.cumsum(keep) - 1
        k = len(here)
        if 2 * k > len(self.columns):
            return False
        for array in (self.of, self.ids):
            array[:, :k] = array[:, here]
        self.columns[:k], self.gram[:k, :k] = self.columns[here], self.gram[np.ix_(here, here)]
        self.place[:] = -1
        self.place[self.ids[LEARNER, :k]] = np.arange(k)
        n_active = self.count[ACTIVE]
        self.active[:n_active] = new[self.active[:n_active]]
        self.count[SIZE] = k
        return True

    def _grow(self, least):
        """Room for at least so many candidates, and for a record of their corners."""
        n_learners, n_samples, cap = self.source.n_learners, self.source.n_samples, len(self.columns)
        cap = min(n_learners, max(least, 2 * cap))
        most = min(cap, n_samples + 1)
        self.columns, self.gram = grown(self.columns, (cap, n_samples)), grown(self.gram, (cap, cap))
        self.of, self.ids = grown(self.of, (10, cap)), grown(self.ids, (5, cap))
        self.active, self.factor = grown(self.active, (most,)), grown(self.factor, (most, most))
        corr, found, resid = np.empty(n_learners), np.empty(n_learners, dtype=np.int64), np.empty(n_samples)
        self.scratch = corr, found, resid, np.empty(max(cap * cap, n_learners))
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
