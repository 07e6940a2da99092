"""Matrices for the tests of data larger than memory, stored in every format that can be opened."""

import numpy as np
import pytest

import coordboost as cb
from coordboost import Problem

N, P = 90, 260


def data(n=N, p=P, seed=0):
    """Return columns of different scales and means, neighbours correlated, one column constant; and
    a target.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1:] += 0.7 * X[:, :-1]
    X = X * rng.uniform(0.1, 10, p) + 20 * rng.normal(size=p)
    y = X[:, :6] @ rng.normal(size=min(p, 6)) + rng.normal(size=n)
    X[:, 7 % p] = 3.3
    return X, y


def saved(folder, X, name="x.npy"):
    np.save(folder / name, X)
    return folder / name


def flat(folder, X, order):
    X.T.tofile(folder / "x.bin") if order == "F" else X.tofile(folder / "x.bin")
    return np.memmap(folder / "x.bin", X.dtype, "r", shape=X.shape, order=order)


def zarr(folder, X, chunks):
    array = pytest.importorskip("zarr").create_array(
        folder / "x.zarr", shape=X.shape, chunks=chunks, dtype=X.dtype
    )
    array[:] = X
    return array


def parquet(folder, X, parts=1):
    pyarrow = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    files = [folder / f"x{i}.parquet" for i in range(parts)]
    for file, part in zip(files, np.array_split(X, parts), strict=True):
        pq.write_table(
            pyarrow.table({f"c{j}": part[:, j] for j in range(X.shape[1])}), file, row_group_size=33
        )
    return files if parts > 1 else files[0]


def dask(X, chunks):
    return pytest.importorskip("dask.array").from_array(X, chunks=chunks)


SOURCES = {
    "npy, C order": lambda folder, X: cb.data.open_columns(saved(folder, X)),
    "npy, Fortran order": lambda folder, X: cb.data.open_columns(
        saved(folder, np.asfortranarray(X))
    ),
    "npy, learners first": lambda folder, X: cb.data.open_columns(
        saved(folder, np.ascontiguousarray(X.T)), learners_first=True
    ),
    "memmap, C order": lambda folder, X: cb.data.open_columns(flat(folder, X, "C")),
    "memmap, Fortran order": lambda folder, X: cb.data.open_columns(flat(folder, X, "F")),
    "memmap, transposed": lambda folder, X: cb.data.open_columns(
        np.load(saved(folder, X.T.copy()), mmap_mode="r").T
    ),
    "zarr, blocks": lambda folder, X: cb.data.open_columns(zarr(folder, X, (40, 64))),
    "zarr, path": lambda folder, X: (
        zarr(folder, X, (13, P)) and cb.data.open_columns(folder / "x.zarr")
    ),
    "zarr, learners first": lambda folder, X: cb.data.open_columns(
        zarr(folder, X.T, (50, N)), learners_first=True
    ),
    "parquet": lambda folder, X: cb.data.open_columns(parquet(folder, X)),
    "parquet, files": lambda folder, X: cb.data.open_columns(parquet(folder, X, parts=3)),
    "dask, rows": lambda folder, X: cb.data.open_columns(dask(X, (11, -1))),
    "dask, columns": lambda folder, X: cb.data.open_columns(dask(X, (-1, 37))),
    "dask, blocks": lambda folder, X: cb.data.open_columns(dask(X, ((30, 1, len(X) - 31), 100))),
    "dask, learners first": lambda folder, X: cb.data.open_columns(
        dask(X.T, (100, 50)), learners_first=True
    ),
}


every_source = pytest.mark.parametrize("source", SOURCES)


def pair(folder, source, X, y, *args, **options):
    with pytest.warns(cb.data.ConstantColumnWarning):
        return Problem(SOURCES[source](folder, X), y, *args, **options), Problem(
            X, y, *args, **options
        )
