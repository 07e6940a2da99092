"""``python -m verification``: print the ledger as a table or JSON, or write it as a page.

Exit status 1 if a verdict is not as claimed.
"""

import json
import sys
from contextlib import contextmanager
from pathlib import Path

import click

from verification import index
from verification.ledger import verify
from verification.page import page
from verification.table import table


@contextmanager
def _progress():
    """Yield a function that updates a progress bar on stderr, or None if stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:32.32}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, statement: bar.update(
            task, completed=done, total=total, description=statement
        )


def _table(ledger):
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in ("statement", "variant", "verdict", "evidence"):
        table.add_column(head, overflow="fold", no_wrap=head != "statement")
    for head in ("tightest", "cases", "seconds"):
        table.add_column(head, justify="right")
    for row in ledger.rows:
        ratio = "-" if row.tightest != row.tightest else f"{row.tightest:.3g}"
        verdict = row.verdict if row.good else f"{row.verdict} (!)"
        table.add_row(
            row.statement,
            row.variant,
            verdict,
            row.evidence,
            ratio,
            str(row.cases),
            f"{row.seconds:.2f}",
        )
    return table


def _summary(ledger):
    count = {
        verdict: sum(row.verdict == verdict for row in ledger.rows)
        for verdict in ("verified", "refuted", "vacuous")
    }
    caught = sum(sabotage.good for sabotage in ledger.sabotages)
    failed = sum(row.verdict == "failed" for row in ledger.rows)
    broken = f", {failed} failed" if failed else ""
    return (
        f"{len(ledger.rows)} claims: {count['verified']} verified, {count['refuted']} refuted, "
        f"{count['vacuous']} vacuous{broken}; "
        f"{caught} of {len(ledger.sabotages)} sabotages caught; "
        f"{ledger.seconds:.1f} s"
    )


def _print(ledger):
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 110)
    console.print(_table(ledger))
    console.print()
    refuted = [row for row in ledger.rows if row.verdict == "refuted" and row.good]
    for row in refuted:
        console.print(
            f"refuted: {row.statement} ({row.variant}) by {row.counterexample}", markup=False
        )
    console.print(_summary(ledger), markup=False)


def _index(file):
    rows = index.claimed()
    if file is None:
        click.echo(index.page(rows, lines=True))
    else:
        file.write_text(index.page(rows), encoding="utf-8")
    wrong = index.faults(rows)
    for fault in wrong:
        click.echo(f"verification: {fault}", err=True)
    raise SystemExit(1 if wrong else 0)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="Only the small cases, under a minute.")
@click.option(
    "--only", metavar="NAME", help="Only files of verification/theorems whose name contains NAME."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write an HTML page with plots.",
)
@click.option(
    "--table",
    "markdown",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write a Markdown table.",
)
@click.option(
    "--index",
    "numbers",
    is_flag=True,
    help="Check nothing: list the code and rows of each number of the papers; --table FILE writes "
    "the page.",
)
def main(quick, only, as_json, html, markdown, numbers):
    """Check every claim of the papers, and that deliberately wrong claims (sabotages) fail."""
    if numbers:
        _index(markdown)
    with _progress() as watch:
        ledger = verify(quick, only, watch)
    if html is not None:
        html.write_text(page(ledger), encoding="utf-8")
    if markdown is not None:
        markdown.write_text(table(ledger), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(ledger.as_dict(), indent=2))
    else:
        _print(ledger)
    for fault in ledger.faults:
        click.echo(f"verification: {fault}", err=True)
    raise SystemExit(1 if ledger.faults else 0)


if __name__ == "__main__":
    main()
