r"""Tables from files; never a pickle.

Nouns of this room: a *table* is the features ``X (m, p)``, the target ``y (m,)`` and, where the file has them, the names of the p
features, the groups that they form and the recipe that made them; the *target* is the name of the column (of a table with names) or
array (.npz) that becomes ``y``. What is done with text, dates and gaps is said in ``coordboost.data.recipe``.

A reader checks what only it can see (lines, headers, names) and that every number is finite; what follows, such as centring or the
labels a loss wants, belongs to ``Problem``.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from coordboost._checks import shown
from coordboost.data.door import RecipeColumns
from coordboost.data.encode import encoded
from coordboost.data.frames import as_pandas, is_frame
from coordboost.data.kinds import Column
from coordboost.data.recipe import Recipe
from coordboost.problem import Problem
from coordboost.readers.arrays import SVM, read_npy, read_npz, read_svmlight
from coordboost.readers.frames import NAMED, named_file
from coordboost.readers.options import Options
from coordboost.readers.tables import learned, prepared


class Table(NamedTuple):
    """What a file holds."""

    X: Any  # (m, p) float64: dense in Fortran order, or a scipy CSC array (svmlight, many indicators)
    y: np.ndarray | None  # (m,) float64; None where it was not asked for and is not there
    feature_names: tuple[str, ...] | None  # p names, or None where the file has none
    groups: tuple[str, ...] | None = None  # p names of the variables that the features belong to
    recipe: Recipe | None = None  # how the columns of the file became X, for tables with names
    said: tuple[str, ...] = ()  # what was guessed, in words
    columns: tuple[Column, ...] | None = None  # the columns of the file, where gaps were filled

    def __repr__(self):
        rows, columns = self.X.shape
        return f"<Table {rows} x {columns}{f': {len(self.recipe.variables)} variables' if self.recipe else ''}>"

    def filled_from(self, rows):
        """X with the gaps of all rows filled by what some `rows` (indices) say; X itself where none were filled."""
        if self.recipe is None or self.columns is None:
            return self.X
        known = [replace(column, values=column.values[rows]) for column in self.columns]
        return encoded(self.recipe.refilled(known), self.columns, str)

    def frame(self, rows=None, *, unknown_as_none=False, **options):
        """X as a pandas data frame with the names of its columns, which estimators take from there; or new rows in the same columns.

        Parameters
        ----------
        rows : path or data frame, optional
            New rows, as ``read_rows`` and ``Recipe.numbers`` take them: with the columns of the file, in any order.
        unknown_as_none : bool, default False
            A category of these that the file does not have is none of those it has, instead of an error.
        **options
            As for ``read_table``, for a path.
        """
        import pandas as pd

        if rows is None:
            X = self.X
        elif self.recipe is None:
            raise ValueError(
                "the table has no columns with names, so new rows have none to be found by: give them to predict as they are."
            )
        else:
            none = {"unknown_as_none": unknown_as_none}
            X = self.recipe.numbers(as_pandas(rows), **none) if is_frame(rows) else read_rows(rows, self, **none, **options).X
        make = pd.DataFrame.sparse.from_spmatrix if scipy.sparse.issparse(X) else pd.DataFrame
        return make(X, columns=self.feature_names)

    def problem(self, loss=None, *, center=True, scale=True):
        """``Problem(X, y, loss, ...)`` with names and groups; its runs predict for new tables of the same kind."""
        groups = None if self.groups is None or len(set(self.groups)) == len(self.groups) else self.groups
        X = self.X if self.recipe is None else RecipeColumns(self.X, self.recipe)
        return Problem(X, self.y, loss, center=center, scale=scale, groups=groups, feature_names=self.feature_names)


def read_table(path, target=None, **options):
    r"""Read features and target from a file; the suffix, in any case, says which format it is.

    ======================================  ===========================================================================
    suffix                                  content
    ======================================  ===========================================================================
    .csv .tsv .tab .txt .dat .data (.gz)    a header row, then rows of cells; how it is written is guessed, see Notes
    .parquet .pq .arrow .feather .ipc       columns with types; needs pyarrow
    .xlsx .xlsm .xls .ods                   a sheet with a header row; needs what pandas reads it with (openpyxl)
    .npz                                    arrays ``X`` and ``y``, and ``feature_names`` if there is one
    .npy                                    two files, see Notes
    .svm .svmlight .libsvm (.gz)            one sample a line, ``label index:value ...``; ``X`` is a scipy CSC array
    ======================================  ===========================================================================

    Parameters
    ----------
    path : str or path-like
        The file; for .npy also ``"X.npy,y.npy"``.
    target : str, optional
        Column or array (.npz) that becomes ``y``; by default ``"y"``. .npy and svmlight have no names.
    **options
        For tables with names: see ``coordboost.readers.options.Options``. ``sep``, ``decimal``, ``thousands``, ``encoding``, ``na``,
        ``text``, ``drop``, ``date_format``, ``sheet``, ``impute``.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        One sentence that says where and what to do: the file is missing, damaged or of another format, has no rows or no features,
        lacks the target, repeats a name, has rows of different lengths, gaps that nobody said what to do with, or text among numbers.

    Notes
    -----
    *Text files.* Encoding (UTF-8, UTF-16, else one of western languages), separator, decimal mark and thousands mark are guessed from
    the beginning of the file; ``Table.said`` says what was found, options overrule. *Pairs of .npy files.* ``"X.npy,y.npy"`` names both
    files. A single file whose name ends with ``X.npy`` is paired with the file beside it that has ``y`` in the place of that ``X``
    (``train_X.npy``, ``train_y.npy``). *svmlight.* Indices start at one, unless a zero occurs in the file; the largest index seen is
    the last feature.

    *Cost.* pandas reads; beyond that a pass over each column. A mixed table of 300 MB takes about 1.7 times the CPU time of pandas' own
    ``read_csv``, and twice its wall time on two threads, more where memory that is new to the process is dear, and less than three times
    the memory of what is returned; columns of text alone, with few words, take 2.2 to 2.8 times that time, as
    pandas only notes where cells begin. Every word that is another one costs a microsecond.
    """
    text, suffix = _suffix(path)
    if not isinstance(target, str | None):
        raise ValueError(f"target must be the name of a column, got {shown(target)}.")
    chosen = Options(**options)
    if suffix in NAMED:
        file = named_file(Path(text), suffix, chosen, chosen.text)
        X, y, recipe, said, columns = learned(file, "y" if target is None else target, chosen)
        return Table(X, y, tuple(recipe.columns), tuple(recipe.groups), recipe, said, columns)
    if chosen != Options():
        raise ValueError(f"{text}: this format takes no options for text, gaps or columns: leave them out")
    if suffix == ".npz":
        return Table(*read_npz(Path(text), "y" if target is None else target))
    if target is not None:
        raise ValueError(f"{text}: this format has no named columns, got target {target!r}: leave the target out")
    return Table(*(read_svmlight(Path(text)) if suffix in SVM else read_npy(text)))


class NewRows(NamedTuple):
    """Rows to predict for."""

    X: Any  # (m, p) float64, the columns of the model
    said: tuple[str, ...] = ()  # what was guessed
    kept: dict[str, list] | None = None  # columns of the file as they are, by name


def read_rows(path, model, *, keep=(), unknown_as_none=False, **options):
    """New rows for a model, from a file: what its ``predict`` takes, and what was guessed.

    Parameters
    ----------
    path : as for ``read_table``
    model : LinearModel, or the Table that it was fitted on
    keep : sequence of str
        Names of columns to give back as they are, to know the rows by.
    unknown_as_none : bool
        Categories that the model does not know are none of those that it knows, instead of an error.
    **options
        As for ``read_table``; what means "missing" is known from the fit, and so is what 1.362 means where no cell tells.

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
                f"{text}: the model was fitted on columns without names: pass a file of the kind that it was fitted on"
            )
        given = Options(**options)
        given = given._replace(na=(*model.recipe.na, *given.na))
        file = named_file(Path(text), suffix, given, (*model.recipe.text, *keep), model.recipe.marks)
        return NewRows(*prepared(file, model.recipe, keep, unknown_as_none))
    if keep or options:
        raise ValueError(f"{text}: this format has no columns with names: leave out what speaks of them")
    if suffix == ".npz":
        return NewRows(read_npz(Path(text), "y", labelled=False)[0])
    if suffix in SVM:
        return NewRows(read_svmlight(Path(text), len(model.names))[0])
    return NewRows(read_npy(text, labelled=False)[0])


def _suffix(path):
    """The path as text and the suffix that says its format."""
    if not isinstance(path, str | os.PathLike) or "\0" in (text := os.fspath(path)):
        raise ValueError(f"path must be the name of a file, got {shown(path)}.")
    name = Path(text).name.lower()
    suffix = Path(name.removesuffix(".gz")).suffix
    zipped = suffix in SVM or f"{suffix}.gz" in NAMED
    if suffix not in (*NAMED, *SVM, ".npz", ".npy") or (name.endswith(".gz") and not zipped):
        known = ", ".join((*NAMED, ".npz", ".npy", *SVM, *(f"{end}.gz" for end in SVM)))
        raise ValueError(f"{text}: expected a name ending with one of {known}: rename or convert the file")
    return text, suffix
