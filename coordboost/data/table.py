r"""Tables from files; never a pickle.

Nouns: a *table* is the features ``X (m, p)``, the target ``y (m,)`` and, where the file has them,
the names of the p features, the groups that they form and the recipe that made them; the *target*
is the name of the column (of a table with names) or array (.npz) that becomes ``y``.
``coordboost.data.recipe`` describes the encoding of text, dates and missing values.

``Problem`` does the centring, and checks the labels that a loss takes.
"""

import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from coordboost._utils.checks import shown
from coordboost.data.columns import CATEGORY, DATE, KEY, KEYS, NUMBER, Cells, Column, column_of
from coordboost.data.files import (
    NAMED,
    SVM,
    Options,
    arrays_of,
    frame_of,
    of_frame,
    options_of,
    quoted,
    unsplit,
)
from coordboost.data.frames import as_pandas, is_frame
from coordboost.data.problem import Problem
from coordboost.data.recipe import Recipe, Variable, encoded, fill_of, refuse_gap
from coordboost.data.validation import flag
from coordboost.losses.base import Loss

#: What messages call a data frame in place of a file.
FRAME = "the data frame"


class Table(NamedTuple):
    r"""The content of a file as numbers.

    Parameters
    ----------
    X : ndarray, scipy CSC array or pandas.DataFrame, (m, p)
        float64: dense in Fortran order; sparse for svmlight, and for many 0/1 columns. A data frame
        if ``read_table`` was called with ``one_hot=False``.
    y : ndarray or None, (m,)
        float64; a table from ``read_table`` always has it.
    feature_names : tuple of str or None, (p,)
        Names of the features, None if the file has none.
    groups : tuple of str, (p,), optional
        Names of the variables that the features belong to: a variable may have several, such as one
        with more than two categories.
    recipe : Recipe, optional
        How the columns of the file became X, for tables with names.
    said : tuple of str
        What was inferred about the file, in words.
    columns : tuple of Column, optional
        The columns of the file, if missing values were imputed.
    weight : ndarray, (m,), optional
        The weights of the rows, if a column holds them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import coordboost as cb
    >>> file = pathlib.Path(tempfile.mkdtemp(), "flats.csv")
    >>> _ = file.write_text("rent,area,city\n820,45,Basel\n1240,71,Bern\n990,60,Basel\n")
    >>> table = cb.read_table(file, "rent")
    >>> table, table.feature_names
    (<Table 3 x 2: 2 variables>, ('area', 'city=Bern'))
    >>> cb.solve(table.problem(), cb.ls_boost(1.0), 50).predict(table.X).round()
    array([ 820., 1240.,  990.])
    """

    X: Any
    y: np.ndarray | None
    feature_names: tuple[str, ...] | None
    groups: tuple[str, ...] | None = None
    recipe: Recipe | None = None
    said: tuple[str, ...] = ()
    columns: tuple[Column, ...] | None = None
    weight: np.ndarray | None = None

    def __repr__(self):
        rows, columns = self.X.shape
        return (
            f"<Table {rows} x "
            f"{columns}{f': {len(self.recipe.variables)} variables' if self.recipe else ''}>"
        )

    def filled_from(self, rows: ArrayLike) -> Any:
        """X with missing values imputed from the given rows only.

        As for one fold of a cross-validation.

        Parameters
        ----------
        rows : array_like of int
            The rows whose medians, or most frequent categories, are taken.

        Returns
        -------
        ndarray or scipy CSC array, (m, p)
            X itself if no values were imputed.
        """
        if self.recipe is None or self.columns is None:
            return self.X
        return encoded(self.recipe.refilled(_rows_of(self.columns, rows)), self.columns, str)

    def frame(self, rows: Any = None, *, unknown_as_none: bool = False, **options: Any) -> Any:
        """X as a pandas data frame with named columns, as estimators take it.

        Or new rows encoded in the same columns.

        Parameters
        ----------
        rows : path or data frame, optional
            New rows, as ``read_rows`` and ``Recipe.numbers`` take them: with the columns of the
            file, in any order.
        unknown_as_none : bool, default False
            True: an unknown category gets 0 in all columns of its variable. False: it raises.
        **options
            As for ``read_table``, for a path; refused for a data frame.

        Returns
        -------
        pandas.DataFrame, (n_rows, p)
            Numbers only; sparse if X is.

        Raises
        ------
        ValueError
            For new rows if the file has no names, and as ``read_table``.
        """
        import pandas as pd

        in_memory = rows is None or is_frame(rows)
        if options and in_memory:
            raise ValueError(
                f"{', '.join(options)}: options of files, and there is none. New rows in a data "
                "frame have one option, unknown_as_none=True."
            )
        if rows is None:
            X = self.X
        elif self.recipe is None:
            raise ValueError(
                "the table has no column names, so new rows cannot be matched by name: pass them "
                "to predict as they are."
            )
        else:
            none = {"unknown_as_none": unknown_as_none}
            X = (
                self.recipe.numbers(as_pandas(rows), **none)
                if in_memory
                else read_rows(rows, self, **none, **options).X
            )
        if is_frame(X):
            return X
        make = pd.DataFrame.sparse.from_spmatrix if scipy.sparse.issparse(X) else pd.DataFrame
        return make(X, columns=self.feature_names)

    def problem(
        self,
        loss: Loss | None = None,
        *,
        center: bool = True,
        scale: bool = True,
        learners: Callable | None = None,
    ) -> Problem:
        """``Problem(X, y, loss, ...)`` with names and groups.

        Its runs predict for new tables of the same kind.

        Parameters
        ----------
        loss : Loss, default ``Squared()``
            As for ``Problem``.
        center, scale : bool, default True
            As for ``Problem``.
        learners : callable, optional
            Makes learners from X, in place of its columns: ``cb.data.trees``, ``cb.data.stumps``,
            or another function of X and `feature_names`.

        Returns
        -------
        Problem
            Its groups are the variables, if any of these has several features.

        Raises
        ------
        ValueError
            As ``Problem``, say for a target that does not fit the loss.
        """
        if learners is not None:
            X = learners(self.X, feature_names=self.feature_names)
            made = Problem(X, self.y, loss, sample_weight=self.weight, center=center)
            return made.replace(recipe=self.recipe)
        groups = (
            None
            if self.groups is None or len(set(self.groups)) == len(self.groups)
            else self.groups
        )
        made = Problem(
            self.X,
            self.y,
            loss,
            sample_weight=self.weight,
            center=center,
            scale=scale,
            groups=groups,
            feature_names=self.feature_names,
        )
        return made.replace(recipe=self.recipe)


