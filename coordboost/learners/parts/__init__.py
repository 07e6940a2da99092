"""Rows that lie in parts, such as on the workers of a cluster.

A part holds whole blocks of rows, ``BLOCK`` each, and what functions leave on it. An *engine*,
``Parts``, runs a function on every part and combines what comes back: whole numbers are added, and
floats, one row for each block, are put into the order of the blocks. Sums of whole numbers, and
sums of floats by blocks, do not depend on the number of parts.

`engine` has the base class and the parts of this process, `cluster` those on Dask workers.
"""

from coordboost.learners.parts.engine import LocalParts, Part, Parts

__all__ = ["LocalParts", "Part", "Parts"]
