"""Histograms: the sums of the entries of a node over the bins of its features (see whole.py for what an entry is).

Four features share the reading of a row::

    rows  entry     codes[0][row]  codes[1][row]  codes[2][row]  codes[3][row]
     4     17  --->    3              0              255             1             bins[0][3] += 17, bins[1][0] += 17, ...
     7    -20  --->    3              1               12             1

At the root all samples are meant, in their order, and the codes of eight samples are read at once. Where there are two numbers for a
sample, a histogram has two for each bin (and eight codes at once are no faster).
"""

import numpy as np

from coordboost._numba import kernel

#: Entries of a table by code.
CODES = 256


@kernel
def add_four(fixed, rows, a, b, c, d, in_a, in_b, in_c, in_d):
    """Add `fixed` into the bins of the four features with codes a, b, c, d; `rows` None means all samples."""
    if fixed.ndim == 1:
        for i in range(len(fixed)):
            row, one = i if rows is None else rows[i], fixed[i]
            p, q, r, s = a[row], b[row], c[row], d[row]
            in_a[p] += one
            in_b[q] += one
            in_c[r] += one
            in_d[s] += one
    else:
        for i in range(len(fixed)):
            row, one, two = i if rows is None else rows[i], fixed[i, 0], fixed[i, 1]
            p, q, r, s = a[row], b[row], c[row], d[row]
            in_a[p, 0] += one
            in_a[p, 1] += two
            in_b[q, 0] += one
            in_b[q, 1] += two
            in_c[r, 0] += one
            in_c[r, 1] += two
            in_d[s, 0] += one
            in_d[s, 1] += two


@kernel
def add_one(fixed, rows, codes, bins):
    """The same of one feature."""
    for i in range(len(rows)):
        if fixed.ndim == 1:
            bins[codes[rows[i]]] += fixed[i]
        else:
            bins[codes[rows[i]], 0] += fixed[i, 0]
            bins[codes[rows[i]], 1] += fixed[i, 1]


@kernel
def add_four_at_root(fixed, a, b, c, d, in_a, in_b, in_c, in_d):
    """As `add_four` of all samples and one number for each, with codes in eights: code k is ``(eight >> 8 k) & 255``."""
    low = np.uint64(255)
    for i in range(len(a)):
        e, f, g, h = a[i], b[i], c[i], d[i]
        for k in range(8):
            shift, one = np.uint64(8 * k), fixed[8 * i + k]
            in_a[(e >> shift) & low] += one
            in_b[(f >> shift) & low] += one
            in_c[(g >> shift) & low] += one
            in_d[(h >> shift) & low] += one


@kernel
def fill_bins(codes, eights, rows, fixed, features, first, last, bins):
    """The histograms of a node for ``features[first:last]`` into ``bins[first:last]``; at the root `fixed` is padded, longer than rows."""
    for q in range(first, last):
        own = bins[q]
        for b in range(len(own)):
            own[b] = 0
    if last - first == 4:
        f, g, h, k = features[first], features[first + 1], features[first + 2], features[first + 3]
        a, b, c, d = bins[first], bins[first + 1], bins[first + 2], bins[first + 3]
        if len(fixed) == 8 * eights.shape[1]:
            if fixed.ndim == 1:
                add_four_at_root(fixed, eights[f], eights[g], eights[h], eights[k], a, b, c, d)
            else:
                add_four(fixed, None, codes[f], codes[g], codes[h], codes[k], a, b, c, d)
        else:
            add_four(fixed, rows, codes[f], codes[g], codes[h], codes[k], a, b, c, d)
    else:
        for q in range(first, last):
            add_one(fixed, rows, codes[features[q]], bins[q])


@kernel
def subtract_bins(bins, smaller, n):
    """``bins -= smaller``, which makes the histogram of a node that of its larger child."""
    for b in range(n):
        if bins.ndim == 1:
            bins[b] -= smaller[b]
        else:
            bins[b, 0] -= smaller[b, 0]
            bins[b, 1] -= smaller[b, 1]
