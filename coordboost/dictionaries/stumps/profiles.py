"""The profiles of a feature's parts: how much weight lies in the bins before a, of the samples of each bin of every feature.

A *profile* holds, for the part of feature g before bin a, its weight before each bin of feature 0, then of feature 1, ... The next one
differs from its nearest neighbour by the samples in between alone, so all profiles of a feature take no more than one pass over the
samples in the order of its bins. Those that were asked for are kept, and no room is held for others.
"""

import numpy as np

from coordboost._generic import compiled
from coordboost._machine import prefetch
from coordboost.dictionaries.stumps.histogram import PLACES

#: Samples are many from this part of them on.
MANY = 16
#: Samples that are asked for ahead, as they lie apart.
AHEAD = 16


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


class Profiles:
    """The table of feature g: ``rows[place[a]]`` is the profile of its bins before a, where ``place[a]`` is not -1."""

    def __init__(self, joint, g):
        row = joint.splits.binned.codes[g]
        n_bins = int(joint.splits.binned.n_bins[g])
        self.order, self.starts = np.empty(len(row), dtype=np.int32), np.empty(n_bins + 1, dtype=np.int64)
        compiled(sort_samples, (), allocates=True)(row, self.starts, self.order)
        self.rows, self.place = np.array([0 * joint.totals, joint.totals], dtype=joint.kind), np.full(n_bins + 1, -1)
        self.place[[0, n_bins]], self.m = (0, 1), 2

    def grow(self, joint, parts):
        """Take in the profiles `parts` (increasing); how many were not there."""
        fresh = parts[self.place[parts] < 0]
        if self.m + len(fresh) > len(self.rows):
            old, room = self.rows, min(len(self.place), max(self.m + len(fresh), 2 * self.m))
            self.rows = np.empty((room, len(joint.totals)), dtype=joint.kind)
            self.rows[: self.m] = old[: self.m]
        for a in fresh.tolist():
            there = np.flatnonzero(self.place >= 0)
            near = int(there[np.argmin(np.abs(self.starts[there] - self.starts[a]))])
            samples = np.sort(self.order[self.starts[min(a, near)] : self.starts[max(a, near)]])
            sign, profile = 1 if near < a else -1, self.rows[self.m]
            shared = joint.number, samples, sign, joint.offset, self.rows[self.place[near]]
            if len(samples) * MANY > len(self.order) or not len(joint.rows):
                compiled(fill_profile_by_features, (), allocates=True)(joint.splits.binned.codes, *shared, profile)
            else:
                compiled(fill_profile, ())(joint.rows, *shared, joint.room, profile)
            self.place[a], self.m = self.m, self.m + 1
        return len(fresh)
