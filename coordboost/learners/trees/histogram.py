"""Histograms: the sums of the entries of a node over the bins of its features.

See whole.py for what an entry is.

Four features share the reading of a row::

    rows  entry     codes[0][row]  codes[1][row]  codes[2][row]  codes[3][row]
     4     17  --->    3              0              255             1
     7    -20  --->    3              1               12             1

    bins[0][3] += 17, bins[1][0] += 17, ...

The root holds all samples in order, so the codes of eight samples are read at once. If an entry is
two numbers, each has its own histograms.
"""

import numpy as np

from coordboost._numba import kernel

#: Length of an array over codes.
CODES = 256


@kernel
def fill_bins(codes, eights, rows, fixed, features, first, bins):
    """Fill ``bins[first : first + 4]`` with a node's histograms of four features.

    They are ``features[first : first + 4]``; the last one again if fewer are left.

    At the root, `fixed` is padded to eights of samples; code k of eight is
    ``(eight >> 8 k) & 255``.
    """
    for q in range(first, first + 4):
        for b in range(bins.shape[1]):
            bins[q, b] = 0
    last = len(features) - 1
    f = features[first]
    g = features[min(first + 1, last)]
    h = features[min(first + 2, last)]
    k = features[min(first + 3, last)]
    in_a = bins[first]
    in_b = bins[first + 1]
    in_c = bins[first + 2]
    in_d = bins[first + 3]
    if len(fixed) == 8 * eights.shape[1]:
        low = np.uint64(255)
        a = eights[f]
        b = eights[g]
        c = eights[h]
        d = eights[k]
        for i in range(len(a)):
            p = a[i]
            q = b[i]
            r = c[i]
            s = d[i]
            for t in range(8):
                shift = np.uint64(8 * t)
                one = fixed[8 * i + t]
                in_a[(p >> shift) & low] += one
                in_b[(q >> shift) & low] += one
                in_c[(r >> shift) & low] += one
                in_d[(s >> shift) & low] += one
    else:
        e = codes[f]
        f = codes[g]
        g = codes[h]
        h = codes[k]
        for i in range(len(rows)):
            row = rows[i]
            one = fixed[i]
            in_a[e[row]] += one
            in_b[f[row]] += one
            in_c[g[row]] += one
            in_d[h[row]] += one
