"""Bad tables: one sentence each, files closed and unchanged."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_readers import CSV, SVM, X, Y, write

from coordboost import Table, read_table


def refuse(path, expected, target=None, **options):
    """Check that the file is refused with ValueError in one line that starts with its name."""
    with pytest.raises(ValueError, match=expected) as caught:
        read_table(path, target, **options)
    message = str(caught.value)
    assert type(caught.value) is ValueError and message.startswith(str(path).partition(",")[0])
    assert "\n" not in message


BAD_ARRAYS = {
    "no X": ({"A": X, "y": Y}, r"no array 'X': expected 'X' and 'y', got 'A', 'y'"),
    "no y": ({"X": X}, r"no array 'y'"),
    "nothing": ({}, r"got nothing"),
    "one-dimensional X": ({"X": Y, "y": Y}, r"expected X \(m, p\) and y \(m,\), got \(2,\) and \(2,\)"),
    "column y": ({"X": X, "y": Y[:, None]}, r"got \(2, 3\) and \(2, 1\)"),
    "another length": ({"X": X, "y": np.zeros(3)}, r"got \(2, 3\) and \(3,\)"),
    "no rows": ({"X": X[:0], "y": Y[:0]}, r"at least one row"),
    "no features": ({"X": X[:, :0], "y": Y}, r"at least one row and one feature"),
    "text": ({"X": X.astype(str), "y": Y}, r"expected numbers in X, got dtype <U"),
    "text labels": ({"X": X, "y": np.array(["no", "yes"])}, r"expected numbers in y, got dtype <U3"),
    "complex": ({"X": X + 1j, "y": Y}, r"got dtype complex128"),
    "pickle": ({"X": X.astype(object), "y": Y}, r"cannot be read as an .npz file without pickles"),
    "nan in X": ({"X": np.where(X == 0.1, np.nan, X), "y": Y}, r"X holds nan in row 1, column 1, counted from 0"),
    "infinite y": ({"X": X, "y": np.array([1, np.inf])}, r"y holds inf in row 1, counted from 0"),
    "few names": ({"X": X, "y": Y, "feature_names": np.array(["a"])}, r"expected 3 different feature_names, got 'a'"),
    "repeated names": ({"X": X, "y": Y, "feature_names": np.array(["a", "b", "a"])}, r"expected 3 different"),
}


@pytest.mark.parametrize(("arrays", "expected"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_bad_npz(tmp_path, arrays, expected):
    np.savez(tmp_path / "t.npz", **arrays)
    refuse(tmp_path / "t.npz", expected)


def test_npz_without_the_target(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=Y)
    refuse(tmp_path / "t.npz", r"expected 'X' and 'price', got 'X', 'y'", target="price")


def test_pickles_are_never_loaded(tmp_path):
    np.save(tmp_path / "X.npy", X.astype(object))
    np.save(tmp_path / "y.npy", Y)
    refuse(tmp_path / "X.npy", r"npy file without pickles")


@pytest.mark.parametrize("text, drop", [("a,b\n1,2\n", ("a", "b")), (",\n,\n", ())], ids=["left out", "without names"])
def test_no_column_is_left(text, drop, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    refuse(tmp_path / "t.csv", r"no column is left once those without a name and those to leave out are gone", target="b", drop=drop)


def test_half_a_pair(tmp_path):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "data.npy", X)
    with pytest.raises(ValueError, match=r"y\.npy: no such file"):
        read_table(tmp_path / "X.npy")
    refuse(tmp_path / "data.npy", r"ending with 'X.npy', or a pair")
    with pytest.raises(ValueError, match=r"z\.npy: no such file"):
        read_table(f"{tmp_path / 'X.npy'},{tmp_path / 'z.npy'}")


BAD_SVM = {
    "empty": ("", r"at least one row"),
    "text": ("hello world\n", r"cannot be read as an svmlight file"),
    "unsorted": ("1 2:1 1:1\n", r"cannot be read as an svmlight file"),
    "several labels": ("1,2 1:1\n", r"cannot be read as an svmlight file"),
    "nan": ("1 1:1\n1 1:1 3:nan\n", r"X holds nan in row 1, column 2, counted from 0"),
    "infinite label": ("inf 1:1\n", r"y holds inf in row 0, counted from 0"),
}


@pytest.mark.parametrize(("content", "expected"), BAD_SVM.values(), ids=BAD_SVM)
def test_bad_svmlight(tmp_path, content, expected):
    refuse(write(tmp_path / "t.svm", content), expected)


@pytest.mark.parametrize("name", ["t.npy", "X.npy", "t.svm"])
def test_target_without_names(tmp_path, name):
    refuse(tmp_path / name, r"no named columns, got target 'y': leave the target out", target="y")


@pytest.mark.parametrize("name", ["t.json", "t", "t.pkl", "t.npz.gz", "X.npy.gz", "t.gz", "csv", ".csv.zip"])
def test_unknown_suffix(tmp_path, name):
    refuse(write(tmp_path / name, CSV), r"expected a name ending with one of \.csv, .*\.libsvm\.gz: rename or convert")


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.npz", "X.npy", "t.svm", "t.svm.gz"])
def test_missing_files_and_folders(tmp_path, name):
    refuse(tmp_path / name, r"no such file")
    (tmp_path / name).mkdir()
    refuse(tmp_path / name, r"that is a folder: name a file in it")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.npz", "X.npy", "t.svm.gz"])
@pytest.mark.parametrize("content", [b"", b"garbage", b"\x1f\x8b\x08\x00", b"PK\x03\x04rest", b"\x93NUMPY\x01\x00"])
def test_damaged_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    if not (name == "t.csv.gz" and content == b""):  # gzip takes no bytes for an empty file, and so do we
        refuse(tmp_path / name, r"cannot be read|at least one row")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.npz", "X.npy", "t.svm.gz"])
def test_truncated_files(tmp_path, name):
    path = tmp_path / name
    wide = np.random.default_rng(2).standard_normal((50, 50))
    if name == "t.npz":
        np.savez_compressed(path, X=wide, y=wide[:, 0])
    elif name == "X.npy":
        np.save(path, wide)
    else:
        write(path, CSV if "csv" in name else SVM)
    path.write_bytes(path.read_bytes()[:-9])
    refuse(path, r"cannot be read")


# ------------------------------------------------------------------------------------------------- manners


def test_files_are_closed_and_unchanged(tmp_path):
    path = write(tmp_path / "t.csv", CSV)
    read_table(path)
    refuse(write(tmp_path / "u.csv", "a,y\n1,x\n"), "text")  # an open file would warn, and warnings are errors
    assert path.read_text() == CSV


def test_result_is_writable_and_owns_its_memory(tmp_path):
    table = read_table(write(tmp_path / "t.csv", CSV))
    table.X[0, 0], table.y[0] = 7.0, 8.0
    assert isinstance(table, Table) and Path(tmp_path / "t.csv").read_text() == CSV


def test_numbers_without_gaps_need_pandas_and_nothing_heavier(tmp_path):
    path = write(tmp_path / "t.csv", CSV)
    heavy = ("sklearn", "matplotlib", "cvxpy", "pyarrow.parquet")
    code = (
        "import sys; from coordboost import read_table; print('pandas' in sys.modules); "
        f"read_table({str(path)!r}); print(*(name for name in {heavy!r} if name in sys.modules))"
    )
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
