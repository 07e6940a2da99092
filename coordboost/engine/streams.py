"""Random numbers with an address.

The numbers drawn for a step are a function of (seed, step) alone.

So they do not depend on blocks, threads, stops or restarts.
"""

import numpy as np

from coordboost._utils.checks import shown

#: Numbers are drawn for CHUNK steps at once; for SHORT steps if a step takes more than WIDE
#: numbers. At most ROOM numbers are in memory.
CHUNK = 4096
SHORT = 64
WIDE = 48
ROOM = 1 << 22


class Stream:
    """One row of random numbers per step.

    ``fill(rng, n_rows)`` draws the rows of a chunk, (n_rows, width), from a fresh generator.
    """

    def __init__(self, seed, fill, width):
        self.seed, self.fill = seed, fill
        self.length = max(1, min(SHORT if width > WIDE else CHUNK, ROOM // width))
        self._chunk, self._rows = -1, None

    def rows(self, step, most):
        """The rows of steps step, step + 1, ...: at most `most`, fewer at the end of a chunk."""
        chunk, first = divmod(step, self.length)
        if self._chunk != chunk:
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(chunk,)))
            self._chunk, self._rows = chunk, self.fill(rng, self.length)
        return self._rows[first : first + most]


def picks(seed, select, n_learners):
    """The ``Stream`` of the whole numbers that the selection rule draws, `width` per step.

    None for a rule that draws nothing.

    Raises
    ------
    ValueError
        If the rule has no `draw`, or its `draw` returns anything else.
    """
    width = select.width
    draw = select.draw
    if width == 0:
        return None
    name = type(select).__name__
    below = select.draws_below
    below = n_learners if below is None else below
    if draw is None:
        raise ValueError(
            f"{name} has width = {width} but no draw(rng, n_rows, n_learners); add it, or set "
            "width = 0."
        )

    def fill(rng, n_rows):
        drawn = draw(rng, n_rows, n_learners)
        asked = (
            f"{name}.draw must return an array of whole numbers from 0 to {below - 1}, of "
            f"shape (n_rows, width) = {(n_rows, width)}"
        )
        if (
            not isinstance(drawn, np.ndarray)
            or drawn.dtype.kind not in "iu"
            or drawn.shape != (n_rows, width)
        ):
            got = f"{drawn.dtype} {drawn.shape}" if isinstance(drawn, np.ndarray) else shown(drawn)
            raise ValueError(f"{asked}; got {got}.")
        if drawn.min() < 0 or drawn.max() >= below:
            worst = drawn.min() if drawn.min() < 0 else drawn.max()
            raise ValueError(
                f"{asked}; got the number {worst}. A rule that draws other numbers must declare "
                "their bound, draws_below."
            )
        return drawn.astype(np.int64, copy=False)

    return Stream(seed, fill, width)
