"""Columns too large for memory, opened from files and arrays."""

import copy
import os
from pathlib import Path

import numpy as np

from coordboost._utils.checks import readable_file, real, shown
from coordboost.data.standardize import standardize_chunked
from coordboost.data.validation import flag
from coordboost.learners.chunked import Chunked
from coordboost.learners.stores import DaskArray, Npy, Parquet, ZarrArray


class StoredColumns:
    """Raw columns in a store, as ``Problem`` takes them; ``open_columns`` makes them.

    Attributes
    ----------
    store : see ``coordboost.stores``
    shape : (n_samples, n_columns)
    names : names of the columns, or None
    memory : bytes for learners kept in memory
    """

    def __init__(self, store, memory):
        self.store, self.memory = store, memory
        self.shape = store.shape
        self.names = store.names
        self.named = self.names is not None
        self._index = np.arange(self.shape[1])

    def __repr__(self):
        return f"<StoredColumns {self.shape[0]} x {self.shape[1]}, {type(self.store).__name__}>"

    def standardized(self, weight, center, scale, names):
        """A dictionary of the columns, and their standardization. *Cost*: one pass."""
        return standardize_chunked(self, weight, center, scale)

    def varies(self, columns, rows):
        """Which dropped columns have two different values.

        Always False, as a check takes a pass over them.
        """
        return np.zeros(len(columns), dtype=bool)

    def ordered(self, index):
        """Return the same columns in another order, at j the column ``index[j]``.

        For ``combine`` and ``part``.
        """
        moved = copy.copy(self)
        moved.names, moved._index = [self.names[j] for j in index], self._index[index]
        return moved

    def combine(self, coef):
        """The sum of the columns times `coef`, (n_samples,).

        Columns without a coefficient are not read.
        """
        n = self.shape[1]
        whole = Chunked(self.store, np.arange(n), np.zeros(n), np.ones(n), self.memory)
        total = whole.combine(coef[np.argsort(self._index)])
        if not np.isfinite(total).all():
            raise ValueError(
                f"X holds NaN or infinity in row {int(np.argmin(np.isfinite(total)))}; impute or "
                "drop those rows first."
            )
        return total

    def part(self, columns, rows):
        """Some columns of the rows in a slice, dense, (n_rows, len(columns)).

        *Cost*: each column is read once.
        """
        return np.column_stack(
            [self.combine(np.eye(1, self.shape[1], j)[0])[rows] for j in columns]
        )


def open_columns(source, *, learners_first=False, columns=None, memory=1 << 28):
    """Columns larger than memory, for ``Problem(open_columns(...), y)``.

    Parameters
    ----------
    source : numpy.memmap, zarr.Array, dask.array.Array, path or list of paths
        (n_samples, n_columns), in any order and chunks. A path is that of an ``.npy`` file, a Zarr
        array or a Parquet file; a list is of Parquet files, whose rows follow each other.
    learners_first : bool, default False
        The source is (n_columns, n_samples).
    columns : sequence of str, optional
        Parquet only: the columns to take, for instance all but the target.
    memory : number, default 2**28
        Bytes for learners kept in memory.

    Returns
    -------
    StoredColumns
        The columns of a ``Problem``.

    Raises
    ------
    ValueError
        If the source is none of these, is not two-dimensional, is empty, or holds no real numbers.

    Notes
    -----
    *Cost*: only headers are read. ``Problem`` makes one pass for means and norms;
    ``problem.dictionary.passes`` counts the passes.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    ...     np.save(folder + "/X.npy", np.array(X))
    ...     cb.Problem(cb.data.open_columns(folder + "/X.npy"), y).n_learners
    2
    """
    memory = real("memory", memory, lambda number: 0 <= number < 2**62, "a number of bytes >= 0")
    learners_first = flag("learners_first", learners_first)
    if isinstance(source, str | os.PathLike | list | tuple):
        source = _opened(source, columns)
    elif columns is not None:
        raise ValueError(
            "columns is for Parquet files; pass a part of an array instead, such as X[:, :100]."
        )
    if not isinstance(source, Parquet):
        return StoredColumns(_store(source, learners_first), memory)
    if learners_first:
        raise ValueError(
            "learners_first=True does not fit Parquet files: their columns are the columns of X."
        )
    _check_shape(source.shape)
    return StoredColumns(source, memory)


