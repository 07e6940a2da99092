"""Means and norms of columns that are too large for memory, in one pass."""

from typing import NamedTuple

import numpy as np

from coordboost._numba.threads import PIECE, slices
from coordboost.data.standardize import Standardization, _power_of_two, check_unit, counted
from coordboost.dictionaries.chunked import Chunked

#: Entries whose squares, and sums of squares, are normal float64 numbers.
LARGEST, SMALLEST = 1e140, 1e-140


class Moments(NamedTuple):
    """What some rows tell about columns.

    weight : sum of the weights of the rows;  mean, square : weighted mean, and sum of weighted squares around it, (n_columns,)
    top : largest abs entry;  low, high : smallest and largest entry among rows that count, (n_columns,)
    """

    weight: float
    mean: np.ndarray
    square: np.ndarray
    top: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, values, weight, rows):
        """Moments of a tile (r, c), `rows` the mask of those that count, a few columns at a time, so that they stay in the cache."""
        few = slices(values.shape[1], max(16, PIECE // len(values)))
        parts = [cls.of_few(values[:, columns], weight, rows) for columns in few]
        return cls(parts[0].weight, *map(np.concatenate, list(zip(*parts, strict=True))[1:]))

    @classmethod
    def of_few(cls, values, weight, rows):
        """Moments of a few columns. *Numerics*: the mean is computed twice, the second time on the centred column."""
        X, total = np.asarray(values, dtype=np.float64), float(weight.sum())
        top, seen = np.maximum(X.max(axis=0), -X.min(axis=0)), X if rows.all() else X[rows]
        if total == 0 or not (top <= LARGEST).all():
            mean = square = np.zeros(X.shape[1])
        else:
            share = weight / total
            mean = share @ X
            mean = mean + share @ (X - mean)
            X = X - mean
            square = weight @ np.multiply(X, X, out=X)
        return cls(total, mean, square, top, seen.min(axis=0, initial=np.inf), seen.max(axis=0, initial=-np.inf))

    def joined(self, other):
        """Moments of two sets of rows. *Source*: Chan, Golub, LeVeque (1983), Algorithms for Computing the Sample Variance, (1.5)."""
        total = self.weight + other.weight
        part = other.weight / total if total > 0 else 0.0
        change = other.mean - self.mean
        square = self.square + other.square + change**2 * (self.weight * part)
        top, low, high = np.maximum(self.top, other.top), np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Moments(total, self.mean + part * change, square, top, low, high)


def standardize_chunked(X, weight, center, scale):
    """A dictionary of the columns in the store of `X`, and the way back. *Cost*: one pass.

    Raises
    ------
    ValueError
        If a column holds NaN or infinity, or numbers whose squares are not normal float64 numbers.
    """
    bands = list(X.store.fold(Moments.of, Moments.joined, (weight, counted(weight))))
    mean, square, top, low, high = (np.concatenate(parts) for parts in list(zip(*bands, strict=True))[1:])
    _check(top)
    if center:
        spread = np.maximum(high - mean, mean - low)
        kept = np.flatnonzero((square > 0) & (spread > 16 * np.finfo(float).eps * _power_of_two(top)))
    else:
        square += bands[0].weight * mean**2
        kept = np.flatnonzero(square > 0)
        mean = np.zeros_like(mean)
    norm = np.ones(len(mean))
    norm[kept] = np.sqrt(square[kept])
    if not scale:
        check_unit(norm[kept])
        norm = np.ones(len(mean))
    dictionary = Chunked(X.store, kept, mean, norm, X.memory, passes=1)
    return dictionary, Standardization(kept, mean[kept], norm[kept], len(mean))


def _check(top):
    """Refuse columns by their largest abs entry."""
    if not np.isfinite(top).all():
        j = int(np.argmin(np.isfinite(top)))
        raise ValueError(f"X holds NaN or infinity in column {j}; impute or drop those rows first.")
    bad = (top > LARGEST) | ((top > 0) & (top < SMALLEST))
    if bad.any():
        j = int(np.argmax(bad))
        raise ValueError(
            f"X: the largest entry of column {j} is {top[j]:.3g}, beyond what can be normalised; rescale the column."
        )
