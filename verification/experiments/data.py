"""The data sets of the papers, and their random splits."""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from verification.sets import path, read

#: Sets whose target is a number.
NUMBERS = ("housing", "year_1176", "prostate")


class Set(NamedTuple):
    """X : (n_samples, n_features), dense, or CSR where most entries are 0;  y : numbers, or -1.0 and 1.0;  classes : which of both."""

    name: str
    X: object
    y: np.ndarray
    classes: bool


def load(name):
    """The `Set` of this name. *Raises* ``Absent``."""
    X, y = read(name)
    X = X.toarray() if scipy.sparse.issparse(X) and X.shape[1] < 1000 else X
    classes = name not in NUMBERS
    return Set(name, X, np.where(y > 0, 1.0, -1.0) if classes else y, classes)


def frame(name):
    """The table of this name with its categories as strings: a data frame. *Raises* ``Absent``."""
    import pandas as pd

    return pd.read_csv(path(f"{name}.csv.gz"), dtype=str, keep_default_na=False)


def split(data, seed, part=0.2):
    """Two sets: a random share ``1 - part`` of the rows to fit, the rest to test."""
    n = len(data.y)
    order = np.random.default_rng(seed).permutation(n)
    held = int(np.ceil(part * n))
    return tuple(data._replace(X=data.X[rows], y=data.y[rows]) for rows in (np.sort(order[held:]), np.sort(order[:held])))
