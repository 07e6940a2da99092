"""Where the loop gets the view that it steps on: one for the whole run, or the one that is cheapest by counted operations."""

import math
from typing import ClassVar

import numpy as np

from coordboost._protocol import VIEW
from coordboost.engine.memory import Memory
from coordboost.engine.prices import Prices, by_gain, by_scans
from coordboost.engine.purchase import SOON, TOGETHER, TRUST, purchase
from coordboost.engine.views.candidates import gram_candidates
from coordboost.engine.views.explicit import Explicit
from coordboost.engine.views.gathered import Gathered, gathered_candidates
from coordboost.engine.views.gram import Gram
from coordboost.engine.views.gram_columns import GramColumns, GramStore, padded
from coordboost.engine.views.lookahead import Lookahead

#: State is recomputed from the coefficients at every multiple of this step number, so rounding cannot pile up.
RENEW = 1 << 16
#: Most candidates (their Gram block takes 8 * MOST^2 bytes), and most bytes of their columns.
MOST, ROOM = 4096, 1 << 30
#: Most steps of lookahead from one scan, so that rounding cannot pile up.
FARTHEST = 1 << 20
#: A spell of explicit steps costs so many times the scan that looks for something better.
PATIENCE = 20
#: After a trial that failed, the next one begins when so many times its length have passed.
PAUSE = 4
#: Fewest Gram columns computed together with one that is wanted, where that is cheap.
FEWEST = 16


class Fixed:
    """One view for the whole run, renewed from the coefficients at multiples of ``RENEW``."""

    saved: ClassVar[list] = []

    def __init__(self, kind, problem, coefficients, noise):
        self.kind = kind
        self.given = (problem,) if VIEW.of(kind, "carries") is None else (problem, coefficients)
        self.given += (noise,) if VIEW.of(kind, "perturbs") else ()
        self.view = kind.start(*self.given)
        self.renews, self.follows = VIEW.of(self.view, "renew") is not None, VIEW.of(kind, "follows")
        self.scans, self.n_columns = (1, problem.n_learners) if kind is Gram else (0, 0)

    def rebuild(self, beta, gained):
        if gained is not None and self.renews:
            self.view.renew(beta)
        return True

    def restore(self, beta, saved):
        if saved:
            raise ValueError("what it remembers of its views is damaged.")
        if self.renews:
            self.view.renew(beta)
        else:
            self.view = self.kind.start(*self.given)

    def room(self, gained):
        return RENEW - gained if self.renews else 1 << 62


#: The views of a run that was given one, the first of them where it begins.
VIEWS = {Lookahead: (Lookahead, GramColumns, Explicit), Gathered: (Gathered, Explicit), GramColumns: (GramColumns,)}


