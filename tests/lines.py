"""Cost of Python code, as the number of executed lines."""

import sys


def lines_of(function):
    """Return how many lines of Python a call of `function` executes."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
