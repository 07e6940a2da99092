"""A matrix in one flat file: ``numpy.memmap``, or an ``.npy`` file."""

import mmap
import os

import numpy as np

from coordboost._numba.threads import TILE, each, fold, slices, steps_of


class Npy:
    """The file behind a memory map, in C or Fortran order.

    The map may be a view of some rows and columns.

    The file is read, not mapped: pages of a map would count as memory of the process. *Cost*: to
    read a few columns, only their own bytes in Fortran order, but the whole file in C order.

    Raises
    ------
    ValueError
        If the map has no file, is private (mode "c"), or neither its rows nor its columns lie in
        one piece.
    """

    names = None

    def __init__(self, array):
        if not (
            isinstance(array, np.memmap)
            and isinstance(array._mmap, mmap.mmap)
            and array.filename is not None
        ):
            raise ValueError(
                "X is not a memory map of a file: pass an array in memory directly to Problem, or "
                "open the file with mmap_mode='r'."
            )
        if array.mode == "c":
            raise ValueError(
                "X is a copy-on-write map (mode 'c'), whose changes are not in the file; open it "
                "with mode 'r'."
            )
        array.flush()
        origin = np.frombuffer(array._mmap, dtype=np.uint8).ctypes.data
        self.file = os.fspath(array.filename)
        self.first = (
            array.ctypes.data - origin + array.offset - array.offset % mmap.ALLOCATIONGRANULARITY
        )
        self.shape = array.shape
        self.dtype = array.dtype
        self.strides = array.strides
        n_samples, n_columns = self.shape
        self.by_column = self.strides[0] == self.dtype.itemsize or n_samples == 1
        if min(self.strides) < 0 or not (
            self.by_column or self.strides[1] == self.dtype.itemsize or n_columns == 1
        ):
            raise ValueError(
                "neither the rows nor the columns of X are contiguous in the file; pass the "
                "whole map."
            )
        self.grain = 1 if self.by_column else n_columns
        self.bands = self.tiles(False)[0]

    def tiles(self, whole):
        """Return the slices of rows and of columns that form the tiles."""
        n_samples, n_columns = self.shape
        if whole:
            return slices(n_samples, steps_of(max(TILE, n_columns**2 // 4), n_columns, 1)), [
                slice(0, n_columns)
            ]
        if self.by_column:
            return slices(n_samples, TILE), slices(n_columns, steps_of(TILE, n_samples, 1))
        return slices(n_samples, steps_of(TILE, n_columns, 1)), slices(n_columns, TILE)

    def read(self, rows, columns):
        """Return the entries of a tile, (len(rows), len(columns))."""
        if not self.by_column:
            return self._read(rows, columns, self.strides[0], self.shape[1])
        return self._read(columns, rows, self.strides[1], self.shape[0]).T

    def _read(self, lines, along, stride, length):
        """Return the entries `along` of the `lines`.

        A line is contiguous in the file; the next one begins `stride` bytes later.
        """
        n = lines.stop - lines.start
        width = along.stop - along.start
        size = self.dtype.itemsize
        offset = self.first + lines.start * stride + along.start * size
        if n == 1 or (width == length and stride == length * size):
            return self._entries(offset, n * width).reshape(n, width)
        return np.stack([self._entries(offset + i * stride, width) for i in range(n)])

    def _entries(self, first, count):
        try:
            entries = np.fromfile(self.file, self.dtype, count, offset=first)
        except OSError as error:
            raise ValueError(
                f"{self.file} cannot be read any more ({type(error).__name__})."
            ) from None
        if len(entries) != count:
            raise ValueError(f"{self.file} ends too early: it was truncated after it was opened.")
        return entries

    def pick(self, rows, index):
        """Return the columns `index` on a slice of rows."""
        if not self.by_column:
            return self.read(rows, slice(0, self.shape[1]))[:, index]
        return np.concatenate([self.read(rows, slice(j, j + 1)) for j in index.tolist()], axis=1)

    fold, each = fold, each
