"""The problem: a loss, a dictionary of unit columns and a target, checked once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coordboost._numba import is_piece
from coordboost._numba.sums import residual_into, total_curvature, total_of
from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import (
    InfiniteConstant,
    no_data,
    not_negative,
    shown,
    with_floats,
)
from coordboost._utils.kinds import checked_piece
from coordboost._utils.root import falling_root, farthest_constant
from coordboost.data import validation
from coordboost.data.binning import Binning
from coordboost.data.frames import (
    Names,
    as_pandas,
    by_index,
    indices_of,
    is_frame,
    names_of,
)
from coordboost.data.recipe import Recipe
from coordboost.data.reduced import Reduced, fits_reduced, short_table_of
from coordboost.data.spectrum import Span, Spectrum
from coordboost.data.standardize import Standardization, columns_of, counted, nothing
from coordboost.data.stump_learners import BinnedLearners
from coordboost.data.tall import TallColumns, TallTable
from coordboost.learners import Dense, Oracle
from coordboost.learners.bank import Bank
from coordboost.learners.base import LearnerFamily, Learners
from coordboost.learners.scan import scan
from coordboost.learners.stores.daskarray import is_lazy
from coordboost.losses.base import Loss
from coordboost.losses.standard import Squared

EPS = float(np.finfo(float).eps)
#: A larger loss at beta = 0, relative to the sum of the abs infima, is never taken for rounding.
SMALL = 1e-8
#: The fields that hold training data, besides the columns of the dictionary.
DATA = ("y", "weight", "base", "offset")
#: Methods that a compiled loop calls: a dictionary that is a piece must define them itself.
KERNELS = ("correlations", "dot", "add")
#: Advice if columns vary by less than the rounding of their largest entry.
SUBTRACT = (
    "; they vary by less than the rounding of float64 at their size, so subtract a "
    "constant from them first"
)


class RowsBehind(NamedTuple):
    """The rows of a table of Dask that a short table stands for: see ``coordboost.data.reduced``.

    n_rows : number of rows with a weight above 0
    n_lost : number of columns that depend on others up to rounding
    error : bound of the error of an inner product of two columns, or one and y, over their norms
    passes : passes over the table so far, a part of one for its first chunk
    """

    n_rows: int
    n_lost: int
    error: float
    passes: float

    @classmethod
    def restored(cls, plain):
        """The same from plain data of a file, a dict; raise unless it is one."""
        if not (isinstance(plain, dict) and set(plain) == set(cls._fields)):
            raise ValueError(f"reduced must hold {', '.join(cls._fields)}, got {shown(plain)}.")
        return cls(
            validation.whole("n_rows", plain["n_rows"], 1),
            validation.whole("n_lost", plain["n_lost"]),
            not_negative("error", plain["error"]),
            not_negative("passes", plain["passes"]),
        )


@dataclass(init=False, eq=False, repr=False)
class Problem:
    r"""A loss to minimise over the coefficients of unit columns.

    With unit columns :math:`B_j`, the loss is
    :math:`L(\beta) = \sum_i w_i\, \ell(y_i, b + o_i + (B\beta)_i)`.

    Parameters
    ----------
    X : array_like, data frame, scipy sparse matrix, ``open_columns(...)``, or an object of your own
        Raw columns, (n_samples, n_columns). Or an object with methods ``scan`` (the inner products
        of all columns with a vector) and ``column`` (see ``coordboost.learners.Oracle``): its
        columns are not standardised and must have unit norm, sum_i w_i B_ij^2 = 1 (w the sample
        weights, 1 without). This is checked here, and again when columns are read.
    y : array_like, (n_samples,)
        Targets: numbers, two labels or counts, as the loss takes them.
    loss : Loss, default ``Squared()``
        Loss of one sample; its sum over the samples is minimised.
    sample_weight : array_like, (n_samples,), optional
        Multiplies the terms of the loss; means and norms of the columns are weighted with it too. A
        Series is matched with a data frame X by its index, and so is an `offset`.
    center : bool, default True
        Centre the columns, and start from the best constant b. It is added to every prediction: for
        the squared loss, the mean of y. Stumps, trees and the columns of an object of your own are
        never centred; for those, this only decides whether b is used.
    scale : bool, default True
        Divide columns by their norms. The norm of a (centred) column is sqrt(sum_i w_i x_i^2), not
        its standard deviation. False: they must have norm 1 already.
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
    dictionary : the matrix B
    y, weight : float64 (n_samples,)
    constant : float, the constant b of every prediction
    offset : float64 (n_samples,) or None, as it was given
    base : float or (n_samples,), the part of b + o that was not subtracted from y
    start_loss : float, the loss at beta = 0, of the constant model: sum_i w_i loss(y_i, b + o_i)
    standardization : converts coefficients of unit columns to those of X
    feature_names : names of the learners
    dropped : names of constant columns, which get coefficient 0

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

    loss: Any
    dictionary: Any
    #: converts coefficients of the unit columns to those of X
    standardization: Standardization
    y: np.ndarray
    weight: np.ndarray
    constant: float
    #: the part of constant + offset that is added to ``pred`` inside the loss
    base: float | np.ndarray
    offset: np.ndarray | None
    #: int64 (n_learners,), the group of each learner
    groups: np.ndarray | None
    #: names of all columns, kept or not, a sequence of n_columns
    column_names: Sequence
    #: whether the names were given, not generated
    named: bool
    #: whether the package made the columns, so that their norms need not be checked again
    unit_norm: bool
    #: puts new rows into the bins of the dictionary
    binning: Binning | None
    #: made the columns from a table with text and missing values
    recipe: Recipe | None
    #: the rows that a short table stands for, None for any other table
    reduced: RowsBehind | None
    #: stands for the unit columns of a table that is not copied until they are needed
    tall: ClassVar[TallColumns | None] = None

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
        loss = Squared() if loss is None else checked_piece(Loss, "loss", loss)
        loss.check()
        loss = with_floats(loss)
        center = validation.flag("center", center)
        scale = validation.flag("scale", scale)
        copy = validation.flag("copy", copy)
        table = X if isinstance(X, Reduced) else None
        if isinstance(loss, Squared) and is_lazy(X) and fits_reduced(X):
            table = short_table_of(X, y, sample_weight, offset)
            y, sample_weight, offset = table.y, table.weight, None
        if table is not None:
            X = table.X
            feature_names = table.names if feature_names is None else feature_names
        sample_weight = by_index("sample_weight", sample_weight, X)
        offset = by_index("offset", offset, X)

        is_family = _has(X, ("build", "bank"))
        is_columns = not is_family and not _has(X, Oracle.required)
        if is_family:
            X = _checked_family(X, loss)
        else:
            X = columns_of(X, copy) if is_columns else _checked_dictionary(X)
        n_samples = X.shape[0] if is_columns else X.n_samples
        target, weight = validation.response(y, sample_weight, n_samples)
        if is_family:
            matrix = _bank_of(X, weight)
        elif is_columns:
            matrix = _unit_columns_of(X, target, weight, center, scale, feature_names)
        else:
            matrix = _learners_of(X, weight, feature_names)
        dictionary, standardization, names = matrix

        if loss.labels:
            target = loss.labels(target)
        if not type(loss).__module__.startswith("coordboost.") and loss.sum_of_losses is None:
            _refuse_targets(loss, target, weight)
        group_of = validation.groups(
            dictionary.groups if groups is None else groups, standardization.n_columns
        )
        if group_of is not None:
            group_of = np.unique(group_of[standardization.kept], return_inverse=True)[1]
        if offset is not None:
            offset = validation.vector("offset", offset, n_samples, "row of X")
        target, constant, base = _start(loss, target, weight, offset, center)
        if is_family and X.newton and X.for_loss:
            curvature = total_curvature(loss, target, weight, base)
            dictionary = X.for_loss(loss, curvature).bank(weight)

        binning = None if is_columns else getattr(X, "binning", None)
        columns = "tall" if isinstance(dictionary, TallColumns) else "dictionary"
        self._set(
            **{columns: dictionary},
            loss=loss,
            standardization=standardization,
            y=target,
            weight=weight,
            constant=constant,
            base=base,
            offset=offset,
            groups=group_of,
            column_names=names,
            named=is_columns and (X.named or feature_names is not None),
            unit_norm=is_columns or binning is not None or dictionary.proven,
            binning=binning,
            recipe=None,
            reduced=table and RowsBehind(table.n_rows, table.n_lost, table.error, table.passes),
        )

    def _set(self, **parts):
        """Set the fields, all of them and once: afterwards a problem does not change."""
        vars(self).update(parts)

    @classmethod
    def restored(
        cls,
        *,
        loss: Any,
        dictionary: Any,
        standardization: Standardization,
        y: np.ndarray,
        weight: np.ndarray,
        constant: float,
        base: float | np.ndarray,
        groups: np.ndarray | None,
        feature_names: list[str],
        dropped: list[str],
        offset: np.ndarray | None = None,
        binning: Any = None,
        recipe: Any = None,
        reduced: dict[str, Any] | None = None,
    ) -> "Problem":
        """The problem with the given fields, as a file holds them.

        Each field is checked, alone and against the others.

        Parameters
        ----------
        loss, dictionary, standardization, y, weight, constant, base, groups : object
            The fields of a problem.
        feature_names, dropped : list of str
            Names of the columns kept and of those dropped, each in their order.
        offset : ndarray, (n_samples,), optional
            The offsets, as they were given.
        binning, recipe : dict, optional
            A ``Binning`` and a ``Recipe`` as plain data.
        reduced : dict, optional
            The fields of ``RowsBehind``, of a short table that stands for a long one.

        Returns
        -------
        Problem
            With these fields.

        Raises
        ------
        ValueError
            Which field does not fit, and why.
        """
        for piece in (loss, dictionary):
            if getattr(piece, "check", None):
                piece.check()
        checked_piece(Loss, "loss", loss)
        is_bank = hasattr(dictionary, "opened")
        if not is_bank:
            checked_piece(Learners, "dictionary", dictionary, "learners that a run file holds")
        m = dictionary.n_samples
        n = 0 if is_bank else dictionary.n_learners
        y = validation.stored("y", y, m)
        weight = validation.sample_weight(validation.stored("weight", weight, m), m)
        if loss.labels and not np.array_equal(loss.labels(y), y):
            raise ValueError(f"y must hold labels as {type(loss).__name__}.labels returns them.")
        if not isinstance(standardization, Standardization):
            raise ValueError(
                f"standardization must be a Standardization, got {shown(standardization)}."
            )
        standardization.check(n)
        offset = None if offset is None else validation.stored("offset", offset, m)
        _check_base(loss, constant, offset, base)
        if groups is not None and (validation.stored("groups", groups, n, np.int64) < 0).any():
            raise ValueError("groups must be numbers >= 0, or None.")
        names = _restored_names(standardization, feature_names, dropped)
        bins = getattr(dictionary, "binned", None)  # saved blocks of columns have none
        if binning is not None:
            if bins is None:
                raise ValueError("binning must be None for a dictionary without bins.")
            binning = Binning.restored(binning, bins)
        if is_bank:
            dictionary = dictionary.opened(weight, binning)
        if recipe is not None:
            recipe = Recipe.restored(recipe)
            if recipe.columns != (names if binning is None else binning.column_names):
                raise ValueError("the recipe of the table does not give the columns of the model.")
        if reduced is not None:
            reduced = RowsBehind.restored(reduced)
        # of columns none of which varies the dictionary is one learner of zeros
        is_nothing = isinstance(dictionary, Dense) and n == 1 and not dictionary.rows.any()
        problem = cls.__new__(cls)
        problem._set(
            loss=loss,
            dictionary=dictionary,
            standardization=standardization,
            y=y,
            weight=weight,
            constant=constant,
            base=base,
            offset=offset,
            groups=groups,
            column_names=names,
            named=names != [f"x{j}" for j in range(len(names))],
            unit_norm=is_nothing,
            binning=binning,
            recipe=recipe,
            reduced=reduced,
        )
        return problem

    def saved(self, n_learners: int) -> dict[str, Any]:
        """The arguments of ``restored`` for this problem, as a file holds them.

        Parameters
        ----------
        n_learners : int
            Of an implicit dictionary this many learners are saved, the first that were found.

        Returns
        -------
        dict
            The fields by their names.
        """
        arguments = {
            "loss": self.loss,
            "dictionary": self.dictionary if self.countable else self.dictionary.saved(n_learners),
            "standardization": self.standardization,
            "y": self.y,
            "weight": self.weight,
            "constant": self.constant,
            "base": self.base,
            "groups": self.groups,
            "feature_names": self.feature_names if self.countable else [],
            "dropped": self.dropped,
            "offset": self.offset,
        }
        if self.recipe is not None:
            arguments["recipe"] = self.recipe.plain()
        if self.binning is not None:
            arguments["binning"] = self.binning.saved()
        if self.reduced is not None:
            arguments["reduced"] = self.reduced._asdict()
        return arguments

    def replace(self, **changed: Any) -> "Problem":
        """The problem with some of its fields changed; the new values are not checked.

        Parameters
        ----------
        **changed
            New values by the names of the fields, such as ``y=...``.

        Returns
        -------
        Problem
            A new problem, which shares the other fields with this one.
        """
        absent = () if self.has_data else DATA
        names = [field.name for field in fields(self) if field.name not in absent]
        kept = {name: getattr(self, name, None) for name in names}
        if absent:
            kept["total_weight"] = self.total_weight
        problem = Problem.__new__(Problem)
        problem._set(**kept | changed)
        return problem

    def without_data(self) -> "Problem":
        """The same problem without its training data, as pickles of estimators hold it.

        It predicts, names columns and converts coefficients. What needs the targets, the weights or
        the columns raises a ValueError.

        Returns
        -------
        Problem
            A new problem.
        """
        problem = Problem.__new__(Problem)
        apart = (*DATA, "dictionary")
        kept = {
            each.name: getattr(self, each.name) for each in fields(self) if each.name not in apart
        }
        kept["dictionary"] = self.learners.without_data()
        problem._set(**kept, total_weight=self.total_weight)
        return problem

    @property
    def has_data(self) -> bool:
        """Whether the training data are there: see ``without_data``."""
        return "y" in vars(self)

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

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name == "dictionary" and "tall" in vars(self):
                self._set(dictionary=self.tall.made())
                return self.dictionary
            if name in DATA and "loss" in vars(self):
                raise no_data("a loss, a certificate or a further step")
            raise AttributeError(f"'Problem' object has no attribute {name!r}")

    @cached_property
    def feature_names(self) -> list[str]:
        """Names of the learners, a list.

        For learners found by a search, such as trees, of those found so far.
        """
        if not self.countable:
            return [self.dictionary.name(j) for j in range(self.n_learners)]
        return [self.column_names[j] for j in self.standardization.kept]

    @cached_property
    def dropped(self) -> list[str]:
        """Names of the dropped columns, which are constant, a list."""
        return [self.column_names[j] for j in self.standardization.aside]

    def __repr__(self):
        size = f"{self.n_samples} x {self.n_learners if self.countable else 'any number'}"
        size += "" if self.reduced is None else f" for {self.n_rows} rows"
        return f"<Problem {size}, {shown(self.loss)}, {type(self.learners).__name__}>"

    @property
    def learners(self) -> Any:
        """The dictionary, or what stands for it until it is needed."""
        return self.tall if self.tall is not None else self.dictionary

    @property
    def stored(self) -> bool:
        """Whether all learners are stored as one dense array, or can be."""
        return self.tall is not None or self.dictionary.rows is not None

    @property
    def countable(self) -> bool:
        """Whether all learners are listed, so that one scan gives all correlations.

        False for learners found by a search.
        """
        return self.learners.countable

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.learners.n_samples

    @cached_property
    def n_rows(self) -> int:
        """Number of rows with a weight above 0; of a table of Dask, of the rows there."""
        return int(np.count_nonzero(self.weight)) if self.reduced is None else self.reduced.n_rows

    @property
    def n_summed(self) -> int:
        """Number of terms in an inner product of two columns, for bounds of its rounding."""
        return self.n_samples if self.reduced is None else max(self.n_samples, self.n_rows)

    @property
    def n_learners(self) -> int:
        """Number of learners, the columns of B."""
        return self.learners.n_learners

    @cached_property
    def total_weight(self) -> float:
        """Sum of the weights of the samples."""
        return float(self.weight.sum())

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
        return total - 2 * EPS * size if size < math.inf else -math.inf

    @cached_property
    def _infima(self):
        """The sum of the infima of the losses, and the sum of their absolute values."""
        if isinstance(self.loss.infimum, float) and self.loss.infimum == 0:
            return 0.0, 0.0
        infima = validation.infimum(self.loss, self.y)
        if not infima.any():
            return 0.0, 0.0
        counts = self.weight > 0
        terms = self.weight[counts] * infima[counts]
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
    def start_resid(self) -> np.ndarray:
        """The residual at beta = 0, (n_samples,): not to be written to."""
        return self.resid(0.0 * self.y)

    @cached_property
    def start_size(self) -> float:
        """The largest abs correlation at beta = 0. *Cost*: one scan, once."""
        return float(np.abs(self.scan(self.start_resid)).max())

    @cached_property
    def tie(self) -> float:
        """Correlations that differ by at most this tie: a bound of the rounding error of one at
        beta = 0, 2 n eps ||resid||.
        """
        return 2 * self.n_summed * EPS * self.size(self.start_resid)

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
            else validation.checked_columns(self.dictionary, index, self.weight)
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
        return pred if offset is None else pred + validation.known_part(offset, len(pred), X)


