"""Read raw columns of any kind one by one, for binning.

As numbers with NaN for missing values, or as categories.
"""

from abc import ABC, abstractmethod
from contextlib import suppress

import numpy as np
import scipy.sparse

from coordboost._numba.threads import in_order, pool, slices
from coordboost._utils.checks import shown
from coordboost.data import validation
from coordboost.data.frames import is_number, is_time, refuse_times
from coordboost.data.outofcore import StoredColumns

#: Least number of samples for which threads are used: with fewer, threads wait for each other
#: longer than they work.
LONG = 1 << 12


def readable(column, name):
    """`column` (n,) as float32 or float64, NaN where a value is missing."""
    refuse_times(f"column {name!r}", column)
    try:
        nullable = getattr(getattr(column, "dtype", None), "na_value", None) is not None
        array = (
            column.to_numpy(dtype=np.float64, na_value=np.nan) if nullable else np.asarray(column)
        )
        if array.dtype.kind == "c":  # numpy would drop the imaginary part
            raise TypeError
        return np.ascontiguousarray(
            array, dtype=array.dtype if array.dtype in (np.float32, np.float64) else np.float64
        )
    except OverflowError:
        raise ValueError(
            f"column {name!r} must hold numbers that float64 can hold: one has too many digits."
        ) from None
    except (TypeError, ValueError):
        array = np.asarray(column)
        wrong = next((value for value in array.ravel().tolist() if not is_numeral(value)), array)
        raise ValueError(
            f"column {name!r} must hold real numbers, got {shown(wrong)}; name it in categorical "
            "(categorical_features of an "
            "estimator), or encode it as numbers."
        ) from None


