"""What commands show: a progress bar on stderr, tables or JSON on stdout."""

import errno
import io
import json
import sys
import time
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout

import click

from coordboost.reporting.cli.options import in_options


class Closed(io.TextIOBase):
    """What stands for stdout where that is closed: whoever prints hears of it, whoever does not is not in the way."""

    encoding, errors = "utf-8", "strict"

    def writable(self):
        return True

    def write(self, text):
        raise OSError(errno.EBADF, "it is closed, there is nowhere to print to; write to a file, or to /dev/null", "stdout")


@contextmanager
def streams():
    """A context with a stdout and a stderr, also where the process was started without (``>&-``); nobody reads such a stderr."""
    with ExitStack() as stack:
        if sys.stdout is None:
            stack.enter_context(redirect_stdout(Closed()))
        if sys.stderr is None:
            stack.enter_context(redirect_stderr(io.StringIO()))
        yield


@contextmanager
def progress(words, n_steps, *, quiet, since=0):
    """Yield a function of a ``State`` that moves a progress bar on stderr, or None where nobody would see it.

    The bar says how many of the steps after `since` are made, the time that is left, and the certified gap so far.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns, said = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), "{task.fields[gap]}"), Gap()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=n_steps, gap="")
        yield lambda state: bar.update(task, completed=state.k - since, gap=said(state))


@contextmanager
def doing(words, *, quiet):
    """Yield a function that shows on stderr what is being done, or None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(words) as status:
        yield lambda now: status.update(f"{words}: {now}")


class Gap:
    """The certified gap of a state in words; it is asked for so seldom that it takes a twentieth of the time at most."""

    def __init__(self):
        self.due, self.words = 0.0, ""

    def __call__(self, state):
        """The words, as "gap 3.1 %": in parts of the loss of the constant model; as it was the last time, where that is not long ago."""
        began = time.perf_counter()
        if began >= self.due:
            from coordboost.reporting import report

            gap = report.gap_of(state)
            self.words = "" if gap is None else f"gap {100 * gap:.2g} %"
            now = time.perf_counter()
            self.due = now + 20 * (now - began)
        return self.words


def show(rows, text, files, as_json):
    """Print rows of ``report.summary``, paragraphs about them, and the names of the files written."""
    from coordboost.reporting import report

    found = {"rows": rows, "text": text, "files": [str(file) for file in files]}
    written = [f"Written to {files[0].parent}: {', '.join(file.name for file in files)}"] if files else []
    answer(found, [report.table(rows), *text, *written], as_json)


def answer(found, parts, as_json):
    """Print plain data as JSON, or what says the same to people: texts and tables of rich."""
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        print_parts(*parts)


def print_parts(*parts):
    """Print texts and tables of rich, fitted to the terminal; 100 columns wide in a pipe."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    for part in parts:
        console.print(part, markup=False)
        console.print()


def write_out(text, out):
    """Text to a file, or to stdout as it is."""
    if out is None:
        click.echo(text, nl=False)
        return
    from coordboost.engine.storage.archive import write_text

    write_text(out, text)
    click.echo(f"Written: {out}", err=True)


def say(said):
    """What was guessed, in one line on stderr."""
    if said:
        click.echo(f"note: {in_options('; '.join(said))}", err=True)
