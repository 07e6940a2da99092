"""Commands that prove something.

``certify`` a model, ``check`` a run, ``mca``, the minimal cosine angle of the columns of a table.
"""

from functools import partial

import click

from coordboost.reporting.cli.options import (
    JSON,
    SEED,
    TABLE,
    Command,
    file_option,
    mirrored,
    size_option,
    taken,
    whole_number,
    with_options,
)
from coordboost.reporting.cli.output import answer, doing, say
from coordboost.reporting.cli.tables import table_file

HELD = (
    "Every bound holds. tightest: the largest ratio of measured value to bound after the start; 1 "
    "is attained, 0.01 is loose. An excess "
    "over 1 is within rounding or, for repeated runs, sampling error."
)
VACUOUS = (
    "vacuous: the bound holds, but is less than one percent better than what is known without it."
)


@click.command()
@click.argument("run")
@click.option(
    "--independent",
    is_flag=True,
    help="Also let a general convex solver (cvxpy) solve the problem, and compare.",
)
@size_option("--ball", "radius", "R", "Compare with the best model whose l1 norm is at most R.")
@size_option(
    "--lam", "lam", "X", "Compare with the best model under a penalty of X times the l1 norm."
)
@JSON
def certify(run, independent, radius, lam, as_json):
    """Prove how close a saved model is to the best one.

    Everything is recomputed from the data and the coefficients in the file RUN. The smallest
    possible loss (a sum over samples) lies between the two printed bounds. Without --ball and --lam
    it refers to the problem that the method of the run solves: least squares for ls_boost and
    forward_stagewise with the squared loss, the Lasso for regularized_forward_stagewise. Where no
    bound is known for that problem, as for the logistic loss without a constraint, it refers to the
    ball whose radius is the l1 norm of the model. l1 norms are those of columns of norm 1.
    """
    from coordboost.certificates import certify
    from coordboost.certificates.objectives import L1Ball, L1Penalty
    from coordboost.engine.refitted import with_intercept
    from coordboost.engine.run import load
    from coordboost.reporting import report

    if radius is not None and lam is not None:
        raise click.UsageError("--ball and --lam name two different optima; give one of them.")
    done = with_intercept(load(run))
    last = done.final
    target = (
        L1Ball(radius)
        if radius is not None
        else L1Penalty(lam)
        if lam is not None
        else report.reached(done)
    )
    found = report.verdict(
        done.problem, certify(last.problem, last.beta, target, independent=independent)
    )
    answer(found, [report.verdict_table(found), *report.verdict_text(found)], as_json)


@click.command()
@click.argument("run")
@file_option("--plot", "Also draw measured values and bounds.")
@click.option(
    "--statement",
    "names",
    multiple=True,
    metavar="NAME",
    help='Check only these, as "Theorem 2.1". Repeatable.  [default: all]',
)
@whole_number(
    "--angle-learners",
    0,
    24,
    "Search for the minimal cosine angle of at most N learners: a second for 12, half a minute for "
    "40, minutes for 100.",
)
@JSON
def check(run, plot, names, angle_learners, as_json):
    """Check all theorems that apply to a run.

    Replays the run in the file RUN, measures at every step the quantity that a theorem bounds, and
    compares the two. There are theorems for ls_boost, forward_stagewise,
    regularized_forward_stagewise, path_forward_stagewise and frank_wolfe with the squared loss; for
    random methods, by repeated runs; for agbm and agbmr with few learners, whose angle is
    certified; for rgb on trees and two classes; and for sglb with the squared loss and a selection
    that ignores the residual. Exits with 1 if a bound fails: then the data violate an assumption of
    the theorem, or this program is wrong.
    """
    from rich.table import Column, Table

    from coordboost.engine.run import load
    from coordboost.engine.storage.archive import write_figure
    from coordboost.reporting.plots.gaps import bounds
    from coordboost.theory.bounds import check as hold

    done = load(run)
    with doing("check", quiet=as_json) as watch:
        checks = hold(done, list(names) or None, angle_learners=angle_learners, watch=watch)
    found = [{**result.as_dict(), "claim": result.claim} for result in checks]
    broken = [row for row in found if not row["holds"]]
    if plot is not None:
        write_figure(plot, bounds(checks, f"{done.method.name}, {done.n_steps:,} steps"))
    short = [Column(name, no_wrap=True) for name in ("statement", "variant", "holds", "level")]
    table = Table(
        *short,
        Column("tightest", justify="right"),
        Column("claim", overflow="fold"),
        box=None,
        pad_edge=False,
    )
    for row in found:
        ratio = "-" if row["tightest"] is None else f"{row['tightest']:.3g}"
        holds = {
            "verified": "yes",
            "vacuous": "yes, vacuous",
            "refuted": f"NO, k = {row['first_violation']}",
        }[row["verdict"]]
        table.add_row(row["statement"], row["variant"], holds, row["level"], ratio, row["claim"])
    vacuous = any(row["verdict"] == "vacuous" for row in found)
    notes = [f"{result.name}: {result.note}." for result in checks if result.note]
    answer(
        found,
        [table, *([] if broken else [HELD]), *([VACUOUS] if vacuous else []), *notes],
        as_json,
    )
    if broken:
        raise ValueError(
            f"{len(broken)} of {len(found)} bounds fail, first {broken[0]['statement']} "
            f"({broken[0]['variant']})."
        )


