"""What a column of a table holds: numbers, dates or categories; each becomes float64 numbers, or codes of categories.

Text is judged by its different values, not row by row, so that a column of millions of cells with a few words costs little.
"""

import functools
import math
import numbers
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from coordboost.data.dates import days, days_of, odd_one
from coordboost.data.names import listed

#: Words that mean "missing" in a column whose other entries are numbers or dates, beside those that pandas knows.
WORDS = {
    "?",
    "-",
    "--",
    ".",
    "*",
    "na",
    "n.a.",
    "none",
    "missing",
    "unknown",
    "not available",
    "not applicable",
    "no data",
    "nil",
}
#: Whole numbers beyond this are not all float64 numbers.
WHOLE = 1 << 53
NUMBER, DATE, CATEGORY = "number", "date", "category"


@functools.cache
def grouped(thousands, decimal):
    """What a number with marks between its thousands looks like; between lakhs there are two digits."""
    mark, point = re.escape(thousands), re.escape(decimal)
    return re.compile(rf"[+-]?\d{{1,3}}({mark}\d{{2,3}})*{mark}\d{{3}}({point}\d*)?([eE][+-]?\d+)?")


def misplaced(thousands):
    """What no number has that is `grouped`, to be sought in the text of many cells: a mark that does not part groups of digits."""
    mark = re.escape(thousands)
    return re.compile(rf"{mark}(?:(?<!\d{mark})|(?<=\d{{4}}{mark})|(?!\d{{3}}(?!\d)|\d{{2}}{mark}))")


class Cells(NamedTuple):
    """How the cells of a table are written, and where its rows are.

    where : function of a row number, from 0, that says in words where the row is ("line 7")
    decimal, thousands : marks in numbers, the second may be "";  day_format : how dates are written, None to find out
    """

    where: Callable[[int], str] = "row {} (counted from 0)".format
    decimal: str = "."
    thousands: str = ""
    day_format: str | None = None

    def number(self, value):
        """A cell as a float, NaN for an empty one, None for text; ``1_000`` is a number to ``float`` but not in a table."""
        if not isinstance(value, str) and isinstance(value, numbers.Real):
            return float(value) if abs(value) < 1e308 else math.inf
        text = str(value).strip()
        if not text:
            return math.nan
        if text[0].isalpha() and text[0] not in "niNI":
            return None  # most words are told by their first letter; nan and inf are numbers to ``float``
        if self.thousands and self.thousands in text:
            if not grouped(self.thousands, self.decimal).fullmatch(text):
                return None  # the marks of a date, say
            text = text.replace(self.thousands, "")
        if self.decimal != "." and "." in text:
            return None  # 1.362 may be 1362
        try:
            return float(text.replace(self.decimal, ".")) if "_" not in text else None
        except ValueError:
            return None


class Column(NamedTuple):
    """A column that was understood.

    kind : ``NUMBER``, ``DATE`` or ``CATEGORY``
    values : float64 (n_rows,), NaN where missing, or whole numbers; of a category int64 codes, places in `levels`, -1 where missing
    levels : tuple of str: the categories, sorted; of dates how they are written, one entry;  said : what was guessed, or ""
    """

    kind: str
    values: np.ndarray
    levels: tuple = ()
    said: str = ""

    @property
    def missing(self):
        """Rows whose cell is missing, (n_rows,) of bool."""
        return self.values < 0 if self.kind == CATEGORY else np.isnan(self.values)


def cell(text):
    """A cell in quotes, cut short where it is long."""
    text = " ".join(str(text).split())
    return repr(text if len(text) <= 40 else f"{text[:28]}...{text[-8:]} ({len(text)} characters)")


