"""The data sets of the papers, from the folder beside the checkout, and their random splits."""

import gzip
from typing import NamedTuple

import numpy as np

from verification.benchmarks.data import folder

#: Columns of the sets in svmlight form.
N_COLUMNS = {"a9a": 123, "a9a.t": 123, "a1a": 123, "w1a": 300, "german.numer": 24, "rcv1_small": 47236}
#: Sets whose target is a number.
NUMBERS = ("housing", "year_1176")


class Absent(LookupError):
    """A file of data is not here; the message says which, and where it was looked for."""


class Set(NamedTuple):
    """X : (n_samples, n_features), dense, or CSR where most entries are 0;  y : numbers, or -1.0 and 1.0;  classes : which of both."""

    name: str
    X: object
    y: np.ndarray
    classes: bool


def path(file):
    """The path of a file of the data folder.

    Raises
    ------
    Absent
        If there is no such file.
    """
    where = folder()
    if where is None:
        raise Absent(
            f"{file} is missing: there is no folder with data; name the one that has data/{file} in COORDBOOST_SHARED."
        )
    if not (where / file).exists():
        raise Absent(
            f"{file} is missing: it was looked for in {where}; COORDBOOST_SHARED names another folder with data/ in it."
        )
    return where / file


def load(name):
    """The `Set` of this name. *Raises* ``Absent``."""
    if name in N_COLUMNS:
        from sklearn.datasets import load_svmlight_file

        with gzip.open(path(f"{name}.svm.gz")) as file:
            X, y = load_svmlight_file(file, n_features=N_COLUMNS[name])
        X = X.toarray() if X.shape[1] < 1000 else X
    else:
        with np.load(path(f"{name}.npz")) as stored:
            X, y = stored["X"].astype(float), stored["y"].astype(float)
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
