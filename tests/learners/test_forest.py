"""Trees on blocks of rows: the same leaves and the same bits as a walk from the root."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from random_trees import N_FEATURES, binned, random_trees

import coordboost as cb
from coordboost.learners.trees.forest import BLOCK, Forest, Nodes, edges_of
from coordboost.learners.trees.tree import Tree


def walked(trees, j, codes):
    """The leaf of each sample in tree j, by a walk from the root."""
    m = 2 * trees.n_leaves[j] - 1
    nodes = trees.feature[j, :m], trees.left[j, :m], trees.goes_left[j, :m]
    return Tree(*nodes, trees.values[j], *4 * [None]).apply(codes)


@pytest.mark.parametrize("n", [1, 4, 63, BLOCK, BLOCK + 5])
@pytest.mark.parametrize("most", [1, 2, 8, 256, 257])
def test_blocks_of_rows_reach_the_leaves_of_a_walk(most, n):
    rng = np.random.default_rng([most, n])
    n_trees = 3 if most > 8 else 20
    trees = random_trees(rng, n_trees, most)
    rows = binned(rng, n)
    forest = Forest(rows, trees, Nodes.of(trees))
    beta = rng.normal(size=n_trees)
    beta[1] = 0.0
    pred = np.zeros(n)
    for j in range(n_trees):
        leaf = walked(trees, j, rows.codes)
        out = np.empty(n, dtype=np.uint16)
        forest.leaves(j, out)
        np.testing.assert_array_equal(out, leaf)
        pred += beta[j] * trees.values[j, leaf]
    assert forest.combine(beta).tobytes() == pred.tobytes()


def test_nodes_of_trees_that_come_one_after_the_other():
    rng = np.random.default_rng(0)
    trees = random_trees(rng, 12, 9)
    whole = Nodes.of(trees)
    grown = Nodes.of(trees, 0, 0)
    for begin, end in ((0, 5), (5, 5), (5, 6), (6, 12)):
        grown = grown.joined(Nodes.of(trees, begin, end))
    for n, nodes in ((12, grown), (5, whole.cut(5)), (0, whole.cut(0))):
        for ours, theirs in zip(nodes, Nodes.of(trees, 0, n), strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


def mixed_rows(rng, n, p_missing):
    rows = rng.normal(size=(n, 5)).round(2)
    rows[:, 3] = rng.integers(12, size=n)
    rows[:, 4] = 1.0
    rows[rng.random((n, 5)) < p_missing] = np.nan
    return rows


FORMS = {
    "C order": lambda rows: rows,
    "Fortran order": np.asfortranarray,
    "float32": lambda rows: rows.astype(np.float32),
    "sparse": lambda rows: scipy.sparse.csc_array(np.nan_to_num(rows)),
    "one row": lambda rows: rows[:1],
    "a frame": lambda rows: pd.DataFrame(rows),
    "whole numbers": lambda rows: np.nan_to_num(rows).astype(int),
}


@pytest.mark.parametrize("p_missing", [0.0, 0.2])
def test_bins_that_no_tree_tells_apart_change_no_prediction(p_missing):
    """An estimator bins by the thresholds in its trees only, a run by all of them."""
    rng = np.random.default_rng(3)
    rows = mixed_rows(rng, 600, p_missing)
    y = np.nan_to_num(rows[:, 0] * rows[:, 1] + np.sin(rows[:, 3]))
    new = mixed_rows(rng, 1500, 0.3)
    model = cb.RandomizedGBMRegressor(
        n_estimators=12, max_leaf_nodes=6, categorical_features=[3], warm_start=True, random_state=0
    )
    for n_estimators in (12, 20):
        model.set_params(n_estimators=n_estimators).fit(rows, y)
        for form in FORMS.values():
            table = form(new)
            assert model.predict(table).tobytes() == model.run_.predict(table).tobytes()


def test_edges_are_the_codes_that_some_node_tells_apart():
    rng = np.random.default_rng(4)
    trees = random_trees(rng, 6, 5)
    edges = np.zeros((N_FEATURES, 255), dtype=bool)
    for j in range(4):
        for at in range(2 * trees.n_leaves[j] - 1):
            left = np.unpackbits(trees.goes_left[j, at], bitorder="little")
            if trees.feature[j, at] >= 0:
                edges[trees.feature[j, at]] |= left[1:] != left[:-1]
    np.testing.assert_array_equal(edges_of(trees, 4, N_FEATURES), edges)


@pytest.mark.parametrize("n_leaves", [2, 40])
def test_few_rows_are_predicted_as_among_many(n_leaves):
    """Few rows of large trees are walked, many pass the nodes together."""
    rng = np.random.default_rng(8)
    X = np.where(rng.random((900, 3)) < 0.1, np.nan, rng.integers(0, 9, (900, 3)).astype(float))
    y = np.nansum(X, axis=1) + rng.normal(size=900)
    model = cb.RandomizedGBMRegressor(
        n_estimators=4,
        max_depth=None,
        max_leaf_nodes=n_leaves,
        min_samples_leaf=2,
        categorical_features=[1],
        random_state=0,
    ).fit(X, y)
    whole = model.predict(X[:60])
    for n in (1, 2, 5, 6):
        parts = [model.predict(X[first : first + n]) for first in range(0, 60, n)]
        assert np.concatenate(parts).tobytes() == whole.tobytes()