def is_numeral(value):
    """Return whether a value is a number, or text that is one."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def is_text(column):
    """Return whether all values of a column of a frame are text, but the missing ones.

    If some text is a number, it may be a column of numbers with a word for missing values.
    """
    if column.dtype.kind != "O" or hasattr(column, "cat"):
        return False
    values = column.dropna()
    if not len(values) or not isinstance(values.iloc[0], str):
        return False
    is_all_text = all(isinstance(value, str) for value in values)
    return is_all_text and not any(map(is_numeral, set(values)))


def _by_column(X):
    """Convert a sparse matrix to CSC without duplicate entries.

    The caller's matrix is not changed.
    """
    X = scipy.sparse.csc_array(validation.sound(X))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


class RawColumns:
    """The columns of `X`: an array, a data frame or a sparse matrix.

    shape : (n_samples, n_columns); names : column names of a data frame, or None; named : whether
    they are strings, not numbers
    """

    #: Most columns of an array that are copied together, because neighbours share cache lines.
    together = 16

    def __init__(self, X):
        if isinstance(X, np.ma.MaskedArray):
            raise ValueError("X is a masked array; pass X.filled(np.nan): NaN is taken as missing.")
        self.frame = validation.is_frame(X)
        X = validation.as_pandas(X) if self.frame else X
        #: The columns of a frame: by ``iloc`` each would take ten times as long.
        self._series = [column for _, column in X.items()] if self.frame else []
        self.sparse = scipy.sparse.issparse(X)
        self.X = X if self.frame else _by_column(X) if self.sparse else validation.as_array("X", X)
        if len(self.X.shape) != 2 or 0 in self.X.shape:
            raise ValueError(
                "X must have two dimensions, and at least one row and one column, got shape "
                f"{self.X.shape}."
            )
        self.shape = self.X.shape
        self.names = [str(name) for name in X.columns] if self.frame else None
        self.named = self.frame and all(isinstance(name, str) for name in X.columns)
        self.is_matrix = not (self.frame or self.sparse) and is_number(self.X.dtype)

    def in_parts(self, function):
        """Yield ``function(slice of columns)``, in threads if columns are long."""
        n_samples, n_columns = self.shape
        if n_samples < LONG:
            return map(function, slices(n_columns, self.together))
        most = n_columns // (2 * pool().n_threads)  # two parts for each thread, or more
        return in_order(function, slices(n_columns, max(1, min(self.together, most))))

    def each(self, function, columns):
        """Return a list of ``function(column)`` for the columns of a part.

        They are computed one after the other.
        """
        return list(map(function, columns))

    def categories(self):
        """Indices of the columns of the dtype ``category``, and of those of text."""
        columns = enumerate(self._series)
        return [
            j for j, x in columns if not is_number(x.dtype) and (hasattr(x, "cat") or is_text(x))
        ]

    def raw(self, j):
        """Column j as it is, (n_samples,)."""
        if self.frame:
            return self._series[j]
        return self._filled(j) if self.sparse else self.X[:, j]

    def _filled(self, j):
        """Column j of a sparse matrix as a dense vector.

        Slicing by scipy takes fifty times as long.
        """
        column = np.zeros(self.shape[0], dtype=self.X.dtype)
        entries = slice(*self.X.indptr[j : j + 2])
        column[self.X.indices[entries]] = self.X.data[entries]
        return column

    def numbers(self, columns, names):
        """Some columns as numbers, a list of (n_samples,).

        Those of an array are copied together.
        """
        if self.is_matrix:
            return list(self.block(slice(None), columns))
        return [readable(self.raw(j), name) for j, name in zip(columns, names, strict=True)]

    def block(self, rows, columns):
        """Some rows and columns of an array of numbers, as floats (n_columns, n_rows), C order."""
        block = self.X[rows, columns].T
        kept = block.dtype if block.dtype in (np.float32, np.float64) else np.float64
        return np.ascontiguousarray(block, dtype=kept)


def as_stored(values):
    """Return a tile unchanged."""
    return values


class StoredRawColumns:
    """As ``RawColumns``, for columns too large for memory.

    A few columns are read at a time, and processed in threads.

    *Cost*: one pass if each column is contiguous or has chunks of its own. Otherwise one pass for
    each part, as many columns as fit into half of ``X.memory`` bytes.
    """

    #: Whether it is an array of numbers in memory, whose rows can be read in blocks.
    is_matrix = False

    def __init__(self, X):
        self.store = X.store
        self.shape = X.shape
        self.names = X.names
        self.named = X.named
        kept = getattr(X.store, "dtype", None)
        self.dtype = np.dtype(kept if kept in (np.float32, np.float64) else np.float64)
        self.together = max(1, int(X.memory) // 2 // (self.dtype.itemsize * self.shape[0]))

    def in_parts(self, function):
        """Yield ``function(slice of columns)``, one after the other: only one part is in memory."""
        return map(function, slices(self.shape[1], self.together))

    def each(self, function, columns):
        """Return a list of ``function(column)`` for the columns of a part, computed in threads."""
        return list(in_order(function, columns))

    def categories(self):
        """An empty list: a store holds numbers only."""
        return []

    def raw(self, j):
        """Column j, (n_samples,)."""
        return self.numbers([j], [""])[0]

    def numbers(self, columns, names):
        """Some columns as numbers, a list of (n_samples,)."""
        matrix = np.empty((len(columns), self.shape[0]), dtype=self.dtype)
        for rows, block, values in self.store.each(np.asarray(columns), as_stored):
            matrix[block, rows] = values.T
        return list(matrix)


class ColumnsElsewhere(ABC):
    """Columns whose rows lie elsewhere, which are put into bins there.

    shape, names, named : as in ``RawColumns``
    """

    @abstractmethod
    def categories(self):
        """Indices of the columns of the dtype ``category``, and of those of text."""

    @abstractmethod
    def bins(self, most, exact, names, named, coded, kinds, min_samples):
        """Return the bins, a ``Binned`` without rows, and the ``Binning``."""

    @abstractmethod
    def in_bins(self, binning):
        """Return the rows in the bins of a ``Binning``, a ``Binned`` without rows here."""


def raw_columns(X):
    """Wrap `X`, in memory or in a store, for reading column by column."""
    if isinstance(X, ColumnsElsewhere):
        return X
    return StoredRawColumns(X) if isinstance(X, StoredColumns) else RawColumns(X)


def absent(value):
    """Whether a label stands for a missing value."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


