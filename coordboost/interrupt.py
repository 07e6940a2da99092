"""Ctrl-C and SIGTERM, noted until a piece of work is complete."""

import os
import signal
import threading
from contextlib import contextmanager

#: Signals that ask a process to end.
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interruptible():
    """Yield a function that tells whether Ctrl-C (SIGINT) or SIGTERM came; a second one acts at once, as it did before.

    The previous handlers are put back at the end. A signal that is ignored stays ignored, and so does one that is handled outside
    Python. Only the main thread may set handlers: in another thread nothing is changed, and the answer is always no.
    """
    came, previous = [], {}

    def note(signum, frame):
        if not came:
            came.append(signum)
        elif callable(previous[signum]):
            previous[signum](signum, frame)
        else:
            signal.signal(signum, signal.SIG_DFL)
            os.kill(os.getpid(), signum)

    if threading.current_thread() is threading.main_thread():
        previous = {one: signal.getsignal(one) for one in SIGNALS}
        previous = {one: handler for one, handler in previous.items() if handler not in (signal.SIG_IGN, None)}
    try:
        for one in previous:
            signal.signal(one, note)
        yield lambda: bool(came)
    finally:
        for one, handler in previous.items():
            signal.signal(one, handler)
