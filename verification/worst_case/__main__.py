"""``python -m verification.worst_case NAME --n N --theta T``: the worst case as an interval, beside
the bounds of the papers.
"""

import time
from fractions import Fraction

import click

from verification.worst_case.catalogue import CASES
from verification.worst_case.interval import worst_case
from verification.worst_case.table import conjectured, page, picture, proved


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False, type=click.Choice(list(CASES)), metavar="[NAME]")
@click.option(
    "--n", "n", type=click.IntRange(1, 30), default=4, show_default=True, help="Number of steps."
)
@click.option(
    "--theta",
    default="7/10",
    show_default=True,
    help="Minimal cosine angle, a fraction such as 7/10 or 0.7.",
)
@click.option(
    "--table",
    type=click.Path(),
    help="Write the table of all cases, n = 1, ..., 8, to this file, and its picture beside it.",
)
def main(name, n, theta, table):
    """Print the worst case of NAME over all functions and all dictionaries.

    Without a name, list the names.
    """
    if table is not None:
        intervals = page(table)
        click.echo(f"{len(intervals)} intervals; picture: {picture(intervals, table)}")
        return
    if name is None:
        for known, case in CASES.items():
            click.echo(f"{known:22} {case.words}")
        return
    began = time.perf_counter()
    try:
        found = worst_case(name, n, Fraction(theta) if CASES[name].angles else Fraction(1))
    except (ValueError, ZeroDivisionError) as fault:
        raise click.ClickException(str(fault)) from None
    click.echo(CASES[name].words)
    click.echo(f"n = {n}" + (f", Theta = {found.theta}" if CASES[name].angles else ""))
    click.echo(f"at least {found.lower:.9f}  (a run)")
    click.echo(f"at most  {found.upper:.9f}  (a proof in fractions)")
    for variant, value in found.bounds.items():
        said = "fails" if found.lower > value else f"{value / found.upper:.3g} times the worst case"
        click.echo(f"bound as {variant}: {value:.9f}, {said}")
    guess = conjectured(found)
    if guess is not None:
        known = "closed form, proved in fractions" if proved(found, guess) else "conjecture"
        click.echo(f"{known}: {guess} = {float(guess):.9f}")
    click.echo(f"{time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
