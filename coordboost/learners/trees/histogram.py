"""Histograms: the sums of the entries of a node over the bins of its features (see whole.py for what an entry is).

Four features share the reading of a row::

    rows  entry     codes[0][row]  codes[1][row]  codes[2][row]  codes[3][row]
     4     17  --->    3              0              255             1             bins[0][3] += 17, bins[1][0] += 17, ...
     7    -20  --->    3              1               12             1

The root holds all samples in order, so the codes of eight samples are read at once. If an entry is two numbers, each has its own
histograms.
"""

import numpy as np

from coordboost._numba import kernel

#: Length of an array over codes.
CODES = 256


@kernel
def fill_bins(codes, eights, rows, fixed, features, first, bins):
    """Fill ``bins[first : first + 4]`` with a node's histograms for ``features[first : first + 4]``; the last one again if fewer are left.

    At the root, `fixed` is padded to eights of samples; code k of eight is ``(eight >> 8 k) & 255``.
    """
    for q in range(first, first + 4):
        for b in range(bins.shape[1]):
            bins[q, b] = 0
    last = len(features) - 1
    f, g, h, k = features[first], features[min(first + 1, last)], features[min(first + 2, last)], features[min(first + 3, last)]
    in_a, in_b, in_c, in_d = bins[first], bins[first + 1], bins[first + 2], bins[first + 3]
    if len(fixed) == 8 * eights.shape[1]:
        low, a, b, c, d = np.uint64(255), eights[f], eights[g], eights[h], eights[k]
        for i in range(len(a)):
            p, q, r, s = a[i], b[i], c[i], d[i]
            for t in range(8):
                shift, one = np.uint64(8 * t), fixed[8 * i + t]
                in_a[(p >> shift) & low] += one
                in_b[(q >> shift) & low] += one
                in_c[(r >> shift) & low] += one
                in_d[(s >> shift) & low] += one
    else:
        e, f, g, h = codes[f], codes[g], codes[h], codes[k]
        for i in range(len(rows)):
            row, one = rows[i], fixed[i]
            in_a[e[row]] += one
            in_b[f[row]] += one
            in_c[g[row]] += one
            in_d[h[row]] += one
