"""Below numba's language: reading ahead, eight bytes at once, floats of many whole numbers, and calls of code that was compiled apart."""

import functools
import hashlib
import math
import sys

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba._dispatcher import compute_fingerprint
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from coordboost._generic import build, interpreted, source_stamp

#: Whether compiled sums work on vectors of 512 bits, of which there are 32 then. Tiles of products that compiled loops make are faster
#: there than those of a BLAS for shorter vectors.
WIDE = bool(llvmlite.binding.get_host_cpu_features().get("avx512f")) and not numba.config.DISABLE_JIT  # type: ignore[attr-defined]

#: Bytes of two lines of the cache, which come together.
LINE = 128


def lined(shape, kind, make=np.zeros):
    """An array that begins with a line of the cache: a vector of 512 bits never lies in two lines. `make` is np.zeros, or np.empty."""
    kind, size = np.dtype(kind), math.prod(shape)
    room = make(size + LINE // kind.itemsize, dtype=kind)
    first = -room.ctypes.data % LINE // kind.itemsize
    return room[first : first + size].reshape(shape)


def apart(function):
    """As `kernel`, for much code: compiled once for the types of its arguments, and called by its address from every loop.

    A loop would else take long to compile, and every other loop that calls it again. ``apart(f).ready(*args)`` must have been called in
    this process for arguments of the same types before a loop is: it compiles the kernel, or loads it from the disk, and returns it.
    """
    known, codes = {}, {}

    def ready(*args):
        if numba.config.DISABLE_JIT:
            return interpreted(function)
        seen = compute_fingerprint(args)  # numba.typeof takes long
        if seen not in known:
            kinds, form = tuple(map(numba.typeof, args)), build(function, source_stamp(), True, False)
            form.compile(kinds)
            code = form.overloads[kinds]
            name = f"{form.__qualname__}_{hashlib.sha256(repr(kinds).encode()).hexdigest()[:20]}"
            llvmlite.binding.add_symbol(name, code.library.get_pointer_to_function(code.fndesc.llvm_func_name))
            known[seen], codes[kinds] = form, (name, code)
        return known[seen]

    @intrinsic
    def call(_, given):
        kinds = tuple(map(types.unliteral, given))
        if kinds not in codes:
            raise TypingError(f"{function.__name__} is not ready for {kinds}")
        name, code = codes[kinds]

        def generate(context, builder, signature, args):
            kind = context.call_conv.get_function_type(code.fndesc.restype, code.fndesc.argtypes)
            callee, args = cgutils.get_or_insert_function(builder.module, kind, name), cgutils.unpack_tuple(builder, args[0])
            status, out = context.call_conv.call_function(builder, callee, code.fndesc.restype, code.fndesc.argtypes, args)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return out

        return code.signature.return_type(given), generate

    @functools.wraps(function)
    def run(*args):
        return function(*args)

    overload(run, jit_options={"_nrt": False})(lambda *args: lambda *args: call(args))
    run.ready = ready
    return run


def prefetch(array, i):
    """Ask for ``array[i]`` (one axis) to be in the cache soon; it changes nothing else, and in plain Python it does nothing.

    For loops that know early which scattered places they will read: many of them are on their way at a time then.
    """


@intrinsic
def _ask(_, array, i):
    """`prefetch` in compiled code: LLVM's instruction for a read that is soon followed by others nearby."""

    def generate(context, builder, signature, args):
        made = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.bitcast(
            cgutils.get_item_pointer(context, builder, signature.args[0], made, [args[1]]), cgutils.voidptr_t
        )
        kinds = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, *[cgutils.int32_t] * 3])
        read, near, data = (cgutils.int32_t(value) for value in (0, 3, 1))
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kinds), [place, read, near, data])
        return context.get_dummy_value()

    return types.void(array, i), generate


@overload(prefetch, inline="always")
def _prefetch(array, i):
    return lambda array, i: _ask(array, i)


def read_eight(codes, i):
    """``codes[i : i + 8]`` (uint8, one axis, contiguous) in one look, as an int64: code k is ``(eight >> 8 * k) & 255``."""
    return int.from_bytes(codes[i : i + 8].tobytes(), "little", signed=True)


@intrinsic
def _read_eight(_, codes, i):
    """`read_eight` in compiled code: a look at memory that need not be aligned."""

    def generate(context, builder, signature, args):
        made = context.make_array(signature.args[0])(context, builder, args[0])
        place = cgutils.get_item_pointer(context, builder, signature.args[0], made, [args[1]])
        eight = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)
        return eight if sys.byteorder == "little" else builder.bswap(eight)

    return types.int64(codes, types.int64), generate


