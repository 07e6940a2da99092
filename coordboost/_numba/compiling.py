"""Compiled functions, kept on the disk: stamped with the sources they come from, and never an error where the disk takes nothing.

numba's cache looks at the file of a function only, so each function is compiled under a name that holds a *stamp* of all sources with
kernels: a changed kernel anywhere gives a new stamp, a new cache file and a new compilation.
"""

import functools
import hashlib
import inspect
import sys
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from types import FunctionType

import numba
import numpy as np
from numba import NumbaError

_PACKAGE = Path(__file__).parents[1]
#: Rooms without kernels. A piece that lived there would be hashed as one of a user's own.
_APART = {"cli", "data", "estimators", "pages", "plots", "storage"}
#: Seconds of compilation after which somebody at a terminal is told.
SOON = 1.0


def is_piece(value):
    """True for a named tuple whose fields can all be compiled."""
    if not (isinstance(value, tuple) and hasattr(value, "_fields")):
        return False
    return all(is_piece(field) for field in value if not (hasattr(field, "dtype") or isinstance(field, int | float)))


def interpreted(function):
    """`function` in plain Python, as silent as compiled code where numbers leave the range of float64: they are inf or NaN then."""

    @functools.wraps(function)
    def run(*args):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return function(*args)

    return run


def compiled(function, pieces=()):
    """The compiled form of `function` for these pieces.

    Parameters
    ----------
    function : plain function
    pieces : sequence of pieces
        All pieces that it will be called with. The sources of a user's own pieces enter the stamp; if they cannot be imported
        (an interactive session), the result is not cached on disk.
    """
    return _compiled(function, frozenset(_classes(pieces)))


def ready(verb, piece):
    """What runs a verb of `piece`: the kernel of its class, compiled, or the verb itself, in plain Python, where it is no piece."""
    return compiled(verb.of(type(piece)), (piece,)) if is_piece(piece) else verb


@functools.cache
def _compiled(function, classes):
    """`compiled`, of the classes of the pieces."""
    if numba.config.DISABLE_JIT:
        return interpreted(function)
    foreign = list(_foreign(classes))
    kinds = " ".join(sorted(f"{cls.__module__}.{cls.__qualname__}" for cls in classes))
    stamp = source_stamp() + "".join(digest for _, digest in foreign) + kinds
    return CompiledFunction(function, stamp, all(_importable(cls) for cls, _ in foreign), [cls.__name__ for cls, _ in foreign])


class CompiledFunction:
    """`function`, compiled when it is first called.

    stamp : part of the name under which it is kept;  on_disk : whether it is kept;  own : names of a user's classes that it is made for
    """

    def __init__(self, function, stamp, on_disk=True, own=()):
        self.function = FunctionType(function.__code__, function.__globals__, function.__name__, None, function.__closure__)
        self.function.__module__ = function.__module__
        self.function.__qualname__ = f"{function.__qualname__}_{hashlib.sha256(stamp.encode()).hexdigest()[:20]}"
        self.own, self.ready = ", ".join(own) or "the pieces", False
        self._make(on_disk)

    def __call__(self, *args):
        if not self.ready:
            self._prepare(args)
        try:
            return self.form(*args)
        except OSError as error:  # it was compiled once more, for other types, and could not be kept
            if self.on_disk:
                self._make(False, error)
            return self.form(*args)

    def _make(self, on_disk, error=None):
        """numba's form of the function, on the disk if it can be."""
        self.on_disk = on_disk
        if error is not None:
            _warn(error)
        try:
            self.form = numba.njit(error_model="numpy", nogil=True, cache=on_disk)(self.function)
        except RuntimeError as no_folder:  # none can be written
            self._make(False, no_folder)

    def _prepare(self, args):
        """Compile it for the types of `args`, or load it. Files that may be damaged are removed; then it goes without a disk."""
        kinds = tuple(map(numba.typeof, args))
        with _announced(self):
            for again_on_disk in (True, False, False):
                try:
                    self.form.compile(kinds)
                    break
                except NumbaError as error:
                    raise ValueError(
                        f"{self.own}: the kernels could not be compiled ({_reason(error)}). Write them with arithmetic, `math` and "
                        "array indexing only, or pass compile=False to run them in plain Python."
                    ) from None
                except Exception as error:  # a damaged file can raise anything
                    if not self.on_disk:
                        raise
                    self._forget()
                    self._make(again_on_disk, None if again_on_disk else error)
        self.ready = True

    def _forget(self):
        """Remove what is kept of this function."""
        with suppress(OSError):
            for file in Path(self.form.stats.cache_path).glob(f"*{self.function.__qualname__}-*"):
                file.unlink()


@functools.cache
def source_stamp():
    """Hash of every source file of the package that can hold a kernel: those with pieces, that import this room, or numba."""
    digest = hashlib.sha256(version("numba").encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        apart = path.relative_to(_PACKAGE).parts[0] in _APART
        if not apart and any(word in source for word in (b"NamedTuple", b"namedtuple", b"_numba", b"from numba")):
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
        if package != _PACKAGE.name or rest.split(".")[0] in _APART:
            try:
                source = inspect.getsource(sys.modules[cls.__module__])
            except (OSError, TypeError, KeyError):
                source = repr(id(cls))
            yield cls, hashlib.sha256(source.encode()).hexdigest()


def _importable(cls):
    return cls.__module__ != "__main__" and getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls


def _reason(error):
    """The line of a compiler's report that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or ["unknown reason"]
    telling = "Unknown attribute", "Untyped global", "NameError", "Cannot", "Invalid use", "Use of unsupported", "No implementation"
    return next((line for key in telling for line in reversed(lines) if line.startswith(key)), lines[0])


def _warn(error):
    """Say once in a process that code cannot be kept on the disk."""
    if not _Wait.warned:
        _Wait.warned = True
        reason = getattr(error, "strerror", None) or str(error).partition(":")[0] or type(error).__name__
        warnings.warn(
            f"compiled code cannot be kept on the disk ({reason}): it is compiled anew in every process, which takes some seconds. Set "
            "the environment variable NUMBA_CACHE_DIR to a folder that can be written and has room.",
            RuntimeWarning,
            stacklevel=5,
        )


class _Wait:
    """Seconds that this process has waited for the compiler; whether that was said, and that nothing is kept; how many ask for silence."""

    spent, said, warned, silent = 0.0, False, False, 0


@contextmanager
def silently():
    """Within this nobody is told that the compiler works."""
    _Wait.silent += 1
    try:
        yield
    finally:
        _Wait.silent -= 1


@contextmanager
def _announced(one):
    """Tell whoever is at a terminal, once in a process, what is waited for: after a second of compiling in all."""
    if _Wait.said or _Wait.silent or not _at_terminal():
        yield
        return
    often = "once per installation" if one.on_disk else "in every process, as it cannot be kept on the disk"
    timer = threading.Timer(max(SOON - _Wait.spent, 0.0), _say, [f"coordboost: compiling, which takes some seconds, {often}"])
    timer.daemon = True
    began = time.perf_counter()
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _Wait.spent += time.perf_counter() - began


def _say(line):
    _Wait.said = True
    with suppress(OSError, ValueError):  # the terminal may be gone
        print(line, file=sys.stderr, flush=True)


def _at_terminal():
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False
