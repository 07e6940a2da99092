"""Real data sets from a folder beside the checkout: find and read their files."""

import gzip
import hashlib
import os
from pathlib import Path

import numpy as np

#: Columns of the sets in svmlight form.
N_COLUMNS = {
    "a9a": 123,
    "a9a.t": 123,
    "a1a": 123,
    "w1a": 300,
    "german.numer": 24,
    "rcv1_small": 47236,
}

#: Tables with categories, as CSV with a line of names.
TABLES = (
    "adult",
    "amazon",
    "click_small",
    "internet",
    "kick",
    "ionosphere",
    "titanic",
    "phoneme",
    "mammography",
    "telco_churn",
    "bank_marketing",
    "abalone",
    "wine_quality",
    "diamonds",
)


class Absent(LookupError):
    """A data file is missing; the message names it and the folder that was searched."""


def folder():
    """Return the folder ``data`` within ``COORDBOOST_SHARED`` or, by default, ``shared`` beside the
    checkout; None if there is none.
    """
    given = os.environ.get("COORDBOOST_SHARED")
    path = Path(given) if given else Path(__file__).resolve().parents[2] / "shared"
    return path / "data" if (path / "data").is_dir() else None


def path(file):
    """Return the path of a file in the data folder.

    Raises
    ------
    Absent
        If there is no such file.
    """
    where = folder()
    if where is None:
        raise Absent(
            f"{file} is missing: there is no folder with data; docs/data.md names its source and "
            f"how it is made; name the folder that has data/{file} in COORDBOOST_SHARED."
        )
    if not (where / file).exists():
        raise Absent(
            f"{file} is missing: it was looked for in {where}; docs/data.md names its source and "
            "how it is made; COORDBOOST_SHARED names another folder with data/ in it."
        )
    return where / file


def read(name):
    """Return X, y of a set as stored: X is a float array, or CSR for a set in svmlight form.

    *Raises* ``Absent``.

    For prostate, y is lcavol and X has the eight other variables, in the order of the file.
    """
    if name == "prostate":
        with gzip.open(path("prostate.csv.gz"), "rt") as file:
            table = np.loadtxt(file, delimiter=",", skiprows=1)
        return table[:, 1:9], table[:, 0]
    if name in N_COLUMNS:
        from sklearn.datasets import load_svmlight_file

        with gzip.open(path(f"{name}.svm.gz")) as file:
            return load_svmlight_file(file, n_features=N_COLUMNS[name])
    with np.load(path(f"{name}.npz")) as stored:
        return stored["X"].astype(float), stored["y"].astype(float)


def checksum(name):
    """Return 16 digits of the SHA-256 of X and y as returned by `read`, or of the text of a table
    with categories. *Raises* ``Absent``.

    A sparse X is hashed as its entries and their column indices, row by row.
    """
    if name in TABLES:
        with gzip.open(path(f"{name}.csv.gz")) as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]
    X, y = read(name)
    parts = (X, y) if isinstance(X, np.ndarray) else (X.data, X.indices.astype(np.int64), y)
    return hashlib.sha256(
        b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    ).hexdigest()[:16]