def read_table(
    path: Any,
    target: str | None = None,
    *,
    one_hot: bool = True,
    **options: Any,
) -> Table:
    r"""Read features and target from a file, or from a data frame.

    The suffix of a file, upper or lower case, gives its format.

    ====================================  =========================================================
    suffix                                content
    ====================================  =========================================================
    .csv .tsv .tab .txt .dat .data (.gz)  a header row, then rows of cells in any format, see Notes
    .parquet .pq .arrow .feather .ipc     columns with types; needs pyarrow
    .xlsx .xlsm .xls .ods                 a sheet with a header row; needs the package of pandas
    .npz                                  arrays ``X`` and ``y``, and if given ``feature_names``
    .npy                                  two files, see Notes
    .svm .svmlight .libsvm (.gz)          ``label index:value ...``; ``X`` is a scipy CSC array
    ====================================  =========================================================

    Parameters
    ----------
    path : str, path-like or data frame
        The file; for .npy also ``"X.npy,y.npy"``. Or a data frame of pandas, polars or another
        library, with the target among its columns: ``read_table(X.assign(y=y), "y")``. Its
        categories, texts and dates are encoded, and missing values imputed, as those of a file.
    target : str, optional
        Column or array (.npz) that becomes ``y``; by default ``"y"``. .npy and svmlight have no
        names.
    one_hot : bool, default True
        Text becomes 0/1 columns, and missing values are refused or imputed. False: X is a data
        frame for trees, with text as columns of the dtype ``category``, and missing values stay
        missing unless `impute` says otherwise.
    **options
        For tables with names: see ``coordboost.data.files.Options``. ``sep``, ``decimal``,
        ``thousands``, ``encoding``, ``na``, ``text``, ``drop``, ``weights``, ``date_format``,
        ``sheet``, ``impute``.

    Returns
    -------
    Table
        Features, target, names, and what was inferred.

    Raises
    ------
    ValueError
        With one sentence, where and what to do: the file is missing, damaged or of another format,
        has no rows or no features, lacks the target, repeats a name, has rows of different lengths,
        missing values without `impute`, or text among numbers.

    Notes
    -----
    *Text columns* become 0/1 columns, one for each category; of two categories, only the second has
    one. *Text files.* pandas reads them. Encoding (UTF-8, UTF-16 or UTF-32 with BOM, else a Western
    8-bit encoding), separator and decimal mark are inferred; ``Table.said`` lists what was found,
    options override it. *Pairs of .npy files.* ``"X.npy,y.npy"`` names both files. A single file
    whose name ends with ``X.npy`` is paired with the file next to it that has ``y`` in place of
    that ``X`` (``train_X.npy``, ``train_y.npy``). *svmlight.* Indices start at one, unless a zero
    occurs in the file; the largest index seen is the last feature.

    *Cost.* The file is held in memory while pandas reads it; where it has quotes, or gaps in its
    last column, its records are counted once more. Beyond that a pass over each column; each
    distinct text value costs about a microsecond.

    Examples
    --------
    Semicolons, a decimal comma, text and a missing value:

    >>> import tempfile, pathlib
    >>> import coordboost as cb
    >>> file = pathlib.Path(tempfile.mkdtemp(), "flats.csv")
    >>> _ = file.write_text(
    ...     "rent;area;city\n820;45,5;Basel\n1240;71;Bern\n990;;Basel\n1510;82;Bern\n"
    ... )
    >>> table = cb.read_table(file, "rent", impute="median")
    >>> print(*table.said, sep="\n")
    read with semicolons between cells, a decimal comma
    text as 0/1 columns: 'city' (Basel, Bern)
    missing values imputed: 'area'
    >>> table.frame()
       area  city=Bern
    0  45.5        0.0
    1  71.0        1.0
    2  71.0        0.0
    3  82.0        1.0
    """
    if not isinstance(target, str | None):
        raise ValueError(f"target must be the name of a column, got {shown(target)}.")
    chosen = options_of(options)
    one_hot = flag("one_hot", one_hot)
    if is_frame(path):
        with _placed(FRAME):
            given = of_frame(FRAME, path, chosen)
            return _learned(given, "y" if target is None else target, chosen, one_hot)
    text, suffix = _suffix(path)
    if suffix in NAMED:
        with _placed(text):
            return _learned(
                frame_of(Path(text), suffix, chosen, chosen.text),
                "y" if target is None else target,
                chosen,
                one_hot,
            )
    if chosen != Options():
        raise ValueError(
            f"{text}: this format takes no options for text, missing values or columns: leave "
            "them out"
        )
    if target is not None and suffix != ".npz":
        raise ValueError(
            f"{text}: this format has no named columns, got target {target!r}: leave the target out"
        )
    return Table(*arrays_of(text, suffix, "y" if target is None else target))


