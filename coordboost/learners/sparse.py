"""A sparse matrix, centred and scaled implicitly: its zeros are never stored."""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._numba import kernel, verb
from coordboost.learners.base import Learners

correlations = verb("correlations")


@kernel
def stored_dot(data, row, start, j, v):
    """<x_j, v> over the stored entries of column j.

    Slices are a fifth faster, as their indices need no sign check.
    """
    entry = data[start[j] : start[j + 1]]
    sample = row[start[j] : start[j + 1]]
    total = 0 * v[0]
    for p in range(len(entry)):
        total += entry[p] * v[sample[p]]
    return total


class _Sparse(NamedTuple):
    data: np.ndarray
    row: np.ndarray
    start: np.ndarray
    scale: np.ndarray
    shift: np.ndarray
    n_samples: int


class Sparse(_Sparse, Learners):
    r"""The columns of a CSC matrix, scaled and shifted.

    From columns :math:`x_j` they are :math:`B_j = \text{scale}_j x_j - \text{shift}_j 1`.

    The arrays of the matrix::

        data    |x_0 ....|x_1 ..|   |x_2 ......|       non-zeros, column by column
        row     |i_0 ....|i_1 ..|   |i_2 ......|       their sample indices, int32 or int64
        start    0        6      10  10         17     learner j owns start[j]:start[j + 1]

    A correlation is ``scale_j <x_j, v> - shift_j sum(v)``. *Cost*: a scan is O(non-zeros + samples
    + learners).

    Parameters
    ----------
    data : ndarray, (k,)
        The stored entries, float64, column by column.
    row : ndarray of int32 or int64, (k,)
        The sample index of each stored entry.
    start : ndarray of int32 or int64, (n_learners + 1,)
        Where the entries of each learner begin.
    scale : ndarray, (n_learners,)
        The factor of the stored entries of each learner.
    shift : ndarray, (n_learners,)
        The number subtracted from all samples of each learner after scaling.
    n_samples : int
        Number of rows.

    Examples
    --------
    A ``Problem`` builds it from a sparse matrix. Its columns are centred, but no further entries
    are stored.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> import coordboost as cb
    >>> X = scipy.sparse.csc_array(np.array([[1.0, 0], [0, 1], [2, 1], [1, 3]]))
    >>> learners = cb.Problem(X, [1.0, 2, 4, 5]).dictionary
    >>> len(learners.data), learners.column(1).round(3)
    (6, array([-0.574, -0.115, -0.115,  0.803]))
    """

    entries = True

    def check(self):
        """Raise a ValueError unless the arrays form a valid CSC matrix.

        Kernels do not check the indices in `start` and `row`.
        """
        data = self.data
        row = self.row
        start = self.start
        n = len(self.scale)
        whole = all(
            getattr(array, "dtype", None) in (np.int64, np.int32) and array.ndim == 1
            for array in (row, start)
        )
        real = all(
            getattr(array, "dtype", None) == np.float64 and array.ndim == 1
            for array in (data, self.scale, self.shift)
        )
        whole = whole and isinstance(self.n_samples, int | np.integer)
        if not (
            whole
            and real
            and len(row) == len(data)
            and len(start) == n + 1
            and len(self.shift) == n
        ):
            raise ValueError(
                "Sparse needs data (k,), scale and shift (n_learners,) of float64, row (k,) and "
                "start (n_learners + 1,) of int32 or int64, and n_samples, a whole number."
            )
        inside = len(row) == 0 or (row.min() >= 0 and row.max() < self.n_samples)
        if start[0] != 0 or start[-1] != len(data) or (np.diff(start) < 0).any() or not inside:
            raise ValueError(
                f"Sparse needs start from 0 to {len(data)}, not decreasing, and row in 0 ... "
                "n_samples - 1."
            )
        if not all(np.isfinite(array).all() for array in (data, self.scale, self.shift)):
            raise ValueError("Sparse needs finite numbers, got NaN or infinity.")

    @property
    def n_learners(self):
        return len(self.scale)

    @property
    def scan_cost(self):
        """Number of multiplications in a scan."""
        return len(self.data) + self.n_samples + self.n_learners

    def scan(self, v):
        return correlations(self, v, np.arange(len(self.scale)))

    def correlations(self, v, index):
        total = v.sum()
        corr = np.empty(len(index), v.dtype)
        for i in range(len(index)):
            j = index[i]
            c = stored_dot(self.data, self.row, self.start, j, v)
            corr[i] = self.scale[j] * c - self.shift[j] * total
        return corr

    def dot(self, j, v):
        c = stored_dot(self.data, self.row, self.start, j, v)
        return self.scale[j] * c - self.shift[j] * v.sum()

    def add(self, j, a, v):
        if self.shift[j] != 0:
            v -= a * self.shift[j]
        for p in range(self.start[j], self.start[j + 1]):
            v[self.row[p]] += a * self.scale[j] * self.data[p]

    def column(self, j):
        values = np.full(self.n_samples, -self.shift[j])
        for p in range(self.start[j], self.start[j + 1]):
            values[self.row[p]] += self.scale[j] * self.data[p]
        return values

    def csc(self) -> scipy.sparse.csc_array:
        """Return the stored entries as a scipy array, without scale and shift.

        Returns
        -------
        scipy.sparse.csc_array, (n_samples, n_learners)
            It shares its arrays with the learners.
        """
        return scipy.sparse.csc_array(
            (self.data, self.row, self.start), shape=(self.n_samples, self.n_learners)
        )

    def part(self, index, by):
        """Return the learners `index`, each times its entry of `by`, as a new dictionary."""
        x = self.csc()[:, index]
        ids = x.indices.astype(self.row.dtype), x.indptr.astype(self.start.dtype)
        return Sparse(x.data, *ids, self.scale[index] * by, self.shift[index] * by, self.n_samples)

    def combine(self, beta):
        """Return B beta, (n_samples,).

        *Cost*: the stored entries of the columns with a non-zero coefficient.
        """
        used = np.flatnonzero(beta)
        return self.csc()[:, used] @ (self.scale * beta)[used] - self.shift[used] @ beta[used]

    def gram(self, weight):
        """Return B' diag(weight) B, (n_learners, n_learners)."""
        x = self.csc()
        cross = (x.T @ (x * weight[:, None]).tocsc()).toarray() * np.outer(self.scale, self.scale)
        mixed = np.outer(self.scale * (x.T @ weight), self.shift)
        return cross - mixed - mixed.T + weight.sum() * np.outer(self.shift, self.shift)

    def gather(self, index):
        """Return the learners `index` as a dense (n_samples, len(index)) matrix."""
        return self.csc()[:, index].toarray() * self.scale[index] - self.shift[index]
