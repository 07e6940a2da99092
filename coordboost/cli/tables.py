"""The options of commands that read a table, and how they become a table."""

import re

import click

#: What may be said about a table; the reader guesses the rest and says what it guessed.
TABLE_OPTIONS = [
    click.option("--sep", metavar="C", help="What separates cells; 's' for spaces, 't' for tabs.  [default: guessed]"),
    click.option("--decimal", metavar="C", help="The decimal mark.  [default: guessed]"),
    click.option("--thousands", metavar="C", help="The mark between thousands.  [default: guessed]"),
    click.option("--encoding", metavar="NAME", help="Of a text file, such as utf-8, cp1252.  [default: guessed]"),
    click.option(
        "--na", multiple=True, metavar="WORD", help="A word that means missing, beside NA, N/A, nan, null, ... Repeatable."
    ),
    click.option("--text", multiple=True, metavar="NAME", help="A column to take as text, whatever is in it. Repeatable."),
    click.option("--drop", multiple=True, metavar="NAME", help="A column to leave out. Repeatable."),
    click.option("--date-format", metavar="FORMAT", help='How dates are written, as "%d/%m/%Y".  [default: guessed]'),
    click.option("--sheet", metavar="NAME", help="The sheet of a workbook.  [default: the first]"),
    click.option(
        "--impute",
        metavar="HOW",
        help="Gaps: median (of text the most frequent word), indicator (the same, and a column that says where gaps were), drop (the "
        "rows).  [default: gaps are refused]",
    ),
]
NAMES = ("sep", "decimal", "thousands", "encoding", "na", "text", "drop", "date_format", "sheet", "impute")
SEPARATORS = {"s": r"\s+", "t": "\t", "\\t": "\t"}


def with_options(options):
    """A decorator that gives a command all of `options`, in this order."""

    def decorate(command):
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def without(options, *names):
    """Those of `options` that have none of the names."""
    return [option for option in options if option(lambda: None).__click_params__[0].name not in names]


def in_options(text):
    """A sentence with the options of the reader as the command line writes them: ``na=`` becomes ``--na ``."""
    return re.sub(rf"\b({'|'.join(NAMES)})=", lambda found: f"--{found[1].replace('_', '-')} ", text)


def taken(given):
    """The options of the reader out of all that were given, which lose them."""
    found = {name: given.pop(name) for name in NAMES if name in given}
    found["sep"] = SEPARATORS.get(found.get("sep"), found.get("sep"))
    return {name: value for name, value in found.items() if value not in (None, ())}


def read(file, target, options):
    """The table in `file`; what was guessed is said in one line on stderr."""
    from coordboost.readers import read_table

    table = read_table(file, target, **options)
    say(table.said)
    return table


def say(said):
    """What was guessed, in one line on stderr."""
    if said:
        click.echo(f"note: {in_options('; '.join(said))}", err=True)
