"""Finished trees in arrays, and their predictions."""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel
from coordboost._numba.threads import all_done, slices
from coordboost.learners.base import Learners

#: Samples whose predictions one thread sums at a time.
ROWS = 1 << 14
#: Bytes of a set of codes: one bit per code.
SET = 32


@kernel
def is_in(members, code):
    """Return 1 if the code is in the set, else 0."""
    return (members[code >> 3] >> (code & 7)) & 1


@kernel
def leaf_of(codes, feature, left, goes_left, i):
    """Return the leaf of sample i in one tree."""
    at = 0
    while feature[at] >= 0:
        at = left[at] + 1 - is_in(goes_left[at], codes[feature[at], i])
    return left[at]


@kernel
def fill_leaves(codes, feature, left, goes_left, out):
    """Write the leaf of each sample in one tree into `out`."""
    for i in range(len(out)):
        out[i] = leaf_of(codes, feature, left, goes_left, i)


@kernel
def add_tree(codes, feature, left, goes_left, values, a, v, start, stop):
    """Do ``v[start:stop] += a * values[leaf]`` for one tree."""
    for i in range(start, stop):
        v[i] += a * values[leaf_of(codes, feature, left, goes_left, i)]


class Trees(NamedTuple):
    """Finished trees, each a unit vector on the training samples.

    Node 0 is the root. The children of node p are ``left[p]``, for codes in the set
    ``goes_left[p]``, and ``left[p] + 1``::

        feature   | 2  0 -1 -1 -1|      -1 for a leaf
        left      | 1  3  0  1  2|      for a leaf, its number

    feature, left : int32 (room, 2 max_leaves - 1);  goes_left : uint8 (room, 2 max_leaves - 1, SET)
    values : float64 (room, max_leaves), the values of the leaves;  n_leaves : int32 (room,)
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
        shapes = (
            [part.shape[1:] for part in Trees.empty(0, leaves)] if 1 <= leaves <= max_leaves else []
        )
        if [part.shape[1:] for part in self] != shapes or len({len(part) for part in self}) > 1:
            raise ValueError("the arrays of the trees have inconsistent shapes.")
        at = np.arange(2 * leaves - 1)
        count = self.n_leaves[:, None]
        left = self.left
        known = ((count >= 1) & (count <= leaves)).all() and np.isfinite(self.values).all()
        leads = np.where(
            self.feature >= 0, (left > at) & (left < 2 * count - 2), (left >= 0) & (left < count)
        )
        if not (known and (leads & (self.feature < n_features) | (at >= 2 * count - 1)).all()):
            raise ValueError("a tree has an invalid node, or a value that is not finite.")

    def resized(self, room, leaves):
        """Return a copy with room for `room` trees of `leaves` leaves.

        What does not fit is dropped.
        """
        out = Trees.empty(room, leaves)
        for new, old in zip(out, self, strict=True):
            both = tuple(slice(min(sizes)) for sizes in zip(new.shape, old.shape, strict=True))
            new[both] = old[both]
        return out

    def cut(self, n):
        """Return a copy of the first n trees."""
        return self.resized(n, self.values.shape[1])

    def trimmed(self, n):
        """Return a copy of the first n trees without unused room for leaves."""
        return self.resized(n, int(self.n_leaves[:n].max(initial=1)))

    def with_room(self, n):
        """Return the same trees with room for at least n in all."""
        room = len(self.n_leaves)
        return self if room >= n else self.resized(max(n, room + room // 2), self.values.shape[1])


class _Standing(NamedTuple):
    binned: object
    trees: Trees


class Standing(_Standing, Learners):
    """Finished trees as learners on the samples of `binned`."""

    @property
    def n_samples(self):
        return self.binned.n_samples

    def add(self, j, a, v):
        trees = self.trees
        add_tree(
            self.binned.codes,
            trees.feature[j],
            trees.left[j],
            trees.goes_left[j],
            trees.values[j],
            a,
            v,
            0,
            len(v),
        )


def sum_trees(codes, feature, left, goes_left, values, learners, beta, out, start, stop):
    """Add ``sum_j beta_j B_j`` over the trees `learners` to `out`.

    For the samples from start to stop.
    """
    for i in range(len(learners)):
        j = learners[i]
        add_tree(codes, feature[j], left[j], goes_left[j], values[j], beta[i], out, start, stop)


def combined(binned, trees, beta):
    """Return B beta, (n_samples,); blocks of rows run on threads."""
    learners = np.flatnonzero(beta)
    out = np.zeros(binned.n_samples)
    run = compiled(sum_trees)
    beta = np.asarray(beta, dtype=np.float64)[learners]
    all_done(
        lambda rows: run(binned.codes, *trees[:4], learners, beta, out, rows.start, rows.stop),
        slices(len(out), ROWS),
    )
    return out