def _has(X, verbs):
    """Whether `X` is a collection of learners: it has one of the methods `verbs`, and is no data
    frame with columns of these names.
    """
    return any(hasattr(X, verb) for verb in verbs) and not is_frame(X)


def _checked_family(X, loss):
    """Return the implicit dictionary `X`; raise if it lacks methods, or `loss` lacks those that it
    needs.
    """
    checked_piece(
        LearnerFamily, "X", X, "a family with n_samples, find(v, k, above) and build(learner)"
    )
    if X.newton and loss.curvature is None:
        raise ValueError(
            f"{type(loss).__name__} has no curvature(y, f), which newton=True needs: add it or "
            "pass newton=False."
        )
    validation.whole("n_samples", X.n_samples, 1)
    return X


def _checked_dictionary(X):
    """Return `X` as learners, or as ``BinnedLearners``, which the package made; raise if it lacks
    methods.
    """
    if isinstance(X, BinnedLearners):
        return X
    if is_piece(X):
        checked_piece(Learners, "X", X, "a matrix, learners or an oracle")
        lacking = [verb for verb in KERNELS if getattr(type(X), verb) is getattr(Learners, verb)]
        if lacking:
            raise ValueError(
                f"{type(X).__name__}, a piece, lacks the kernels {', '.join(lacking)}; add them, "
                f"or pass Oracle({type(X).__name__}(...))."
            )
    else:
        X = Oracle(X)
    X.check()
    validation.whole("n_samples", X.n_samples, 1)
    validation.whole("n_learners", X.n_learners, 1)
    return X


