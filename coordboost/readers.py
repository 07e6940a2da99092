r"""Tables from files: one function, four formats, never a pickle.

Nouns of this module: a *table* is the features ``X (m, p)``, the target ``y (m,)`` and, where the file has them,
the names of the p features; the *target* is the name of the column (CSV) or array (.npz) that becomes ``y``.

A reader checks what only it can see (lines, headers, names) and that every number is finite; what follows,
such as centring or the labels a loss wants, belongs to ``Problem``.
"""

import csv
import gzip
import io
import math
import os
import zipfile
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

_SVM = (".svm", ".svmlight", ".libsvm")
_BROKEN = (OSError, EOFError, csv.Error, zlib.error, zipfile.BadZipFile, UnicodeDecodeError)


class Table(NamedTuple):
    """What a file holds: ``X``, ``y`` and the names of the columns of ``X``."""

    X: Any  # (m, p) float64: dense in Fortran order, or a scipy CSC array (svmlight)
    y: np.ndarray  # (m,) float64
    feature_names: tuple[str, ...] | None  # p names in file order, or None where the file has none


def read_table(path: str | os.PathLike[str], target: str | None = None) -> Table:
    r"""Read features and target from a file; the suffix, in any case, says which format it is.

    ==============================  =====================================================================
    suffix                          content
    ==============================  =====================================================================
    .csv (.csv.gz)                  UTF-8, commas, a header row, numbers only; blank lines are skipped
    .npz                            arrays ``X`` and ``y``, and ``feature_names`` if there is one
    .npy                            two files, see Notes
    .svm, .svmlight, .libsvm (.gz)  one sample a line, ``label index:value ...``; ``X`` is a scipy CSC array
    ==============================  =====================================================================

    Parameters
    ----------
    path : str or path-like
        The file; for .npy also ``"X.npy,y.npy"``.
    target : str, optional
        Column (CSV) or array (.npz) that becomes ``y``; by default ``"y"``. The other formats have no names.

    Returns
    -------
    Table
        ``X (m, p)`` float64, ``y (m,)`` float64, ``feature_names`` (p strings) or None.

    Raises
    ------
    ValueError
        If the file is missing, damaged or of another format, has no rows or no features, lacks the target,
        repeats a name, has rows of different lengths, or holds anything but finite numbers.

    Notes
    -----
    *Pairs of .npy files.* ``"X.npy,y.npy"`` names both files. A single file whose name ends with ``X.npy`` is
    paired with the file beside it that has ``y`` in the place of that ``X`` (``train_X.npy``, ``train_y.npy``).

    *svmlight.* Indices start at one, unless a zero occurs in the file; the largest index seen is the last feature.

    *Cost.* One pass over the file; memory for the table twice.
    """
    text = os.fspath(path)
    name = Path(text).name.lower()
    suffix = Path(name.removesuffix(".gz")).suffix
    if suffix == ".csv":
        return _read_csv(Path(text), "y" if target is None else target)
    if name.endswith(".npz"):
        return _read_npz(Path(text), "y" if target is None else target)
    if suffix not in _SVM and not name.endswith(".npy"):
        known = ", ".join((".csv", ".csv.gz", ".npz", ".npy", *_SVM, *(f"{end}.gz" for end in _SVM)))
        raise ValueError(f"{text}: expected a name ending with one of {known}: rename or convert the file")
    if target is not None:
        raise ValueError(f"{text}: this format has no named columns, got target {target!r}: leave the target out")
    return _read_svmlight(Path(text)) if suffix in _SVM else _read_npy(text)


