"""One source, three ways to run it: beside ``_callee``, ``_compiling`` and ``_machine`` the only file that knows numba.

A *piece* is a ``NamedTuple``: its fields are data, its methods are kernels written in the subset of Python that numba compiles
and that also runs, unchanged, on any number type. Kernels call each other through ``generic("name")``:

* in compiled code the call is resolved from the type of the piece, before the loop starts;
* in plain Python it is the method itself, so the same source runs on ``float`` and on ``fractions.Fraction``.

Compiled loops are cached on disk. numba's cache looks at the file of the loop only, so each loop is compiled under a name that holds
a *stamp* of all sources it was built from: a changed kernel anywhere gives a new stamp, a new cache file and a new compilation.
"""

import functools
import hashlib
import inspect
import sys
from pathlib import Path
from types import FunctionType

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError
from numba.extending import overload, register_jitable

from coordboost import _compiling
from coordboost._callee import Callee

_PACKAGE = Path(__file__).parent
#: Rooms without kernels. A piece that lived there would be hashed as one of a user's own.
_APART = {"cli", "data", "estimators", "pages", "plots", "readers", "storage"}
# Only compiled code calls a kernel, which is optimised with its caller.
_INNER = {"pipeline_class": Callee}
# Sums in any order are optimised on their own, so that every caller gets the same order. No other language calls them: numba's entry for
# one is left out.
_SUMS = {"_nrt": False, "no_cfunc_wrapper": True}
# A call passes every field of every array of a piece, 60 words or more: a kernel of a piece becomes part of its caller.
_INLINE = {"forceinline": True, **_INNER}


def generic(name, default=None):
    """A function ``f(piece, *args)`` that runs the piece's own kernel `name`, or `default` where the piece has none."""

    def call(piece, *args):
        method = getattr(piece, name, None)
        return default(piece, *args) if method is None else method(*args)

    def typing(piece, *args):
        if not isinstance(piece, types.BaseNamedTuple):
            return None
        return getattr(piece.instance_class, name, None) or default

    call.__name__ = call.__qualname__ = name
    overload(call, strict=False, jit_options=_INLINE)(typing)
    return call


def kernel(function):
    """Mark a plain helper function as callable from compiled code."""
    return register_jitable(**_INNER)(function)


def leaf(function):
    """As `kernel`, for a loop that makes no arrays: compiled without reference counts even where its caller has them."""
    return register_jitable(_nrt=False, **_INNER)(function)


def inlined(function):
    """As `leaf`, for a helper with few callers, which becomes part of them: a call would pass every array of a state."""
    return register_jitable(_nrt=False, **_INLINE)(function)


def reduction(function):
    """As `kernel`, for sums whose terms the compiler may take in any order, so that it can use vectors."""
    return register_jitable(fastmath={"reassoc"}, **_SUMS)(function)


def fused(function):
    """As `reduction`, of a copy of `function`; a product and the sum that takes it in are rounded once, where the machine can do that."""
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    return register_jitable(fastmath={"reassoc", "contract"}, **_SUMS)(copy)


def is_piece(value):
    """True for a ``NamedTuple`` instance whose fields can all be compiled."""
    if not (isinstance(value, tuple) and hasattr(value, "_fields")):
        return False
    return all(is_piece(field) for field in value if not (hasattr(field, "dtype") or isinstance(field, int | float)))


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


@functools.cache
def source_stamp():
    """Hash of every source file of the package that can hold a kernel: those with pieces, that import this module, or numba."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        if path.relative_to(_PACKAGE).parts[0] in _APART:
            continue
        source = path.read_bytes()
        if any(word in source for word in (b"NamedTuple", b"_generic", b"from numba")):
            digest.update(source)
    return digest.hexdigest()


def _classes(pieces):
    for piece in pieces:
        if isinstance(piece, tuple) and hasattr(piece, "_fields"):  # a record is slow to say that it has no such thing
            yield type(piece)
            yield from _classes(piece)


def _foreign(classes):
    """The classes of pieces that are not the package's own, with a hash of their source each."""
    for cls in sorted(classes, key=lambda cls: (cls.__module__, cls.__qualname__)):
        package, _, rest = cls.__module__.partition(".")
        if package != __name__.split(".", maxsplit=1)[0] or rest.split(".")[0] in _APART:
            try:
                source = inspect.getsource(sys.modules[cls.__module__])
            except (OSError, TypeError, KeyError):
                source = repr(id(cls))
            yield cls, hashlib.sha256(source.encode()).hexdigest()


