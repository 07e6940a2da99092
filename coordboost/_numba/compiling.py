"""Compile functions and cache them on disk, under a name that depends on their sources.

A disk that cannot be written is no error.

numba's cache checks only the file of a function. So each function is compiled under a name that
contains a *stamp*, a hash of all sources with kernels: if any kernel changes, the stamp changes,
and the function is compiled again.
"""

import functools
import gc
import hashlib
import inspect
import multiprocessing
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from types import FunctionType

import numba
import numpy as np
from numba import NumbaError

_PACKAGE = Path(__file__).parents[1]
#: Folders without kernels. A piece in one of them would be hashed like a piece of the user.
_APART = {"data", "estimators", "reporting"}
#: After this many seconds of compilation a message is printed on stderr.
SOON = 1.0
#: Seconds between two looks at whether a function is still read from the disk.
AGAIN = 0.1


def is_piece(value):
    """Whether `value` is a named tuple whose fields can all be compiled."""
    if not (isinstance(value, tuple) and hasattr(value, "_fields")):
        return False
    return all(
        is_piece(field)
        for field in value
        if not (hasattr(field, "dtype") or isinstance(field, int | float))
    )


def interpreted(function):
    """Return `function` in plain Python, without NumPy's warnings: as in compiled code, numbers out
    of range become inf or NaN.
    """

    @functools.wraps(function)
    def run(*args):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return function(*args)

    return run


def compiled(function, pieces=()):
    """Return the compiled form of `function` for these pieces.

    Parameters
    ----------
    function : plain function
    pieces : sequence of pieces
        All pieces that it will be called with. The sources of the user's own pieces are part of the
        stamp. If these pieces cannot be imported (an interactive session), the result is not cached
        on disk.
    """
    plain = getattr(function, "py_func", function)  # that of a part, too
    return _compiled(plain, frozenset(_classes(pieces)))


def ready(verb, piece):
    """Return the compiled kernel that runs `verb` on `piece`.

    The verb itself, in plain Python, if `piece` cannot be compiled.
    """
    return compiled(verb.of(type(piece)), (piece,)) if is_piece(piece) else verb


class CompiledVerbs:
    """A piece whose verbs are called from plain Python and run compiled, if it can be compiled.

    Interpreted they take about a second for a million samples.
    """

    def __init__(self, piece):
        self.piece = piece

    def __getattr__(self, name):
        value = getattr(self.piece, name)
        if callable(value) and is_piece(self.piece):
            kernel = compiled(getattr(type(self.piece), name), (self.piece,))
            value = functools.partial(kernel, self.piece)
        setattr(self, name, value)
        return value


@functools.cache
def _compiled(function, classes):
    """As ``compiled``, given the classes of the pieces."""
    if numba.config.DISABLE_JIT:
        return interpreted(function)
    foreign = list(_foreign(classes))
    kinds = " ".join(sorted(f"{cls.__module__}.{cls.__qualname__}" for cls in classes))
    stamp = source_stamp() + "".join(digest for _, digest in foreign) + kinds
    return CompiledFunction(
        function,
        stamp,
        all(_importable(cls) for cls, _ in foreign),
        [cls.__name__ for cls, _ in foreign],
    )


class NotCompiled(ValueError):
    """Kernels that numba does not take."""


class CompiledFunction:
    """`function`, compiled when it is first called.

    stamp : part of its name in the cache; on_disk : whether it is cached on disk; own : names of
    the user's classes among its pieces
    """

    def __init__(self, function, stamp, on_disk=True, own=()):
        self.function = FunctionType(
            function.__code__, function.__globals__, function.__name__, None, function.__closure__
        )
        self.function.__module__ = function.__module__
        self.function.__qualname__ = (
            f"{function.__qualname__}_{hashlib.sha256(stamp.encode()).hexdigest()[:20]}"
        )
        self.own = ", ".join(own) or "the pieces"
        self.ready = False
        self._make(on_disk)

    def __call__(self, *args):
        if not self.ready:
            self._prepare(args)
        try:
            return self.form(*args)
        except (
            OSError
        ) as error:  # compiled again, for other types, and the result could not be cached
            if self.on_disk:
                self._make(False, error)
            return self.form(*args)

    def _make(self, on_disk, error=None):
        """Wrap the function with ``numba.njit``, cached on disk if possible."""
        self.on_disk = on_disk
        if error is not None:
            _warn(error)
        try:
            self.form = numba.njit(
                error_model="numpy", nogil=True, no_cfunc_wrapper=True, cache=on_disk
            )(self.function)
        except RuntimeError as no_folder:  # no folder can be written
            self._make(False, no_folder)

    def _prepare(self, args):
        """Compile it for the types of `args`, or load it.

        If that fails, remove its cache files and retry; then do without the disk.
        """
        kinds = tuple(map(numba.typeof, args))
        with _announced(self), _at_work():
            for again_on_disk in (True, False, False):
                try:
                    self.form.compile(kinds)
                    break
                except NumbaError as error:
                    raise NotCompiled(
                        f"{self.own}: the kernels could not be compiled ({_reason(error)}). Write "
                        "them with arithmetic, `math` and "
                        "array indexing only, or pass compile=False to run them in plain Python."
                    ) from None
                except Exception as error:  # a damaged file can raise anything
                    if not self.on_disk:
                        raise
                    self._forget()
                    self._make(again_on_disk, None if again_on_disk else error)
        self.ready = True

    @property
    def is_new(self):
        """Whether it is, or was, compiled in this process, instead of read from the disk."""
        return bool(self.form.stats.cache_misses)

    def _forget(self):
        """Remove the cache files of this function."""
        with suppress(OSError):
            for file in Path(self.form.stats.cache_path).glob(f"*{self.function.__qualname__}-*"):
                file.unlink()


