"""A table of Dask in parts of consecutive rows: the chunks of an array, the partitions of a frame.

Vectors over the rows are cut in the same way. A function is called for every part where it is, and
its results are merged two at a time, in an order that depends on the parts alone: the bits are the
same for any number of workers and threads.
"""

from functools import cached_property

import numpy as np

from coordboost.data import validation
from coordboost.learners.stores.daskarray import (
    DaskArray,
    Refusal,
    computed,
    is_lazy,
    known_size,
)


class RowParts:
    """The parts of a table of Dask, an array or a data frame.

    parts : delayed arrays, or data frames of pandas
    names : of the columns of a data frame, else None
    n_columns : int
    """

    def __init__(self, X):
        self.names = None
        if hasattr(X, "columns"):
            self.names = [str(name) for name in X.columns]
            self.n_columns = len(self.names)
            self.parts = X.to_delayed()
            return
        if X.ndim != 2:
            raise ValueError(f"X must have 2 dimensions, got shape {X.shape}.")
        known_size("X", X)
        if X.dtype.kind not in "fiub":
            raise ValueError(
                f"X must hold real numbers, got dtype {X.dtype}; encode strings and categories as "
                "numbers first."
            )
        array = DaskArray(X.rechunk({1: -1})).array  # without empty chunks
        self.n_columns = array.shape[1]
        self.parts = array.to_delayed()[:, 0]
        self.lengths = array.chunks[0]

    @cached_property
    def lengths(self):
        """The number of rows of each part. *Cost*: for a data frame, a pass."""
        from dask import delayed

        return tuple(computed([delayed(len)(part) for part in self.parts]))

    def vector(self, name, values):
        """`values`, one for each row, in the same parts: a list of delayed or NumPy arrays.

        A series of Dask with as many partitions as the data frame is taken to be cut alike, which
        is checked where the parts meet.
        """
        if is_lazy(values) and hasattr(values, "to_delayed") and not hasattr(values, "chunks"):
            if self.names is not None and values.npartitions == len(self.parts):
                return values.to_delayed()
            values = values.to_dask_array(lengths=True)
        n_samples = sum(self.lengths)
        if not is_lazy(values):
            check = validation.sample_weight if name == "sample_weight" else validation.known_part
            return self.cut(check(values, n_samples))
        known_size(name, values)
        if values.shape != (n_samples,):
            raise ValueError(
                f"{name} must have one entry per row of X: expected ({n_samples},), got shape "
                f"{values.shape}."
            )
        return values.rechunk((self.lengths,)).to_delayed()

    def cut(self, values):
        """An array of NumPy, one entry for each row, in the same parts."""
        return np.split(values, np.cumsum(self.lengths)[:-1])

    def vectors(self, **given):
        """The vectors that are not None, name -> list of parts."""
        return {
            name: self.vector(name, values) for name, values in given.items() if values is not None
        }

    def each(self, function, vectors, **options):
        """Delayed results of ``function(part, vectors of the part, number of the part, ...)``.

        `vectors` of the part is a dict.
        """
        from dask import delayed

        call = delayed(function, pure=False)
        return [
            call(part, {name: values[k] for name, values in vectors.items()}, k, **options)
            for k, part in enumerate(self.parts)
        ]

    def total(self, function, merge, vectors, **options):
        """The results of `function` for all parts, merged by ``merge(a, b)``. *Cost*: a pass."""
        from dask import delayed

        merge = delayed(merge, pure=False)
        results = self.each(function, vectors, **options)
        while len(results) > 1:
            pairs = zip(results[::2], results[1::2], strict=False)
            unpaired = results[len(results) // 2 * 2 :]
            results = [merge(a, b) for a, b in pairs] + unpaired
        return computed(results)[0]


def numbers_of(part):
    """A part of a table as float64."""
    if not hasattr(part, "columns"):
        return np.asarray(part, dtype=np.float64)
    return part.to_numpy(dtype=np.float64, na_value=np.nan)


def numbers_in(name, values, n_rows):
    """A part of a vector as float64, (n_rows,)."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (n_rows,):
        raise Refusal(
            f"{name} must have partitions of as many rows as those of X: expected {n_rows}, got "
            f"{len(vector)}."
        )
    return vector
