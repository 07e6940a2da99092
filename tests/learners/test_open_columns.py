"""Which sources ``open_columns`` opens, how it reads them, and what it refuses."""

import sys

import numpy as np
import pytest
from designs import ROUNDOFF
from refusal import refused
from stored import SOURCES, N, P, dask, data, every_source, parquet, saved, zarr

import coordboost as cb
from coordboost import Problem


@pytest.mark.parametrize("dtype", ["f4", ">f8", "i2", "u1", "?", "f2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types(dtype, order, tmp_path):
    """Real numbers of any stored type are used as float64."""
    X = np.random.default_rng(2).normal(0, 3, (N, 30)).astype("i2").astype(dtype)
    y = np.random.default_rng(3).normal(size=N)
    stored = Problem(cb.data.open_columns(saved(tmp_path, X.copy(order))), y)
    dense = Problem(X.astype(float), y)
    np.testing.assert_allclose(stored.scan(y), dense.scan(y), rtol=0, atol=100 * N * ROUNDOFF)


def test_views_of_a_map(tmp_path):
    """Slices of a memory map are located in its file, behind the header and wherever the map
    begins.
    """
    X, _ = data(60, 40)
    X[:, 7] += np.arange(60)
    for order in "CF":
        whole = np.load(saved(tmp_path, X.copy(order), f"{order}.npy"), mmap_mode="r")
        for part in (np.s_[5:], np.s_[:, 3:20], np.s_[10:31, 2:9], np.s_[4:5, 1:], np.s_[:, 8:9]):
            for a, b in ((whole, X), (whole.T, X.T)):
                store = cb.data.open_columns(a[part]).store
                np.testing.assert_array_equal(
                    store.read(*(slice(0, length) for length in store.shape)), b[part]
                )
                np.testing.assert_array_equal(
                    store.pick(slice(0, 1), np.array([0])), b[part][:1, :1]
                )
    X.tofile(tmp_path / "late.bin")
    late = np.memmap(tmp_path / "late.bin", float, "r", offset=40 * 8 * 7, shape=(53, 40))
    np.testing.assert_array_equal(
        cb.data.open_columns(late).store.read(slice(0, 53), slice(0, 40)), X[7:]
    )
    changed = np.memmap(tmp_path / "late.bin", float, "r+", shape=(60, 40))
    changed[0, 0] = 5.0
    assert cb.data.open_columns(changed).store.read(slice(0, 1), slice(0, 1)) == 5.0


def test_names(tmp_path):
    X, y = data(30, 9)
    file = parquet(tmp_path, X)
    chosen = [f"c{j}" for j in (8, 2, 3)]
    problem = Problem(cb.data.open_columns(str(file), columns=chosen), y)
    assert problem.feature_names == chosen
    np.testing.assert_allclose(
        problem.scan(y), Problem(X[:, [8, 2, 3]], y).scan(y), rtol=0, atol=1e-12 * np.linalg.norm(y)
    )
    with pytest.warns(cb.data.ConstantColumnWarning, match="c7"):
        assert Problem(cb.data.open_columns(file), y).dropped == ["c7"]


def test_predictions_from_a_file_in_another_order(tmp_path):
    X, y = data(30, 9)
    file = parquet(tmp_path, X)
    problem = Problem(cb.data.open_columns(file, columns=["c2", "c3", "c4", "c8"]), y)
    run = cb.solve(problem, cb.methods.gcd(), 30)
    # a permutation that is not its own inverse
    rows = cb.data.open_columns(file, columns=["c4", "c2", "c8", "c3"])
    np.testing.assert_allclose(
        run.predict(rows), run.predict(X[:, [2, 3, 4, 8]]), rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(
        run.score_path(rows, y), run.score_path(X[:, [2, 3, 4, 8]], y), rtol=1e-12
    )


def test_empty_chunks():
    X, y = data(20, 6)
    X[:, 7 % 6] += np.arange(20)
    problem = Problem(cb.data.open_columns(dask(X, ((0, 12, 0, 8), (6, 0)))), y)
    np.testing.assert_allclose(
        problem.scan(y), Problem(X, y).scan(y), rtol=0, atol=1e-12 * np.linalg.norm(y)
    )


def test_missing_values_of_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(
        pyarrow.table({"a": [1, 2, 3], "b": [True, None, False]}), tmp_path / "x.parquet"
    )
    refused(
        lambda: Problem(cb.data.open_columns(tmp_path / "x.parquet"), np.arange(3.0)),
        "NaN or infinity in column 1",
    )


@every_source
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_numbers(source, bad, tmp_path):
    X, y = data()
    X[70, 200] = bad
    refused(lambda: Problem(SOURCES[source](tmp_path, X), y), "NaN or infinity in column 200")


@every_source
def test_predictions_on_stored_rows(source, tmp_path):
    """Predictions equal those on the same rows in memory, up to the rounding of a sum over columns;
    missing values are refused.
    """
    X, y = data()
    X[0, 7] = 0.0
    run = cb.solve(Problem(X, y), cb.ls_boost(0.1), 30)
    new = data(seed=1)[0]
    expected = run.predict(new)
    slack = 2 * P * ROUNDOFF * (np.abs(new) @ np.abs(run.coef) + abs(run.intercept))
    assert (np.abs(run.predict(SOURCES[source](tmp_path, new)) - expected) <= slack).all()
    bad = new.copy()
    bad[5, run.problem.standardization.kept[run.final.support[0]]] = np.nan
    for name, changed, fragment in [
        ("bad", bad, "NaN or infinity in row 5"),
        ("few", new[:, 1:], "must have 260 columns"),
    ]:
        (tmp_path / name).mkdir()
        refused(
            lambda folder=tmp_path / name, X=changed: run.predict(SOURCES[source](folder, X)),
            fragment,
        )


@pytest.mark.parametrize("source", ["npy, C order", "npy, Fortran order", "dask, rows"])
def test_bad_columns(source, tmp_path):
    X, y = data()
    opened = SOURCES[source](tmp_path, X)
    refused(lambda: Problem(opened, y[1:]), "expected 90, got 89")
    refused(
        lambda: Problem(opened, y, feature_names=["a"]),
        "one for each of the 260 columns of X, got 1 names",
    )
    refused(lambda: Problem(opened, y, scale=False), "needs columns of unit norm; column 0")
    X[:, 5] *= 1e200
    (tmp_path / "large").mkdir()
    refused(lambda: Problem(SOURCES[source](tmp_path / "large", X), y), "column 5")
    (tmp_path / "constant").mkdir()
    with pytest.warns(cb.data.ConstantColumnWarning, match="no column of X varies"):
        problem = Problem(SOURCES[source](tmp_path / "constant", np.ones((N, P))), y)
    assert not cb.lasso_path(problem, n_alphas=2).coef_at(step=1).any()


def test_bad_sources(tmp_path):
    X, y = data(8, 5)
    file = saved(tmp_path, X)
    (tmp_path / "bad.npy").write_text("no array")
    (tmp_path / "bad.parquet").write_text("no table")
    (tmp_path / "folder.parquet").mkdir()
    (tmp_path / "x.csv").write_text("1,2")
    mapped = np.load(file, mmap_mode="r")
    for action, fragment in [
        (lambda: cb.data.open_columns(X), "not a memory map of a file"),
        (lambda: cb.data.open_columns(mapped + 1), "not a memory map of a file"),
        (lambda: cb.data.open_columns(np.load(file, mmap_mode="c")), "copy-on-write map"),
        (lambda: cb.data.open_columns(mapped[::2, ::2]), "contiguous in the file"),
        (lambda: cb.data.open_columns(mapped[::-1]), "contiguous in the file"),
        (lambda: cb.data.open_columns(mapped[0]), "2 dimensions"),
        (lambda: cb.data.open_columns(saved(tmp_path, X[:0], "empty.npy")), "at least one row"),
        (lambda: cb.data.open_columns(saved(tmp_path, X * 1j, "complex.npy")), "dtype complex128"),
        (lambda: cb.data.open_columns(3), "must be a memory map"),
        (lambda: cb.data.open_columns([]), "empty list"),
        (lambda: cb.data.open_columns(tmp_path / "absent.npy"), "does not exist"),
        (lambda: cb.data.open_columns(tmp_path / "bad.npy"), "not a .npy file"),
        (lambda: cb.data.open_columns(tmp_path / "x.csv"), "must be an .npy file"),
        (lambda: cb.data.open_columns(file, columns=["a"]), "for Parquet"),
        (lambda: cb.data.open_columns(mapped, columns=["a"]), "Parquet"),
        (lambda: cb.data.open_columns(file, memory=-1), "memory must be"),
        (lambda: cb.data.open_columns([file, 3]), "paths of Parquet files"),
        (lambda: cb.data.open_columns(tmp_path / "bad.parquet", columns="a"), "list of names"),
        (lambda: cb.data.open_columns(tmp_path / "bad.parquet", columns=[1]), "list of names"),
        (lambda: cb.data.open_columns(tmp_path / "folder.parquet"), "is a folder"),
    ]:
        refused(action, fragment)
    cut = cb.data.open_columns(file)
    with open(file, "r+b") as handle:
        handle.truncate(200)
    refused(lambda: Problem(cut, y), "was truncated")
    file.unlink()
    refused(lambda: Problem(cut, y), "cannot be read any more")


def test_bad_libraries(tmp_path):
    X, _ = data(8, 5)
    (tmp_path / "bad.zarr").mkdir()
    (tmp_path / "bad.parquet").write_text("no table")
    file = parquet(tmp_path, X)
    refused(lambda: cb.data.open_columns(file, columns=["c1", "none"]), "no column")
    refused(lambda: cb.data.open_columns(file, learners_first=True), "does not fit Parquet")
    refused(lambda: cb.data.open_columns(parquet(tmp_path, X.astype(str))), "encode or leave out")
    refused(lambda: cb.data.open_columns(tmp_path / "bad.parquet"), "not a Parquet file")
    refused(lambda: cb.data.open_columns(zarr(tmp_path, X[0], (3,))), "2 dimensions")
    refused(lambda: cb.data.open_columns(tmp_path / "bad.zarr"), "not a Zarr array")
    unknown = dask(X, (4, 5))
    refused(lambda: cb.data.open_columns(unknown[unknown[:, 0] > 20]), "compute_chunk_sizes")


@pytest.mark.parametrize("library, name", [("pyarrow", "x.parquet"), ("zarr", "x.zarr")])
def test_missing_libraries(library, name, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    (tmp_path / name).mkdir() if library == "zarr" else (tmp_path / name).write_text("")
    refused(lambda: cb.data.open_columns(tmp_path / name), "pip install 'coordboost[outofcore]'")
