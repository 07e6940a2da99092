"""Run the benchmarks: ``python -m verification.benchmarks [boosting] [lasso] [--quick] [--out FILE]``.

Prints a table per problem and, with ``--out``, writes all figures as JSON.
"""

import json
from importlib import import_module

import click
from rich.console import Console
from rich.table import Table

from verification.benchmarks.harness import environment

SUITES = ("boosting", "lasso")


def shown(value):
    """A figure with four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def draw(table, console):
    """Print one table: a row per contestant."""
    facts = ", ".join(f"{key} {shown(value)}" for key, value in table.items() if key not in ("name", "rows"))
    keys = list(dict.fromkeys(key for row in table["rows"] for key in row))
    sheet = Table(title=f"{table['name']}\n{facts}", title_justify="left")
    for key in keys:
        sheet.add_column(key, justify="left" if key in ("name", "note") else "right")
    for row in table["rows"]:
        sheet.add_row(*(shown(row.get(key, "")) for key in keys))
    console.print(sheet)


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(SUITES))
@click.option("--quick", is_flag=True, help="The smallest problems only.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write all figures to this JSON file.")
def main(suites, quick, out):
    """Compare coordboost with its peers on the same work; single figures are medians of interleaved rounds."""
    console, record = Console(), {"environment": environment(), "tables": []}
    for suite in suites or SUITES:
        for table in import_module(f"verification.benchmarks.{suite}").tables(quick):
            draw(table, console)
            record["tables"].append({"suite": suite, **table})
    if out:
        with open(out, "w", encoding="utf-8") as handle:
            json.dump(record, handle, indent=1)


if __name__ == "__main__":
    main()