class Matrix(NamedTuple):
    """The matrix B: its learners, the way back to the columns of X, and the names of these."""

    dictionary: Any
    standardization: Standardization
    names: Sequence


def _bank_of(X, weight):
    """The learners that a search in the family `X` will find: none so far."""
    dictionary = Bank(X, weight) if X.bank is None else X.bank(weight)
    return Matrix(dictionary, Standardization.identity(0), [])


def _learners_of(X, weight, feature_names):
    """The learners of `X` with unit norm in the metric of the weights.

    Their names are those that they give themselves, unless `feature_names` are given.
    """
    learners = X.weighted(weight) if X.weighted else X
    dictionary = learners
    if isinstance(X, BinnedLearners):
        dictionary = learners.dictionary
    else:
        validation.whole("n_learners", learners.n_learners, 1)
        if not learners.proven:
            validation.check_dictionary(learners, weight)
    n = dictionary.n_learners
    own_names = Names(learners.name, range(n))
    names = own_names if feature_names is None else names_of(feature_names, n)
    return Matrix(dictionary, Standardization.identity(n), names)


def _unit_columns_of(X, target, weight, center, scale, feature_names):
    """The raw columns `X`, standardised, without those that are constant."""
    n_columns = X.shape[1]
    names = X.names if feature_names is None else names_of(feature_names, n_columns)
    made = X.learners(target, weight, center, names) if isinstance(X, TallTable) else None
    dictionary, standardization = made or X.standardized(weight, center, scale, names)
    names = names_of(names, n_columns)
    if len(standardization.kept) < n_columns:
        _report_constant(X, weight, standardization, names)
    if not len(standardization.kept):
        dictionary, standardization = nothing(*X.shape)
    return Matrix(dictionary, standardization, names)


