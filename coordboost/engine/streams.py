"""Random numbers with an address: what is drawn for a step is a function of (seed, stream, step) alone.

So blocks, threads, stops and restarts cannot change a draw. Stream 0 belongs to the selection rule; whatever else is random takes a
number of its own.
"""

import numpy as np

from coordboost._checks import shown
from coordboost._protocol import SELECTION

#: Numbers are made for so many steps at once, fewer where a step takes many: at most ROOM numbers lie in memory.
CHUNK, ROOM = 4096, 1 << 22


class Stream:
    """One row of numbers for each step.

    Parameters
    ----------
    seed : int
    number : int
        Which of the streams of this seed.
    fill : callable
        ``fill(rng, n_rows)`` gives an array of n_rows rows from a fresh generator.
    width : int
        Numbers in a row; it decides how many rows are made at once.
    """

    def __init__(self, seed, number, fill, width):
        self.seed, self.number, self.fill = seed, number, fill
        self.length = max(1, min(CHUNK, ROOM // max(width, 1)))
        self._held = (-1, None)

    def rows(self, step, most):
        """The rows of steps step, step + 1, ...: at most `most`, and fewer where they were not made at once."""
        chunk, first = divmod(step, self.length)
        if self._held[0] != chunk:
            key = (self.number, chunk) if self.number else (chunk,)
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
            self._held = (chunk, self.fill(rng, self.length))
        return self._held[1][first : first + most]


def picks(seed, select, n_learners):
    """Stream 0: what the selection rule draws, whole numbers (n_steps, width); or None for a rule that draws nothing.

    Raises
    ------
    ValueError
        If the rule has no `draw`, or draws anything else.
    """
    width, draw = SELECTION.of(select, "width"), SELECTION.of(select, "draw")
    if width == 0:
        return None
    name, below = type(select).__name__, SELECTION.of(select, "draws_below")
    below = n_learners if below is None else below
    if draw is None:
        raise ValueError(f"{name} has width = {width} but no draw(rng, n_rows, n_learners); add it, or set width = 0.")

    def fill(rng, n_rows):
        drawn = draw(rng, n_rows, n_learners)
        asked = f"{name}.draw must return an array of whole numbers from 0 to {below - 1}, of shape (n_rows, width) = {(n_rows, width)}"
        if not isinstance(drawn, np.ndarray) or drawn.dtype.kind not in "iu" or drawn.shape != (n_rows, width):
            got = f"{drawn.dtype} {drawn.shape}" if isinstance(drawn, np.ndarray) else shown(drawn)
            raise ValueError(f"{asked}; got {got}.")
        if drawn.min() < 0 or drawn.max() >= below:
            worst = drawn.min() if drawn.min() < 0 else drawn.max()
            raise ValueError(
                f"{asked}; got the number {worst}. A rule that draws other numbers says draws_below = their bound."
            )
        return drawn.astype(np.int64, copy=False)

    return Stream(seed, 0, fill, width)
