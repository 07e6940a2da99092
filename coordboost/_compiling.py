"""Compiled code on a disk that may be full, damaged or read-only; and a line for whoever waits for the compiler."""

import hashlib
import pickle
import sys
import threading
import time
import warnings
from contextlib import contextmanager, suppress

from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

#: Seconds of compilation after which somebody at a terminal is told.
SOON = 1.0


class _Sealed(CompileResultCacheImpl):
    """Code goes to the disk with its digest: damaged machine code would not be refused by anybody, it would run."""

    def reduce(self, cres):
        """The digest and the code, as bytes."""
        code = dumps(super().reduce(cres))
        return hashlib.sha256(code).digest(), code

    def rebuild(self, target_context, payload):
        """The code, where it has its digest."""
        digest, code = payload
        if hashlib.sha256(code).digest() != digest:
            raise ValueError("the file is damaged")
        return super().rebuild(target_context, pickle.loads(code))


class _Cache(FunctionCache):
    """numba's cache. What goes wrong on the disk is said once; the code is compiled anew then."""

    _impl_class = _Sealed

    def load_overload(self, sig, target_context):
        """The code for these types, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # a damaged file can raise anything
            with suppress(OSError):
                self.flush()  # an index that cannot be read could not be written to either
            _warn(f"could not be read from {self.cache_path}", error)
            return None

    def save_overload(self, sig, data):
        """Keep the code for these types, where there is room."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _warn(f"could not be kept in {self.cache_path}", error)


def ours(form, on_disk):
    """The dispatcher `form` of numba as one of ours, perhaps with a cache on the disk: without one where there is no place for it."""
    form.on_disk = on_disk
    if on_disk:
        try:
            form._cache = _Cache(form.py_func)
        except (OSError, RuntimeError) as error:  # RuntimeError: no folder can be written
            _warn("cannot be kept on the disk", error)
    return form


_warned: set[str] = set()


def _warn(what, error):
    """Say once in a process that there is something wrong with the cache."""
    if not _warned:
        _warned.add(what)
        reason = getattr(error, "strerror", None) or str(error).partition(":")[0] or type(error).__name__
        warnings.warn(
            f"compiled code {what} ({reason}): it is compiled anew, which takes some seconds. Set the environment variable "
            "NUMBA_CACHE_DIR to a folder that can be written and has room.",
            RuntimeWarning,
            stacklevel=3,
        )


class _Waiting(event.Listener):
    """Says on a terminal, once in a process, what is waited for: after a second of the compiler, other pieces just before counted in."""

    def __init__(self):
        self.outer, self.timer, self.said, self.silent = None, None, False, 0
        self.began = self.ended = self.spent = 0.0

    def on_start(self, event):
        """A piece is compiled; pieces within it do not count again."""
        form = event.data["dispatcher"]
        if self.outer is None and not self.said and not self.silent and _at_terminal() and hasattr(form, "on_disk"):
            self.outer, self.began = form, time.perf_counter()
            self.spent = self.spent if self.began - self.ended < SOON else 0.0
            self.timer = threading.Timer(max(SOON - self.spent, 0.0), self.say, [form.on_disk and not _warned])
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event):
        """It is compiled, or could not be."""
        if self.outer is not None and event.data["dispatcher"] is self.outer:
            self.timer.cancel()
            self.ended, self.outer = time.perf_counter(), None
            self.spent += self.ended - self.began

    def say(self, kept):
        """The line."""
        self.said = True
        often = "once per installation" if kept else "in every process, as it cannot be kept on the disk"
        with suppress(OSError, ValueError):  # the terminal may be gone
            print(f"coordboost: compiling, which takes some seconds, {often}", file=sys.stderr, flush=True)


def _at_terminal():
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


_WAITING = _Waiting()
event.register("numba:compile", _WAITING)


@contextmanager
def silently():
    """Within this nobody is told that the compiler works."""
    _WAITING.silent += 1
    try:
        yield
    finally:
        _WAITING.silent -= 1
