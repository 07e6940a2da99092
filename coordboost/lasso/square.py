r"""A tall table as a square one: the Lasso of the squared loss from its Gram matrix.

With G = B'B the Gram matrix of the scaled columns and c = B'y, a Lasso depends on G, c and y'y
alone. So the columns B are replaced by R with R'R = G, and y by z with R'z = c, and one more row,
0 in R, that keeps y'y. Every solver works on these as on any columns, at a cost that does not
depend on the number of samples. The data are read once, in blocks of rows, and not copied.

*Numerics*: entries of G are rounded by at most about :math:`u \sqrt n` (u the unit roundoff), and
directions of the columns shorter than some :math:`3 \sqrt u n^{1/4}` are lost. Both change the
objective, and so a gap; a bound (`SquareColumns.errors`) is added to every gap. Where it is too
large, the solver is called again, with the data.

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent* (covariance updates); Higham, *Accuracy and stability of numerical algorithms*,
Sections 2.8 (rounding of sums) and 10.3 (Cholesky factors of a semidefinite matrix).
"""

import math

import numpy as np

from coordboost.data.column_store import HeldColumns
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.workingset import FEW_PENALTIES, mended
from coordboost.learners.moments import square_root

#: Most columns of a table that is made square.
MOST = 2048
#: Squared distances from the span of the other columns, relative to the squared norm, that may be
#: rounding: this many times the rounding of an entry.
LOST = 8
#: ROUNDED: largest rounding of a gap, as a part of the tolerance, before a fit. LARGEST_ERROR:
#: after it.
ROUNDED, LARGEST_ERROR = 0.05, 0.5


def fits_square(columns, n_lams, tol):
    """Whether the Gram matrix of scaled columns pays and is accurate enough.

    For stored tall tables and many penalties.
    """
    accurate = 16 * rounding_of_entry(columns.n_samples) <= ROUNDED * tol
    return (
        accurate
        and columns.problem.stored
        and columns.products is None
        and columns.n_learners <= min(MOST, columns.n_samples)
        and n_lams > FEW_PENALTIES
    )


def by_square(solve, columns, lams, tol):
    """Call ``solve(square, lams, tol)`` with square columns; return a `Solved`.

    Where these are not accurate enough call ``solve(columns, lams, tol)``.
    """
    square = SquareColumns(columns)
    solved = solve(square, lams, tol)
    errors = square.errors(solved.coefs)
    gaps = solved.gaps + errors
    solved = solved._replace(gaps=gaps, n_scans=0)  # of the data
    inaccurate = (gaps > tol) | (errors > LARGEST_ERROR * tol)
    missed = np.flatnonzero(inaccurate & (lams[: len(gaps)] > 0))
    if len(missed) and len(gaps) == len(lams):
        return mended(solved, missed, solve(columns, lams[missed], tol))
    return solved


def rounding_of_entry(n_samples):
    """Bound of the rounding of an inner product of two unit vectors, if signs are random."""
    return float(np.finfo(float).eps) / 2 * math.sqrt(n_samples)


class SquareColumns(ScaledColumns):
    """Columns R, (rank + 1, n_learners), with the Gram matrix of tall scaled columns.

    Attributes
    ----------
    gram : ndarray, (n_learners, n_learners)
    rank : int
    error : float
        Bound of the difference between an entry of the two Gram matrices, rounding included, over
        the norms of both columns.
    lost : float
        The same for the correlations at 0, without rounding, over the norm of the column.
    """

    def __init__(self, columns):
        self.problem = columns.problem
        self.penalty = columns.penalty
        self.scale = None
        self.root = None
        self.products = None
        self.unpenalised = np.zeros(0, dtype=np.int64)
        self.factors = (np.zeros(0), np.zeros(0))
        self.apart = True
        self.gram = columns.gram_matrix()
        self.zero = columns.zero
        self.null = columns.null
        self.norm = np.sqrt(self.gram.diagonal())
        rounding = rounding_of_entry(columns.n_samples)
        self.rows, self.rank, projected = square_root(self.gram, self.zero, LOST * rounding)
        self.n_samples = self.rank + 1
        orthogonal = math.sqrt(max(2 * columns.null - projected @ projected, 0.0))
        self.y = np.append(projected, orthogonal)
        self.error = rounding
        self.lost = 0.0
        if self.rank < self.n_learners:
            norm = np.where(self.norm > 0, self.norm, 1.0)
            entries = (self.rows @ self.rows.T - self.gram) / norm / norm[:, None]
            self.error += float(np.abs(entries).max())
            self.lost = float(np.abs((self.scan(self.y) - self.zero) / norm).max())
        self.doubt = self.error / (4 * rounding_of_entry(self.n_samples))

    @property
    def centre(self):
        """The unit vector, (n_samples,), that is orthogonal to all columns."""
        return np.append(np.zeros(self.rank), 1.0)

    def errors(self, coefs):
        """What the errors of the Gram matrix may add to gaps, relative to the loss at 0, (n,).

        With e the error of an entry, d that of the correlations at 0, and b the l1 norm of the
        coefficients of unit columns, correlations are off by e (b + norm of y) + d. A gap is the
        penalty less <coefficients, correlations>, which is off by that times b; and the dual point
        is scaled until no correlation exceeds its penalty, which adds that times the l1 norm.

        coefs : CSR array, (n, n_learners)
        """
        l1 = np.asarray(abs(coefs).sum(axis=1)).ravel()
        l1_of_unit = abs(coefs) @ self.norm
        off = self.error * (l1_of_unit + math.sqrt(2 * self.null)) + self.lost
        return off * (l1_of_unit + l1) / (self.null or 1.0)

    def hold(self, with_gram=False, columns=True):
        if columns:
            return super().hold(with_gram, columns)
        return HeldColumns(None, self.n_learners, 0, True, entries=self.entries)

    def entries(self, a, b):
        return self.gram[np.ix_(a, b)]

    def scan(self, resid):
        return self.rows @ resid

    def scan_few(self, resid, index):
        return self.rows[index] @ resid

    def levels(self, resids):
        return self.penalty.size(resids @ self.rows.T).max(axis=1)

    def combine(self, gamma):
        return gamma @ self.rows

    def in_span(self, resid):
        return resid[: self.rank]
