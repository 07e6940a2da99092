"""Ctrl-C: runs and paths end early and keep the steps made so far.

Everything else raises ``KeyboardInterrupt``.

Python raises ``KeyboardInterrupt`` in the main thread, and only between two calls of compiled code,
so no such call lasts long. Runs and paths defer it by ``interruptible``. Within ``uncut`` they do
not, because there a part of a run would be taken for a whole run. Python does not interrupt other
threads: a thread that works for another one checks by ``heed``. SIGTERM is handled only within
``terminable``.
"""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import contextmanager

from coordboost._utils.warned import warn

#: The warning if Ctrl-C came after the last check, when all work was done.
LATE = "Ctrl-C came after all work was done: the result is complete."


class InterruptedWarning(UserWarning):
    """A run or a path was interrupted by Ctrl-C and holds only the steps made before.

    Examples
    --------
    Turn the warning into an error, so that a program ends at Ctrl-C and does not continue with an
    incomplete run:

    >>> import warnings
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", cb.engine.InterruptedWarning)
    ...     run = cb.solve(problem, cb.ls_boost(0.5), 20)
    """


class Terminated(KeyboardInterrupt):
    """SIGTERM, within ``terminable``."""


class _Here(threading.local):
    """State of one thread.

    uncut : depth of nested ``uncut`` contexts; asked : function, whether the thread that this one
    works for was interrupted
    """

    uncut = 0
    asked = None


_HERE = _Here()
#: One list for each active ``interruptible`` context of the main thread: empty, or the signals
#: received in it.
_NOTED: list[list[int]] = []
#: For each of them a function: whether nothing was made in it that an exception would lose.
_NOTHING_MADE: list[Callable[[], bool]] = []
#: Signals received since ``terminable`` was entered.
_CAME: list[int] = []


@contextmanager
def interruptible(nothing_made=lambda: False):
    """Yield a function that returns the signal if Ctrl-C (SIGINT) came, else 0.

    A second Ctrl-C goes to the previous handler at once.

    While functions are compiled, which takes seconds, the first one raises ``KeyboardInterrupt`` if
    ``nothing_made()`` is true, in this and in all enclosing contexts: then nothing is lost.

    The previous handler is restored at the end. Signals that are ignored, or handled outside
    Python, are left alone. Only the main thread may set handlers: in another thread, and within
    ``uncut``, no handler is set, and the function calls ``heed`` and returns 0.
    """
    if _HERE.uncut or threading.current_thread() is not threading.main_thread():
        yield _nothing_noted
        return
    from coordboost._numba.compiling import AROUND, is_compiling

    came = []
    reported = []
    previous = {}

    def heed_early():
        if came and all(nothing() for nothing in _NOTHING_MADE):
            raise KeyboardInterrupt

    def note(signum, frame):
        if not came:
            for noted in _NOTED:  # also the enclosing contexts
                noted.append(signum)
            _CAME.append(signum)
            if is_compiling():
                heed_early()
        elif callable(previous[signum]):
            previous[signum](signum, frame)
        else:
            signal.signal(signum, signal.SIG_DFL)
            os.kill(os.getpid(), signum)

    def asked():
        reported.extend(came)
        return came[0] if came else 0

    heard = (
        [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGTERM) is _terminate
        else [signal.SIGINT]
    )
    previous = {signum: signal.getsignal(signum) for signum in heard}
    previous = {
        signum: handler
        for signum, handler in previous.items()
        if handler not in (signal.SIG_IGN, None)
    }
    try:
        _NOTED.append(came)
        _NOTHING_MADE.append(nothing_made)
        AROUND.append(heed_early)
        for signum in previous:
            signal.signal(signum, note)
        yield asked
    finally:
        _NOTED.pop()
        _NOTHING_MADE.pop()
        AROUND.pop()
        for signum, handler in previous.items():
            signal.signal(signum, handler)
    if came and not (reported or _NOTED):
        warn(LATE, InterruptedWarning)


def _nothing_noted():
    heed()
    return 0


@contextmanager
def uncut():
    """Context or decorator: runs and paths are never cut short.

    Ctrl-C raises ``KeyboardInterrupt`` at once.
    """
    _HERE.uncut += 1
    try:
        yield
    finally:
        _HERE.uncut -= 1


@contextmanager
def working_for(asked):
    """A context for a thread that works for another one.

    ``heed`` raises ``KeyboardInterrupt`` once ``asked()`` is true.
    """
    before = _HERE.asked
    _HERE.asked = asked
    try:
        with uncut():
            yield
    finally:
        _HERE.asked = before


def heed():
    """Raise ``KeyboardInterrupt`` if the thread that this one works for was interrupted.

    It is called in loops over compiled calls.
    """
    if _HERE.asked is not None and _HERE.asked():
        raise KeyboardInterrupt


def _terminate(signum, frame):
    _CAME.append(signum)
    raise Terminated


@contextmanager
def terminable():
    """A context for programs in which SIGTERM acts as Ctrl-C.

    Yield a function that returns whether SIGTERM came.

    If SIGTERM has another handler, or is ignored, that does not change.
    """
    _CAME.clear()
    mine = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if mine:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield lambda: signal.SIGTERM in _CAME
    finally:
        if mine:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
