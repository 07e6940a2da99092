"""The problem: a loss, a dictionary of unit columns and a target, checked once."""

import math
from functools import cached_property

import numpy as np
import scipy.sparse

from coordboost._generic import compiled, generic, is_piece
from coordboost._protocol import LOSS
from coordboost._threads import on_one_thread
from coordboost.data import validation
from coordboost.data.moments import standardize_chunked
from coordboost.data.outofcore import Columns
from coordboost.data.standardize import Standardization, standardize_dense, standardize_sparse
from coordboost.dictionaries import Oracle
from coordboost.dictionaries.chunked import Chunked
from coordboost.pieces.losses import Squared
from coordboost.screening.scan import scan

value = generic("value")
residual = generic("residual")


def total(loss, y, weight, base, pred, resid):
    """Sum of the weighted losses; `resid` is filled on the way."""
    out = 0 * (weight[0] * pred[0])
    for i in range(len(y)):
        out += weight[i] * value(loss, y[i], base + pred[i])
        resid[i] = weight[i] * residual(loss, y[i], base + pred[i])
    return out


class Problem:
    r"""Minimise :math:`L(\beta) = \sum_i w_i\, \ell(y_i, b + (B\beta)_i)` over the coefficients of unit columns :math:`B_j`.

    Parameters
    ----------
    X : array_like, data frame or scipy sparse matrix, (n_samples, n_columns); ``open_columns(...)``; or an oracle
        Raw columns. An object with ``scan`` and ``column`` is taken as a dictionary of unit columns as it is (see ``Oracle``).
    y : array_like, (n_samples,)
    loss : piece, default ``Squared()``
    sample_weight : array_like, (n_samples,), optional
        Multiplies the terms of the loss; means and norms of the columns are weighted with it too.
    center : bool, default True
        Centre the columns, and start from the best constant prediction b (for the squared loss the mean of y).
    scale : bool, default True
        Divide the columns by their norms. With False they must have unit norm already.
    groups : array_like, (n_columns,), optional
        Group labels, for ``Groups``.
    feature_names : sequence of str, optional

    Attributes
    ----------
    dictionary : the columns B_j; y, weight : float64 (n_samples,); base : float, added to ``pred`` inside the loss
    offset : float, the constant prediction; standardization : the way back to raw coefficients
    feature_names : names of the learners kept; dropped : names of constant columns, set aside

    Raises
    ------
    ValueError
        For anything that is not finite, real, matching in shape and fit for the loss; the sentence says what to do.

    Warns
    -----
    ConstantColumnWarning
        Where columns are set aside.

    Notes
    -----
    *Cost*: one copy of a dense X; a sparse X is never filled in. *Source*: Freund, Grigas, Mazumder, Section 1.
    """

    @on_one_thread
    def __init__(
        self, X, y, loss=None, *, sample_weight=None, center=True, scale=True, groups=None, feature_names=None
    ):  # fmt: skip
        self.loss = Squared() if loss is None else loss
        LOSS.check("loss", self.loss)
        if LOSS.of(self.loss, "check"):
            self.loss.check()
        if any(hasattr(X, verb) for verb in Oracle.required):
            self._from_oracle(X, y, sample_weight, feature_names)
        else:
            self._from_columns(X, y, sample_weight, center, scale, feature_names)
        labels = validation.groups(groups, self.standardization.n_columns)
        self.groups = None if labels is None else np.unique(labels[self.standardization.kept], return_inverse=True)[1]
        self._set_offset(center and not isinstance(self.dictionary, Oracle))

    def _from_columns(self, X, y, sample_weight, center, scale, feature_names):
        if isinstance(X, Columns):
            names = validation.names(X.names if feature_names is None else feature_names, X.shape[1])
            standardize = standardize_chunked
        else:
            X, names = validation.matrix(X, feature_names)
            standardize = standardize_sparse if scipy.sparse.issparse(X) else standardize_dense
        self._set_target(y, sample_weight, X.shape[0])
        self.dictionary, self.standardization = standardize(X, self.weight, center, scale)
        kept = self.standardization.kept
        if not len(kept):
            raise ValueError("every column of X is constant (after centring, for n = 1 always): there is nothing to fit.")
        self._names = names
        aside = len(names) - len(kept)
        self.dropped = [names[j] for j in np.setdiff1d(np.arange(len(names)), kept)] if aside else []
        validation.report_constant(self.dropped)

    def _from_oracle(self, X, y, sample_weight, feature_names):
        self.dictionary = X if is_piece(X) else Oracle(X)
        n = self.dictionary.n_learners
        self._set_target(y, sample_weight, self.dictionary.n_samples)
        self.standardization = Standardization(np.arange(n), np.zeros(n), np.ones(n), n)
        self._names = validation.names(feature_names, n)
        self.dropped = []

    def _set_target(self, y, sample_weight, n_samples):
        self.y = validation.target(y, n_samples)
        self.weight = validation.sample_weight(sample_weight, n_samples)
        if LOSS.of(self.loss, "labels"):
            self.y = self.loss.labels(self.y)

    def _set_offset(self, center):
        if center and LOSS.of(self.loss, "constant") is None:
            raise ValueError(f"{type(self.loss).__name__} has no constant(y, weight): add it or pass center=False.")
        self.offset = self.loss.constant(self.y, self.weight) if center else 0.0
        self.base = 0.0 if LOSS.of(self.loss, "location") else self.offset
        if self.base != self.offset:
            self.y = self.y - self.offset

    @cached_property
    def feature_names(self):
        """Names of the learners kept, a list."""
        return [self._names[j] for j in self.standardization.kept]

    @property
    def n_samples(self):
        return self.dictionary.n_samples

    @property
    def n_learners(self):
        return self.dictionary.n_learners

    @cached_property
    def start_loss(self):
        """Sum of the losses at beta = 0."""
        return self.value(0.0 * self.y)

    @cached_property
    def infimum(self):
        """A lower bound of the sum of the losses at any predictions, from what the loss declares; -inf where it declares none.

        *Numerics*: rounded down, by the rounding of the products and of their sum.
        """
        counts = self.weight > 0
        terms = self.weight[counts] * validation.infimum(self.loss, self.y)[counts]
        size = float(np.abs(terms).sum())
        return math.fsum(terms) - 2 * float(np.finfo(float).eps) * size if size < math.inf else -math.inf

    @cached_property
    def start_excess(self):
        """What gaps are relative to: the sum of the losses at beta = 0 above their infimum, its size where that is not known."""
        return self.start_loss - self.infimum if self.infimum > -math.inf else abs(self.start_loss)

    @cached_property
    def start_size(self):
        """The largest abs correlation at beta = 0. *Cost*: one scan, once."""
        return float(np.abs(self.scan(self.resid(0.0 * self.y))).max())

    @cached_property
    def tie(self):
        """Correlations that differ by no more than this tie: a bound of the rounding in one at the start, 2 n u ||resid||."""
        return 2 * self.n_samples * float(np.finfo(float).eps) * self.size(self.resid(0.0 * self.y))

    def size(self, resid):
        """The norm of a residual that bounds all its correlations, as columns are unit vectors."""
        return float(np.linalg.norm(np.divide(resid, np.sqrt(self.weight), out=np.zeros_like(resid), where=self.weight > 0)))

    @on_one_thread
    def combine(self, beta):
        """B beta, (n_samples,)."""
        return self.dictionary.combine(beta)

    @on_one_thread
    def scan(self, v):
        """All correlations <B_j, v>, (n_learners,): the expensive verb. The same bits on any number of threads."""
        return scan(self.dictionary, v)

    def value(self, pred):
        """Sum of the losses at the predictions `pred` = B beta (n_samples,), offset not included."""
        return self._total(pred)[0]

    def resid(self, pred):
        """Pseudo-residual -dloss/dpred, weights included, (n_samples,)."""
        return self._total(pred)[1]

    def _total(self, pred):
        resid = np.empty(self.n_samples)
        pieces = (self.loss, self.y, self.weight, self.base, np.ascontiguousarray(pred, dtype=np.float64), resid)
        run = compiled(total, pieces[:1]) if is_piece(self.loss) else total
        return float(run(*pieces)), resid

    def raw(self, beta):
        """Coefficients (n_columns,) on the scale of X, zeros for columns set aside, and the intercept."""
        beta = validation.vector("beta", beta, self.n_learners, "learner")
        return self.standardization.raw(beta, self.offset)

    def unit(self, coef):
        """The inverse of ``raw``: coefficients (n_learners,) of the unit columns from raw ones (n_columns,)."""
        coef = validation.vector("coef", coef, self.standardization.n_columns, "column of X")
        return coef[self.standardization.kept] * self.standardization.norm

    @on_one_thread
    def predict(self, beta, X):
        """offset + B beta on the new rows X, (len(X),); X as for a Problem; of ``open_columns(...)`` only the model's columns are read."""
        if isinstance(self.dictionary, Oracle):
            if not hasattr(self.dictionary.source, "at"):
                raise ValueError("the oracle has no verb at(X) that gives the same learners on new rows: it cannot predict.")
            return self.offset + self.dictionary.source.at(X).combine(beta)
        stored = isinstance(X, Columns)
        if not stored:
            X, _ = validation.matrix(X)
            validation.check_columns(X)
        n_columns = self.standardization.n_columns
        if X.shape[1] != n_columns:
            raise ValueError(f"X must have {n_columns} columns as in the fit, got {X.shape[1]}.")
        coef, intercept = self.raw(beta)
        if not stored:
            return X @ coef + intercept
        out = (
            Chunked(X.store, np.arange(n_columns), np.zeros(n_columns), np.ones(n_columns), X.memory).combine(coef) + intercept
        )
        if not np.isfinite(out).all():
            raise ValueError(
                f"X holds NaN or infinity in row {int(np.argmin(np.isfinite(out)))}; impute or drop those rows first."
            )
        return out
