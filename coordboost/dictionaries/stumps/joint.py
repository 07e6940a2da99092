r"""Gram entries of stumps from counts: how much weight lies in a part of one feature and in a part of another.

With the parts S_i, S_j of two learners and N the weight in a set of samples, a Gram entry is

    scale_i scale_j (N(S_i and S_j) - q_j N(S_i) - q_i N(S_j) + q_i q_j N),        q = shift / scale.

*Numerics*: weights are whole numbers, in units of a power of two, so sums of them are exact in any order: an entry has the same bits
however it was come by. A part that has more than half of the weight is replaced by the rest, with the other sign, so nothing large
cancels.

All sums that a learner needs stand in *profiles*: the weight of a part of feature g before each bin of feature 0, then of feature 1, ...
A *table* of a feature holds the profiles of the parts before each of its bins, those that were asked for. The next one differs from its
nearest neighbour by the samples in between alone, so all profiles of a feature take no more than one pass over the samples in the order
of its bins.
"""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled, leaf
from coordboost._machine import prefetch
from coordboost.dictionaries.stumps.histogram import PLACES, one_sums

#: Weights are rounded to so many binary digits in all; the lightest sample must keep the accuracy of an inner product.
DIGITS, LIGHTEST = 61, 2048
#: Samples are many from this part of them on.
MANY = 16
#: Samples that are asked for ahead, as they lie apart.
AHEAD = 16
#: Bytes of profiles that are kept.
ROOM = 1 << 30


def whole_weights(weight):
    """The weights as int64 in units of a power of two, and that unit; None where the lightest would not be known well enough."""
    positive, total = weight[weight > 0], float(weight.sum())
    if not len(positive) or positive.min() < total / len(weight) / LIGHTEST:
        return None
    unit = 1.0 if (weight == np.floor(weight)).all() and total < 1 << DIGITS else float(2.0 ** (np.frexp(total)[1] - DIGITS))
    return np.rint(weight / unit).astype(np.int64), unit


def sort_samples(row, starts, order):
    """The samples by increasing bin into `order` (n_samples,), and where each bin begins into `starts` (n_bins + 1,)."""
    starts[:] = 0
    for i in range(len(row)):
        starts[row[i] + 1] += 1
    for b in range(1, len(starts)):
        starts[b] += starts[b - 1]
    place = starts.copy()
    for i in range(len(row)):
        order[place[row[i]]] = i
        place[row[i]] += 1


def fill_profile(rows, number, samples, sign, offset, near, sums, profile):
    """``profile = near + sign (the profile of some samples)``; `number` is empty where every weight is 1. `sums` is room, like `profile`.

    rows : (n_samples * n_features,), the codes, sample after sample: few samples then lie on few lines of the cache
    """
    sums[:] = 0
    d, n = len(offset) - 1, len(samples)
    for p in range(n):
        ahead = d * samples[min(p + AHEAD, n - 1)]
        prefetch(rows, ahead)
        prefetch(rows, ahead + d - 1)
        first, heavy = d * samples[p], number[samples[p]] if len(number) else 1
        row = rows[first : first + d]
        for h in range(d):
            sums[offset[h] + row[h]] += heavy
    for h in range(len(offset) - 1):
        total = 0 * sums[0]
        for b in range(offset[h], offset[h + 1]):
            profile[b] = near[b] + sign * total
            total += sums[b]


def fill_profile_by_features(codes, number, samples, sign, offset, near, profile):
    """As `fill_profile`, feature after feature: faster for many samples."""
    sums, top = np.empty((4, PLACES), np.int64), len(codes) - 1
    w, x, y, z = sums[0], sums[1], sums[2], sums[3]
    for k in range(0, len(codes), 4):
        a, b, c, d = codes[k], codes[min(k + 1, top)], codes[min(k + 2, top)], codes[min(k + 3, top)]
        sums[:] = 0
        for p in range(len(samples)):
            i = samples[p]
            heavy = number[i] if len(number) else 1
            w[a[i]] += heavy
            x[b[i]] += heavy
            y[c[i]] += heavy
            z[d[i]] += heavy
        for q in range(min(4, len(codes) - k)):
            total, first = 0, offset[k + q]
            for b in range(offset[k + q + 1] - first):
                profile[first + b] = near[first + b] + sign * total
                total += sums[q, b] if b < PLACES else 0


@leaf
def sums_before(sums, before):
    """``before[b]``: the sum before place b."""
    total = 0
    for b in range(len(before)):
        before[b] = total
        total += sums[b] if b < len(sums) else 0


def fill_from_table(table, totals, learners, place, first, last, extra, own, others, total, out):
    """Gram entries of learners of one feature from its table, into the rows `place` of `out`."""
    profile = np.empty(table.shape[1], np.int64)
    for i in range(len(learners)):
        j = learners[i]
        high, low = table[last[j] + 1], table[first[j]]
        for p in range(len(profile)):
            profile[p] = high[p] - low[p]
        if extra[j] >= 0:
            high, low = table[extra[j] + 1], table[extra[j]]
            for p in range(len(profile)):
                profile[p] += high[p] - low[p]
        if own.flip[j]:
            for p in range(len(profile)):
                profile[p] = totals[p] - profile[p]
        entries_of(profile, own.by[j], own.mean[j], own.inside[j], others, total, out[place[i]])