def text_of(value):
    """The cell as the name of a category: 1.0 is written 1, as in a column of whole numbers."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def column_of(name, series, cells, kind=None):
    """A column of a data frame, understood.

    Parameters
    ----------
    name : str;  series : pandas Series
    cells : Cells
    kind : what the column must be, or None: it is guessed

    Raises
    ------
    ValueError
        One sentence on the first cell that does not fit: where, what, and what to do.
    """
    sort = getattr(series.dtype, "kind", "O")
    if sort in "Mm" and kind in (None, DATE):
        return Column(DATE, days_of(series), ("",))
    if sort in "biuf" and (kind in (None, NUMBER) or (kind == DATE and series.isna().all())):
        return Column(kind or NUMBER, _numbers(name, series, cells), ("",) if kind == DATE else ())
    return _from_values(name, series, cells, kind)


def _numbers(name, series, cells):
    """The numbers of a column that has a numeric dtype, finite or missing; whole ones without gaps as they are, not copied."""
    plain = isinstance(series.dtype, np.dtype)
    values = series.to_numpy() if plain else series.to_numpy(dtype=np.float64, na_value=np.nan)
    if plain and series.dtype.kind == "b":
        return values.astype(np.float64)
    if math.isinf(values.max(initial=0.0)) or math.isinf(values.min(initial=0.0)):
        row = int(np.flatnonzero(np.isinf(values))[0])
        place = f"{cells.where(row)}, column {name!r}"
        raise ValueError(
            f"{place} holds {values[row]}, or a number beyond float64: write a finite number, or leave the cell empty."
        )
    if series.dtype.kind in "iu" and len(values) and max(values.max(), -float(values.min())) >= WHOLE:
        whole = series.dropna().unique()
        _check_whole(
            name, [int(one) for one in whole[:100_000]], lambda one: cells.where(int(np.flatnonzero(series == one)[0]))
        )
    return values


def _check_whole(name, whole, where):
    """Refuse different whole numbers that are one float64 number; ``where(number)`` says in words which row holds it first."""
    seen = {}
    for one in whole:
        if abs(one) >= WHOLE and seen.setdefault(float(one), one) != one:
            raise ValueError(
                f"{where(one)}, column {name!r} holds {cell(one)}, which float64 cannot tell from {cell(seen[float(one)])} in another "
                f"row: subtract a constant from the column, take it as text (text={name!r}), or leave it out (drop={name!r})."
            )


def _from_values(name, series, cells, kind):
    """A column of text or of mixed cells, from its different values."""
    import pandas as pd

    try:
        codes, distinct = pd.factorize(series, use_na_sentinel=True)
    except (TypeError, ValueError, NotImplementedError):
        raise ValueError(f"column {name!r} holds lists or the like: leave it out (drop={name!r}).") from None
    distinct = np.asarray(distinct, dtype=object).tolist()
    if kind == CATEGORY or isinstance(series.dtype, pd.CategoricalDtype):
        return _category(codes, distinct)
    found = [cells.number(value) for value in distinct]
    text = [str(value).strip() for value, number in zip(distinct, found, strict=True) if number is None]
    words = {word for word in text if word.lower() in WORDS}
    said = f"{listed([repr(word) for word in sorted(words)])} in {name!r} read as missing" if words else ""
    if kind != DATE and len(words) == len(set(text)) and (len(text) < len(distinct) or kind == NUMBER or not distinct):
        values = _looked_up(name, codes, distinct, found, cells)
        first = {value: code for code, value in enumerate(distinct) if isinstance(value, int)}
        _check_whole(name, list(first), lambda one: cells.where(int(np.argmax(codes == first[one]))))
        return Column(NUMBER, values, (), said)
    if kind != NUMBER and (cells.day_format or kind or len(text) == len(distinct)):
        place = f"{cells.where(int(np.argmax(codes == 0)))}, column {name!r}" if len(distinct) else name
        written = days([None if str(value).strip() in words else value for value in distinct], place, cells.day_format)
        if written is not None:
            return Column(DATE, _taken(np.array(written[1]), codes), (written[0],), said)
        if kind is None and (j := odd_one(distinct)) is not None:
            _refuse_mixed(name, codes, distinct, np.arange(len(distinct)) == j, cells, "among dates")
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
    odd = np.array([number is None for number in found])
    if kind in (NUMBER, DATE) or 2 * counts[~odd].sum() >= counts.sum() > 0:
        among = "among numbers" if kind is None else f"where {kind}s belong"
        _refuse_mixed(name, codes, distinct, odd | (kind == DATE), cells, among)
    return _category(codes, distinct)


def _looked_up(name, codes, distinct, found, cells):
    values = _taken(np.array([math.nan if number is None else number for number in found]), codes)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        said = cell(distinct[codes[row]])
        raise ValueError(
            f"{cells.where(row)}, column {name!r} holds {said}, beyond float64: write a smaller number, or leave it empty."
        )
    return values


def _taken(numbers_of, codes):
    return np.append(numbers_of.astype(np.float64), np.nan)[codes]  # the code -1 of a missing cell takes the last


def _refuse_mixed(name, codes, distinct, odd, cells, among):
    """Say which of the `odd` cells comes first, `among` what it stands, and what it may be."""
    row = int(np.flatnonzero(np.append(odd, False)[codes])[0])
    word = str(distinct[codes[row]]).strip()
    ways = [] if any(map(str.isdigit, word)) or len(word) > 40 else [f"if that word means missing, say so (na={word!r})"]
    ways += [] if among.startswith("where") else [f"if the column is text, say so (text={name!r})"]
    raise ValueError(
        f"{cells.where(row)}, column {name!r} holds {cell(distinct[codes[row]])} {among}: "
        + "; ".join(["mend the cell or empty it", *ways])
        + "."
    )


def _category(codes, distinct):
    """Codes in the order of the sorted levels; cells that differ in spaces around them are one level, empty ones are missing."""
    names = [text_of(value) for value in distinct]
    levels = sorted({name for name in names if name})
    place = {level: j for j, level in enumerate(levels)}
    return Column(CATEGORY, np.array([*(place.get(name, -1) for name in names), -1], dtype=np.int64)[codes], tuple(levels))
