"""The scaled columns of a problem, on which a Lasso works."""

import math
from functools import cached_property

import numpy as np
import scipy.sparse
from scipy.linalg import svd

from coordboost.data.column_store import HeldColumns
from coordboost.learners.scan import LITTLE, scan, scan_few

#: Learners at a time when many residuals are scanned, so that the products stay in the cache.
FEW = 512


def full_rows(models):
    """The entries of a CSR array as a dense array (n_models, n_columns); None unless it stores all
    of them, as ridge does. Products with dense arrays are five times faster.
    """
    n_models, n_columns = models.shape
    full = len(models.data) == n_models * n_columns and models.has_canonical_format
    return models.data.reshape(n_models, n_columns) if full else None


class ScaledColumns:
    """The columns ``scale_j W^{1/2} B_j`` of a problem, ``scale <= 1``.

    A Lasso on them penalises learner j by lam / scale_j.

    y, resid : (n_samples,), times the root of the weights
    gamma : (n_learners,), coefficients of the columns
    apart : whether correlations of a few learners cost only their share of a scan
    penalty : the penalty of a Lasso on them at lam = 1, see ``coordboost.lasso.penalty``; None if
        it is not used
    weighted : False where the weights are in the terms of the loss, and the columns are ``scale_j
        B_j``
    products : computes Gram entries of the unit columns by ``cross(a, b)``; default
        ``problem.products``
    doubt : bound of the error of these entries, in units of the rounding error of a sum of
        n_samples products
    unpenalised : learners without a penalty, for the squared loss. y and all columns are used minus
        their projection on these. This does
        not change the Lasso on the others, and the stored columns stay sparse. *Source*: Frisch,
        Waugh; Lovell
    basis, shares : (n_samples, k) and (n_learners, k), an orthonormal basis of their span, and its
    products with the columns
    """

    def __init__(
        self, problem, scale=None, penalty=None, weighted=True, products=None, unpenalised=()
    ):
        self.products = products
        self.doubt = 1.0 if products is None else products.doubt
        self.problem = problem
        self.scale = None if scale is None or (scale == 1).all() else scale
        self.penalty = penalty
        self.n_samples = problem.n_samples
        self.root = np.sqrt(problem.weight) if weighted and (problem.weight != 1).any() else None
        nothing = np.zeros(0)
        self.apart = problem.stored or problem.dictionary.apart
        self.factors = (
            nothing if self.root is None else self.root,
            nothing if self.scale is None else self.scale,
        )
        self.y = self._weighted(problem.y)
        self.null = float(self.y @ self.y) / 2
        self.unpenalised = np.array(unpenalised, dtype=np.int64)
        if len(self.unpenalised):
            self._project()

    @property
    def n_learners(self):
        """The number of columns."""
        return self.problem.n_learners

    @cached_property
    def rows(self):
        """The unit columns, (n_learners, n_samples), if they are stored."""
        return self.problem.dictionary.rows

    def _project(self):
        """Set `basis` and `shares`, and project them out of y.

        *Cost*: a thin SVD of the unpenalised columns, and a scan for each.
        """
        left, size, right = svd(
            self._weighted(self.problem.gather(self.unpenalised).T).T, full_matrices=False
        )
        some = size > max(left.shape[0], len(size)) * np.finfo(float).eps * size[0]
        self.basis = left[:, some]
        self.solve = right[some].T / size[some]
        shares = np.empty((self.n_learners, self.basis.shape[1]))
        for share, unit in zip(shares.T, self.basis.T, strict=True):
            share[:] = self.scan(unit)
        shares[self.unpenalised] = 0.0
        self.shares = shares
        self.start = self.basis.T @ self.y
        for _ in range(2):  # the second pass removes what rounding left
            self.y = self.y - self.basis @ (self.basis.T @ self.y)

    @property
    def n_projected(self):
        """The number of directions that are projected out of all columns."""
        return self.basis.shape[1] if len(self.unpenalised) else 0

    def unpenalised_part(self, gammas):
        """The best unpenalised coefficients given the others, CSR arrays (n, n_learners)."""
        best = (self.start - gammas @ self.shares) @ self.solve.T
        row = np.repeat(np.arange(len(best)), len(self.unpenalised))
        return scipy.sparse.csr_array(
            (best.ravel(), (row, np.tile(self.unpenalised, len(best)))), shape=gammas.shape
        )

    def _weighted(self, v):
        return v if self.root is None else self.root * v

    @cached_property
    def zero(self):
        """The correlations at 0, (n_learners,), with y as the residual. *Cost*: one scan, once."""
        tall = self.problem.tall
        if tall is None or len(self.unpenalised):
            return self.scan(self.y)
        corr = tall.corr if self.y.any() else np.zeros_like(tall.corr)
        return corr if self.scale is None else self.scale * corr

    @property
    def in_memory(self):
        """The stored learners and their factors, for compiled blocks.

        None if none are stored, or too many.
        """
        return None if self.rows is None or self.rows.size > LITTLE else (self.rows, *self.factors)

    def hold(self, with_gram=False, columns=True):
        """Return a store for columns of learners.

        With `columns` False only for their Gram matrix, if that needs no columns.
        """
        if not columns and self._products() is not None:
            return HeldColumns(None, self.n_learners, 0, True, entries=self.entries)
        stored = (
            self.rows
            if self.root is None and (self.scale is None or with_gram) and not len(self.unpenalised)
            else None
        )
        return HeldColumns(
            self.gather, self.n_learners, self.n_samples, with_gram, stored, self.scale
        )

    def gram_matrix(self):
        """The inner products of all columns, (n_learners, n_learners), of stored learners.

        *Cost*: one pass over the learners; with weights in blocks of rows.
        """
        problem = self.problem
        if problem.tall is not None:
            gram = problem.tall.gram.copy()
        else:
            weight = problem.weight if self.root is not None else np.ones(self.n_samples)
            gram = problem.dictionary.gram(weight)
        if self.scale is not None:
            gram *= self.scale[:, None]
            gram *= self.scale
        if len(self.unpenalised):
            gram -= self.shares @ self.shares.T
            gram[self.unpenalised] = 0.0
            gram[:, self.unpenalised] = 0.0
        return gram

    #: The Gram matrix, if it is known.
    gram = None

    @property
    def centre(self):
        """The unit vector, (n_samples,), to which centred columns are orthogonal."""
        root = np.ones(self.n_samples) if self.root is None else self.root
        return root / np.sqrt(root @ root)

    def in_span(self, resid):
        """The projection of a residual onto the span of the columns, in an orthonormal basis of it.

        Raises
        ------
        ValueError
            If its computation is too expensive.
        """
        return self.problem.spectrum.left.T @ resid

    def _products(self):
        return self.problem.products if self.products is None else self.products

    def entries(self, a, b):
        """Gram entries of the columns `a` with the columns `b`, without columns."""
        products = self._products().cross(a, b)
        products = (
            products if self.scale is None else self.scale[a][:, None] * products * self.scale[b]
        )
        if len(self.unpenalised):
            zero = np.isin(a, self.unpenalised)[:, None] | np.isin(b, self.unpenalised)
            products = np.where(zero, 0.0, products - self.shares[a] @ self.shares[b].T)
        return products

    def scan(self, resid):
        """All correlations, (n_learners,). *Cost*: one scan. Call it with BLAS on one thread."""
        corr = scan(self.problem.dictionary, self._weighted(resid))
        corr = corr if self.scale is None else self.scale * corr
        if len(self.unpenalised):
            corr[self.unpenalised] = 0.0
        return corr

    def scan_few(self, resid, index):
        """Those of the learners `index`.

        *Cost*: their part of a scan, where learners are stored.
        """
        corr = scan_few(self.problem.dictionary, self._weighted(resid), index)
        return corr if self.scale is None else self.scale[index] * corr

    def sizes(self, resid):
        """The correlations with a residual that the penalty has to bound: see ``Penalty.size``."""
        return self.penalty.size(self.scan(resid))

    def levels(self, resids):
        """The largest correlation with each row of `resids` (k, n_samples) that the penalty has to
        bound, (k,): see ``Penalty.size``.

        *Cost*: k scans, as products of matrices.
        """
        if not self.apart:
            return np.array([self.sizes(resid).max() for resid in resids])
        largest = np.zeros(len(resids))
        v = self._weighted(resids)
        buffer = np.empty(len(resids) * FEW)
        for k in range(0, self.n_learners, FEW):
            some = slice(k, min(k + FEW, self.n_learners))
            learners = np.arange(some.start, some.stop)
            block = self.problem.gather(learners).T if self.rows is None else self.rows[some]
            corr = np.matmul(
                v, block.T, out=buffer[: len(v) * len(block)].reshape(len(v), len(block))
            )
            if self.scale is not None:
                corr *= self.scale[some]
            if self.penalty.limited:
                corr = self.penalty.size(corr, some)
            np.maximum(largest, np.maximum(corr.max(axis=1), -corr.min(axis=1)), out=largest)
        return largest

    def combine(self, gamma):
        """The predictions of the coefficients `gamma`, (n_samples,)."""
        pred = self._weighted(
            self.problem.combine(gamma if self.scale is None else self.scale * gamma)
        )
        return pred - self.basis @ (gamma @ self.shares) if len(self.unpenalised) else pred

    def norm_bound(self, learners):
        """An upper bound of the norm of each column in a mask."""
        return 1.0 if self.scale is None else self.scale[learners]

    @property
    def of_stored(self):
        """Whether the columns are the stored rows of the learners, times `scale`."""
        return self.rows is not None and self.root is None and not len(self.unpenalised)

    def block(self, some, factor, buffer):
        """The columns of a slice of the learners, one in a row; not to be changed.

        factor : (n_learners,), multiplies each column; or None
        buffer : (at least the length of the slice, n_samples), where the columns may be written;
            None if they are stored as they are
        """
        factors = [by[some, None] for by in (self.scale, factor) if by is not None]
        if self.of_stored:
            rows = self.rows[some]
            if not factors:
                return rows
            return np.multiply(rows, math.prod(factors), out=buffer[: len(rows)])
        block = buffer[: some.stop - some.start]
        self.gather(np.arange(some.start, some.stop), block)
        if factor is not None:
            block *= factor[some, None]
        return block

    def gather(self, index, out):
        """Fill `out` (len(index), n_samples) with the columns `index`, one in a row."""
        if self.rows is not None:
            # unlike other modes, this one makes no temporary copy
            np.take(self.rows, index, axis=0, out=out, mode="clip")
        else:
            out[:] = self.problem.gather(index).T
        if self.root is not None:
            out *= self.root
        if self.scale is not None:
            out *= self.scale[index, None]
        if len(self.unpenalised):
            out -= self.shares[index] @ self.basis.T
            out[np.isin(index, self.unpenalised)] = 0.0