def _report_constant(X, weight, standardization, names):
    """Warn about columns that do not vary, and about those that vary within their rounding."""
    unused = standardization.aside
    every = not len(standardization.kept)
    varies = X.varies(unused, counted(weight))
    validation.report_constant(Names(names.__getitem__, unused[~varies]), every=every)
    validation.report_constant(
        Names(names.__getitem__, unused[varies]), "almost constant", SUBTRACT, every
    )


def _base_of(loss, constant, offset):
    """What the loss adds to ``pred``: 0 if constant and offset were subtracted from y, else the
    constant plus the offset, if any.
    """
    if loss.location:
        return 0.0
    return constant if offset is None else constant + offset


def _start(loss, target, weight, offset, center):
    """The target that is left to fit, the best constant prediction, and the base of ``pred``."""
    known = offset if loss.location and offset is not None else 0.0  # subtracted from y
    constant = 0.0
    if center:
        unknown = target if offset is None else target - known
        constant = _constant(loss, unknown, weight, None if loss.location else offset)
    base = _base_of(loss, constant, offset)
    if loss.location:
        target = _minus_known_part(target, known, constant, weight > 0)
    return target, constant, base


def _check_base(loss, constant, offset, base):
    """Raise unless `constant` is finite, and `base` is what it and the offset imply."""
    if not (isinstance(constant, float) and np.isfinite(constant)):
        raise ValueError(f"constant must be a finite number, got {shown(constant)}.")
    expected = _base_of(loss, constant, offset)
    if not (type(base) is type(expected) and np.array_equal(base, expected)):
        raise ValueError(
            f"base must be {shown(expected)}, as constant and offset imply, got {shown(base)}."
        )


