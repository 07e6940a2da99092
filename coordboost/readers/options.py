"""What a user may say about a table that is otherwise guessed."""

from typing import NamedTuple

from coordboost._checks import shown
from coordboost.data.recipe import IMPUTE
from coordboost.readers.dialect import SPACES


class _Options(NamedTuple):
    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    na: tuple = ()
    text: tuple = ()
    drop: tuple = ()
    date_format: str | None = None
    sheet: str | None = None
    impute: str | None = None


class Options(_Options):
    """How a table is to be read.

    sep, decimal, thousands : one character each (sep also ``dialect.SPACES``);  encoding : a codec; None: guessed
    na : words (one or several) that mean "missing", beside those that pandas knows;  text : names of columns of text, whatever is in them
    drop : names of columns to leave out;  date_format : how dates are written, as for ``datetime.strptime``;  sheet : of a workbook
    impute : None refuses gaps; "median" (text: the most frequent category); "indicator" (the same, and a 0/1 column where gaps were);
    "drop" (rows with gaps are left out)

    Raises
    ------
    ValueError
        For anything else.
    """

    __slots__ = ()

    def __new__(cls, **given):
        if unknown := [name for name in given if name not in cls._fields]:
            raise ValueError(f"a table is read with {', '.join(cls._fields)}, got {unknown[0]!r}.")
        made = super().__new__(cls, **given)
        for name in ("na", "text", "drop"):
            value = getattr(made, name)
            value = (value,) if isinstance(value, str) or not hasattr(value, "__iter__") or isinstance(value, dict) else tuple(value)
            if not all(isinstance(one, str) for one in value):
                raise ValueError(f"{name} must be a string or a sequence of strings, got {shown(value)}.")
            made = made._replace(**{name: value})
        for name in ("encoding", "date_format"):
            if not isinstance(word := getattr(made, name), str | None) or word == "":
                raise ValueError(f"{name} must be a string or None, got {shown(word)}.")
        if not isinstance(made.sheet, str | int | None) or isinstance(made.sheet, bool):
            raise ValueError(f"sheet must be the name of a sheet, or its number from 0 on, got {shown(made.sheet)}.")
        if not isinstance(made.impute, str | None) or made.impute not in (None, *IMPUTE):
            raise ValueError(f"impute must be one of {', '.join(IMPUTE)} or None, got {shown(made.impute)}.")
        _check_marks(made)
        return made


def _check_marks(made):
    """Refuse marks that cannot be told from each other, or from what they part."""
    for name, no_mark in (("sep", '"\r\n'), ("decimal", '"+-\r\n'), ("thousands", '"+-\r\n')):
        mark = getattr(made, name)
        if mark is None or (name == "sep" and mark == SPACES):
            continue
        if not isinstance(mark, str) or len(mark) != 1 or mark in no_mark or (name != "sep" and mark.isalnum()):
            more = f", or {SPACES!r} for spaces" if name == "sep" else ""
            raise ValueError(f"{name} must be one character that stands in no number or name{more}, got {shown(mark)}.")
    if made.decimal is not None and made.decimal == made.thousands:
        raise ValueError(f"decimal and thousands must be different characters, got {made.decimal!r} for both.")


def refuse_options(path, options, names, what):
    """Refuse options that only `what` has, given for another file."""
    for name in names:
        if (value := getattr(options, name)) is not None:
            raise ValueError(f"{path}: {name}={shown(value)} is for {what}: leave it out")
