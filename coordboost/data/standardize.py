"""Reversible standardisation: columns of mean zero and unit norm, coefficients back on the scale of
X.

For columns too large for memory, one pass computes means and norms.
"""

from copy import copy as shallow_copy
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._numba.threads import PIECE, in_order, slices
from coordboost._utils.checks import NEAR
from coordboost.data.frames import is_frame
from coordboost.data.validation import check_columns, matrix, stored, whole
from coordboost.learners import Dense, Sparse
from coordboost.learners.chunked import Chunked

EPS = float(np.finfo(float).eps)
#: Entries of a dense X that are standardised at a time: they stay in the shared cache.
CACHED = 1 << 19
#: Entries of a dense X for which threads are used.
MANY = 1 << 21


class Standardization(NamedTuple):
    """Learner i is column ``kept[i]`` of X: ``B_i = (X_kept[i] - mean[i]) / norm[i]``.

    kept : int64 (n_learners,)
    mean, norm : float64 (n_learners,)
    n_columns : columns of X
    """

    kept: np.ndarray
    mean: np.ndarray
    norm: np.ndarray
    n_columns: int

    @classmethod
    def identity(cls, n_learners):
        """Of `n_learners` learners that are not standardised."""
        return cls(np.arange(n_learners), np.zeros(n_learners), np.ones(n_learners), n_learners)

    @property
    def aside(self):
        """The columns of X without a learner, increasing."""
        left = np.ones(self.n_columns, dtype=bool)
        left[self.kept] = False
        return np.flatnonzero(left)

    def check(self, n_learners):
        """Refuse fields that do not fit each other, or a number of learners.

        Raises
        ------
        ValueError
            Which field does not fit, and why.
        """
        n_columns = whole("n_columns", self.n_columns, n_learners)
        kept = stored("standardization.kept", self.kept, n_learners, np.int64)
        if (np.diff(kept) <= 0).any() or (n_learners and kept[0] < 0):
            raise ValueError(f"standardization.kept must hold {n_learners} increasing columns.")
        if n_learners and kept[-1] >= n_columns:
            raise ValueError(
                f"standardization.kept must hold columns below {n_columns}, got {kept[-1]}."
            )
        stored("standardization.mean", self.mean, n_learners)
        if (stored("standardization.norm", self.norm, n_learners) <= 0).any():
            raise ValueError("standardization.norm must be positive.")

    def deviations(self, total):
        """Standard deviations of the columns of X, (n_columns,), for weights that sum to `total`.

        1 for dropped columns.
        """
        deviation = np.ones(self.n_columns)
        deviation[self.kept] = self.norm / np.sqrt(total)
        return deviation

    def raw(self, beta, constant):
        """Coefficients (n_columns,) and intercept on the scale of X.

        *Source*: Freund et al., Section 1.
        """
        coef = np.zeros(self.n_columns)
        coef[self.kept] = beta / self.norm
        return coef, float(constant - self.mean @ coef[self.kept])


def counted(weight):
    """Mask (n_samples,) of the rows whose weight is large enough to decide whether a column varies.

    A column that varies only in the other rows has correlations below ``4096 sqrt(n_samples) u``
    times the residual, u the unit roundoff: at most three digits above the rounding of a
    correlation, while paths go down to a thousandth of the largest one.
    """
    return weight > weight.sum() * len(weight) * (2048 * EPS) ** 2


def nothing(n_samples, n_columns):
    """A dictionary for columns none of which varies: one learner that is 0 on every row, in place
    of the first column.

    So every method and path runs as usual, and every model is the constant.
    """
    return Dense(np.zeros((1, n_samples))), Standardization(
        np.zeros(1, dtype=np.int64), np.zeros(1), np.ones(1), n_columns
    )


def _power_of_two(top):
    """Powers of two near `top`, 1/2 for 0: dividing by them is exact and keeps squares in range."""
    return np.ldexp(1.0, np.frexp(top)[1] - 1)


