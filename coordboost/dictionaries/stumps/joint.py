r"""Gram entries of stumps from counts: how much weight lies in a part of one feature and in a part of another.

With the parts S_i, S_j of two learners and N the weight in a set of samples, a Gram entry is

    scale_i scale_j (N(S_i and S_j) - q_j N(S_i) - q_i N(S_j) + q_i q_j N),        q = shift / scale.

*Numerics*: weights are whole numbers, in units of a power of two, so sums of them are exact in any order: an entry has the same bits
however it was come by. A part that has more than half of the weight is replaced by the rest, with the other sign, so nothing large
cancels.

All sums that a learner needs stand in the profiles of its feature (``profiles.py``).
"""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled, leaf
from coordboost.dictionaries.stumps.histogram import PLACES, one_sums
from coordboost.dictionaries.stumps.profiles import Profiles

#: Weights are rounded to so many binary digits in all; the lightest sample must keep the accuracy of an inner product.
DIGITS, LIGHTEST = 61, 2048
#: Bytes of profiles that are kept.
ROOM = 1 << 30


def whole_weights(weight):
    """The weights as int64 in units of a power of two, and that unit; None where the lightest would not be known well enough."""
    positive, total = weight[weight > 0], float(weight.sum())
    if not len(positive) or positive.min() < total / len(weight) / LIGHTEST:
        return None
    unit = 1.0 if (weight == np.floor(weight)).all() and total < 1 << DIGITS else float(2.0 ** (np.frexp(total)[1] - DIGITS))
    return np.rint(weight / unit).astype(np.int64), unit


@leaf
def sums_before(sums, before):
    """``before[b]``: the sum before place b."""
    total = 0
    for b in range(len(before)):
        before[b] = total
        total += sums[b] if b < len(sums) else 0


def fill_from_table(rows, at, totals, learners, place, first, last, extra, own, others, total, out):
    """Gram entries of learners of one feature from its table, with the profiles ``rows[at]``, into the rows `place` of `out`."""
    profile = np.empty(rows.shape[1], np.int64)
    for i in range(len(learners)):
        j = learners[i]
        high, low = rows[at[last[j] + 1]], rows[at[first[j]]]
        for p in range(len(profile)):
            profile[p] = high[p] - low[p]
        if extra[j] >= 0:
            high, low = rows[at[extra[j] + 1]], rows[at[extra[j]]]
            for p in range(len(profile)):
                profile[p] += high[p] - low[p]
        if own.flip[j]:
            for p in range(len(profile)):
                profile[p] = totals[p] - profile[p]
        entries_of(profile, own.by[j], own.mean[j], own.inside[j], others, total, out[place[i]])


class Factors(NamedTuple):
    """What Gram entries take from learners beside a profile, (k,) each; of the smaller part where `flip`.

    by : scale, with a sign;  mean : q;  inside : the weight;  flip : whether the part was replaced by the rest
    high, low : the places in a profile of which the sum over the part is the difference;  more, less : the same of the bin `extra`;
    without any but `high` where all parts begin with the first bin and have no `extra`: a profile begins with 0
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
        return Factors(*(field[index] if len(field) else field for field in self))


@leaf
def entries_of(profile, by, mean, inside, others, total, out):
    """Gram entries of a learner with some others, (k,): the same bits for (i, j) and (j, i)."""
    for i in range(len(out)):
        both = profile[others.high[i]]
        if len(others.low):
            both += profile[others.more[i]] - profile[others.less[i]] - profile[others.low[i]]
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
        rest = (low, more, begin + extra) if splits.first.any() or (splits.extra >= 0).any() else 3 * (low[:0],)
        self.own = Factors(
            np.where(flip, -splits.scale, splits.scale) * np.sqrt(unit), np.where(flip, 1 - mean, mean),
            np.where(flip, self.total - inside, inside), flip, high, *rest,
        )  # fmt: skip
        self.kind = np.int32 if self.total < 1 << 31 else np.int64
        self.run = compiled(fill_from_table, (self.own,), allocates=True)
        self.tables, self.number = {}, number[:0] if (number == 1).all() else number
        by_sample = codes.T if codes.size <= ROOM else codes[:0]  # a copy, where there is memory for it
        self.rows, self.room = np.ascontiguousarray(by_sample).ravel(), np.empty(self.offset[-1], dtype=self.kind)

    def cross(self, a, b):
        """The Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        out = np.empty((len(a), len(b)))
        self._fill(np.asarray(a), self.own.of(b), out)
        return out

    def columns(self, index, out):
        """Fill `out` (len(index), n_learners) with the Gram columns of some learners."""
        self._fill(np.asarray(index), self.own, out)

    def _fill(self, a, others, out):
        one, features, total = self.splits, self.splits.feature[a], float(self.total)
        for g in np.unique(features).tolist():
            place = np.flatnonzero(features == g)
            asked, extra = a[place], one.extra[a[place]]
            parts = np.unique(np.concatenate([one.last[asked] + 1, one.first[asked], extra[extra >= 0], extra[extra >= 0] + 1]))
            if g not in self.tables:
                self.tables[g] = Profiles(self, g)
            table = self.tables[g]
            if table.grow(self, parts):
                self._make_room(g)
            self.run(
                table.rows, table.place, self.totals, asked, place, one.first, one.last, one.extra, self.own, others, total, out
            )

    def _make_room(self, g):
        """Where memory is short, let the tables go that were asked for first, but for that of feature g."""
        while len(self.tables) > 1 and sum(table.rows.nbytes for table in self.tables.values()) > ROOM:
            self.tables.pop(next(h for h in self.tables if h != g))