class Factors(NamedTuple):
    """What Gram entries take from learners beside a profile, (k,) each; of the smaller part where `flip`.

    by : scale, with a sign;  mean : q;  inside : the weight;  flip : whether the part was replaced by the rest
    high, low : the places in a profile of which the sum over the part is the difference;  more, less : the same of the bin `extra`
    """

    by: np.ndarray
    mean: np.ndarray
    inside: np.ndarray
    flip: np.ndarray
    high: np.ndarray
    low: np.ndarray
    more: np.ndarray
    less: np.ndarray

    def of(self, index):
        """Those of the learners `index`."""
        return Factors(*(field[index] for field in self))


@leaf
def entries_of(profile, by, mean, inside, others, total, out):
    """Gram entries of a learner with some others, (k,): the same bits for (i, j) and (j, i)."""
    for i in range(len(out)):
        both = profile[others.high[i]] - profile[others.low[i]] + profile[others.more[i]] - profile[others.less[i]]
        both = inside - both if others.flip[i] else both
        shared = both - (others.mean[i] * inside + mean * others.inside[i]) + mean * others.mean[i] * total
        out[i] = by * others.by[i] * shared


class JointCounts:
    """The Gram entries of ``splits`` in the metric of some weights, and the tables that were made for them.

    Parameters
    ----------
    splits : ``Splits``
    number, unit : the weights, as `whole_weights` gives them
    """

    def __init__(self, splits, number, unit):
        self.splits, self.total = splits, int(number.sum())
        codes, n_bins, g = splits.binned.codes, splits.binned.n_bins, splits.feature
        self.offset = np.concatenate([[0], np.cumsum(n_bins + 1)])
        self.totals = np.empty(self.offset[-1], dtype=np.int64)
        sums = np.empty((4, PLACES), dtype=np.int64)
        for h, row in enumerate(codes):
            compiled(one_sums, ())(row, number, sums)
            compiled(sums_before, ())(sums[0], self.totals[self.offset[h] : self.offset[h + 1]])
        begin, extra = self.offset[g], np.maximum(splits.extra, 0)
        high, low, more = begin + splits.last + 1, begin + splits.first, begin + extra + (splits.extra >= 0)
        inside = self.totals[high] - self.totals[low] + self.totals[more] - self.totals[begin + extra]
        flip, mean = inside > self.total // 2, splits.shift / splits.scale
        self.own = Factors(
            np.where(flip, -splits.scale, splits.scale) * np.sqrt(unit), np.where(flip, 1 - mean, mean),
            np.where(flip, self.total - inside, inside), flip, high, low, more, begin + extra,
        )  # fmt: skip
        self.kind = np.int32 if self.total < 1 << 31 else np.int64
        self.tables, self.number = {}, number[:0] if (number == 1).all() else number
        self.rows, self.room = np.ascontiguousarray(codes.T).ravel(), np.empty(self.offset[-1], dtype=self.kind)

    def cross(self, a, b):
        """The Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        out = np.empty((len(a), len(b)))
        self._fill(np.asarray(a), self.own.of(b), out)
        return out

    def columns(self, index, out):
        """Fill `out` (len(index), n_learners) with the Gram columns of some learners."""
        self._fill(np.asarray(index), self.own, out)

    def _fill(self, a, others, out):
        one, features = self.splits, self.splits.feature[a]
        run = compiled(fill_from_table, (self.own,), allocates=True)
        for g in np.unique(features).tolist():
            place = np.flatnonzero(features == g)
            asked, extra = a[place], one.extra[a[place]]
            parts = np.unique(np.concatenate([one.last[asked] + 1, one.first[asked], extra[extra >= 0], extra[extra >= 0] + 1]))
            table = self._table(g).with_profiles(self, parts)
            run(table, self.totals, asked, place, one.first, one.last, one.extra, self.own, others, float(self.total), out)

    def _table(self, g):
        """The table of a feature; that which was asked for first makes room where memory is short."""
        if g not in self.tables:
            self.tables[g] = Profiles(self, g)
        while len(self.tables) > 1 and sum(table.bytes for table in self.tables.values()) > ROOM:
            self.tables.pop(next(h for h in self.tables if h != g))
        return self.tables[g]


class Profiles:
    """The table of feature g: ``table[a]`` is the profile of its bins before a, where ``known[a]``."""

    def __init__(self, joint, g):
        row = joint.splits.binned.codes[g]
        n_bins = int(joint.splits.binned.n_bins[g])
        self.order, self.starts = np.empty(len(row), dtype=np.int32), np.empty(n_bins + 1, dtype=np.int64)
        compiled(sort_samples, (), allocates=True)(row, self.starts, self.order)
        self.table, self.known = np.empty((n_bins + 1, len(joint.totals)), dtype=joint.kind), np.zeros(n_bins + 1, dtype=bool)
        self.table[0], self.table[n_bins] = 0, joint.totals
        self.known[[0, n_bins]], self.bytes = True, 2 * self.table[0].nbytes

    def with_profiles(self, joint, parts):
        """The table, with the profiles `parts` (increasing)."""
        for a in parts[~self.known[parts]].tolist():
            there = np.flatnonzero(self.known)
            near = int(there[np.argmin(np.abs(self.starts[there] - self.starts[a]))])
            samples = np.sort(self.order[self.starts[min(a, near)] : self.starts[max(a, near)]])
            sign = 1 if near < a else -1
            shared = joint.number, samples, sign, joint.offset, self.table[near]
            if len(samples) * MANY > len(self.order):
                compiled(fill_profile_by_features, (), allocates=True)(joint.splits.binned.codes, *shared, self.table[a])
            else:
                compiled(fill_profile, ())(joint.rows, *shared, joint.room, self.table[a])
            self.known[a] = True
            self.bytes += self.table[a].nbytes
        return self.table
