"""Kernels: one source that runs compiled, interpreted, or on exact fractions.

Only public names of numba are used.
"""

from coordboost._numba.compiling import (
    CompiledVerbs,
    NotCompiled,
    compiled,
    interpreted,
    is_piece,
    ready,
    silently,
    source_stamp,
)
from coordboost._numba.dispatch import inlined, kernel, record, reduction, verb

__all__ = [
    "CompiledVerbs",
    "NotCompiled",
    "compiled",
    "inlined",
    "interpreted",
    "is_piece",
    "kernel",
    "ready",
    "record",
    "reduction",
    "silently",
    "source_stamp",
    "verb",
]