def _restored_names(standardization, feature_names, dropped):
    """The names of all columns, from those of the columns kept and of those dropped."""
    n_kept = len(standardization.kept)
    kept_names = validation.stored_names("feature_names", feature_names, n_kept)
    other_names = validation.stored_names("dropped", dropped, standardization.n_columns - n_kept)
    names = np.empty(standardization.n_columns, dtype=object)
    names[standardization.kept] = kept_names
    names[standardization.aside] = other_names
    return names.tolist()


def _refuse_targets(loss, y, weight):
    """Refuse targets for which the loss of a user has no value."""
    try:
        if not math.isnan(total_of(loss, y, weight, 0.0, np.zeros(len(y)))):
            return
    except (ArithmeticError, ValueError):
        pass
    for target in y[weight > 0].tolist():
        try:
            known = not math.isnan(loss.value(target, 0.0))
        except OverflowError:
            known = True
        except (ArithmeticError, ValueError):
            known = False
        if not known:
            raise ValueError(
                f"{type(loss).__name__} does not accept the target {target:.6g}: "
                f"value({target:.6g}, 0.0) is not a number; drop or recode "
                "those rows."
            )


def _constant(loss, y, weight, offset):
    """The best constant prediction: by the formula of the loss, else where residuals sum to 0; 0 if
    the loss is not convex.

    With an `offset` the formula does not apply; it is called only because it raises if the best
    constant is infinite.
    """
    best = None if loss.constant is None else loss.constant(y, weight)
    if best is not None and offset is None:
        return best
    if not loss.convex:
        return 0.0
    zero = np.zeros(len(y)) if offset is None else offset
    resid = np.empty(len(y))
    # a loss of y - f: its constant has the unit of y and lies among the targets
    shift_invariant = loss.location

    def sum_of_residuals(constant):
        residual_into(loss, y, weight, constant, zero, resid)
        total = float(resid.sum())
        return 0.0 if abs(total) <= 4 * EPS * float(np.abs(resid).sum()) else total

    unit = (float(np.abs(y).max()) or 1.0) if shift_invariant else 1.0
    near = float(np.average(y if shift_invariant else -zero, weights=weight))
    far = farthest_constant(y, shift_invariant) + float(np.abs(zero).max())
    root = falling_root(sum_of_residuals, near, unit / 8, (-far, far), 1e-15 * unit)[0]
    if root is None:
        raise InfiniteConstant(
            f"the best constant prediction of {type(loss).__name__} is infinite for these y"
        )
    return root


