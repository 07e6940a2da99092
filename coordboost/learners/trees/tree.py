"""Finished trees: their storage in arrays, how a grown tree enters it, one tree and its text.

A grown tree enters with its nodes and its values as a unit vector; the smaller trees that it
contains can be read off it, and its leaves refitted with noise.

If the leaf with the largest gain is split first, the tree with n splits is the first 2 n + 1 nodes
of any larger one (a tree prefix). So a step that compares several families grows one tree, and
reads the trees of all of them off it.
"""

import math
from io import BytesIO
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.noise import normal
from coordboost._numba.sums import BLOCK

#: Bytes of a set of codes: one bit per code.
SET = 32


@kernel
def is_in(members, code):
    """Return 1 if the code is in the set, else 0."""
    return (members[code >> 3] >> (code & 7)) & 1


class Trees(NamedTuple):
    """Finished trees, each a unit vector on the training samples.

    Node 0 is the root. The children of node p are ``left[p]``, for codes in the set
    ``goes_left[p]``, and ``left[p] + 1``::

        feature   | 2  0 -1 -1 -1|      -1 for a leaf
        left      | 1  3  0  1  2|      for a leaf, its number

    feature, left : int32 (room, 2 max_leaves - 1)
    goes_left : uint8 (room, 2 max_leaves - 1, SET)
    values : float64 (room, max_leaves), the values of the leaves
    n_leaves : int32 (room,)
    gain : float64 (room, 2 max_leaves - 1), the gain of the split of a node, 0 for a leaf
    n_samples : int64 (room, 2 max_leaves - 1), number of training samples in a node
    """

    feature: np.ndarray
    left: np.ndarray
    goes_left: np.ndarray
    values: np.ndarray
    n_leaves: np.ndarray
    gain: np.ndarray
    n_samples: np.ndarray

    @classmethod
    def empty(cls, room, max_leaves):
        """Allocate room for `room` trees."""
        nodes = 2 * max_leaves - 1
        return cls(
            np.full((room, nodes), -1, dtype=np.int32),
            np.zeros((room, nodes), dtype=np.int32),
            np.zeros((room, nodes, SET), dtype=np.uint8),
            np.zeros((room, max_leaves)),
            np.zeros(room, dtype=np.int32),
            np.zeros((room, nodes)),
            np.zeros((room, nodes), dtype=np.int64),
        )

    def check(self, n_features, max_leaves):
        """Raise a ValueError unless the arrays are trees.

        They have at most `max_leaves` leaves on `n_features` features.

        Raises
        ------
        ValueError
            Says what is wrong.
        """
        leaves = self.values.shape[1]
        shapes = []
        if 1 <= leaves <= max_leaves:
            shapes = [array.shape[1:] for array in Trees.empty(0, leaves)]
        rooms = {len(array) for array in self}
        if [array.shape[1:] for array in self] != shapes or len(rooms) > 1:
            raise ValueError("the arrays of the trees have inconsistent shapes.")
        at = np.arange(2 * leaves - 1)
        count = self.n_leaves[:, None]
        left = self.left
        counted = ((count >= 1) & (count <= leaves)).all() and np.isfinite(self.values).all()
        has_children = (left > at) & (left < 2 * count - 2)
        has_leaf = (left >= 0) & (left < count)
        leads_on = np.where(self.feature >= 0, has_children, has_leaf)
        is_used = at < 2 * count - 1
        if not (counted and (leads_on & (self.feature < n_features) | ~is_used).all()):
            raise ValueError("a tree has an invalid node, or a value that is not finite.")

    def resized(self, room, leaves):
        """Return a copy with room for `room` trees of `leaves` leaves.

        What does not fit is dropped.
        """
        trees = Trees.empty(room, leaves)
        for new, old in zip(trees, self, strict=True):
            corner = tuple(slice(min(sizes)) for sizes in zip(new.shape, old.shape, strict=True))
            new[corner] = old[corner]
        return trees

    def one(self, j):
        """Return tree j alone, without a copy."""
        return Trees(*(array[j : j + 1] for array in self))

    def cut(self, n):
        """Return a copy of the first n trees."""
        return self.resized(n, self.values.shape[1])

    def trimmed(self, n):
        """Return a copy of the first n trees without unused room for leaves."""
        return self.resized(n, int(self.n_leaves[:n].max(initial=1)))

    def packed(self):
        """Return the trees as bytes, compressed: most sets of codes are intervals."""
        file = BytesIO()
        np.savez_compressed(file, **self._asdict())
        return file.getvalue()

    @classmethod
    def unpacked(cls, content):
        """Return the trees that ``packed`` wrote."""
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            return cls(**arrays)

    def with_room(self, n):
        """Return the same trees with room for at least n in all."""
        room = len(self.n_leaves)
        return self if room >= n else self.resized(max(n, room + room // 2), self.values.shape[1])


def norm(values, q):
    """Return ``np.linalg.norm(values, q)`` without overflow or underflow of the powers.

    The values must not all be 0.
    """
    largest = np.abs(values).max()
    return largest * np.linalg.norm(values / largest, q)


@kernel
def keep_nodes(state, nodes, flags, m, trees, j):
    """Write the first m nodes of a tree into row j of ``Trees``.

    Nodes without children among them become leaves.
    """
    feature, left, goes_left, _, n_leaves, gain, n_samples = trees
    n_leaves[j] = 0
    for at in range(m):
        node = nodes[at]
        inner = node.feature >= 0 and node.left < m
        n_samples[j, at] = node.count
        gain[j, at] = node.gain / state.scale / state.scale if inner else 0.0
        feature[j, at] = node.feature if inner else -1
        left[j, at] = node.left if inner else n_leaves[j]
        n_leaves[j] += 1 - inner
        for byte in range(SET if inner else 0):
            bits = 0
            for bit in range(8):
                bits |= flags[at, 8 * byte + bit] << bit
            goes_left[j, at, byte] = bits


@kernel
def unit_values(state, nodes, m, power, metric, v, leaf, values):
    """Write the leaf values of a tree's first m nodes, as a unit vector.

    Return its product with the target v, and its length as a fit.

    power : None for the fitted leaf values; otherwise values are the sums of the leaves to this
        power, with their signs
    metric : (n_samples,) or (1,), weights for norm and product, summed over samples; empty to take
        them from the sums of the leaves
    """
    n_leaves, largest, square, corr = scaled_values(state, nodes, m, power, values)
    if len(metric) > 0:
        square, corr, _ = sums_over_rows(metric, v, leaf, values)
    size = math.sqrt(square)
    for k in range(len(values)):
        values[k] = values[k] / size if k < n_leaves else 0.0
    return corr / size, size * largest


@kernel
def scaled_values(state, nodes, m, power, values):
    """Write the leaf values of ``unit_values`` before the division by their norm.

    Return the number of leaves, what the values were divided by, and the weighted square and the
    product with the target by the sums of the leaves.
    """
    largest = 0.0
    for at in range(m):
        node = nodes[at]
        if node.feature < 0 or node.left >= m:
            largest = max(largest, abs(node.value if power is None else float(node.total)))
    n_leaves = 0
    square = corr = 0.0
    for at in range(m):
        node = nodes[at]
        if node.feature < 0 or node.left >= m:
            value = 1.0  # if there is nothing to fit: the constant
            if largest > 0.0:
                if power is None:
                    value = node.value / largest
                else:
                    value = (abs(node.total) / largest) ** power * (1 if node.total > 0 else -1)
            values[n_leaves] = value
            n_leaves += 1
            square += state.unit * node.mass * value * value
            corr += node.total / state.scale * value
    return n_leaves, largest, square, corr


@kernel
def sums_of_block(metric, v, leaf, values, start, stop):
    """Return the sums of squares, of products with v and of weights, as ``sums_over_rows`` does.

    They are those of the rows from `start` to `stop`.
    """
    square = corr = total = 0.0
    for i in range(start, stop):
        value = values[leaf[i]]
        weight = metric[min(i, len(metric) - 1)]
        square += weight * value * value
        corr += v[i] * value
        total += weight
    return square, corr, total


@kernel
def sums_over_rows(metric, v, leaf, values):
    """Return the sums over the samples of the weighted squares of the values of a tree.

    And of their products with `v`, and of the weights: sums of blocks, in order.
    """
    square = corr = total = 0.0
    for start in range(0, len(v), BLOCK):
        stop = min(start + BLOCK, len(v))
        of_block = sums_of_block(metric, v, leaf, values, start, stop)
        square += of_block[0]
        corr += of_block[1]
        total += of_block[2]
    return square, corr, total


def write_block_sums(metric, v, leaf, values, sums):
    """Write the three sums of each block of rows into a row of `sums`, (n_blocks, 3)."""
    for block in range(len(sums)):
        start = block * BLOCK
        stop = min(start + BLOCK, len(v))
        sums[block] = sums_of_block(metric, v, leaf, values, start, stop)


def to_unit_norm(square, corr, total, values):
    """Rescale a tree grown on some samples to unit norm on all, by its ``sums_over_rows``.

    Return its product with the target, and its norm on all before.

    A tree without a finite norm above 0 becomes the constant; its product and its norm are 0.
    """
    size = math.sqrt(square)
    if not 0.0 < size < math.inf:
        values[:] = 1.0 / math.sqrt(total)
        return 0.0, 0.0
    for k in range(len(values)):
        values[k] /= size
    return corr / size, size


def cut_back(state, nodes, m, power, number, values):
    """Cut the grown tree back to its first m nodes: fill `number` and `values`.

    Return its product with the target, and its length.

    number : int64 (n_leaves,), the leaf there of each leaf of the whole tree
    """
    n_leaves = 0
    for at in range(state.nodes):
        node = nodes[at]
        if at >= m:
            node.place = nodes[node.parent].place
        elif node.feature < 0 or node.left >= m:
            node.place = n_leaves
            n_leaves += 1
        if node.feature < 0:
            number[node.leaf] = node.place
    return unit_values(state, nodes, m, power, values[:0], values, number, values)


def relabel(grown, number, leaf):
    """Write the leaf of each sample in a tree that was cut back, see ``cut_back``.

    grown : (n_samples,), the leaves of the whole tree
    """
    for i in range(len(grown)):
        leaf[i] = number[grown[i]]


def write_leaf_sums(leaf, v, sums):
    """Write the sum of `v` over the samples of each leaf, for each block of rows.

    *Cost*: one addition per sample.

    sums : (n_blocks, n_leaves)
    """
    others = np.empty(sums.shape[1])
    for block in range(len(sums)):
        start = block * BLOCK
        stop = min(start + BLOCK, len(v))
        some = sums[block]
        some[:] = 0.0
        others[:] = 0.0
        # two sums per leaf: consecutive additions to one sum would wait for each other
        for i in range(start, stop - 1, 2):
            some[leaf[i]] += v[i]
            others[leaf[i + 1]] += v[i + 1]
        if stop & 1:
            some[leaf[stop - 1]] += v[stop - 1]
        for k in range(len(some)):
            some[k] += others[k]


def refit_leaves(state, nodes, l2, sums, scale, key, values):
    """Refit the leaves of the tree just grown to their sums of a vector and white noise.

    Write them as a unit vector into `values`, return the length.

    A leaf takes its sum (n_leaves,) plus one normal number of standard deviation
    ``scale * sqrt(weight + l2)``, l2 with the smoothing of its node. The part with weight is the
    noise of its samples. The part with l2 belongs to the ridge penalty: the limit of the run is
    still a Gibbs distribution.
    """
    n_leaves = state.leaves
    weights = square = 0.0
    for at in range(state.nodes):
        if nodes[at].feature < 0:
            weight = state.unit * nodes[at].mass
            k = nodes[at].leaf
            with_ridge = weight + l2 + nodes[at].smoothing
            noise = scale * math.sqrt(with_ridge) * normal(key, k)
            total = sums[k] + noise
            values[k] = total / with_ridge if with_ridge > 0.0 else 0.0
            square += weight * values[k] * values[k]
            weights += weight
    length = math.sqrt(square)
    for k in range(n_leaves):  # nothing to fit: the constant
        values[k] = values[k] / length if length > 0.0 else 1.0 / math.sqrt(weights)
    return length


class Split(NamedTuple):
    """The condition of a node: samples that satisfy it go left.

    name : str, the feature
    threshold : float, values up to it go left
    categories : tuple, the categories that go left. One of the two is None
    missing : bool, whether missing values go left
    """

    name: str
    threshold: float | None
    categories: tuple | None
    missing: bool

    @property
    def condition(self):
        """The condition on the feature in words.

        For categorical features "missing" is one of the categories.
        """
        return (
            f"<= {self.threshold:.6g}"
            if self.categories is None
            else f"in {{{', '.join(self.categories)}}}"
        )

    def __str__(self):
        return f"{self.name} {self.condition}" + (
            " or missing" if self.missing and self.categories is None else ""
        )


class Tree(NamedTuple):
    """A tree of m nodes.

    A node precedes its children, the right child follows the left one directly.

    feature     | 2  0 -1 -1 -1|    the feature that splits a node, -1 for a leaf
    left        | 1  3  0  1  2|    the left child, or the number of a leaf
    goes_left   one bit for each node and code, packed: (m, 32) bytes

    feature, left : int32 (m,)
    goes_left : uint8 (m, 32)
    values : float64 (n_leaves,), the values of the leaves
    gain : float64 (m,), of the split of a node, 0 for a leaf
    n_samples : int64 (m,), number of training samples in a node
    bin : int64 (m,), the last bin that goes left; for categories, how many bins go left
    missing_left : int64 (m,), 1 if missing values of new rows go left
    """

    feature: np.ndarray
    left: np.ndarray
    goes_left: np.ndarray
    values: np.ndarray
    gain: np.ndarray
    n_samples: np.ndarray
    bin: np.ndarray
    missing_left: np.ndarray

    @classmethod
    def of(cls, trees, j, binning):
        """Return tree j of `trees`, a ``Trees``, grown on the bins of `binning`."""
        m = 2 * int(trees.n_leaves[j]) - 1
        feature = trees.feature[j, :m]
        goes_left = trees.goes_left[j, :m]
        members = np.unpackbits(goes_left, axis=1, bitorder="little")
        bin = np.zeros(m, dtype=np.int64)
        missing_left = np.zeros(m, dtype=np.int64)
        for at in np.flatnonzero(feature >= 0):
            g = feature[at]
            if binning.categorical[g]:
                bin[at] = members[at, : binning.n_bins[g]].sum()
            else:
                bin[at] = members[at, : binning.n_bins[g] - (binning.missing[g] >= 0)].sum() - 1
            missing_left[at] = members[at, binning.gap(g)]
        return cls(
            feature,
            trees.left[j, :m],
            goes_left,
            trees.values[j, : (m + 1) // 2],
            trees.gain[j, :m],
            trees.n_samples[j, :m],
            bin,
            missing_left,
        )

    @property
    def n_leaves(self):
        return (len(self.feature) + 1) // 2

    def apply(self, codes):
        """Return the leaf of each sample, int64 (n_samples,): a walk of all samples together.

        codes : uint8 (n_features, n_samples), binned as the training samples
        """
        sample = np.arange(codes.shape[1])
        at = np.zeros(len(sample), dtype=np.int64)
        while (inner := self.feature[at] >= 0).any():
            code = codes[self.feature[at], sample]
            goes_left = (self.goes_left[at, code >> 3] >> (code & 7)) & 1
            at = np.where(inner, self.left[at] + 1 - goes_left, at)
        return self.left[at].astype(np.int64)

    def splits(self, binning):
        """Return the condition of each node, a list of m ``Split``, None for a leaf."""
        return [
            None if self.feature[at] < 0 else self._split(at, binning)
            for at in range(len(self.feature))
        ]

    def _split(self, at, binning):
        g = self.feature[at]
        threshold = None
        chosen = None
        labels = binning.labels[g]
        if labels is None:
            threshold = float(np.append(binning.thresholds(g), np.inf)[self.bin[at]])
        else:
            members = np.unpackbits(self.goes_left[at], bitorder="little")
            chosen = tuple(str(labels[code]) for code in np.flatnonzero(members[: len(labels)]))
            chosen += ("missing",) * int(self.missing_left[at])
        return Split(binning.names[g], threshold, chosen, bool(self.missing_left[at]))

    def text(self, splits):
        """Return the tree as text, one line per split and leaf."""
        return "\n".join(self._lines(0, "", splits)) + "\n"

    def _lines(self, at, indent, splits):
        if self.feature[at] < 0:
            value = self.values[self.left[at]] + 0.0  # never "-0"
            return [f"{indent}leaf {self.left[at]}: {value:.6g} ({self.n_samples[at]} samples)"]
        left, right = (
            self._lines(child, indent + "    ", splits)
            for child in (self.left[at], self.left[at] + 1)
        )
        return [f"{indent}if {splits[at]}:", *left, f"{indent}else:", *right]