def build(function, stamp, cached, counting):
    """`function` compiled under a name that holds the stamp: numba keeps one cache file per name.

    counting : whether with reference counts; a short step costs less than they do. numba compiles nothing without them that makes
        an array, or returns one that it was not given
    """
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    copy.__module__ = function.__module__
    copy.__qualname__ = f"{function.__qualname__}_{hashlib.sha256(f'{stamp} {counting}'.encode()).hexdigest()[:20]}"
    form = numba.njit(error_model="numpy", nogil=True, _nrt=counting)(copy)
    return form if numba.config.DISABLE_JIT else _compiling.ours(form, cached)


#: Functions, with the classes of their first two pieces, that were found to make arrays: a loop's view and rule make them, not its step.
_COUNTED: set[tuple] = set()


def _forms(function, stamp, cached, allocates):
    """The compiled forms to try in turn: first without reference counts, unless they are known to be needed, here or on disk."""
    counting = build(function, stamp, cached, True)
    folder = None if numba.config.DISABLE_JIT else counting.stats.cache_path
    if allocates or (folder is not None and _any(Path(folder), f"*{counting.__qualname__}-*.nbi")):
        return [counting]
    return [build(function, stamp, cached, False), counting]


def _any(folder, pattern):
    try:
        return any(folder.glob(pattern))
    except OSError:
        return False


def _importable(cls):
    return cls.__module__ != "__main__" and getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls


@functools.cache
def _compiled(function, pieces, allocates):
    """`compiled`, of the classes in each of the pieces."""
    classes, first = frozenset().union(*pieces), pieces[:2]
    foreign = list(_foreign(classes))
    kinds = " ".join(sorted(f"{cls.__module__}.{cls.__qualname__}" for cls in classes))
    stamp = source_stamp() + "".join(digest for _, digest in foreign) + kinds
    allocates = allocates or (function, first) in _COUNTED
    forms = _forms(function, stamp, all(_importable(cls) for cls, _ in foreign), allocates)
    if numba.config.DISABLE_JIT:
        return interpreted(forms[0])

    def run(*args):
        form = forms[0]
        try:
            return form(*args)
        except NumbaError as error:
            if form is not forms[-1]:
                forms[:] = forms[-1:]
                out = run(*args)
                if not foreign:  # a step of the user's own may make some where no other does
                    _COUNTED.add((function, first))
                return out
            names = ", ".join(cls.__name__ for cls, _ in foreign) or "the pieces"
            raise ValueError(
                f"{names}: the kernels could not be compiled ({_reason(error)}). Write them with arithmetic, `math` and array "
                "indexing only, or pass compile=False to run them in plain Python."
            ) from None

    run.forms = forms
    return run


def interpreted(function):
    """`function` in plain Python, as silent as compiled code where numbers leave the range of float64: they are inf or NaN then."""

    @functools.wraps(function)
    def run(*args):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return function(*args)

    return run


def _reason(error):
    """The line of a compiler's report that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = (
        "Unknown attribute",
        "Untyped global",
        "NameError",
        "Cannot",
        "Invalid use",
        "Use of unsupported",
        "No implementation",
    )
    return next(
        (line for key in telling for line in reversed(lines) if line.startswith(key)), lines[0] if lines else "unknown reason"
    )


def compiled(function, pieces, allocates=False):
    """The compiled form of `function` for these pieces.

    Parameters
    ----------
    function : plain function
    pieces : sequence of pieces
        All pieces that it will be called with. The sources of a user's own pieces enter the stamp; if they cannot be imported
        (an interactive session), the result is not cached on disk.
    allocates : bool, optional
        True if `function` is known to make arrays: spares an attempt to compile it without reference counts.
    """
    return _compiled(function, tuple(frozenset(_classes([piece])) for piece in pieces), allocates)
