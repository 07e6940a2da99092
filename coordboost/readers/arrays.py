"""Files of numbers: NumPy's own and svmlight; never a pickle."""

import gzip
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np

SVM = (".svm", ".svmlight", ".libsvm")
_BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile)


def read_npz(path, target, *, labelled=True):
    """X, y and names of an .npz file; y is None where it is not wanted and not there."""
    with opened(path, "an .npz file without pickles", ValueError) as raw:
        archive = np.lib.npyio.NpzFile(raw, allow_pickle=False)
        found = {name: np.asarray(archive[name]) for name in ("X", target, "feature_names") if name in archive}
    for name in ("X", target) if labelled else ("X",):
        if name not in found:
            raise ValueError(f"{path}: no array {name!r}: expected 'X' and {target!r}, got {quoted(archive.files)}")
    names = tuple(map(str, found["feature_names"].ravel())) if "feature_names" in found else None
    return checked(path, found["X"], found.get(target), names, target)


def read_npy(text, *, labelled=True):
    """X and y of a pair of .npy files, without names."""
    left, comma, right = text.partition(".npy,")
    first = Path(left + ".npy" if comma else text)
    if not (labelled or comma):
        return checked(first, _load_npy(first), None, None, "y")
    if not comma and not first.stem.endswith("X"):
        raise ValueError(f"{text}: expected a name ending with 'X.npy', or a pair 'X.npy,y.npy': name both files")
    second = Path(right.strip()) if comma else first.with_name(f"{first.stem[:-1]}y{first.suffix}")
    return checked(first, _load_npy(first), _load_npy(second), None, str(second))


def _load_npy(path):
    with opened(path, "an .npy file without pickles", ValueError) as raw:
        return np.lib.format.read_array(raw, allow_pickle=False)


def read_svmlight(path, n_features=None):
    """X as a CSC array, and y, without names."""
    from scipy.sparse import csc_array  # here, because only this format pays for importing scikit-learn
    from sklearn.datasets import load_svmlight_file

    with opened(path, "an svmlight file", ValueError) as raw:
        X, y = load_svmlight_file(raw, dtype=np.float64, n_features=n_features)
    return checked(path, csc_array(X), y, None, "y")


def checked(path, X, y, names, target):
    """X, y and names once shapes agree, names are sound and every number is finite."""
    if X.ndim != 2 or (y is not None and y.shape != X.shape[:1]):
        got = f"{X.shape} and {None if y is None else y.shape}"
        raise ValueError(f"{path}: expected X (m, p) and {target} (m,), got {got}: reshape them")
    if 0 in X.shape:
        raise ValueError(f"{path}: expected at least one row and one feature, got X {X.shape}: check the file")
    if names is not None and (len(names) != X.shape[1] or repeated(names)):
        raise ValueError(f"{path}: expected {X.shape[1]} different feature_names, got {quoted(names)}: mend them")
    for name, values in (("X", X), (target, y)):
        if values is None:
            continue
        if values.dtype.kind not in "biuf":
            raise ValueError(f"{path}: expected numbers in {name}, got dtype {values.dtype}: encode them as numbers")
        _refuse_infinite(path, name, values)
    dense = np.asfortranarray(X, dtype=np.float64) if isinstance(X, np.ndarray) else X
    return dense, None if y is None else np.array(y, dtype=np.float64), names


def _refuse_infinite(path, name, values):
    stored = values if isinstance(values, np.ndarray) else values.tocoo()
    entries = stored.ravel() if stored is values else stored.data
    bad = np.flatnonzero(~np.isfinite(entries))
    if bad.size:
        at = np.unravel_index(bad[0], values.shape) if stored is values else (stored.row[bad[0]], stored.col[bad[0]])
        where = ", column ".join(str(int(i)) for i in at)
        found = f"{name} holds {entries[bad[0]]} in row {where}, counted from 0"
        raise ValueError(f"{path}: {found}: fill in the number or drop the row")


def repeated(names):
    """The names that occur more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def quoted(names, at_most=20):
    """The names in quotes, the first of them where there are many."""
    more = f" and {len(names) - at_most} more" if len(names) > at_most else ""
    return (", ".join(map(repr, names[:at_most])) or "nothing") + more


@contextmanager
def opened(path, kind, *also):
    """Open a file for reading bytes (through gzip for .gz); damage becomes one ValueError sentence."""
    if path.is_dir():
        raise ValueError(f"{path}: that is a folder: name a file in it")
    if not path.is_file():
        raise ValueError(f"{path}: no such file: check the path")
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as raw:
            yield raw
    except (*_BROKEN, *also) as error:
        said = " ".join(str(error).split())  # one line, whatever the library thought
        raise ValueError(f"{path}: cannot be read as {kind} ({said}): check that it is one, and whole") from error
