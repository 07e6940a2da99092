r"""Folds of one problem for the squared loss, made from the whole problem.

The table is not read again.

The whole has unit columns b_j and a target y, both of mean 0. A fold fits the n rows F and holds
out the rows H. Then

    mean_j = - sum_H b_j / n,        <b_i, b_j>_F = <b_i, b_j> - <b_i, b_j>_H - n mean_i mean_j,

so the Gram matrix of a fold needs products over the rows held out only. If each row is held out
once, their sum is the whole Gram matrix.

With or without Gram matrices, the columns of a fold are rows of the columns of the whole, centred
and scaled when they are needed: the table is neither read nor checked again, and folds need no
memory of their own. Small tables are copied, as exact paths use them many times.

*Numerics*: a column keeps the part s_j^2 = <b_j, b_j>_F of its square. If all of these are at least
1/2, an entry of the Gram matrix of unit columns is a sum of three terms of at most 1, each with the
rounding of its own sum, over s_i s_j: ``DOUBT`` covers that. Columns of a fold have the rounding of
the whole over s_j: for s_j of at least 1/10 they are accurate to 15 digits. If a column keeps less,
the fold is made from its own rows of the table.
"""

import math

import numpy as np

from coordboost._numba import compiled, reduction
from coordboost._numba.threads import on_one_thread
from coordboost.data.standardize import Standardization
from coordboost.learners import Dense, Oracle
from coordboost.learners.scan import LITTLE, inner_product, scan, scan_few

#: Most columns of a problem whose whole Gram matrix is formed.
MOST = 2048
#: KEPT: with Gram matrices a column must keep this part of its square on the rows of a fold. DOUBT:
#: bound of the error of Gram entries, in roundings: three of them, each of a sum of at most 1, are
#: divided by KEPT.
KEPT, DOUBT = 0.5, 8.0
#: Without Gram matrices a column must keep this part of its square.
LEFT = 1e-2


@reduction
def take(row, fit, out):
    """Fill `out` with the entries `fit` of `row`, minus their mean. Return the mean."""
    total = 0.0
    for q in range(len(fit)):
        out[q] = row[fit[q]]
        total += out[q]
    mean = total / len(fit)
    for q in range(len(fit)):
        out[q] -= mean
    return mean


def means_and_norms(rows, fit, room, mean, norm, smallest):
    """Fill `mean` and `norm` (n_learners,) with those of the samples `fit` of the `rows`.

    `room` (len(fit),) is scratch.

    Return whether each squared norm is at least `smallest`; the first that is not ends the loop.
    """
    for j in range(len(rows)):
        mean[j] = take(rows[j], fit, room)
        square = inner_product(room, room)
        if not square >= smallest:
            return False
        norm[j] = math.sqrt(square)
    return True


def fill_columns(rows, fit, mean, norm, index, out):
    """Fill `out` with the samples `fit` of the learners `index`, one in a row.

    It is (len(index), len(fit)).
    """
    for i in range(len(index)):
        j = index[i]
        column = out[i]
        row = rows[j]
        less = mean[j]
        by = norm[j]
        for q in range(len(fit)):
            column[q] = (row[fit[q]] - less) / by


class Products:
    """Inner products of unit columns, read from their Gram matrix.

    See ``lasso_path(products=)``.
    """

    def __init__(self, gram, doubt):
        self.gram = gram
        self.doubt = doubt

    def cross(self, a, b):
        """The entries of the learners `a` with the learners `b`, (len(a), len(b))."""
        return self.gram[np.ix_(a, b)]


class SomeRows:
    """An oracle of some rows of the unit columns of a problem.

    They are the samples `fit` of the problem `whole`, minus `mean` and divided by `norm`
    (n_learners,).

    Columns are computed when they are needed.
    """

    apart = True

    def __init__(self, whole, fit, mean, norm):
        self.whole = whole
        self.rows = whole.dictionary.rows
        self.fit = fit
        self.mean = mean
        self.norm = norm
        self.n_samples = len(fit)
        self.n_learners = len(self.rows)

    def scan(self, v):
        """All correlations, (n_learners,). *Cost*: a scan of the whole."""
        return self.scaled(scan(Dense(self.rows), self.spread(v)), v)

    def correlations(self, v, index):
        """The correlations of the learners `index`. *Cost*: their share of a scan."""
        return self.scaled(scan_few(Dense(self.rows), self.spread(v), index), v, index)

    def scaled(self, corr, v, index=slice(None)):
        """The correlations of the learners `index` with `v`, from those of the stored columns."""
        return (corr - v.sum() * self.mean[index]) / self.norm[index]

    def spread(self, v):
        """`v` as a vector over the samples of the whole.

        Its entries are summed for a sample that was drawn several times.
        """
        return np.bincount(self.fit, v, self.rows.shape[1])

    def column(self, j):
        return self.gather([j])[:, 0]

    def gather(self, index):
        """The learners `index`, (n_samples, len(index))."""
        columns = np.empty((len(index), self.n_samples))
        compiled(fill_columns)(
            self.rows, self.fit, self.mean, self.norm, np.asarray(index), columns
        )
        return columns.T

    def combine(self, beta):
        """B beta, (n_samples,)."""
        used = np.flatnonzero(beta)
        by = beta[used] / self.norm[used]
        return (by @ self.rows[used]).take(self.fit) - by @ self.mean[used]


