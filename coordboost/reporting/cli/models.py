"""Commands for saved runs.

``coef`` shows a model, ``predict`` applies it, ``report`` writes an HTML page, ``compare`` compares
runs.
"""

import csv
import json
import os
from functools import partial
from io import StringIO
from pathlib import Path

import click

from coordboost._utils.text import printable
from coordboost.reporting.cli.options import (
    JSON,
    Command,
    file_option,
    mirrored,
    taken,
    whole_number,
    with_options,
)
from coordboost.reporting.cli.output import print_parts, say, show, write_out
from coordboost.reporting.cli.tables import table_file

#: Options that choose a point on the path of a run; by default its end.
PLACE_OPTIONS = [
    whole_number("--step", 0, None, "The model after N steps.  [default: after the last]"),
    click.option(
        "--l1",
        type=click.FloatRange(0),
        metavar="X",
        help="The model whose l1 norm first reaches X.",
    ),
    click.option(
        "--fraction",
        type=click.FloatRange(0, 1),
        metavar="X",
        help="The same, with X as a fraction of the last l1 norm.",
    ),
]
OUT = file_option("--out", "Write to a file instead.")
#: What the model does not know about a table to predict for.
OF_NEW_ROWS = partial(
    mirrored,
    "data.files",
    "Options",
    *("sep", "decimal", "thousands", "encoding", "na", "date_format", "sheet"),
)


def _model_in(file, linear=True, **place):
    """Read a model from a run file, at a point of its path, or as --no-data or ``coef --json``
    wrote it.

    linear : whether the learners must be columns; otherwise a run on trees or stumps gives a
    ``RunModel``
    """
    from coordboost.engine.run import load
    from coordboost.engine.storage.model import RunModel, model_of, read_model
    from coordboost.paths.places import PathPoint

    place = {name: value for name, value in place.items() if value is not None}
    if len(place) > 1:
        raise click.UsageError(
            "--step, --l1 and --fraction all choose a point of the path; give only one of them."
        )
    if not _is_json(file):
        run = load(file)
        step = run.step_at(PathPoint(**place)) if place else None
        return (
            model_of(run, step)
            if linear or run.problem.binning is None
            else RunModel(run, run.n_steps if step is None else step)
        )
    if place:
        raise click.UsageError(
            "a model without its run has no path; leave out --step, --l1 and --fraction."
        )
    return read_model(file)


def _is_json(file):
    if not Path(file).is_file():
        return False
    with Path(file).open("rb") as handle:
        return handle.read(1) == b"{"


def _csv(header, rows):
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


@click.command()
@click.argument("run")
@with_options(*PLACE_OPTIONS)
@click.option("--all", "everything", is_flag=True, help="Also show the coefficients that are zero.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead of the table.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the whole model as JSON, which `coordboost predict` can read.",
)
@OUT
def coef(run, everything, as_csv, as_json, out, **place):
    """Show the coefficients of a saved model.

    The coefficients are in the units of the columns of the table, sorted by the size of the effect.
    The effect is the coefficient times the standard deviation of its column; it needs a run file
    that holds the data. Of a run with trees or stumps, which has no coefficients of columns, the
    shares of the columns in the gains of all splits are shown.
    """
    from coordboost.engine.storage.model import RunModel

    model = _model_in(run, linear=as_json, **place)
    if isinstance(model, RunModel):
        _show_shares(model, everything, as_csv, out)
    else:
        _show_coefficients(model, everything, as_csv, as_json, out)


def _show_shares(model, everything, as_csv, out):
    """Show the share of each column in the gains of all splits, the largest first."""
    rows = [row for row in model.rows if everything or row["effect"]]
    rows.sort(key=lambda row: -row["effect"])
    shares = [(row["column"], row["effect"]) for row in rows]
    if as_csv or out is not None:
        write_out(_csv(["column", "share"], shares), out)
        return
    table = _table("share, %")
    for name, share in shares:
        table.add_row(printable(name), f"{100 * share:.3g}")
    made = model.run.method.name
    by_trees = not model.run.problem.countable
    of = "gains of all splits" if by_trees else "absolute coefficients of the stumps"
    print_parts(
        table,
        f"{made}, step {model.step:,}; {len(shares)} of {len(model.names)} columns are used. The "
        f"share of a column is that in the {of}.",
    )


def _table(*numbers):
    """Return a table of columns with numbers of these names, without rows."""
    from rich import box
    from rich.table import Column, Table

    columns = [Column(name, justify="right") for name in numbers]
    return Table(Column("column", overflow="fold"), *columns, box=box.SIMPLE_HEAD, pad_edge=False)


