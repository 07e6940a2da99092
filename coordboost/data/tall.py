"""Tall tables whose unit columns are made only where they are needed.

A path of a Lasso or of ridge needs the Gram matrix of the unit columns and their products with y,
which one pass over the table gives. So the table is not copied.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost.data.standardize import (
    MemoryColumns,
    Standardization,
    counted,
    standardize_dense,
)
from coordboost.learners.base import Learners
from coordboost.learners.moments import second_moments

#: Entries from which on a table is read only once.
LEAST_ENTRIES = 1 << 18
#: Most columns.
MOST_COLUMNS = 2048
#: Rows from which the first shift is computed.
SAMPLED = 64
#: Squares of norms are between 1 over this and this.
LARGEST_SQUARE = 1e200
#: The least standard deviation, relative to the mean, of a column that varies without doubt.
SPREAD = 2.0**-20
#: Moments that differ by more than this, relative to the norms, are those of another table.
SAME = 1e-7


class TallTable(MemoryColumns):
    """Raw columns, of which a path may need the Gram matrix alone."""

    def learners(self, target, weight, center, names):
        """The `TallColumns` for a target, and their standardization.

        None for another shape, and where rounding or weights near 0 may matter: then the unit
        columns must be made.
        """
        X = self.X
        if scipy.sparse.issparse(X) or X.size < LEAST_ENTRIES:
            return None
        n_samples, n_columns = X.shape
        if n_columns > min(MOST_COLUMNS, n_samples) or not counted(weight).all():
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            moments = CentredMoments.of(X, target, weight, center)
        if moments is None:
            return None
        learners = TallColumns(GivenTable(X, target, weight, center, names), moments)
        norm = learners.norm
        return learners, Standardization(moments.kept, moments.mean, norm, n_columns)


class CentredMoments(NamedTuple):
    """Weighted moments of columns and of a target around their means, or around 0.

    kept : (n_learners,), the columns that vary
    mean : (n_learners,)
    square : (n_learners, n_learners)
    with_target : (n_learners,)
    """

    kept: np.ndarray
    mean: np.ndarray
    square: np.ndarray
    with_target: np.ndarray

    @classmethod
    def of(cls, X, target, weight, center):
        """The moments, in one pass or two; None where they are not accurate.

        *Numerics*: the first shift is the mean of some rows. If the means are farther from it than
        the standard deviations, these means are the shift of a second pass. Each column that is
        kept varies beyond doubt, the others not at all.
        """
        shift = np.zeros(X.shape[1] + 1)
        change = np.zeros_like(shift)
        if center:
            step = max(1, len(X) // SAMPLED)
            shift = np.append(X[::step].mean(axis=0), target[::step].mean())
        for _ in range(2):
            sums = second_moments(X, target, weight, shift)
            total = sums[-1, -1]
            if center:
                change = sums[:-1, -1] / total
            centred = sums[:-1, :-1] - total * change * change[:, None]
            shift = shift + change
            square = centred.diagonal()[:-1]
            varied = (square > 1 / LARGEST_SQUARE) & (square < LARGEST_SQUARE)
            varied &= square > total * (SPREAD * shift[:-1]) ** 2
            if (total * change[:-1] ** 2 <= square)[varied].all():
                break
        else:
            return None
        kept = np.flatnonzero(varied)
        rest = (X[:, j] for j in np.flatnonzero(~varied))
        constant = all((column == (column[0] if center else 0.0)).all() for column in rest)
        if not (constant and len(kept)):
            return None
        return cls(kept, shift[kept], centred[np.ix_(kept, kept)], centred[kept, -1])


class GivenTable(NamedTuple):
    """A table of the caller, as it was given, and what else its unit columns are made of."""

    X: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    center: bool
    names: Sequence | None


class TallColumns(Learners):
    """The unit columns of a table, which are made at first use.

    Attributes
    ----------
    n_samples, n_learners : int
    gram : ndarray, (n_learners, n_learners)
        The Gram matrix of the unit columns in the metric of the weights.
    corr : ndarray, (n_learners,)
        Their products with the target, less its mean if the columns are centred.
    """

    def __init__(self, table, moments):
        self.table = table
        self.moments = moments
        self.n_samples = len(table.X)
        self.n_learners = len(moments.kept)
        self.norm = np.sqrt(moments.square.diagonal())
        self.gram = moments.square / self.norm / self.norm[:, None]
        self.corr = moments.with_target / self.norm

    def made(self):
        """The unit columns as ``Dense`` learners.

        Raises
        ------
        ValueError
            If the table is not what it was.
        """
        X, _, weight, center, names = self.table
        learners, found = standardize_dense(X, weight, center, True, names)
        if not (np.array_equal(found.kept, self.moments.kept) and self._same(learners, found)):
            raise ValueError(
                "X was changed after the fit, and this needs its columns as they were: give the "
                "fit a copy of X, or Problem(X, y), which makes one."
            )
        return learners

    def _same(self, learners, found):
        """Whether `learners` and their standardization `found` are those of these moments."""
        _, target, weight, _, _ = self.table
        deviation = self.norm / np.sqrt(weight.sum())
        corr = learners.scan(weight * target)
        size = np.sqrt(weight @ target**2)
        return bool(
            (np.abs(found.norm - self.norm) <= SAME * self.norm).all()
            and (np.abs(found.mean - self.moments.mean) <= SAME * deviation).all()
            and (np.abs(corr - self.corr) <= SAME * size).all()
        )

    def scan(self, v):
        return self.made().scan(v)

    def column(self, j):
        return self.made().column(j)
