"""Sums of a vector by bins: what a scan of stumps is made of."""

import numpy as np

from coordboost._numba import compiled, kernel, reduction
from coordboost._numba.sums import residual_at

#: Places for the bins of a feature: a code is a byte.
PLACES = 256
#: Features that are counted together: they share the reads of the vector.
TOGETHER = 4


@kernel
def four_sums(codes, v, first, last, sums):
    """Row q of `sums` (>= 8, PLACES): the sums of v by the bins of feature ``min(first + q, last)``, q < 4.

    Samples go in pairs to two rows of sums: where most of them lie in one bin, additions to it would wait for each other.
    """
    n, sums[:8] = len(v), 0
    w, x, y, z = codes[first], codes[min(first + 1, last)], codes[min(first + 2, last)], codes[min(first + 3, last)]
    a, b, c, d, e, f, g, h = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
    for i in range(0, n - 1, 2):
        one, two = v[i], v[i + 1]
        a[w[i]] += one
        b[x[i]] += one
        c[y[i]] += one
        d[z[i]] += one
        e[w[i + 1]] += two
        f[x[i + 1]] += two
        g[y[i + 1]] += two
        h[z[i + 1]] += two
    if n % 2 == 1:
        a[w[n - 1]] += v[n - 1]
        b[x[n - 1]] += v[n - 1]
        c[y[n - 1]] += v[n - 1]
        d[z[n - 1]] += v[n - 1]
    for k in range(PLACES):
        a[k] += e[k]
        b[k] += f[k]
        c[k] += g[k]
        d[k] += h[k]


@kernel
def one_sums(row, v, sums):
    """``sums[0]``: the sums of v by the bins of one feature with the codes `row`, samples four at a time."""
    n, sums[:4] = len(v), 0
    a, b, c, d = sums[0], sums[1], sums[2], sums[3]
    for i in range(0, n - 3, 4):
        a[row[i]] += v[i]
        b[row[i + 1]] += v[i + 1]
        c[row[i + 2]] += v[i + 2]
        d[row[i + 3]] += v[i + 3]
    for i in range(n - n % 4, n):
        a[row[i]] += v[i]
    for k in range(PLACES):
        a[k] = (a[k] + b[k]) + (c[k] + d[k])


@kernel
def cumulated(sums, n_bins, below):
    """``below[b]``: the sum over the bins before b, for b up to n_bins; returns the sum over all bins."""
    below[0] = 0
    for b in range(n_bins):
        below[b + 1] = below[b] + sums[b]
    return below[n_bins] + sums[n_bins] if n_bins < PLACES else below[n_bins]


@kernel
def part_sum(sums, below, first, last, extra):
    """The sum over the bins first to last, and `extra`; only parts of one bin do not begin with the first."""
    part = below[last + 1] if first == 0 else sums[first]
    return part + sums[extra] if extra >= 0 else part


@kernel
def is_inside(code, first, last, extra):
    """Whether a bin belongs to a part: bins first to last, and `extra`."""
    return (first <= code and code <= last) or code == extra


@reduction
def inside_sum(row, v, first, last, extra):
    """The sum of v over the samples whose bin belongs to a part."""
    total = 0 * v[0]
    for i in range(len(v)):
        total += v[i] if is_inside(row[i], first, last, extra) else 0 * v[0]
    return total


@kernel
def add_values(row, first, last, extra, inside, outside, v):
    """v += `inside` where the bin belongs to a part, `outside` elsewhere."""
    for i in range(len(v)):
        v[i] += inside if is_inside(row[i], first, last, extra) else outside


@kernel
def add_values_and_refresh(row, first, last, extra, inside, outside, loss, y, weight, base, pred, resid, even):
    """As `add_values` to `pred`, and the residual there; `even` where every weight is 1, which then need not be read."""
    for i in range(len(row)):
        pred[i] += inside if is_inside(row[i], first, last, extra) else outside
        resid[i] = residual_at(i, loss, y, weight, base, pred, even)


def values_on_bins(splits, beta, values, used):
    """``values[g]``: the model of feature g as a function of its bin, (PLACES,); ``used[g]``: whether it has a coefficient."""
    for j in range(len(beta)):
        if beta[j] != 0:
            g = splits.feature[j]
            used[g], row, rest = True, values[g], beta[j] * splits.shift[j]
            for b in range(PLACES):
                row[b] -= rest
            for b in range(splits.first[j], splits.last[j] + 1):
                row[b] += beta[j] * splits.scale[j]
            if splits.extra[j] >= 0:
                row[splits.extra[j]] += beta[j] * splits.scale[j]


def add_steps(codes, values, used, v):
    """``v += values[g, codes[g]]`` for all features g of the list `used`, four at a time."""
    for k in range(0, len(used) - len(used) % 4, 4):
        a, b, c, d = values[used[k]], values[used[k + 1]], values[used[k + 2]], values[used[k + 3]]
        w, x, y, z = codes[used[k]], codes[used[k + 1]], codes[used[k + 2]], codes[used[k + 3]]
        for i in range(len(v)):
            v[i] += (a[w[i]] + b[x[i]]) + (c[y[i]] + d[z[i]])
    for k in range(len(used) - len(used) % 4, len(used)):
        row, own = codes[used[k]], values[used[k]]
        for i in range(len(v)):
            v[i] += own[row[i]]


def add_by_bins(codes, weight, sums):
    """Add the weight of each sample to that of its bin, in every row of `sums` (n_features, PLACES)."""
    for g in range(len(codes)):
        row, own = codes[g], sums[g]
        for i in range(len(row)):
            own[row[i]] += weight[i]


def weight_of_bins(codes, weight):
    """The weight in each bin of each feature, (n_features, PLACES)."""
    sums = np.zeros((len(codes), PLACES))
    compiled(add_by_bins)(codes, np.asarray(weight, dtype=np.float64), sums)
    return sums
