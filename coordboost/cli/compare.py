"""``coordboost compare``: saved runs side by side."""

from pathlib import Path

import click

from coordboost.cli.output import print_parts, show


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also draw their paths side by side."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def compare(runs, plot, as_json):
    """Put saved runs side by side: error, norm, certified gap, cost.

    Runs on one problem are measured against the same optimum. Runs on other data or with another loss are shown, too; their numbers
    cannot be compared, and this is said.
    """
    from coordboost import report
    from coordboost.paths.refitted import with_intercept
    from coordboost.run import load

    loaded = [with_intercept(load(run)) for run in runs]
    first, *others = (_of(one.problem) for one in loaded)
    other = next((what for what, value in first.items() if any(one[what] != value for one in others)), None)
    same = other is None
    optimum = report.optimum(loaded[0]) if same else None
    rows = [
        {"file": file, **report.summary(run, optimum if same else report.optimum(run))}
        for file, run in zip(runs, loaded, strict=True)
    ]
    text = []
    if not same:
        text.append(
            f"These runs are on different problems (not the same {other}): their errors, norms and gaps cannot be compared."
        )
    elif len(rows) > 1:
        best = min(range(len(rows)), key=lambda i: rows[i]["training_error"])
        text.append(f"The smallest training error is that of {runs[best]}. What is smaller on new rows, `coordboost cv` tells.")
    if plot is not None:
        from coordboost.plots import path as plots
        from coordboost.storage.archive import write_figure

        write_figure(plot, plots.figure(loaded, optimum=optimum))
    if as_json or plot is not None:
        show(rows, text, [plot] if plot is not None else [], as_json)
    else:
        print_parts(report.table(rows), *text)


def _of(problem):
    """What two runs on one problem have in common, by what it is called."""
    return {
        "target": problem.y.tobytes(),
        "loss": type(problem.loss),
        "columns": list(problem.column_names),
        "weights": problem.weight.tobytes(),
        "constant model": problem.start_loss,
    }
