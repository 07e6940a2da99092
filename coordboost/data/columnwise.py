"""Read raw columns of any kind one by one, for binning: as numbers with NaN for missing values, or as categories."""

import numpy as np
import scipy.sparse

from coordboost._numba.threads import in_order, slices
from coordboost._utils.checks import shown
from coordboost.data import validation
from coordboost.data.frames import is_number, refuse_times
from coordboost.data.outofcore import StoredColumns

#: Least number of samples for which threads are used: with fewer, threads wait for each other longer than they work.
LONG = 1 << 12


def readable(column, name):
    """`column` (n,) as float32 or float64, NaN where a value is missing."""
    refuse_times(f"column {name!r}", column)
    try:
        nullable = getattr(getattr(column, "dtype", None), "na_value", None) is not None
        array = column.to_numpy(dtype=np.float64, na_value=np.nan) if nullable else np.asarray(column)
        return np.ascontiguousarray(array, dtype=array.dtype if array.dtype in (np.float32, np.float64) else np.float64)
    except (TypeError, ValueError):
        array = np.asarray(column)
        wrong = next((value for value in array.ravel().tolist() if not isinstance(value, int | float)), array)
        raise ValueError(
            f"column {name!r} must hold real numbers, got {shown(wrong)}; name it in categorical (categorical_features of an "
            "estimator), or encode it as numbers."
        ) from None


def _by_column(X):
    """Convert a sparse matrix to CSC without duplicate entries; the caller's matrix is not changed."""
    X = scipy.sparse.csc_array(validation.sound(X))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


class RawColumns:
    """The columns of `X`: an array, a data frame or a sparse matrix.

    shape : (n_samples, n_columns);  names : column names of a data frame, or None;  named : whether they are strings, not numbers
    """

    #: Columns of an array that are copied together, because neighbours share cache lines.
    together = 16

    def __init__(self, X):
        if isinstance(X, np.ma.MaskedArray):
            raise ValueError("X is a masked array; pass X.filled(np.nan): NaN is taken as missing.")
        self.frame = validation.is_frame(X)
        X = validation.as_pandas(X) if self.frame else X
        self.sparse = scipy.sparse.issparse(X)
        self.X = X if self.frame else _by_column(X) if self.sparse else validation.as_array("X", X)
        if len(self.X.shape) != 2 or 0 in self.X.shape:
            raise ValueError(f"X must have two dimensions, and at least one row and one column, got shape {self.X.shape}.")
        self.shape = self.X.shape
        self.names = [str(name) for name in X.columns] if self.frame else None
        self.named = self.frame and all(isinstance(name, str) for name in X.columns)

    def in_parts(self, function):
        """Yield ``function(slice of columns)``, in threads if columns are long."""
        parts = slices(self.shape[1], self.together)
        return map(function, parts) if self.shape[0] < LONG else in_order(function, parts)

    def each(self, function, columns):
        """Return a list of ``function(column)`` for the columns of a part, computed one after the other."""
        return list(map(function, columns))

    def categories(self):
        """Indices of the columns of the dtype ``category``."""
        if not self.frame:
            return []
        return [j for j in range(self.shape[1]) if hasattr(self._series(j), "cat")]

    def _series(self, j):
        return self.X.iloc[:, j] if hasattr(self.X, "iloc") else self.X[:, j]

    def raw(self, j):
        """Column j as it is, (n_samples,)."""
        if self.frame:
            return self._series(j)
        return self._filled(j) if self.sparse else self.X[:, j]

    def _filled(self, j):
        """Column j of a sparse matrix as a dense vector: slicing by scipy takes fifty times as long."""
        out, entries = np.zeros(self.shape[0], dtype=self.X.dtype), slice(*self.X.indptr[j : j + 2])
        out[self.X.indices[entries]] = self.X.data[entries]
        return out

    def numbers(self, columns, names):
        """Some columns as numbers, a list of (n_samples,); those of an array are copied together."""
        if not (self.frame or self.sparse) and is_number(self.X.dtype):
            block = self.X[:, columns].T
            kept = block.dtype if block.dtype in (np.float32, np.float64) else np.float64
            return list(np.ascontiguousarray(block, dtype=kept))
        return [readable(self.raw(j), name) for j, name in zip(columns, names, strict=True)]


def as_stored(values):
    """Return a tile unchanged."""
    return values


class StoredRawColumns:
    """As ``RawColumns``, for columns too large for memory: a few columns are read at a time, and processed in threads.

    *Cost*: one pass if each column is contiguous or has chunks of its own. Otherwise one pass for each part, as many columns as fit into
    half of ``X.memory`` bytes.
    """

    def __init__(self, X):
        self.store, self.shape, self.names, self.named = X.store, X.shape, X.names, X.named
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
        out = np.empty((len(columns), self.shape[0]), dtype=self.dtype)
        for rows, part, values in self.store.each(np.asarray(columns), as_stored):
            out[part, rows] = values.T
        return list(out)


def raw_columns(X):
    """Wrap `X`, in memory or in a store, for reading column by column."""
    return StoredRawColumns(X) if isinstance(X, StoredColumns) else RawColumns(X)


def absent(value):
    """Whether a label stands for a missing value."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def labelled(column):
    """Return the labels in use, in order, and the label number of each sample, -1 where it is missing."""
    if hasattr(column, "cat"):
        codes, known = np.asarray(column.cat.codes, dtype=np.int64), list(column.cat.categories)
        used = np.unique(codes[codes >= 0])
        place = np.full(len(known) + 1, -1)
        place[used] = np.arange(len(used))
        return [known[i] for i in used], place[codes]
    values = np.asarray(column)
    if values.dtype.kind in "iubU":
        labels, codes = np.unique(values, return_inverse=True)
        return labels.tolist(), codes.astype(np.int64)
    values = values.tolist()
    found = dict.fromkeys(value for value in values if not absent(value))
    try:
        labels = sorted(found)
    except TypeError:  # labels of several types: in order of appearance
        labels = list(found)
    return labels, numbered(values, labels)


def numbered(values, labels):
    """Return the label number of each value, -1 if it is missing or not among the labels."""
    place = {label: i for i, label in enumerate(labels)}
    return np.array([-1 if absent(value) else place.get(value, -1) for value in values], dtype=np.int64)
