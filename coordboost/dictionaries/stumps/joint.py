r"""Gram entries of stumps from counts: how much weight lies in a part of one feature and in a part of another.

With the parts S_i, S_j of two learners and N the weight in a set of samples, a Gram entry is

    scale_i scale_j (N(S_i and S_j) - q_j N(S_i) - q_i N(S_j) + q_i q_j N),        q = shift / scale.

*Numerics*: weights are whole numbers, in units of a power of two, so sums of them are exact in any order: an entry has the same bits
however it was come by. A part that has more than half of the weight is replaced by the rest, with the other sign, so nothing large
cancels.

All sums that a learner needs stand in the profiles of the places where its part begins and ends (``profiles.py``).
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel
from coordboost.dictionaries.stumps.histogram import PLACES, one_sums
from coordboost.dictionaries.stumps.profiles import Profiles

#: Weights are rounded to so many binary digits in all; the lightest sample must keep the accuracy of an inner product.
DIGITS, LIGHTEST = 61, 2048
#: Learners whose profiles are held at once.
TOGETHER = 64


def whole_weights(weight):
    """The weights as int64 in units of a power of two, and that unit; None where the lightest would not be known well enough."""
    positive, total = weight[weight > 0], float(weight.sum())
    if not len(positive) or positive.min() < total / len(weight) / LIGHTEST:
        return None
    unit = 1.0 if (weight == np.floor(weight)).all() and total < 1 << DIGITS else float(2.0 ** (np.frexp(total)[1] - DIGITS))
    return np.rint(weight / unit).astype(np.int64), unit


@kernel
def sums_before(sums, before):
    """``before[b]``: the sum before place b."""
    total = 0
    for b in range(len(before)):
        before[b] = total
        total += sums[b] if b < len(sums) else 0


def fill_entries(rows, at, totals, learners, own, others, total, out):
    """Gram entries of learners with some others into ``out``, one learner a row, from the profiles ``rows[at[place]]``."""
    profile = np.empty(rows.shape[1], np.int64)
    for i in range(len(learners)):
        j = learners[i]
        high = rows[at[own.high[j]]]
        for p in range(len(profile)):
            profile[p] = high[p]
        if len(own.low):
            low, more, less = rows[at[own.low[j]]], rows[at[own.more[j]]], rows[at[own.less[j]]]
            for p in range(len(profile)):
                profile[p] += more[p] - less[p] - low[p]
        if own.flip[j]:
            for p in range(len(profile)):
                profile[p] = totals[p] - profile[p]
        entries_of(profile, own.by[j], own.mean[j], own.inside[j], others, total, out[i])


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


@kernel
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
    """The Gram entries of ``splits`` in the metric of some weights, and the profiles that were made for them.

    Parameters
    ----------
    splits : ``Splits``
    number, unit : the weights, as `whole_weights` gives them
    """

    def __init__(self, splits, number, unit):
        self.total = int(number.sum())
        codes, n_bins, g = splits.binned.codes, splits.binned.n_bins, splits.feature
        self.offset = np.concatenate([[0], np.cumsum(n_bins + 1)])
        self.totals = np.empty(self.offset[-1], dtype=np.int64)
        sums = np.empty((4, PLACES), dtype=np.int64)
        for h, row in enumerate(codes):
            compiled(one_sums)(row, number, sums)
            compiled(sums_before)(sums[0], self.totals[self.offset[h] : self.offset[h + 1]])
        begin, extra = self.offset[g], np.maximum(splits.extra, 0)
        high, low, more = begin + splits.last + 1, begin + splits.first, begin + extra + (splits.extra >= 0)
        inside = self.totals[high] - self.totals[low] + self.totals[more] - self.totals[begin + extra]
        flip, mean = inside > self.total // 2, splits.shift / splits.scale
        rest = (low, more, begin + extra) if splits.first.any() or (splits.extra >= 0).any() else 3 * (low[:0],)
        self.own = Factors(
            np.where(flip, -splits.scale, splits.scale) * np.sqrt(unit), np.where(flip, 1 - mean, mean),
            np.where(flip, self.total - inside, inside), flip, high, *rest,
        )  # fmt: skip
        self.run = compiled(fill_entries, (self.own,))
        kind = np.int32 if self.total < 1 << 31 else np.int64
        self.profiles = Profiles(codes, self.offset, number[:0] if (number == 1).all() else number, self.totals, kind)

    def cross(self, a, b):
        """The Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        out = np.empty((len(a), len(b)))
        self._fill(np.asarray(a), self.own.of(b), out)
        return out

    def columns(self, index, out):
        """Fill `out` (len(index), n_learners) with the Gram columns of some learners."""
        self._fill(np.asarray(index), self.own, out)

    def _fill(self, a, others, out):
        own, profiles, total = self.own, self.profiles, float(self.total)
        for first in range(0, len(a), TOGETHER):
            some = a[first : first + TOGETHER]
            profiles.hold(np.concatenate([place[some] for place in (own.high, own.low, own.more, own.less) if len(place)]))
            self.run(profiles.rows, profiles.at, self.totals, some, own, others, total, out[first : first + TOGETHER])
