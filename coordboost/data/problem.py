"""The problem: a loss, a dictionary of unit columns and a target, checked once."""

import math
from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coordboost._numba.sums import residual_into, total_of
from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import shown
from coordboost.data import validation
from coordboost.data.door import learners_at, parts_of
from coordboost.data.parts import Parts, restored
from coordboost.data.probe import gathered
from coordboost.data.spectrum import Span, Spectrum
from coordboost.learners.scan import scan
from coordboost.losses.standard import Squared

EPS = float(np.finfo(float).eps)
#: A larger loss at beta = 0, relative to the sum of the abs infima, is never taken for rounding.
SMALL = 1e-8


class Problem(Parts):
    r"""A loss to minimise over the coefficients of unit columns.

    With unit columns :math:`B_j`, the loss is
    :math:`L(\beta) = \sum_i w_i\, \ell(y_i, b + o_i + (B\beta)_i)`.

    Parameters
    ----------
    X : array_like, data frame or scipy sparse matrix, (n_samples, n_columns); ``open_columns(...)``; or an object of your own
        Raw columns. Or an object with methods ``scan`` (the inner products of all columns with a
        vector) and ``column`` (see ``coordboost.learners.Oracle``): its columns are not
        standardised and must have unit norm, sum_i w_i B_ij^2 = 1 (w the sample weights, 1
        without). This is checked here, and again when columns are read.
    y : array_like, (n_samples,)
        Targets: numbers, two labels or counts, as the loss takes them.
    loss : Loss, default ``Squared()``
        Loss of one sample; its sum over the samples is minimised.
    sample_weight : array_like, (n_samples,), optional
        Multiplies the terms of the loss; means and norms of the columns are weighted with it too.
    center : bool, default True
        Centre the columns, and add to every prediction the best constant b (the mean of y for the
        squared loss). Stumps, trees and the columns of an object of your own are never centred; for
        those, this only decides whether b is used.
    scale : bool, default True
        Divide each (centred) column by its norm sqrt(sum_i w_i x_i^2), not by its standard
        deviation. False: they must have norm 1 already.
    groups : array_like, (n_columns,), optional
        One label per column, for ``rules.Groups``, which draws whole groups of columns at random in
        each step. Not a group Lasso; other methods ignore it.
    feature_names : sequence of str, optional
        Default: those of a data frame.
    offset : array_like, (n_samples,), optional
        A known part o of every prediction, on the link scale, such as log(exposure) for
        ``Poisson()`` or what another model predicts; default 0. The constant b is fitted given the
        offset. Pass the offset of new rows to ``run.predict(X, offset=...)``.
    copy : bool, default True
        With False a float64 array X in Fortran order is standardised in place, and not copied: it
        is overwritten if `center` or `scale` is True, and must not be changed afterwards.

    Attributes
    ----------
    dictionary : the matrix B; y, weight : float64 (n_samples,)
    constant : float, the constant b of every prediction;  offset : float64 (n_samples,) or None, as it was given
    base : float or (n_samples,), the part of b + o that was not subtracted from y
    start_loss : float, the loss at beta = 0, of the constant model: sum_i w_i loss(y_i, b + o_i)
    standardization : converts coefficients of unit columns to those of X
    feature_names : names of the learners; dropped : names of constant columns, which get coefficient 0

    Raises
    ------
    ValueError
        For input that is not finite, not real, of the wrong shape or unfit for the loss.

    Warns
    -----
    ConstantColumnWarning
        If columns are constant: they get coefficient 0.

    Notes
    -----
    If all columns are constant, the model is the constant b.

    *Cost*: one copy of a dense X, unless `copy` is False; a sparse X is never made dense. *Source*:
    Freund, Grigas, Mazumder, Section 1.

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> problem = cb.Problem(X, y)
    >>> problem.n_samples, problem.n_learners, float(problem.constant)
    (4, 2, 3.0)
    >>> problem.scan(problem.resid([0.0] * 4)).round(3)
    array([1.414, 2.753])

    Counts of events observed over times t: the model is of the rate, with log t as the offset.

    >>> t = np.array([1.0, 2.0, 1.0, 4.0])
    >>> counts = cb.Problem(X, [0, 2, 4, 20], cb.losses.Poisson(), offset=np.log(t))
    >>> float(np.exp(counts.constant)), 26 / 8
    (3.25, 3.25)
    """

    @on_one_thread
    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        loss: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
        center: bool = True,
        scale: bool = True,
        groups: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        offset: ArrayLike | None = None,
        copy: bool = True,
    ) -> None:
        loss = Squared() if loss is None else loss
        super().__init__(
            **vars(
                parts_of(
                    X, y, loss, sample_weight, center, scale, groups, feature_names, copy, offset
                )
            )
        )

    @classmethod
    def restored(cls, **parts: Any) -> "Problem":
        """The problem with the given parts, as a file holds them.

        Each part is checked, alone and against the others.

        Parameters
        ----------
        **parts
            The arguments of ``coordboost.data.parts.restored``: the loss, the dictionary, the
            standardization, `y`, `weight`, `constant`, `base`, `groups` and the names of the
            columns.

        Returns
        -------
        Problem
            With these parts.

        Raises
        ------
        ValueError
            Which part does not fit, and why.
        """
        return cls.of(restored(**parts))

    @classmethod
    def of(cls, parts: Parts) -> "Problem":
        """The problem with these ``Parts``, which are not checked.

        Parameters
        ----------
        parts : Parts
            The fields of a problem, see ``coordboost.data.parts``.

        Returns
        -------
        Problem
            With these parts, not copied.
        """
        problem = cls.__new__(cls)
        Parts.__init__(problem, **vars(parts))
        return problem

    def replace(self, **changed: Any) -> "Problem":
        """The problem with some of its fields changed; the new values are not checked.

        Parameters
        ----------
        **changed
            New values by the names of the fields, such as ``y=...``: see
            ``coordboost.data.parts.Parts``.

        Returns
        -------
        Problem
            A new problem, which shares the other fields with this one.
        """
        return Problem.of(
            Parts(**({field.name: getattr(self, field.name) for field in fields(Parts)} | changed))
        )

    def for_run(self) -> "Problem":
        """The problem of one run.

        It is this one, or for an implicit dictionary a problem with a new bank.

        Returns
        -------
        Problem
            The bank numbers the learners that the run finds, so runs do not share learners.
        """
        return self if self.countable else self.replace(dictionary=self.dictionary.bank())

    def __setattr__(self, name, value):
        raise AttributeError(f"a Problem is immutable: make a new one with another {name}.")

    @cached_property
    def feature_names(self) -> list[str]:
        """Names of the learners, a list.

        For learners found by a search, such as trees, of those found so far.
        """
        if not self.dictionary.countable:
            return [self.dictionary.name(j) for j in range(self.n_learners)]
        return [self.column_names[j] for j in self.standardization.kept]

    @cached_property
    def dropped(self) -> list[str]:
        """Names of the dropped columns, which are constant, a list."""
        return [self.column_names[j] for j in self.standardization.aside]

    def __repr__(self):
        size = f"{self.n_samples} x {self.n_learners if self.countable else 'any number'}"
        return f"<Problem {size}, {shown(self.loss)}, {type(self.dictionary).__name__}>"

    @property
    def countable(self) -> bool:
        """Whether all learners are listed, so that one scan gives all correlations.

        False for learners found by a search.
        """
        return self.dictionary.countable

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.dictionary.n_samples

    @property
    def n_learners(self) -> int:
        """Number of learners, the columns of B."""
        return self.dictionary.n_learners

    @cached_property
    def start_loss(self) -> float:
        """Sum of the losses at beta = 0."""
        return self.value(0.0 * self.y)

    @cached_property
    def infimum(self) -> float:
        """A lower bound of the sum of the losses at any predictions, rounded down, as the loss
        declares it; -inf where it does not.
        """
        total, size = self._infima
        return total - 2 * float(np.finfo(float).eps) * size if size < math.inf else -math.inf

    @cached_property
    def _infima(self):
        """The sum of the infima of the losses, and the sum of their absolute values."""
        counts = self.weight > 0
        terms = self.weight[counts] * validation.infimum(self.loss, self.y)[counts]
        size = float(np.abs(terms).sum())
        return math.fsum(terms) if size < math.inf else -math.inf, size

    @cached_property
    def start_excess(self) -> float:
        """The scale of relative gaps: start_loss - infimum, 0 if that is only rounding error.

        Abs(start_loss) if no infimum is known.
        """
        if self.infimum == -math.inf:
            return abs(self.start_loss)
        excess = self.start_loss - self.infimum
        # for a loss with negative values both sums may be far larger than their difference
        size = self._infima[1]
        if excess <= 16 * EPS * size or (
            excess <= SMALL * size and self._every_sample_at_its_optimum()
        ):
            return 0.0
        return excess

    def _every_sample_at_its_optimum(self) -> bool:
        """Whether at beta = 0 each residual changes its sign within the rounding of the
        prediction.
        """
        rounding = np.broadcast_to(16 * EPS * np.maximum(1.0, np.abs(self.base)), self.n_samples)
        return bool((self.resid(-rounding) >= 0).all() and (self.resid(rounding) <= 0).all())

    @cached_property
    def spectrum(self) -> Spectrum:
        """Singular values of the columns. *Cost*: a thin SVD, once."""
        return Spectrum.of(self)

    @cached_property
    def span(self) -> Span:
        """Orthonormal directions of the span of the columns, and their error.

        *Cost*: two products of the size of the SVD, once.
        """
        return Span.of(self, self.spectrum)

    @cached_property
    def products(self):
        """Object that gives entries of B'WB without reading columns, and caches them.

        None if the dictionary has none.
        """
        return self.dictionary.products(self.weight)

    @cached_property
    def start_size(self) -> float:
        """The largest abs correlation at beta = 0. *Cost*: one scan, once."""
        return float(np.abs(self.scan(self.resid(0.0 * self.y))).max())

    @cached_property
    def tie(self) -> float:
        """Correlations that differ by at most this tie: a bound of the rounding error of one at
        beta = 0, 2 n eps ||resid||.
        """
        return 2 * self.n_samples * float(np.finfo(float).eps) * self.size(self.resid(0.0 * self.y))

    def size(self, resid: np.ndarray) -> float:
        r"""The norm of a residual that bounds all its correlations.

        As columns are unit vectors, it is :math:`\|W^{-1/2} r\|_2`.

        Parameters
        ----------
        resid : ndarray, (n_samples,)
            A residual; 0 where the weight is 0.

        Returns
        -------
        float
            No abs correlation is larger, by Cauchy and Schwarz.
        """
        if not (self.weight == 1).all():
            resid = np.divide(
                resid, np.sqrt(self.weight), out=np.zeros_like(resid), where=self.weight > 0
            )
        return float(np.linalg.norm(resid))

    @on_one_thread
    def combine(self, beta: ArrayLike) -> np.ndarray:
        """B beta, (n_samples,).

        Parameters
        ----------
        beta : ndarray, (n_learners,)
            Coefficients of the unit columns.

        Returns
        -------
        ndarray, (n_samples,)
            Predictions, the constant not included.
        """
        return self.dictionary.combine(validation.coefficients(beta, self))

    def gather(self, index: ArrayLike) -> np.ndarray:
        """The learners `index` as a dense (n_samples, len(index)) matrix.

        All code gathers columns through this method.

        Parameters
        ----------
        index : ndarray of int
            Numbers of learners.

        Returns
        -------
        ndarray, (n_samples, len(index))
            Unit columns.

        Raises
        ------
        ValueError
            If a user's dictionary returns a column whose norm in the metric of the weights is not
            1.
        """
        return (
            self.dictionary.gather(index)
            if self.unit_norm
            else gathered(self.dictionary, index, self.weight)
        )

    @on_one_thread
    def scan(self, v: ArrayLike) -> np.ndarray:
        """All correlations <B_j, v>, (n_learners,): the expensive operation.

        Bitwise the same on any number of threads.

        For an implicit dictionary a bound on all correlations, (1,); inf if the search gives none.

        Parameters
        ----------
        v : ndarray, (n_samples,)
            Usually a residual.

        Returns
        -------
        ndarray, (n_learners,), or (1,) for an implicit dictionary
            Correlations, or the bound.
        """
        v = validation.sized("v", v, self.n_samples, "sample")
        return scan(self.dictionary, v) if self.countable else np.array([self.dictionary.bound(v)])

    def value(self, pred: ArrayLike) -> float:
        """Sum of the losses at the predictions `pred`.

        They are B beta (n_samples,), the constant not included.

        Parameters
        ----------
        pred : ndarray, (n_samples,)
            B beta, the constant not included.

        Returns
        -------
        float
            The objective.
        """
        return total_of(*self._at(pred))

    def resid(self, pred: ArrayLike) -> np.ndarray:
        """Pseudo-residual -dloss/dpred, weights included, (n_samples,).

        Parameters
        ----------
        pred : ndarray, (n_samples,)
            B beta, the constant not included.

        Returns
        -------
        ndarray, (n_samples,)
            Minus the gradient in the predictions.
        """
        residual_into(*self._at(pred), resid := np.empty(self.n_samples))
        return resid

    def _at(self, pred: ArrayLike) -> tuple[Any, Any, Any, Any, Any]:
        return (
            self.loss,
            self.y,
            self.weight,
            self.base,
            validation.sized("pred", pred, self.n_samples, "sample"),
        )

    def raw(self, beta: ArrayLike) -> tuple[np.ndarray, float]:
        """Coefficients (n_columns,) on the scale of X, 0 for dropped columns, and the intercept.

        Parameters
        ----------
        beta : ndarray, (n_learners,)
            Coefficients of the unit columns.

        Returns
        -------
        coef : ndarray, (n_columns,)
            Of the columns of X; for learners found by a search `beta`, of those found.
        intercept : float
            For these coefficients.
        """
        if not self.countable:
            return np.array(beta, dtype=np.float64), float(self.constant)
        return self.standardization.raw(
            validation.vector("beta", beta, self.n_learners, "learner"), self.constant
        )

    def unit(self, coef: ArrayLike) -> np.ndarray:
        """The inverse of ``raw``: coefficients of the unit columns from raw ones.

        They are (n_learners,) from (n_columns,).

        Parameters
        ----------
        coef : array_like, (n_columns,)
            Coefficients of the columns of X.

        Returns
        -------
        ndarray, (n_learners,)
            Coefficients of the unit columns.
        """
        raw = validation.vector("coef", coef, self.standardization.n_columns, "column of X")
        return raw[self.standardization.kept] * self.standardization.norm

    @on_one_thread
    def predict(self, beta: ArrayLike, X: Any, *, offset: ArrayLike | None = None) -> np.ndarray:
        """Constant + offset + B beta on the new rows X, (len(X),); X as for a Problem.

        Of ``open_columns(...)`` only columns with non-zero coefficients are read. If the columns
        had names in the fit, the columns of a data frame are matched by name.

        Parameters
        ----------
        beta : ndarray, (n_learners,)
            Coefficients of the unit columns.
        X : array_like or data frame, (n_rows, n_columns)
            New rows, raw.
        offset : array_like, (n_rows,), optional
            The known part of the predictions of these rows; default 0.

        Returns
        -------
        ndarray, (n_rows,)
            On the link scale.

        Raises
        ------
        ValueError
            For columns that are missing, unknown or not finite; for an oracle without ``at(X)``.
        """
        coef, intercept = self.raw(beta if self.countable else validation.coefficients(beta, self))
        pred = learners_at(X, self).combine(coef) + intercept
        return pred if offset is None else pred + validation.known_part(offset, len(pred))


def checked_problem(problem):
    """Return `problem`; raise unless it is a Problem."""
    if not isinstance(problem, Problem):
        raise ValueError(f"problem must be a Problem(X, y, ...), got {shown(problem)}.")
    return problem
