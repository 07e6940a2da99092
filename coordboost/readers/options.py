"""What a user may say about a table that is otherwise guessed."""

from typing import NamedTuple

from coordboost._checks import shown
from coordboost.data.recipe import IMPUTE


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
            value = (value,) if isinstance(value, str) else tuple(value)
            if not all(isinstance(one, str) for one in value):
                raise ValueError(f"{name} must be a string or a sequence of strings, got {shown(value)}.")
            made = made._replace(**{name: value})
        for name in ("decimal", "thousands"):
            if (mark := getattr(made, name)) and len(mark) != 1:
                raise ValueError(f"{name} must be one character, got {shown(mark)}.")
        if made.impute not in (None, *IMPUTE):
            raise ValueError(f"impute must be one of {', '.join(IMPUTE)} or None, got {shown(made.impute)}.")
        return made
