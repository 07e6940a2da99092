"""Files of numbers: NumPy's own and svmlight; never a pickle."""

import gzip
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coordboost.data.kinds import WHOLE
from coordboost.data.memory import check_room, in_words

SVM = (".svm", ".svmlight", ".libsvm")
#: Bytes that a fit keeps of a feature in which nothing is stored: where its entries begin, mean, norm, a coefficient, ...
PER_FEATURE = 80
PART = "take a machine with more, or part the file"
_BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile)


def read_npz(path, target, *, labelled=True):
    """X, y and names of an .npz file; y is None where it is not wanted and not there."""
    kind, wanted = "an .npz file without pickles", ("X", target, "feature_names")
    with opened(path, kind, ValueError) as raw:
        archive = np.lib.npyio.NpzFile(raw, allow_pickle=False)
        heads = {name: _member_head(archive, name) for name in wanted if name in archive}
    for name in ("X", target) if labelled else ("X",):
        if name not in heads:
            raise ValueError(f"{path}: no array {name!r}: expected 'X' and {target!r}, got {quoted(archive.files)}")
    _check_heads(path, heads["X"], heads.get(target), target)
    _check_room(path, heads)
    with opened(path, kind, ValueError) as raw:
        archive = np.lib.npyio.NpzFile(raw, allow_pickle=False)
        found = {name: np.asarray(archive[name]) for name in heads}
    names = tuple(map(str, found["feature_names"].ravel())) if "feature_names" in found else None
    return checked(path, found["X"], found.get(target), names, target)


def read_npy(text, *, labelled=True):
    """X and y of a pair of .npy files, without names."""
    left, comma, right = text.partition(".npy,")
    first = Path(left + ".npy" if comma else text)
    if not (labelled or comma):
        return checked(first, _load_npy(first, _npy_head(first)), None, None, "y")
    if not comma and not first.stem.endswith("X"):
        raise ValueError(f"{text}: expected a name ending with 'X.npy', or a pair 'X.npy,y.npy': name both files")
    second = Path(right.strip()) if comma else first.with_name(f"{first.stem[:-1]}y{first.suffix}")
    heads = _npy_head(first), _npy_head(second)
    _check_heads(first, *heads, str(second))
    return checked(first, *map(_load_npy, (first, second), heads), None, str(second))


def _npy_head(path):
    with opened(path, "an .npy file without pickles", ValueError) as raw:
        return _head(raw, path.stat().st_size)


def _load_npy(path, head):
    _check_room(path, {"an array": head})
    with opened(path, "an .npy file without pickles", ValueError) as raw:
        return np.lib.format.read_array(raw, allow_pickle=False)


class _Head(NamedTuple):
    """What the head of an array says, before the array is read."""

    shape: tuple
    dtype: np.dtype
    fortran: bool

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def n_bytes(self):
        """Bytes that reading takes: the array, and another one where it becomes float64 in Fortran order. Pickles are not read."""
        size = 0 if self.dtype.hasobject else prod(self.shape)
        kept = self.dtype == np.float64 and (self.fortran or self.ndim < 2 or 1 in self.shape)
        return size * (self.dtype.itemsize + 8 * (not kept))


def _head(raw, n_bytes):
    """The head of the .npy file `raw`, which has `n_bytes` in all.

    Raises
    ------
    ValueError
        If it is none, or speaks of more numbers than there are.
    """
    version = np.lib.format.read_magic(raw)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in read:
        raise ValueError(f"an array of version {version[0]}.{version[1]}, which holds no plain numbers")
    shape, fortran, dtype = read[version](raw)
    claimed = prod(shape) * dtype.itemsize
    if not dtype.hasobject and claimed > n_bytes - raw.tell():
        raise ValueError(f"its head says {shape}, {in_words(claimed)}, but there are {in_words(n_bytes)} in all")
    return _Head(shape, dtype, fortran)


