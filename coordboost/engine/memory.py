"""What a saved step remembers of its views: read from a file and checked."""

from typing import NamedTuple


class Memory(NamedTuple):
    """All that the next view depends on beside the coefficients: counts of operations, never a clock.

    view : name of the view that is stepped on;  scans : made for views but the explicit one, which made `plain`, one a step
    size : candidates of lookahead;  n_columns : Gram columns computed so far;  credit : what may be spent on more (see ``purchase``)
    blocks : the learners of the columns that are held
    """

    view: str
    scans: int = 0
    plain: int = 0
    size: int = 0
    n_columns: int = 0
    credit: int = 0
    blocks: tuple = ()

    def saved(self):
        """As a list of numbers, a string and lists."""
        return [*self[:-1], [list(block) for block in self.blocks]]

    @classmethod
    def read(cls, saved, views, n_learners):
        """The memory that was `saved`, by this release, or without credit, or without Gram columns; `views` are the names it may have.

        Raises
        ------
        ValueError
            If it is none.
        """
        if _counts(saved) and len(saved) == 6:  # scans, plain, strikes, spell, longest, size
            scans, plain, _, spell, _, size = saved
            saved = ["Explicit" if spell else views[0], scans, plain, size, 0, []]
        if isinstance(saved, list) and len(saved) == 6:
            saved = [*saved[:-1], 0, saved[-1]]
        if not (isinstance(saved, list) and len(saved) == len(cls._fields)):
            raise ValueError("what it remembers of its views is no list of seven entries.")
        view, counts, blocks = saved[0], saved[1:-1], saved[-1]
        sound = isinstance(blocks, list) and all(map(_counts, blocks)) and all(blocks)
        held = [j for block in blocks for j in block] if sound else [n_learners]
        if not (view in views and _counts(counts) and counts[2] <= n_learners):
            raise ValueError("what it remembers of its views is damaged.")
        if len(set(held)) < len(held) or max(held, default=0) >= n_learners:
            raise ValueError("what it remembers of its Gram columns is damaged.")
        return cls(view, *counts, tuple(map(tuple, blocks)))


def _counts(values):
    """Whether this is a list of whole numbers, none below 0."""
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 1 << 62 for v in values)
