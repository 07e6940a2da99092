"""Columns of a Newton path, dense or sparse: what a compiled path asks of them.

Learner j is ``scale_j B_j``. Both kinds answer by four kernels: see `PathColumns`.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from coordboost._numba import reduction
from coordboost.learners.sparse import stored_dot

#: Samples of dense columns whose products are summed at a time.
TILE = 1024


class PathColumns(ABC):
    """The learners as a compiled path sees them.

    index : the learners of the working set, (m,)
    """

    __slots__ = ()

    @property
    @abstractmethod
    def scan_cost(self):
        """Multiplications of a scan."""

    @abstractmethod
    def scan(self, v, out):
        """Fill `out` (n_learners,) with the inner products of all learners with `v`."""

    @abstractmethod
    def correlations(self, v, index, out):
        """Fill `out` (m,) with those of the learners `index`."""

    @abstractmethod
    def combine(self, coef, index, out):
        """Fill `out` (n_samples,) with the sum of the learners `index` times `coef` (m,)."""

    @abstractmethod
    def gram(self, index, first, metric, total, free, means, gram):
        """Fill the rows and columns from `first` on of the Gram matrix.

        metric, total : the weights of the samples, (n_samples,), and their sum
        free : whether columns are centred
        means : (>= m,), the means of the columns in that metric; filled from `first` on
        gram : (>= m, >= m), symmetric
        """


class _DenseColumns(NamedTuple):
    rows: np.ndarray
    scale: np.ndarray


class DenseColumns(_DenseColumns, PathColumns):
    """Stored learners: ``scale[j] * rows[j]``."""

    __slots__ = ()

    @property
    def scan_cost(self):
        return self.rows.size

    def scan(self, v, out):
        np.dot(self.rows, v, out)
        for j in range(len(out)):
            out[j] *= self.scale[j]

    def correlations(self, v, index, out):
        for a in range(len(index)):
            out[a] = self.scale[index[a]] * inner(self.rows[index[a]], v)

    def combine(self, coef, index, out):
        for i in range(len(out)):
            out[i] = 0.0
        for a in range(len(index)):
            factor = coef[a] * self.scale[index[a]]
            if factor != 0.0:
                column = self.rows[index[a]]
                for i in range(len(out)):
                    out[i] += factor * column[i]

    def gram(self, index, first, metric, total, free, means, gram):
        m = len(index)
        n_samples = len(metric)
        width = min(n_samples, TILE)
        part = np.empty((m, width))
        weighted = np.empty((m - first, width))
        product = np.empty((m, m - first))
        for b in range(first, m):
            means[b] = self.scale[index[b]] * inner(self.rows[index[b]], metric) / total
            of_mean = means[b] * total if free else 0.0
            for a in range(b + 1):
                gram[a, b] = -means[a] * of_mean
        for start in range(0, n_samples, width):
            size = min(width, n_samples - start)
            tile = metric[start : start + size]
            for a in range(m):
                scale = self.scale[index[a]]
                column = self.rows[index[a], start : start + size]
                for i in range(size):
                    part[a, i] = scale * column[i]
            for b in range(first, m):
                for i in range(size):
                    weighted[b - first, i] = part[b, i] * tile[i]
                for i in range(size, width):  # what is left of the tile before does not count
                    weighted[b - first, i] = 0.0
            np.dot(part, weighted.T, product)
            for a in range(m):
                for b in range(first if first > a else a, m):
                    gram[a, b] += product[a, b - first]
        for b in range(first, m):
            for a in range(b):
                gram[b, a] = gram[a, b]


@reduction
def inner(v, w):
    """The inner product, summed in any order."""
    total = 0.0
    for i in range(len(v)):
        total += v[i] * w[i]
    return total


class _SparseColumns(NamedTuple):
    entries: np.ndarray
    row: np.ndarray
    start: np.ndarray
    row_entries: np.ndarray
    row_learner: np.ndarray
    row_start: np.ndarray
    scale: np.ndarray
    shift: np.ndarray


class SparseColumns(_SparseColumns, PathColumns):
    """Learners ``scale_j x_j - shift_j``, with the entries of x by columns and again by rows.

    A Gram matrix is summed by rows: each pair of entries of a row once.
    """

    __slots__ = ()

    @property
    def scan_cost(self):
        return len(self.entries) + len(self.row_start) + len(self.scale)

    def scan(self, v, out):
        total = v.sum()
        for j in range(len(out)):
            product = stored_dot(self.entries, self.row, self.start, j, v)
            out[j] = self.scale[j] * product - self.shift[j] * total

    def correlations(self, v, index, out):
        total = v.sum()
        for a in range(len(index)):
            j = index[a]
            product = stored_dot(self.entries, self.row, self.start, j, v)
            out[a] = self.scale[j] * product - self.shift[j] * total

    def combine(self, coef, index, out):
        shift = 0.0
        for a in range(len(index)):
            shift += coef[a] * self.shift[index[a]]
        for i in range(len(out)):
            out[i] = -shift
        for a in range(len(index)):
            j = index[a]
            factor = coef[a] * self.scale[j]
            if factor != 0.0:
                for q in range(self.start[j], self.start[j + 1]):
                    out[self.row[q]] += factor * self.entries[q]

    def gram(self, index, first, metric, total, free, means, gram):
        m = len(index)
        place = np.full(len(self.scale), -1)
        for a in range(m):
            place[index[a]] = a
            for b in range(first, m):
                gram[a, b] = 0.0
        for b in range(first, m):
            j = index[b]
            means[b] = stored_dot(self.entries, self.row, self.start, j, metric) / total
        if first == 0:
            self_products(self, place, metric, m, gram)
        else:
            cross_products(self, place, index, first, metric, gram)
        for b in range(first, m):
            means[b] *= self.scale[index[b]]
            for a in range(b + 1):
                scale = self.scale[index[a]] * self.scale[index[b]]
                mean = means[a] + (self.shift[index[a]] if a < first else 0.0)
                gram[a, b] = scale * gram[a, b] - mean * means[b] * total
        for b in range(first, m):
            means[b] -= self.shift[index[b]]
        for b in range(first, m):
            for a in range(b + 1):
                if not free:
                    gram[a, b] += means[a] * means[b] * total
                gram[b, a] = gram[a, b]


@reduction
def self_products(columns, place, metric, m, gram):
    """Sum ``metric x_a x_b`` over all pairs of the set, into ``gram[a, b]`` for a <= b."""
    inside = np.empty(m, dtype=np.int64)
    value = np.empty(m)
    for i in range(len(metric)):
        n = 0
        for q in range(columns.row_start[i], columns.row_start[i + 1]):
            a = place[columns.row_learner[q]]
            if a >= 0:
                inside[n] = a
                value[n] = columns.row_entries[q]
                weight = metric[i] * value[n]
                n += 1
                products = gram[a]
                for k in range(n):
                    products[inside[k]] += weight * value[k]
    for b in range(m):
        for a in range(b):
            gram[a, b] += gram[b, a]


@reduction
def cross_products(columns, place, index, first, metric, gram):
    """The same for the new columns b, from `first` on, by the rows of their entries."""
    for b in range(first, len(index)):
        j = index[b]
        for q in range(columns.start[j], columns.start[j + 1]):
            i = columns.row[q]
            weight = columns.entries[q] * metric[i]
            for k in range(columns.row_start[i], columns.row_start[i + 1]):
                a = place[columns.row_learner[k]]
                if 0 <= a <= b:
                    gram[a, b] += weight * columns.row_entries[k]


def path_columns(columns):
    """Return the `PathColumns` of ``ScaledColumns``, or None if its dictionary is not stored."""
    dictionary = columns.problem.dictionary
    scale = np.ones(columns.n_learners) if columns.scale is None else columns.scale
    if columns.rows is not None:
        return DenseColumns(columns.rows, scale)
    if not dictionary.entries:
        return None
    by_row = dictionary.csc().tocsr()
    return SparseColumns(
        dictionary.data,
        dictionary.row,
        dictionary.start,
        by_row.data,
        by_row.indices,
        by_row.indptr,
        dictionary.scale * scale,
        dictionary.shift * scale,
    )
