"""Histograms: the sums of the entries of a node over the bins of its features (see whole.py for what an entry is).

Four features share the reading of a row::

    rows  entry     codes[0][row]  codes[1][row]  codes[2][row]  codes[3][row]
     4     17  --->    3              0              255             1             bins[0][3] += 17, bins[1][0] += 17, ...
     7    -20  --->    3              1               12             1

At the root all samples are meant, in their order, and the codes of eight samples are read at once. Where there are two numbers for a
sample, a histogram has two for each bin.
"""

import numpy as np

from coordboost._numba import kernel

#: Entries of a table by code.
CODES = 256


@kernel
def add_four(fixed, rows, a, b, c, d, in_a, in_b, in_c, in_d):
    """Add `fixed` into the bins of the four features with codes a, b, c, d."""
    if fixed.ndim == 1:
        for i in range(len(rows)):
            row, one = rows[i], fixed[i]
            p, q, r, s = a[row], b[row], c[row], d[row]
            in_a[p] += one
            in_b[q] += one
            in_c[r] += one
            in_d[s] += one
    else:
        for i in range(len(rows)):
            row, one, two = rows[i], fixed[i, 0], fixed[i, 1]
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
    """As `add_four` of all samples, with codes in eights: code k is ``(eight >> 8 k) & 255``."""
    low = np.uint64(255)
    for i in range(len(a)):
        e, f, g, h = a[i], b[i], c[i], d[i]
        for k in range(8):
            shift = np.uint64(8 * k)
            p, q, r, s = (e >> shift) & low, (f >> shift) & low, (g >> shift) & low, (h >> shift) & low
            if fixed.ndim == 1:
                one = fixed[8 * i + k]
                in_a[p] += one
                in_b[q] += one
                in_c[r] += one
                in_d[s] += one
            else:
                one, two = fixed[8 * i + k, 0], fixed[8 * i + k, 1]
                in_a[p, 0] += one
                in_a[p, 1] += two
                in_b[q, 0] += one
                in_b[q, 1] += two
                in_c[r, 0] += one
                in_c[r, 1] += two
                in_d[s, 0] += one
                in_d[s, 1] += two


@kernel
def add_one_at_root(fixed, eights, bins):
    """The same of one feature."""
    for i in range(len(eights)):
        for k in range(8):
            code = (eights[i] >> np.uint64(8 * k)) & np.uint64(255)
            if fixed.ndim == 1:
                bins[code] += fixed[8 * i + k]
            else:
                bins[code, 0] += fixed[8 * i + k, 0]
                bins[code, 1] += fixed[8 * i + k, 1]


@kernel
def fill_bins(codes, eights, rows, fixed, features, first, last, bins):
    """The histograms of a node for ``features[first:last]`` into ``bins[first:last]``; `rows` is empty at the root."""
    for q in range(first, last):
        own = bins[q]
        for b in range(len(own)):
            own[b] = 0
    p = first
    while p < last:
        f = features[p]
        if p + 4 <= last:
            g, h, k = features[p + 1], features[p + 2], features[p + 3]
            if len(rows) == 0:
                add_four_at_root(fixed, eights[f], eights[g], eights[h], eights[k], bins[p], bins[p + 1], bins[p + 2], bins[p + 3])
            else:
                add_four(fixed, rows, codes[f], codes[g], codes[h], codes[k], bins[p], bins[p + 1], bins[p + 2], bins[p + 3])
            p += 4
        else:
            if len(rows) == 0:
                add_one_at_root(fixed, eights[f], bins[p])
            else:
                add_one(fixed, rows, codes[f], bins[p])
            p += 1


@kernel
def subtract_bins(bins, smaller, n):
    """``bins -= smaller``, which makes the histogram of a node that of its larger child."""
    for b in range(n):
        if bins.ndim == 1:
            bins[b] -= smaller[b]
        else:
            bins[b, 0] -= smaller[b, 0]
            bins[b, 1] -= smaller[b, 1]
