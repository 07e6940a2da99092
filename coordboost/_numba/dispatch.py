"""Dispatch of kernels: a *verb* calls the method of that name on the class of its first argument.

A *piece* (a loss, a rule, learners, a model state) is a named tuple: its fields are data, its
methods are kernels, written in the subset of Python that numba compiles and that also runs,
unchanged, on any number type. Kernels call each other through ``verb("name")``:

* in compiled code the method is looked up on the class of the piece at compile time;
* in plain Python the method itself is called, so the same source runs on ``float`` and on
  ``fractions.Fraction``.
"""

import functools

import numba
import numpy as np
from numba import types
from numba.extending import overload, register_jitable

#: Mark a function as one that compiled code may call.
kernel = register_jitable(no_cfunc_wrapper=True)
#: The same for sums that may be added in any order, so that the compiler can vectorise them.
reduction = register_jitable(no_cfunc_wrapper=True, fastmath={"reassoc"})
#: Mark a part of a longer function that compiled code contains in place of a call. What compiled
#: code calls is compiled alone and again with each of its callers: a long function that is called
#: once is compiled much faster as a part. Not for functions that ask whether an argument is None.
inlined = numba.njit(inline="always")


def verb(name, default=None, inline=False):
    """Return a function ``f(piece, *args)`` that calls the method `name` of the piece.

    It is `default` if the piece has none.

    With `inline`, compiled code contains the method and does not call it: for methods of some lines
    in a loop whose steps take nanoseconds, where the arguments of a call, each array of a piece,
    would cost more.

    ``f.of(cls)`` is the kernel that is called for pieces of the class `cls`.
    """

    def of(cls):
        return getattr(cls, name, None) or default

    def call(piece, *args):
        method = getattr(piece, name, None)
        return default(piece, *args) if method is None else method(*args)

    def typing(piece, *args):
        return of(piece.instance_class) if isinstance(piece, types.BaseNamedTuple) else None

    call.__name__ = call.__qualname__ = name
    # profiles show the names of code
    call.__code__ = call.__code__.replace(co_name=name, co_qualname=name)
    call.of = of
    overload(call, strict=False, jit_options={"forceinline": inline, "no_cfunc_wrapper": True})(
        typing
    )
    return call


def record(**values):
    """Return a record of named numbers that kernels read and write.

    As in ``state.steps += 1``: int64 for int, else float64.

    In compiled code a field is as fast as an entry of an array.
    """
    kinds = tuple(
        (name, "i8" if isinstance(value, int) else "f8") for name, value in values.items()
    )
    return np.array([tuple(values.values())], dtype=_record_type(kinds))[0]


@functools.cache
def _record_type(kinds):
    """Return the dtype of a record with fields (name, type)."""
    return np.dtype((np.record, list(kinds)))
