"""Columns of a working set on their stored entries, copied together: sums over them, and what they say of a residual.

A column is ``b_j = scale_j x_j - shift_j one``, x_j stored sparsely. The residual is kept as ``resid - off one``, so that the shift of an
implicitly centred column is one subtraction. ``one`` is 1 in every row; where rows are scaled, as for a weighted square, it is their scale.
"""

from typing import NamedTuple

import numpy as np

from coordboost._generic import inlined, kernel, record, reduction
from coordboost._protocol import DICTIONARY
from coordboost.screening.columns import grown

#: Where more than this part of the entries is stored, columns are taken as dense ones: a step in Gram form reads less then.
DENSE = 0.15


class Entries(NamedTuple):
    """Columns one after the other: data, row of the entries, of column j from start[j] to start[j + 1]. The arrays may have room for more.

    scale, shift, total, square, ridge : (m,), the last three <x_j, one>, the squared norm of b_j, the elastic net's part
    one : (n_samples,), see above
    """

    data: np.ndarray
    row: np.ndarray
    start: np.ndarray
    scale: np.ndarray
    shift: np.ndarray
    total: np.ndarray
    square: np.ndarray
    ridge: np.ndarray
    one: np.ndarray


def few_stored(dictionary):
    """Whether a dictionary is stored sparsely, and few of its entries are."""
    size = dictionary.n_samples * dictionary.n_learners
    return DICTIONARY.of(dictionary, "entries") and len(dictionary.data) <= DENSE * size


def drift(resid, one=None):
    """What goes with a residual kept as ``resid - off one``: off, here 0; its product with ``one``; that of ``one`` with itself."""
    total, mass = (resid.sum(), len(resid)) if one is None else (resid @ one, one @ one)
    return record(off=0.0, total=float(total), mass=float(mass))


def short_rows(stored, one=None):
    """The sparse dictionary `stored`, rows times ``one``, with row numbers of 32 bits, where they suffice: half of what a pass reads.

    They have no sign: compiled code need not ask whether one counts from the end.
    """
    stored = stored._replace(row=stored.row.astype(np.uint32)) if stored.n_samples < 2**32 else stored
    return stored if one is None else stored._replace(data=stored.data * one[stored.row])


def empty(stored, one):
    """No column of the sparse dictionary `stored`, whose rows are scaled by ``one``."""
    none = np.empty(0)
    return Entries(none, np.empty(0, stored.row.dtype), np.zeros(1, dtype=np.int64), *[none] * 5, one)


def sums(data, start):
    """The sum of the entries of each column, (m,)."""
    return np.add.reduceat(np.append(data, 0.0), start[:-1]) * (np.diff(start) > 0)


def weighted(stored, means, root):
    """The columns of the sparse dictionary `stored` less `means` (m,), every row times its `root` (n_samples,). *Cost*: the entries."""
    stored, shift = short_rows(stored), stored.shift + means
    by_row, mass = root[stored.row], float(root @ root)
    data = stored.data * by_row
    total = sums(data * by_row, stored.start)
    whole, part = stored.scale**2 * sums(data**2, stored.start), shift**2 * mass
    square = np.maximum(whole - 2 * stored.scale * shift * total + part, np.finfo(float).eps * (whole + part))
    start, by = stored.start.astype(np.int64), (stored.scale, shift, total, square, np.zeros(len(shift)))
    return Entries(data, stored.row, start, *by, root)


def chosen(stored, index):
    """Positions of the entries of the columns `index`, and where each column's begin: (entries,), (len(index) + 1,)."""
    count = stored.start[index + 1] - stored.start[index]
    start = np.concatenate([[0], np.cumsum(count)])
    return np.repeat(stored.start[index] - start[:-1], count) + np.arange(start[-1]), start


def with_more(held, m, stored, index, scale, ridge):
    """The first `m` columns of `held`, and the columns `index` of `stored`, unit columns, each times its `scale`.

    *Cost*: the new entries; where there is no room for them, a copy of all with half as much room again.
    """
    place, start = chosen(stored, index)
    first, data, row = held.start[m], stored.data[place], stored.row[place]
    by = scale * stored.scale[index], scale * stored.shift[index], sums(data * held.one[row], start), scale**2, ridge
    new, begins = (data, row, first + start, *by), (first, first, *[m] * 6)
    return Entries(*map(put, held, begins, new), held.one)


def put(old, first, new):
    """`new` from the position `first` of `old` on; in a longer copy where it does not fit."""
    size = first + len(new)
    out = old if size <= len(old) else grown(old[:first], (size + size // 2,))
    out[first:size] = new
    return out


@inlined
def column_correlation(held, resid, drift, j):
    """<b_j, resid - off one>."""
    total = 0.0
    for p in range(held.start[j], held.start[j + 1]):
        total += held.data[p] * resid[held.row[p]]
    return held.scale[j] * (total - drift.off * held.total[j]) - held.shift[j] * drift.total


@inlined
def subtract(held, resid, drift, j, move):
    """``resid - off one`` less `move` times b_j."""
    by = move * held.scale[j]
    for p in range(held.start[j], held.start[j + 1]):
        resid[held.row[p]] -= by * held.data[p]
    drift.off -= move * held.shift[j]
    drift.total -= by * held.total[j] - drift.mass * move * held.shift[j]


def measure(held, gamma, y, resid, drift):
    """Form the residual of `gamma` anew."""
    drift.off, drift.total = 0.0, 0.0
    for i in range(len(resid)):
        resid[i] = y[i]
    for j in range(len(gamma)):
        if gamma[j] != 0.0:
            subtract(held, resid, drift, j, gamma[j])
    total = 0.0
    for i in range(len(resid)):
        resid[i] -= drift.off * held.one[i]
        total += resid[i] * held.one[i]
    drift.off, drift.total = 0.0, total


@reduction
def residual_sums(y, resid, off, one):
    """<r, r> and <r, y - r> of r = resid - off one."""
    square, along = 0.0, 0.0
    for i in range(len(resid)):
        r = resid[i] - off * one[i]
        square += r * r
        along += r * (y[i] - r)
    return square, along


@kernel
def gap_sums(held, gamma, y, resid, drift):
    """<r, r>, <r, y - r>, the l1 norm, and the largest abs correlation; the ridge is counted as a row more for each column."""
    l1, worst = 0.0, 0.0
    square, along = residual_sums(y, resid, drift.off, held.one)
    for j in range(len(gamma)):
        pull = held.ridge[j] * gamma[j]
        worst = max(worst, abs(column_correlation(held, resid, drift, j) - pull))
        l1 += abs(gamma[j])
        square += pull * gamma[j]
        along -= pull * gamma[j]
    return square, along, l1, worst
