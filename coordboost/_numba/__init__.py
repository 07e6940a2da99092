"""One source, three ways to run it, with numba's public names alone: compiled, interpreted, and on exact fractions."""

from coordboost._numba.compiling import compiled, interpreted, is_piece, ready, silently, source_stamp
from coordboost._numba.dispatch import kernel, record, reduction, verb

__all__ = ["compiled", "interpreted", "is_piece", "kernel", "ready", "record", "reduction", "silently", "source_stamp", "verb"]
