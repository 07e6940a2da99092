"""A matrix larger than memory, centred and scaled as it is read."""

import numpy as np

from coordboost._numba.threads import PIECE, slices
from coordboost.learners.base import Learners

#: Assumed cost of reading one entry of a store, in multiplications.
READING = 40


def _pieces(values):
    """Return parts (rows, columns) of a tile that fit into the cache of a core.

    It is cut along the axis with the larger stride.
    """
    rows, columns = values.shape
    if rows == 1 or values.strides[0] <= values.strides[1]:
        return [(slice(0, rows), part) for part in slices(columns, max(1, PIECE // rows))]
    return [(part, slice(0, columns)) for part in slices(rows, max(1, PIECE // columns))]


def correlate(values, v, mean):
    """Return ``v @ (values - mean)``, (c,), for a tile (r, c)."""
    total = np.zeros(values.shape[1])
    for rows, columns in _pieces(values):
        total[columns] += v[rows] @ (values[rows, columns] - mean[columns])
    return total


def unit_columns(values, mean, norm):
    """Return ``(values - mean) / norm``, (r, k)."""
    return (values - mean) / norm


def combination(values, mean, norm, beta):
    """Return ``(values - mean) / norm @ beta``, (r,)."""
    return (values - mean) / norm @ beta


def tile_gram(values, weight, mean, norm):
    """Return ``Z' diag(weight) Z`` for ``Z = (values - mean) / norm``, (c, c)."""
    columns = unit_columns(values, mean, norm)
    return (columns.T * weight) @ columns


class Chunked(Learners):
    """Learner i is column ``kept[i]`` of a store.

    ``B_i = (x - mean) / norm`` is never stored as a whole.

    Parameters
    ----------
    store : see ``coordboost.learners.stores``
    kept : int64 (n_learners,)
    mean, norm : float64 (n_columns,)
    memory : int
        Bytes for a cache of gathered columns, as a run uses them again.
    passes : float
        Passes over the store before.

    Attributes
    ----------
    passes : float
        Number of entries read so far, divided by the number of entries of the store.

    Notes
    -----
    *Cost*: a scan is one pass over the store, on several threads, with a few tiles in memory. Loops
    over it run in plain Python. With the squared loss, lookahead and the Gram form make steps in
    compiled code and use the store for scans only. *Numerics*: a tile is centred before it is
    multiplied, so correlations are as accurate as those of a stored matrix. Sums over tiles are
    taken in an order that does not depend on the number of threads.
    """

    one_pass = True

    def __init__(self, store, kept, mean, norm, memory, passes=0.0):
        self.store = store
        self.kept = kept
        self.mean = mean
        self.norm = norm
        self.passes = float(passes)
        self._room = int(memory) // 8 // store.shape[0]
        self._held = {}

    @property
    def n_samples(self):
        return self.store.shape[0]

    @property
    def n_learners(self):
        return len(self.kept)

    @property
    def scan_cost(self):
        """Number of multiplications that cost as much as a scan; reading dominates."""
        return READING * self.n_samples * self.n_learners

    def scan(self, v):
        v = np.ascontiguousarray(v, dtype=np.float64)
        corr = np.concatenate(list(self.store.fold(correlate, np.add, (v,), (self.mean,))))
        self.passes += 1
        corr /= self.norm
        return corr if len(corr) == len(self.kept) else corr[self.kept]

    def correlations(self, v, index):
        return np.array([np.dot(row, v) for row in self.gather(index).T])

    def column(self, j):
        return self.gather(np.array([j]))[:, 0]

    def combine(self, beta):
        """Return B beta, (n_samples,)."""
        support = np.flatnonzero(beta)
        if len(support) <= self._room:
            return self.gather(support) @ beta[support]
        total = np.zeros(self.n_samples)
        for rows, _, sums in self._each(support, combination, beta[support]):
            total[rows] += sums
        return total

    def gram(self, weight):
        """Return B' diag(weight) B, (n_learners, n_learners).

        *Cost*: one pass; three such matrices in memory.
        """
        weight = np.ascontiguousarray(weight, dtype=np.float64)
        (products,) = self.store.fold(
            tile_gram, np.add, (weight,), (self.mean, self.norm), whole=True
        )
        self.passes += 1
        return (
            products if len(products) == len(self.kept) else products[np.ix_(self.kept, self.kept)]
        )

    def gather(self, index):
        """Return the learners `index` as a dense (n_samples, len(index)) matrix."""
        wanted, back = np.unique(np.asarray(index, dtype=np.int64), return_inverse=True)
        rows = np.empty((len(wanted), self.n_samples))
        known = np.array([j in self._held for j in wanted.tolist()], dtype=bool)
        for i in np.flatnonzero(known):
            rows[i] = self._held[int(wanted[i])]
        new = np.flatnonzero(~known)
        for samples, part, values in self._each(wanted[new], unit_columns):
            rows[new[part], samples] = values.T
        self._hold(wanted, rows, new)
        return rows.T if np.array_equal(back, np.arange(len(wanted))) else rows[back].T

    def _hold(self, wanted, rows, new):
        """Put the rows `new` into the cache.

        Evict learners that are not `wanted` now if there is not enough room.
        """
        if len(new):
            needed = len(self._held) + len(new) - self._room
            asked = set(wanted.tolist())
            for j in [j for j in self._held if j not in asked][: max(0, needed)]:
                del self._held[j]
            for i in new[: self._room - len(self._held)]:
                self._held[int(wanted[i])] = rows[i].copy()

    def _each(self, learners, kernel, *by_learner):
        """Call ``each`` of the store for some learners, and count the entries read."""
        index = self.kept[learners]
        self.passes += (
            self.store.grain * len(np.unique(index // self.store.grain)) / self.store.shape[1]
        )
        return self.store.each(index, kernel, (self.mean[index], self.norm[index], *by_learner))
