"""Stores: matrices too large for memory, read tile by tile. A store knows where the numbers are and nothing about learners.

==================================  ==================================================================================
verb                                meaning (rows are samples, columns are columns of X)
==================================  ==================================================================================
``shape``, ``names``                (n_samples, n_columns); names of the columns, or None
``grain``                           columns next to each other that are read together even where one is asked for
``fold(kernel, merge, ...)``        a function of all tiles, its results merged in a fixed order
``each(index, kernel, ...)``        a function of the columns `index` on slices of rows
==================================  ==================================================================================

``coordboost._numba.threads`` has the last two for stores that are read by this process and that bring

==================================  ==================================================================================
``tiles(whole)``                    slices of rows and slices of columns that make the tiles (whole: of whole rows)
``bands``                           slices of rows that are best read together
``read(rows, columns)``             a tile, (len(rows), len(columns))
``pick(rows, index)``               the columns `index` (increasing) on a slice of rows
==================================  ==================================================================================

Values come back in the type in which they are stored; an array that a store hands out must not be written to.
"""

from coordboost.learners.stores.daskarray import DaskArray
from coordboost.learners.stores.npy import Npy
from coordboost.learners.stores.parquet import Parquet
from coordboost.learners.stores.zarray import ZarrArray

__all__ = ["DaskArray", "Npy", "Parquet", "ZarrArray"]
