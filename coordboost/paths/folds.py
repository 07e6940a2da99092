r"""Folds of one problem for the squared loss: made from the whole, without another look at the table.

The whole has unit columns b_j and a target y, both of mean 0. A fold has the n rows F, and H are those held out. Then

    mean_j = - sum_H b_j / n,        <b_i, b_j>_F = <b_i, b_j> - <b_i, b_j>_H - n mean_i mean_j,

so the Gram matrix of a fold takes a product of the rows held out alone; where each row is held out once, these add up to that of the whole.

*Numerics*: a column keeps the part s_j^2 = <b_j, b_j>_F of its square. Where all of these are at least 1/2, an entry of the Gram matrix
of unit columns is a sum of three terms of at most 1, each with the rounding of its own sum, over s_i s_j: ``DOUBT`` covers that. Where one
is smaller, nothing is claimed and the fold is made from its own rows. Columns, target and correlations are those of the data in any case.
"""

import numpy as np

from coordboost._protocol import DICTIONARY, LOSS
from coordboost._threads import on_one_thread
from coordboost.data.standardize import Standardization
from coordboost.dictionaries import Oracle

#: Most columns of a problem whose whole Gram matrix is formed.
MOST = 2048
#: A column must keep this part of its square on the rows of a fold; three roundings, each of a sum of at most 1, are divided by it.
KEPT, DOUBT = 0.5, 8.0


class Products:
    """Inner products of unit columns, read from their Gram matrix: see ``lasso_path(products=)``."""

    def __init__(self, gram, doubt):
        self.gram, self.doubt = gram, doubt

    def cross(self, a, b):
        """The entries of the learners `a` with the learners `b`, (len(a), len(b))."""
        return self.gram[np.ix_(a, b)]


class SomeRows:
    """The samples `fit` of the unit columns `rows`, less `mean` and over `norm` (n_learners,): an oracle, made where it is asked for.

    So folds need no memory of their own: the columns stay those of the whole.
    """

    def __init__(self, rows, fit, mean, norm):
        self.rows, self.fit, self.mean, self.norm = rows, fit, mean, norm
        self.n_samples, self.n_learners = len(fit), len(rows)

    def scan(self, v):
        """All correlations, (n_learners,). *Cost*: a scan of the whole."""
        padded = np.zeros(self.rows.shape[1])
        padded[self.fit] = v
        return (self.rows @ padded - v.sum() * self.mean) / self.norm

    def column(self, j):
        return (self.rows[j].take(self.fit) - self.mean[j]) / self.norm[j]

    def gather(self, index):
        """The learners `index`, (n_samples, len(index))."""
        return np.array([self.column(j) for j in index]).reshape(len(index), self.n_samples).T

    def combine(self, beta):
        """B beta, (n_samples,)."""
        used = np.flatnonzero(beta)
        by = beta[used] / self.norm[used]
        return (by @ self.rows[used]).take(self.fit) - by @ self.mean[used]


class Folds:
    """The folds of a problem, each a problem of its own.

    problem : centred and scaled by the door, without weights;  folds : pairs of rows to fit and rows held out
    wanted : False for folds of their own rows throughout
    products : of the whole, or None;  parts : list of (Problem, Products), or None for a fold that its own rows should make
    """

    @on_one_thread
    def __init__(self, problem, folds, wanted=True):
        self.problem, self.products = problem, None
        rows, self.parts = DICTIONARY.of(problem.dictionary, "rows"), [None] * len(folds)
        apt = wanted and problem.standard and LOSS.of(problem.loss, "quadratic") and (problem.weight == 1).all()
        others = [np.delete(np.arange(problem.n_samples), fit) for fit, _ in folds]
        plain = all(
            len(fit) + len(out) == problem.n_samples >= 3 * len(out) for (fit, _), out in zip(folds, others, strict=True)
        )
        if rows is not None and apt and plain and problem.n_learners <= min(MOST, problem.n_samples // 3):
            self._share(rows, [fit for fit, _ in folds], others)

    def _share(self, rows, folds, others):
        held_out = [rows.take(out, axis=1) for out in others]
        products = [held @ held.T for held in held_out]
        once = np.bincount(np.concatenate(others), minlength=rows.shape[1])
        whole = sum(products[1:], products[0].copy()) if (once == 1).all() else rows @ rows.T
        self.products = Products(whole, DOUBT)
        self.parts = [self._part(*fold) for fold in zip(folds, held_out, products, strict=True)]

    def _part(self, fit, held, product):
        """The fold of the rows `fit`, and its Gram matrix."""
        whole, n = self.problem, len(fit)
        mean = -held.sum(axis=1) / n
        gram = self.products.gram - product - n * np.outer(mean, mean)
        square, y = gram.diagonal(), whole.y[fit]
        centre = float(y.mean())
        if not (square >= KEPT).all() or not np.abs(y - centre).max() > 1e-8 * np.abs(y).max():
            return None
        norm = np.sqrt(square)
        gram /= norm[:, None]
        gram /= norm
        way = whole.standardization
        new = Standardization(way.kept, way.mean + way.norm * mean, way.norm * norm, way.n_columns)
        columns = Oracle(SomeRows(whole.dictionary.rows, fit, mean, norm))
        columns.at = None  # new rows are standardised as those of any table
        rows = {"y": y - centre, "weight": np.ones(n), "offset": whole.offset + centre}
        return whole.but(dictionary=columns, standardization=new, **rows), Products(gram, DOUBT)
