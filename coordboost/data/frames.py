"""Data frames of any library, converted to pandas; and names of columns, given or generated.

Options given by name, one value for each row or column, are put in the order of the table.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from coordboost._utils.checks import items_of

#: How text, dates and missing values become numbers, in the words of messages.
ENCODED = (
    'table = read_table(X.assign(y=y), "y", impute="median") does so; then fit(table.frame(), '
    "table.y), and predict(table.frame(new))"
)


def is_frame(X):
    """Whether X is a data frame: anything with ``columns`` and ``to_numpy``.

    Lazy frames and a ``Table`` are refused, with advice.
    """
    if type(X).__module__.startswith("dask") and hasattr(X, "to_dask_array"):
        raise ValueError(f"X is a {type(X).__name__} of Dask, which is lazy: call compute() first.")
    if hasattr(X, "collect_schema") and not hasattr(X, "to_numpy"):
        raise ValueError(f"X is a {type(X).__name__}, which is lazy: call collect() first.")
    # a data frame may have columns of these names
    if hasattr(type(X), "frame") and hasattr(type(X), "problem"):
        raise ValueError(
            "X is a Table from read_table: pass table.frame() to an estimator, or use "
            "table.problem() as the Problem."
        )
    return hasattr(X, "to_numpy") and hasattr(X, "columns")


def as_pandas(X):
    """Return a pandas data frame.

    Those of other libraries (polars, ...) are converted column by column.
    """
    if hasattr(X, "iloc"):
        return X
    import pandas as pd

    def series(column):
        if str(column.dtype).startswith(("Categorical", "Enum")):
            return pd.Categorical(column.to_list())
        values = column.to_numpy()
        return values if values.ndim == 1 else pd.Series(list(values))

    return pd.DataFrame({str(name): series(X[name]) for name in X.columns})


def filled(X):
    """Return a pandas data frame with dense columns for some of the sparse ones.

    They are those filled with another value than 0, such as NaN.
    """
    if all(getattr(dtype, "fill_value", 0) == 0 for dtype in X.dtypes):
        return X
    return X.assign(
        **{
            name: X[name].sparse.to_dense()
            for name in X.columns
            if hasattr(X[name].dtype, "fill_value")
        }
    )


def is_number(dtype):
    """Whether a column of this type holds real numbers."""
    return getattr(dtype, "kind", "O") in "fiub"


def is_time(dtype):
    """Whether a column of this type, of numpy, pandas or polars, holds times or durations."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "Mm"
    return getattr(dtype, "kind", "O") in "Mm" or str(dtype).startswith(
        ("Date", "Time", "Duration")
    )


def refuse_times(what, values):
    """Refuse times and durations.

    As numbers they would silently become counts of nanoseconds, a missing one the smallest number.
    """
    dtype = getattr(values, "dtype", None)
    if is_time(dtype):
        raise ValueError(
            f"{what} holds times ({dtype}): convert times to numbers of days; read_table does so "
            "for a data frame or a file."
        )


def refuse_words(X):
    """Refuse a data frame, of any library, with columns that do not hold real numbers.

    The message names them and what to do.
    """
    X = as_pandas(X)
    bad = {
        str(name): dtype
        for name, dtype in zip(X.columns, X.dtypes, strict=True)
        if not is_number(dtype)
    }
    if bad:
        days = "convert times to numbers of days; " if all(map(is_time, bad.values())) else ""
        names = listed([*bad])
        raise ValueError(
            f"X must hold real numbers; encode or drop the columns {names} first: {days}{ENCODED}."
        )


def refuse_gaps(X):
    """Refuse an array, or a data frame of pandas, with missing values, and say what fills them."""
    if is_frame(X):
        gone = [str(name) for name in X.columns if X[name].isna().any()]
        if gone:
            raise ValueError(
                f"X contains NaN, missing values, in the columns {listed(gone)}; fill them in: "
                f"{ENCODED}."
            )
    elif isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.ndim == 2 and np.isnan(X).any():
        row, column = np.argwhere(np.isnan(X))[0].tolist()
        raise ValueError(
            f"X contains NaN, a missing value, in row {row} and column {column}: impute or drop "
            "them, or take an estimator with trees, such as RandomizedGBMRegressor, for which "
            "values may be missing."
        )


def is_series(values):
    """Whether `values` is a pandas Series."""
    return _has_index(values) and not hasattr(values, "columns")


def _has_index(values):
    """Whether `values` has an index, as frames and series of pandas have."""
    return hasattr(getattr(values, "index", None), "get_indexer")


