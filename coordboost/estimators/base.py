"""Base of all estimators.

Checks of their input, error messages for unknown arguments, mixins for regression and
classification.

An estimator inherits from two classes. A base class supplies the method: ``trees._BaseBooster``
(trees, one run of the loop for each target) or ``linear._BaseLinear`` (one path for each target).
``Regression`` or ``Classification`` supplies loss, targets and predictions.
"""

import contextvars
import copy
import numbers
import re
from collections.abc import Mapping
from contextlib import contextmanager
from functools import wraps
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import _safe_indexing, assert_all_finite, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from coordboost._utils.checks import InfiniteConstant, not_negative, real, shown
from coordboost._utils.interrupt import uncut
from coordboost._utils.kinds import checked_piece
from coordboost.data.bins_on_parts import TableOnParts, left_in_place
from coordboost.data.frames import by_index, is_frame, is_series, listed, refuse_times
from coordboost.data.validation import collected, known_part, of_moderate_size, sound, vector
from coordboost.estimators.on_dask import lazily, score_of_parts
from coordboost.estimators.other_names import check_arguments, no_parameter, own_names
from coordboost.learners.stores.daskarray import is_lazy
from coordboost.losses.base import Loss, link_of, on_scale_of_y
from coordboost.losses.standard import Logistic, Squared

#: Kinds of arrays that hold labels, whatever their entries.
LABELS = "biuSU"
#: What random_state may be, in words.
SEED = "a whole number from 0 to 2^32 - 1, a RandomState of NumPy, or None"


def table_in_memory(X):
    """Return what ``in_memory`` does of a table X; one row of a data frame, and rows as dicts, are
    refused.
    """
    if is_series(X):
        raise ValueError(
            "X is a Series, one row or one column: pass a data frame, such as frame.iloc[[0]] or "
            "frame[['age']]."
        )
    if isinstance(X, list | tuple) and any(isinstance(row, dict) for row in X[:1]):
        raise ValueError("X is a list of dicts: pass pandas.DataFrame(X).")
    return in_memory("X", X)


def in_memory(name, values):
    """Return `values`, an array, a data frame or a sparse matrix.

    A Dask array is loaded into memory.

    Raises
    ------
    ValueError
        For anything else.
    """
    values = collected(name, values)
    known = (
        isinstance(values, list | tuple)
        or issparse(values)
        or hasattr(values, "__array__")
        or is_frame(values)
    )
    if isinstance(values, type) or not known:
        hint = (
            "; open_columns(...) is for Problem(open_columns(...), y)"
            if hasattr(values, "standardized")
            else ""
        )
        raise ValueError(
            f"{name} must be an array, a data frame or a sparse matrix, got {shown(values)}{hint}."
        )
    return values


def refuse_repeated_names(X):
    """Refuse a data frame in which two columns have one name.

    scikit-learn matches columns by name.
    """
    names = [str(name) for name in X.columns]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"X has {names.count(repeated)} columns called {repeated!r}; give each column its "
            "own name."
        )


@contextmanager
def in_float64(name):
    """A context for conversions to float64: whole numbers that it cannot hold are refused."""
    try:
        yield
    except OverflowError:
        raise ValueError(
            f"{name} must hold numbers that float64 can hold: one has too many digits."
        ) from None
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(f"{name} must have rows of equal length.") from None


def is_plain(estimator, X):
    """Whether ``validate_data`` has nothing to do or to say about X, an array of floats.

    For one row it takes as long as the prediction.
    """
    return (
        type(X) is np.ndarray
        and X.dtype.type in (np.float64, np.float32)
        and X.dtype.isnative
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == getattr(estimator, "n_features_in_", 0)
        and not hasattr(estimator, "feature_names_in_")
    )


def check_table(estimator, X, *, reset=False):
    """Return X, missing values allowed.

    A data frame stays as it is, a sparse matrix becomes CSC, anything else an array of floats.
    """
    if not reset and is_plain(estimator, X):
        return X
    X = table_in_memory(X)
    if is_frame(X):
        refuse_repeated_names(X)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    refuse_times("X", X)
    X = sound(X) if issparse(X) else X
    kinds = {"dtype": [np.float64, np.float32], "ensure_all_finite": False, "accept_sparse": "csc"}
    with in_float64("X"):
        return validate_data(estimator, X, reset=reset, **kinds)


