"""Scans certify, blocks move: how many candidates there are, and when lookahead steps aside."""

import math
from typing import NamedTuple

from coordboost._protocol import DICTIONARY
from coordboost.engine.views import candidates, gathered
from coordboost.engine.views.explicit import Explicit
from coordboost.engine.views.gathered import Gathered
from coordboost.engine.views.lookahead import Lookahead

#: Most candidates (their Gram block takes 8 * MOST^2 bytes), and most bytes of their columns.
MOST, ROOM = 4096, 1 << 30
#: Most steps from one scan, so that rounding cannot pile up.
FARTHEST = 1 << 20


class Memory(NamedTuple):
    """All that the next view depends on beside the coefficients: counts of steps and scans, never a clock.

    scans : made for lookahead;  plain : made by the explicit view, one a step;  strikes : scans in a row that did not pay
    spell : length of the explicit spell that is under way, 0 for none;  longest : of the spells so far;  size : candidates
    """

    scans: int = 0
    plain: int = 0
    strikes: int = 0
    spell: int = 0
    longest: int = 0
    size: int = 0


def scan_cost(problem):
    """Multiplications in a scan: n_samples x n_learners unless the dictionary knows better."""
    return DICTIONARY.of(problem.dictionary, "scan_cost") or problem.n_samples * problem.n_learners


def by_scans(memory, gained, n):
    """Squared loss: after K scans worth n inner products each, sqrt(3 K n) candidates, or 7 sqrt(K) n^(1/3) where that is less.

    With the first number the Gram block has cost 3/2 of the inner products of the scans; the second saves memory traffic for large n
    at hardly any more scans (measured).
    """
    return math.ceil(math.sqrt(memory.scans + memory.plain + 1) * min(math.sqrt(3.0 * n), 7.0 * n ** (1 / 3)))


def by_gain(memory, gained, n):
    """Other losses: the candidates' share of the work of the last `gained` steps is kept near that of the scan."""
    if gained is None:
        return math.ceil(math.sqrt(2.0 * n))
    return math.ceil(1.5 * memory.size) if gained * memory.size < n else max(16, (4 * memory.size) // 5)


#: How each view finds its candidates, and how many of them.
GROUNDS = {Lookahead: (candidates.look, by_scans), Gathered: (gathered.look, by_gain)}


class Scout:
    """The source of views for exact lookahead.

    Where steps are so long that scans come nearly as often as steps, the explicit view takes over for a spell, longer each time.
    """

    follows = False  # steps since the last scan are made again, not read from the path

    def __init__(self, kind, problem, coefficients):
        self.problem = problem
        self.look, self.size = GROUNDS[kind]
        self.memory, self.found, self.view = Memory(), None, None
        self.most = max(16, min(MOST, ROOM // (8 * problem.n_samples)))

    @property
    def scans(self):
        return self.memory.scans

    def rebuild(self, beta, gained):
        """A new view at the coefficients `beta`, `gained` steps after the last one (None: at the start)."""
        memory, n, worth = self.memory, self.problem.n_learners, scan_cost(self.problem) / self.problem.n_samples
        if gained is not None:
            memory = (
                memory._replace(strikes=2, spell=0, plain=memory.plain + gained)
                if memory.spell
                else self._judged(memory, gained)
            )
        if not memory.spell:
            memory = memory._replace(size=min(n, self.most, self.size(memory, gained, worth)), scans=memory.scans + 1)
        self._place(beta, memory)

    def restore(self, beta, memory):
        """The view that `rebuild` had made when `memory` was noted."""
        self._place(beta, Memory(*memory))

    def _place(self, beta, memory):
        self.memory = memory
        if memory.spell:
            self.view = Explicit.start(self.problem)
            self.view.renew(beta)
        else:
            self.found = self.look(self.problem, beta, memory.size, self.found)
            self.view = self.found.view

    def _judged(self, memory, gained):
        """Count looks that were not worth their cost, in multiplications, beside a plain step."""
        if gained > 2 + (4 * memory.size**2 + 2_000_000) / scan_cost(self.problem):
            return memory._replace(strikes=0, longest=0)
        strikes, longest = memory.strikes + 1, memory.longest
        if strikes < 3:
            return memory._replace(strikes=strikes)
        longest = min(4096, max(16, 2 * longest))
        return memory._replace(strikes=strikes, spell=longest, longest=longest)

    def room(self, gained):
        """Steps that the view may make before it must be rebuilt."""
        return (self.memory.spell or FARTHEST) - gained
