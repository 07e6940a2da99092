"""Binned columns agree with plain comparisons to the thresholds, for all kinds of input."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import coordboost as cb
from coordboost.data import bin_columns


def naive(x, cuts):
    """Return the bin of each value: the number of thresholds below it."""
    return np.array([sum(value > cut for cut in cuts) for value in x.astype(np.float64)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, bool])
@pytest.mark.parametrize("max_bins", [2, 7, 100, 255])
def test_codes_count_the_thresholds_below(dtype, max_bins):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(700, 3)) * [1, 30, 1e-3]).astype(dtype)
    binned, binning = bin_columns(X, max_bins=max_bins)
    for g in range(3):
        cuts = binning.thresholds(g)
        assert (np.diff(cuts) > 0).all()
        np.testing.assert_array_equal(binned.codes[g], naive(X[:, g], cuts))
        # no bin is empty
        assert np.unique(binned.codes[g]).size == binned.n_bins[g] == len(cuts) + 1 <= max_bins


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.one_of(st.integers(-4, 4).map(float), st.sampled_from([np.nan, np.inf, -np.inf])),
        min_size=1,
        max_size=40,
    )
)
def test_every_split_between_observed_values_exists_if_there_are_enough_bins(values):
    x = np.array(values)
    binned, binning = bin_columns(x[:, None])
    seen = np.unique(x[~np.isnan(x)])
    splits = [(x <= s).tolist() for s in seen[:-1]]
    assert [(x <= cut).tolist() for cut in binning.thresholds(0)] == splits
    assert binned.n_bins[0] == max(len(seen), 1) + np.isnan(x).any()
    assert (binned.codes[0] == binned.missing[0]).tolist() == np.isnan(x).tolist()


@pytest.mark.parametrize("third", [None, 9.0, np.nan])
@pytest.mark.parametrize(
    "low, high", [(0, 1), (-np.inf, np.inf), (0, 5e-324), (3, np.nextafter(3, 4))]
)
def test_a_third_value_late_in_a_column_of_two_is_seen(low, high, third):
    x = np.resize([high, low, low], 300).astype(float)
    if third is not None:
        x[-1] = third
    binned, binning = bin_columns(x[:, None])
    cuts = binning.thresholds(0)
    seen = np.unique(x[~np.isnan(x)])
    assert ((seen[:-1] <= cuts) & (cuts < seen[1:])).all()
    assert len(cuts) == len(seen) - 1
    assert (binned.missing[0] >= 0) == np.isnan(x).any()


@pytest.mark.parametrize("max_bins", [2, 3, 10, 100])
def test_quantiles_leave_the_same_part_on_each_side(max_bins):
    x = np.random.default_rng(1).normal(size=1200)
    _, binning = bin_columns(x[:, None], max_bins=max_bins)
    below = [(x <= cut).sum() for cut in binning.thresholds(0)]
    assert below == [-(-k * 1200 // max_bins) for k in range(1, max_bins)]


@settings(max_examples=150, deadline=None)
@given(
    counts=st.dictionaries(
        st.integers(-60, 60), st.integers(1, 3) | st.integers(1, 200), min_size=2
    ),
    max_bins=st.integers(2, 20),
    seed=st.integers(0, 9),
)
def test_a_value_that_fills_whole_bins_has_a_bin_of_its_own(counts, max_bins, seed):
    """Without such a value thresholds are the quantiles of all rows."""
    values = np.array(list(counts), dtype=float)
    x = np.random.default_rng(seed).permutation(np.repeat(values, list(counts.values())))
    ordered = np.sort(x)
    n = len(x)
    _, binning = bin_columns(x[:, None], max_bins=max_bins)
    left = [float(ordered[ordered <= cut].max()) for cut in binning.thresholds(0)]
    assert len(left) < max_bins
    quantiles = [ordered[-(-k * n // max_bins) - 1] for k in range(1, max_bins + 1)]
    levels = np.unique(x)
    if len(levels) <= max_bins:
        assert left == levels[:-1].tolist()
        return
    heavy = np.array([quantiles.count(level) > 1 for level in levels])
    if not heavy.any():
        assert left == sorted({*quantiles} - {ordered[-1]})
    between = np.diff(np.flatnonzero(np.concatenate([[True], heavy, [True]]))) > 1
    if heavy.sum() + between.sum() <= max_bins:  # there are enough bins
        for i in np.flatnonzero(heavy):
            assert i == 0 or levels[i - 1] in left
            assert i == len(levels) - 1 or levels[i] in left


RARE = np.random.default_rng(4)
TAIL = 0.01 + RARE.random((2, 4000))
#: Mostly one or two values, with rare tails.
HEAVY = {
    "a tail below": np.where(np.arange(4000) < 90, -TAIL[0], 0.0),
    "a tail above": np.where(np.arange(4000) < 90, TAIL[0], 0.0),
    "both": np.select([np.arange(4000) < 30, np.arange(4000) < 90], [-TAIL[0], TAIL[0]], 0.0),
    "two spikes": np.select(
        [np.arange(4000) < 30, np.arange(4000) < 90, np.arange(4000) < 120, np.arange(4000) < 2000],
        [-TAIL[0], TAIL[0] / 2, 3 + TAIL[0], 2.0],
        0.0,
    ),
    "a spike in the tail": np.select(
        [np.arange(4000) < 20, np.arange(4000) < 40], [-TAIL[0], -2.0], 0.0
    ),
}


@pytest.mark.parametrize("max_bins", [16, 255])
@pytest.mark.parametrize("name", HEAVY)
def test_rare_tails_are_cut_off_however_the_table_comes(name, max_bins):
    x = HEAVY[name]
    X = np.column_stack([x, RARE.normal(size=4000)])
    cuts = bin_columns(X, max_bins=max_bins)[1].thresholds(0)
    levels, counts = np.unique(x, return_counts=True)
    for i in np.flatnonzero(counts > 100):
        for a, b in ((i - 1, i), (i, i + 1)):
            if a >= 0 and b < len(levels):
                assert ((levels[a] <= cuts) & (cuts < levels[b])).any()
    assert name == "two spikes" or len(cuts) > min(max_bins, len(levels)) - 4  # few are lost
    order = RARE.permutation(4000)
    ways = {
        "order": X[order],
        "frame": pd.DataFrame(X),
        "sparse": scipy.sparse.csr_matrix(X),
        "gaps": np.vstack([X, [[np.nan, 0.0]]]),
    }
    for table in ways.values():
        np.testing.assert_array_equal(bin_columns(table, max_bins=max_bins)[1].thresholds(0), cuts)
    y = np.where(x == 0, 0.0, 1.0)
    for family in (cb.data.stumps, cb.data.leaf_stumps, cb.data.trees):
        problem = cb.Problem(family(X, max_bins=max_bins), y, sample_weight=0.5 + RARE.random(4000))
        np.testing.assert_array_equal(problem.binning.thresholds(0), cuts)
    given = {"n_estimators": 30, "learning_rate": 0.5, "max_features": None, "max_bins": max_bins}
    model = cb.RandomizedGBMRegressor(**given)
    assert model.fit(X, y, np.linspace(1, 2, 4000)).score(X, y) > 0.99


def test_dask_and_files_have_the_same_cuts(tmp_path):
    dask = pytest.importorskip("dask.array")
    X = np.column_stack(list(HEAVY.values()))
    np.save(tmp_path / "X.npy", X)
    for source in (dask.from_array(X, chunks=(700, 2)), tmp_path / "X.npy"):
        found = bin_columns(cb.data.open_columns(source, memory=50_000), max_bins=16)[0]
        for one, other in zip(found, bin_columns(X, max_bins=16)[0], strict=True):
            np.testing.assert_array_equal(one, other)


def test_values_of_float32_lie_where_the_same_float64_values_lie():
    rng = np.random.default_rng(2)
    fit = rng.normal(size=(300, 1))
    _, binning = bin_columns(fit)
    new = np.concatenate([rng.normal(size=3000), binning.thresholds(0)]).astype(np.float32)[:, None]
    np.testing.assert_array_equal(binning.bin(new).codes, binning.bin(new.astype(np.float64)).codes)


def test_a_value_equal_to_a_threshold_goes_left():
    _, binning = bin_columns(np.array([[1.0], [2.0], [4.0]]))
    assert binning.bin(np.array([[1.5], [1.50001], [3.0], [99.0]])).codes.tolist() == [[0, 1, 1, 2]]


def test_exact_thresholds_are_refused_for_too_many_values():
    X = np.arange(300.0)[:, None]
    assert bin_columns(X[:255], exact=True)[0].n_bins.tolist() == [255]
    with pytest.raises(
        ValueError, match=r"at most 255 distinct values in a column, 'x0' has 300: pass exact=False"
    ):
        bin_columns(X, exact=True)


def test_a_sparse_matrix_has_the_bins_of_the_dense_one():
    X = scipy.sparse.random(200, 5, density=0.3, random_state=3, format="csr")
    sparse = bin_columns(X)[0]
    dense = bin_columns(X.toarray())[0]
    for one, other in zip(sparse, dense, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_entries_of_a_sparse_matrix_that_are_stored_twice_are_summed_and_left_alone(dtype):
    entries = np.array([1, 2, 4, 3, 0, 5], dtype=dtype)
    rows = np.array([3, 1, 3, 0, 2, 2])
    starts = np.array([0, 3, 4, 6])
    X = scipy.sparse.csc_array((entries, rows, starts), shape=(4, 3))
    for binned in (bin_columns(X)[0], bin_columns(X)[1].bin(X)):
        for one, other in zip(binned, bin_columns(X.toarray())[0], strict=True):
            np.testing.assert_array_equal(one, other)
    assert X.indices.tolist() == [3, 1, 3, 0, 2, 2]


def test_a_frame_has_categories_and_missing_values():
    frame = pd.DataFrame(
        {
            "age": [31, 41, 59, 26, 53],
            "town": pd.Categorical(
                ["Oslo", None, "Rome", "Oslo", "Bonn"], categories=["Rome", "Oslo", "Bonn", "Riga"]
            ),
            "level": pd.array([1, None, 3, 1, 2], dtype="Int64"),
            "code": ["b", "a", None, "b", "c"],
        }
    )
    binned, binning = bin_columns(frame, categorical=["code"])
    assert binning.names == ["age", "town", "level", "code"]
    assert binning.labels == [None, ["Rome", "Oslo", "Bonn"], None, ["a", "b", "c"]]
    assert binned.codes.tolist() == [
        [1, 2, 4, 0, 3],
        [1, 3, 0, 1, 2],
        [0, 3, 2, 0, 1],
        [1, 0, 3, 1, 2],
    ]
    assert binned.missing.tolist() == [-1, 3, 3, 3]
    new = binning.bin(frame.iloc[[1, 4], [3, 2, 1, 0]])
    assert new.codes.tolist() == binned.codes[:, [1, 4]].tolist()
    strange = frame.iloc[:1].assign(age=[np.nan], town=["Riga"])
    # NaN is beyond all thresholds; an unknown category is missing
    assert binning.bin(strange).codes.tolist() == [[5], [3], [0], [1]]


@pytest.mark.parametrize(
    "X, keywords, sentence",
    [
        (
            np.ones(3),
            {},
            r"X must have two dimensions, and at least one row and one column, got shape \(3,\)",
        ),
        (np.ones((3, 0)), {}, r"got shape \(3, 0\)"),
        (
            np.array([["a", 1.0]], dtype=object),
            {},
            "column 'x0' must hold real numbers, got 'a'; name it in categorical",
        ),
        (
            np.array([["a"]], dtype=object),
            {},
            "in categorical .categorical_features of an estimator., or encode it as numbers",
        ),
        (np.ones((3, 2)), {"max_bins": 256}, "max_bins must be at most 255, got 256"),
        (np.ones((3, 2)), {"max_bins": 1}, "max_bins must be a whole number >= 2"),
        (
            np.ones((3, 2)),
            {"categorical": ["town"]},
            "categorical names 'town', which is not a column of X",
        ),
        (np.ones((3, 2)), {"categorical": "x0"}, "categorical must be a sequence"),
        (np.ma.masked_array(np.ones((3, 2))), {}, "X is a masked array"),
    ],
)
def test_invalid_tables_and_options_are_refused(X, keywords, sentence):
    with pytest.raises(ValueError, match=sentence):
        bin_columns(X, **keywords)


def test_new_rows_must_have_the_columns_of_the_fit():
    _, binning = bin_columns(np.ones((3, 2)))
    with pytest.raises(ValueError, match="X must have 2 columns as in the fit, got 3"):
        binning.bin(np.ones((3, 3)))