def _read_csv(path: Path, target: str) -> Table:
    rows = _csv_rows(path)
    header = [name.strip() for name in next(rows, (0, []))[1]]
    chosen = _csv_target(path, header, target)
    cells = array("d")  # row after row, eight bytes a number
    for line, row in rows:
        if len(row) != len(header):
            raise ValueError(f"{path}: line {line} has {len(row)} cells, the header has {len(header)}: mend that line")
        try:
            cells.extend(map(_number, row))
        except ValueError:
            _refuse_row(path, line, header, row)
    table = np.frombuffer(cells, dtype=np.float64).reshape(-1, len(header))
    keep = [column for column in range(len(header)) if column != chosen]
    return _table(path, table.T[keep].T, table[:, chosen], tuple(header[column] for column in keep), target)


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, cells) of every line that is not blank; the first of them is the header."""
    with _opened(path, "a CSV file in UTF-8") as raw:
        reader = csv.reader(io.TextIOWrapper(raw, encoding="utf-8-sig", newline=""), strict=True)
        for row in reader:
            if row:
                yield reader.line_num, row


def _csv_target(path: Path, header: list[str], target: str) -> int:
    """Return the position of the target in a sound header."""
    if not header:
        raise ValueError(f"{path}: expected a header row and rows of numbers, got an empty file: check the file")
    if "" in header:
        raise ValueError(f"{path}: column {header.index('') + 1} has no name in the header: name it")
    if repeated := _repeated(header):
        raise ValueError(f"{path}: the header repeats {_listed(repeated)}: give every column its own name")
    if target not in header:
        raise ValueError(f"{path}: no column {target!r}: choose the target among {_listed(header)}")
    return header.index(target)


def _number(cell: str) -> float:
    """Return a finite float, or raise ValueError; ``1_000`` is a number to ``float`` but not in a CSV file."""
    number = float(cell)
    if "_" in cell or not math.isfinite(number):
        raise ValueError(cell)
    return number


def _refuse_row(path: Path, line: int, header: list[str], row: list[str]) -> NoReturn:
    """Say what is wrong with a row: text first, for it condemns whole columns; then the first missing number."""
    text = [column for column, cell in enumerate(row) if _is_text(cell)]
    if text:
        raise ValueError(
            f"{path}: line {line} holds text such as {row[text[0]]!r} in {_listed([header[j] for j in text])}: "
            "encode text as numbers, for example as one 0/1 column a category, or leave such columns out"
        )
    column = next(j for j, cell in enumerate(row) if not cell.strip() or not math.isfinite(float(cell)))
    found = f"holds {row[column].strip()}" if row[column].strip() else "is empty"
    raise ValueError(f"{path}: line {line}, column {header[column]!r} {found}: fill in the number or drop the row")


def _is_text(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return bool(cell.strip())
    return "_" in cell


def _read_npz(path: Path, target: str) -> Table:
    with _opened(path, "an .npz file without pickles", ValueError) as raw:
        archive = np.lib.npyio.NpzFile(raw, allow_pickle=False)
        found = {name: np.asarray(archive[name]) for name in ("X", target, "feature_names") if name in archive}
    for name in ("X", target):
        if name not in found:
            raise ValueError(f"{path}: no array {name!r}: expected 'X' and {target!r}, got {_listed(archive.files)}")
    names = tuple(map(str, found["feature_names"].ravel())) if "feature_names" in found else None
    return _table(path, found["X"], found[target], names, target)


def _read_npy(text: str) -> Table:
    left, comma, right = text.partition(".npy,")
    first = Path(left + ".npy" if comma else text)
    if not comma and not first.stem.endswith("X"):
        raise ValueError(f"{text}: expected a name ending with 'X.npy', or a pair 'X.npy,y.npy': name both files")
    second = Path(right.strip()) if comma else first.with_name(f"{first.stem[:-1]}y{first.suffix}")
    return _table(first, _load_npy(first), _load_npy(second), None, str(second))


def _load_npy(path: Path) -> np.ndarray:
    with _opened(path, "an .npy file without pickles", ValueError) as raw:
        return np.lib.format.read_array(raw, allow_pickle=False)


def _read_svmlight(path: Path) -> Table:
    from scipy.sparse import csc_array  # here, because only this format pays for importing scikit-learn
    from sklearn.datasets import load_svmlight_file

    with _opened(path, "an svmlight file", ValueError) as raw:
        X, y = load_svmlight_file(raw, dtype=np.float64)
    return _table(path, csc_array(X), y, None, "y")


def _table(path: Path, X: Any, y: np.ndarray, names: tuple[str, ...] | None, target: str) -> Table:
    """Return the table once shapes agree, names are sound and every number is finite."""
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"{path}: expected X (m, p) and {target} (m,), got {X.shape} and {y.shape}: reshape them")
    if 0 in X.shape:
        raise ValueError(f"{path}: expected at least one row and one feature, got X {X.shape}: check the file")
    if names is not None and (len(names) != X.shape[1] or _repeated(names)):
        raise ValueError(f"{path}: expected {X.shape[1]} different feature_names, got {_listed(names)}: mend them")
    for name, values in (("X", X), (target, y)):
        if values.dtype.kind not in "biuf":
            raise ValueError(f"{path}: expected numbers in {name}, got dtype {values.dtype}: encode them as numbers")
        _refuse_infinite(path, name, values)
    dense = np.asfortranarray(X, dtype=np.float64) if isinstance(X, np.ndarray) else X
    return Table(dense, np.array(y, dtype=np.float64), names)


def _refuse_infinite(path: Path, name: str, values: Any) -> None:
    stored: Any = values if isinstance(values, np.ndarray) else values.tocoo()
    entries = stored.ravel() if stored is values else stored.data
    bad = np.flatnonzero(~np.isfinite(entries))
    if bad.size:
        at = np.unravel_index(bad[0], values.shape) if stored is values else (stored.row[bad[0]], stored.col[bad[0]])
        where = ", column ".join(str(int(i)) for i in at)
        found = f"{name} holds {entries[bad[0]]} in row {where}, counted from 0"
        raise ValueError(f"{path}: {found}: fill in the number or drop the row")


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _listed(names: list[str] | tuple[str, ...], at_most: int = 20) -> str:
    more = f" and {len(names) - at_most} more" if len(names) > at_most else ""
    return (", ".join(map(repr, names[:at_most])) or "nothing") + more


@contextmanager
def _opened(path: Path, kind: str, *also: type[Exception]) -> Iterator[Any]:
    """Open a file for reading bytes (through gzip for .gz); damage becomes one ValueError sentence."""
    if not path.is_file():
        raise ValueError(f"{path}: no such file: check the path")
    damage: tuple[type[Exception], ...] = (*_BROKEN, *also)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as raw:
            yield raw
    except damage as error:
        said = " ".join(str(error).split())  # one line, whatever the library thought
        raise ValueError(f"{path}: cannot be read as {kind} ({said}): check that it is one, and whole") from error
