"""What commands show: a progress bar on stderr, tables or JSON on stdout."""

import json
import sys
from contextlib import contextmanager

import click


@contextmanager
def progress(words, n_steps, *, quiet):
    """Yield a function of a ``State`` that moves a progress bar on stderr, or None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=n_steps)
        yield lambda state: bar.update(task, completed=state.k)


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
