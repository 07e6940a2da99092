"""Words that several threads write, and letting other threads run: what numba's language does not have."""

import ctypes
import os

import llvmlite.binding
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

#: Whether no other thread comes in between where a word is changed: in compiled code.
ATOMIC = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]


def read_word(words, i):
    """``words[i]`` (int64) as other threads left it, and all that they wrote before."""
    return words[i]


def write_word(words, i, value):
    """``words[i] = value`` (int64), seen by other threads after all that was written before."""
    words[i] = value


def swap_word(words, i, old, new):
    """Whether ``words[i]`` (int64) was `old`: it is `new` then. No other thread comes in between."""
    same = words[i] == old
    if same:
        words[i] = new
    return bool(same)


def raise_word(words, i):
    """``words[i] += 1`` (int64). No other thread comes in between."""
    words[i] += 1


def give_way():
    """Let other threads of the machine run; in plain Python there is one."""


def nap():
    """The same for 50 microseconds."""


def _at(context, builder, signature, args):
    """The address of a word."""
    made = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], made, [args[1]])


@intrinsic
def _read_word(_, words, i):
    def generate(context, builder, signature, args):
        return builder.load_atomic(_at(context, builder, signature, args), "seq_cst", 8)

    return types.int64(words, types.int64), generate


@intrinsic
def _write_word(_, words, i, value):
    def generate(context, builder, signature, args):
        builder.store_atomic(args[2], _at(context, builder, signature, args), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(words, types.int64, types.int64), generate


@intrinsic
def _swap_word(_, words, i, old, new):
    def generate(context, builder, signature, args):
        done = builder.cmpxchg(_at(context, builder, signature, args), args[2], args[3], "seq_cst", "seq_cst")
        return builder.extract_value(done, 1)

    return types.boolean(words, types.int64, types.int64, types.int64), generate


@intrinsic
def _raise_word(_, words, i):
    def generate(context, builder, signature, args):
        builder.atomic_rmw("add", _at(context, builder, signature, args), args[1].type(1), "seq_cst")
        return context.get_dummy_value()

    return types.void(words, types.int64), generate


def _system(name, argument):
    """A call of a function of the system, which was given this name, with a number that never changes; as an intrinsic."""

    @intrinsic
    def call(_):
        def generate(context, builder, signature, args):
            kind = ir.FunctionType(cgutils.int32_t, [cgutils.int32_t])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [cgutils.int32_t(argument)])
            return context.get_dummy_value()

        return types.void(), generate

    return call


def _name_system():
    """Give the two functions of the system names that compiled code finds; the calls of them."""
    if os.name == "nt":
        library, names, pause = ctypes.WinDLL("kernel32"), ("SwitchToThread", "Sleep"), 1
    else:
        library, names, pause = ctypes.CDLL(None), ("sched_yield", "usleep"), 50
    for name in names:
        llvmlite.binding.add_symbol(f"coordboost_{name}", ctypes.cast(library[name], ctypes.c_void_p).value)
    return [_system(f"coordboost_{name}", argument) for name, argument in zip(names, (0, pause), strict=True)]


_give_way, _nap = _name_system()


@overload(read_word, inline="always")
def _read_word_compiled(words, i):
    return lambda words, i: _read_word(words, i)


@overload(write_word, inline="always")
def _write_word_compiled(words, i, value):
    return lambda words, i, value: _write_word(words, i, value)


@overload(swap_word, inline="always")
def _swap_word_compiled(words, i, old, new):
    return lambda words, i, old, new: _swap_word(words, i, old, new)


@overload(raise_word, inline="always")
def _raise_word_compiled(words, i):
    return lambda words, i: _raise_word(words, i)


@overload(give_way, inline="always")
def _give_way_compiled():
    return lambda: _give_way()


@overload(nap, inline="always")
def _nap_compiled():
    return lambda: _nap()
