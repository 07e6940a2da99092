"""Learners that are least-squares fits of blocks of columns: found by fitting, kept as coefficients of the columns.

The learner that a block S makes of v is the unit vector along the fit :math:`B_S (G_S + l_2)^+ B_S^T v`, with G the Gram matrix in the
metric of the weights and :math:`l_2` a ridge penalty. Without it the fit is the projection of v, its coefficients are those of least norm,
and its length is the correlation of the learner with v. Noise enters by the symmetric root of :math:`(G_S + l_2)^+`: without a penalty it
is white on the samples, and with one the limit is a Gibbs law all the same.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._generic import kernel, record
from coordboost._noise import normal

#: Directions of a block whose eigenvalue in the Gram matrix is not above this part of the largest are none.
SMALL = 1e-10


@kernel
def fill_root(gram, l2, index, count, out):
    """The symmetric root of the pseudo-inverse of G + l2, G the Gram matrix of ``index[:count]``, into ``out[:count, :count]``."""
    if count == 0:
        return
    part = np.empty((count, count))
    for a in range(count):
        for b in range(count):
            part[a, b] = gram[index[a], index[b]]
        part[a, a] += l2
    size, axes = np.linalg.eigh(part)
    out[:count, :count] = 0.0
    for k in range(count):
        if size[k] > SMALL * size[count - 1]:
            for a in range(count):
                out[a, :count] += axes[a, k] * axes[:, k] / math.sqrt(size[k])


@kernel
def length_in(root, count, index, corr):
    """The root of what the fit of a block gains, from the correlations of all columns: without a penalty the length of the projection."""
    square = 0.0
    for a in range(count):
        one = 0.0
        for b in range(count):
            one += root[a, b] * corr[index[b]]
        square += one * one
    return math.sqrt(square)


@kernel
def fit(blocks, j, corr, scale, key):
    """Make learner j the fit of the columns at hand, with noise of standard deviation `scale` where that is not 0; its length."""
    index, root, count, values = blocks.now, blocks.root, blocks.state.count, blocks.values[j]
    half = np.zeros(count)
    for a in range(count):
        half[a] = scale * normal(key, a) if scale > 0 else 0.0
        for b in range(count):
            half[a] += root[a, b] * corr[index[b]]
    values[:] = 0.0
    for a in range(count):
        for b in range(count):
            values[index[a]] += root[a, b] * half[b]
    square = 0.0
    for a in range(count):
        for b in range(count):
            square += values[index[a]] * blocks.gram[index[a], index[b]] * values[index[b]]
    size = math.sqrt(max(square, 0.0))
    if size > 0:
        for a in range(count):
            values[index[a]] /= size
    return size


@kernel
def kept_fit(blocks, corr):
    """Number the fit of the columns at hand: (number, correlation); (-1, 0) where there is no room."""
    j = blocks.state.n
    if j >= len(blocks.values):
        return -1, 0.0
    blocks.state.n += 1
    blocks.state.length = fit(blocks, j, corr, 0.0, np.uint64(0))
    return j, np.dot(blocks.values[j], corr)


@kernel
def fit_longest(blocks, v, groups):
    """Fit the one of the blocks `groups` that gains most, the longest projection of v; of those that tie the lowest number wins."""
    corr, best, longest = np.dot(blocks.rows, v), -1, -1.0
    slack = 1.0 + len(v) * 2.0**-50  # rounding of a length
    for s in groups:
        a, b = blocks.start[s], blocks.start[s + 1]
        length = length_in(blocks.roots[s], b - a, blocks.member[a:b], corr)
        if best < 0 or length > longest * slack or (s < best and length * slack >= longest):
            best, longest = s, length
    a, b = blocks.start[best], blocks.start[best + 1]
    blocks.state.count = b - a
    for i in range(b - a):
        blocks.now[i] = blocks.member[a + i]
        for k in range(b - a):
            blocks.root[i, k] = blocks.roots[best, i, k]
    return kept_fit(blocks, corr)


@kernel
def add_fit(rows, values, a, v):
    """``v += a * values @ rows``."""
    for c in range(len(values)):
        if values[c] != 0:
            by, row = a * values[c], rows[c]
            for i in range(len(v)):
                v[i] += by * row[i]


@kernel
def combined_fits(rows, values, beta):
    """B beta, (n_samples,), of fits with room for more."""
    return (beta @ values[: len(beta)]) @ rows


def of_one_run(values):
    """What belongs to one run: the fits `values` that it begins with, and room for the columns of the last one."""
    n, state = values.shape[1], record(n=len(values), count=0, length=0.0)
    return {"values": values, "now": np.zeros(n, dtype=np.int64), "root": np.zeros((n, n)), "state": state}


class Blocks(NamedTuple):
    """The fits of a run, and room for more: the kernels behind a ``BlockBank``.

    rows : (n_columns, n_samples), the columns;  gram : (n_columns, n_columns), their inner products in the metric of the weights
    l2 : ridge penalty
    member, start : block s is the columns ``member[start[s]:start[s + 1]]``, in increasing order
    roots : (n_blocks, widest, widest), of each block the symmetric root of the pseudo-inverse of G + l2
    values : (room, n_columns), coefficients of the columns that make unit vectors
    now, root : the columns of the last fit, and their root;  state : n, the fits so far; count and length, the columns and
        the length of the last one
    """

    rows: np.ndarray
    gram: np.ndarray
    l2: float
    member: np.ndarray
    start: np.ndarray
    roots: np.ndarray
    values: np.ndarray
    now: np.ndarray
    root: np.ndarray
    state: np.record

    @classmethod
    def of(cls, rows, weight, l2, member, start, values):
        """Blocks of the columns `rows`, and the fits `values`. *Cost*: the Gram matrix, and the cubes of the sizes of the blocks."""
        widest = int(np.diff(start).max())
        gram, roots = (rows * weight) @ rows.T, np.zeros((len(start) - 1, widest, widest))
        for s, root in enumerate(roots):
            index = member[start[s] : start[s + 1]]
            fill_root(gram, l2, index, len(index), root)
        return cls(rows, gram, l2, member, start, roots, **of_one_run(values))

    @property
    def n_samples(self):
        return self.rows.shape[1]

    def with_room(self, n):
        """The same with room for `n` fits in all."""
        more = np.zeros((max(0, n - len(self.values)), len(self.rows)))
        return self._replace(values=np.concatenate([self.values, more])) if len(more) else self

    def scan(self, v):
        """The roots of what the fits of all blocks gain, without a penalty the lengths of the projections of v: (n_blocks,)."""
        corr, out = np.dot(self.rows, v), np.empty(len(self.roots))
        for s in range(len(out)):
            a, b = self.start[s], self.start[s + 1]
            out[s] = length_in(self.roots[s], b - a, self.member[a:b], corr)
        return out

    def find(self, v):
        """Fit the block that gains most: (number, correlation)."""
        return fit_longest(self, v, np.arange(len(self.roots)))

    def find_in(self, v, groups):
        """The same among the blocks `groups`."""
        return fit_longest(self, v, groups)

    def fit_together(self, v, groups):
        """Fit the columns of all blocks `groups` together: (number, correlation)."""
        taken = np.zeros(len(self.rows), dtype=np.int64)
        for s in groups:
            for p in range(self.start[s], self.start[s + 1]):
                taken[self.member[p]] = 1
        count = 0
        for j in range(len(taken)):
            if taken[j] == 1:
                self.now[count] = j
                count += 1
        self.state.count = count
        fill_root(self.gram, self.l2, self.now, count, self.root)
        return kept_fit(self, np.dot(self.rows, v))

    def refit(self, j, v, scale, key):
        """The columns of the fit just made, fitted to `v` and white noise; their length."""
        self.state.length = fit(self, j, np.dot(self.rows, v), scale, key)
        return self.state.length

    def fitted(self, corr):
        """How long the last fit was before it became a unit vector."""
        return self.state.length

    def add(self, j, a, v):
        add_fit(self.rows, self.values[j], a, v)

    def dot(self, j, v):
        return np.dot(self.values[j], np.dot(self.rows, v))

    def column(self, j):
        out = np.zeros(self.rows.shape[1])
        add_fit(self.rows, self.values[j], 1.0, out)
        return out

    def combine(self, beta):
        """B beta, (n_samples,)."""
        return combined_fits(self.rows, self.values, beta)


class StandingFits(NamedTuple):
    """Fits that were made, on other rows: no more are made there, so that they can be counted."""

    rows: np.ndarray
    values: np.ndarray

    @property
    def n_samples(self):
        return self.rows.shape[1]

    @property
    def n_learners(self):
        return len(self.values)

    def scan(self, v):
        return np.dot(self.values, np.dot(self.rows, v))

    def column(self, j):
        return np.dot(self.values[j], self.rows)

    def add(self, j, a, v):
        add_fit(self.rows, self.values[j], a, v)

    def combine(self, beta):
        return combined_fits(self.rows, self.values, beta)
