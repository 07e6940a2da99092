"""What commands show, a progress bar on stderr, tables or JSON on stdout; and the options of commands that read a table."""

import errno
import io
import json
import re
import sys
import time
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout

import click


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
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[gap]}"),
    )
    gap = Gap()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=n_steps, gap="")
        yield lambda state: bar.update(task, completed=state.k - since, gap=gap(state))


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

    def __init__(self, clock=time.perf_counter):
        self.clock, self.due, self.words = clock, 0.0, ""

    def __call__(self, state):
        """The words, as "gap 3.1 %": in parts of the loss of the constant model; as it was the last time, where that is not long ago."""
        began = self.clock()
        if began >= self.due:
            from coordboost import report

            gap = report.gap_of(state)
            self.words = "" if gap is None else f"gap {100 * gap:.2g} %"
            self.due = self.clock() + 20 * (self.clock() - began)
        return self.words


def show(rows, text, files, as_json):
    """Print rows of ``report.summary``, paragraphs about them, and the names of the files written."""
    if as_json:
        click.echo(json.dumps({"rows": rows, "text": text, "files": [str(file) for file in files]}, indent=2))
        return
    from coordboost import report

    print_parts(report.table(rows), *text, f"Written to {files[0].parent}: {', '.join(file.name for file in files)}")


def print_parts(*parts):
    """Print texts and tables of rich, fitted to the terminal; 100 columns wide in a pipe."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    for part in parts:
        console.print(part, markup=False)
        console.print()


#: What may be said about a table; the reader guesses the rest and says what it guessed.
TABLE_OPTIONS = [
    click.option("--sep", metavar="C", help="What separates cells; 's' for spaces, 't' for tabs.  [default: guessed]"),
    click.option("--decimal", metavar="C", help="The decimal mark.  [default: guessed]"),
    click.option("--thousands", metavar="C", help="The mark between thousands.  [default: none]"),
    click.option("--encoding", metavar="NAME", help="Of a text file, such as utf-8, cp1252.  [default: guessed]"),
    click.option(
        "--na", multiple=True, metavar="WORD", help="A word that means missing, beside NA, N/A, nan, null, ... Repeatable."
    ),
    click.option("--text", multiple=True, metavar="NAME", help="A column to take as text, whatever is in it. Repeatable."),
    click.option("--drop", multiple=True, metavar="NAME", help="A column to leave out. Repeatable."),
    click.option("--date-format", metavar="FORMAT", help='How dates are written, as "%d/%m/%Y".  [default: guessed]'),
    click.option("--sheet", metavar="NAME", help="The sheet of a workbook.  [default: the first]"),
    click.option(
        "--impute",
        metavar="HOW",
        help="Gaps: median (of text the most frequent word), indicator (the same, and a column that says where gaps were), drop (the "
        "rows).  [default: gaps are refused]",
    ),
]
NAMES = ("sep", "decimal", "thousands", "encoding", "na", "text", "drop", "date_format", "sheet", "impute")
SEPARATORS = {"s": r"\s+", "t": "\t", "\\t": "\t"}


def with_options(options):
    """A decorator that gives a command all of `options`, in this order."""

    def decorate(command):
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def without(options, *names):
    """Those of `options` that have none of the names."""
    return [option for option in options if option(lambda: None).__click_params__[0].name not in names]


def in_options(text):
    """A sentence with the options of the reader as the command line writes them: ``na=`` becomes ``--na ``."""
    return re.sub(rf"\b({'|'.join(NAMES)})=", lambda found: f"--{found[1].replace('_', '-')} ", text)


def taken(given):
    """The options of the reader out of all that were given, which lose them."""
    found = {name: given.pop(name) for name in NAMES if name in given}
    found["sep"] = SEPARATORS.get(found.get("sep"), found.get("sep"))
    return {name: value for name, value in found.items() if value not in (None, ())}


def read(file, target, options):
    """The table in `file`; what was guessed is said in one line on stderr."""
    from coordboost.data.table import read_table

    table = read_table(file, target, **options)
    say(table.said)
    return table


def say(said):
    """What was guessed, in one line on stderr."""
    if said:
        click.echo(f"note: {in_options('; '.join(said))}", err=True)
