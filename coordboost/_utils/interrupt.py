"""Ctrl-C: what can be cut short keeps what was done, all else raises ``KeyboardInterrupt``. SIGTERM is left alone.

Python raises ``KeyboardInterrupt`` in the main thread between two calls of compiled code, so no such call lasts long. Runs and paths put
it off: ``interruptible``. Within ``uncut`` they do not, as a part of a run would be taken for the whole there. Other threads are told
nothing by Python: those that work for one that was interrupted find out by ``heed``.
"""

import os
import signal
import threading
import warnings
from contextlib import contextmanager

#: What is said where all was done before anybody asked.
LATE = "Ctrl-C came too late to cut this short: all of it is there."


class InterruptedWarning(UserWarning):
    """A run or a path was interrupted by Ctrl-C: what was done is there, and nothing else.

    Examples
    --------
    A program that is to end at Ctrl-C, and not to go on with half a run:

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
    """What holds in a thread.

    uncut : contexts of this name around here;  asked : says whether the thread that this one works for was interrupted
    """

    uncut = 0
    asked = None


_HERE = _Here()
#: What the main thread has noted, a list for each time it began to: empty, or the signal that came.
_NOTED: list[list[int]] = []
#: Signals that ended something within ``terminable``.
_CAME: list[int] = []


@contextmanager
def interruptible():
    """Yield a function that gives the signal if Ctrl-C (SIGINT) came, else 0; a second one acts at once, as it did before.

    The previous handler is put back at the end. A signal that is ignored stays ignored, and so does one that is handled outside Python.
    Only the main thread may set handlers: in another thread nothing is changed, and the function ``heed``s. Within ``uncut`` nothing is
    changed, too, and the answer is always 0.
    """
    if _HERE.uncut or threading.current_thread() is not threading.main_thread():
        yield _nothing_noted
        return
    came, told, previous = [], [], {}

    def note(signum, frame):
        if not came:
            for noted in _NOTED:  # those around this one, too
                noted.append(signum)
            _CAME.append(signum)
        elif callable(previous[signum]):
            previous[signum](signum, frame)
        else:
            signal.signal(signum, signal.SIG_DFL)
            os.kill(os.getpid(), signum)

    def asked():
        told.extend(came)
        return came[0] if came else 0

    heard = [signal.SIGINT, signal.SIGTERM] if signal.getsignal(signal.SIGTERM) is _terminate else [signal.SIGINT]
    previous = {one: signal.getsignal(one) for one in heard}
    previous = {one: handler for one, handler in previous.items() if handler not in (signal.SIG_IGN, None)}
    try:
        _NOTED.append(came)
        for one in previous:
            signal.signal(one, note)
        yield asked
    finally:
        _NOTED.pop()
        for one, handler in previous.items():
            signal.signal(one, handler)
    if came and not (told or _NOTED):
        warnings.warn(LATE, InterruptedWarning, stacklevel=4)


def _nothing_noted():
    heed()
    return 0


@contextmanager
def uncut():
    """Within this, also as a decorator, runs and paths are whole: Ctrl-C raises ``KeyboardInterrupt`` at once."""
    _HERE.uncut += 1
    try:
        yield
    finally:
        _HERE.uncut -= 1


@contextmanager
def working_for(asked):
    """In a thread that works for another one: within this ``heed`` raises ``KeyboardInterrupt`` once ``asked()`` is true."""
    before, _HERE.asked = _HERE.asked, asked
    try:
        with uncut():
            yield
    finally:
        _HERE.asked = before


def heed():
    """For loops between calls of compiled code: raise ``KeyboardInterrupt`` where the thread that this one works for is at an end."""
    if _HERE.asked is not None and _HERE.asked():
        raise KeyboardInterrupt


def _terminate(signum, frame):
    _CAME.append(signum)
    raise Terminated


@contextmanager
def terminable():
    """For programs: within this SIGTERM acts as Ctrl-C. Yields a function that says whether it came.

    A handler of somebody else stays, and so does a signal that is ignored.
    """
    _CAME.clear()
    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if mine:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield lambda: signal.SIGTERM in _CAME
    finally:
        if mine:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
