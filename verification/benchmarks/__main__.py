"""Run the benchmarks: ``python -m verification.benchmarks [SUITE ...] [--quick] [--only NAME]
[--out FILE] [--markdown FILE] [--section FILE]``.

The suites are boosting, lasso, lasso_cv, trees, langevin, frank_wolfe; rows, which has a table for
each row of docs/performance.md; defaults, which has one for each set of that page; and rule_models,
which has one for each set of docs/rules.md. Prints a table per problem; ``--out`` writes all
figures as JSON, ``--markdown`` the tables for a page, ``--section`` the lines of the last three
into their page.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from verification.benchmarks import defaults, markdown, r, rows, rule_models
from verification.benchmarks.harness import environment

SUITES = (
    "boosting",
    "lasso",
    "lasso_cv",
    "trees",
    "langevin",
    "frank_wolfe",
    "rows",
    "defaults",
    "rule_models",
)
SECTIONS = {
    "rows": rows.section,
    "defaults": defaults.section,
    "rule_models": rule_models.section,
}
UNSHOWN = ("wall_min", "wall_max", "cpu_min", "cpu_max", "over_best")  # written to files only


def shown(value):
    """Return a number with four digits, as a string."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def draw(table, console):
    """Print one table: a row per contestant."""
    facts = ", ".join(
        f"{key} {shown(value)}" for key, value in table.items() if key not in ("name", "rows")
    )
    keys = list(dict.fromkeys(key for row in table["rows"] for key in row if key not in UNSHOWN))
    sheet = Table(title=f"{table['name']}\n{facts}", title_justify="left")
    for key in keys:
        sheet.add_column(key, justify="left" if key in ("name", "note") else "right")
    for row in table["rows"]:
        sheet.add_row(*(shown(row.get(key, "")) for key in keys))
    console.print(sheet)


def write(record, out, markdown_file, section_file):
    """Write the requested files.

    Called after each table, so that an interruption loses at most one.
    """
    if out:
        Path(out).write_text(json.dumps(record, indent=1), encoding="utf-8")
    if markdown_file:
        Path(markdown_file).write_text(markdown.page(record), encoding="utf-8")
    for suite, section in SECTIONS.items():
        tables = [table for table in record["tables"] if table["suite"] == suite]
        if section_file and tables:
            markdown.write_section(section_file, suite, section(tables))


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(SUITES))
@click.option("--quick", is_flag=True, help="The smallest problems only.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Only designs with this in their name; may be given several times.",
)
@click.option(
    "--limit",
    default=120.0,
    show_default=True,
    help="Seconds that a peer may take at one tolerance.",
)
@click.option("--out", type=click.Path(dir_okay=False), help="Write all figures to this JSON file.")
@click.option(
    "--markdown",
    "markdown_file",
    type=click.Path(dir_okay=False),
    help="Write the tables to this Markdown file.",
)
@click.option(
    "--section",
    "section_file",
    type=click.Path(exists=True, dir_okay=False),
    help="Write the lines of rows, defaults or rule_models into this page, between their marks.",
)
def main(suites, quick, only, limit, out, markdown_file, section_file):
    """Compare coordboost with other packages on the same work.

    Times are medians of interleaved rounds.
    """
    console = Console(width=None if sys.stdout.isatty() else 160)
    record = {"environment": environment(), "tables": []}
    record["environment"]["versions"] |= r.versions()
    for suite in suites or SUITES:
        for table in import_module(f"verification.benchmarks.{suite}").tables(quick, only, limit):
            draw(table, console)
            record["tables"].append({"suite": suite, **table})
            write(record, out, markdown_file, section_file)
    if not record["tables"]:
        raise click.UsageError(f"no design with {' or '.join(only) or 'data'} in its name.")


if __name__ == "__main__":
    main()
