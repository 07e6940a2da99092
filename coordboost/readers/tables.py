"""Data frames to features and target: what each column is, what is left out, what fills gaps; and the same again for new rows."""

import re
from dataclasses import replace

import numpy as np

from coordboost.data.dates import SPAN, Cells, cell
from coordboost.data.encode import encoded, fitted, refuse_gap
from coordboost.data.kinds import CATEGORY, DATE, KEY, KEYS, NUMBER, column_of
from coordboost.data.recipe import Recipe
from coordboost.readers.arrays import quoted
from coordboost.readers.dialect import GROUPED, POINT, unsplit

#: What stands between thousands in some countries: spaces that do not break, apostrophes.
BETWEEN = " '\u2019\u00a0\u2009\u202f"
#: Cells that are numbers but for a mark: of money or parts, between thousands, of an exponent as Fortran writes it.
MARKED = re.compile(
    r"[$€£¥]\s*[+-]?[\d.,]*\d|[+-]?[\d.,]*\d\s*[%$€£¥]|[+-]?\d+,\d+|\d+(_\d+)+"
    rf"|[+-]?\d{{1,3}}([{BETWEEN}]\d{{3}})+([.,]\d+)?|[+-]?\d*[.,]?\d+[dD][+-]\d+"
)


def learned(file, target, options):
    """X, y, the recipe, what was guessed, and the columns where gaps were filled, of a file whose table is seen for the first time.

    Raises
    ------
    ValueError
        One sentence that begins with the path.
    """
    try:
        return _learned(file, target, options)
    except ValueError as error:
        raise ValueError(_placed(file.path, error)) from None


def prepared(file, recipe, keep, unknown_as_none):
    """New rows as columns of numbers, what was guessed, and the columns `keep` as they are."""
    try:
        frame = file.frame()
        if not len(frame):
            raise ValueError("expected at least one row below the header, got none: check the file")
        if lacking := [name for name in keep if name not in frame]:
            raise ValueError(f"no column {lacking[0]!r} to keep: the table has {quoted(list(frame.columns))}")
        kept = {
            name: ["" if gone else str(one) for one, gone in zip(frame[name], frame[name].isna(), strict=True)] for name in keep
        }
        return recipe.numbers(frame, file.cells, unknown_as_none=unknown_as_none), tuple(file.said), kept
    except ValueError as error:
        raise ValueError(_placed(file.path, error)) from None


def _placed(path, error):
    """What is wrong, the file named before it."""
    return str(error) if str(error).startswith(str(path)) else f"{path}: {error}"


def _learned(file, target, options):
    frame, said = _usable(file.frame(), options)
    if target not in frame:
        _refuse_target(target, list(frame.columns))
    cells = file.cells._replace(where=_lines(file, frame), day_format=options.date_format)
    where = cells.where
    names = [name for name in frame.columns if name != target]
    if not (len(frame) and names):
        got = f"{len(frame)} row(s) and {len(names)} column(s) beside {target!r}"
        raise ValueError(f"expected at least one row and one feature, got {got}: check the file")
    y = column_of(target, frame[target], cells, CATEGORY if target in options.text else None)
    columns = {}
    for name in names:
        columns[name] = _column(name, frame[name], cells, options)
    said += _zeros(frame, file.zeros, options.text)
    del frame
    if options.date_format and not any(column.kind == DATE for column in (y, *columns.values())):
        raise ValueError(f"no column holds dates that are written as date_format={options.date_format!r} says: mend it, or leave it out")
    keep, aside = _set_aside(columns)
    said += aside
    columns = [columns[name] for name in keep]
    if not keep:
        raise ValueError(
            "no column is left to predict from, as all are empty or hold another text in every row: check the file"
        )
    rows, more = _rows(target, y, keep, columns, options.impute, where)
    said += more
    if rows is not None:
        y, columns = replace(y, values=y.values[rows]), [replace(one, values=one.values[rows]) for one in columns]
    y, labels, more = _target(target, y)
    variables = fitted(keep, columns, options.impute)
    said += more + _what(variables, columns) + _counters(keep, columns)
    recipe = Recipe(target, labels, options.impute, variables, options.na, file.marks, options.drop)
    filled = any(one.fill is not None and column.missing.any() for one, column in zip(variables, columns, strict=True))
    return encoded(recipe, columns, where), y, recipe, (*file.said, *said), tuple(columns) if filled else None


