r"""Gram entries of stumps from counts: how much weight lies in a part of one feature and in a part of another.

With the parts S_i, S_j of two learners and N the weight in a set of samples, a Gram entry is

    scale_i scale_j (N(S_i and S_j) - q_j N(S_i) - q_i N(S_j) + q_i q_j N),        q = shift / scale.

*Numerics*: weights are whole numbers, in units of a power of two, so sums of them are exact in any order: an entry has the same bits
however it was come by. A part that has more than half of the weight is replaced by the rest, with the other sign, so nothing large
cancels.

All thresholds of a pair of features come from one table of sums, ``table[a, b]`` = N(bin of g < a, bin of h < b), made in one pass over
the samples. It is made when the features were asked for often; before that each learner has a pass of its own over the smaller part.
"""

import numpy as np

from coordboost._generic import compiled, leaf
from coordboost.dictionaries.stumps.histogram import PLACES, is_inside

#: Weights are rounded to so many binary digits in all; the lightest sample must keep the accuracy of an inner product.
DIGITS, LIGHTEST = 61, 2048
#: Bytes of tables that are kept.
ROOM = 1 << 30


def whole_weights(weight):
    """The weights as int64 in units of a power of two, and that unit; None where the lightest would not be known well enough."""
    positive, total = weight[weight > 0], float(weight.sum())
    if not len(positive) or positive.min() < total / len(weight) / LIGHTEST:
        return None
    unit = 1.0 if (weight == np.floor(weight)).all() and total < 1 << DIGITS else float(2.0 ** (np.frexp(total)[1] - DIGITS))
    return np.rint(weight / unit).astype(np.int64), unit


def sums_of_part(codes, number, g, first, last, extra, flip, few, below):
    """``below[h, b]``: the weight of a part of feature g in the bins before b of feature h, from a pass over its samples.

    flip : whether the samples outside are taken;  few : the features h, an increasing list;  below : (n_features, PLACES + 1)
    """
    row, n, count = codes[g], codes.shape[1], 0
    samples = np.empty(n, np.int32)
    for i in range(n):
        samples[count] = i
        count += is_inside(row[i], first, last, extra) != flip
    sums = np.empty((4, PLACES), np.int64)
    for k in range(0, len(few), 4):
        top = min(4, len(few) - k)
        sums[:top] = 0
        a, b = codes[few[k]], codes[few[min(k + 1, len(few) - 1)]]
        c, d = codes[few[min(k + 2, len(few) - 1)]], codes[few[min(k + 3, len(few) - 1)]]
        w, x, y, z = sums[0], sums[min(1, top - 1)], sums[min(2, top - 1)], sums[min(3, top - 1)]
        if top < 4:
            for q in range(top):
                one, total = codes[few[k + q]], sums[q]
                for p in range(count):
                    total[one[samples[p]]] += number[samples[p]]
        else:
            for p in range(count):
                i = samples[p]
                heavy = number[i]
                w[a[i]] += heavy
                x[b[i]] += heavy
                y[c[i]] += heavy
                z[d[i]] += heavy
        for q in range(top):
            sums_before(sums[q], below[few[k + q]])


@leaf
def sums_before(sums, below):
    """``below[b]``: the sum before b."""
    below[0] = 0
    for b in range(len(sums)):
        below[b + 1] = below[b] + sums[b]


def joint_table(one, other, number, table):
    """``table[a, b]``: the weight of the samples whose bin is before a in one feature and before b in another."""
    table[:] = 0
    for i in range(len(one)):
        table[one[i] + 1, other[i] + 1] += number[i]
    for a in range(1, table.shape[0]):
        before, here, run = table[a - 1], table[a], 0 * table[0, 0]
        for b in range(table.shape[1]):
            run += here[b]
            here[b] = run + before[b]


def sums_from_table(table, turned, first, last, extra, flip, totals, below):
    """As `sums_of_part`, for one other feature with the weights `totals` before its bins, from a table; `turned`: g is its second."""
    for b in range(table.shape[0] if turned else table.shape[1]):
        if turned:
            part = table[b, last + 1] - table[b, first]
            if extra >= 0:
                part += table[b, extra + 1] - table[b, extra]
        else:
            part = table[last + 1, b] - table[first, b]
            if extra >= 0:
                part += table[extra + 1, b] - table[extra, b]
        below[b] = totals[b] - part if flip else part


