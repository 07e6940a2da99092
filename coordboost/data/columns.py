"""Infer what a column of a table holds: numbers, dates (days since 1 January 1970, the time of day
as a fraction) or categories.

Each distinct text is parsed once, so a column of millions of cells with a few distinct words costs
little.

Formats are listed here, as guesses elsewhere do less: ``guess_datetime_format`` of pandas knows no
two-digit years and no AM or PM, and takes 01/02/2020 for January. skrub's ``ToFloat`` has float32,
where two large whole numbers become one, and makes text in new rows a missing value without a word.
"""

import datetime
import math
import numbers
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from coordboost.data.frames import listed

NUMBER = "number"
DATE = "date"
CATEGORY = "category"
KEY = "key"
#: A column of text is a key if it has at least this many cells and all differ: names, case numbers,
#: remarks.
KEYS = 10
#: Words that mean "missing" in a column whose other entries are numbers or dates, in addition to
#: those that pandas knows.
WORDS = {
    "",
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
#: Above this, not every whole number is a float64 number.
WHOLE = 1 << 53
#: Numbers with a mark that ``float`` refuses: of a currency or per cent, of thousands, a decimal
#: comma, the exponent d of Fortran.
MARKED = re.compile(
    r"(?=.*\d)[$€£¥]?\s*[+-]?(\d*|\d{1,3}([.,_'\u2019 "
    r"\u00a0\u2009\u202f]\d{3})+)([.,]\d+)?([dD][+-]?\d+)?\s*[%$€£¥]?"
)
#: The format of ISO 8601, with or without a T or a time zone.
ISO = "ISO"
BEGINS_AS_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)").match
#: Date formats, tried in this order, each without and with a time of day.
FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d-%b-%Y",
    "%d %b %Y",
)
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
WAYS = (ISO, *(one + time for one in FORMATS for time in TIMES))
#: Formats that differ in the order of day and month only.
TWO_WAYS = {"%d/%m/%Y": "%m/%d/%Y", "%d-%m-%Y": "%m-%d-%Y"}


class Cells(NamedTuple):
    """The number and date formats of the cells of a table, and where its rows are.

    where : function from a row number, counted from 0, to the place of the row in words ("line 7")
    decimal, thousands : marks in numbers, the second may be ""
    day_format : format of dates, None to infer it
    """

    where: Callable[[int], str] = "row {} (counted from 0)".format
    decimal: str = "."
    thousands: str = ""
    day_format: str | None = None

    def number(self, value):
        """A cell as a float, None for text.

        ``1_000`` is a number to ``float`` but not in a table.
        """
        if isinstance(value, numbers.Real):
            return float(value) if abs(value) < 1e308 else math.inf
        text = str(value).strip()
        # a date is no number; Indian groups (lakhs) have two digits
        if self.thousands and self.thousands in text:
            mark = re.escape(self.thousands)
            point = re.escape(self.decimal)
            if not re.fullmatch(
                rf"[+-]?\d{{1,3}}({mark}\d{{2,3}})*{mark}\d{{3}}({point}\d*)?([eE][+-]?\d+)?", text
            ):
                return None
            text = text.replace(self.thousands, "")
        if "_" in text or (self.decimal != "." and "." in text):
            return None
        try:
            return float(text.replace(self.decimal, "."))
        except ValueError:
            return None


class Column(NamedTuple):
    """A column of a table, parsed.

    kind : ``NUMBER``, ``DATE`` or ``CATEGORY``; ``KEY`` for text that differs in every row, from
        which no model can learn
    values : float64 (n_rows,), NaN where missing; for a category whole numbers, indices into
        `levels`, -1 where missing
    levels : tuple of str: the categories, sorted; for dates one entry, their format
    said : what was inferred, or ""
    """

    kind: str
    values: np.ndarray
    levels: tuple = ()
    said: str = ""

    @property
    def missing(self):
        """Rows whose cell is missing, (n_rows,) of bool."""
        return self.values < 0 if self.kind in (CATEGORY, KEY) else np.isnan(self.values)


def cell(text):
    """A cell in quotes, shortened if it is long."""
    text = " ".join(str(text).split())
    return repr(text if len(text) <= 40 else f"{text[:28]}...{text[-8:]} ({len(text)} characters)")


def clash(whole):
    """Find a whole number that float64 cannot tell from another one before it: (its index, the one
    before), or None.
    """
    seen = {}
    for place, number in enumerate(whole):
        if abs(number) >= WHOLE and seen.setdefault(float(number), number) != number:
            return place, seen[float(number)]
    return None