def by_index(name, values, X):
    """Return `values`, one for each row of X, in the order of its rows.

    A pandas Series, or a frame of several values for each row, is matched with a pandas frame X by
    its index. Anything else is by place.

    Raises
    ------
    ValueError
        If the Series has other labels than X, or labels that repeat in another order.
    """
    known = is_series(values) or _has_index(values)
    if not (known and _has_index(X)) or values.index.equals(X.index):
        return values
    if len(values) != len(X):
        return values  # refused for its length
    by_place = f"give it the index of X, or pass {name}.to_numpy() for values by place"
    if not (values.index.is_unique and X.index.is_unique):
        raise ValueError(
            f"{name} is a Series with another index than X, and labels that repeat: {by_place}."
        )
    place = values.index.get_indexer(X.index)
    if (place < 0).any():
        label = X.index[int(np.argmax(place < 0))]
        raise ValueError(
            f"{name} is a Series with another index than X, without a value for the row "
            f"{label!r}: {by_place}."
        )
    return values.iloc[place]


def by_name(option, values, names, default):
    """Return `values`, one for each column, in the order of the columns.

    Parameters
    ----------
    option : str
        What the values are, for messages.
    values : Mapping, pandas Series, or anything else, which is returned as it is
        By the names of the columns.
    names : sequence of str, or None
        Of the columns; None if they have none.
    default : float
        Of columns that a mapping leaves out. A Series must have them all.

    Raises
    ------
    ValueError
        If the names are not those of the columns.
    """
    if not (isinstance(values, Mapping) or is_series(values)):
        return values
    labels = list(values.keys())
    if names is None:
        if is_series(values) and labels == list(range(len(labels))):
            return values
        raise ValueError(
            f"{option} is by name, and the columns of X have no names: pass X as a data frame, or "
            f"{option} as an array with one value for each column."
        )
    given = {str(label): value for label, value in values.items()}
    names = [str(name) for name in names]
    known = set(names)
    unknown = [label for label in given if label not in known]
    if unknown:
        raise ValueError(
            f"{option} has values for {listed(unknown)}, and X has no columns of these names; "
            f"they are {listed(names)}."
        )
    if len(given) < len(labels):
        raise ValueError(f"{option} has two values for one name: give each column one value.")
    absent = [name for name in names if name not in given]
    if absent and is_series(values):
        raise ValueError(
            f"{option} is a Series without values for the columns {listed(absent)}; a dict may "
            "leave columns out."
        )
    return [given.get(name, default) for name in names]


class Names(Sequence):
    """A lazy sequence of names: ``name(j)`` for each j of `numbers`."""

    def __init__(self, name, numbers):
        self.name, self.numbers = name, numbers

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, i):
        return self.name(self.numbers[i])


def names_of(given, n_columns):
    """Names of the columns, x0, x1, ... for None."""
    if given is None:
        return Names("x{}".format, range(n_columns))
    what = f"a list of names, one for each of the {n_columns} columns of X"
    names = [str(name) for name in items_of("feature_names", given, what)]
    if len(names) != n_columns:
        raise ValueError(f"feature_names must be {what}, got {len(names)} names.")
    return names


def indices_of(known, given, named):
    """The index in `given` of each column in `known`, matched by name.

    None if there is nothing to reorder.

    Raises
    ------
    ValueError
        If names are missing, unknown or repeated.
    """
    if given is None:
        return None
    given = list(given)
    known = list(known)
    in_known = set(known)
    in_given = set(given)
    if given == known or not (named or in_given == in_known):
        return None
    unseen = [name for name in given if name not in in_known]
    missing = [name for name in known if name not in in_given]
    if unseen or missing:
        parts = [
            f"{what}: {listed(names)}."
            for what, names in (
                ("Feature names unseen at fit time", unseen),
                ("Feature names seen at fit time, yet now missing", missing),
            )
            if names
        ]
        raise ValueError(
            " ".join(["The feature names should match those that were passed during fit.", *parts])
        )
    if len(given) != len(known) or len(in_known) < len(known):
        counts = Counter(given) | Counter(known)
        repeated = next(name for name in given if counts[name] > 1)
        raise ValueError(
            f"the columns of X cannot be matched with the fit, as the name {repeated!r} repeats; "
            "give each column its own name."
        )
    index = {name: j for j, name in enumerate(given)}
    return np.array([index[name] for name in known])


def listed(names):
    """The first five of some names, for a message."""
    return ", ".join(islice(names, 5)) + (", ..." if len(names) > 5 else "")