class NewRows(NamedTuple):
    """Rows to predict for."""

    X: Any  # (m, p) float64, the columns of the model
    said: tuple[str, ...] = ()  # what was inferred
    kept: dict[str, list] | None = None  # unchanged columns of the file, by name


def read_rows(path, model, *, keep=(), unknown_as_none=False, **options):
    """Read new rows for a model from a file: what its ``predict`` takes, and what was inferred.

    Parameters
    ----------
    path : as for ``read_table``
    model : LinearModel, or the Table that it was fitted on
    keep : sequence of str
        Names of columns to return unchanged, to identify the rows.
    unknown_as_none : bool
        True: an unknown category gets 0 in all columns of its variable. False: it raises.
    **options
        As for ``read_table``. Words for "missing" from the fit apply, too; so do its decimal marks,
        if no cell decides what 1.362 means.

    Returns
    -------
    NewRows

    Raises
    ------
    ValueError
        As ``read_table`` and ``Recipe.numbers``.
    """
    text, suffix = _suffix(path)
    if suffix in NAMED:
        if model.recipe is None:
            raise ValueError(
                f"{text}: the model was fitted on columns without names: pass a file of the "
                "same kind"
            )
        given = options_of(options)
        given = given._replace(na=(*model.recipe.na, *given.na))
        with _placed(text):
            read = frame_of(
                Path(text), suffix, given, (*model.recipe.text, *keep), model.recipe.marks
            )
            return _prepared(read, model.recipe, keep, unknown_as_none)
    if keep or options:
        raise ValueError(
            f"{text}: this format has no column names: leave out the options that name columns"
        )
    return NewRows(
        arrays_of(
            text,
            suffix,
            "y",
            labelled=False,
            n_features=len(model.names) if suffix in SVM else None,
        )[0]
    )


