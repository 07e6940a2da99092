"""Dates as numbers: days since 1 January 1970, with the time of day as a fraction."""

import datetime
import re

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
