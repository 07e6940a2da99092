r"""Folds of one problem for the squared loss: made from the whole, without another look at the table.

The whole has unit columns b_j and a target y, both of mean 0. A fold has the n rows F, and H are those held out. Then

    mean_j = - sum_H b_j / n,        <b_i, b_j>_F = <b_i, b_j> - <b_i, b_j>_H - n mean_i mean_j,

so the Gram matrix of a fold takes a product of the rows held out alone; where each row is held out once, these add up to that of the whole.

In either case the columns of a fold are those of the whole, taken, centred and scaled where they are asked for: the table is neither read
nor checked again, and folds need no memory of their own. Small tables are copied, as exact paths go over them many times.

*Numerics*: a column keeps the part s_j^2 = <b_j, b_j>_F of its square. Where all of these are at least 1/2, an entry of the Gram matrix
of unit columns is a sum of three terms of at most 1, each with the rounding of its own sum, over s_i s_j: ``DOUBT`` covers that. Columns
that are taken have the rounding of the whole over s_j: up to a tenth of s_j they are good to 15 digits. Where one keeps less, the fold is
made from its own rows of the table.
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
#: A column must keep this part of its square on the rows of a fold; three roundings, each of a sum of at most 1, are divided by it.
KEPT, DOUBT = 0.5, 8.0
#: Where columns are taken, this part of it.
LEFT = 1e-2


@reduction
def take(row, fit, out):
    """Fill `out` with the entries `fit` of `row`, less their mean, which it returns."""
    total = 0.0
    for q in range(len(fit)):
        out[q] = row[fit[q]]
        total += out[q]
    mean = total / len(fit)
    for q in range(len(fit)):
        out[q] -= mean
    return mean


def means_and_norms(rows, fit, room, mean, norm, least):
    """Fill `mean` and `norm` (n_learners,) with those of the samples `fit` of the `rows`; `room` (len(fit),) is scratch.

    Whether each square was at least `least`: where one is not, this ends there.
    """
    for j in range(len(rows)):
        mean[j] = take(rows[j], fit, room)
        square = inner_product(room, room)
        if not square >= least:
            return False
        norm[j] = math.sqrt(square)
    return True


def fill_columns(rows, fit, mean, norm, index, out):
    """Fill `out` (len(index), len(fit)) with the samples `fit` of the learners `index`, one in a row."""
    for i in range(len(index)):
        j, column = index[i], out[i]
        row, less, by = rows[j], mean[j], norm[j]
        for q in range(len(fit)):
            column[q] = (row[fit[q]] - less) / by


class Products:
    """Inner products of unit columns, read from their Gram matrix: see ``lasso_path(products=)``."""

    def __init__(self, gram, doubt):
        self.gram, self.doubt = gram, doubt

    def cross(self, a, b):
        """The entries of the learners `a` with the learners `b`, (len(a), len(b))."""
        return self.gram[np.ix_(a, b)]


class SomeRows:
    """The samples `fit` of the unit columns of the problem `whole`, less `mean` and over `norm` (n_learners,): an oracle.

    Columns are made where they are asked for.
    """

    apart = True

    def __init__(self, whole, fit, mean, norm):
        self.whole, self.rows = whole, whole.dictionary.rows
        self.fit, self.mean, self.norm = fit, mean, norm
        self.n_samples, self.n_learners = len(fit), len(self.rows)

    def scan(self, v):
        """All correlations, (n_learners,). *Cost*: a scan of the whole."""
        return self.scaled(scan(Dense(self.rows), self.spread(v)), v)

    def correlations(self, v, index):
        """Those of the learners `index`. *Cost*: their part of a scan."""
        return self.scaled(scan_few(Dense(self.rows), self.spread(v), index), v, index)

    def scaled(self, corr, v, index=slice(None)):
        """The correlations of the learners `index` with `v`, from those of the stored columns."""
        return (corr - v.sum() * self.mean[index]) / self.norm[index]

    def spread(self, v):
        """`v` on the samples of the whole, those drawn twice with the sum of both."""
        return np.bincount(self.fit, v, self.rows.shape[1])

    def column(self, j):
        return self.gather([j])[:, 0]

    def gather(self, index):
        """The learners `index`, (n_samples, len(index))."""
        out = np.empty((len(index), self.n_samples))
        compiled(fill_columns)(self.rows, self.fit, self.mean, self.norm, np.asarray(index), out)
        return out.T

    def combine(self, beta):
        """B beta, (n_samples,)."""
        used = np.flatnonzero(beta)
        by = beta[used] / self.norm[used]
        return (by @ self.rows[used]).take(self.fit) - by @ self.mean[used]


class Folds:
    """The folds of a problem, each a problem of its own.

    problem : centred and scaled by ``Problem``;  folds : pairs of rows to fit and rows held out
    wanted : False for folds of their own rows throughout
    products : of the whole, or None
    """

    @on_one_thread
    def __init__(self, problem, folds, wanted=True):
        self.problem, self.products, self.fits = problem, None, [fit for fit, _ in folds]
        self.rows, self._parts = problem.dictionary.rows, [None] * len(folds)
        even = (problem.weight == 1).all()
        self.apt = wanted and self.rows is not None and problem.unit_norm and problem.loss.quadratic and even
        rest = [np.delete(np.arange(problem.n_samples), fit) for fit in self.fits]
        plain = all(len(fit) + len(out) == problem.n_samples >= 3 * len(out) for fit, out in zip(self.fits, rest, strict=True))
        if self.apt and plain and problem.n_learners <= min(MOST, problem.n_samples // 3):
            self._share(rest)

    def part(self, k):
        """The fold `k` as a problem, and its ``Products`` or None; None where its own rows of the table should make it."""
        return self._parts[k] or (self._taken(self.fits[k]) if self.apt else None)

    def _share(self, others):
        size, totals, products = len(self.rows), [], []
        room = np.empty(size * max(map(len, others)))  # memory that is touched for the first time costs as much as the product
        for out in others:
            held = room[: size * len(out)].reshape(size, len(out))
            self.rows.take(out, axis=1, out=held, mode="clip")
            products.append(held @ held.T)
            totals.append(held.sum(axis=1))
        once = np.bincount(np.concatenate(others), minlength=self.rows.shape[1])
        whole = sum(products[1:], products[0].copy()) if (once == 1).all() else self.rows @ self.rows.T
        self.products = Products(whole, DOUBT)
        self._parts = [self._shared(*fold) for fold in zip(self.fits, totals, products, strict=True)]

    def _shared(self, fit, total, product):
        """The fold of the rows `fit`, and its Gram matrix, from the sums and products of the columns over the rows held out."""
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
        """The fold of the rows `fit`, of which no products are known."""
        mean, norm = np.empty((2, len(self.rows)))
        if not compiled(means_and_norms)(self.rows, fit, np.empty(len(fit)), mean, norm, LEFT):
            return None
        return self._fold(fit, mean, norm, None)

    def _fold(self, fit, mean, norm, products):
        """The problem of the rows `fit` with these columns, unless its target does not vary."""
        whole, y = self.problem, self.problem.y[fit]
        centre, old = float(y.mean()), whole.standardization
        if not np.abs(y - centre).max() > 1e-8 * np.abs(y).max():
            return None
        columns = Oracle(SomeRows(whole, fit, mean, norm))
        columns.at = None  # new rows are standardised as those of any table
        if products is None and self.rows.size <= LITTLE:
            columns = Dense(columns.gather(np.arange(len(self.rows))).T)
        new = Standardization(old.kept, old.mean + old.norm * mean, old.norm * norm, old.n_columns)
        offset = None if whole.offset is None else whole.offset[fit]
        parts = {"offset": offset, "y": y - centre, "weight": np.ones(len(fit)), "constant": whole.constant + centre}
        return whole.replace(dictionary=columns, standardization=new, **parts), products
