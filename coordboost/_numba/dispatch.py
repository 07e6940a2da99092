"""How kernels meet: verbs, which are looked up on the class of their first argument.

A *piece* (a loss, a rule, learners, a model state) is a named tuple: its fields are data, its methods are kernels, written in the subset of
Python that numba compiles and that also runs, unchanged, on any number type. Kernels call each other through ``verb("name")``:

* in compiled code the method is found on the class of the piece, before anything runs;
* in plain Python it is the method itself, so the same source runs on ``float`` and on ``fractions.Fraction``.
"""

import functools

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

#: Mark a function as one that compiled code may call.
kernel = register_jitable
#: The same for sums whose terms may be taken in any order, so that the compiler can use vectors.
reduction = register_jitable(fastmath={"reassoc"})


def verb(name, default=None):
    """A function ``f(piece, *args)`` that runs the piece's own kernel `name`, or `default` where the piece has none.

    ``f.of(cls)`` is the kernel that it runs for pieces of a class.
    """

    def of(cls):
        return getattr(cls, name, None) or default

    def call(piece, *args):
        method = getattr(piece, name, None)
        return default(piece, *args) if method is None else method(*args)

    def typing(piece, *args):
        return of(piece.instance_class) if isinstance(piece, types.BaseNamedTuple) else None

    call.__name__ = call.__qualname__ = name
    call.of = of
    overload(call, strict=False)(typing)
    return call


def record(**values):
    """Named numbers that kernels read and write: ``state.steps += 1``. Whole numbers are int64, others float64.

    Compiled code reads and writes a field at the speed of an entry of an array.
    """
    kinds = tuple((name, "i8" if isinstance(value, int) else "f8") for name, value in values.items())
    return np.array([tuple(values.values())], dtype=_record_type(kinds))[0]


@functools.cache
def _record_type(kinds):
    """The type of a record with fields (name, type)."""
    return np.dtype((np.record, list(kinds)))
