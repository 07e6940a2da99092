"""The candidates of an exact path: room for them, scans that are not done in compiled code, and the record of what was passed."""

import numpy as np

from coordboost._generic import compiled
from coordboost.exact.candidates import add_candidates, choose_candidates, trace_path
from coordboost.exact.rounding import measure_residual
from coordboost.exact.segments import trace_segments
from coordboost.exact.state import REAL, WHOLE, PathState, numbers
from coordboost.screening.best import BINS

#: Candidates at the start; room for corners in the record of one block, and at least for so many coefficients.
FEWEST, ROOM, ENTRIES_LEAST = 64, 512, 1 << 15
#: All stored learners are candidates at once where they have so few entries that a product with all is cheaper than to choose among them.
CACHED = 1 << 15
#: So many entries of columns make room for all learners at the start, or for more candidates.
SPACE = 1 << 20
#: Most corners from one scan, so that rounding cannot pile up where all learners are candidates.
FARTHEST = 128


class Pool:
    """The candidates of an exact path on the columns of `source`, and where it stands: `path`, a ``PathState``."""

    def __init__(self, source, target, kind, tie, end, tolerance, square, first=None):
        self.source, n_learners, n_samples = source, source.n_learners, source.n_samples
        none = np.zeros(0)
        rows, root, scale = source.in_memory or (np.zeros((0, n_samples)), none, none)
        least = n_learners if self.in_columns and 0 < rows.size <= CACHED else FEWEST
        space = SPACE // n_samples
        cap = n_learners if self.in_columns and n_learners <= space else max(4 * FEWEST, min(16 * FEWEST, space))
        self.held = source.hold(
            with_gram=not self.in_columns
        )  # room only: compiled blocks fill it, and count in now.n_candidates
        self.held.reserve(cap)
        self.path = PathState(
            numbers(kind, tie, end, tolerance, square, least if first is None else first),
            rows, root, scale, target, self.held.place,
            all_corr=np.empty(n_learners), before=np.zeros(n_learners), size=np.empty(n_learners),
            found=np.empty(n_learners, dtype=np.int64), resid=np.empty(n_samples), lost=np.empty(n_samples),
            lams=np.empty(ROOM), levels=np.empty(ROOM), stops=np.empty(ROOM, dtype=np.int64), **self._room(),
        )  # fmt: skip
        trace_segments.ready(self.path, FARTHEST)
        self._choose = choose_candidates.ready(self.path, self.path.all_corr)
        self._add, self._trace = (compiled(part, (), allocates=True) for part in (add_candidates, trace_path))

    def _room(self):
        """Arrays for as many candidates as there is room to hold, and a record of their corners, by name."""
        held, cap = self.held, len(self.held.ids)
        most, entries = min(cap, self.source.n_samples + 1), max(ENTRIES_LEAST, 8 * cap)
        gram = np.empty((0, cap)) if held.gram is None else held.gram
        return {
            **dict(zip(WHOLE, np.empty((len(WHOLE), cap), dtype=np.int64), strict=True)),
            **dict(zip(REAL, np.empty((len(REAL), cap)), strict=True)),
            "columns": held.rows,
            "gram": gram,
            "learner": held.ids,
            "active": np.empty(most, dtype=np.int64),
            "factor": np.empty((most, most)),
            "scratch": np.empty(max(gram.size, self.source.n_learners, BINS)),
            "where": np.empty(entries, dtype=np.int64),
            "value": np.empty(entries),
            "events": np.empty((3, entries), dtype=np.int64),
        }

    @property
    def in_columns(self):
        """Whether products are taken of the columns: a Gram matrix pays for tall data only."""
        return self.source.n_samples <= self.source.n_learners

    @property
    def now(self):
        """The numbers of the path."""
        return self.path.now

    def start(self, corr, top):
        """At beta = 0, where a scan found the correlations `corr`, `top` the largest abs one."""
        self.now.lam = top
        if self.source.in_memory:
            self.path.all_corr[:] = corr
        else:
            self.take(corr)

    def scan(self):
        """All correlations now, (n_learners,)."""
        self.now.n_scans += 1
        return self.source.scan(self.residual())

    def residual(self):
        """The residual now, (n_samples,)."""
        path, m = self.path, self.now.n_candidates
        return path.target - path.beta[:m] @ path.columns[:m]

    def exact_residual(self, gamma):
        """The residual of the coefficients `gamma` (n_learners,) of candidates, (n_samples,), summed with twice the digits."""
        path, m = self.path, self.now.n_candidates
        here = path.beta[:m].copy()
        path.beta[:m] = gamma[path.learner[:m]]
        compiled(measure_residual, ())(path)
        path.beta[:m] = here
        return path.resid

    def take(self, corr):
        """Choose candidates by the correlations of a scan, and let tracking start anew from there."""
        new = self.path.found[: self._choose(self.path, corr)]
        m = self.now.n_candidates
        if m + len(new) > len(self.path.columns):
            self.grow(m + len(new))
        self.source.gather(new, self.path.columns[m : m + len(new)])
        self._add(self.path, new, corr)

    def grow(self, least=0):
        """Room for at least so many candidates, and twice as many as before."""
        old = self.path
        self.held.reserve(max(least, 2 * len(old.columns)))
        self.path = old._replace(**self._room())
        for name in (*WHOLE, *REAL, "active", "factor"):
            before = getattr(old, name)
            getattr(self.path, name)[tuple(map(slice, before.shape))] = before

    def go_on(self):
        """Trace until the record is full, the end is reached, a scan or room is needed: why, and the record.

        That is (lams, levels, stops, index, value, events).
        """
        path = self.path
        status, n, m, e = self._trace(path, FARTHEST)
        record = path.lams[:n], path.levels[:n], path.stops[:n], path.where[:m], path.value[:m], path.events[:, :e]
        return status, *(part.copy() for part in record)
