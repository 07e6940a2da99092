"""Output of the commands: a progress bar on stderr, tables or JSON on stdout."""

import errno
import io
import json
import sys
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout

import click

from coordboost._utils.text import printable
from coordboost.reporting.cli.options import in_options


class Closed(io.TextIOBase):
    """Replacement for a closed stdout.

    Writing raises OSError, so that only commands that print fail.
    """

    encoding, errors = "utf-8", "strict"

    def writable(self):
        return True

    def write(self, text):
        raise OSError(
            errno.EBADF,
            "it is closed, so nothing can be printed; write to a file, or to /dev/null",
            "stdout",
        )


@contextmanager
def streams():
    """Context that replaces a missing stdout or stderr (``>&-``).

    By ``Closed`` and by a stream that is discarded.
    """
    with ExitStack() as stack:
        if sys.stdout is None:
            stack.enter_context(redirect_stdout(Closed()))
        if sys.stderr is None:
            stack.enter_context(redirect_stderr(io.StringIO()))
        yield


@contextmanager
def progress(label, n_steps, *, quiet, since=0):
    """Yield a function of a ``State`` that updates a progress bar on stderr.

    None if `quiet`, or if stderr is no terminal.

    The bar shows how many of the `n_steps` steps after step `since` are done, the time left, and
    the certified gap.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from coordboost.reporting.progress import bar

    with bar(label, n_steps, since=since, remark=gap_as_text) as move:
        yield move


@contextmanager
def doing(label, *, quiet):
    """Yield a function that shows the current activity on stderr.

    None if `quiet`, or if stderr is no terminal.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(label) as status:
        yield lambda now: status.update(f"{label}: {now}")


def gap_as_text(state):
    """Return the certified gap of a state, as "gap 3.1 %" of the loss of the constant model."""
    from coordboost.reporting import report

    gap = report.gap_of(state)
    return "" if gap is None else f"gap {100 * gap:.2g} %"


def show(rows, text, files, as_json):
    """Print rows of ``report.summary``, with what belongs to them.

    Paragraphs about them, and the names of the files written.
    """
    from coordboost.reporting import report

    found = {"rows": rows, "text": text, "files": [str(file) for file in files]}
    written = []
    if files:
        home = files[0].parent
        names = [file.name if file.parent == home else str(file) for file in files]
        written = [f"Written to {home}: {', '.join(names)}"]
    answer(found, [report.table(rows), *text, *written], as_json)


def answer(found, parts, as_json):
    """Print `found` as JSON, or else `parts`, the same content as texts and tables of rich."""
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        print_parts(*parts)


def print_parts(*parts):
    """Print texts and tables of rich, fitted to the terminal; 100 columns wide in a pipe."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    for part in parts:
        console.print(printable(part) if isinstance(part, str) else part, markup=False)
        console.print()


def write_out(text, out):
    """Write text to a file, or print it if `out` is None.

    It is unchanged, except for control characters on a terminal.
    """
    if out is None:
        click.echo(
            "\n".join(map(printable, text.split("\n"))) if sys.stdout.isatty() else text, nl=False
        )
        return
    from coordboost.engine.storage.archive import write_text

    write_text(out, text)
    note(f"Written: {out}")


def note(text):
    """Print a note, one line, on stderr."""
    click.echo(printable(text), err=True)


def say(notes):
    """Print the inferred settings of a table, a list of str, in one line on stderr."""
    if notes:
        note(f"note: {in_options('; '.join(notes))}")
