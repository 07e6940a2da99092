"""``coordboost check``: the theorems held against one run."""

import json
from pathlib import Path

import click

from coordboost.cli.output import doing, print_parts

HELD = "Every bound holds. tightest: the largest measured value over its bound after the start; 1 is attained, 0.01 is loose."
VACUOUS = "vacuous: the bound holds, but promises less than one percent more than what is known without it."


def _table(found):
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in ("statement", "variant", "holds", "level"):
        table.add_column(head, no_wrap=True)
    table.add_column("tightest", justify="right")
    table.add_column("claim", overflow="fold")
    for row in found:
        ratio = "-" if row["tightest"] is None else f"{row['tightest']:.3g}"
        holds = {"verified": "yes", "vacuous": "yes, vacuous", "refuted": f"NO, k = {row['first_violation']}"}[row["verdict"]]
        table.add_row(row["statement"], row["variant"], holds, row["level"], ratio, row["claim"])
    return table


@click.command()
@click.argument("run")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also draw measured values and bounds."
)
@click.option(
    "--statement", "names", multiple=True, metavar="NAME", help='Only these, as "Theorem 2.1". Repeatable.  [default: all]'
)
@click.option(
    "--angle-learners", type=click.IntRange(0), default=24, show_default=True, metavar="N",
    help="The minimal cosine angle is searched for up to so many learners: a second for 12, half a minute for 40, minutes for 100.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def check(run, plot, names, angle_learners, as_json):
    """Hold every theorem that speaks about a run against it.

    Replays the run in the file RUN, measures what the theorems bound at every step, and compares. Speaks about ls_boost,
    forward_stagewise, regularized_forward_stagewise, path_forward_stagewise and frank_wolfe with the squared loss, random
    methods by repeated runs, agbm and agbmr where few learners have a certified angle, rgb on trees and two
    classes, and sglb with the squared loss and a choice that does not look at the residual. Exits with 1 if a bound fails: then the
    data are not what the theorem needs, or this program is wrong.
    """
    from coordboost.bounds import STATEMENTS
    from coordboost.bounds import check as hold
    from coordboost.run import load

    done = load(run)
    with doing("check", quiet=as_json) as watch:
        checks = hold(done, list(names) or None, angle_learners=angle_learners, watch=watch)
    claims = {(one.name, one.variant): one.claim for one in STATEMENTS}
    found = [{**one.as_dict(), "claim": claims[one.name, one.variant]} for one in checks]
    if plot is not None:
        from coordboost.plots.bounds import bounds
        from coordboost.storage.beside import write_figure

        write_figure(plot, bounds(checks, f"{done.method.name}, {done.n_steps:,} steps"))
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        words = [VACUOUS] if any(row["verdict"] == "vacuous" for row in found) else []
        print_parts(_table(found), *([HELD] if all(row["holds"] for row in found) else []), *words)
    broken = [row for row in found if not row["holds"]]
    if broken:
        raise ValueError(f"{len(broken)} of {len(found)} bounds fail, first {broken[0]['statement']} ({broken[0]['variant']}).")