def check_rows_in_place(estimator, X, *, reset=False):
    """Return what ``check_table`` does, or a ``TableOnParts``: rows on a cluster stay there."""
    table = left_in_place(X)
    if not isinstance(table, TableOnParts):
        return check_table(estimator, X, reset=reset)
    columns = np.empty((0, table.shape[1]))
    if table.names is not None:
        import pandas as pd

        columns = pd.DataFrame(columns, columns=table.names)
        refuse_repeated_names(columns)
    validate_data(estimator, columns, reset=reset, skip_check_array=True)
    return table


@contextmanager
def named(**names):
    """A context in which messages of a ValueError call parameters by other names.

    As in ``named(y="y_val")``.
    """
    try:
        yield
    except ValueError as error:
        message = re.sub(
            rf"\b({'|'.join(names)})\b(?! \()", lambda found: names[found[0]], str(error)
        )
        raise ValueError(message) from None


def check_seed(random_state):
    """Return a seed drawn with `random_state`: a whole number, a RandomState of NumPy, or None."""
    known = (
        isinstance(random_state, np.random.RandomState)
        or random_state is None
        or random_state is np.random
    )
    if not known:
        real(
            "random_state",
            random_state,
            lambda seed: 0 <= seed < 1 << 32 and seed == int(seed),
            SEED,
        )
    return int(
        check_random_state(random_state if known else int(random_state)).randint(
            np.iinfo(np.int32).max
        )
    )


