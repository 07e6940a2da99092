"""Contributions of features to trees: Shapley values by their definition, over all sets."""

from fractions import Fraction
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import N_FEATURES, binned, random_trees

from coordboost._numba.threads import at_most
from coordboost.learners.binned import Binned
from coordboost.learners.trees.contributions import BLOCK, contributions
from coordboost.learners.trees.forest import Forest, Nodes
from coordboost.learners.trees.tree import Trees

FEATURES = np.arange(N_FEATURES)


def explained(trees, rows, beta, background=None, column=None):
    """The contributions on these rows, and the forest on them."""
    nodes = Nodes.of(trees)
    there = None if background is None else Forest(background, trees, nodes)
    column = np.arange(len(rows.codes)) if column is None else column
    found = contributions(Forest(rows, trees, nodes), column, beta, there)
    return *found, Forest(rows, trees, nodes)


def value(trees, j, row, known, there, at=0):
    """What tree j predicts for a row of which the features `known` are known.

    there : a row that stands for the others; None for shares of the training rows
    """
    feature, left = trees.feature[j, at], trees.left[j, at]
    if feature < 0:
        return trees.values[j, left]
    if feature in known or there is not None:
        code = (row if feature in known else there)[feature]
        goes_left = np.unpackbits(trees.goes_left[j, at], bitorder="little")[code]
        return value(trees, j, row, known, there, left if goes_left else left + 1)
    below = [value(trees, j, row, known, None, child) for child in (left, left + 1)]
    return np.average(below, weights=trees.n_samples[j, left : left + 2])


def shapley_values(trees, j, row, there, column):
    """The Shapley values of the columns for tree j: sums over all sets of the others."""
    n_columns = column[-1] + 1
    game = {
        known: value(trees, j, row, FEATURES[np.isin(column, known)], there)
        for size in range(n_columns + 1)
        for known in combinations(range(n_columns), size)
    }
    values = np.zeros(n_columns)
    for known, without in game.items():
        for i in set(range(n_columns)) - set(known):
            share = factorial(len(known)) * factorial(n_columns - len(known) - 1)
            more = game[tuple(sorted((*known, i)))]
            values[i] += share / factorial(n_columns) * (more - without)
    return values, game[()]


@pytest.mark.parametrize("pages", [(), (1, 2, N_FEATURES - 1)])
@pytest.mark.parametrize("most", [1, 2, 9, 30, 300])
def test_contributions_are_shapley_values(most, pages):
    """Over all sets of columns, by the shares of the training rows and by a background.

    Features of one column, its pages, are known or unknown together.
    """
    column = np.cumsum(~np.isin(FEATURES, pages)) - 1
    rng = np.random.default_rng(most)
    trees = random_trees(rng, 3, most)
    beta = rng.normal(size=3)
    rows, background = binned(rng, 4), binned(rng, 3)
    for there in (None, background):
        values, base, _ = explained(trees, rows, beta, there, column)
        for i, row in enumerate(rows.codes.T):
            others = [None] if there is None else list(there.codes.T)
            games = [
                (beta[j] * part, beta[j] * start)
                for j in range(3)
                for part, start in [
                    shapley_values(trees, j, row, other, column) for other in others
                ]
            ]
            want = sum(part for part, _ in games) / len(others)
            np.testing.assert_allclose(values[i], want, rtol=1e-11, atol=1e-13)
            assert base == pytest.approx(sum(start for _, start in games) / len(others), abs=1e-13)


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 4), st.integers(1, 5))
def test_contributions_add_up_to_the_prediction(seed, most, n_there, n_trees):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees, most)
    beta = rng.normal(size=n_trees) * rng.integers(0, 2, n_trees)
    rows = binned(rng, 5)
    there = binned(rng, n_there) if n_there else None
    values, base, forest = explained(trees, rows, beta, there)
    np.testing.assert_allclose(values.sum(axis=1) + base, forest.combine(beta), atol=1e-13)
    used = {
        int(g) for j in np.flatnonzero(beta) for g in trees.feature[j, : 2 * trees.n_leaves[j] - 1]
    }
    assert (values[:, sorted(set(FEATURES) - used)] == 0).all()


def test_a_row_alone_in_the_background_owes_nothing_to_its_features():
    rng = np.random.default_rng(0)
    trees, row = random_trees(rng, 4, 12), binned(rng, 1)
    values, base, forest = explained(trees, row, np.ones(4), row)
    assert (values == 0).all() and base == forest.combine(np.ones(4))[0]


def test_a_row_has_the_same_bits_among_any_others_and_on_any_number_of_threads():
    rng = np.random.default_rng(1)
    trees, rows, there = random_trees(rng, 7, 20), binned(rng, 2 * BLOCK + 3), binned(rng, 2)
    few = rows._replace(codes=np.ascontiguousarray(rows.codes[:, BLOCK - 1 : BLOCK + 1]))
    beta = rng.normal(size=7)
    for background in (None, there):
        with at_most(1):
            alone, _, _ = explained(trees, rows, beta, background)
        with at_most(3):
            together, _, _ = explained(trees, rows, beta, background)
        assert alone.tobytes() == together.tobytes()
        two, _, _ = explained(trees, few, beta, background)
        assert two.tobytes() == alone[BLOCK - 1 : BLOCK + 1].tobytes()


def chain(shares, n):
    """A tree of one path that splits by each feature once: leaves of value 0, and 1 at its end."""
    trees = Trees.empty(1, n + 1)
    trees.n_leaves[0] = n + 1
    count = 2**62
    at = 0
    for g in range(n):
        trees.feature[0, at], trees.left[0, at] = g, 2 * g + 1
        trees.goes_left[0, at, 0] = 1
        trees.n_samples[0, at] = count
        inside = int(count * shares[g])
        trees.n_samples[0, 2 * g + 1 : 2 * g + 3] = inside, count - inside
        trees.left[0, 2 * g + 2] = g
        count, at = inside, 2 * g + 1
    trees.left[0, at] = n
    trees.values[0, n] = 1.0
    return trees


@pytest.mark.parametrize("n", [1, 2, 33, 48])
def test_a_long_path_of_different_features(n):
    """The integral of a polynomial, in fractions: sums over sets are out of reach."""
    rng = np.random.default_rng(n)
    trees = chain(rng.uniform(0.5, 0.9, n), n)
    count = trees.n_samples[0].tolist()
    z = [Fraction(count[2 * g + 1], count[2 * g - 1] if g else count[0]) for g in range(n)]
    codes = (rng.random((n, 3)) < [0.0, 0.1, 0.7]).astype(np.uint8)
    whole = np.full(n, 2), np.full(n, -1), np.zeros(n, dtype=np.int64)
    rows = Binned(codes, *whole, np.zeros(0), np.zeros(n + 1, dtype=np.int64))
    values, base, _ = explained(trees, rows, np.ones(1))
    assert base == pytest.approx(float(np.prod(z)), rel=1e-12)
    for row, found in zip(codes.T, values, strict=True):
        o = [Fraction(int(code == 0)) for code in row]
        for i in range(0, n, 7):
            polynomial = [Fraction(1)]
            for j in set(range(n)) - {i}:
                factor = z[j], o[j] - z[j]
                longer = [*polynomial, Fraction(0)]
                polynomial = [
                    factor[0] * longer[k] + (factor[1] * longer[k - 1] if k else 0)
                    for k in range(len(longer))
                ]
            integral = sum(c / (k + 1) for k, c in enumerate(polynomial))
            want = float((o[i] - z[i]) * integral)
            assert found[i] == pytest.approx(want, rel=1e-10, abs=1e-300)
