"""Trees on blocks of rows: the same leaves and the same bits as a walk from the root."""

import numpy as np
import pytest

from coordboost.learners.binned import Binned
from coordboost.learners.trees.forest import BLOCK, Forest, Nodes
from coordboost.learners.trees.tree import Tree, Trees

N_FEATURES = 4


def random_sets(rng, n):
    """Sets of codes: the first ones, all but an interval, any, all or none; packed, (n, 32)."""
    sets = np.ones((n, 256), dtype=np.uint8)
    for members in sets:
        kind = rng.integers(4)
        low, high = sorted(rng.integers(0, 257, 2))
        if kind == 0:
            members[low:] = 0
        elif kind == 1:
            members[low:high] = 0
        elif kind == 2:
            members[:] = rng.integers(2, size=256)
        else:
            members[:] = rng.integers(2)
    return np.packbits(sets, axis=1, bitorder="little")


def random_trees(rng, n_trees, most):
    """Trees of 1 to `most` leaves, of any shape; unused nodes hold what a larger tree left."""
    trees = Trees.empty(n_trees, most)
    trees.feature[:] = rng.integers(N_FEATURES, size=trees.feature.shape)
    trees.values[:] = rng.normal(size=trees.values.shape)
    for j in range(n_trees):
        n_leaves = int(rng.integers(1, most + 1)) if j else most
        leaves = [0]
        n_nodes = 1
        while len(leaves) < n_leaves:
            at = leaves.pop(int(rng.integers(len(leaves))))
            trees.left[j, at] = n_nodes
            leaves += [n_nodes, n_nodes + 1]
            n_nodes += 2
        trees.feature[j, leaves] = -1
        trees.left[j, leaves] = rng.permutation(n_leaves)
        trees.n_leaves[j] = n_leaves
        trees.goes_left[j, :n_nodes] = random_sets(rng, n_nodes)
    return trees


def binned(rng, n):
    codes = rng.integers(0, 256, (N_FEATURES, n)).astype(np.uint8)
    whole = np.full(N_FEATURES, 256), np.full(N_FEATURES, -1), np.zeros(N_FEATURES, dtype=np.int64)
    return Binned(codes, *whole, np.zeros(0), np.zeros(N_FEATURES + 1, dtype=np.int64))


def walked(trees, j, codes):
    """The leaf of each sample in tree j, by a walk from the root."""
    m = 2 * trees.n_leaves[j] - 1
    nodes = trees.feature[j, :m], trees.left[j, :m], trees.goes_left[j, :m]
    return Tree(*nodes, trees.values[j], *4 * [None]).apply(codes)


@pytest.mark.parametrize("n", [1, 63, BLOCK, BLOCK + 5])
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