def entries_of(below, own, mean, inside, learners, feature, first, last, extra, by, means, insides, flips, total, out):
    """Gram entries of one learner, whose sums are `below`, with some learners, into `out` (len(learners),).

    own, mean, inside : the signed scale of the learner, q, and the weight of its (smaller) part;  by, means, insides : of all learners
    """
    for i in range(len(learners)):
        j = learners[i]
        sums = below[feature[j]]
        both = sums[last[j] + 1] - sums[first[j]]
        if extra[j] >= 0:
            both += sums[extra[j] + 1] - sums[extra[j]]
        both = inside - both if flips[j] else both
        shared = both - (means[j] * inside + mean * insides[j]) + mean * means[j] * total  # the same bits for (i, j) and (j, i)
        out[i] = own * by[j] * shared


class JointCounts:
    """The Gram entries of ``splits`` in the metric of some weights, and the tables that were made for them.

    Parameters
    ----------
    splits : ``Splits``
    number, unit : the weights, as `whole_weights` gives them
    """

    def __init__(self, splits, number, unit):
        self.splits, self.number = splits, number
        codes = splits.binned.codes
        bins = [
            np.bincount(row, minlength=PLACES) if unit == 1 and (number == 1).all() else _sums(row, number) for row in codes
        ]
        self.totals = np.zeros((len(codes), PLACES + 1), dtype=np.int64)
        np.cumsum(bins, axis=1, out=self.totals[:, 1:])
        below, g = self.totals, splits.feature
        inside = below[g, splits.last + 1] - below[g, splits.first]
        has = splits.extra >= 0
        inside[has] += (below[g, splits.extra + 1] - below[g, splits.extra])[has]
        total = int(number.sum())
        self.flip = inside > total // 2
        self.inside = np.where(self.flip, total - inside, inside)
        mean = splits.shift / splits.scale
        self.mean = np.where(self.flip, 1 - mean, mean)
        self.by = np.where(self.flip, -splits.scale, splits.scale) * np.sqrt(unit)
        self.total, self.tables, self.asked = total, {}, np.zeros(len(codes), dtype=np.int64)
        self.kind = np.int32 if total < 1 << 31 else np.int64
        self.most = ROOM // (PLACES**2 * np.dtype(self.kind).itemsize)

    def cross(self, a, b):
        """The Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        out = np.empty((len(a), len(b)))
        self.fill(a, b, out)
        return out

    def columns(self, index, out):
        """Fill `out` (len(index), n_learners) with the Gram columns of some learners."""
        self.fill(index, np.arange(self.splits.n_learners), out)

    def fill(self, a, b, out):
        """As `cross`, into `out`."""
        one, b = self.splits, np.asarray(b, dtype=np.int64)
        few = np.unique(one.feature[b])
        below = np.zeros((one.binned.n_features, PLACES + 1), dtype=np.int64)
        made, run = np.asarray(a)[np.argsort(one.feature[a], kind="stable")], compiled(entries_of, ())
        place = np.argsort(one.feature[a], kind="stable")
        np.add.at(self.asked, one.feature[a], 1)
        for i, j in zip(place.tolist(), made.tolist(), strict=True):
            self.sums(j, few, below)
            run(
                below, self.by[j], self.mean[j], self.inside[j], b, one.feature, one.first, one.last, one.extra, self.by, self.mean,
                self.inside, self.flip, float(self.total), out[i],
            )  # fmt: skip

    def sums(self, j, few, below):
        """The weights of the part of learner j before each bin of the features `few`."""
        one, g = self.splits, int(self.splits.feature[j])
        part = int(one.first[j]), int(one.last[j]), int(one.extra[j]), bool(self.flip[j])
        tables = [self.table(g, int(h)) for h in few]
        for h, table in zip(few.tolist(), tables, strict=True):
            if table is not None:
                compiled(sums_from_table, ())(table, h < g, *part, self.totals[h], below[h])
        rest = few[[table is None for table in tables]]
        if len(rest):
            compiled(sums_of_part, (), allocates=True)(one.binned.codes, self.number, g, *part, rest, below)

    def table(self, g, h):
        """The table of two features; None where it has not paid yet to make it."""
        pair = min(g, h), max(g, h)
        if pair not in self.tables:
            n_bins, n = self.splits.binned.n_bins, self.splits.n_samples
            cells = int(n_bins[g]) * int(n_bins[h])
            if self.asked[g] * n < 6 * n + 20 * cells or len(self.tables) >= self.most:
                return None
            codes, table = self.splits.binned.codes, np.empty(n_bins[list(pair)] + 1, dtype=self.kind)
            compiled(joint_table, ())(codes[pair[0]], codes[pair[1]], self.number, table)
            self.tables[pair] = table
        return self.tables[pair]


def _sums(row, number):
    """The whole weight of each bin of a feature, (PLACES,): exact."""
    out = np.zeros(PLACES, dtype=np.int64)
    np.add.at(out, row, number)
    return out
