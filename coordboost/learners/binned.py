"""Binned features: small integer codes, which stumps and trees use in place of the values."""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel
from coordboost._utils.checks import shown

#: Maximum number of bins of a feature: a code is one byte.
MOST_BINS = 256
#: Length of the padded array of cuts in a search: a power of two minus one.
PADDED = 255


class Binned(NamedTuple):
    """Features as codes.

    Bin b of an ordered feature g holds ``cuts[start[g] + b - 1] < x <= cuts[start[g] + b]``.

    codes           |3 0 1 255 ...|    feature 0, one byte for each sample
                    |0 0 2  1  ...|    feature 1
    cuts            |c c c|c c|...     the thresholds, feature after feature
    start            0     3   5

    A value equal to a threshold lies on its left; values beyond the last threshold lie in the last
    ordered bin. In new rows a missing number of a feature that had none has the code ``n_bins[g]``,
    which no training row has; so has a category that the fit has not seen, if there is neither a
    bin of rare categories nor one of missing values.

    codes : uint8 (n_features, n_samples), C order
    n_bins : int64 (n_features,), number of bins in use, the bin of missing values included
    missing : int64 (n_features,), the bin of missing values, the last one in use; -1 where the
        feature has none
    categorical : int64 (n_features,), 1 if the codes are unordered categories, else 0
    cuts : float64
    start : int64 (n_features + 1,), where the thresholds of each feature begin
    """

    codes: np.ndarray
    n_bins: np.ndarray
    missing: np.ndarray
    categorical: np.ndarray
    cuts: np.ndarray
    start: np.ndarray

    #: the engine of parts on which the codes lie, a Parts; None if they are here
    parts = None

    @property
    def n_features(self):
        return len(self.n_bins)

    def same_codes(self, other):
        """Return whether all codes are those of other bins."""
        return np.array_equal(self.codes, other.codes)

    @property
    def n_samples(self):
        return self.codes.shape[1]

    def check(self):
        """Raise a ValueError if the arrays are inconsistent: kernels rely on `n_bins`.

        Raises
        ------
        ValueError
            Names the array and what it must be.
        """
        codes = self.codes
        d = len(self.n_bins)
        if (
            getattr(codes, "dtype", None) != np.uint8
            or codes.ndim != 2
            or not codes.flags.c_contiguous
            or 0 in codes.shape
        ):
            raise ValueError(
                "Binned needs codes of uint8 in C order, (n_features, n_samples), got "
                f"{shown(codes)}."
            )
        whole = (self.n_bins, self.missing, self.categorical, self.start)
        if (
            any(array.dtype != np.int64 or array.ndim != 1 for array in whole)
            or self.cuts.dtype != np.float64
        ):
            raise ValueError(
                "Binned needs n_bins, missing, categorical and start of int64, and cuts of float64."
            )
        lengths = [len(array) for array in (codes, *whole)]
        if lengths != [d, d, d, d, d + 1]:
            raise ValueError(
                f"Binned needs arrays for the same number of features, got lengths {lengths}."
            )
        ordered = self.n_bins - (self.missing >= 0)
        fits = (self.missing < 0) | (self.missing == self.n_bins - 1)
        if (self.n_bins < 1).any() or (self.n_bins > MOST_BINS).any() or not fits.all():
            raise ValueError(
                f"Binned needs 1 to {MOST_BINS} bins per feature, with the bin of missing "
                "values last."
            )
        wanted = np.where(self.categorical == 1, 0, np.maximum(ordered - 1, 0))
        if (
            self.start[0] != 0
            or not np.array_equal(np.diff(self.start), wanted)
            or self.start[-1] != len(self.cuts)
        ):
            raise ValueError(
                "Binned needs one threshold fewer than ordered bins for each feature, and none for "
                "categories."
            )


def search_by(half, n_steps):
    """Return a kernel ``search(values, cuts, codes, missing, out)`` for fewer than 2 `half` cuts.

    It writes ``codes[np.searchsorted(cuts, values)]`` into `out` as bytes, `missing` for NaN;
    `cuts` is padded with infinity. *Cost*: `n_steps` branch-free steps per value, which the
    compiler vectorises, as their number is a constant.
    """

    @kernel
    def search(values, cuts, codes, missing, out):
        for i in range(len(values)):
            x = values[i]
            low = 0
            step = half
            for _ in range(n_steps):
                low += step if cuts[low + step - 1] < x else 0
                step //= 2
            out[i] = missing if x != x else codes[low]

    return search


search_7, search_31, search_255 = search_by(4, 3), search_by(16, 5), search_by(128, 8)


class CutTable(NamedTuple):
    """The thresholds by which values of one type are put into bins, a row for each feature.

    cuts : (n_features, PADDED), increasing, padded with infinity
    n_cuts : int64 (n_features,), how many are in use
    codes : uint8 (n_features, MOST_BINS), the code of the values between two of them
    missing : int64 (n_features,), the code of missing values
    """

    cuts: np.ndarray
    n_cuts: np.ndarray
    codes: np.ndarray
    missing: np.ndarray

    @classmethod
    def of(cls, features, dtype):
        """Return the table of features, each (cuts, codes, missing), for values of a type."""
        cuts = np.full((len(features), PADDED), np.inf, dtype=dtype)
        codes = np.zeros((len(features), MOST_BINS), dtype=np.uint8)
        for g, (own, numbers, _) in enumerate(features):
            near = own.astype(dtype)
            # rounded down: x <= cut is unchanged
            down = np.nextafter(near, dtype.type(-np.inf))
            cuts[g, : len(own)] = np.where(near > own, down, near)
            codes[g, : len(numbers)] = numbers
        n_cuts = np.array([len(own) for own, _, _ in features])
        return cls(cuts, n_cuts, codes, np.array([int(missing) for _, _, missing in features]))


def search_columns(values, table, features, begin, codes):
    """Write the bins of a block of rows, from `begin` on, into the rows `features` of `codes`.

    The values are (n_columns, n_rows); `table` is a ``CutTable``.
    """
    for c in range(len(features)):
        g = features[c]
        target = codes[g, begin : begin + values.shape[1]]
        cuts, between, missing = table.cuts[g], table.codes[g], table.missing[g]
        if table.n_cuts[g] <= 7:
            search_7(values[c], cuts, between, missing, target)
        elif table.n_cuts[g] <= 31:
            search_31(values[c], cuts, between, missing, target)
        else:
            search_255(values[c], cuts, between, missing, target)


def find_bins(values, cuts, missing, out):
    """Write the bins of `values` between increasing `cuts` into `out`.

    The values are (n,) of float32 or float64, the bins (n,) of uint8.
    """
    table = CutTable.of([(cuts, np.arange(len(cuts) + 1), missing)], values.dtype)
    compiled(search_columns)(values[None], table, np.zeros(1, dtype=np.int64), 0, out[None])
