"""What a saved model is, ``coordboost coef``; what it says of new rows, ``predict``; a page about it that can be passed on, ``report``."""

import csv
import json
import os
from pathlib import Path

import click

from coordboost.cli.output import TABLE_OPTIONS, print_parts, say, taken, with_options, without

#: A place on the path of a run; the end where none is given.
PLACE_OPTIONS = [
    click.option("--step", type=click.IntRange(0), metavar="N", help="The model after N steps.  [default: after the last]"),
    click.option("--l1", type=click.FloatRange(0), metavar="X", help="The model whose l1 norm first reaches X."),
    click.option("--fraction", type=click.FloatRange(0, 1), metavar="X", help="The same, X being a part of the last l1 norm."),
]
OUT = click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to a file instead.")


def model_in(file, place):
    """The model in a run file, at a place of its path, or the model that --no-data or ``coef --json`` wrote.

    place : dict of the options ``step``, ``l1``, ``fraction``
    """
    from coordboost.paths.places import Place
    from coordboost.run import load
    from coordboost.storage.model import model_of, read_model

    place = {name: value for name, value in place.items() if value is not None}
    if len(place) > 1:
        raise click.UsageError("--step, --l1 and --fraction name one place in three ways; give one of them.")
    if _is_json(file):
        if place:
            raise click.UsageError("a model without its run has one place only; leave out --step, --l1 and --fraction.")
        return read_model(file)
    run = load(file)
    return model_of(run, run.step_at(Place(**place)) if place else None)


def _is_json(file):
    path = Path(file)
    if not path.is_file():
        return False
    with path.open("rb") as handle:
        return handle.read(1) == b"{"


@click.command()
@click.argument("run")
@with_options(PLACE_OPTIONS)
@click.option("--all", "everything", is_flag=True, help="Also the coefficients that are zero.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead of the table.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the whole model, which `coordboost predict` takes, too.")
@OUT
def coef(run, everything, as_csv, as_json, out, **place):
    """Show the coefficients of a saved model.

    They are those of the columns as they are in the table, the largest effect first: the coefficient times the spread of its column,
    where the run file holds the data.
    """
    model = model_in(run, place)
    if as_json:
        _write(model.text(), out)
        return
    rows = [row for row in model.rows if everything or row["coefficient"]]
    rows.sort(key=lambda row: -abs(row["effect"] if row["effect"] is not None else row["coefficient"]))
    first = {"column": "(intercept)", "variable": "", "coefficient": model.intercept, "effect": None}
    if as_csv or out is not None:
        _write(_csv(["column", "variable", "coefficient", "effect"], [[*row.values()] for row in (first, *rows)]), out)
        return
    from coordboost.report import adds_to

    zero = len(model.names) - sum(bool(value) for value in model.coef)
    made = model.method if model.step is None else f"{model.method}, step {model.step:,}"
    print_parts(
        _table([first, *rows], model),
        f"{made}; {zero} of {len(model.names)} coefficients are zero. They add to {adds_to(model)}.",
    )


def _table(rows, model):
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    for name in ("coefficient", "effect of one standard deviation"):
        table.add_column(name, justify="right")
    for row in rows:
        effect = "" if row["effect"] is None else f"{row['effect']:.4g}"
        table.add_row(row["column"], f"{row['coefficient']:.6g}", effect)
    return table


def _csv(header, rows):
    from io import StringIO

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return text.getvalue()


def _write(text, out):
    """Text to a file, or to stdout as it is."""
    if out is None:
        click.echo(text, nl=False)
        return
    from coordboost.storage.archive import write_text

    write_text(out, text)
    click.echo(f"Written: {out}", err=True)


@click.command()
@click.argument("run")
@click.argument("file")
@with_options(PLACE_OPTIONS)
@click.option("--keep", multiple=True, metavar="NAME", help="A column of FILE to copy beside the predictions. Repeatable.")
@click.option(
    "--unknown",
    type=click.Choice(["refuse", "none"]),
    default="refuse",
    show_default=True,
    help="What to do with words that the model does not know: none takes them for none of those it knows (of two, the first).",
)
@with_options(without(TABLE_OPTIONS, "text", "drop", "impute"))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of CSV.")
@OUT
def predict(run, file, keep, unknown, as_json, out, step, l1, fraction, **given):
    """Predict for new rows with a saved model.

    RUN is a run file, or the model that --no-data or `coordboost coef --json` wrote. FILE is a table of the same kind as that of the
    fit; its columns are found by name, in any order, and others are ignored. Of two classes the probability of the second is printed,
    and which one is more probable.
    """
    from coordboost.data.table import read_rows

    model = model_in(run, {"step": step, "l1": l1, "fraction": fraction})
    rows = read_rows(file, model, keep=keep, unknown_as_none=unknown == "none", **taken(given))
    say(rows.said)
    found = model.predict(rows.X).tolist()
    columns = {**(rows.kept or {}), ("probability" if model.two_class else "prediction"): found}
    if model.two_class:
        labels = (model.recipe.labels if model.recipe is not None else ()) or ("0", "1")
        columns["label"] = [labels[one > 0.5] for one in found]
    if as_json:
        _write(json.dumps(columns, indent=2, ensure_ascii=False) + "\n", out)
    else:
        _write(_csv(list(columns), zip(*columns.values(), strict=True)), out)


@click.command()
@click.argument("run")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="The page.  [default: beside the run, .html]"
)
def report(run, out):
    """Write one HTML page about a saved run.

    Data, method, path, coefficients, certificate, the theorems that apply, how to cite and how to reproduce. The page needs no network
    and holds no row of the data; words of text columns are on it.
    """
    from coordboost.pages import page
    from coordboost.run import load

    out = Path(run).with_suffix(".html") if out is None else out
    text = page(load(run), out, run_file=os.path.basename(run))
    click.echo(f"Written: {out} ({len(text.encode()) / 1000:.0f} kB)")
