"""What a column of a table holds: numbers, dates or categories; each becomes float64 numbers, or codes of categories.

Text is judged by its different values, not row by row, so that a column of millions of cells with a few words costs little.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coordboost.data.dates import ISO, SPAN, begins_as_word, cell, days, days_of, iso_days, odd_one
from coordboost.data.frames import listed

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
NUMBER, DATE, CATEGORY, KEY = "number", "date", "category", "key"
#: Text is a key where as many cells or more all differ: names, numbers of cases, remarks.
KEYS = 10


@dataclass(frozen=True, eq=False)
class Column:
    """A column that was understood.

    kind : ``NUMBER``, ``DATE`` or ``CATEGORY``; ``KEY`` of text that is another one in every row, from which nothing is learned
    values : float64 (n_rows,), NaN where missing, or whole numbers; of a category whole numbers, places in `levels`, -1 where missing
    levels : tuple of str: the categories, sorted, those of a key as they come; of dates how they are written, one entry
    said : what was guessed, or ""
    """

    kind: str
    values: np.ndarray
    levels: tuple = ()
    said: str = ""

    @cached_property
    def missing(self):
        """Rows whose cell is missing, (n_rows,) of bool."""
        return self.values < 0 if self.kind in (CATEGORY, KEY) else np.isnan(self.values)


def text_of(value):
    """The cell as the name of a category: 1.0 is written 1, as in a column of whole numbers."""
    if type(value) is str:
        return value.strip()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def column_of(name, series, cells, kind=None, *, may_be_key=False):
    """A column of a data frame, understood.

    Parameters
    ----------
    name : str;  series : pandas Series
    cells : Cells
    kind : what the column must be, or None: it is guessed;  may_be_key : whether a ``KEY`` may be, too

    Raises
    ------
    ValueError
        One sentence on the first cell that does not fit: where, what, and what to do.
    """
    sort = getattr(series.dtype, "kind", "O")
    if sort in "Mm" and kind in (None, DATE):
        if kind and cells.day_format and (sort == "m") != (cells.day_format == SPAN):
            had, got = ("dates", "durations") if sort == "m" else ("durations", "dates")
            raise ValueError(f"column {name!r} holds {got} where the fit had {had}: give it as {had}.")
        return Column(DATE, days_of(series), (SPAN if sort == "m" else "",))
    if sort in "biuf" and (kind in (None, NUMBER) or (kind == DATE and series.isna().all())):
        return Column(kind or NUMBER, _numbers(name, series, cells), ("",) if kind == DATE else ())
    return _from_values(name, series, cells, kind, may_be_key)


def _numbers(name, series, cells):
    """The numbers of a column that has a numeric dtype, finite or missing; whole ones without gaps as they are, not copied."""
    plain = isinstance(series.dtype, np.dtype)
    values = series.to_numpy() if plain else series.to_numpy(dtype=np.float64, na_value=np.nan)
    if plain and series.dtype.kind == "b":
        return values.astype(np.float64)
    if values.dtype.kind == "f" and np.isinf(values).any():
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


def _factorized(name, series, cells):
    """Codes of the cells (n_rows,), -1 where missing, the different values as they come, and whether somebody made them categories."""
    import pandas as pd

    told = isinstance(series.dtype, pd.CategoricalDtype)
    if told and cells.coded:
        return series.cat.codes.to_numpy(), series.cat.categories.tolist(), False
    try:
        codes, distinct = pd.factorize(series, use_na_sentinel=True)
    except (TypeError, ValueError, NotImplementedError):
        raise ValueError(f"column {name!r} holds lists or the like: leave it out (drop={name!r}).") from None
    return codes, np.asarray(distinct, dtype=object).tolist(), told


def _from_values(name, series, cells, kind, may_be_key):
    """A column of text or of mixed cells, from its different values."""
    codes, distinct, told = _factorized(name, series, cells)
    if kind == CATEGORY or told:
        return _category(codes, distinct, may_be_key and kind is None)
    text_only = set(map(type, distinct)) == {str}
    if text_only and kind != NUMBER and cells.day_format in (None, "", ISO) and (iso := iso_days(distinct)) is not None:
        return Column(DATE, _taken(iso, codes), (ISO,))
    plain = text_only and cells.no_number(distinct)
    if plain and not (kind or cells.day_format) and begins_as_word(one for one in distinct if one.strip().lower() not in WORDS):
        return _category(codes, distinct, may_be_key and kind is None)
    found = [None if plain else cells.number(value) for value in distinct]
    text = [str(value).strip() for value, number in zip(distinct, found, strict=True) if number is None]
    words = {word for word in text if word.lower() in WORDS}
    said = f"{listed([repr(word) for word in sorted(words)])} in {name!r} read as missing" if words else ""
    if kind != DATE and len(words) == len(set(text)) and (len(text) < len(distinct) or kind == NUMBER or not distinct):
        values = _looked_up(name, codes, distinct, found, cells)
        first = {value: code for code, value in enumerate(distinct) if isinstance(value, int)}
        _check_whole(name, list(first), lambda one: cells.where(int(np.argmax(codes == first[one]))))
        return Column(NUMBER, values, (), said)
    if kind != NUMBER and (cells.day_format or kind or len(text) == len(distinct)):
        known = [None if str(value).strip() in words else value for value in distinct]
        written = days(known, lambda: f"{cells.where(int(np.argmax(codes == 0)))}, column {name!r}", cells.day_format)
        if written is not None:
            return Column(DATE, _taken(np.array(written[1]), codes), (written[0],), said)
        if kind is None and (j := odd_one(distinct)) is not None:
            _refuse_mixed(name, codes, distinct, np.arange(len(distinct)) == j, cells, "among dates")
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
    odd = np.array([number is None for number in found])
    if kind in (NUMBER, DATE) or 2 * counts[~odd].sum() >= counts.sum() > 0:
        among = "among numbers" if kind is None else f"where {kind}s belong"
        _refuse_mixed(name, codes, distinct, odd | (kind == DATE), cells, among)
    return _category(codes, distinct, may_be_key and kind is None)


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
    ways = ["if the line repeats the header, take it out"] if word == name else []
    ways += [] if any(map(str.isdigit, word)) or len(word) > 40 else [f"if that word means missing, say so (na={word!r})"]
    ways += ["write all dates in one way"] if among == "among dates" else []
    ways += [] if among.startswith("where") else [f"if the column is text, say so (text={name!r})"]
    raise ValueError(
        f"{cells.where(row)}, column {name!r} holds {cell(distinct[codes[row]])} {among}: "
        + "; ".join(["mend the cell or empty it", *ways])
        + "."
    )


def _category(codes, distinct, may_be_key):
    """Codes of levels in their order; cells that differ in spaces around them are one level, empty ones are missing."""
    names = list(map(text_of, distinct))
    levels, known = {*names}, codes >= 0
    if "" in levels:
        levels, known = levels - {""}, np.array([*map(bool, names), False])[codes]
    key = may_be_key and KEYS <= len(levels) == np.count_nonzero(known)
    if key and len(levels) == len(names):
        return Column(KEY, codes, tuple(names))
    levels = tuple(sorted(levels))
    place = {"": -1} | {level: j for j, level in enumerate(levels)}
    values = np.array([*map(place.__getitem__, names), -1], dtype=np.int32)[codes]
    return Column(KEY if key else CATEGORY, values, levels)
