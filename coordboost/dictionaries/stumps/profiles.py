"""The profiles of a feature's parts: how much weight lies in the bins before a, of the samples of each bin of every feature.

A *profile* holds, for the part of feature g before bin a, its weight before each bin of feature 0, then of feature 1, ... The next one
differs from its nearest neighbour by the samples in between alone, so all profiles of a feature take no more than one pass over the
samples in the order of its bins. Those that were asked for are kept, and no memory is touched for others.

A *place* is a bin of a feature, or the end of its bins: those of feature h are ``offset[h], ..., offset[h + 1] - 1``.
"""

import numpy as np

from coordboost._generic import compiled
from coordboost._machine import prefetch
from coordboost.dictionaries.stumps.histogram import PLACES

#: Samples are many from this part of them on.
MANY = 16
#: Samples that are asked for ahead, as they lie apart.
AHEAD = 16
#: Bytes of profiles that are kept.
ROOM = 1 << 30


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


def nearest(at, starts, first, end, u):
    """Of the places first, ..., end - 1 with ``at[place] >= 0``, the one with the fewest samples between it and place u."""
    best = first
    for place in range(first, end):
        if at[place] >= 0 and abs(starts[place] - starts[u]) < abs(starts[best] - starts[u]):
            best = place
    return best


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


class Profiles:
    """The profiles of the parts that were asked for: ``rows[at[u]]`` is that of the part before place u, where ``at[u]`` is not -1.

    Parameters
    ----------
    codes : (n_features, n_samples)
    offset : (n_features + 1,)
    number : (n_samples,), the weights, or empty where every one is 1
    totals : the profile of all samples
    kind : the type of the profiles' entries
    """

    def __init__(self, codes, offset, number, totals, kind):
        self.codes, self.offset, self.number = codes, offset, number
        by_sample = codes.T if codes.size <= ROOM else codes[:0]  # a copy, where there is memory for it
        self.by_sample, self.room = np.ascontiguousarray(by_sample).ravel(), np.empty(len(totals), dtype=kind)
        self.rows = np.array([0 * totals, totals], dtype=kind)
        self.most = ROOM // self.room.nbytes
        self.at, self.starts = np.empty(len(totals), dtype=np.int64), np.empty(len(totals), dtype=np.int64)
        self.clear()

    def clear(self):
        """Let go of all profiles but those of no sample and of all samples."""
        self.order, self.m, self.at[:] = {}, 2, -1
        self.at[self.offset[:-1]], self.at[self.offset[1:] - 1] = 0, 1

    def hold(self, places):
        """Have the profiles of these places, computing those that are not here."""
        fresh = places[self.at[places] < 0]
        if len(fresh) > 1:
            fresh = np.unique(fresh)
        if self.m + len(fresh) > self.most and self.m > 2:
            self.clear()
            return self.hold(places)
        if self.m + len(fresh) > len(self.rows):
            old, room = self.rows, max(self.m + len(fresh), min(4 * self.m, self.most, len(self.at)))
            self.rows = np.empty((room, len(self.at)), dtype=old.dtype)
            self.rows[: self.m] = old[: self.m]
        for u in fresh.tolist():
            self._fill(u, self.rows[self.m])
            self.at[u], self.m = self.m, self.m + 1

    def _fill(self, u, profile):
        """Put the profile of place u into `profile`."""
        g = int(np.searchsorted(self.offset, u, side="right")) - 1
        first, end = self.offset[g : g + 2].tolist()
        if g not in self.order:
            self.order[g] = np.empty(self.codes.shape[1], dtype=np.int32)
            compiled(sort_samples, (), allocates=True)(self.codes[g], self.starts[first:end], self.order[g])
        near = compiled(nearest, ())(self.at, self.starts, first, end, u)
        samples = np.sort(self.order[g][self.starts[min(u, near)] : self.starts[max(u, near)]])
        shared = self.number, samples, 1 if near < u else -1, self.offset, self.rows[self.at[near]]
        if len(samples) * MANY > self.codes.shape[1] or not len(self.by_sample):
            compiled(fill_profile_by_features, (), allocates=True)(self.codes, *shared, profile)
        else:
            compiled(fill_profile, ())(self.by_sample, *shared, self.room, profile)
