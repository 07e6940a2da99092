"""Many trees in arrays, numbered in the order of their growth: a dictionary to which every step of a run may add a tree."""

import math
from typing import NamedTuple

import numpy as np

from coordboost._generic import apart, compiled, generic, kernel, leaf, record
from coordboost._tiles import in_order, slices
from coordboost.dictionaries.binned import Binned
from coordboost.dictionaries.trees.fixed import mass, summed
from coordboost.dictionaries.trees.grow import grow
from coordboost.dictionaries.trees.growth import Growth
from coordboost.dictionaries.trees.workspace import Workspace

add = generic("add")
weigh = generic("weigh")

#: Samples whose predictions are summed up together, in one thread.
ROWS = 1 << 14
#: Bytes of a set of codes, one bit for each.
SET = 32


@leaf
def is_in(members, code):
    """1 if the code is in the set, else 0."""
    return (members[code >> 3] >> (code & 7)) & 1


@leaf
def leaf_of(codes, feature, left, goes_left, i):
    """The leaf of sample i in one tree."""
    at = 0
    while feature[at] >= 0:
        at = left[at] + 1 - is_in(goes_left[at], codes[feature[at], i])
    return left[at]


@leaf
def add_leaves(codes, feature, left, goes_left, values, a, v, start, stop):
    """``v[i] += a * value of the leaf of sample i`` for the samples from start to stop, in one tree."""
    for i in range(start, stop):
        v[i] += a * values[leaf_of(codes, feature, left, goes_left, i)]


