"""``coordboost mca``: the minimal cosine angle of the columns of a table."""

import json

import click

from coordboost.cli.output import print_parts
from coordboost.cli.tables import TABLE_OPTIONS, read, taken, with_options

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
