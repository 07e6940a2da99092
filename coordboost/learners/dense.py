"""A dense stored matrix, one row of memory per learner."""

from typing import NamedTuple

import numpy as np

from coordboost._numba.threads import PIECE, slices
from coordboost._utils.checks import shown
from coordboost.learners.base import Learners

#: Samples that are weighted at a time at least, for a Gram matrix.
LEAST_SAMPLES = 1 << 12


class _Dense(NamedTuple):
    rows: np.ndarray


class Dense(_Dense, Learners):
    """Stored learners: ``rows[j]`` is B_j.

    A ``Problem`` builds it from a matrix X. Build it yourself for unit columns that must not be
    standardised. The columns of B are rows here, so that a learner is contiguous in memory. *Cost*:
    a scan is one matrix-vector product.

    Parameters
    ----------
    rows : ndarray, (n_learners, n_samples)
        Unit rows in C order, float64. Interpreted runs also take exact numbers, such as fractions.

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> problem = cb.Problem(
    ...     cb.learners.Dense(np.array([[0.6, 0.8], [0.8, -0.6]])), [1.0, 2.0], center=False
    ... )
    >>> cb.solve(problem, cb.ls_boost(1.0), 2).beta.round(3)
    array([ 2.2, -0.4])
    """

    def check(self):
        """Raise a ValueError for rows that compiled kernels cannot take."""
        if (
            getattr(self.rows, "dtype", None) != np.float64
            or self.rows.ndim != 2
            or not self.rows.flags.c_contiguous
        ):
            raise ValueError(
                "Dense needs rows of float64 in C order, (n_learners, n_samples), got "
                f"{shown(self.rows)}."
            )
        if not np.isfinite([self.rows.max(initial=0.0), self.rows.min(initial=0.0)]).all():
            raise ValueError("Dense needs finite rows, got NaN or infinity.")

    @property
    def n_learners(self):
        return self.rows.shape[0]

    @property
    def n_samples(self):
        return self.rows.shape[1]

    def scan(self, v):
        return np.dot(self.rows, v)

    def correlations(self, v, index):
        corr = np.empty(len(index), v.dtype)
        for i in range(len(index)):
            corr[i] = np.dot(self.rows[index[i]], v)
        return corr

    def dot(self, j, v):
        return np.dot(self.rows[j], v)

    def add(self, j, a, v):
        row = self.rows[j]
        for i in range(len(v)):
            v[i] += a * row[i]

    def column(self, j):
        return self.rows[j]

    def gram(self, weight):
        """Return B' diag(weight) B, (n_learners, n_learners).

        *Memory*: the result, and with weights a copy of some samples.
        """
        rows = self.rows
        if rows.dtype != np.float64 or (weight != 1).any():
            root = np.sqrt(weight)
            gram = np.zeros((len(rows), len(rows)))
            for part in slices(len(weight), max(LEAST_SAMPLES, PIECE // len(rows))):
                weighted = rows[:, part] * root[part]
                gram += weighted @ weighted.T
            return gram
        return rows @ rows.T

    def combine(self, beta):
        """Return B beta, (n_samples,); columns are copied only if some of them are not needed."""
        support = np.flatnonzero(beta)
        rows = self.rows if len(support) == len(self.rows) else self.rows[support]
        return rows.T @ beta[support]

    def gather(self, index):
        """Return the learners `index` as a dense (n_samples, len(index)) matrix."""
        return self.rows[index].T
