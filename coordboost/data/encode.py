"""Variables to columns of numbers, as scikit-learn's ``SimpleImputer`` and ``OneHotEncoder`` make them, from plain data.

A *variable* is a column of a table as a model remembers it; what is said where a new table does not fit stands here, too.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._numba.threads import all_done, in_order
from coordboost.data.dates import cell
from coordboost.data.frames import listed
from coordboost.data.kinds import CATEGORY, DATE, NUMBER

#: Bytes of columns that are formed dense whatever is in them; larger ones of indicators, most of them zero, are kept sparse.
DENSE = 1 << 28
#: The zeros of a column of numbers are stored where they are no more than one in so many: to leave them out takes longer.
FEW = 8
#: A median is sought between two of so many values.
SAMPLE = 4096


def fitted(names, columns, impute):
    """The variables, with what fills their gaps: the median of numbers and dates, the most frequent category.

    Parameters
    ----------
    names : list of str;  columns : list of Column;  impute : "median", "indicator", "drop" or None
    """
    fills = in_order(fill_of, columns) if impute in ("median", "indicator") else [None] * len(columns)
    gaps = [impute == "indicator" and bool(column.missing.any()) for column in columns]
    return tuple(
        Variable(name, column.kind, column.levels, fill, gap)
        for name, column, fill, gap in zip(names, columns, fills, gaps, strict=True)
    )


def fill_of(column):
    """The median, or the most frequent category, the first of equals; of no value at all 0, or the first category."""
    values, n = column.values, len(column.values) - np.count_nonzero(column.missing)
    if column.kind == CATEGORY:
        return column.levels[int(np.bincount(values + 1, minlength=2)[1:].argmax())]
    return _median(values, n) if n else 0.0


def _median(values, n):
    """The median of the `n` numbers among NaN, as ``numpy.nanmedian``: sought between two quantiles of a sample, else among all."""
    sample = np.sort(values[:: max(1, len(values) // SAMPLE)])
    known, k = np.searchsorted(sample, np.inf, side="right"), n // 2  # NaN come last
    low, high = sample[9 * known // 20], sample[11 * known // 20]
    below, between = np.count_nonzero(values < low), values[(low <= values) & (values <= high)]
    if below < k < below + len(between):
        k -= below
    else:
        between = values
    parted = np.partition(between, k)
    return float(parted[k] if n % 2 else np.mean([parted[:k].max(), parted[k]]))


def encoded(recipe, columns, where, unknown_as_none=False):
    """The columns of numbers, (n_rows, n_columns) float64: dense in Fortran order, or CSC where they are large and mostly zero."""
    n_rows, n_columns = len(columns[0].values), sum(variable.width for variable in recipe.variables)
    n_single = sum(variable.kind != CATEGORY for variable in recipe.variables)
    sparse = 8 * n_rows * n_columns > DENSE and 4 * n_single < n_columns

    def parts():
        at = 0
        for variable, column in zip(recipe.variables, columns, strict=True):
            for width, held in _parts(variable, column, where, unknown_as_none):
                yield at, width, held
                at += width

    if sparse:
        return _sparse(parts(), n_rows, n_columns, sum(1 + variable.gap for variable in recipe.variables))
    return _dense(parts(), n_rows, n_columns)


def _parts(variable, column, where, unknown_as_none):
    """What a variable becomes: pairs of a number of columns and what they hold, one after the other.

    One column is told by its float64 values, (n_rows,); 0/1 columns by the one that is 1 in each row, int64 (n_rows,), -1 for none.
    """
    missing = column.missing
    gaps = bool(missing.any())
    if gaps and variable.fill is None:
        refuse_gap(variable.name, int(np.flatnonzero(missing)[0]), where)
    if variable.kind == CATEGORY:
        yield variable.width - variable.gap, _places(variable, column, missing, where, unknown_as_none)
    else:
        values = column.values.astype(np.float64, copy=False)  # whole numbers come as they are
        yield 1, np.where(missing, variable.fill, values) if gaps else values
    if variable.gap:
        yield 1, missing.astype(np.float64)


def _places(variable, column, missing, where, unknown_as_none):
    """The 0/1 column of each row, (n_rows,), -1 for none: one for each category, of two categories one for the second."""
    first = int(len(variable.levels) == 2)
    if not first and column.levels == variable.levels and (variable.gap or not missing.any()):
        return column.values
    place = {level: j - first for j, level in enumerate(variable.levels)}
    odd = [code for code, level in enumerate(column.levels) if level not in place]
    if odd and not unknown_as_none:
        row = int(np.flatnonzero(np.isin(column.values, odd))[0])
        refuse_unknown(variable, column.levels[column.values[row]], row, where)
    of_gaps = -1 if variable.gap or variable.fill is None else place[variable.fill]
    return np.array([*(place.get(level, -1) for level in column.levels), of_gaps])[column.values]


def _dense(parts, n_rows, n_columns):
    X = np.zeros((n_rows, n_columns), order="F")

    def write(part):
        at, _, held = part
        if held.dtype.kind == "i":
            rows = np.flatnonzero(held >= 0)
            X[rows, at + held[rows]] = 1.0
        else:
            X[:, at] = held

    all_done(write, parts)
    return X


def _sparse(parts, n_rows, n_columns, n_parts):
    """Each part is looked at, then written where it stays, in threads; of memory that nothing is written to, none is taken."""
    most, counts = n_rows * n_parts, [[0]]
    data, rows, everywhere = np.empty(most), np.empty(most, dtype=np.int32), np.arange(n_rows, dtype=np.int32)

    def placed():
        at = 0
        for of_each, where, values in in_order(_entries, parts):
            counts.append(of_each)
            yield slice(at, at := at + int(np.sum(of_each))), everywhere if where is None else where, values

    def write(part):
        here, where, values = part
        rows[here], data[here] = where, values

    all_done(write, placed())
    stops = np.cumsum(np.concatenate(counts)).astype(np.int32 if 8 * most < 1 << 31 else np.int64)
    return scipy.sparse.csc_array((data[: stops[-1]], rows[: stops[-1]], stops), shape=(n_rows, n_columns))


def _entries(part):
    """Of a part: how many entries of each of its columns are stored, the rows of these (None: all), and what they are."""
    _, width, held = part
    n = len(held)
    if held.dtype.kind == "i":
        there = held >= 0
        stops = np.zeros(n + 1, dtype=np.int32)  # as narrow as the codes: scipy takes the wider of both
        np.cumsum(there, out=stops[1:])
        columns = held if stops[-1] == n else held[there]
        by_row = scipy.sparse.csr_array((np.ones(len(columns), dtype=np.int8), columns, stops), shape=(n, width))
        by_column = by_row.tocsc()
        return np.diff(by_column.indptr), by_column.indices, 1.0
    if n - np.count_nonzero(held) <= n // FEW:
        return [n], None, held
    rows = np.flatnonzero(held)
    return [len(rows)], rows, held[rows]


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