class Cheapest:
    """Views for a run whose kind has several: at the end of every stretch, the one for which counted operations speak.

    What the steps of the stretch have cost is compared with what they would have cost on the other views:

    - *lookahead*: a scan, and what goes with it;
    - *explicit*: a scan a step;
    - *Gram columns*: O(n_learners) a step, and the columns of learners in use that are not held (see ``purchase``).

    On Gram columns a *trial* counts for how long lookahead would have needed no scan; where that pays for one, it takes over. So a run
    whose Gram columns are counts, which cost little, begins with them.
    """

    follows = False  # steps since the anchor are made again, not read from the path

    def __init__(self, kind, problem):
        self.problem, self.kinds, self.prices = problem, VIEWS[kind], Prices(problem)
        self.memory, self.view, self.found, self.store = Memory(kind.__name__), None, None, None
        self.most = max(16, min(MOST, ROOM // (8 * problem.n_samples)))
        self.size_rule = by_scans if Lookahead in self.kinds else by_gain
        self.n_columns, self.trial = 0, RENEW
        self.since, self.columns_since, self.backlog = 0, 0, 0  # at the start of the stretch: steps, columns, columns missing

    @property
    def scans(self):
        """Scans made by other views than the explicit one."""
        return self.memory.scans

    @property
    def saved(self):
        """The memory of the anchor, as lists and numbers."""
        return self.memory.saved()

    def rebuild(self, beta, gained):
        """The view for the steps from here on, `gained` after the anchor (None: at the start). Returns whether this is a new anchor."""
        if gained is None:
            self._start(beta, GramColumns if GramColumns in self.kinds and self.prices.counted else self.kinds[0], None)
            if self.store is not None and self.found is not None:
                self.store.start = padded(self.found.corr)
            return True
        if self.memory.view == "GramColumns":
            return self._after_columns(beta, gained)
        return self._start(beta, self._cheapest(beta, gained), gained)

    def restore(self, beta, saved):
        """The view that `rebuild` had made when `saved` was noted."""
        memory = Memory.read(saved, [kind.__name__ for kind in self.kinds], self.problem.n_learners)
        self.n_columns = memory.n_columns
        if memory.blocks or self.store is not None:
            self._gram_store().hold(memory.blocks)
        self._place(beta, memory)

    def room(self, gained):
        """Steps that the view may make before it must be rebuilt."""
        if self.memory.view == "GramColumns":
            return min(RENEW, self.since + self.trial * (1 if self.view.state.on_trial else PAUSE)) - gained
        return (self._spell() if self.memory.view == "Explicit" else FARTHEST) - gained

    def _gram_store(self):
        self.store = GramStore(self.problem) if self.store is None else self.store
        return self.store

    def _spell(self):
        """Explicit steps until the next look for candidates, of which all might be new."""
        size = 2 * self.memory.size
        look = self.prices.candidates(size, size, size**2)
        return math.ceil(PATIENCE * look / self.prices.explicit)

    def _start(self, beta, kind, gained):
        """A view of this kind, at a new anchor."""
        memory, worth = self.memory, self.prices.worth
        if memory.view == "Explicit":
            memory = memory._replace(plain=memory.plain + gained)
        if kind is not Explicit:
            size = min(self.problem.n_learners, self.most, self.size_rule(memory, gained, worth), 2 * memory.size or self.most)
            memory = memory._replace(size=size, scans=memory.scans + 1)
        blocks = () if self.store is None else tuple(self.store.blocks)
        self._place(beta, memory._replace(view=kind.__name__, n_columns=self.n_columns, blocks=blocks))
        return True

    def _place(self, beta, memory):
        self.memory, self.since, self.columns_since = memory, 0, self.n_columns
        if GramColumns in self.kinds and self.prices.gram_column >= self.prices.scan:
            self.backlog = len(self._missing(beta))
        if memory.view == "Explicit":
            self.view = Explicit.start(self.problem)
            self.view.renew(beta)
        elif memory.view == "GramColumns":
            self.view = GramColumns.at(self.problem, beta, self._gram_store())
            self._begin_trial()
        else:
            find = gram_candidates if memory.view == "Lookahead" else gathered_candidates
            self.found = find(self.problem, beta, memory.size, self.found)
            self.view = self.found.view

    def _begin_trial(self):
        """A trial for as many steps as cost what a change to lookahead and back does; none where there is no lookahead."""
        if len(self.kinds) > 1:
            self.trial = math.ceil(2 * self.prices.candidates(self.memory.size) / self.prices.moved)
            self.view.begin_trial(self.memory.size)

    def _cheapest(self, beta, gained):
        """The kind of view for the steps after a stretch of lookahead or of explicit steps; Gram columns are bought for what it cost."""
        prices, explicit = self.prices, gained * self.prices.explicit
        price = explicit if self.memory.view == "Explicit" else self.found.price(prices, gained)
        credit, change = 0, False
        if GramColumns in self.kinds:
            lost = min(price, explicit) - gained * prices.moved
            if prices.gram_column >= prices.scan:
                lost -= (len(self._missing(beta)) - self.backlog) * prices.gram_column
            credit = max(0, int(self.memory.credit + TRUST * lost))
        if credit > prices.scan:
            missing = self._missing(beta)
            columns, change, credit = purchase(credit, len(missing), prices.gram_column, prices.scan, SOON * price / gained)
            self._add(missing[:columns])
        self.memory = self.memory._replace(credit=int(credit))
        if change:
            return GramColumns
        return Explicit if explicit < price else self.kinds[0]

    def _after_columns(self, beta, gained):
        view, prices, steps = self.view, self.prices, gained - self.since
        if view.state.wanted >= 0:
            self._add(self._likely(beta))
            self.view = view._replace(columns=self.store.held.rows, place=self.store.held.place)
            view.state.wanted = -1
            return False
        spent = steps * prices.moved + (self.n_columns - self.columns_since) * prices.gram_column
        if len(self.kinds) > 1 and (view.state.on_trial or spent > steps * prices.explicit):
            return self._start(beta, self.kinds[0], gained)
        if gained >= RENEW:
            return self._start(beta, GramColumns, gained)
        self.since, self.columns_since = gained, self.n_columns
        self._begin_trial()
        return False

    def _missing(self, beta):
        """The learners in use whose Gram columns are not held."""
        used = np.flatnonzero(beta)
        missing = used[self._gram_store().held.place[used] < 0]
        if len(self.store.held) + len(missing) <= self.store.most:
            return missing
        self.store.clear()
        return used

    def _likely(self, beta):
        """The learner whose Gram column is wanted, and those most likely to be next: four times as many as of the last are in use."""
        view, store, place = self.view, self.store, self.store.held.place
        width = 1
        if self.prices.in_blocks:
            right = np.count_nonzero(beta[store.blocks[-1]]) if store.blocks else 0
            width = min(TOGETHER, max(FEWEST, 4 * right))
        if len(store.held) + width > store.most:
            store.clear()
        if width == 1:
            return np.array([view.state.wanted])
        size = np.abs(view.corr[: self.problem.n_learners])
        size[place >= 0] = -1.0
        size[view.state.wanted] = np.inf
        likely = np.argpartition(size, max(0, len(size) - width))[-width:]
        return likely[size[likely] >= 0]

    def _add(self, learners):
        for first in range(0, len(learners), TOGETHER):
            self.store.add(learners[first : first + TOGETHER])
        self.n_columns += len(learners)


def source_of(kind, problem, coefficients, noise):
    """The source of the views of a run of this kind."""
    return Cheapest(kind, problem) if kind in VIEWS else Fixed(kind, problem, coefficients, noise)