def column_of(name, series, cells, kind=None, *, may_be_key=False):
    """Parse a column of a data frame into a ``Column``.

    Parameters
    ----------
    name : str
    series : pandas Series
    cells : Cells
    kind : what the column must hold, None to infer it
    may_be_key : whether ``KEY`` may be inferred

    Raises
    ------
    ValueError
        One sentence on the first cell that does not fit: where, what, and what to do.
    """
    import pandas as pd

    type_code = getattr(series.dtype, "kind", "O")
    is_coded = isinstance(series.dtype, pd.CategoricalDtype)
    if type_code == "m":
        raise ValueError(
            f"column {name!r} holds durations: convert them to numbers, or leave it out "
            f"(drop={name!r})."
        )
    if type_code == "M" and kind in (None, DATE):
        return Column(DATE, _days(series), ("",))
    if type_code in "biuf" and (kind in (None, NUMBER) or (kind == DATE and series.isna().all())):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        _check(name, series, values, cells)
        return Column(kind or NUMBER, values, ("",) if kind == DATE else ())
    try:
        codes, distinct = pd.factorize(series)
    except (TypeError, ValueError, NotImplementedError):
        raise ValueError(
            f"column {name!r} holds lists or the like: leave it out (drop={name!r})."
        ) from None
    distinct = np.asarray(distinct, dtype=object).tolist()
    may_be_key = may_be_key and kind is None
    if kind == CATEGORY or (is_coded and kind is None):
        return _category(codes, distinct, may_be_key)
    return _column_of_cells(name, series, codes, distinct, cells, kind, may_be_key)


def _column_of_cells(name, series, codes, distinct, cells, kind, may_be_key):
    """Parse a column by the text of its cells: numbers, dates or categories.

    `codes` of the cells refer to the `distinct` values; -1 for a missing one.
    """
    text = [str(value).strip() for value in distinct]
    present = [j for j, word in enumerate(text) if word.lower() not in WORDS]
    as_missing = sorted({*text} - {text[j] for j in present} - {""})
    note = f"{listed([*map(repr, as_missing)])} in {name!r} read as missing" if as_missing else ""

    def spread(values):
        table = np.full(len(text) + 1, np.nan)
        table[present] = values
        return table[codes]  # a missing cell has code -1: the last entry, NaN

    numbers = [cells.number(distinct[j]) for j in present]
    if kind != DATE and None not in numbers and (present or kind == NUMBER):
        values = spread(numbers)
        _check(name, series, values, cells)
        return Column(NUMBER, values, (), note)
    if kind != NUMBER and (
        dates := _dates(
            [distinct[j] for j in present], cells, lambda: _place(name, codes, present[0], cells)
        )
    ):
        form, days = dates
        if not np.isnan(days).any():
            return Column(DATE, spread(days), (form,), note)
        if kind is None:
            no_dates = [j for j, day in zip(present, days, strict=True) if np.isnan(day)]
            _refuse(name, codes, distinct, no_dates, cells, "among dates")
    counts = np.bincount(codes[codes >= 0], minlength=len(text))
    not_numbers = {j for j, number in zip(present, numbers, strict=True) if number is None}
    as_numbers = [j for j in present if j not in not_numbers or MARKED.fullmatch(text[j])]
    if kind in (NUMBER, DATE) or 2 * counts[as_numbers].sum() >= counts[present].sum() > 0:
        among = f"where {kind}s belong" if kind else "among numbers"
        _refuse(name, codes, distinct, present if kind == DATE else [*not_numbers], cells, among)
    return _category(codes, distinct, may_be_key)


def _check(name, series, values, cells):
    """Refuse infinite numbers, and whole numbers that float64 cannot tell apart.

    `values` is the `series` as float64.
    """
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        row = int(infinite[0])
        raise ValueError(
            f"{cells.where(row)}, column {name!r} holds {cell(series.iloc[row])}, not a finite "
            "float64 number: correct it, or leave "
            "the cell empty."
        )
    large = [] if series.dtype.kind == "f" else np.flatnonzero(np.abs(values) >= WHOLE).tolist()
    text = [
        str(number).strip().replace(cells.thousands, "") for number in series.iloc[large].tolist()
    ]
    fault = clash([int(number) if re.fullmatch(r"[+-]?\d+", number) else 0 for number in text])
    if fault:
        raise ValueError(
            f"{cells.where(large[fault[0]])}, column {name!r} holds {cell(text[fault[0]])}, which "
            "as float64 equals "
            f"{cell(fault[1])} in another row: subtract a constant from the column, take it as "
            f"text (text={name!r}), or leave it out "
            f"(drop={name!r})."
        )


