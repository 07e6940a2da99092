"""Encode a table of numbers, dates and text as columns of numbers.

Every new table is encoded in the same way.

Nouns: a *variable* is a column of the table; a *recipe* is all variables of a model, plain data
that a run file can hold. Numbers and dates become one column, text a 0/1 column for each category
(one for two categories), or for trees one column of the dtype ``category``. The columns of a
variable form a group.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._utils.checks import shown
from coordboost.data.columns import CATEGORY, DATE, NUMBER, Cells, cell, column_of
from coordboost.data.frames import listed

IMPUTE = ("median", "indicator", "drop")
#: Fields that a file omits if they are empty.
OPTIONAL = ("na", "marks", "dropped")
#: Tables of up to this many bytes are dense; larger ones, if most columns are 0/1 columns, are
#: sparse.
DENSE = 1 << 28


class Variable(NamedTuple):
    """A column of the table and its encoding.

    kind : ``number``, ``date`` or ``category``
    levels : categories, sorted; for dates their format
    fill : replaces missing values (a number, a category), None to refuse them
    gap : whether a 0/1 column marks missing values
    """

    name: str
    kind: str
    levels: tuple = ()
    fill: float | str | None = None
    gap: bool = False

    @property
    def words(self):
        """The categories that have a 0/1 column: all, or of two only the second."""
        return self.levels[len(self.levels) == 2 :]

    def columns(self, one_hot):
        """Names of the columns that encode it; `one_hot`: a category has 0/1 columns."""
        own = [self.name]
        if one_hot and self.kind == CATEGORY:
            own = [f"{self.name}={word}" for word in self.words]
        return own + [f"{self.name} (missing)"] * self.gap

    @property
    def is_sound(self):
        """Whether its fields fit each other."""
        levels = {
            NUMBER: self.levels == (),
            DATE: len(self.levels) == 1,
            CATEGORY: list(self.levels) == sorted(set(self.levels)),
        }
        if self.kind == CATEGORY:
            is_filled = self.fill in self.levels
        else:
            is_filled = isinstance(self.fill, float) and np.isfinite(self.fill)
        return (
            isinstance(self.name, str)
            and levels.get(self.kind, False)
            and isinstance(self.gap, bool)
            and (self.fill is None or is_filled)
        )


class Recipe(NamedTuple):
    """How a table becomes columns of numbers.

    target : name of the column that is predicted
    labels : its two categories, or ()
    impute : the option of this name, or None
    variables : tuple of Variable
    na : words that mean "missing" in files of such tables, in addition to the usual ones
    marks : (decimal, thousands or "") in the numbers of the file of the table, () if unknown
    dropped : names of columns that the user left out
    weights : name of the column of weights, or None
    one_hot : whether text becomes 0/1 columns; otherwise the columns are those of a data frame,
        text of the dtype ``category``, and missing values may stay missing
    """

    target: str
    labels: tuple
    impute: str | None
    variables: tuple
    na: tuple = ()
    marks: tuple = ()
    dropped: tuple = ()
    weights: str | None = None
    one_hot: bool = True

    @property
    def columns(self):
        """Names of the columns of numbers, a list."""
        return [name for one in self.variables for name in one.columns(self.one_hot)]

    @property
    def groups(self):
        """The name of the variable of each of these columns, a list."""
        return [one.name for one in self.variables for _ in one.columns(self.one_hot)]

    @property
    def text(self):
        """Names of the columns to read as text."""
        return tuple(variable.name for variable in self.variables if variable.kind == CATEGORY)

    def numbers(self, frame, cells=None, *, unknown_as_none=False):
        """Encode a new table, (n_rows, n_columns) float64, or a data frame without `one_hot`.

        Its columns are found by name, others are ignored.

        Parameters
        ----------
        frame : pandas DataFrame
        cells : Cells, optional
            Formats of the cells, for tables from files.
        unknown_as_none : bool, default False
            True: an unknown category gets 0 in all columns of its variable, or is missing. False:
            it raises.

        Raises
        ------
        ValueError
            For missing columns, cells of another kind, unknown categories, and missing values that
            the recipe does not fill.
        """
        cells = cells or Cells()
        known = set(map(str, frame.columns))
        if missing := [variable.name for variable in self.variables if variable.name not in known]:
            raise ValueError(
                f"the table lacks {listed([*map(repr, missing)])}, which the model was fitted "
                "with: add the column(s)."
            )
        read = []
        for variable in self.variables:
            form = variable.levels[0] if variable.kind == DATE else None
            read.append(
                column_of(
                    variable.name,
                    frame[variable.name],
                    cells._replace(day_format=form),
                    variable.kind,
                )
            )
        return encoded(self, read, cells.where, unknown_as_none)

    def refilled(self, columns):
        """Return the recipe with fill values computed from other rows, a list of ``Column``."""
        pairs = zip(self.variables, columns, strict=True)
        return self._replace(
            variables=tuple(variable._replace(fill=fill_of(column)) for variable, column in pairs)
        )

    def plain(self):
        """The recipe as lists and strings, for a file."""
        optional = {name: list(given) for name in OPTIONAL if (given := getattr(self, name))}
        optional |= {} if self.weights is None else {"weights": self.weights}
        optional |= {} if self.one_hot else {"one_hot": False}
        return optional | {
            "target": self.target,
            "labels": list(self.labels),
            "impute": self.impute,
            "variables": [
                [*variable[:2], list(variable.levels), *variable[3:]] for variable in self.variables
            ],
        }

    @classmethod
    def restored(cls, given):
        """The recipe that ``plain`` wrote.

        Raises
        ------
        ValueError
            For anything else.
        """
        sound = False
        try:
            texts = {key: _texts(given[key]) for key in ("labels", *OPTIONAL) if key in given}
            variables = tuple(
                Variable(name, kind, _texts(levels), fill, gap)
                for name, kind, levels, fill, gap in given["variables"]
            )
            made = cls(**{**given, **texts, "variables": variables})
            sound = (
                isinstance(made.target, str)
                and isinstance(made.weights, str | None)
                and isinstance(made.one_hot, bool)
                and made.impute in (None, *IMPUTE)
                and len(made.marks) in (0, 2)
                and all(variable.is_sound for variable in variables)
            )
        except (KeyError, TypeError, ValueError):  # not the arguments of a recipe
            pass
        if not sound:
            raise ValueError(f"the recipe of the table is not valid: {shown(given)}.")
        return made


def _texts(values):
    """A list of texts as a tuple; raise a TypeError for anything else."""
    if not (isinstance(values, list) and all(isinstance(text, str) for text in values)):
        raise TypeError("no list of texts")
    return tuple(values)


def fill_of(column):
    """The median, or the most frequent category (the first of ties).

    Without any value 0, or the first category.
    """
    if column.kind == CATEGORY:
        return column.levels[int(np.bincount(column.values + 1, minlength=2)[1:].argmax())]
    return 0.0 if column.missing.all() else float(np.nanmedian(column.values))


def encoded(recipe, columns, where, unknown_as_none=False):
    """Encode columns as numbers, (n_rows, n_columns) float64.

    Dense in Fortran order, or CSC if large and mostly 0/1 columns; a data frame without `one_hot`.
    """
    if not recipe.one_hot:
        return _framed(recipe, columns, where, unknown_as_none)
    # pairs (number of columns, values): floats, or for 0/1 columns the index of the column that is
    # 1, -1 for none
    parts = []
    for variable, column in zip(recipe.variables, columns, strict=True):
        missing = column.missing
        if variable.fill is None and missing.any():
            refuse_gap(variable.name, int(np.flatnonzero(missing)[0]), where)
        if variable.kind == CATEGORY:
            parts.append((len(variable.words), _indices(variable, column, where, unknown_as_none)))
        else:
            parts.append(
                (
                    1,
                    np.where(missing, variable.fill, column.values)
                    if missing.any()
                    else column.values,
                )
            )
        if variable.gap:
            parts.append((1, missing.astype(np.float64)))
    n_rows = len(columns[0].values)
    n_columns = len(recipe.columns)
    if 8 * n_rows * n_columns > DENSE and 4 * (len(columns) - len(recipe.text)) < n_columns:
        return scipy.sparse.hstack(
            [_sparse(width, values) for width, values in parts], format="csc"
        )
    X = np.zeros((n_rows, n_columns), order="F")
    place = 0
    for width, values in parts:
        if values.dtype.kind == "i":
            rows = np.flatnonzero(values >= 0)
            X[rows, place + values[rows]] = 1.0
        else:
            X[:, place] = values
        place += width
    return X


def _framed(recipe, columns, where, unknown_as_none):
    """Encode columns as a data frame: text is of the dtype ``category``.

    Missing values are filled if the recipe says how.
    """
    import pandas as pd

    frame = {}
    for variable, column in zip(recipe.variables, columns, strict=True):
        missing = column.missing
        if variable.kind == CATEGORY:
            fill = -1 if variable.fill is None else variable.levels.index(variable.fill)
            codes = _indices(variable, column, where, unknown_as_none, variable.levels)
            codes = np.where(missing, fill, codes)
            frame[variable.name] = pd.Categorical.from_codes(codes, list(variable.levels))
        else:
            fill = np.nan if variable.fill is None else variable.fill
            frame[variable.name] = np.where(missing, fill, column.values)
        if variable.gap:
            frame[f"{variable.name} (missing)"] = missing.astype(np.float64)
    return pd.DataFrame(frame, columns=recipe.columns)


def _indices(variable, column, where, unknown_as_none, words=None):
    """Index of the 0/1 column that is 1 in each row, (n_rows,) of whole numbers, -1 for none.

    words : the categories that have a column, by default those of the variable
    """
    index = {word: j for j, word in enumerate(variable.words if words is None else words)}
    known = set(variable.levels)
    odd = [code for code, level in enumerate(column.levels) if level not in known]
    rows = (
        np.flatnonzero(np.isin(column.values, odd)) if odd and not unknown_as_none else np.array([])
    )
    if rows.size:
        some = listed([*map(repr, variable.levels)])
        raise ValueError(
            f"{where(int(rows[0]))}, column {variable.name!r} holds "
            f"{cell(column.levels[column.values[rows[0]]])}, which the model was not "
            f"fitted with (its categories: {some}): correct the cell, or let it belong to none of "
            "them (unknown_as_none=True in "
            "table.frame(rows) or recipe.numbers(frame))."
        )
    of_gaps = -1 if variable.gap else index.get(variable.fill, -1)
    return np.array([*(index.get(level, -1) for level in column.levels), of_gaps])[column.values]


def _sparse(width, values):
    """The columns of a part as a CSC array."""
    if values.dtype.kind == "f":
        return scipy.sparse.csc_array(values[:, None])
    rows = np.flatnonzero(values >= 0)
    return scipy.sparse.csc_array(
        (np.ones(len(rows)), (rows, values[rows])), shape=(len(values), width)
    )


def refuse_gap(variable, row, where, others="", remedy='impute="median", "indicator" or "drop"'):
    """Raise an error that says which cell is empty, and what to do."""
    raise ValueError(
        f"{where(row)}: no value in column {variable!r}{others}: fill it in, or choose how to "
        f"treat missing values ({remedy})."
    )
