"""The cells of a table: how numbers are written in them, and dates as days since 1 January 1970, the time of day as a fraction."""

import datetime
import functools
import math
import numbers
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

#: The way of ISO 8601, with a T or a time zone perhaps.
ISO = "ISO"
#: What stands for the way to write it where a column holds no dates, but durations.
SPAN = "duration"
#: Ways to write a date that are tried in this order; with a time of day where there is one.
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
#: Ways that differ in what comes first, day or month.
TWO_WAYS = {"%d/%m/%Y": "%m/%d/%Y", "%d-%m-%Y": "%m-%d-%Y"}
#: A day in the way of ISO 8601, without a time, from the year 1 on.
PLAIN_ISO = re.compile(r"(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
FIRST, MIDNIGHT = datetime.datetime(1970, 1, 1), datetime.time()


def days_of(series):
    """Days of a column that has a dtype of dates or of time spans, NaN where missing, (n_rows,)."""
    import pandas as pd

    if series.dtype.kind == "M" and getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    span = series - pd.Timestamp(FIRST) if series.dtype.kind == "M" else series
    return (span / pd.Timedelta(days=1)).to_numpy(dtype=np.float64, na_value=np.nan)


def _days(moment):
    if not isinstance(moment, datetime.datetime):
        moment = datetime.datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    day = float(moment.toordinal() - FIRST.toordinal())
    return day if moment.time() == MIDNIGHT else (moment - FIRST) / datetime.timedelta(days=1)


def _read(values, form):
    """Days of all values, or None where one of them is not written so."""
    read = datetime.datetime.fromisoformat if form == ISO else lambda value: datetime.datetime.strptime(value, form)
    try:
        return [_days(read(value)) if value else np.nan for value in values]
    except ValueError:
        return None


def _first(values):
    """The first value that is text, without spaces around it; "" where there is none."""
    stripped = (value.strip() for value in values if isinstance(value, str))
    return next((value for value in stripped if value), "")


def _may_be_date(text):
    """Whether text may be a date in one of the ways that are tried: all of them begin with a digit."""
    return text[:1].isdigit() and len(text) <= 40


def begins_as_word(values):
    """Whether there is text among some values, and the first of it begins as no date does."""
    first = _first(values)
    return bool(first) and not _may_be_date(first)


def iso_days(values):
    """Days of different text, (n,), where each of it is written as 2024-02-29 is, and there is such a day; else None."""
    if not all(map(PLAIN_ISO, values)):
        return None
    try:
        return np.array(values, dtype="datetime64[D]").astype(np.float64)
    except ValueError:
        return None


def days(values, place, form=None):
    """How dates are written, and the days of each of the different values of a column; None where they are no dates.

    Parameters
    ----------
    values : list of str, of dates, or None where missing
    place : function without arguments
        Where the first of them is, in words, for a sentence.
    form : str, optional
        How they are written, as in ``datetime.strptime``; by default that is found out.

    Raises
    ------
    ValueError
        Where day and month cannot be told apart: which two ways there are, and how to choose.
    """
    if all(value is None or isinstance(value, datetime.date) for value in values):
        return "", [np.nan if value is None else _days(value) for value in values]
    first = _first(values)
    if not (form or _may_be_date(first)) or not all(value is None or isinstance(value, str) for value in values):
        return None
    written = ["" if value is None else value.strip() for value in values]
    if form:
        found = _read(written, form)
        return found and (form, found)
    for one in WAYS if len(first) >= 10 and first[4] == "-" else WAYS[1:]:
        if found := _read(written, one):
            _check_one_way(place, written, found, first, one)
            return one, found
    return None


def odd_one(values):
    """The place of the first value that is not written as the first date, where most are, or all are dates; else None."""
    first = _first(values)
    if not _may_be_date(first):
        return None
    written = [value.strip() if isinstance(value, str) else "" for value in values]
    for form in WAYS:
        if _read([first], form):
            odd = [j for j, value in enumerate(written) if value and not _read([value], form)]
            if 0 < 2 * len(odd) < len(written) or (odd and all(any(_read([written[j]], one) for one in WAYS) for j in odd)):
                return odd[0]
    return None


def _check_one_way(place, written, found, first, form):
    """Refuse dates that are other dates when day and month change places."""
    other = TWO_WAYS.get(form[:8])
    swapped = other and _read(written, other + form[8:])
    if swapped and swapped != found:
        raise ValueError(
            f"{place()} holds {first!r}, a date that can be read in two ways: say which with "
            f'date_format="{form}" or "{other + form[8:]}".'
        )


@functools.cache
def grouped(thousands, decimal):
    """What a number with marks between its thousands looks like; between lakhs there are two digits."""
    mark, point = re.escape(thousands), re.escape(decimal)
    return re.compile(rf"[+-]?\d{{1,3}}({mark}\d{{2,3}})*{mark}\d{{3}}({point}\d*)?([eE][+-]?\d+)?")


@functools.cache
def may_be_number(marks):
    """What every text matches that is a number, and little else; `marks` are those that numbers may hold."""
    return re.compile(rf"\s*(?:[+-]?(?i:nan|inf(?:inity)?)\s*$|[\d\s+\-.eE{re.escape(marks)}]*$)").match


def misplaced(thousands):
    """What no number has that is `grouped`, to be sought in the text of many cells: a mark that does not part groups of digits."""
    mark = re.escape(thousands)
    return re.compile(rf"{mark}(?:(?<!\d{mark})|(?<=\d{{4}}{mark})|(?!\d{{3}}(?!\d)|\d{{2}}{mark}))")


def cell(text):
    """A cell in quotes, cut short where it is long."""
    text = " ".join(str(text).split())
    return repr(text if len(text) <= 40 else f"{text[:28]}...{text[-8:]} ({len(text)} characters)")


class Cells(NamedTuple):
    """How the cells of a table are written, and where its rows are.

    where : function of a row number, from 0, that says in words where the row is ("line 7")
    decimal, thousands : marks in numbers, the second may be "";  day_format : how dates are written, None to find out
    coded : whether categories of a data frame are cells as they were read, perhaps numbers or dates; else somebody made them categories
    """

    where: Callable[[int], str] = "row {} (counted from 0)".format
    decimal: str = "."
    thousands: str = ""
    day_format: str | None = None
    coded: bool = False

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

    def no_number(self, values):
        """Whether none of many different texts is a number: most are told by their first letter, of which there are few."""
        doubt = {first for first in {value[:1] for value in values} if not first.isalpha() or first in "niNI"}
        match = may_be_number(self.decimal + self.thousands)
        return not (doubt and any(match(value) for value in values if value[:1] in doubt))
