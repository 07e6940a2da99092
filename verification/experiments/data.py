"""The data sets of the papers, and their random splits."""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from verification.sets import path, read

#: Data sets with a numeric target; all others have two classes.
NUMBERS = ("housing", "year_1176", "prostate")


class Set(NamedTuple):
    """A data set; X : (n_samples, n_features), dense or CSR.

    Y : numbers, or -1.0 and 1.0 if it has `classes`.
    """

    name: str
    X: object
    y: np.ndarray
    classes: bool


def load(name):
    """Return the `Set` of this name. *Raises* ``Absent`` if it is not available."""
    X, y = read(name)
    X = X.toarray() if scipy.sparse.issparse(X) and X.shape[1] < 1000 else X
    classes = name not in NUMBERS
    return Set(name, X, np.where(y > 0, 1.0, -1.0) if classes else y, classes)


def frame(name):
    """Return the table of this name as a data frame of strings.

    *Raises* ``Absent`` if it is not available.
    """
    import pandas as pd

    return pd.read_csv(path(f"{name}.csv.gz"), dtype=str, keep_default_na=False)


def split(data, seed, part=0.2):
    """Return (training set, test set), split at random; `part` is the share of test rows."""
    n = len(data.y)
    order = np.random.default_rng(seed).permutation(n)
    n_held_out = int(np.ceil(part * n))
    return tuple(
        data._replace(X=data.X[rows], y=data.y[rows])
        for rows in (np.sort(order[n_held_out:]), np.sort(order[:n_held_out]))
    )
