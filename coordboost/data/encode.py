"""Variables to columns of numbers, by scikit-learn's transformers, which are made anew from plain data each time."""

import numpy as np
import scipy.sparse

from coordboost.data.kinds import CATEGORY
from coordboost.data.variables import Variable, refuse_gap, refuse_unknown

#: Bytes of columns that are formed dense whatever is in them; larger ones of indicators, most of them zero, are kept sparse.
DENSE = 1 << 28


def fitted(names, columns, impute):
    """The variables, with what fills their gaps: the median of numbers and dates, the most frequent category.

    Parameters
    ----------
    names : list of str;  columns : list of Column;  impute : "median", "indicator", "drop" or None
    """
    fills = [None] * len(names)
    if impute in ("median", "indicator"):
        from sklearn.impute import SimpleImputer

        for j, column in enumerate(columns):
            strategy, mark = ("most_frequent", -1) if column.kind == CATEGORY else ("median", np.nan)
            imputer = SimpleImputer(strategy=strategy, missing_values=mark).fit(column.values[:, None])
            fill = imputer.statistics_[0]
            fills[j] = column.levels[int(fill)] if column.kind == CATEGORY else float(fill)
    gaps = [impute == "indicator" and bool(column.missing.any()) for column in columns]
    return tuple(
        Variable(name, column.kind, column.levels, fill, gap)
        for name, column, fill, gap in zip(names, columns, fills, gaps, strict=True)
    )


def encoded(recipe, columns, where, unknown_as_none=False):
    """The columns of numbers, (n_rows, n_columns) float64: dense in Fortran order, or CSC where they are large and mostly zero."""
    n_rows, names = len(columns[0].values), recipe.columns
    n_single = sum(variable.kind != CATEGORY for variable in recipe.variables)
    sparse = 8 * n_rows * len(names) > DENSE and 4 * n_single < len(names)
    X = None if sparse else np.empty((n_rows, len(names)), order="F")
    parts, at = [], 0
    for variable, column in zip(recipe.variables, columns, strict=True):
        make = _indicators if variable.kind == CATEGORY else _number
        made = make(variable, column, where, unknown_as_none)
        if X is None:
            parts.append(scipy.sparse.csc_array(made))
        else:
            X[:, at : at + len(variable.columns)] = made if isinstance(made, np.ndarray) else made.toarray()
        at += len(variable.columns)
    return scipy.sparse.csc_array(scipy.sparse.hstack(parts, format="csc")) if X is None else X


def _gap(variable, missing, where):
    """Refuse gaps that the variable does not fill; the 0/1 column of gaps, where it has one, as a list."""
    if variable.fill is None and missing.any():
        refuse_gap(variable.name, int(np.flatnonzero(missing)[0]), where)
    return [missing.astype(np.float64)[:, None]] if variable.gap else []


def _number(variable, column, where, unknown_as_none):
    """A column of numbers or dates, and perhaps that of its gaps, (n_rows, 1 or 2)."""
    missing = column.missing
    gap, values = _gap(variable, missing, where), column.values[:, None]
    if missing.any():
        from sklearn.impute import SimpleImputer

        values = SimpleImputer().fit([[variable.fill]]).transform(values)
    return np.hstack([values, *gap]) if gap else values


def _indicators(variable, column, where, unknown_as_none):
    """The indicator columns of a category, (n_rows, n) CSR: the encoder sees each different category once."""
    from sklearn.preprocessing import OneHotEncoder

    missing, known = column.missing, set(variable.levels)
    gap = _gap(variable, missing, where)
    odd = [code for code, level in enumerate(column.levels) if level not in known]
    if odd and not unknown_as_none:
        row = int(np.flatnonzero(np.isin(column.values, odd))[0])
        refuse_unknown(variable, column.levels[column.values[row]], row, where)
    levels = np.array([*column.levels, variable.fill or ""], dtype=object)[:, None]
    encoder = OneHotEncoder(categories=[np.array(variable.levels, dtype=object)], drop=None, handle_unknown="ignore")
    table = encoder.fit(np.array(variable.levels, dtype=object)[:, None]).transform(levels)
    made = table[:, len(variable.levels) == 2 :][column.values]
    if variable.gap:
        made = scipy.sparse.csr_array(made).multiply(~missing[:, None]).tocsr()
    return scipy.sparse.hstack([made, *map(scipy.sparse.csr_array, gap)], format="csr") if gap else made
