"""What work costs, counted in multiplications of a scan, and how many candidates it is worth to keep.

Never a clock, so a run is the same on a slow and on a fast machine. The factors were measured once, on problems of 40 to 1,000 samples
and 2,000 to 50,000 learners, where a multiplication of a scan took 0.3 ns; they decide speed, not results.
"""

import math

from coordboost._generic import is_piece
from coordboost._protocol import DICTIONARY, LOSS

#: The part of a new view that is Python.
OVERHEAD = 600_000
#: A call of a verb that is Python.
CALL = 100_000
#: A Gram column in a product of matrices, in scans.
IN_BLOCK = 0.15
#: A Gram column from counts, in scans; one of its entries.
COUNTED, COUNT = 0.06, 10


class Prices:
    """Of a problem: a scan, a step of the explicit view, a step on Gram columns, a Gram column, a column, a Gram entry.

    counted : whether Gram entries are counts;  in_blocks : whether Gram columns cost less where several are computed together
    worth : inner products that a scan is worth, which decides how many candidates there are; of Gram entries from counts, as if all
    columns were stored: entries are cheap there, and neighbouring thresholds come in crowds
    """

    def __init__(self, problem):
        n_samples, n_learners, B = problem.n_samples, problem.n_learners, problem.dictionary
        called = 0 if is_piece(B) else CALL
        self.scan = (DICTIONARY.of(B, "scan_cost") or n_samples * n_learners) + called
        self.residual = (8 if LOSS.of(problem.loss, "quadratic") else 100) * n_samples
        self.explicit = self.scan + self.residual + 200
        self.moved = 1.3 * n_learners + 600
        self.counted = problem.products is not None
        rows = DICTIONARY.of(B, "rows") is not None
        self.in_blocks = rows and not self.counted
        self.gram_column = COUNTED * self.scan if self.counted else IN_BLOCK * self.scan if rows else self.scan
        self.column = self.gram_column if self.counted else 2 * n_samples + called
        self.entry = COUNT if self.counted else n_samples / 2
        self.worth = n_learners if self.counted else self.scan / n_samples

    def candidates(self, size, fresh=0, entries=0):
        """A scan that chooses `size` candidates: so many of them `fresh`, with so many new Gram `entries`."""
        return self.scan + OVERHEAD + size**2 + fresh * self.column + entries * self.entry


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