def _lines(file, frame):
    """Where rows are, although some were left out before."""
    index = frame.index
    return lambda row: file.where(int(index[row]))


def _usable(frame, options):
    """The frame without what was told to be left out, columns without a name, and rows without a cell."""
    for names, what in ((options.drop, "leave out"), (options.text, "take as text")):
        if unknown := [name for name in names if name not in frame]:
            raise ValueError(f"no column {unknown[0]!r} to {what}: choose among {quoted(list(frame.columns))}")
    drop = options.drop
    frame, said = frame.drop(columns=list(drop)).reset_index(drop=True), []
    nameless = [j for j, name in enumerate(frame.columns) if name in ("", f"Unnamed: {j}")]
    if nameless:
        empty = frame.iloc[:, nameless].isna().all()
        odd = [j for j, gone in zip(nameless, empty, strict=True) if j and not gone]
        if odd or (len(frame.columns) == 1):
            raise ValueError(f"column {(odd or nameless)[0] + 1} has no name in the header: name it")
        if nameless[0] == 0 and not empty.iloc[0]:
            said.append("the first column, without a name, left out as row names")
        frame = frame.iloc[:, [j for j in range(len(frame.columns)) if j not in nameless]]
    if not len(frame.columns):
        raise ValueError("no column is left once those without a name and those to leave out are gone: check the header and drop")
    first = frame.index[frame.iloc[:, 0].isna()]
    blank = first[frame.loc[first].isna().all(axis=1)]
    if len(blank):
        said.append(f"{len(blank)} empty row(s) left out")
        frame = frame.drop(index=blank)
    return frame, said


def _refuse_target(target, names):
    """Say what there is instead, and what may have gone wrong."""
    numbers = all(Cells().number(name) is not None for name in names)
    hint = "; the first line holds numbers only: add one with the names" if numbers else unsplit(names)
    raise ValueError(f"no column {target!r}: choose the target among {quoted(names)}{hint}")


def _column(name, series, cells, options):
    column = column_of(name, series, cells, CATEGORY if name in options.text else None, may_be_key=True)
    if column.kind in (CATEGORY, KEY) and name not in options.text and column.levels:
        other = "," if cells.decimal == "." else "."
        marked = [
            level
            for level in column.levels
            if not level[0].isalpha()
            and (MARKED.fullmatch(level) or GROUPED[other].fullmatch(level) or (other == "." and POINT.fullmatch(level)))
        ]
        if 2 * len(marked) > len(column.levels):
            _refuse_marked(name, column, min(marked), other, cells)
    return column


def _refuse_marked(name, column, level, other, cells):
    """Say that numbers have a mark, as `level` has, and what it may be: the `other` one of point and comma, or one between thousands."""
    row = int(np.flatnonzero(column.values == column.levels.index(level))[0])
    ways = ["write the numbers with E for D" if "D" in level.upper() else "write the numbers without it"]
    if level[-1].isdigit() and (between := sorted({*level} & {*BETWEEN})):
        ways += [f"say what stands between thousands (thousands={between[0]!r})"]
    elif other in level:
        ways += [f'say what the {"comma" if other == "," else "point"} is (decimal="{other}" or thousands="{other}")']
    raise ValueError(
        f"{cells.where(row)}, column {name!r} holds {cell(level)}, a number with a mark: {', '.join(ways)}, or take the column as text "
        f"(text={name!r})"
    )


def _set_aside(columns):
    """Names of the columns to learn from; those that hold nothing, or another text in every row, are left out and named."""
    empty = [name for name, column in columns.items() if column.missing.all()]
    keys = [name for name, column in columns.items() if column.kind == KEY]
    said = [
        f"left out: {quoted(found)} ({why})" for found, why in ((empty, "empty"), (keys, "another text in every row")) if found
    ]
    return [name for name in columns if name not in empty and name not in keys], said


