"""``coordboost check``: the theorems held against one run. ``coordboost mca``: the minimal cosine angle of the columns of a table."""

import json
from pathlib import Path

import click

from coordboost.cli.output import TABLE_OPTIONS, doing, print_parts, read, taken, with_options

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
        from coordboost.plots.gaps import bounds
        from coordboost.storage.archive import write_figure

        write_figure(plot, bounds(checks, f"{done.method.name}, {done.n_steps:,} steps"))
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        words = [VACUOUS] if any(row["verdict"] == "vacuous" for row in found) else []
        print_parts(_table(found), *([HELD] if all(row["holds"] for row in found) else []), *words)
    broken = [row for row in found if not row["holds"]]
    if broken:
        raise ValueError(f"{len(broken)} of {len(found)} bounds fail, first {broken[0]['statement']} ({broken[0]['variant']}).")


#: Rules by name: which options must be given, and which others may be.
RULES = {"full": ((), ()), "subset": (("--t",), ()), "groups": ((), ("--groups", "--t"))}


def _rule(name, t):
    """The selection rule of this name."""
    from coordboost.pieces.selection import Full, Groups, Subset

    return {"full": Full, "subset": lambda: Subset(t), "groups": lambda: Groups(1 if t is None else t)}[name]()


def _labels(ctx, param, value):
    """Labels separated by commas, as a list, or None."""
    return None if value is None else [label.strip() for label in value.split(",")]


@click.command()
@click.argument("file")
@click.option(
    "--rule", default="full", show_default=True, type=click.Choice(list(RULES)), help="Which learners a step looks at."
)
@click.option("--t", type=click.IntRange(1), metavar="N", help="How many learners (subset) or groups (default 1) are drawn.")
@click.option(
    "--groups", callback=_labels, metavar="A,A,B,...", help="Labels of the columns, for --rule groups.  [default: by variable]"
)
@click.option("--second-moment", is_flag=True, help="The second-moment angle, a sharper constant in the rate.")
@click.option("--target", metavar="NAME", help="Column (CSV) or array (npz) to leave out.  [default: y]")
@click.option("--center/--no-center", default=True, help="Centre the columns first.  [default: center]")
@click.option(
    "--starts", type=click.IntRange(1), default=24, show_default=True, metavar="N", help="Local searches for the upper end."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Seed of the searches.")
@with_options(TABLE_OPTIONS)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def mca(file, rule, t, groups, second_moment, target, center, starts, seed, as_json, **given):
    """Measure how well the columns of a table cover the directions they span.

    The minimal cosine angle Theta is between 0 and 1; with a sigma-smooth, mu-strongly convex loss a step of boosting shrinks
    the expected gap by the factor 1 - (mu / sigma) Theta^2 at least. Theta is computed exactly where that is cheap, and is
    otherwise an interval whose two ends are proved. FILE as for `coordboost fit`.
    """
    from coordboost.geometry import mca as first
    from coordboost.geometry import second_moment_mca as second
    from coordboost.problem import Problem
    from coordboost.targets import outwards

    needs, takes = RULES[rule]
    for option, value in (("--t", t), ("--groups", groups)):
        if value is None and option in needs:
            raise click.UsageError(f"--rule {rule} needs {option}.")
        if value is not None and option not in needs + takes:
            raise click.UsageError(f"--rule {rule} does not take {option}.")
    table = read(file, target, taken(given))
    if rule == "groups" and groups is None and len(set(table.groups)) == len(table.groups):
        raise click.UsageError("--rule groups needs --groups: every column of this table is a variable of its own.")
    groups = table.groups if groups is None else groups
    problem = Problem(table.X, 0.0 * table.y, center=center, groups=groups, feature_names=table.feature_names)
    found = (second if second_moment else first)(problem, _rule(rule, t), n_starts=starts, rng=seed)
    row = {
        "n_samples": problem.n_samples,
        "n_learners": problem.n_learners,
        "rule": rule,
        "t": t,
        "second_moment": second_moment,
        "lower": found.lower,
        "upper": found.upper,
        "method": found.witness["method"],
    }
    if as_json:
        click.echo(json.dumps(row, indent=2))
    else:
        name = "second-moment angle" if second_moment else "minimal cosine angle"
        lower, upper = outwards(found.lower, found.upper, 6)
        print_parts(f"{name} of {problem.n_learners} learners: between {lower} and {upper} ({row['method']})")
