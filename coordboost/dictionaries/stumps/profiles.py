"""The profiles of a feature's parts: how much weight lies in the bins before a, of the samples of each bin of every feature.

A *profile* holds, for the part of feature g before bin a, its weight before each bin of feature 0, then of feature 1, ... The next one
differs from its nearest neighbour by the samples in between alone: these are looked for among all codes of the feature, and counted.
Those that were asked for are kept, and no memory is touched for others.

A *place* is a bin of a feature, or the end of its bins: those of feature h are ``offset[h], ..., offset[h + 1] - 1``.
"""

import numpy as np

from coordboost._numba import compiled
from coordboost.dictionaries.stumps.histogram import PLACES

#: Samples are many from this part of them on.
MANY = 16
#: Bytes of profiles that are kept, and for which room is made at once: it is memory only as it is filled.
ROOM, AT_ONCE = 1 << 30, 1 << 28


def fill_profile(rows, number, samples, sign, offset, near, sums, profile):
    """``profile = near + sign (the profile of some samples)``; `number` is empty where every weight is 1. `sums` is room, like `profile`.

    rows : (n_samples * n_features,), the codes, sample after sample: few samples then lie on few lines of the cache
    """
    sums[:] = 0
    d, n = len(offset) - 1, len(samples)
    for p in range(n):
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
        self.most, self.at_once = ROOM // self.room.nbytes, AT_ONCE // self.room.nbytes
        self.totals, self.at = totals, np.empty(len(totals), dtype=np.int64)
        self.by_features, self.one_by_one = compiled(fill_profile_by_features), compiled(fill_profile)
        self.clear()

    def clear(self):
        """Let go of all profiles but those of no sample and of all samples."""
        self.m, self.at[:] = 2, -1
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
            old, room = self.rows, max(self.m + len(fresh), min(max(4 * self.m, self.at_once), self.most, len(self.at)))
            self.rows = np.empty((room, len(self.at)), dtype=old.dtype)
            self.rows[: self.m] = old[: self.m]
        for u in fresh.tolist():
            self._fill(u, self.rows[self.m])
            self.at[u], self.m = self.m, self.m + 1

    def _fill(self, u, profile):
        """Put the profile of place u into `profile`."""
        g = int(np.searchsorted(self.offset, u, side="right")) - 1
        first = int(self.offset[g])
        held = first + np.flatnonzero(self.at[first : self.offset[g + 1]] >= 0)
        near = int(held[np.argmin(np.abs(self.totals[held] - self.totals[u]))])
        low, end = sorted((u - first, near - first))
        samples = np.flatnonzero(self.codes[g] - np.uint8(low) < end - low)  # below 0 bytes are large
        shared = self.number, samples, 1 if near < u else -1, self.offset, self.rows[self.at[near]]
        if len(samples) * MANY > self.codes.shape[1] or not len(self.by_sample):
            self.by_features(self.codes, *shared, profile)
        else:
            self.one_by_one(self.by_sample, *shared, self.room, profile)