def _rows(target, y, names, columns, impute, where):
    """The rows to learn from (None: all), and what is said about the others."""
    gone = y.missing
    if gone.any() and impute is None:
        refuse_gap(target, int(np.flatnonzero(gone)[0]), where, remedy='impute="drop" leaves the row out')
    said = [f"{int(gone.sum())} row(s) without {target!r} left out"] if gone.any() else []
    if impute == "drop":
        gaps = np.any([column.missing for column in columns], axis=0) & ~gone
        said += [f"{int(gaps.sum())} row(s) with gaps left out"] if gaps.any() else []
        gone = gone | gaps
    elif impute is None:
        for name, column in zip(names, columns, strict=True):
            if (missing := column.missing).any():
                _refuse_gaps(name, missing, names, columns, where)
    if not gone.any():
        return None, said
    if gone.all():
        raise ValueError('no row is left once those with gaps are out: fill in the gaps, or say impute="median"')
    return np.flatnonzero(~gone), said


def _refuse_gaps(name, missing, names, columns, where):
    both = [one for one, column in zip(names, columns, strict=True) if column.missing.any()]
    others = f" (gaps in {len(both)} columns: {quoted(both, 5)})" if len(both) > 1 else ""
    refuse_gap(name, int(np.flatnonzero(missing)[0]), where, others)


def _target(name, y):
    """The target as numbers, its labels where it is text, and what is said about these."""
    if y.kind != CATEGORY:
        return y.values.astype(np.float64), (), []
    if len(y.levels) != 2:
        raise ValueError(
            f"the target {name!r} holds text with {len(y.levels)} different entries ({quoted(y.levels, 5)}): expected numbers, or two "
            "classes and a loss for these, such as the logistic one; for more of them there are classifiers in Python, such as "
            "ForwardStagewiseClassifier"
        )
    return y.values.astype(np.float64), y.levels, [f"target {name!r}: 0 is {y.levels[0]!r}, 1 is {y.levels[1]!r}"]


def _zeros(frame, zeros, text):
    """What is said of numbers that were written with zeros in front, as codes are."""
    found = [name for name in zeros if name in frame and name not in text]
    if not found:
        return []
    those = ", ".join(f"{name!r} ({zeros[name]})" for name in found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
    return [f"zeros in front of numbers left out: {those}; codes are to be taken as text (text={found[0]!r})"]


def _words(levels):
    return ", ".join(levels) if len(levels) <= 4 and sum(map(len, levels)) <= 40 else f"{len(levels)} words"


def _counters(names, columns):
    """What is said of columns that number the rows."""
    found = []
    for name, column in zip(names, columns, strict=True):
        values = column.values
        if column.kind == NUMBER and len(values) >= KEYS and values[1] - values[0] == 1 and (np.diff(values) == 1).all():
            found.append(name)
    return [f"{quoted(found)} only numbers the rows, so you may want to leave it out (drop={found[0]!r})"] if found else []


def _what(variables, columns):
    """What became of text, dates and gaps, in words."""
    text = [f"{one.name!r} ({_words(one.levels)})" for one in variables if one.kind == CATEGORY]
    dates = [repr(one.name) for one in variables if one.kind == DATE and one.levels != (SPAN,)]
    spans = [repr(one.name) for one in variables if one.kind == DATE and one.levels == (SPAN,)]
    gaps = [
        repr(one.name) for one, column in zip(variables, columns, strict=True) if one.fill is not None and column.missing.any()
    ]
    said = [column.said for column in columns if column.said]
    kinds = ("text as 0/1 columns", text), ("dates in days since 1970", dates), ("durations in days", spans), ("gaps filled", gaps)
    for words, found in kinds:
        if found:
            more = f" and {len(found) - 8} more" if len(found) > 8 else ""
            said.append(f"{words}: {', '.join(found[:8])}{more}")
    return said