@functools.cache
def source_stamp():
    """Return a hash of all source files of the package that may hold kernels: they define pieces,
    or import ``_numba`` or numba.
    """
    digest = hashlib.sha256(version("numba").encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        apart = path.relative_to(_PACKAGE).parts[0] in _APART
        if not apart and any(
            word in source for word in (b"NamedTuple", b"namedtuple", b"_numba", b"from numba")
        ):
            digest.update(source)
    return digest.hexdigest()


def _classes(pieces):
    for piece in pieces:
        # on a NumPy record, hasattr alone is slow
        if isinstance(piece, tuple) and hasattr(piece, "_fields"):
            yield type(piece)
            yield from _classes(piece)


def _foreign(classes):
    """Yield each class that is not the package's own, with a hash of its source."""
    for cls in sorted(classes, key=lambda cls: (cls.__module__, cls.__qualname__)):
        package, _, module = cls.__module__.partition(".")
        if package != _PACKAGE.name or module.split(".")[0] in _APART:
            try:
                source = inspect.getsource(sys.modules[cls.__module__])
            except (OSError, TypeError, KeyError):
                source = repr(id(cls))
            yield cls, hashlib.sha256(source.encode()).hexdigest()


def _importable(cls):
    return (
        cls.__module__ != "__main__"
        and getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls
    )


def _reason(error):
    """Return the line of a numba error that names the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or ["unknown reason"]
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
        (line for key in telling for line in reversed(lines) if line.startswith(key)), lines[0]
    )


def _warn(error):
    """Warn, once per process, that compiled code cannot be cached on disk."""
    if not _Wait.warned:
        _Wait.warned = True
        reason = (
            getattr(error, "strerror", None) or str(error).partition(":")[0] or type(error).__name__
        )
        warnings.warn(
            f"compiled code cannot be cached on disk ({reason}): every process compiles it again, "
            "which takes some seconds. Set "
            "the environment variable NUMBA_CACHE_DIR to a writable folder with free space.",
            RuntimeWarning,
            stacklevel=5,
        )


class _Work(threading.local):
    """Depth of compilations in this thread."""

    depth = 0


_WORK = _Work()
#: Functions that the main thread calls before and after it compiles a function, or loads its
#: compiled code. They may raise. (After: Python drops what signal handlers raise in calls from the
#: compiler.)
AROUND: list[Callable[[], None]] = []


def is_compiling():
    """Whether this thread compiles a function, or loads its compiled code: an exception may break
    that off.
    """
    return _WORK.depth > 0


@contextmanager
def _at_work():
    asked = AROUND if threading.current_thread() is threading.main_thread() else ()
    if asked is AROUND:
        _load_numba()
    for heed in asked:
        heed()
    _WORK.depth += 1
    try:
        with _without_collection():
            yield
    finally:
        _WORK.depth -= 1
    for heed in asked:
        heed()


class _Collection:
    """Threads that compile, and whether Python's garbage collection was on before the first."""

    lock = threading.Lock()
    n_threads = 0
    was_on = False


@contextmanager
def _without_collection():
    """A context in which Python does not look for garbage in cycles.

    A compiler makes some hundred thousand objects, and to go through all of them again and again
    takes a sixth of its time.
    """
    counted = False
    try:
        with _Collection.lock:
            if _Collection.n_threads == 0:
                _Collection.was_on = gc.isenabled()
            _Collection.n_threads += 1
            counted = True
        gc.disable()
        yield
    finally:
        if counted:
            with _Collection.lock:
                _Collection.n_threads -= 1
                if _Collection.n_threads == 0 and _Collection.was_on:
                    gc.enable()


@functools.cache
def _load_numba():
    """Compile a first function.

    Ctrl-C waits meanwhile: numba loads its tables, and cannot use them if an exception cuts that
    short.
    """
    came = []
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        signal.signal(signal.SIGINT, lambda signum, frame: came.append(signum))
    try:
        numba.njit("float64(float64[:])")(_first)
    finally:
        if callable(handler):
            signal.signal(signal.SIGINT, handler)
    if came:
        handler(came[0], None)


def _first(values):
    return values[0]


class _Wait:
    """Seconds spent compiling in this process; whether it was announced.

    Whether a missing cache was warned of; depth of ``silently``.
    """

    spent = 0.0
    said = False
    warned = False
    silent = 0


@contextmanager
def silently():
    """A context in which compilation is not announced."""
    _Wait.silent += 1
    try:
        yield
    finally:
        _Wait.silent -= 1


@contextmanager
def _announced(kernel):
    """Print one line on stderr, once per process and in no process of a pool, when compilation has
    taken a second in total. Reading compiled code from the disk does not count.
    """
    if _Wait.said or _Wait.silent or multiprocessing.current_process().name != "MainProcess":
        yield
        return
    done = threading.Event()
    announcer = threading.Thread(target=_announce, args=(kernel, done), daemon=True)
    began = time.perf_counter()
    announcer.start()
    try:
        yield
    finally:
        done.set()
        if kernel.is_new:
            _Wait.spent += time.perf_counter() - began


def _announce(kernel, done):
    """Print the line when it is time, unless `done`, an event, comes first."""
    delay = max(SOON - _Wait.spent, 0.0)
    while not done.wait(delay):
        if kernel.is_new:
            often = "once per installation"
            if not kernel.on_disk:
                often = "in every process, as it cannot be cached on disk"
            _say(f"coordboost: compiling, which takes some seconds, {often}")
            return
        delay = AGAIN


def _say(line):
    _Wait.said = True
    with suppress(OSError, ValueError):  # the terminal may be gone
        print(line, file=sys.stderr, flush=True)
