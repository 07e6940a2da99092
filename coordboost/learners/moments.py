"""Second moments of the columns of a tall table and of a target, in one pass over cached blocks.

And columns with given moments.
"""

import math

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from coordboost._numba import compiled, kernel, reduction
from coordboost._numba.threads import PIECE, slices

#: Columns in a tile of products: 16 sums stay in registers.
TILE = 4
#: Entries after which Python may see Ctrl-C.
LONG = 1 << 24
#: Numbers in a line of the cache: rows of a block begin at one.
LINE = 8


def second_moments(X, target, weight, shift):
    """The weighted sums of z z' over the samples, (n_columns + 2, n_columns + 2).

    z is ``(x - shift[:-1], target - shift[-1], 1)``. *Cost*: one pass; memory for a block.

    *Numerics*: entries are shifted before they are multiplied, so a mean that is near the shift
    does not cancel. Sums of each pair of columns are taken in the same order, so equal columns stay
    equal to the bit.

    Parameters
    ----------
    X : ndarray, (n_samples, n_columns)
    target, weight : ndarray, (n_samples,)
    shift : ndarray, (n_columns + 1,)
    """
    n_samples, n_columns = X.shape
    size = -(-(n_columns + 2) // TILE) * TILE
    width = max(LINE, PIECE // size // LINE * LINE)
    block = _aligned(size, width + LINE)  # as wide as a power of two, rows would share cache sets
    sums = np.zeros((size, size))
    add = compiled(add_products)
    if X.flags.f_contiguous:
        for part in slices(n_samples, max(1, LONG // n_columns // width) * width):
            add(X.T, part.start, target[part], weight[part], shift, width, block, sums)
    else:
        for part in slices(n_samples, width):
            rows = np.ascontiguousarray(X[part].T)
            add(rows, 0, target[part], weight[part], shift, width, block, sums)
    upper = np.triu(sums)[: n_columns + 2, : n_columns + 2]
    return upper + np.triu(upper, 1).T


def _aligned(n_rows, width):
    """Zeros, (n_rows, width), that begin at a line of the cache."""
    room = np.zeros(n_rows * width + LINE)
    offset = -(room.ctypes.data // room.itemsize) % LINE
    return room[offset : offset + n_rows * width].reshape(n_rows, width)


@kernel
def add_products(rows, first, target, weight, shift, width, block, sums):
    """Add the products of the samples of `target`, which are `rows` from sample `first` on.

    block : (size, >= width), zeros in rows beyond those of z
    sums : (size, size), its tiles on and above the diagonal are filled
    """
    n_columns = len(rows)
    for start in range(0, len(target), width):
        stop = min(start + width, len(target))
        root = block[n_columns + 1]
        for i in range(stop - start):
            root[i] = math.sqrt(weight[start + i])
        fill(target[start:stop], shift[n_columns], root, block[n_columns])
        for j in range(n_columns):
            fill(rows[j, first + start : first + stop], shift[j], root, block[j])
        for a in range(0, len(block), TILE):
            for b in range(a, len(block), TILE):
                add_tile(block, stop - start, a, b, sums)


@kernel
def fill(values, shift, root, out):
    """``out = root * (values - shift)``."""
    for i in range(len(values)):
        out[i] = root[i] * (values[i] - shift)


@reduction
def add_tile(block, width, a, b, sums):
    """Add ``block[a : a + 4, :width] @ block[b : b + 4, :width].T`` to ``sums``."""
    a0 = block[a]
    a1 = block[a + 1]
    a2 = block[a + 2]
    a3 = block[a + 3]
    b0 = block[b]
    b1 = block[b + 1]
    b2 = block[b + 2]
    b3 = block[b + 3]
    s00 = s01 = s02 = s03 = 0.0
    s10 = s11 = s12 = s13 = 0.0
    s20 = s21 = s22 = s23 = 0.0
    s30 = s31 = s32 = s33 = 0.0
    for i in range(width):
        s00 += a0[i] * b0[i]
        s01 += a0[i] * b1[i]
        s02 += a0[i] * b2[i]
        s03 += a0[i] * b3[i]
        s10 += a1[i] * b0[i]
        s11 += a1[i] * b1[i]
        s12 += a1[i] * b2[i]
        s13 += a1[i] * b3[i]
        s20 += a2[i] * b0[i]
        s21 += a2[i] * b1[i]
        s22 += a2[i] * b2[i]
        s23 += a2[i] * b3[i]
        s30 += a3[i] * b0[i]
        s31 += a3[i] * b1[i]
        s32 += a3[i] * b2[i]
        s33 += a3[i] * b3[i]
    products = (
        (s00, s01, s02, s03),
        (s10, s11, s12, s13),
        (s20, s21, s22, s23),
        (s30, s31, s32, s33),
    )
    for k in range(TILE):
        for m in range(TILE):
            sums[a + k, b + m] += products[k][m]


def square_root(gram, corr, tolerance):
    """Return rows (n, rank + 1) with ``rows @ rows.T == gram``, their rank, and the vector (rank,)
    whose products with the rows are `corr` (n,).

    The last entries of the rows are 0. Squared distances of columns from the span of those before,
    relative to their squared norms, count as 0 up to `tolerance`.
    """
    n = len(gram)
    norm = np.sqrt(gram.diagonal())
    norm[norm == 0] = 1.0
    upper, pivot, rank, _ = dpstrf(gram / norm / norm[:, None], tol=tolerance)
    order = pivot - 1
    upper = np.triu(upper)[:rank]
    rows = np.zeros((n, rank + 1))
    rows[order, :rank] = upper.T
    first = order[:rank]
    vector = solve_triangular(upper[:, :rank], corr[first] / norm[first], trans=1)
    return norm[:, None] * rows, rank, vector
