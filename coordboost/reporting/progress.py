"""How far a run is, and the time left: a bar on terminals and in notebooks, lines elsewhere.

The bar is that of rich, which the command line needs anyway. Everything is written to stderr.
"""

import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from importlib.util import find_spec

from coordboost._numba.terminal import in_notebook, is_terminal

#: Lines of a run, where no bar can be drawn.
LINES = 10
#: Remarks are computed so rarely that they take at most this share of the time.
SHARE = 1 / 20
#: Seconds between two pictures of a bar that is drawn by the thread that computes.
PAUSE = 0.1


def can_draw():
    """Whether a bar can be drawn: rich needs a terminal, or ipywidgets in a notebook."""
    return is_terminal(sys.stderr) or (in_notebook() and find_spec("ipywidgets") is not None)


@contextmanager
def bar(label, n_steps, *, since=0, unit=1, remark=None):
    """Yield a function of a ``State`` that moves a bar, or None where no bar can be drawn.

    Parameters
    ----------
    label : str
        What is done.
    n_steps : int
        How many steps, or groups of `unit` steps, come after step `since`.
    since : int, default 0
        The number of the step at which the run begins.
    unit : int, default 1
        Steps that count as one.
    remark : callable, optional
        Function of a state: a text beside the bar.
    """
    if not can_draw():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        "{task.fields[remark]}",
    )
    seldom = Seldom(remark)
    # what is printed meanwhile stands above the bar, unless it goes to a file
    over = is_terminal(sys.stdout)
    console = Console(stderr=True)
    # in a notebook, what is printed while the bar is drawn by another thread would go to the bar
    own_thread = not in_notebook()
    options = {"console": console, "transient": True, "redirect_stdout": over}
    with Progress(*columns, **options, auto_refresh=own_thread) as drawn:
        task = drawn.add_task(escape(label), total=n_steps, remark="")
        due = 0.0

        def move(state):
            nonlocal due
            done = (state.k - since) // unit
            drawn.update(task, completed=done, remark=escape(seldom(state)))
            if not own_thread and time.perf_counter() >= due:
                drawn.refresh()
                due = time.perf_counter() + PAUSE

        yield move


@contextmanager
def bar_or_lines(label, n_steps, *, since=0):
    """Yield a function of a ``State`` that moves a bar or, where none can be drawn, prints some ten
    lines.
    """
    with bar(label, n_steps, since=since, remark=loss_of) as move:
        yield Lines(label, n_steps, since) if move is None else move


def loss_of(state):
    """Return the loss of a state as text."""
    return f"loss {state.loss:.6g}"


class Lines:
    """Prints a line whenever another tenth of the steps is made: the loss, and the time left."""

    def __init__(self, label, n_steps, since):
        self.label = label
        self.n_steps = n_steps
        self.since = since
        self.began = time.perf_counter()
        self.n_printed = 0

    def __call__(self, state):
        """Print the line if it is time."""
        done = state.k - self.since
        share = done / self.n_steps if self.n_steps else 1.0
        if share * LINES < self.n_printed + 1:
            return
        self.n_printed = int(share * LINES)
        seconds = time.perf_counter() - self.began
        left = timedelta(seconds=round(seconds / share - seconds))
        print(
            f"{self.label}: {done:,} of {self.n_steps:,} steps, {loss_of(state)}, {left} left",
            file=sys.stderr,
            flush=True,
        )


class Seldom:
    """A function of a state that returns a text, and its last one where the next one is not due."""

    def __init__(self, function):
        self.function = function
        self.due = 0.0
        self.text = ""

    def __call__(self, state):
        """Return the text."""
        began = time.perf_counter()
        if self.function is not None and began >= self.due:
            self.text = self.function(state)
            now = time.perf_counter()
            self.due = now + (now - began) / SHARE
        return self.text
