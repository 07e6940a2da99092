"""Finished trees on binned rows: whole blocks of rows pass the nodes of a tree together.

A row that walks from the root to its leaf waits at every node for the one before. Instead, a block
of rows passes the inner nodes of a tree one after the other, parents first: of the rows that stand
at a node, those that go right move on. A byte holds where a row stands, and another one its code,
so one instruction serves 32 rows or more. Every row is compared at every node, and yet that takes a
fifth to a fiftieth of the time of a walk.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel
from coordboost._numba.threads import in_blocks, slices
from coordboost.learners.base import Learners
from coordboost.learners.trees.tree import Trees, is_in

#: Samples that pass a tree together: their codes and places stay in the cache of a core.
BLOCK = 1 << 11
#: Samples whose predictions one thread sums at a time.
ROWS = 1 << 14
#: Most leaves of a tree that blocks of rows pass; larger trees are walked, row by row.
SLOTS = 256
#: Rows are walked if a tree has this many times as many leaves, or more.
WALKED = 8
#: Up to so many rows are walked through all trees.
FEW = 4
#: Nodes whose sets of codes are read at a time.
NODES = 1 << 12


class Nodes(NamedTuple):
    """The inner nodes of trees in flat arrays, tree after tree, parents before their children.

    While rows pass a tree they stand in *slots*. All begin in slot 0; a node empties a part of its
    slot, the rows that go right, into a new one. So a tree of L leaves ends with L slots, one for
    each leaf. The tree with the leaves a, b, c::

        (0)---(1)---c             node       0  1
         |     |                  slot       0  1
         a     b                  new_slot   1  2      leaf of slots 0, 1, 2: a, b, c

    A code goes right if it is in an interval: ``(code - first) & 255 <= last``. Any other set of
    codes is a row of `goes_right`. Trees of more than ``SLOTS`` leaves have no nodes here.

    start : int64 (n_trees + 1,), where the nodes of each tree begin
    feature : int64 (n_nodes,)
    slot, new_slot : uint8 (n_nodes,)
    first, last : uint8 (n_nodes,)
    row : int64 (n_nodes,), the row of `goes_right`, -1 for an interval
    goes_right : uint8 (n_rows, 256)
    leaf_start : int64 (n_trees + 1,), where the leaves of each tree begin
    leaf : uint8 (n_leaves,), the leaf of each slot
    """

    start: np.ndarray
    feature: np.ndarray
    slot: np.ndarray
    new_slot: np.ndarray
    first: np.ndarray
    last: np.ndarray
    row: np.ndarray
    goes_right: np.ndarray
    leaf_start: np.ndarray
    leaf: np.ndarray

    @property
    def n_trees(self):
        return len(self.start) - 1

    @classmethod
    def of(cls, trees, begin=0, end=None):
        """Return the nodes of the trees from `begin` to `end` of ``Trees``."""
        block = Trees(*(column[begin:end] for column in trees))
        passed = block.n_leaves <= SLOTS
        at = np.arange(block.feature.shape[1])
        exists = (at < 2 * block.n_leaves[:, None] - 1) & passed[:, None]
        is_inner = exists & (block.feature >= 0)
        slot = slots_of(block, is_inner)
        tree, node = np.nonzero(is_inner)
        rank = np.cumsum(is_inner, axis=1)
        first, last, row, goes_right = intervals_of(block.goes_left, tree, node)
        leaf_tree, leaf_node = np.nonzero(exists & ~is_inner)
        leaf_start = np.append(0, np.cumsum(np.where(passed, block.n_leaves, 0)))
        leaf = np.zeros(leaf_start[-1], dtype=np.uint8)
        leaf[leaf_start[leaf_tree] + slot[leaf_tree, leaf_node]] = block.left[leaf_tree, leaf_node]
        return cls(
            np.append(0, np.cumsum(is_inner.sum(axis=1))),
            block.feature[tree, node].astype(np.int64),
            slot[tree, node].astype(np.uint8),
            rank[tree, node].astype(np.uint8),
            first,
            last,
            row,
            goes_right,
            leaf_start,
            leaf,
        )

    def joined(self, more):
        """Return these nodes and those of `more` trees."""
        row = np.where(more.row < 0, -1, more.row + len(self.goes_right))
        starts = {
            name: np.append(getattr(self, name), getattr(more, name)[1:] + getattr(self, name)[-1])
            for name in ("start", "leaf_start")
        }
        columns = map(np.concatenate, zip(self, more._replace(row=row), strict=True))
        return Nodes(*columns)._replace(**starts)

    def cut(self, n):
        """Return the nodes of the first n trees."""
        nodes = slice(self.start[n])
        row = self.row[nodes]
        return Nodes(
            self.start[: n + 1],
            self.feature[nodes],
            self.slot[nodes],
            self.new_slot[nodes],
            self.first[nodes],
            self.last[nodes],
            row,
            self.goes_right[: row.max(initial=-1) + 1],
            self.leaf_start[: n + 1],
            self.leaf[: self.leaf_start[n]],
        )


def slots_of(trees, is_inner):
    """Return the slot of each node of trees, int64 (n_trees, n_nodes).

    is_inner : bool (n_trees, n_nodes)
    """
    slot = np.zeros(is_inner.shape, dtype=np.int64)
    new_slot = np.cumsum(is_inner, axis=1)
    for at in np.flatnonzero(is_inner.any(axis=0)):
        tree = np.flatnonzero(is_inner[:, at])
        left = trees.left[tree, at]
        slot[tree, left] = slot[tree, at]
        slot[tree, left + 1] = new_slot[tree, at]
    return slot


def intervals_of(goes_left, tree, node):
    """Return first, last, row and goes_right of ``Nodes``, for the given nodes of given trees."""
    first = np.zeros(len(tree), dtype=np.uint8)
    last = np.zeros(len(tree), dtype=np.uint8)
    row = np.full(len(tree), -1, dtype=np.int64)
    tables = [np.zeros((0, 256), dtype=np.uint8)]
    n_rows = 0
    for block in slices(len(tree), NODES):
        right = 1 - np.unpackbits(goes_left[tree[block], node[block]], axis=1, bitorder="little")
        begins = (right == 1) & (np.roll(right, 1, axis=1) == 0)
        count = right.sum(axis=1, dtype=np.int64)
        is_set = (begins.sum(axis=1) > 1) | (count == 0)
        first[block] = begins.argmax(axis=1)
        last[block] = np.maximum(count, 1) - 1
        n_sets = int(is_set.sum())
        row[block][is_set] = n_rows + np.arange(n_sets)
        n_rows += n_sets
        tables.append(right[is_set])
    return first, last, row, np.concatenate(tables)


def edges_of(trees, n, n_features):
    """Return which neighbouring codes the first n trees tell apart, bool (n_features, 255).

    Entry b of a feature is whether, at some node, code b goes another way than code b + 1.
    """
    edges = np.zeros((n_features, 255), dtype=bool)
    exists = np.arange(trees.feature.shape[1]) < 2 * trees.n_leaves[:n, None] - 1
    tree, node = np.nonzero(exists & (trees.feature[:n] >= 0))
    for block in slices(len(tree), NODES):
        feature = trees.feature[tree[block], node[block]]
        goes_left = trees.goes_left[tree[block], node[block]]
        left = np.unpackbits(goes_left, axis=1, bitorder="little")
        order = np.argsort(feature, kind="stable")
        features, begin = np.unique(feature[order], return_index=True)
        apart = (left[:, 1:] != left[:, :-1])[order]
        edges[features] |= np.logical_or.reduceat(apart, begin, axis=0)
    return edges


@kernel
def leaf_of(codes, feature, left, goes_left, j, i):
    """Return the leaf of sample i in tree j, by a walk."""
    at = 0
    while feature[j, at] >= 0:
        code = codes[feature[j, at], i]
        at = left[j, at] + 1 - is_in(goes_left[j, at], code)
    return left[j, at]


@kernel
def pass_nodes(codes, nodes, j, begin, slot):
    """Write the slot of each row of a block in tree j; `begin` is the first of the rows."""
    n = len(slot)
    for i in range(n):
        slot[i] = 0
    for k in range(nodes.start[j], nodes.start[j + 1]):
        code = codes[nodes.feature[k], begin : begin + n]
        old, new = nodes.slot[k], nodes.new_slot[k]
        if nodes.row[k] < 0:
            first, last = np.int64(nodes.first[k]), np.int64(nodes.last[k])
            for i in range(n):
                right = (slot[i] == old) & ((code[i] - first) & 255 <= last)
                slot[i] = new if right else slot[i]
        else:
            goes_right = nodes.goes_right[nodes.row[k]]
            for i in range(n):
                right = (slot[i] == old) & (goes_right[code[i]] == 1)
                slot[i] = new if right else slot[i]


@kernel
def add_block(codes, trees, nodes, j, a, begin, slot, value, total):
    """Do ``total += a * values[leaf]`` for tree j, on the block of rows from `begin` on.

    Few rows of a large tree are walked: they stand at few of its nodes.

    slot : uint8, as long as `total`;  value : (SLOTS,); both scratch memory
    """
    if trees.n_leaves[j] > SLOTS or len(total) * WALKED <= trees.n_leaves[j]:
        for i in range(len(total)):
            leaf = leaf_of(codes, trees.feature, trees.left, trees.goes_left, j, begin + i)
            total[i] += a * trees.values[j, leaf]
        return
    pass_nodes(codes, nodes, j, begin, slot)
    leaves = nodes.leaf[nodes.leaf_start[j] : nodes.leaf_start[j + 1]]
    for s in range(len(leaves)):
        value[s] = a * trees.values[j, leaves[s]]
    for i in range(len(total)):
        total[i] += value[slot[i]]


def add_trees(codes, trees, nodes, learners, beta, out, start, stop):
    """Add ``sum_j beta_j B_j`` over the trees `learners` to ``out[start:stop]``."""
    slots = np.empty(BLOCK, dtype=np.uint8)
    value = np.empty(SLOTS)
    for begin in range(start, stop, BLOCK):
        total = out[begin : min(begin + BLOCK, stop)]
        slot = slots[: len(total)]
        for k in range(len(learners)):
            add_block(codes, trees, nodes, learners[k], beta[k], begin, slot, value, total)


def walk_trees(codes, feature, left, goes_left, values, beta, out):
    """Add ``sum_j beta_j B_j`` over trees to `out`, for a few rows: they walk, one by one.

    Only the arrays that a walk reads are passed: a call for one row takes a few microseconds.
    """
    for i in range(len(out)):
        for j in range(len(beta)):
            if beta[j] != 0:
                leaf = leaf_of(codes, feature, left, goes_left, j, i)
                out[i] += beta[j] * values[j, leaf]


def fill_leaves(codes, trees, nodes, j, out):
    """Write the leaf of each sample in tree j into `out`."""
    slots = np.empty(BLOCK, dtype=np.uint8)
    leaf = nodes.leaf[nodes.leaf_start[j] : nodes.leaf_start[j + 1]]
    for begin in range(0, len(out), BLOCK):
        leaves = out[begin : begin + BLOCK]
        slot = slots[: len(leaves)]
        if trees.n_leaves[j] > SLOTS:
            for i in range(len(leaves)):
                leaves[i] = leaf_of(codes, trees.feature, trees.left, trees.goes_left, j, begin + i)
        else:
            pass_nodes(codes, nodes, j, begin, slot)
            for i in range(len(leaves)):
                leaves[i] = leaf[slot[i]]


class _Forest(NamedTuple):
    binned: object
    trees: Trees
    nodes: Nodes


class Forest(_Forest, Learners):
    """Finished trees as learners on the samples of `binned`."""

    @property
    def n_samples(self):
        return self.binned.n_samples

    @property
    def n_learners(self):
        return self.nodes.n_trees

    def add(self, j, a, v):
        slots = np.empty(BLOCK, dtype=np.uint8)
        value = np.empty(SLOTS)
        codes, trees, nodes = self.binned.codes, self.trees, self.nodes
        for begin in range(0, len(v), BLOCK):
            total = v[begin : begin + BLOCK]
            add_block(codes, trees, nodes, j, a, begin, slots[: len(total)], value, total)

    def column(self, j):
        beta = np.zeros(j + 1)
        beta[j] = 1.0
        return self.combine(beta)

    def combine(self, beta):
        """Return B beta, (n_samples,); blocks of rows run on threads."""
        beta = np.asarray(beta, dtype=np.float64)
        pred = np.zeros(self.n_samples)
        codes, trees = self.binned.codes, self.trees
        if len(pred) <= FEW:
            walked = trees.feature, trees.left, trees.goes_left, trees.values
            compiled(walk_trees)(codes, *walked, beta, pred)
            return pred
        learners = np.flatnonzero(beta)
        run = compiled(add_trees)
        fixed = (codes, trees, self.nodes, learners)
        beta = beta[learners]

        def add(rows):
            run(*fixed, beta, pred, rows.start, rows.stop)

        in_blocks(add, len(pred), ROWS)
        return pred

    def leaves(self, j, out):
        """Write the leaf of each sample in tree j into `out`, (n_samples,) of an integer type."""
        compiled(fill_leaves)(self.binned.codes, self.trees, self.nodes, j, out)