def _member_head(archive, name):
    member = name if name in archive.zip.namelist() else f"{name}.npy"
    with archive.zip.open(member) as raw:
        return _head(raw, archive.zip.getinfo(member).file_size)


def _check_room(path, heads):
    shapes = ", ".join(f"{name} {head.shape}" for name, head in heads.items())
    check_room(sum(head.n_bytes for head in heads.values()), f"{path}: {shapes}", f"{PART}; open_columns takes an .npy file as it lies")


def read_svmlight(path, n_features=None):
    """X as a CSC array, and y, without names."""
    from scipy.sparse import csc_array  # here, because only this format pays for importing scikit-learn
    from sklearn.datasets import load_svmlight_file

    check_text(path)
    with opened(path, "an svmlight file", ValueError, OverflowError) as raw:
        X, y = load_svmlight_file(raw, dtype=np.float64, n_features=n_features)
    what = f"{path}: a fit of {X.shape[1]:,} features, as the largest index says,"
    check_room(PER_FEATURE * X.shape[1], what, "number the features from 1 on, as most of them are in no line")
    return checked(path, csc_array(X), y, None, "y")


def check_text(path):
    """Refuse a file of text that is too large to be read: numbers take half of what their text does, or more."""
    if not path.is_file():
        return
    n_bytes = path.stat().st_size
    if path.suffix.lower() == ".gz" and n_bytes >= 4:
        with path.open("rb") as packed:
            packed.seek(-4, 2)  # where gzip says how much there was, whole 4 GiB left out
            n_bytes = max(n_bytes, int.from_bytes(packed.read(4), "little"))
    check_room(n_bytes // 2, f"{path}: a table of {in_words(n_bytes)} of text", PART)


def _check_heads(path, X, y, target):
    """Refuse arrays whose shapes do not agree, and those of anything but numbers; X, y : arrays, or their heads."""
    if X.ndim != 2 or (y is not None and y.shape != X.shape[:1]):
        got = f"{X.shape} and {None if y is None else y.shape}"
        raise ValueError(f"{path}: expected X (m, p) and {target} (m,), got {got}: reshape them")
    if 0 in X.shape:
        raise ValueError(f"{path}: expected at least one row and one feature, got X {X.shape}: check the file")
    for name, values in (("X", X), (target, y)):
        if values is not None and values.dtype.kind not in "biufO":  # pickles are refused where they are read
            raise ValueError(f"{path}: expected numbers in {name}, got dtype {values.dtype}: encode them as numbers")


def checked(path, X, y, names, target):
    """X, y and names once shapes agree, names are sound and every number is finite."""
    _check_heads(path, X, y, target)
    if names is not None and (len(names) != X.shape[1] or repeated(names)):
        raise ValueError(f"{path}: expected {X.shape[1]} different feature_names, got {quoted(names)}: mend them")
    for name, values in (("X", X), (target, y)):
        if values is not None:
            _refuse_infinite(path, name, values)
            _refuse_merging(path, name, values)
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


def _refuse_merging(path, name, values):
    """Refuse different whole numbers in a column that are one float64 number."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or max(int(values.max()), -int(values.min())) <= WHOLE:
        return
    for j, column in enumerate(values.T if values.ndim == 2 else [values]):
        whole = np.unique(column)
        same = np.flatnonzero(np.diff(whole.astype(np.float64)) == 0)
        if same.size:
            pair = " and ".join(str(int(one)) for one in whole[same[0] : same[0] + 2])
            where = f"{name}, column {j}," if values.ndim == 2 else name
            way = "subtract a constant from the column, or leave it out"
            raise ValueError(f"{path}: {where} holds {pair}, which float64 cannot tell apart: {way}")


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
    except MemoryError:
        raise ValueError(f"{path}: reading it takes more memory than there is: {PART}") from None
    except (*_BROKEN, *also) as error:
        said = " ".join(str(error).split())  # one line, whatever the library thought
        raise ValueError(f"{path}: cannot be read as {kind} ({said}): check that it is one, and whole") from error
