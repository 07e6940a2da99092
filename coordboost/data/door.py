"""Validate the input of a ``Problem`` and build its parts, or raise one clear ``ValueError``.

Raw columns in memory (an array, a data frame or a sparse matrix) are wrapped in ``MemoryColumns``.
"""

import math
from copy import copy as shallow_copy

import numpy as np
import scipy.sparse

from coordboost._numba import is_piece
from coordboost._numba.sums import residual_into, total_curvature, total_of
from coordboost._utils.checks import InfiniteConstant, with_floats
from coordboost._utils.kinds import checked_piece
from coordboost._utils.root import falling_root, farthest_constant
from coordboost.data import validation
from coordboost.data.frames import Names, indices_of, names_of
from coordboost.data.parts import Parts, base_of
from coordboost.data.probe import check_dictionary
from coordboost.data.standardize import (
    Standardization,
    counted,
    nothing,
    standardize_dense,
    standardize_sparse,
)
from coordboost.data.stump_learners import BinnedLearners
from coordboost.learners import Oracle
from coordboost.learners.bank import Bank
from coordboost.learners.base import LearnerFamily, Learners
from coordboost.losses.base import Loss

#: Methods that a compiled loop calls: a piece must define them itself.
KERNELS = ("correlations", "dot", "add")
#: Advice if columns vary by less than the rounding of their largest entry.
SUBTRACT = (
    "; they vary by less than the rounding of float64 at their size, so subtract a "
    "constant from them first"
)


def parts_of(X, y, loss, sample_weight, center, scale, groups, feature_names, copy, offset=None):
    """Validate the arguments of ``Problem`` and return its ``Parts``."""
    checked_piece(Loss, "loss", loss)
    loss.check()
    loss = with_floats(loss)
    center = validation.flag("center", center)
    scale = validation.flag("scale", scale)
    copy = validation.flag("copy", copy)
    is_family = _has(X, ("build", "bank"))
    is_learners = is_family or _has(X, Oracle.required)
    read = _from_family if is_family else _from_dictionary if is_learners else _from_columns
    binning = getattr(X, "binning", None) if is_learners else None
    if is_family:
        checked_piece(
            LearnerFamily, "X", X, "a family with n_samples, find(v, k, above) and build(learner)"
        )
        if X.newton and loss.curvature is None:
            raise ValueError(
                f"{type(loss).__name__} has no curvature(y, f), which newton=True needs: add it or "
                "pass newton=False."
            )
    if not is_learners:
        X = columns_of(X, copy)
    y, weight, dictionary, standardization, names, named = read(
        X, y, sample_weight, center, scale, feature_names
    )
    if loss.labels:
        y = loss.labels(y)
    group_of = validation.groups(
        dictionary.groups if groups is None else groups, standardization.n_columns
    )
    group_of = (
        None
        if group_of is None
        else np.unique(group_of[standardization.kept], return_inverse=True)[1]
    )
    if not type(loss).__module__.startswith("coordboost.") and loss.sum_of_losses is None:
        _refuse_targets(loss, y, weight)
    offset = None if offset is None else validation.vector("offset", offset, len(y), "row of X")
    known = offset if loss.location and offset is not None else 0.0  # subtracted from y
    constant = (
        0.0 if not center else _constant(loss, y - known, weight, None if loss.location else offset)
    )
    base = base_of(loss, constant, offset)
    if loss.location:
        y = _minus_known_part(y, known, constant, weight > 0)
    if is_family and X.newton and X.for_loss:
        dictionary = X.for_loss(loss, total_curvature(loss, y, weight, base)).bank(weight)
    unit_norm = not is_learners or binning is not None or dictionary.proven
    recipe = getattr(X, "recipe", None)
    return Parts(
        loss,
        dictionary,
        standardization,
        y,
        weight,
        constant,
        base,
        group_of,
        names,
        named,
        unit_norm,
        binning,
        recipe,
        offset,
    )