def _suffix(path):
    """Return the path as text, and its suffix, which gives the format."""
    if not isinstance(path, str | os.PathLike) or "\0" in (text := os.fspath(path)):
        raise ValueError(f"path must be the name of a file, got {shown(path)}.")
    name = Path(text).name.lower()
    suffix = Path(name.removesuffix(".gz")).suffix
    zipped = suffix in SVM or f"{suffix}.gz" in NAMED
    if suffix not in (*NAMED, *SVM, ".npz", ".npy") or (name.endswith(".gz") and not zipped):
        known = ", ".join((*NAMED, ".npz", ".npy", *SVM, *(f"{end}.gz" for end in SVM)))
        raise ValueError(
            f"{text}: expected a name ending with one of {known}: rename or convert the file"
        )
    return text, suffix


@contextmanager
def _placed(path):
    """Put the name of the file before the message of a ValueError."""
    try:
        yield
    except ValueError as error:
        raise ValueError(
            str(error) if str(error).startswith(path) else f"{path}: {error}"
        ) from None


def _rows_of(columns, rows):
    """Some rows of columns, a list."""
    return [column._replace(values=column.values[rows]) for column in columns]


def _prepared(read, recipe, keep, unknown_as_none):
    """Encode new rows; return them, what was inferred, and the unchanged columns `keep`."""
    frame = read.frame
    if not len(frame):
        raise ValueError("expected at least one row below the header, got none: check the file")
    if lacking := [name for name in keep if name not in frame]:
        raise ValueError(
            f"no column {lacking[0]!r} to keep: the table has {quoted(list(frame.columns))}"
        )
    kept = {
        name: [
            "" if gone else str(value)
            for value, gone in zip(frame[name], frame[name].isna(), strict=True)
        ]
        for name in keep
    }
    return NewRows(
        recipe.numbers(frame, read.cells, unknown_as_none=unknown_as_none), read.said, kept
    )


