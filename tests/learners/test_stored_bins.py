"""Binning columns larger than memory: the bins equal those of columns in memory, and memory use is
limited.
"""

import tracemalloc

import numpy as np
import pytest
from stored import SOURCES, data, every_source, saved

import coordboost as cb


def same(one, two):
    (binned, binning), (other, expected) = one, two
    assert all(map(np.array_equal, binned, other))
    assert (binning.names, binning.named, binning.labels) == (
        expected.names,
        expected.named,
        expected.labels,
    )


@every_source
def test_bins_are_those_of_the_columns_in_memory(tmp_path, source):
    X, _ = data()
    opened = SOURCES[source](tmp_path, X)
    opened.memory = 2 * 8 * len(X) * 30  # 30 columns at a time: nine parts
    names = opened.names
    same(
        cb.data.bin_columns(opened, max_bins=17),
        cb.data.bin_columns(X, max_bins=17, feature_names=names),
    )
    rows = cb.data.bin_columns(X[:50], feature_names=names)[1].bin(opened).codes
    np.testing.assert_array_equal(rows, cb.data.bin_columns(X[:50])[1].bin(X).codes)


@pytest.mark.parametrize("dtype", [np.float32, np.int16, bool])
def test_missing_values_types_and_categories(tmp_path, dtype):
    X = np.random.default_rng(0).integers(-9, 9, size=(200, 5)).astype(dtype)
    if dtype is np.float32:
        X[::7, 1], X[3, 2], X[:, 3] = np.nan, np.inf, np.nan
    opened = cb.data.open_columns(saved(tmp_path, X), memory=0)  # one column at a time
    same(
        cb.data.bin_columns(opened, categorical=[4], file=tmp_path / "codes.npy"),
        cb.data.bin_columns(X, categorical=[4]),
    )
    np.testing.assert_array_equal(
        np.load(tmp_path / "codes.npy"), cb.data.bin_columns(X, categorical=[4])[0].codes
    )


def test_bins_keep_their_file_when_it_is_replaced(tmp_path):
    first, _ = cb.data.bin_columns(np.arange(6.0).reshape(3, 2), file=tmp_path / "codes.npy")
    again, _ = cb.data.bin_columns(-np.arange(10.0).reshape(5, 2), file=tmp_path / "codes.npy")
    assert first.codes.tolist() == 2 * [[0, 1, 2]] and again.codes.tolist() == 2 * [[4, 3, 2, 1, 0]]


def test_runs_on_a_file_of_bins_are_those_in_memory(tmp_path):
    X, y = data()
    opened = cb.data.open_columns(saved(tmp_path, np.asfortranarray(X)))
    file = tmp_path / "codes.npy"
    cases = (
        (cb.data.stumps, cb.ls_boost(0.1), True),
        (cb.data.leaf_stumps, cb.rtgcd(select=cb.rules.Groups(3)), False),
        (cb.data.trees, cb.gbm(0.1), True),
    )
    for learners, method, compile in cases:
        with (
            pytest.warns(cb.data.ConstantColumnWarning)
            if learners is not cb.data.trees
            else np.errstate()
        ):
            tables = learners(opened, file=file), learners(X)
            one, two = (
                cb.solve(cb.Problem(made, y), method, 30, compile=compile) for made in tables
            )
        assert (
            one.path.learner.tolist() == two.path.learner.tolist() and (one.beta == two.beta).all()
        )
        assert isinstance(one.problem.dictionary.binned.codes.base, np.memmap)
        np.testing.assert_array_equal(one.predict(opened), two.predict(X))


@pytest.mark.parametrize(
    "file, sentence", [("none/x.npy", "cannot be written"), (3, "file must be a path, got 3")]
)
def test_a_file_that_cannot_be_written_is_refused(tmp_path, file, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.data.bin_columns(np.eye(3), file=tmp_path / file if isinstance(file, str) else file)


def peak(work):
    """Peak bytes of arrays allocated by ``work()``, without memory maps, and its result."""
    tracemalloc.start()
    try:
        kept = work()
        return tracemalloc.get_traced_memory()[1], kept
    finally:
        tracemalloc.stop()


def written(folder, n, d):
    """Write a file of float64 by columns, without holding it in memory; return a target."""
    X = np.lib.format.open_memmap(folder / "x.npy", "w+", np.float64, (n, d), fortran_order=True)
    rng = np.random.default_rng(0)
    for j in range(d):
        X[:, j] = rng.normal(size=n)
    return X[:, 0] * X[:, 1] + X[:, 2]


def test_bins_take_an_eighth_of_the_memory(tmp_path):
    n, d = 20_000, 200
    written(tmp_path, n, d)
    opened = cb.data.open_columns(tmp_path / "x.npy", memory=1 << 20)
    cb.data.bin_columns(opened)  # compile, and start the thread pool
    most, _ = peak(lambda: cb.data.bin_columns(opened, file=tmp_path / "codes.npy"))
    assert most < 8 * n * d / 8


@pytest.mark.slow
def test_a_large_file_is_binned_and_boosted_in_a_quarter_of_its_size(tmp_path):
    n, d = 500_000, 100
    y = written(tmp_path, n, d)
    opened = cb.data.open_columns(tmp_path / "x.npy", memory=1 << 24)
    most, family = peak(lambda: cb.data.trees(opened, file=tmp_path / "codes.npy"))
    assert most < 8 * n * d / 8
    for learners, state in (
        (family, None),
        (cb.data.stumps(opened, file=tmp_path / "codes.npy"), cb.engine.NaiveState),
    ):
        most, run = peak(
            lambda made=learners, kind=state: cb.solve(
                cb.Problem(made, y), cb.ls_boost(0.3), 20, model_state=kind
            )
        )
        assert run.final.loss < run.problem.start_loss and most < 8 * n * d / 4
