"""Stores: matrices too large for memory, read tile by tile. A store knows nothing about learners.

============================  ====================================================================
verb                          meaning (rows are samples, columns are columns of X)
============================  ====================================================================
``shape``, ``names``          (n_samples, n_columns); names of the columns, or None
``grain``                     number of adjacent columns that are read together
``fold(kernel, merge, ...)``  apply `kernel` to all tiles and merge the results in a fixed order
``each(index, kernel, ...)``  apply `kernel` to the columns `index`, by slices of rows
============================  ====================================================================

``coordboost._numba.threads`` implements the last two for stores that this process reads itself.
Such a store must have

============================  ====================================================================
``tiles(whole)``              slices of rows and of columns that form tiles (whole: of whole rows)
``bands``                     slices of rows that are read fastest together
``read(rows, columns)``       a tile, (len(rows), len(columns))
``pick(rows, index)``         the columns `index` (increasing) on a slice of rows
============================  ====================================================================

Values have the dtype in which they are stored. An array returned by a store must not be written to.
"""

from coordboost.learners.stores.daskarray import DaskArray
from coordboost.learners.stores.npy import Npy
from coordboost.learners.stores.parquet import Parquet
from coordboost.learners.stores.zarray import ZarrArray

__all__ = ["DaskArray", "Npy", "Parquet", "ZarrArray"]