@overload(read_eight, inline="always")
def _read_eight_compiled(codes, i):
    return lambda codes, i: _read_eight(codes, i)


def power_of_half(k):
    """``0.5 ** k`` for whole numbers k from 0 to 1022."""
    return math.ldexp(1.0, -k)


@intrinsic
def _exponent(_, k):
    """`power_of_half` in compiled code: a float of which only the exponent is not 0."""

    def generate(context, builder, signature, args):
        bits = builder.shl(builder.sub(args[0].type(1023), args[0]), args[0].type(52))
        return builder.bitcast(bits, ir.DoubleType())

    return types.float64(types.int64), generate


@overload(power_of_half, inline="always")
def _power_of_half(k):
    return lambda k: _exponent(k)


def as_float(whole, shift):
    """``whole >> shift`` as a float, rounded once: an int64 from -2^62 to 2^62, a shift from 0 to 30."""
    return float(whole >> shift)


def few_as_float(whole):
    """A whole number from 0 to 2^52 - 1 as a float, which is exact."""
    return float(whole)


def _one_at_a_time():
    """Whether the machine has an instruction for one number, but none for a vector: x86 before AVX-512."""
    has = llvmlite.binding.get_host_cpu_features()
    return bool(has.get("sse2")) and not has.get("avx512dq")


#: Bits of the floats 2^52 and 2^84: a float is the sum of one of them and the 32 low bits of its own, in steps of 1 and of 2^32.
_BESIDE_ONES, _BESIDE_HALVES = 0x433 << 52, 0x453 << 52


def _from_halves(builder, whole, shift):
    """`as_float` by halves, each beside a power of two: 2^62 is added first, as a shift of what is not negative is one operation."""
    bits, real = ir.IntType(64), ir.DoubleType()
    place = builder.lshr(builder.add(whole, bits(1 << 62)), shift)
    low = builder.or_(builder.and_(place, bits(0xFFFFFFFF)), bits(_BESIDE_ONES))
    high = builder.or_(builder.lshr(place, bits(32)), bits(_BESIDE_HALVES))
    more = builder.bitcast(builder.shl(builder.sub(bits(1023 + 62), shift), bits(52)), real)  # 2^(62 - shift)
    high = builder.fsub(builder.bitcast(high, real), builder.fadd(more, real(float(2**84 + 2**52))))
    return builder.fadd(high, builder.bitcast(low, real))


@intrinsic
def _as_float(_, whole, shift):
    """`as_float` in compiled code, for loops of which the compiler makes vectors."""

    def generate(context, builder, signature, args):
        if _one_at_a_time():
            return _from_halves(builder, *args)
        return builder.sitofp(builder.ashr(*args), ir.DoubleType())

    return types.float64(types.int64, types.int64), generate


@overload(as_float, inline="always")
def _as_float_compiled(whole, shift):
    return lambda whole, shift: _as_float(whole, shift)


@intrinsic
def _few_as_float(_, whole):
    """`few_as_float` in compiled code."""

    def generate(context, builder, signature, args):
        if not _one_at_a_time():
            return builder.sitofp(args[0], ir.DoubleType())
        beside = builder.bitcast(builder.or_(args[0], args[0].type(_BESIDE_ONES)), ir.DoubleType())
        return builder.fsub(beside, ir.DoubleType()(float(2**52)))

    return types.float64(types.int64), generate


@overload(few_as_float, inline="always")
def _few_as_float_compiled(whole):
    return lambda whole: _few_as_float(whole)


def few_rounded(x):
    """A float of at most 2^51 in size as the nearest whole number, the even one of two."""
    return int(np.rint(x))


@intrinsic
def _few_rounded(_, x):
    """`few_rounded` in compiled code, for loops of vectors: beside 1.5 * 2^52 a float has no room for less than 1."""

    def generate(context, builder, signature, args):
        beside = builder.bitcast(builder.fadd(args[0], ir.DoubleType()(1.5 * 2**52)), ir.IntType(64))
        return builder.sub(beside, ir.IntType(64)(0x4338 << 48))

    return types.int64(types.float64), generate


@overload(few_rounded, inline="always")
def _few_rounded_compiled(x):
    return lambda x: _few_rounded(x)
