"""Readers: what is written comes back, and every bad file is one clear sentence."""

import gzip

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import dump_svmlight_file

from coordboost import read_table

X = np.array([[1.0, -2.5, 0.0], [4.0, 0.1, 1e-300]])
Y = np.array([1.0, -1.0])
CSV = "a,y,b,c\n1,1,-2.5,0\n4,-1,0.1,1e-300\n"
SVM = "1 1:1 2:-2.5\n-1 1:4 2:0.1 3:1e-300\n"


def same(table, X=X, y=Y, names=("a", "b", "c")):
    """Return whether a dense table has these values (equal bit for bit), names, dtype and memory order."""
    right_kind = table.X.dtype == table.y.dtype == np.float64 and table.X.flags.f_contiguous
    return right_kind and (table.X == X).all() and (table.y == y).all() and table.feature_names == names


def write(path, content):
    """Write text or bytes, gzipped if the name says so; return the path."""
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


# ---------------------------------------------------------------------------------------------- good files


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.csv.gz", "t.v2.csv", "a,b.csv"])
def test_csv(tmp_path, name):
    path = write(tmp_path / name, CSV)
    assert same(read_table(path))
    assert same(read_table(str(path)))


def test_csv_target_is_any_column(tmp_path):
    table = read_table(write(tmp_path / "t.csv", CSV), target="b")
    assert same(table, np.column_stack([X[:, 0], Y, X[:, 2]]), X[:, 1], ("a", "y", "c"))


def test_csv_numbers_are_read_exactly(tmp_path):
    values = np.random.default_rng(0).standard_normal((50, 4)) * 10.0 ** np.arange(-100, 100, 4).reshape(50, 1)
    lines = ["y,b,c,d", *(",".join(map(repr, row)) for row in values.tolist())]
    table = read_table(write(tmp_path / "t.csv", "\n".join(lines)))
    assert same(table, values[:, 1:], values[:, 0], ("b", "c", "d"))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16, np.bool_])
def test_npz(tmp_path, dtype):
    whole = np.array([[1, 0, 1], [0, 1, 1]], dtype=dtype)
    np.savez(tmp_path / "t.npz", X=whole, y=whole[:, 0], other=np.arange(5))
    assert same(read_table(tmp_path / "t.npz"), whole, whole[:, 0], None)


def test_npz_target_and_names(tmp_path):
    np.savez_compressed(tmp_path / "t.npz", X=X, y=np.zeros(7), price=Y, feature_names=np.array(["a", "b", "c"]))
    assert same(read_table(tmp_path / "t.npz", target="price"))


def test_npy_pairs(tmp_path):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", Y)
    np.save(tmp_path / "train_X.npy", 2 * X)
    np.save(tmp_path / "train_y.npy", 2 * Y)
    assert same(read_table(tmp_path / "X.npy"), names=None)
    assert same(read_table(tmp_path / "train_X.npy"), 2 * X, 2 * Y, None)
    assert same(read_table(f"{tmp_path / 'X.npy'},{tmp_path / 'train_y.npy'}"), X, 2 * Y, None)
    assert same(read_table(f"{tmp_path / 'X.npy'}, {tmp_path / 'y.npy'}"), names=None)


@pytest.mark.parametrize("name", ["t.svm", "t.svmlight", "t.libsvm", "t.svm.gz", "t.SVM"])
def test_svmlight(tmp_path, name):
    table = read_table(write(tmp_path / name, SVM))
    assert table.X.format == "csc" and table.X.dtype == np.float64 and table.feature_names is None
    assert (table.X.toarray() == X).all() and (table.y == Y).all()
    assert table.X.has_sorted_indices


@pytest.mark.parametrize("zero_based", [True, False])
def test_svmlight_round_trip(tmp_path, zero_based):
    dense = np.random.default_rng(1).integers(-3, 4, (20, 6)).astype(float)
    dense[0] = 1.0  # the first and last features occur, so that both kinds of counting can be told apart
    dump_svmlight_file(scipy.sparse.csr_array(dense), np.arange(20.0), str(tmp_path / "t.svm"), zero_based=zero_based)
    table = read_table(tmp_path / "t.svm")
    assert (table.X.toarray() == dense).all() and (table.y == np.arange(20.0)).all()


@pytest.mark.parametrize(
    ("sep", "encoding", "above"), [(",", "utf-8", ""), ("|", "cp1252", ""), (";", "utf-16", ""), (";", "utf-8", "sep=;\n")]
)
def test_gaps_in_the_last_column_are_no_short_rows(tmp_path, sep, encoding, above):
    lines = ["y,ä,b", *["1,2,3", "2,5,"] * 9]
    (tmp_path / "t.csv").write_text(above + "\n".join(lines).replace(",", sep), encoding=encoding)
    assert read_table(tmp_path / "t.csv", impute="median").X.tolist() == [[2.0, 3.0], [5.0, 3.0]] * 9
    (tmp_path / "t.csv").write_text(above + "\n".join([*lines, "1,2"]).replace(",", sep), encoding=encoding)
    with pytest.raises(ValueError, match=f"line {20 + bool(above)} has 2 cells, the header has 3: mend that line"):
        read_table(tmp_path / "t.csv", impute="median")