@click.command(cls=Command, later=(partial(mirrored, "data.problem", "Problem", "center"), TABLE))
@click.argument("file")
@click.option(
    "--rule",
    default="greedy",
    type=click.Choice(["greedy", "subset", "groups"]),
    help="Candidates of a step.",
)
@whole_number("--t", 1, None, "How many learners (subset) or groups (default 1) are drawn.")
@click.option(
    "--groups",
    metavar="A,A,B,...",
    help="Labels of the columns, for --rule groups.  [default: by variable]",
)
@click.option(
    "--second-moment", is_flag=True, help="The second-moment angle, a sharper constant in the rate."
)
@click.option(
    "--target", metavar="NAME", help="Column (CSV) or array (npz) to leave out.  [default: y]"
)
@with_options(
    whole_number("--starts", 1, 24, "Local searches for the upper end."),
    SEED,
    JSON,
)
def mca(file, rule, t, groups, second_moment, target, center, starts, seed, as_json, **given):
    """Measure how well the columns of a table cover the directions they span.

    The minimal cosine angle Theta is between 0 and 1. With a sigma-smooth, mu-strongly convex loss,
    each boosting step multiplies the expected gap by at most 1 - (mu / sigma) Theta^2. Theta is
    computed exactly where that is cheap; otherwise the result is an interval with two proved ends.
    FILE as for `coordboost fit`.
    """
    from coordboost.angles.angle import mca as first
    from coordboost.angles.angle import second_moment_mca as second
    from coordboost.certificates.objectives import outwards
    from coordboost.data.problem import Problem
    from coordboost.data.table import read_table
    from coordboost.rules.selection import Greedy, Groups, RandomSubset

    takes = {"greedy": (), "subset": ("--t",), "groups": ("--t", "--groups")}[rule]
    foreign = [
        option
        for option, value in (("--t", t), ("--groups", groups))
        if value is not None and option not in takes
    ]
    if foreign:
        raise click.UsageError(f"--rule {rule} does not take {', '.join(foreign)}.")
    if rule == "subset" and t is None:
        raise click.UsageError("--rule subset needs --t.")
    with table_file(file) as path:
        table = read_table(path, target, **taken(given))
    say(table.said)
    labels = table.groups if groups is None else [label.strip() for label in groups.split(",")]
    if rule == "groups" and groups is None and len(set(labels)) == len(labels):
        raise click.UsageError(
            "--rule groups needs --groups: every column of this table is a variable of its own."
        )
    problem = Problem(
        table.X, 0.0 * table.y, center=center, groups=labels, feature_names=table.feature_names
    )
    chosen = {"greedy": Greedy(), "subset": RandomSubset(t or 1), "groups": Groups(t or 1)}[rule]
    found = (second if second_moment else first)(problem, chosen, n_starts=starts, rng=seed)
    how = found.witness["method"]
    name, (lower, upper) = (
        "second-moment angle" if second_moment else "minimal cosine angle",
        outwards(found.lower, found.upper, 6),
    )
    row = {
        "n_samples": problem.n_samples,
        "n_learners": problem.n_learners,
        "rule": rule,
        "t": t,
        "second_moment": second_moment,
        "lower": found.lower,
        "upper": found.upper,
        "method": how,
    }
    answer(
        row,
        [f"{name} of {problem.n_learners} learners: between {lower} and {upper} ({how})"],
        as_json,
    )