def standardize_dense(X, weight, center, scale, names=None, copy=True):
    """A dense dictionary of X and its standardization, some columns at a time, on threads.

    If `copy` is False, X in Fortran order is overwritten.

    *Numerics*: means are computed twice, the second time on the centred column. A column counts as
    constant if its centred entries, in rows that count, are within the rounding of the column. Sums
    are taken along one column at a time, so equal columns stay equal to the bit.

    Raises
    ------
    ValueError
        As `check_columns`.
    """
    n_samples, n_columns = X.shape
    copy = copy or not (X.flags.f_contiguous and X.flags.writeable)
    rows = np.empty((n_columns, n_samples)) if copy else X.T
    seen = counted(weight) if (weight != 1).any() else None

    def standardized(strip):
        out = rows[strip]
        given = X[:, strip].T
        if copy and not X.flags.f_contiguous:  # sums are taken along contiguous columns
            out[:] = given
            given = out
        if seen is None and (square := _squares_in_range(given, scale and not center)) is not None:
            return _without_weights(given, square, center, scale, out)
        out[:] = given
        low = out.min(axis=1)
        high = out.max(axis=1)
        check_columns(X, np.maximum(high, -low), strip.start, names)
        return _standardized(out, low, high, weight, seen, center, scale)

    strips = _strips(n_samples, n_columns)
    parts = map(standardized, strips) if rows.size < MANY else in_order(standardized, strips)
    safe, mean, norm, top = map(np.concatenate, zip(*parts, strict=True))
    kept = np.flatnonzero((norm > 0) & (top > (16 * EPS if center else 0)))
    if not scale:
        check_unit(norm[kept] * safe[kept])
        norm = 1 / safe
    standardization = _standardization(kept, mean * safe, norm * safe)
    return Dense(rows if len(kept) == n_columns else rows[kept]), standardization


