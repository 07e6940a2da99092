"""Random numbers with an address: what is drawn for a step is a function of (seed, stream, step) alone.

So blocks, threads, stops and restarts cannot change a draw. Stream 0 belongs to the selection rule; whatever else is random takes a
number of its own.
"""

import numpy as np

from coordboost._utils.checks import shown

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
        ``fill(rng, n_rows)`` gives n_rows rows from a fresh generator, an iterable of arrays: parts are made as they are asked for.
    width : int
        Numbers in a row; it decides how many rows are made at once.
    """

    def __init__(self, seed, number, fill, width):
        self.seed, self.number, self.fill = seed, number, fill
        self.length = max(1, min(CHUNK, ROOM // max(width, 1)))
        self._chunk, self._parts, self._rows = -1, iter(()), None

    def rows(self, step, most):
        """The rows of steps step, step + 1, ...: at most `most`, and fewer where they were not made at once."""
        chunk, first = divmod(step, self.length)
        if self._chunk != chunk:
            key = (self.number, chunk) if self.number else (chunk,)
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
            parts = iter(self.fill(rng, self.length))
            self._chunk, self._parts, self._rows = chunk, parts, next(parts)
        while first >= len(self._rows):
            self._rows = np.concatenate([self._rows, next(self._parts)])
        return self._rows[first : first + most]


def picks(seed, select, n_learners):
    """Stream 0: what the selection rule draws, whole numbers (n_steps, width); or None for a rule that draws nothing.

    Raises
    ------
    ValueError
        If the rule has no `draw`, or draws anything else.
    """
    width, draw = select.width, select.draw
    if width == 0:
        return None
    name, below = type(select).__name__, select.draws_below
    below = n_learners if below is None else below
    if draw is None:
        raise ValueError(f"{name} has width = {width} but no draw(rng, n_rows, n_learners); add it, or set width = 0.")
    in_parts = select.draw_in_parts
    verb, what = ("draw", "return an array") if in_parts is None else ("draw_in_parts", "make, part by part, an array")

    def fill(rng, n_rows):
        if in_parts is None:
            yield checked(draw(rng, n_rows, n_learners), n_rows)
            return
        for part in in_parts(rng, n_rows, n_learners):
            some = max(1, min(n_rows, len(part))) if isinstance(part, np.ndarray) else n_rows
            yield checked(part, some)
            n_rows -= some
        if n_rows > 0:
            raise ValueError(f"{name}.draw_in_parts must make all rows that it is asked for; {n_rows} are missing.")

    def checked(drawn, n_rows):
        asked = (
            f"{name}.{verb} must {what} of whole numbers from 0 to {below - 1}, of shape (n_rows, width) = {(n_rows, width)}"
        )
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
