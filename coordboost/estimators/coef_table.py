"""The coefficients of a linear estimator as a table for a paper."""

import numpy as np

from coordboost._utils.checks import shown


def coef_table(paths, places, coefs, intercepts, *, classes, stability, q, zeros):
    """Return the tables of some models, one below the other: see ``coef_table`` of estimators.

    Parameters
    ----------
    paths, places : list
        A path and a ``PathPoint`` for each model, or one of each for all of them.
    coefs, intercepts : ndarray, (n_models, n_columns) and (n_models,)
        On the scale of X.
    classes : list or None
        Labels of the models, if there are several.
    """
    import pandas as pd

    alone = len(paths) == len(coefs)
    if not alone:
        paths = len(coefs) * paths
        places = len(coefs) * places
    columns = {} if stability is None else {"selected": _frequencies(stability, q, coefs.shape[1])}
    tables = []
    for path, place, coef, intercept in zip(paths, places, coefs, intercepts, strict=True):
        along = _along_the_path(path) if alone else {}
        tables.append(_table_of(path.problem, coef, intercept, along | columns, zeros))
        if alone:
            share = path._deviance(path.losses)["deviance"][int(place.step)]
            tables[-1].attrs["deviance"] = float(share)
    if len(tables) == 1:
        return tables[0]
    return pd.concat(tables, keys=classes, names=["class"])


def _frequencies(stability, q, n_columns):
    """Check and return the shares of draws in which a column is selected, (n_columns,)."""
    if not hasattr(stability, "frequencies") or stability.n_features != n_columns:
        raise ValueError(
            f"stability must be a Stability of the {n_columns} columns of the model, got "
            f"{shown(stability)}."
        )
    if q is None:
        raise ValueError(
            "stability needs q: a column counts as selected if it is among the first q to enter."
        )
    return stability.frequencies(q)


def _along_the_path(path):
    """The order of entry of each column of X, and the share of the loss explained there: a dict,
    empty for a path of one point.
    """
    numbers, coefs = path.profile()
    if len(coefs) == 1:
        return {}
    n_columns = coefs.shape[1]
    entry = np.full(n_columns, np.nan)
    deviance = np.full(n_columns, np.nan)
    order = path.order_of_entry()
    entry[order] = np.arange(1, len(order) + 1)
    used = np.flatnonzero(coefs.any(axis=0))
    deviance[used] = numbers["deviance"][(coefs[:, used] != 0).argmax(axis=0)]
    return {"entry": entry, "deviance": deviance}


def _table_of(problem, coef, intercept, columns, zeros):
    """The table of one model: the intercept, then the columns, the largest first."""
    import pandas as pd

    standardized = coef * problem.standardization.deviations(problem.total_weight)
    rows = np.argsort(-np.abs(standardized), kind="stable")
    if not zeros:
        rows = rows[coef[rows] != 0]
    numbers = {"coef": coef, "standardized": standardized, **columns}
    first = {name: [intercept if name == "coef" else np.nan] for name in numbers}
    names = ["(intercept)", *(problem.column_names[j] for j in rows)]
    index = pd.Index(names, name="column")
    table = pd.DataFrame(
        {name: np.append(first[name], values[rows]) for name, values in numbers.items()}, index
    )
    return table.astype({"entry": "Int64"}) if "entry" in numbers else table