def _strips(n_samples, n_columns):
    """Slices of the columns that are standardised together.

    NumPy sums the squares of one column in another order than those of several: so either all
    strips are single columns, or none is, and equal columns stay equal.
    """
    strips = slices(n_columns, max(1, CACHED // n_samples))
    if len(strips) > 1 and CACHED // n_samples > 1 and strips[-1].start == n_columns - 1:
        strips[-2:] = [slice(strips[-2].start, n_columns)]
    return strips


def _squares_in_range(given, same_digits):
    """Sums of squares of the rows of `given`; None if a sum is near overflow or underflow.

    BLAS (vecdot) is faster, but its last digits differ between machines: it is used if columns are
    not divided by these norms.
    """
    with np.errstate(over="ignore"):
        square = np.einsum("ij,ij->i", given, given) if same_digits else np.vecdot(given, given)
    return square if ((square > 1e-200) & (square < 1e200)).all() else None


def _without_weights(given, square, center, scale, out):
    """As `_standardized`, for rows whose sums of squares `square` are in range: no powers of two.

    The rows `given` are read, and written to `out`, which may be the same memory.

    The largest centred entry is at least ``norm / sqrt(n_samples)``, and the largest entry at most
    ``sqrt(square)``. Only rows that may be constant by these bounds are looked at.
    """
    ones = np.ones(len(out))
    mean = np.zeros(len(out))
    norm = np.sqrt(square)
    top = ones
    if center:
        mean = _centre_rows(given, out)
        given = out
        norm = np.sqrt(np.einsum("ij,ij->i", out, out))
        top = norm / np.sqrt(out.shape[1] * square)
        for j in np.flatnonzero(top <= 32 * EPS):
            top[j] = np.abs(out[j]).max() / _power_of_two(np.abs(out[j] + mean[j]).max())
    if scale:
        np.divide(given, np.where(norm > 0, norm, 1.0)[:, None], out=out)
    elif given is not out:
        out[:] = given
    return ones, mean, norm, top


def _centre_rows(given, out, share=None):
    """Write the rows `given` to `out`, less their means, weighted by `share` (n_samples,).

    Return the means, which are computed twice, the second time on the centred rows.
    """
    mean = np.zeros(len(out))
    for _ in range(2):
        if share is None:
            drift = np.einsum("ij->i", given) / out.shape[1]
        else:
            drift = (given * share).sum(axis=1)
        np.subtract(given, drift[:, None], out=out)
        given = out
        mean += drift
    return mean


def _standardized(out, low, high, weight, seen, center, scale):
    """Standardise `out` (k, n_samples) in place.

    Its entries lie between `low` and `high` (k,); `seen` masks the rows that count, None where all
    weights are 1.

    Return powers of two; means and norms after division by these; and the largest abs entries,
    centred, in rows that count.
    """
    safe = _power_of_two(np.maximum(high, -low))
    out *= 1 / safe[:, None]  # exact, and products are faster than quotients
    mean = np.zeros(len(out))
    if center:
        share = None if seen is None else weight / weight.sum()
        mean = _centre_rows(out, out, share)
    if seen is None or seen.all():
        top = np.maximum(high / safe - mean, mean - low / safe)
        norm = np.sqrt(np.einsum("ij,ij->i", out, out if seen is None else out * weight))
    else:  # rows without weight must not set the scale
        again = _power_of_two(np.abs(out[:, weight > 0]).max(axis=1))
        norm = again * np.sqrt(((out / again[:, None]) ** 2 * weight).sum(axis=1))
        top = np.abs(out[:, seen]).max(axis=1)
    if scale:
        out /= np.where(norm > 0, norm, 1.0)[:, None]
    else:
        out *= safe[:, None]
    return safe, mean, norm, top


def standardize_sparse(X, weight, center, scale, names=None):
    """A sparse dictionary of the CSC matrix X, centred implicitly, and its standardization.

    *Numerics*: the squared centred norm is the sum over stored entries of ``(x - mean)^2`` plus the
    zeros' share, not a difference. A column without zeros is centred explicitly, its mean computed
    twice; so is one whose zeros have almost no weight, after these zeros are stored. So the product
    of a shift and a residual is never much larger than the residual.
    """
    X = scipy.sparse.csc_array(X)
    top = _largest(X)
    check_columns(X, top, names=names)
    n_samples, n_columns = X.shape
    safe = _power_of_two(top)
    count = np.diff(X.indptr)
    column = np.repeat(np.arange(n_columns), count)
    unit = np.repeat(safe, count)
    data = X.data / unit
    full = count == n_samples
    mean = (
        _centre(data, column, weight[X.indices], weight.sum(), full)
        if center
        else np.zeros(n_columns)
    )
    shift = np.where(full, 0.0, mean)
    square = _square(data, column, weight, X.indices, shift, full)
    faint = shift**2 * weight.sum() > 2 * n_samples * square
    if faint.any():
        return standardize_sparse(_with_zeros(X, faint), weight, center, scale, names)
    norm = np.sqrt(square)
    rows = counted(weight)
    kept = np.flatnonzero(norm > 0)
    if center:
        seen = (
            square
            if rows.all()
            else _square(data, column, np.where(rows, weight, 0.0), X.indices, shift, full)
        )
        kept = np.flatnonzero(np.sqrt(seen) > 16 * EPS * np.sqrt(weight.sum()))
    if not scale:
        check_unit(norm[kept] * safe[kept])
        norm = np.ones(n_columns)
        data = data * unit
        mean = mean * safe
        shift = shift * safe
        safe = np.ones(n_columns)
    local = scipy.sparse.csc_array((data, X.indices, X.indptr), shape=X.shape)
    local = local if len(kept) == n_columns else local[:, kept]
    dictionary = Sparse(
        local.data,
        local.indices.astype(
            np.int32 if n_samples <= np.iinfo(np.int32).max else np.int64, copy=False
        ),
        local.indptr.astype(np.int64),
        1 / norm[kept],
        shift[kept] / norm[kept],
        n_samples,
    )
    return dictionary, _standardization(kept, mean * safe, norm * safe)


def _largest(X):
    """The largest abs entry of each column of the CSC array X, (n_columns,).

    NaN where one holds NaN.
    """
    top = np.zeros(X.shape[1])
    begin = X.indptr[:-1]
    some = np.diff(X.indptr) > 0
    top[some] = np.maximum.reduceat(np.abs(X.data), begin[some]) if some.any() else 0.0
    return top


def _centre(data, column, w, total, full):
    """Weighted means, (n_columns,), of columns with the entries `data` (k,) of weight `w` (k,).

    Full columns are centred in place.

    A mean is computed twice, the second time on the centred column.
    """
    n = len(full)
    zeros = np.where(full, 0.0, np.maximum(total - np.bincount(column, w, n), 0.0))
    mean = np.bincount(column, w * data, n) / total
    mean += (np.bincount(column, w * (data - mean[column]), n) - zeros * mean) / total
    inside = full[column]
    data[inside] -= mean[column[inside]]
    drift = np.where(full, np.bincount(column, w * data, n) / total, 0.0)
    data[inside] -= drift[column[inside]]
    return mean + drift


def _square(data, column, weight, row, shift, full):
    """Weighted sums of ``(x - shift)^2``, (n_columns,): over stored entries, and the share of the
    zeros.
    """
    n = len(full)
    if not shift.any():
        return np.bincount(column, data**2 if (weight == 1).all() else weight[row] * data**2, n)
    w = weight[row]
    zeros = np.where(full, 0.0, np.maximum(weight.sum() - np.bincount(column, w, n), 0.0))
    return np.bincount(column, w * (data - shift[column]) ** 2, n) + zeros * shift**2


def _with_zeros(X, columns):
    """The CSC matrix X with the zeros of some columns (a mask) stored."""
    whole = np.flatnonzero(columns)
    row = np.concatenate([X.indices, np.tile(np.arange(X.shape[0]), len(whole))])
    column = np.concatenate(
        [np.repeat(np.arange(X.shape[1]), np.diff(X.indptr)), np.repeat(whole, X.shape[0])]
    )
    data = np.concatenate([X.data, np.zeros(len(whole) * X.shape[0])])
    return scipy.sparse.csc_array((data, (row, column)), shape=X.shape)


def check_unit(norm):
    """Raise unless all columns have unit norm, as scale=False requires."""
    off = np.abs(norm - 1) > NEAR
    if off.any():
        j = int(np.argmax(off))
        raise ValueError(
            f"scale=False needs columns of unit norm; column {j} has norm {norm[j]:.6g}. Pass "
            "scale=True."
        )


def _standardization(kept, mean, norm):
    return Standardization(kept, mean[kept], norm[kept], len(norm))


class MemoryColumns:
    """Raw columns `X`, float64 (n_samples, n_columns), an array (perhaps the caller's own) or CSC.

    names : column names of a data frame, or None
    named : whether they are strings, not numbers
    must_copy : whether X must not be overwritten; False only for an array and `copy` False, as
        anything else may share memory with the caller
    """

    def __init__(self, X, copy=True):
        self.named = is_frame(X) and all(isinstance(name, str) for name in X.columns)
        self.X, self.names = matrix(X)
        self._original = X if isinstance(X, np.ndarray) else self.X
        self.shape = self.X.shape
        self.must_copy = copy or not isinstance(X, np.ndarray)

    def standardized(self, weight, center, scale, names):
        """A dictionary of the columns, and their standardization; errors call columns by `names`,
        if given.
        """
        if scipy.sparse.issparse(self.X):
            return standardize_sparse(self.X, weight, center, scale, names)
        return standardize_dense(self.X, weight, center, scale, names, self.must_copy)

    def varies(self, columns, rows):
        """Which of the `columns` have two different values in the `rows` that count, a mask.

        Integers are compared before rounding.
        """
        if scipy.sparse.issparse(self.X):
            block = self.X[:, columns][rows]
            return (block.min(axis=0).toarray() != block.max(axis=0).toarray()).ravel()
        return np.array(
            [(self._original[rows, j] != self._original[rows, j][:1]).any() for j in columns],
            dtype=bool,
        )

    def ordered(self, index):
        """Return the same columns in another order: at j the column ``index[j]``."""
        moved = shallow_copy(self)
        moved.X, moved.names = self.X[:, index], [self.names[j] for j in index]
        return moved

    def combine(self, coef):
        """The sum of the columns times `coef`, (n_samples,)."""
        check_columns(self.X, names=self.names)
        return self.X @ coef

    def part(self, columns, rows):
        """Some columns of the rows in a slice, (n_rows, len(columns)), sparse where X is."""
        block = (
            self.X[:, columns][rows] if scipy.sparse.issparse(self.X) else self.X[rows][:, columns]
        )
        check_columns(block)
        return block


def columns_of(X, copy=True):
    """Return `X` if it has the methods of ``MemoryColumns``, else wrap it."""
    return X if hasattr(X, "standardized") else MemoryColumns(X, copy)


#: Limits of abs entries, so that squares and sums of squares are normal float64 numbers.
LARGEST, SMALLEST = 1e140, 1e-140


class Moments(NamedTuple):
    """Moments and extremes of columns over some rows.

    weight : sum of the weights of the rows
    mean, square : weighted mean, and sum of weighted squares around it, (n_columns,)
    top : largest abs entry
    low, high : smallest and largest entry among rows that count, (n_columns,)
    """

    weight: float
    mean: np.ndarray
    square: np.ndarray
    top: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, values, weight, rows):
        """Moments of a tile (r, c), `rows` masks those that count.

        A few columns at a time, so that they stay in the shared cache.
        """
        strips = slices(values.shape[1], max(16, PIECE // len(values)))
        parts = [cls.of_few(values[:, columns], weight, rows) for columns in strips]
        return cls(parts[0].weight, *map(np.concatenate, list(zip(*parts, strict=True))[1:]))

    @classmethod
    def of_few(cls, values, weight, rows):
        """Moments of a few columns.

        *Numerics*: the mean is computed twice, the second time on the centred column.
        """
        X = np.asarray(values, dtype=np.float64)
        total = float(weight.sum())
        top = np.maximum(X.max(axis=0), -X.min(axis=0))
        seen = X if rows.all() else X[rows]
        if total == 0 or not (top <= LARGEST).all():
            mean = square = np.zeros(X.shape[1])
        else:
            share = weight / total
            mean = share @ X
            mean = mean + share @ (X - mean)
            X = X - mean
            square = weight @ np.multiply(X, X, out=X)
        return cls(
            total,
            mean,
            square,
            top,
            seen.min(axis=0, initial=np.inf),
            seen.max(axis=0, initial=-np.inf),
        )

    def joined(self, other):
        """Moments of two sets of rows.

        *Source*: Chan, Golub, LeVeque (1983), Algorithms for Computing the Sample Variance, (1.5).
        """
        total = self.weight + other.weight
        fraction = other.weight / total if total > 0 else 0.0
        change = other.mean - self.mean
        square = self.square + other.square + change**2 * (self.weight * fraction)
        top = np.maximum(self.top, other.top)
        low = np.minimum(self.low, other.low)
        high = np.maximum(self.high, other.high)
        return Moments(total, self.mean + fraction * change, square, top, low, high)


def standardize_chunked(X, weight, center, scale):
    """A dictionary of the columns in the store of `X`, and their standardization. *Cost*: one pass.

    Raises
    ------
    ValueError
        If a column holds NaN or infinity, or numbers whose squares are not normal float64 numbers.
    """
    bands = list(X.store.fold(Moments.of, Moments.joined, (weight, counted(weight))))
    mean, square, top, low, high = (
        np.concatenate(parts) for parts in list(zip(*bands, strict=True))[1:]
    )
    if not np.isfinite(top).all():
        j = int(np.argmin(np.isfinite(top)))
        raise ValueError(f"X holds NaN or infinity in column {j}; impute or drop those rows first.")
    check_columns(X, top, largest=LARGEST, least=SMALLEST)
    if center:
        spread = np.maximum(high - mean, mean - low)
        kept = np.flatnonzero((square > 0) & (spread > 16 * EPS * _power_of_two(top)))
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