def check_target(estimator, X, y, *, numeric):
    """Return y (n_samples,), as float64 if `numeric`."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    y = in_memory("y", y)
    if numeric:
        refuse_times("y", y)
        _refuse_words(y)
    with in_float64("y"):
        if numeric and isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "fiub":
            y = y.astype(np.float64, copy=False)
        elif numeric or not (type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in LABELS):
            y = column_or_1d(y, warn=True, dtype=np.float64 if numeric else None)
        if y.dtype.kind == "O":
            _ = [float(label) for label in y if isinstance(label, int)]
    assert_all_finite(y, input_name="y")
    if len(y) != X.shape[0]:
        raise ValueError(
            f"y must have one entry per row of X: expected {X.shape[0]}, got {len(y)}."
        )
    return y


def _refuse_words(y):
    """Refuse a target with text or other values that are no numbers."""
    values = np.asarray(y)
    for value in [] if values.dtype.kind in "fiub" else values.ravel().tolist():
        try:
            float(value)
        except (TypeError, ValueError, OverflowError):
            how = "use a classifier for text" if isinstance(value, str) else "drop or fix its row"
            raise ValueError(f"y must hold numbers, got {shown(value)}; {how}.") from None


def check_weights(X, sample_weight, name="sample_weight"):
    """Return sample_weight (n_samples,), or None if it is None or all weights are 1.

    A Series is matched with a data frame X by its index.
    """
    if sample_weight is None:
        return None
    sample_weight = by_index(name, sample_weight, X)
    if not isinstance(sample_weight, numbers.Number):
        sample_weight = in_memory(name, sample_weight)
    try:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except OverflowError:
        raise ValueError(
            f"{name} must be numbers that float64 can hold, got {shown(sample_weight)}."
        ) from None
    except ValueError as error:
        message = (
            str(error)
            .replace("Sample weights", name)
            .replace("`sample_weight`", name)
            .replace("Input sample_weight", name)
        )
        if not message.isprintable():
            message = f"{name} must be real numbers, one per row of X, got {shown(sample_weight)}."
        raise ValueError(message) from None
    if not weight.any():
        raise ValueError(f"{name} must contain at least one non-zero number.")
    of_moderate_size(name, weight)
    return None if (weight == 1).all() else weight


def check_offset(X, offset, name="offset"):
    """Return offset (n_samples,), or None if it is None.

    A Series is matched with a data frame X by its index.
    """
    if offset is None:
        return None
    return vector(name, in_memory(name, by_index(name, offset, X)), X.shape[0], "row of X")


def class_weights(given, classes, y, weight):
    """Return the weight of each class, (n_classes,).

    It is the parameter `given` of a classifier for rows with the class indices `y` and weights, or
    None for weights of 1. As in scikit-learn's ``LogisticRegression``, "balanced" gives all
    classes the same sum of weights.
    """
    if isinstance(given, str) and given == "balanced":
        sums = np.bincount(y, weight, minlength=len(classes))
        return np.divide(
            sums.sum(), np.count_nonzero(sums) * sums, out=np.ones(len(classes)), where=sums > 0
        )
    if not isinstance(given, dict):
        raise ValueError(
            "class_weight must be 'balanced', or a dict with a weight for each class, got "
            f"{shown(given)}."
        )
    strange = [name for name in given if name not in classes]
    if strange and len(given) - len(strange) < len(classes):
        known = listed([repr(name) for name in classes])
        raise ValueError(
            f"class_weight has a weight for {shown(strange[0])}, which is no class of y; its "
            f"classes are {known}."
        )
    return np.array(
        [not_negative(f"class_weight[{name!r}]", given.get(name, 1.0)) for name in classes]
    )


def some_rows(index, X, *columns):
    """Return the rows `index` of X, which increase, and of each of the `columns`.

    The columns are y, weights and offset; None stays None.
    """
    some = X.rows(index) if isinstance(X, TableOnParts) else _safe_indexing(X, index)
    return some, *(None if column is None else column[index] for column in columns)


def rows_with_weight(X, y, weight, *more):
    """Return the rows with a weight above 0.

    Rows of weight 0 would still move the edges of bins.
    """
    if weight is None or weight.all():
        return X, y, weight, *more
    return some_rows(np.flatnonzero(weight), X, y, weight, *more)


def given_offset(offset):
    """Return the keyword argument `offset` of ``predict``, if it is given.

    A subclass need not take one.
    """
    return {} if offset is None else {"offset": offset}


def need_offset(estimator, offset):
    """Refuse to score a model that was fitted with an offset without that of the new rows.

    As R's glmnet does. Predictions without one are useful, such as rates for an exposure of 1, but
    targets are compared with predictions of the same rows.
    """
    if offset is None and getattr(estimator, "_fitted_with_offset", False):
        raise ValueError(
            "the model was fitted with an offset: pass that of these rows, score(X, y, "
            "offset=...); zeros for none."
        )


def with_offset(raw, offset, X=None):
    """Return the predictions `raw` for the rows of X on the link scale, plus `offset` if given.

    They are (n_samples, n_models) and (n_samples,). A Series is matched with a data frame X by its
    index.
    """
    if offset is None:
        return raw
    check_one_model(raw.shape[1])
    return raw + known_part(offset, len(raw), X)[:, None]


def check_one_model(n_models):
    """Refuse an offset if each class has a model of its own."""
    if n_models > 1:
        raise ValueError(
            f"an offset needs a single model, and there are {n_models}, one for each class: fit "
            "two classes, or CertifiedLassoClassifier(multinomial=True), whose offset has a column "
            "for each class."
        )


def checked_call(method):
    """Wrap `method` of an estimator, so that errors for unknown arguments help.

    They name its equivalent here, if there is one.
    """

    @wraps(method)
    def call(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except TypeError:
            cls = type(self)
            check_arguments(cls, f"{cls.__name__}.{method.__name__}", method, args, kwargs)
            raise

    return call


def all_or_nothing(fit):
    """Wrap `fit` as a ``checked_call``.

    If it raises, restore the estimator, so that parts of two fits are never mixed.

    Ctrl-C raises as well: it never leaves a shorter run or path as the result of a fit.
    """

    @wraps(fit)
    def attempt(self, *args, **kwargs):
        before = dict(vars(self))
        try:
            with uncut():
                return fit(self, *args, **kwargs)
        except BaseException as error:
            vars(self).clear()
            vars(self).update(before)
            # whose message recommends center=False: estimators have no such parameter
            if isinstance(error, InfiniteConstant):
                error.args = (
                    error.args[0],
                    "add rows with another target"
                    + (", or take other folds (cv)" if hasattr(self, "cv") else ""),
                )
            raise

    return checked_call(attempt)


#: Whether pickles of estimators hold the training data in this context.
_KEEP_DATA = contextvars.ContextVar("_KEEP_DATA", default=False)


@contextmanager
def keep_data():
    """A context in which pickles of fitted estimators hold the training data.

    Without it they hold what predictions need, also those of earlier iterations and of other points
    of the path. What needs the data after loading, such as a certificate or a warm start, raises a
    ValueError that says so.

    Yields
    ------
    None

    Examples
    --------
    >>> import pickle
    >>> import coordboost as cb
    >>> X, y = [[float(i % 7), float(i % 5)] for i in range(60)], [float(i % 7) for i in range(60)]
    >>> model = cb.RandomizedGBMRegressor(n_estimators=5).fit(X, y)
    >>> with cb.estimators.keep_data():
    ...     whole = pickle.dumps(model)
    >>> pickle.loads(whole).run_.resume(5).n_steps
    10
    >>> pickle.loads(pickle.dumps(model)).run_.problem.has_data
    False
    """
    token = _KEEP_DATA.set(True)
    try:
        yield
    finally:
        _KEEP_DATA.reset(token)


class _BaseEstimator(BaseEstimator):
    """Abstract base of all estimators.

    The error for an unknown parameter names its equivalent here, if there is one.
    """

    def __new__(cls, *args, **kwargs):
        check_arguments(cls, cls.__name__, cls.__init__, args, kwargs)
        return super().__new__(cls)

    #: Fitted attributes that need the training data, name -> value, where a pickle left these out.
    _kept: Mapping[str, Any] = MappingProxyType({})

    def __getstate__(self):
        """Return the state for a pickle: without the training data, except in ``keep_data``."""
        state = super().__getstate__()
        return state if _KEEP_DATA.get() else state | self._without_data()

    def _without_data(self):
        """Return the attributes that hold training data, each without them, a dict."""
        return {}

    def __copy__(self):
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        return copied

    def __deepcopy__(self, memo):
        copied = memo[id(self)] = type(self).__new__(type(self))
        vars(copied).update(copy.deepcopy(vars(self), memo))
        return copied

    def set_params(self, **params):
        """Set parameters by name, as scikit-learn does."""
        known = own_names(type(self).__init__)
        strange = [name for name in params if name.partition("__")[0] not in known]
        if strange:
            raise ValueError(no_parameter(type(self), type(self).__name__, strange, known))
        return super().set_params(**params)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        return tags

    def _with_offset(self, raw, offset, X):
        """Return predictions (n_samples, n_models) on the link scale, plus the offset if given."""
        return with_offset(raw, offset, X)


class Regression(RegressorMixin):
    """Mixin of regressors: one numeric target.

    Predictions are on the scale of y if the loss has an ``inverse_link``.
    """

    def _get_loss(self):
        return Squared() if self.loss is None else checked_piece(Loss, "loss", self.loss)

    def _check_y(self, X, y, reset):
        """Return y as float64."""
        return check_target(self, X, y, numeric=True)

    def _strata(self, y):
        """Return the labels by which held-out rows are stratified, or None."""
        return None

    def _weigh(self, y, weight):
        """Return the weights of the rows, unchanged."""
        return weight

    def _encode(self, y, complete=True):
        """Return the target of each model, a list.

        `complete`: every class must occur (for classifiers).
        """
        return [y]

    def _decide(self, raw):
        """Return predictions on the scale of y, (n_samples,)."""
        return on_scale_of_y(self._fitted_loss(), raw[:, 0])

    def _shape_linear(self, coefs, intercepts):
        """Return ``coef_`` and ``intercept_`` in scikit-learn's shapes.

        They are (n_features,) and a number.
        """
        return coefs[0], float(intercepts[0])

    @checked_call
    @lazily
    def predict(self, X, *, offset=None):
        """Predictions for the rows of X, (n_samples,).

        `offset` (n_samples,) : the known part of them, as in `fit`.
        """
        return self._decide(self._with_offset(self._raw_predict(X), offset, X))

    @checked_call
    def score(self, X, y, sample_weight=None, *, offset=None):
        """R^2 of the predictions for the rows of X with targets y.

        `offset` (n_samples,) : the known part of them, needed if `fit` had one.
        """
        need_offset(self, offset)
        if is_lazy(X):
            return score_of_parts(self, X, y, sample_weight, offset)
        from sklearn.metrics import r2_score

        sample_weight = by_index("sample_weight", sample_weight, X)
        return r2_score(y, self.predict(X, **given_offset(offset)), sample_weight=sample_weight)


class Classification(ClassifierMixin):
    """Mixin of classifiers: one model for two classes.

    For more, one model per class (one-vs-rest), and probabilities are normalised.
    """

    def _get_loss(self):
        loss = Logistic() if self.loss is None else checked_piece(Loss, "loss", self.loss)
        if not (loss.two_class and link_of(loss)):
            raise ValueError(
                f"{type(loss).__name__} is not a loss for classes; pass Logistic() or "
                "Exponential(), or declare two_class = True and "
                "inverse_link(f), the probability of the label 1."
            )
        return loss

    def _check_y(self, X, y, reset):
        """Return the class index of each row, (n_samples,); with `reset`, set ``classes_``."""
        y = check_target(self, X, y, numeric=False)
        plain = y.dtype.kind in LABELS  # then y can only be too many classes for scikit-learn
        if not plain:
            check_classification_targets(y)
        classes, number = np.unique(y, return_inverse=True)
        if plain and 2 * len(classes) > len(y):
            check_classification_targets(y)
        if reset:
            self.classes_ = classes
            return number
        strange = np.setdiff1d(classes, self.classes_)
        if len(strange):
            raise ValueError(
                f"y holds the class {strange.tolist()[0]!r}, which was not in the fit."
            )
        return np.searchsorted(self.classes_, classes)[number]

    def _strata(self, y):
        return self.classes_[y]

    def _weigh(self, y, weight):
        """Return the weights of the rows.

        They are multiplied by the class weights if the estimator has them.
        """
        if getattr(self, "class_weight", None) is None:
            return weight
        by_class = class_weights(self.class_weight, self.classes_.tolist(), y, weight)[y]
        return check_weights(y, by_class if weight is None else by_class * weight, "class_weight")

    def _encode(self, y, complete=True):
        """Return the labels -1 and 1 of each model, a list. `complete`: every class must occur."""
        n = len(self.classes_)
        if n < 2:
            raise ValueError(
                f"y holds {n} class, a classifier needs two or more: give it rows of another class."
            )
        absent = np.flatnonzero(np.bincount(y, minlength=n) == 0) if complete else []
        if len(absent):
            name = self.classes_[absent].tolist()[0]
            raise ValueError(
                f"no row of the class {name!r} has a weight above 0: give one of them weight, or "
                "leave them out."
            )
        return [np.where(y == k, 1.0, -1.0) for k in (range(n) if n > 2 else [1])]

    def _decide(self, raw):
        """Return the most probable class of each row, (n_samples,)."""
        return self.classes_[
            (raw[:, 0] > 0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)
        ]

    def _probabilities(self, raw):
        """Return the probabilities of the classes, (n_samples, n_classes)."""
        p = on_scale_of_y(self._fitted_loss(), raw)
        if p.shape[1] == 1:
            return np.hstack([1 - p, p])
        # 0 if all probabilities underflow: then all classes get the same
        total = p.sum(axis=1, keepdims=True)
        return np.divide(p, total, out=np.full_like(p, 1 / p.shape[1]), where=total > 0)

    def _shape_linear(self, coefs, intercepts):
        """Return ``coef_`` and ``intercept_`` in scikit-learn's shapes for several models.

        They are (n_models, n_features) and (n_models,).
        """
        return coefs.reshape(-1, coefs.shape[-1]), intercepts.ravel()

    @checked_call
    @lazily
    def decision_function(self, X, *, offset=None):
        """The raw score of the second class, (n_samples,).

        Of each class, (n_samples, n_classes), where there are more than two.

        `offset` (n_samples,) : the known part of the scores, as in `fit`; of multinomial models
        (n_samples, n_classes).
        """
        raw = self._with_offset(self._raw_predict(X), offset, X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    @checked_call
    @lazily
    def predict_proba(self, X, *, offset=None):
        """The probability of each class, (n_samples, n_classes).

        `offset` (n_samples,) : the known part of scores, as in `fit`; of multinomial models
        (n_samples, n_classes).
        """
        return self._probabilities(self._with_offset(self._raw_predict(X), offset, X))

    @checked_call
    @lazily
    def predict(self, X, *, offset=None):
        """The most probable class of each row, (n_samples,).

        `offset` (n_samples,) : the known part of scores, as in `fit`; of multinomial models
        (n_samples, n_classes).
        """
        return self._decide(self._with_offset(self._raw_predict(X), offset, X))

    @checked_call
    def score(self, X, y, sample_weight=None, *, offset=None):
        """Share of the rows of X whose class is y.

        `offset` (n_samples,) : the known part of the scores, needed if `fit` had one; of
        multinomial models (n_samples, n_classes).
        """
        need_offset(self, offset)
        if is_lazy(X):
            return score_of_parts(self, X, y, sample_weight, offset)
        from sklearn.metrics import accuracy_score

        sample_weight = by_index("sample_weight", sample_weight, X)
        return float(
            accuracy_score(y, self.predict(X, **given_offset(offset)), sample_weight=sample_weight)
        )
