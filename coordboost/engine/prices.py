"""What work costs, counted in multiplications of a scan; never a clock, so a run is the same on a slow and on a fast machine.

The factors were measured once, on problems of 40 to 1,000 samples and 2,000 to 50,000 learners; they decide speed, not results.
"""

from coordboost._generic import is_piece
from coordboost._protocol import DICTIONARY, LOSS

#: The part of a new view that is Python.
OVERHEAD = 3_000_000
#: A call of a verb that is Python.
CALL = 100_000
#: A Gram column in a product of matrices, in scans.
IN_BLOCK = 0.2
#: A Gram entry that is read from counts.
COUNT = 40


class Prices:
    """Of a problem: a scan, a step of the explicit view, a step on Gram columns, a Gram column, a column."""

    def __init__(self, problem):
        n_samples, n_learners, B = problem.n_samples, problem.n_learners, problem.dictionary
        called = 0 if is_piece(B) else CALL
        self.scan = (DICTIONARY.of(B, "scan_cost") or n_samples * n_learners) + called
        self.residual = (8 if LOSS.of(problem.loss, "quadratic") else 100) * n_samples
        self.explicit = self.scan + self.residual + 200
        self.moved = 1.2 * n_learners + 600
        counts, rows = problem.products is not None, DICTIONARY.of(B, "rows") is not None
        self.gram_column = IN_BLOCK * self.scan if rows or counts else self.scan
        self.column = self.gram_column if counts else 2 * n_samples + called
        self.entry = COUNT if counts else n_samples / 2

    def candidates(self, size, fresh=0, entries=0):
        """A scan that chooses `size` candidates: so many of them `fresh`, with so many new Gram `entries`."""
        return self.scan + OVERHEAD + 4 * size**2 + fresh * self.column + entries * self.entry
