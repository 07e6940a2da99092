"""Reference paths from independent software, read from a folder beside the checkout, or from
COORDBOOST_SHARED.

R mboost, R glmnet, R lars and a plain NumPy loop ran on exactly the float64 columns stored there.
The data are not part of the package; tests that need them are skipped if the folder is absent.
"""

import os
from pathlib import Path

import numba
import numpy as np
import pytest

FOLDER = (
    Path(os.environ.get("COORDBOOST_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    / "reference"
)
needs_reference_sets = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"no reference sets at {FOLDER}"
)
needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="takes minutes in plain Python"
)

#: file, prefix of its arrays
FILES = [
    "prostate",
    "prostate44",
    "diabetes10",
    "diabetes64",
    "leukemia",
    "dupflip",
    "lincomb",
    "german",
]
SETS = {
    **{name: (name, "") for name in FILES},
    **{f"ties {case}": ("ties", f"{case}_") for case in "abcd"},
}
REGRESSION = [name for name in SETS if name != "german"]


class ReferenceSet:
    """The arrays of one set by name; matrices stored as triplets are assembled. ``col_class``:
    copies of a column share a number.
    """

    def __init__(self, name):
        file, prefix = SETS[name]
        with np.load(FOLDER / f"{file}.npz") as stored:
            self.arrays = {
                key.removeprefix(prefix): stored[key]
                for key in stored.files
                if key.startswith(prefix)
            }
        self.X = self["X"]
        self.y = self["y"]
        self.n, self.p = self.X.shape
        self.col_class = self["col_class"] if "col_class" in self else np.arange(self.p)

    def __contains__(self, name):
        return name in self.arrays

    def __getitem__(self, name):
        if name in self:
            return self.arrays[name]
        shape, rows, columns, values = (
            self.arrays[f"{name}_{part}"] for part in ("shape", "row", "col", "val")
        )
        full = np.zeros(shape)
        full[rows, columns] = values
        return full

    @property
    def size(self):
        return float(np.linalg.norm(self.y))