def _show_coefficients(model, everything, as_csv, as_json, out):
    """Show the coefficients of a ``LinearModel``, those of the largest effects first."""
    from coordboost.reporting.report import adds_to

    rows = [row for row in model.rows if everything or row["coefficient"]]
    rows.sort(
        key=lambda row: -abs(row["effect"] if row["effect"] is not None else row["coefficient"])
    )
    rows.insert(
        0, {"column": "(intercept)", "variable": "", "coefficient": model.intercept, "effect": None}
    )
    if as_json:
        write_out(model.text(), out)
    elif as_csv or out is not None:
        write_out(_csv(list(rows[0]), [row.values() for row in rows]), out)
    else:
        table = _table("coefficient", "effect of one standard deviation")
        for row in rows:
            effect = "" if row["effect"] is None else f"{row['effect']:.4g}"
            table.add_row(printable(row["column"]), f"{row['coefficient']:.6g}", effect)
        zero = model.coef.tolist().count(0)
        made = model.method if model.step is None else f"{model.method}, step {model.step:,}"
        print_parts(
            table,
            f"{made}; {zero} of {len(model.names)} coefficients are zero. The sum over the columns "
            f"is {adds_to(model)}.",
        )


@click.command(cls=Command, later=(OF_NEW_ROWS,))
@click.argument("run")
@click.argument("file")
@with_options(*PLACE_OPTIONS)
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="A column of FILE to copy next to the predictions. Repeatable.",
)
@click.option(
    "--unknown",
    type=click.Choice(["refuse", "none"]),
    default="refuse",
    help="What to do with unknown categories: none sets all columns of their variable to 0 (of two "
    "categories, the first); for trees they are missing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of CSV.")
@OUT
def predict(run, file, keep, unknown, as_json, out, step, l1, fraction, **given):
    """Predict for new rows with a saved model.

    RUN is a run file, or a model written by --no-data or `coordboost coef --json`. FILE is a table
    like that of the fit, - for standard input: its columns are matched by name, in any order, and
    other columns are ignored. With two classes, prints the probability of the second class and the
    label of the more probable one.
    """
    from coordboost.data.table import read_rows

    model = _model_in(run, linear=False, step=step, l1=l1, fraction=fraction)
    with table_file(file) as path:
        rows = read_rows(path, model, keep=keep, unknown_as_none=unknown == "none", **taken(given))
    say(rows.said)
    found = model.predict(rows.X).tolist()
    columns = {**(rows.kept or {}), ("probability" if model.two_class else "prediction"): found}
    if model.two_class:
        labels = (model.recipe.labels if model.recipe is not None else ()) or ("0", "1")
        columns["label"] = [labels[probability > 0.5] for probability in found]
    rows = zip(*columns.values(), strict=True)
    write_out(
        json.dumps(columns, indent=2, ensure_ascii=False) + "\n"
        if as_json
        else _csv(list(columns), rows),
        out,
    )


@click.command()
@click.argument("run")
@file_option("--out", "Where to write the page.  [default: next to the run, as .html]")
def report(run, out):
    """Write one HTML page about a saved run.

    The page shows data, method, path, coefficients, certificate, the theorems that apply, how to
    cite and how to reproduce. It needs no network and holds no row of the data, but it does list
    categories of text columns.
    """
    from coordboost.engine.run import load
    from coordboost.reporting.pages import html_report

    out = Path(run).with_suffix(".html") if out is None else out
    text = html_report(load(run), out, run_file=os.path.basename(run))
    click.echo(f"Written: {out} ({len(text.encode()) / 1000:.0f} kB)")


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@file_option("--plot", "Also draw their paths side by side.")
@JSON
def compare(runs, plot, as_json):
    """Compare saved runs: error, norm, certified gap, cost.

    Runs on the same problem are measured against the same optimum. Runs on different data or with
    different losses are shown, too, with a note that their numbers cannot be compared.
    """
    from coordboost.engine.refitted import with_intercept
    from coordboost.engine.run import load
    from coordboost.engine.storage.archive import write_figure
    from coordboost.reporting import report
    from coordboost.reporting.plots import path as plots

    loaded = [with_intercept(load(run)) for run in runs]
    reference, *others = (_of(one.problem) for one in loaded)
    other = next(
        (what for what, value in reference.items() if any(one[what] != value for one in others)),
        None,
    )
    optimum = report.optimum(loaded[0]) if other is None else None
    optima = [optimum if other is None else report.optimum(run) for run in loaded]
    rows = [
        {"file": file, **report.summary(*pair)}
        for file, *pair in zip(runs, loaded, optima, strict=True)
    ]
    text = []
    if other is not None:
        text.append(
            f"These runs are on different problems (not the same {other}): their errors, norms and "
            "gaps cannot be compared."
        )
    elif len(rows) > 1:
        best = min(rows, key=lambda row: row["training_error"])["file"]
        text.append(
            f"The smallest training error: {best}. For errors on new rows use `coordboost cv`."
        )
    if plot is not None:
        write_figure(plot, plots.figure(loaded, optimum=optimum))
    show(rows, text, [] if plot is None else [plot], as_json)


def _of(problem):
    """Return a dict, by name, of what runs on the same problem must have in common."""
    return {
        "target": problem.y.tobytes(),
        "loss": type(problem.loss),
        "columns": list(problem.column_names),
        "weights": problem.weight.tobytes(),
        "constant model": problem.start_loss,
    }
