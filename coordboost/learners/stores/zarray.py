"""A Zarr array: tiles are whole chunks."""

import numpy as np

from coordboost._numba.threads import MOST, TILE, each, fold, slices, steps_of


class ZarrArray:
    """A two-dimensional ``zarr.Array``.

    With `learners_first` its first axis runs over the columns of X.
    """

    names = None

    def __init__(self, array, learners_first=False):
        self.array = array
        self.turned = learners_first
        self.dtype = np.dtype(array.dtype)
        self.shape, self.chunks = (
            tuple(reversed(pair)) if learners_first else pair
            for pair in (array.shape, array.chunks)
        )
        self.grain = min(self.chunks[1], self.shape[1])
        self.bands = self.tiles(False)[0]

    def tiles(self, whole):
        """Return the slices of rows and of columns that form the tiles.

        Raises
        ------
        ValueError
            If a tile of whole rows takes more than 512 MiB.
        """
        (n_samples, n_columns), (tall, wide) = self.shape, self.chunks
        if not whole:
            rows = min(n_samples, steps_of(TILE, min(wide, n_columns), tall))
            return slices(n_samples, rows), slices(n_columns, steps_of(TILE, rows, wide))
        rows = steps_of(max(TILE, n_columns**2 // 4), n_columns, tall)
        if min(rows, n_samples) * n_columns > MOST:
            raise ValueError(
                f"B'B needs whole rows, but a chunk of {tall} rows is too large; rechunk X to "
                "fewer rows, or use model_state=NaiveState."
            )
        return slices(n_samples, rows), [slice(0, n_columns)]

    def read(self, rows, columns):
        """Return the entries of a tile, (len(rows), len(columns))."""
        return self.array[columns, rows].T if self.turned else self.array[rows, columns]

    def pick(self, rows, index):
        """Return the columns `index` on a slice of rows."""
        return self.array.oindex[index, rows].T if self.turned else self.array.oindex[rows, index]

    fold, each = fold, each