def _learned(read, target, options, one_hot):
    """Build a table, and its recipe, from a file that was read."""
    frame, notes = _usable(read.frame, options)
    names = [name for name in frame.columns if name not in (target, options.weights)]
    if target not in frame:
        numbers = all(Cells().number(name) is not None for name in names)
        hint = (
            "; the first line holds numbers only: add a line with the names"
            if numbers
            else unsplit(names)
        )
        raise ValueError(f"no column {target!r}: choose the target among {quoted(names)}{hint}")
    if not (len(frame) and names):
        got = f"{len(frame)} row(s) and {len(names)} column(s) besides {target!r}"
        raise ValueError(f"expected at least one row and one feature, got {got}: check the file")
    index = frame.index
    cells = read.cells._replace(
        where=lambda row: read.cells.where(int(index[row])), day_format=options.date_format
    )
    y, columns = _parsed(frame, target, names, cells, options)
    weight = _weight_of(frame, options.weights, target, cells)
    columns, left_out = _informative(columns)
    notes += left_out
    keep, more = _complete(target, y, columns, options.impute, cells.where, one_hot)
    y, *kept = _rows_of([y, *columns.values()], keep)
    weight = None if weight is None else weight[keep]
    _check_target(target, y)
    labels = y.levels if y.kind == CATEGORY else ()
    notes += [
        *more,
        *([f"target {target!r}: 0 is {labels[0]!r}, 1 is {labels[1]!r}"] if labels else []),
    ]
    gaps = [bool(column.missing.any()) for column in kept]
    fills = options.impute in ("median", "indicator")
    marked = options.impute == "indicator"
    variables = tuple(
        Variable(
            name, column.kind, column.levels, fill_of(column) if fills else None, gap and marked
        )
        for name, column, gap in zip(columns, kept, gaps, strict=True)
    )
    notes += _what(variables, kept, gaps, one_hot)
    recipe = Recipe(
        target,
        labels,
        options.impute,
        variables,
        options.na,
        read.marks,
        options.drop,
        options.weights,
        one_hot,
    )
    X = encoded(recipe, kept, cells.where)
    y = y.values.astype(np.float64)
    return Table(
        X,
        y,
        tuple(recipe.columns),
        tuple(recipe.groups),
        recipe,
        (*read.said, *notes),
        tuple(kept) if fills and any(gaps) else None,
        weight,
    )


def _weight_of(frame, name, target, cells):
    """Return the column of weights, (n_rows,), or None if there is none."""
    if name is None:
        return None
    if name == target:
        raise ValueError(f"the column {name!r} is the target, it cannot hold the weights, too")
    if name not in frame:
        others = quoted([column for column in frame.columns if column != target])
        raise ValueError(f"no column {name!r} for the weights: choose among {others}")
    column = column_of(name, frame[name], cells, NUMBER)
    bad = column.missing | ~(column.values >= 0)
    if bad.any():
        row = int(np.argmax(bad))
        found = "no weight" if column.missing[row] else f"the weight {column.values[row]:g}"
        raise ValueError(
            f"{cells.where(row)}, column {name!r} holds {found}: weights must be numbers >= 0."
        )
    return column.values


def _parsed(frame, target, names, cells, options):
    """Parse the target and the columns `names` of a frame: a ``Column``, and a dict of them."""

    def parsed(name):
        kind = CATEGORY if name in options.text else None
        return column_of(name, frame[name], cells, kind, may_be_key=name != target)

    y = parsed(target)
    columns = {name: parsed(name) for name in names}
    if options.date_format and not any(column.kind == DATE for column in (y, *columns.values())):
        raise ValueError(
            f"no column holds dates in the format date_format={options.date_format!r}: correct it, "
            "or leave it out"
        )
    return y, columns


def _informative(columns):
    """Leave out the columns that are empty, and keys; return the others, and notes on that."""
    notes = []
    for why, is_useless in (
        ("empty", lambda column: column.missing.all()),
        ("a different text in every row", lambda column: column.kind == KEY),
    ):
        useless = [name for name, column in columns.items() if is_useless(column)]
        if useless:
            notes.append(f"left out: {quoted(useless)} ({why})")
            columns = {name: column for name, column in columns.items() if name not in useless}
    if not columns:
        raise ValueError(
            "no column is left to predict from, as all are empty or hold a different text in every "
            "row: check the file"
        )
    return columns, notes


def _check_target(target, y):
    """Raise if the target holds text with other than two entries."""
    if y.kind == CATEGORY and len(y.levels) != 2:
        raise ValueError(
            f"the target {target!r} holds text with {len(y.levels)} different entries "
            f"({quoted(y.levels, 5)}): expected numbers, or two "
            "classes and a loss for them, such as the logistic one; for more classes use a "
            "classifier in Python, such as "
            "RandomizedGBMClassifier or ForwardStagewiseClassifier"
        )


