"""Random trees of any shape on binned features, as no fit grows them."""

import numpy as np

from coordboost.learners.binned import Binned
from coordboost.learners.trees.tree import Trees

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
        trees.n_samples[j, leaves] = rng.integers(1, 50, n_leaves)
        for at in np.setdiff1d(np.arange(n_nodes), leaves)[::-1]:
            left = trees.left[j, at]
            trees.n_samples[j, at] = trees.n_samples[j, left] + trees.n_samples[j, left + 1]
    return trees


def binned(rng, n):
    codes = rng.integers(0, 256, (N_FEATURES, n)).astype(np.uint8)
    whole = np.full(N_FEATURES, 256), np.full(N_FEATURES, -1), np.zeros(N_FEATURES, dtype=np.int64)
    return Binned(codes, *whole, np.zeros(0), np.zeros(N_FEATURES + 1, dtype=np.int64))
