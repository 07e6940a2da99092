"""Ctrl-C, kept until a block of steps is complete."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def interruptible():
    """Yield a function that tells whether Ctrl-C was pressed; a second Ctrl-C interrupts at once."""
    pressed = []
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield lambda: False
        return

    def note(signum, frame):
        if pressed:
            raise KeyboardInterrupt
        pressed.append(signum)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, previous)