def _days(moments):
    """Convert a pandas Series of dates to days since 1970, NaN where missing, (n_rows,)."""
    import pandas as pd

    days = (pd.to_datetime(moments, utc=True) - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return days.to_numpy(dtype=np.float64, na_value=np.nan)


def _is_written(text, form):
    """Whether a text is a date in the format `way`."""
    try:
        return bool(BEGINS_AS_ISO(text) if form == ISO else datetime.datetime.strptime(text, form))
    except ValueError:
        return False


def _parsed(text, form):
    """Parse texts as dates in the format `way`: days since 1970, NaN for texts in other formats."""
    import pandas as pd

    if form == ISO:
        text = [cell if BEGINS_AS_ISO(cell) else None for cell in text]
        form = "ISO8601"
    try:
        return _days(
            pd.to_datetime(pd.Series(text, dtype=object), format=form, errors="coerce", utc=True)
        )
    except ValueError:  # not a date format
        return np.full(len(text), np.nan)


def _dates(values, cells, place):
    """Infer the format of dates from distinct values.

    Return it and the days of each value, NaN for values in another format.

    Return None if at most half of the values are dates. place : function without arguments: where
    the first value is, in words

    Raises
    ------
    ValueError
        If day and month cannot be told apart: the two possible formats, and how to choose.
    """
    import pandas as pd

    if all(isinstance(value, datetime.date) for value in values):
        return "", _days(pd.Series(values, dtype=object))
    text = [str(value).strip() for value in values]
    day_format = cells.day_format
    forms = (
        [day_format]
        if day_format
        else [form for form in WAYS if text[0][0].isdigit() and _is_written(text[0], form)]
    )
    for form in forms:
        days = _parsed(text, form)
        if not np.isnan(days).any():
            twin = None if day_format else TWO_WAYS.get(form[:8])
            swapped = _parsed(text, twin + form[8:]) if twin else days
            if not np.isnan(swapped).any() and (swapped != days).any():
                raise ValueError(
                    f"{place()} holds {text[0]!r}, a date that can be read in two ways: pass "
                    f'date_format="{form}" or "{twin + form[8:]}".'
                )
            return form, days
    dated = (
        np.any([~np.isnan(_parsed(text, form)) for form in (forms if day_format else WAYS)], axis=0)
        if forms
        else np.array([])
    )
    return (forms[0], _parsed(text, forms[0])) if 2 * dated.sum() > len(text) else None


def _place(name, codes, code, cells):
    return f"{cells.where(int(np.argmax(codes == code)))}, column {name!r}"


def _refuse(name, codes, distinct, odd, cells, among):
    """Raise an error for the first cell whose code is in the list `odd`: where it is, what it is
    `among`, and what to do.
    """
    code = codes[np.argmax(np.isin(codes, odd))]
    word = str(distinct[code]).strip()
    remedies = ["correct the cell or leave it empty"]
    if MARKED.fullmatch(word):
        known = "+-%$€£¥dD" + cells.decimal
        marks = (sign for sign in word if not sign.isdigit() and sign not in known)
        mark = next(marks, ",")
        remedies.append(
            f'if it is a number, write it without a mark, or name the mark (decimal="{mark}" or '
            f'thousands="{mark}")'
        )
    elif not any(map(str.isdigit, word)) and len(word) <= 40:
        remedies.append(f"if it means missing, declare it (na={word!r})")
    if not among.startswith("where"):
        remedies.append(f"if the column is text, declare it (text={name!r})")
    raise ValueError(
        f"{_place(name, codes, code, cells)} holds {cell(distinct[code])} {among}: "
        f"{'; '.join(remedies)}."
    )


def _category(codes, distinct, may_be_key):
    """Return a ``Column`` of categories, or of keys.

    Spaces around a cell are ignored, empty cells are missing.
    """
    names = [
        str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()
        for value in distinct
    ]
    levels = tuple(sorted({*names} - {""}))
    place = {"": -1} | {level: j for j, level in enumerate(levels)}
    values = np.array([*map(place.__getitem__, names), -1], dtype=np.int32)[codes]
    key = may_be_key and KEYS <= len(levels) == np.count_nonzero(values >= 0)
    return Column(KEY if key else CATEGORY, values, levels)