def _minus_known_part(y, offset, constant, counts):
    """Y - offset - constant.

    0 in all rows that count if it is only rounding error there, so that no model is fitted to
    rounding.
    """
    remainder = y - offset
    remainder -= constant
    rows = slice(None) if counts.all() else counts  # a mask copies
    largest = max(_largest(y[rows]), float(np.abs(offset).max()))
    if _largest(remainder[rows]) <= 16 * EPS * largest:
        remainder[rows] = 0.0
    return remainder


def _largest(values):
    """The largest absolute value, without an array of absolute values."""
    return max(float(values.max()), -float(values.min()))


def numbers_as_in(X, problem):
    """Encode a data frame by the recipe of the `problem`, if it has one.

    Return other rows unchanged.
    """
    if problem.recipe is None or not is_frame(X):
        return X
    return problem.recipe.numbers(as_pandas(X))


def columns_as_in(X, problem):
    """Return new rows as raw columns, in the order of the columns of the fitted `problem`.

    A data frame is encoded by the recipe of the `problem`, if it has one.

    Raises
    ------
    ValueError
        If the number of columns or their names differ.
    """
    X = columns_of(numbers_as_in(X, problem))
    names = problem.column_names
    index = indices_of(names, X.names if X.named else None, problem.named)
    if X.shape[1] != len(names):
        raise ValueError(f"X must have {len(names)} columns as in the fit, got {X.shape[1]}.")
    return X if index is None else X.ordered(index)


def learners_at(X, problem):
    """The learners of the fitted `problem` on new rows: raw columns, or what a dictionary such as
    stumps makes of them.
    """
    if not problem.learners.at:
        return columns_as_in(X, problem)
    return problem.dictionary.at(
        X if problem.binning is None else problem.binning.bin(numbers_as_in(X, problem))
    )


def checked_problem(problem):
    """Return `problem`; raise unless it is a Problem."""
    if not isinstance(problem, Problem):
        raise ValueError(f"problem must be a Problem(X, y, ...), got {shown(problem)}.")
    return problem