def _has(X, verbs):
    """Whether `X` is a collection of learners: it has one of the methods `verbs`, and is no data
    frame with columns of these names.
    """
    return any(hasattr(X, verb) for verb in verbs) and not validation.is_frame(X)


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
    """The best constant prediction: by the formula of the loss.

    Else where residuals sum to 0, or 0 if the loss is not convex.

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
    shift_invariant = (
        loss.location
    )  # a loss of y - f: its constant has the unit of y and lies among the targets

    def sum_of_residuals(constant):
        residual_into(loss, y, weight, constant, zero, resid)
        total = float(resid.sum())
        return 0.0 if abs(total) <= 4 * np.finfo(float).eps * float(np.abs(resid).sum()) else total

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
    rest = y - offset - constant
    if np.abs(rest[counts]).max() <= 16 * np.finfo(float).eps * max(
        np.abs(y[counts]).max(), np.abs(offset).max()
    ):
        rest[counts] = 0.0
    return rest


def _from_columns(X, y, sample_weight, center, scale, feature_names):
    """Return y, weights, a dictionary of the standardised columns, their standardization, the
    names, and whether the user gave names.
    """
    names = names_of(X.names if feature_names is None else feature_names, X.shape[1])
    y, weight = validation.response(y, sample_weight, X.shape[0])
    dictionary, standardization = X.standardized(weight, center, scale)
    if len(standardization.kept) < len(names):
        unused = standardization.aside
        all_of_them = not len(standardization.kept)
        barely_varies = X.varies(unused, counted(weight))
        validation.report_constant(
            Names(names.__getitem__, unused[~barely_varies]), every=all_of_them
        )
        validation.report_constant(
            Names(names.__getitem__, unused[barely_varies]),
            "almost constant",
            SUBTRACT,
            all_of_them,
        )
    if not len(standardization.kept):
        dictionary, standardization = nothing(*X.shape)
    return y, weight, dictionary, standardization, names, X.named or feature_names is not None


def _from_family(X, y, sample_weight, center, scale, feature_names):
    """As ``_from_columns``, for an implicit dictionary of which no learner has been found yet."""
    m = validation.whole("n_samples", X.n_samples, 1)
    y, weight = validation.response(y, sample_weight, m)
    empty = np.zeros(0)
    bank = Bank(X, weight) if X.bank is None else X.bank(weight)
    return y, weight, bank, Standardization(empty.astype(np.int64), empty, empty, 0), [], False


def _from_dictionary(X, y, sample_weight, center, scale, feature_names):
    """As ``_from_columns``, for a dictionary of unit columns, which are not standardised."""
    if isinstance(X, BinnedLearners):
        return _from_bins(X, y, sample_weight, feature_names)
    dictionary = (
        checked_piece(Learners, "X", X, "a matrix, learners or an oracle")
        if is_piece(X)
        else Oracle(X)
    )
    lacking = [
        verb
        for verb in KERNELS
        if getattr(type(dictionary), verb) is getattr(Learners, verb) and is_piece(X)
    ]
    if lacking:
        raise ValueError(
            f"{type(X).__name__}, a piece, lacks the kernels {', '.join(lacking)}; add them, or "
            f"pass Oracle({type(X).__name__}(...))."
        )
    dictionary.check()
    m = validation.whole("n_samples", dictionary.n_samples, 1)
    n = validation.whole("n_learners", dictionary.n_learners, 1)
    y, weight = validation.response(y, sample_weight, m)
    if dictionary.weighted:
        dictionary = dictionary.weighted(weight)
        n = validation.whole("n_learners", dictionary.n_learners, 1)
    if not dictionary.proven:
        check_dictionary(dictionary, weight)
    return y, weight, dictionary, _as_they_are(n), _names(dictionary, feature_names), False


def _as_they_are(n):
    """The identity standardization of `n` columns."""
    return Standardization(np.arange(n), np.zeros(n), np.ones(n), n)


def _from_bins(X, y, sample_weight, feature_names):
    """As ``_from_columns``, for learners on binned features: the package made them, so they need no
    check.
    """
    y, weight = validation.response(y, sample_weight, X.n_samples)
    learners = X.weighted(weight)
    n = learners.n_learners
    return y, weight, learners.dictionary, _as_they_are(n), _names(learners, feature_names), False


def _names(dictionary, feature_names):
    """Names of learners: `feature_names`, or if None those of the dictionary."""
    n = dictionary.n_learners
    return Names(dictionary.name, range(n)) if feature_names is None else names_of(feature_names, n)


class MemoryColumns:
    """Raw columns `X`, float64 (n_samples, n_columns), an array (perhaps the caller's own) or CSC.

    names : column names of a data frame, or None; named : whether they are strings, not numbers
    must_copy : whether X must not be overwritten; False only for an array and `copy` False, as
    anything else may share memory with the caller
    """

    def __init__(self, X, copy=True):
        self.named = validation.is_frame(X) and all(isinstance(name, str) for name in X.columns)
        self.X, self.names = validation.matrix(X)
        self._original = X if isinstance(X, np.ndarray) else self.X
        self.shape = self.X.shape
        self.must_copy = copy or not isinstance(X, np.ndarray)

    def standardized(self, weight, center, scale):
        """A dictionary of the columns, and their standardization."""
        if scipy.sparse.issparse(self.X):
            return standardize_sparse(self.X, weight, center, scale, self.names)
        return standardize_dense(self.X, weight, center, scale, self.names, self.must_copy)

    def varies(self, columns, rows):
        """Which of the `columns` have two different values in the `rows` that count, a mask.

        Integers are compared before rounding.
        """
        if scipy.sparse.issparse(self.X):
            part = self.X[:, columns][rows]
            return (part.min(axis=0).toarray() != part.max(axis=0).toarray()).ravel()
        return np.array(
            [(self._original[rows, j] != self._original[rows, j][:1]).any() for j in columns],
            dtype=bool,
        )

    def ordered(self, index):
        """Return the same columns in another order: at j the column ``index[j]``."""
        moved = shallow_copy(self)
        moved.X, moved.names = self.X[:, index], [self.names[j] for j in index]
        return moved

    def combine(self, coef):
        """The sum of the columns times `coef`, (n_samples,)."""
        validation.check_columns(self.X, names=self.names)
        return self.X @ coef

    def part(self, columns, rows):
        """Some columns of the rows in a slice, (n_rows, len(columns)), sparse where X is."""
        out = (
            self.X[:, columns][rows] if scipy.sparse.issparse(self.X) else self.X[rows][:, columns]
        )
        validation.check_columns(out)
        return out


def columns_of(X, copy=True):
    """Return `X` if it has the methods of ``MemoryColumns``, else wrap it."""
    return X if hasattr(X, "standardized") else MemoryColumns(X, copy)


class RecipeColumns(MemoryColumns):
    """Columns that a recipe made from a table; a Problem on them predicts for new tables.

    X : float64 (n_samples, n_columns), an array or CSC;  recipe : ``coordboost.data.recipe.Recipe``
    """

    def __init__(self, X, recipe):
        super().__init__(X)
        self.recipe = recipe
        self.names = recipe.columns
        self.named = True


def numbers_as_in(X, problem):
    """Encode a data frame by the recipe of the `problem`, if it has one.

    Return other rows unchanged.
    """
    if problem.recipe is None or not validation.is_frame(X):
        return X
    return problem.recipe.numbers(validation.as_pandas(X))


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
    if not problem.dictionary.at:
        return columns_as_in(X, problem)
    return problem.dictionary.at(
        X if problem.binning is None else problem.binning.bin(numbers_as_in(X, problem))
    )