def _store(array, learners_first):
    """Wrap an array in the store for its library."""
    library = type(array).__module__.partition(".")[0]
    known = isinstance(array, np.ndarray) or (
        library in ("zarr", "dask") and hasattr(array, "chunks") and hasattr(array, "ndim")
    )
    if not known:
        raise ValueError(
            f"X must be a memory map, a Zarr or Dask array, or a path, got {shown(array)}."
        )
    if getattr(array.dtype, "kind", "O") not in "fiub":
        raise ValueError(
            f"X must hold real numbers, got dtype {array.dtype}; encode strings and categories as "
            "numbers first."
        )
    _check_shape(array.shape)
    if library == "zarr":
        return ZarrArray(array, learners_first)
    turned = array.T if learners_first else array
    return DaskArray(turned) if library == "dask" else Npy(turned)


def _check_shape(shape):
    if len(shape) != 2:
        raise ValueError(f"X must have 2 dimensions, got shape {shape}.")
    if 0 in shape:
        raise ValueError(f"X must have at least one row and one column, got shape {shape}.")


def _opened(source, columns):
    """Open a path or a list of Parquet files; `columns` names the columns to take from Parquet."""
    files = list(source) if isinstance(source, list | tuple) else [source]
    if not all(isinstance(file, str | os.PathLike) for file in files):
        raise ValueError(
            f"a list given as X must hold the paths of Parquet files, got {shown(source)}."
        )
    if columns is not None and not (
        isinstance(columns, list | tuple) and all(isinstance(name, str) for name in columns)
    ):
        raise ValueError(f"columns must be a list of names, got {shown(columns)}.")
    files = [Path(file) for file in files]
    missing = [str(file) for file in files if not file.exists()]
    if missing or not files:
        raise ValueError(
            f"{missing[0]} does not exist." if missing else "X is an empty list of files."
        )
    for file in files:
        if file.suffix == ".npy" or not file.is_dir():  # folders are Zarr arrays
            readable_file(file)
    if all(file.suffix in (".parquet", ".pq") for file in files):
        if any(file.is_dir() for file in files):
            raise ValueError(
                f"{files[0]} is a folder; pass the list of its Parquet files, in the order of y."
            )
        heads = [_tried(lambda file=file: _parquet(file), file, "Parquet file") for file in files]
        return Parquet(files, heads, None if columns is None else list(columns))
    if columns is not None or len(files) > 1:
        raise ValueError(
            "columns and lists of files are for Parquet, whose files end in .parquet, got "
            f"{files[0]}."
        )
    if files[0].suffix == ".npy":
        return _tried(
            lambda: np.load(files[0], mmap_mode="r", allow_pickle=False), files[0], ".npy file"
        )
    if files[0].is_dir() or files[0].suffix == ".zip":
        return _tried(lambda: _zarr(files[0]), files[0], "Zarr array")
    raise ValueError(
        f"{files[0]} must be an .npy file, a Parquet file or the folder of a Zarr array."
    )


def _zarr(path):
    import zarr

    return zarr.open_array(path, mode="r")


def _parquet(path):
    import pyarrow.parquet

    return pyarrow.parquet.read_metadata(path)


def _tried(opener, path, what):
    """Return ``opener()``; errors of a library become a ``ValueError`` of one sentence."""
    try:
        return opener()
    except ImportError as error:
        raise ValueError(
            f"a {what} needs the package {error.name}: pip install 'coordboost[outofcore]'."
        ) from None
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise ValueError(
            f"{path} is not a {what} that can be read ({type(error).__name__})."
        ) from None
