"""Stumps: Gram entries from counts."""

import numpy as np
import pytest
from test_stumps import columns, every_kind, table

import coordboost as cb
from coordboost.data.binning import bin_columns


@every_kind
@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize("weights", ["ones", "counts", "real"])
@pytest.mark.parametrize("plain", [False, True])
def test_gram_entries_are_counts_in_whatever_order_they_are_asked_for(kind, n, weights, plain):
    X, _ = table(n, missing=0.0 if plain else 0.1)
    rng = np.random.default_rng(2)
    weight = {"ones": np.ones(n), "counts": rng.integers(1, 4, n) + 0.0, "real": rng.random(n) + 0.5}[weights]
    dictionary = kind.of(bin_columns(X, categorical=() if plain else [2])[0], weight)
    B, every = columns(dictionary), np.arange(dictionary.n_learners)
    products = dictionary.products(weight)
    first = products.cross(every[:3], every)
    again = np.concatenate([products.cross(every[j : j + 1], every) for j in every[::-1]])[::-1]
    np.testing.assert_allclose(again, (B.T * weight) @ B, rtol=0, atol=1e-12)  # sums of n products that are below 1 in all
    np.testing.assert_array_equal(first, again[:3])  # the same bits, from whatever neighbour
    np.testing.assert_array_equal(again, again.T)


def test_counts_are_kept_for_what_was_asked_and_within_the_room_for_them(monkeypatch):
    X, _ = table(3000)
    dictionary = cb.Stumps.of(bin_columns(X)[0])
    every, asked = np.arange(dictionary.n_learners), dictionary.begin[:-1] + 2
    monkeypatch.setattr("coordboost.dictionaries.stumps.counts.AT_ONCE", 0)
    products = dictionary.products(np.ones(3000))
    expected = products.cross(asked, every)
    places = len(products.totals)
    assert products.m == 2 + 5  # of no sample, of all of them, and of one part of each feature
    assert len(products.rows) < places / 4
    monkeypatch.setattr("coordboost.dictionaries.stumps.counts.ROOM", 3 * 4 * places)
    small = dictionary.products(np.ones(3000))
    for _ in range(2):
        for j in range(5):
            np.testing.assert_array_equal(small.cross(asked[j : j + 1], every), expected[j : j + 1])
            assert np.flatnonzero(small.at == 2).tolist() == [products.own.high[asked[j]]]
            assert len(small.rows) == 3


def test_a_part_is_counted_from_the_nearest_one_that_is_kept():
    binned = bin_columns(table(3000)[0])[0]
    products, counted = cb.Stumps.of(binned).products(np.ones(3000)), []
    products.by_features = products.one_by_one = lambda *given: counted.append(given[2])
    for place in 2, 5, 4:
        products.hold(np.array([place]))
    codes = binned.codes[0]
    for samples, between in zip(counted, (codes < 2, (codes >= 2) & (codes < 5), codes == 4), strict=True):
        assert samples.tolist() == np.flatnonzero(between).tolist()


def test_weights_too_far_apart_have_no_counts():
    X, _ = table()
    weight = np.ones(90)
    weight[0] = 1e-9
    assert cb.Stumps.of(bin_columns(X)[0], weight).products(weight) is None