#: What ``numbered`` returns for a missing value, and for a value that is not among the labels.
MISSING, UNKNOWN = -1, -2


def as_level(value):
    """Return a value of a column of categories; the text of other objects than text and numbers.

    None if it is missing.
    """
    if type(value) is str:
        return value
    if absent(value):
        return None
    if isinstance(value, np.bool | np.integer | np.floating):
        value = value.item()
    return value if isinstance(value, str | int | float) else str(value)


def distinct(column):
    """Return the distinct values of a column, a list, and for each sample the number of its value.

    *Cost*: a sort; one pass for text.
    """
    values = np.asarray(column)
    if values.dtype.kind in "iubf":
        levels, number = np.unique(values, return_inverse=True)
        return levels.tolist(), number
    if is_time(values.dtype):
        import pandas as pd

        levels, number = np.unique(values, return_inverse=True)
        return list(pd.Index(levels)), number  # their text does not depend on the unit
    places = {}
    try:
        number = [places.setdefault(value, len(places)) for value in values.tolist()]
    except TypeError:
        wrong = next(value for value in values.tolist() if getattr(value, "__hash__", None) is None)
        raise ValueError(
            f"categories must be text, numbers, booleans or dates, got {shown(wrong)}."
        ) from None
    return list(places), np.array(number, dtype=np.int64)


def categories_in_use(column):
    """Return the categories that occur in a column of the dtype ``category``, a list in order, and
    for each sample the number of its category, or `MISSING`.
    """
    categories = column.cat.categories
    code = np.asarray(column.cat.codes, dtype=np.int64)
    used = np.flatnonzero(np.bincount(code[code >= 0], minlength=len(categories)))
    place = np.full(len(categories) + 1, MISSING)
    place[used] = np.arange(len(used))
    return categories.take(used).astype(object).tolist(), place[code]


def labelled(column):
    """Return the levels in use, in order, and the number of the level of each sample, or `MISSING`.

    Levels are text, numbers or booleans. Other objects, such as dates, are represented by their
    text; whether that is so is returned, too.
    """
    coded = hasattr(column, "cat")
    values, number = categories_in_use(column) if coded else distinct(column)
    levels = [as_level(value) for value in values]
    labels = list(dict.fromkeys(level for level in levels if level is not None))
    if not coded:
        with suppress(TypeError):  # labels of several types stay in order of appearance
            labels = sorted(labels)
    place = {label: i for i, label in enumerate(labels)}
    places = np.array([*(place.get(level, MISSING) for level in levels), MISSING])
    texts = [value for level, value in zip(levels, values, strict=True) if isinstance(level, str)]
    of_objects = not all(isinstance(value, str) for value in texts)
    return labels, places[number], of_objects


def numbered(column, labels):
    """Return for each sample the number of its level among `labels`, `MISSING` or `UNKNOWN`."""
    return placed(labelled(column), labels)


def refuse_numbers(name, found, labels):
    """Refuse a column of numbers, such as codes of categories, where the labels of the fit are
    text: each value would silently be one that the fit has not seen.
    """
    levels = found[0]
    of_text = bool(labels) and all(isinstance(label, str) for label in labels)
    if of_text and levels and not any(isinstance(level, str) for level in levels):
        raise ValueError(
            f"column {name!r} must hold text as in the fit, such as {shown(labels[0])}, got "
            f"{shown(levels[0])}: pass the text of the categories, not their codes."
        )


def placed(found, labels):
    """Do ``numbered`` for a column of which ``labelled`` has returned `found`."""
    levels, number, _ = found
    place = {label: i for i, label in enumerate(labels)}
    return np.array([*(place.get(level, UNKNOWN) for level in levels), MISSING])[number]
