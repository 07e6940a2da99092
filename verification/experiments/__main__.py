"""Run the experiments of the papers: ``python -m verification.experiments [NAME ...] [--all]
[--quick] [--out DIR]``.

Write NAME.png, NAME.csv and NAME.json (the verdicts) of each experiment, NAME.gif if it is
animated, and print a verdict for each claim. Without a name, print the list of experiments. With
``--keep`` the verdicts are stored in ``results/``, from which ``--page FILE`` writes the page
``docs/experiments.md``.
"""

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table as Sheet
from threadpoolctl import threadpool_limits

from verification.experiments import page, results
from verification.experiments.data import load
from verification.experiments.experiment import conduct, experiments
from verification.sets import Absent


def listed(found, console):
    """Print all experiments with their sources, data and CPU seconds."""
    sheet = Sheet(title="experiments; CPU seconds, compilation apart", title_justify="left")
    for head in ("name", "source", "data"):
        sheet.add_column(head, overflow="fold")
    for head in ("quick", "full"):
        sheet.add_column(head, justify="right")
    for result in found.values():
        sheet.add_row(
            result.name,
            result.source,
            ", ".join(result.data) or "none",
            *(f"{s:g}" for s in result.seconds),
        )
    console.print(sheet)
    console.print(
        f"{click.get_current_context().command_path} NAME [--quick] [--out DIR], or --all in the "
        "place of NAME."
    )


def told(report, console):
    """Print the verdicts of a report."""
    form = "quick" if report.quick else "full"
    sheet = Sheet(
        title=f"{report.experiment.name}: {report.experiment.source} ({form}, "
        f"{report.seconds:.1f} s)",
        title_justify="left",
    )
    for head in ("claim", "from", "ours", "verdict", "statistic"):
        sheet.add_column(head, overflow="fold")
    for claim, verdict in zip(report.experiment.claims, report.verdicts, strict=True):
        sheet.add_row(
            claim.words, str(claim.source), verdict.ours, verdict.outcome, verdict.statistic
        )
    console.print(sheet)


def written(report, folder):
    """Write the table, the verdicts, the picture and the animation of a report."""
    one = report.experiment
    report.table.write(folder / f"{one.name}.csv")
    (folder / f"{one.name}.json").write_text(results.text(results.record(report)), encoding="utf-8")
    if one.draw is not None:
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        one.draw(figure, report.table)
        figure.savefig(folder / f"{one.name}.png", dpi=120)
    if one.animate is not None:
        from matplotlib.animation import PillowWriter
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        writer = PillowWriter(fps=6)
        show, n_frames = one.animate(figure, report.table)
        show(0)
        figure.draw_without_rendering()
        # keep the layout of the first frame, so that nothing jumps
        figure.set_layout_engine("none")
        with writer.saving(figure, folder / f"{one.name}.gif", dpi=80):
            for k in range(n_frames):
                show(k)
                writer.grab_frame()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="All experiments; those whose data are missing are named and left out.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="Fewer splits and steps: all experiments in less than three minutes of CPU.",
)
@click.option(
    "--keep",
    is_flag=True,
    help="Store the verdicts of the full form in the checkout; the page is made of them.",
)
@click.option(
    "--page",
    "document",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the page of all stored verdicts.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("experiments"),
    show_default=True,
)
def main(names, every, quick, keep, document, out):
    """Run the experiments of the papers again, and judge the claims of the papers."""
    found = experiments()
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False, markup=False)
    unknown = [name for name in names if name not in found]
    if unknown:
        raise click.UsageError(
            f"no experiment has the name {unknown[0]!r}; there are {', '.join(found)}."
        )
    if keep and quick:
        raise click.UsageError("--keep stores verdicts of the full form; leave out --quick.")
    if not names and not every and document is None:
        listed(found, console)
        return
    sets = {}
    for name in found if every else names:
        try:
            sets |= {one: load(one) for one in found[name].data if one not in sets}
        except Absent as absent:
            if not every:
                raise click.ClickException(f"{name}: {absent}") from None
            click.echo(f"{name} is left out: {absent}", err=True)
            continue
        with threadpool_limits(1):
            report = conduct(found[name], {one: sets[one] for one in found[name].data}, quick)
        out.mkdir(parents=True, exist_ok=True)
        told(report, console)
        written(report, out)
        if keep:
            results.path(name).write_text(results.text(results.record(report)), encoding="utf-8")
    if document is not None:
        document.write_text(page.page(), encoding="utf-8")


if __name__ == "__main__":
    main()