class Folds:
    """The folds of a problem, each a problem of its own.

    problem : centred and scaled by ``Problem``
    folds : pairs of rows to fit and rows held out
    wanted : False if all folds are to be made from their own rows of the table
    products : of the whole, or None
    """

    @on_one_thread
    def __init__(self, problem, folds, wanted=True):
        self.problem = problem
        self.products = None
        self.fits = [fit for fit, _ in folds]
        self.rows = problem.dictionary.rows
        self._parts = [None] * len(folds)
        even = (problem.weight == 1).all()
        self.apt = (
            wanted
            and self.rows is not None
            and problem.unit_norm
            and problem.loss.quadratic
            and even
        )
        complements = [np.delete(np.arange(problem.n_samples), fit) for fit in self.fits]
        plain = all(
            len(fit) + len(complement) == problem.n_samples >= 3 * len(complement)
            for fit, complement in zip(self.fits, complements, strict=True)
        )
        if self.apt and plain and problem.n_learners <= min(MOST, problem.n_samples // 3):
            self._share(complements)

    def part(self, k):
        """Return the fold `k` as a problem, and its ``Products`` or None; None if it has to be made
        from its own rows of the table.
        """
        return self._parts[k] or (self._taken(self.fits[k]) if self.apt else None)

    def _share(self, complements):
        size = len(self.rows)
        totals = []
        products = []
        # memory that is touched for the first time costs as much as the product
        room = np.empty(size * max(map(len, complements)))
        for complement in complements:
            block = room[: size * len(complement)].reshape(size, len(complement))
            self.rows.take(complement, axis=1, out=block, mode="clip")
            products.append(block @ block.T)
            totals.append(block.sum(axis=1))
        once = np.bincount(np.concatenate(complements), minlength=self.rows.shape[1])
        whole = (
            sum(products[1:], products[0].copy()) if (once == 1).all() else self.rows @ self.rows.T
        )
        self.products = Products(whole, DOUBT)
        self._parts = [
            self._shared(*fold) for fold in zip(self.fits, totals, products, strict=True)
        ]

    def _shared(self, fit, total, product):
        """The fold of the rows `fit`, and its Gram matrix.

        They come from the sums and products of the columns over the rows held out.
        """
        mean = -total / len(fit)
        gram = self.products.gram - product - len(fit) * np.outer(mean, mean)
        square = gram.diagonal()
        if not (square >= KEPT).all():
            return None
        norm = np.sqrt(square)
        gram /= norm[:, None]
        gram /= norm
        return self._fold(fit, mean, norm, Products(gram, DOUBT))

    @on_one_thread
    def _taken(self, fit):
        """The fold of the rows `fit`, without a Gram matrix."""
        mean, norm = np.empty((2, len(self.rows)))
        if not compiled(means_and_norms)(self.rows, fit, np.empty(len(fit)), mean, norm, LEFT):
            return None
        return self._fold(fit, mean, norm, None)

    def _fold(self, fit, mean, norm, products):
        """The problem of the rows `fit` with these columns, and `products`.

        None if its target does not vary.
        """
        whole = self.problem
        y = self.problem.y[fit]
        centre = float(y.mean())
        old = whole.standardization
        if not np.abs(y - centre).max() > 1e-8 * np.abs(y).max():
            return None
        columns = Oracle(SomeRows(whole, fit, mean, norm))
        columns.at = None  # new rows are standardised as for any problem
        if products is None and self.rows.size <= LITTLE:
            columns = Dense(columns.gather(np.arange(len(self.rows))).T)
        new = Standardization(old.kept, old.mean + old.norm * mean, old.norm * norm, old.n_columns)
        offset = None if whole.offset is None else whole.offset[fit]
        fields = {
            "offset": offset,
            "y": y - centre,
            "weight": np.ones(len(fit)),
            "constant": whole.constant + centre,
        }
        return whole.replace(dictionary=columns, standardization=new, **fields), products