def _usable(frame, options):
    """Leave out the columns to drop, those without a name, and empty rows.

    Return the frame, and notes on that.
    """
    for names, what in ((options.drop, "leave out"), (options.text, "take as text")):
        if unknown := [name for name in names if name not in frame]:
            raise ValueError(
                f"no column {unknown[0]!r} to {what}: choose among {quoted(list(frame.columns))}"
            )
    frame = frame.drop(columns=list(options.drop))
    notes = []
    nameless = [j for j, name in enumerate(frame.columns) if name in ("", f"Unnamed: {j}")]
    filled = [j for j in nameless if not frame.iloc[:, j].isna().all()]
    if odd := [j for j in filled if j or len(frame.columns) == 1]:
        raise ValueError(f"column {odd[0] + 1} has no name in the header: name it")
    if filled:
        notes.append("the first column, without a name, left out as row names")
    frame = frame.iloc[:, [j for j in range(len(frame.columns)) if j not in nameless]].reset_index(
        drop=True
    )
    if not len(frame.columns):
        raise ValueError(
            "every column lacks a name or is left out by drop: check the header and drop"
        )
    rows = frame.dropna(how="all")
    return rows, notes + [f"{len(frame) - len(rows)} empty row(s) left out"] * (
        len(rows) < len(frame)
    )


def _complete(target, y, columns, impute, where, one_hot):
    """Return the rows to fit on, an index, and notes on the rows left out."""
    gone = y.missing
    gaps = {name: column.missing for name, column in columns.items()}
    gaps = {name: missing for name, missing in gaps.items() if missing.any()}
    if impute is None and not one_hot:  # missing values stay missing
        gaps = {}
    if gone.any() and impute is None:
        refuse_gap(target, int(np.argmax(gone)), where, remedy='impute="drop" leaves the row out')
    if gaps and impute is None:
        others = (
            f" (missing values in {len(gaps)} columns: {quoted([*gaps], 5)})"
            if len(gaps) > 1
            else ""
        )
        refuse_gap(next(iter(gaps)), int(np.argmax(next(iter(gaps.values())))), where, others)
    notes = [f"{int(gone.sum())} row(s) without {target!r} left out"] if gone.any() else []
    if impute == "drop" and gaps:
        more = np.any([*gaps.values()], axis=0) & ~gone
        notes += [f"{int(more.sum())} row(s) with missing values left out"] if more.any() else []
        gone = gone | more
    if gone.all():
        raise ValueError('no row is without missing values: fill them in, or pass impute="median"')
    return np.flatnonzero(~gone) if gone.any() else slice(None), notes


def _what(variables, columns, gaps, one_hot):
    """Notes on the encoding of text, dates and missing values, and on columns that only number the
    rows.
    """
    categories = {
        variable: ", ".join(variable.levels) for variable in variables if variable.kind == CATEGORY
    }
    texts = {
        variable: text
        if len(variable.levels) <= 4 and len(text) <= 46
        else f"{len(variable.levels)} categories"
        for variable, text in categories.items()
    }
    text_becomes = "text as 0/1 columns" if one_hot else "text as categories"
    found = {
        text_becomes: [f"{variable.name!r} ({text})" for variable, text in texts.items()],
        "dates in days since 1970": [
            repr(variable.name) for variable in variables if variable.kind == DATE
        ],
        "missing values imputed": [
            repr(variable.name)
            for variable, gap in zip(variables, gaps, strict=True)
            if gap and variable.fill is not None
        ],
    }
    notes = [column.said for column in columns if column.said]
    for what, names in found.items():
        if names:
            notes.append(
                f"{what}: {', '.join(names[:8])}"
                + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            )
    counted = [
        column.kind == NUMBER and len(column.values) >= KEYS and (np.diff(column.values) == 1).all()
        for column in columns
    ]
    if counters := [
        variable.name for variable, counts in zip(variables, counted, strict=True) if counts
    ]:
        notes.append(
            f"{quoted(counters)} only numbers the rows, so you may want to leave it out "
            f"(drop={counters[0]!r})"
        )
    return notes
