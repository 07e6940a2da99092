"""Ctrl-C and SIGTERM, noted until a piece of work is complete."""

import os
import signal
import threading
from contextlib import contextmanager

#: Signals that ask a process to end.
SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: What the main thread has noted, a list for each time it began to: empty, or the signal that came. Its other threads look here.
_NOTED: list[list[int]] = []


@contextmanager
def interruptible():
    """Yield a function that gives the signal if Ctrl-C (SIGINT) or SIGTERM came, else 0; a second one acts at once, as it did before.

    The previous handlers are put back at the end. A signal that is ignored stays ignored, and so does one that is handled outside
    Python. Only the main thread may set handlers: in another thread nothing is changed, and the answer is that of the main thread, where
    this notes signals too, else always 0.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: next((came[0] for came in _NOTED if came), 0)
        return
    came, previous = [], {}

    def note(signum, frame):
        if not came:
            for noted in _NOTED:  # those around this one, too
                noted.append(signum)
        elif callable(previous[signum]):
            previous[signum](signum, frame)
        else:
            signal.signal(signum, signal.SIG_DFL)
            os.kill(os.getpid(), signum)

    previous = {one: signal.getsignal(one) for one in SIGNALS}
    previous = {one: handler for one, handler in previous.items() if handler not in (signal.SIG_IGN, None)}
    try:
        _NOTED.append(came)
        for one in previous:
            signal.signal(one, note)
        yield lambda: came[0] if came else 0
    finally:
        _NOTED.pop()
        for one, handler in previous.items():
            signal.signal(one, handler)