class Trees(NamedTuple):
    """Finished trees, each a unit vector: what is left of them when they are grown.

    Node 0 is the root. The children of node p are left[p], where the codes of the set ``goes_left[p]`` go, and ``left[p] + 1``::

        feature   | 2  0 -1 -1 -1|      of a leaf -1
        left      | 1  3  0  1  2|      of a leaf its number

    feature, left : int32 (room, 2 max_leaves - 1);  goes_left : uint8 (room, 2 max_leaves - 1, SET)
    values : float64 (room, max_leaves), those of the leaves;  n_leaves : int32 (room,)
    """

    feature: np.ndarray
    left: np.ndarray
    goes_left: np.ndarray
    values: np.ndarray
    n_leaves: np.ndarray

    @classmethod
    def empty(cls, room, max_leaves):
        """Room for `room` trees."""
        nodes = 2 * max_leaves - 1
        return cls(
            np.full((room, nodes), -1, dtype=np.int32), np.zeros((room, nodes), dtype=np.int32),
            np.zeros((room, nodes, SET), dtype=np.uint8), np.zeros((room, max_leaves)), np.zeros(room, dtype=np.int32),
        )  # fmt: skip

    def cut(self, n):
        """The first n trees, a copy."""
        return Trees(*(part[:n].copy() for part in self))

    def with_room(self, n):
        """The same trees with room for n in all."""
        room = len(self.n_leaves)
        if room >= n:
            return self
        more = Trees.empty(max(n, room + room // 2) - room, self.values.shape[1])
        return Trees(*(np.concatenate(parts) for parts in zip(self, more, strict=True)))


def sum_trees(binned, trees, learners, beta, out, start, stop):
    """``out += sum_j beta_j B_j`` over the trees `learners`, for the samples from start to stop."""
    for i in range(len(learners)):
        j = learners[i]
        add_leaves(binned.codes, trees.feature[j], trees.left[j], trees.goes_left[j], trees.values[j], beta[i], out, start, stop)


def combined(binned, trees, beta):
    """B beta, (n_samples,), rows in threads."""
    learners, out, run = np.flatnonzero(beta), np.zeros(binned.n_samples), compiled(sum_trees, (binned, trees))
    beta = np.asarray(beta, dtype=np.float64)[learners]
    for _ in in_order(lambda rows: run(binned, trees, learners, beta, out, rows.start, rows.stop), slices(len(out), ROWS)):
        pass
    return out


class Forest(NamedTuple):
    """The trees of a run, and all that the next one grows with: the kernels behind a ``TreeBank``.

    weight : (n_samples,) or (1,), the metric in which trees are unit vectors
    metric : (n_samples,) or (1,), the weights of leaf values: with `newton` second derivatives, else `weight`
    every : int64 (n_features,), all features;  penalty : (n_features,), what a split must gain in addition
    state : n, the trees so far; seen, the one whose leaves are in ``space.leaf``, or -1; length, that of the last fit
    """

    binned: Binned
    growth: Growth
    space: Workspace
    trees: Trees
    weight: np.ndarray
    metric: np.ndarray
    every: np.ndarray
    penalty: np.ndarray
    newton: int
    state: np.record

    @classmethod
    def of(cls, binned, growth, weight, penalty, newton, trees):
        """A forest that begins with `trees`."""
        weight = weight[:1].copy() if (weight == weight[0]).all() else weight
        metric = np.ones(binned.n_samples) if newton else weight
        every, state = np.arange(binned.n_features, dtype=np.int64), record(n=len(trees.n_leaves), seen=-1, length=0.0)
        forest = cls(binned, growth, Workspace.of(binned, growth), trees, weight, metric, every, penalty, int(newton), state)
        grow_apart.ready(forest, np.zeros(binned.n_samples), every)
        return forest

    def find(self, v):
        """Grow the tree that fits `v` best and give it a number: (number, correlation); (-1, 0) where there is no room."""
        return grow_apart(self, v, self.every)

    def find_in(self, v, groups):
        """The same with splits of the features `groups` only."""
        return grow_apart(self, v, groups)

    def combine(self, beta):
        return combined(self.binned, self.trees, beta)

    def dot(self, j, v):
        see(self, j)
        leaves, values, out = self.space.leaf, self.trees.values[j], 0.0
        for i in range(len(v)):
            out += v[i] * values[leaves[i]]
        return out

    def add(self, j, a, v):
        see(self, j)
        leaves, values = self.space.leaf, self.trees.values[j]
        for i in range(len(v)):
            v[i] += a * values[leaves[i]]

    def column(self, j):
        out = np.zeros(len(self.space.leaf))
        add(self, j, 1.0, out)
        return out

    def measure(self, view):
        """Take the second derivatives at the model as weights of the next tree, where it wants them."""
        if self.newton:
            weigh(view, self.metric)

    def fitted(self, corr):
        """How long the last tree was before it became a unit vector."""
        return self.state.length


@kernel
def see(forest, j):
    """Have the leaves of tree j in ``space.leaf``."""
    if forest.state.seen != j:
        trees, leaves = forest.trees, forest.space.leaf
        feature, left, goes_left = trees.feature[j], trees.left[j], trees.goes_left[j]
        for i in range(len(leaves)):
            leaves[i] = leaf_of(forest.binned.codes, feature, left, goes_left, i)
        forest.state.seen = j


@kernel
def grow_one(forest, v, features):
    """Grow a tree on these features, and keep it as a unit vector."""
    j, space, state = forest.state.n, forest.space, forest.state
    if j >= len(forest.trees.n_leaves):
        return -1, 0.0
    n_leaves = grow(forest.binned, forest.growth, space, v, forest.metric, features, forest.penalty)
    state.n += 1
    if n_leaves == 0:
        state.seen, state.length = -1, math.nan
        forest.trees.n_leaves[j] = 1
        return j, math.nan
    state.seen = j
    keep(forest.trees, space, j)
    values, largest = space.values[:n_leaves], 0.0
    for one in range(n_leaves):
        largest = max(largest, abs(values[one]))
    fit = largest
    if fit == 0.0:  # nothing to fit: the constant
        largest = 1.0
        values[:] = 1.0
    if forest.newton:
        square, corr = measured_by_samples(space, forest.weight, v, largest)
    else:
        square, corr = measured_by_leaves(space, largest)
    size = math.sqrt(square)
    for one in range(n_leaves):
        forest.trees.values[j, one] = values[one] / largest / size
    state.length = size * fit
    return j, corr / size


#: As `grow_one`. Growing is far more code than the loops that call it.
grow_apart = apart(grow_one)


@leaf
def keep(trees, space, j):
    """Write the tree that was grown into row j, but for its values."""
    feature, left, goes_left, nodes = trees.feature[j], trees.left[j], trees.goes_left[j], space.nodes
    trees.n_leaves[j] = space.count.leaves
    for at in range(space.count.nodes):
        node = nodes[at]
        feature[at] = node.feature
        left[at] = node.leaf if node.feature < 0 else node.left
        if node.feature >= 0:
            members, flags = goes_left[at], space.goes_left[at]
            for byte in range(SET):
                bits = 0
                for bit in range(8):
                    bits |= flags[8 * byte + bit] << bit
                members[byte] = bits


@leaf
def measured_by_leaves(space, by):
    """Squared norm of the fit, and its product with the target, from the sums of the leaves; the fit divided by `by`."""
    square, corr, form = 0.0, 0.0, space.form
    for at in range(space.count.nodes):
        node = space.nodes[at]
        if node.feature < 0:
            value = space.values[node.leaf] / by
            square += mass(form, node.tallies) * value * value
            corr += summed(form, node.sums) / form.scale * value
    return square, corr


@leaf
def measured_by_samples(space, weight, v, by):
    """The same from the samples, in the metric of their weights."""
    square, corr, last = 0.0, 0.0, len(weight) - 1
    for i in range(len(v)):
        value = space.values[space.leaf[i]] / by
        square += weight[min(i, last)] * value * value
        corr += v[i] * value
    return square, corr
