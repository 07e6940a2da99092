r"""Gram entries of stumps from counts.

A count is the weight of the samples that lie in a part of one feature and in a part of another.

With the parts S_i, S_j of two learners and N(S) the weight of a set S of samples, a Gram entry is

    scale_i scale_j (N(S_i and S_j) - q_j N(S_i) - q_i N(S_j) + q_i q_j N), q = shift / scale.

A *place* is a bin of a feature, or the end of its bins: the places of feature h are
``offset[h], ..., offset[h + 1] - 1``. The *profile* of a place takes the samples that lie before it
in its feature, and holds their weight before each place of every feature. A part or its complement
lies between two places, so its weight within any other part follows from two profiles. The profile
of a place is computed from that of the nearest place whose profile is stored: only the samples
between the two places are counted.

*Numerics*: weights are integers in units of a power of two, so sums of them are exact in any order:
an entry has the same bits however it is computed. A part with more than half of the weight is
replaced by its complement, with the other sign, so that no large numbers cancel.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled
from coordboost.learners.stumps.splits import PLACES

#: The total weight has at most DIGITS binary digits. Below 1 / LIGHTEST of the mean, a weight would
#: be less accurate than an inner product.
DIGITS, LIGHTEST = 61, 2048
#: Learners whose profiles are computed together.
TOGETHER = 64
#: If at most one sample in MANY is counted, its codes are read sample by sample.
MANY = 16
#: Maximum bytes of stored profiles, and bytes allocated at once: the system assigns memory only as
#: it is filled.
ROOM = 1 << 30
AT_ONCE = 1 << 28


def fill_profile(codes, number, samples, sign, offset, near, profile):
    """Set ``profile = near + sign (the profile of some samples)``.

    `number` is empty if every weight is 1.
    """
    sums = np.empty((4, PLACES), np.int64)
    top = len(codes) - 1
    w = sums[0]
    x = sums[1]
    y = sums[2]
    z = sums[3]
    for k in range(0, len(codes), 4):
        a = codes[k]
        b = codes[min(k + 1, top)]
        c = codes[min(k + 2, top)]
        d = codes[min(k + 3, top)]
        sums[:] = 0
        for p in range(len(samples)):
            i = samples[p]
            heavy = number[i] if len(number) else 1
            w[a[i]] += heavy
            x[b[i]] += heavy
            y[c[i]] += heavy
            z[d[i]] += heavy
        for q in range(min(4, len(codes) - k)):
            total = 0
            begin = offset[k + q]
            for b in range(offset[k + q + 1] - begin):
                profile[begin + b] = near[begin + b] + sign * total
                total += sums[q, b] if b < PLACES else 0


class SmallerParts(NamedTuple):
    """The part of each learner, or its complement if that is lighter.

    It is what Gram entries need of it, (k,) each.

    by : scale, with a sign
    mean : q
    inside : the weight
    low, high : places; the set lies between them, or, if `beside`, outside them
    """

    by: np.ndarray
    mean: np.ndarray
    inside: np.ndarray
    low: np.ndarray
    high: np.ndarray
    beside: np.ndarray


def fill_entries(rows, at, totals, learners, own, others, total, out):
    """Write Gram entries of `learners` with others into `out`, a row for each learner.

    (i, j) and (j, i) have the same bits.
    """
    profile = np.empty(len(totals), np.int64)
    for i in range(len(learners)):
        j = learners[i]
        low = rows[at[own.low[j]]]
        high = rows[at[own.high[j]]]
        mean = own.mean[j]
        inside = own.inside[j]
        for p in range(len(profile)):
            between = high[p] - low[p]
            profile[p] = totals[p] - between if own.beside[j] else between
        for k in range(out.shape[1]):
            both = profile[others.high[k]] - profile[others.low[k]]
            both = inside - both if others.beside[k] else both
            shared = (
                both
                - (others.mean[k] * inside + mean * others.inside[k])
                + mean * others.mean[k] * total
            )
            out[i, k] = own.by[j] * others.by[k] * shared


def whole_weights(weight):
    """Return the weights as int64 in units of a power of two, and the unit.

    None if the lightest one would be too inaccurate.
    """
    positive = weight[weight > 0]
    total = float(weight.sum())
    if not len(positive) or positive.min() < total / len(weight) / LIGHTEST:
        return None
    unit = (
        1.0
        if (weight == np.floor(weight)).all() and total < 1 << DIGITS
        else float(2.0 ** (np.frexp(total)[1] - DIGITS))
    )
    return np.rint(weight / unit).astype(np.int64), unit


class Counts:
    """The Gram entries of ``splits`` in the metric of some weights.

    Profiles are cached: that of place u is ``rows[at[u]]``.

    Parameters
    ----------
    splits : ``Splits``
    number, unit : the weights, as `whole_weights` gives them
    """

    def __init__(self, splits, number, unit):
        self.codes = splits.binned.codes
        n_bins = splits.binned.n_bins
        extra = splits.extra
        self.total = int(number.sum())
        self.number = number[:0] if (number == 1).all() else number
        self.offset = np.concatenate([[0], np.cumsum(n_bins + 1)])
        # empty if it were too large
        self.by_sample = np.ascontiguousarray(
            self.codes.T if self.codes.size <= ROOM else self.codes[:0]
        )
        self.fill = compiled(fill_profile)
        self.rows = np.zeros(
            (2, self.offset[-1]), dtype=np.int32 if self.total < 1 << 31 else np.int64
        )
        every = np.arange(self.codes.shape[1])
        self.fill(self.codes, self.number, every, 1, self.offset, self.rows[0], self.rows[1])
        self.totals = self.rows[1].astype(np.int64)
        self.most = ROOM // self.rows[0].nbytes
        self.at_once = AT_ONCE // self.rows[0].nbytes
        self.at = np.empty(len(self.totals), dtype=np.int64)
        self.clear()
        # with `extra` the complement lies between two places
        begin, apart = (self.offset[splits.feature], extra >= 0)
        low = begin + np.where(apart, splits.last + 1, splits.first)
        high = begin + np.where(apart, extra, splits.last + 1)
        between = self.totals[high] - self.totals[low]
        mean = splits.shift / splits.scale
        inside = np.where(apart, self.total - between, between)
        mostly_inside = inside > self.total // 2
        by = np.where(mostly_inside, -splits.scale, splits.scale) * np.sqrt(unit)
        inside = np.where(mostly_inside, self.total - inside, inside)
        self.own = SmallerParts(
            by, np.where(mostly_inside, 1 - mean, mean), inside, low, high, mostly_inside != apart
        )
        self.run = compiled(fill_entries, (self.own,))

    def cross(self, a, b):
        """Return the Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        products = np.empty((len(a), len(b)))
        self._fill(np.asarray(a), SmallerParts(*(field[b] for field in self.own)), products)
        return products

    def columns(self, index, out):
        """Fill `out` (len(index), n_learners) with the Gram columns of some learners."""
        self._fill(np.asarray(index), self.own, out)

    def _fill(self, a, others, out):
        for begin in range(0, len(a), TOGETHER):
            some = a[begin : begin + TOGETHER]
            self.hold(np.concatenate([self.own.low[some], self.own.high[some]]))
            self.run(
                self.rows,
                self.at,
                self.totals,
                some,
                self.own,
                others,
                float(self.total),
                out[begin : begin + TOGETHER],
            )

    def clear(self):
        """Drop all profiles but those of no sample and of all samples."""
        self.m, self.at[:] = 2, -1
        self.at[self.offset[:-1]], self.at[self.offset[1:] - 1] = 0, 1

    def hold(self, places):
        """Ensure that the profiles of these places are stored: compute the missing ones."""
        fresh = places[self.at[places] < 0]
        if self.m + len(fresh) > self.most and self.m > 2:
            self.clear()
            return self.hold(places)
        if self.m + len(fresh) > len(self.rows):
            old = self.rows
            room = max(
                self.m + len(fresh), min(max(4 * self.m, self.at_once), self.most, len(self.at))
            )
            self.rows = np.empty((room, len(self.at)), dtype=old.dtype)
            self.rows[: self.m] = old[: self.m]
        for u in fresh.tolist():
            if self.at[u] < 0:
                self._count(u, self.rows[self.m])
                self.at[u], self.m = self.m, self.m + 1

    def _count(self, u, profile):
        """Write the profile of place u into `profile`."""
        g = int(np.searchsorted(self.offset, u, side="right")) - 1
        begin = int(self.offset[g])
        counted = begin + np.flatnonzero(self.at[begin : self.offset[g + 1]] >= 0)
        near = int(counted[np.argmin(np.abs(self.totals[counted] - self.totals[u]))])
        low, end = sorted((u - begin, near - begin))
        # differences below 0 wrap around to large bytes
        samples = np.flatnonzero(self.codes[g] - np.uint8(low) < end - low)
        codes = self.codes
        number = self.number
        # few samples touch few cache lines here
        if len(samples) * MANY <= codes.shape[1] and len(self.by_sample):
            codes = np.ascontiguousarray(self.by_sample[samples].T)
            number = number[samples] if len(number) else number
            samples = np.arange(len(samples))
        self.fill(
            codes,
            number,
            samples,
            1 if near < u else -1,
            self.offset,
            self.rows[self.at[near]],
            profile,
        )
