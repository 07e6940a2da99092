"""Variables: the columns of a table as a model remembers them, and what is said where a new table does not fit."""

from typing import NamedTuple

import numpy as np

from coordboost.data.cells import cell
from coordboost.data.kinds import CATEGORY, DATE, NUMBER
from coordboost.data.names import listed


class Variable(NamedTuple):
    """A column of the table and what becomes of it.

    kind : ``number``, ``date`` or ``category``;  levels : categories, sorted; of dates how they are written
    fill : what a gap becomes (a number, a category), None where gaps are refused;  gap : whether a 0/1 column says where gaps were
    """

    name: str
    kind: str
    levels: tuple = ()
    fill: float | str | None = None
    gap: bool = False

    @property
    def width(self):
        """The number of columns of numbers that it becomes."""
        return (len(self.levels) - (len(self.levels) == 2) if self.kind == CATEGORY else 1) + self.gap

    @property
    def columns(self):
        """Names of the columns of numbers that it becomes."""
        levels = self.levels[len(self.levels) == 2 :] if self.kind == CATEGORY else None
        own = [self.name] if levels is None else [f"{self.name}={level}" for level in levels]
        return own + [f"{self.name} (missing)"] * self.gap


def are_names(value):
    """Whether `value` is a list of strings."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def is_variable(value):
    """Whether `value` is a variable as ``plain`` writes it."""
    if not (isinstance(value, list) and len(value) == len(Variable._fields) and isinstance(value[0], str)):
        return False
    _, kind, levels, fill, gap = value
    fits = {NUMBER: levels == [], DATE: len(levels) == 1, CATEGORY: levels == sorted(set(levels))} if are_names(levels) else {}
    filled = fill in levels if kind == CATEGORY else isinstance(fill, float) and np.isfinite(fill)
    return isinstance(gap, bool) and fits.get(kind, False) and (fill is None or filled)


def refuse_gap(variable, row, where, others="", remedy='impute="median", "indicator" or "drop"'):
    """Say where a cell is empty that must not be."""
    raise ValueError(
        f"{where(row)}: no value in column {variable!r}{others}: fill it in, or say what to do with gaps ({remedy})."
    )


def refuse_unknown(variable, value, row, where):
    """Say which category the model does not know."""
    known = listed([repr(level) for level in variable.levels])
    raise ValueError(
        f"{where(row)}, column {variable.name!r} holds {cell(value)}, which the model was not fitted with (it knows {known}): mend the "
        "cell, or take it for none of them (unknown_as_none=True in table.frame(rows) or recipe.numbers(frame))."
    )
