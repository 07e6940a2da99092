"""What all estimators share: checks of their input, refusal of arguments they do not have, regression and classification.

An estimator is a base class (``trees._BaseBooster``: trees, one run of the loop for each target; ``linear._BaseLinear``: one path for each
target), which supplies the method, and ``Regression`` or ``Classification``, which supply the loss, the targets and the predictions.
"""

import numbers
from functools import wraps

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import _safe_indexing, assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from coordboost._numba import silently
from coordboost._utils.checks import InfiniteConstant, shown
from coordboost._utils.interrupt import uncut
from coordboost._utils.kinds import checked_piece
from coordboost.data.frames import is_frame, refuse_times
from coordboost.data.validation import collected, known_part, of_moderate_size, sound, vector
from coordboost.estimators.other_names import check_arguments, no_parameter, own_names
from coordboost.losses.base import Loss, link_of, on_scale_of_y
from coordboost.losses.standard import Logistic, Squared


def in_memory(name, values):
    """`values`, an array, a data frame or a sparse matrix; a Dask array is collected.

    Raises
    ------
    ValueError
        For anything else.
    """
    values = collected(name, values)
    known = isinstance(values, list | tuple) or issparse(values) or hasattr(values, "__array__") or is_frame(values)
    if isinstance(values, type) or not known:
        way = "; open_columns(...) is for Problem(open_columns(...), y)" if hasattr(values, "standardized") else ""
        raise ValueError(f"{name} must be an array, a data frame or a sparse matrix, got {shown(values)}{way}.")
    return values


def check_table(estimator, X, *, reset=False):
    """X with missing values: a data frame as it is, a sparse matrix by columns, anything else as an array of floats."""
    X = in_memory("X", X)
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    refuse_times("X", X)
    X = sound(X) if issparse(X) else X
    kinds = {"dtype": [np.float64, np.float32], "ensure_all_finite": False, "accept_sparse": "csc"}
    return validate_data(estimator, X, reset=reset, **kinds)


def check_target(estimator, X, y, *, numeric):
    """y (n_samples,), as float64 where it is `numeric`."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = in_memory("y", y)
    if numeric:
        refuse_times("y", y)
        _refuse_words(y)
    y = column_or_1d(y, warn=True, dtype=np.float64 if numeric else None)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y


def _refuse_words(y):
    """Refuse a target of words and other things that are no numbers."""
    values = np.asarray(y)
    for value in [] if values.dtype.kind in "fiub" else values.ravel().tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            how = "a classifier takes words" if isinstance(value, str) else "drop or mend its row"
            raise ValueError(f"y must hold numbers, got {shown(value)}; {how}.") from None


def check_weights(X, sample_weight, name="sample_weight"):
    """sample_weight (n_samples,), None for None or where all are 1."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, numbers.Number):
        sample_weight = in_memory(name, sample_weight)
    try:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except OverflowError:
        raise ValueError(f"{name} must be numbers that float64 can hold, got {shown(sample_weight)}.") from None
    except ValueError as error:
        words = str(error).replace("Sample weights", name).replace("`sample_weight`", name).replace("Input sample_weight", name)
        raise ValueError(words) from None
    if not weight.any():
        raise ValueError(f"{name} must contain at least one non-zero number.")
    of_moderate_size(name, weight)
    return None if (weight == 1).all() else weight


def check_offset(X, offset, name="offset"):
    """offset (n_samples,), None for None."""
    return None if offset is None else vector(name, in_memory(name, offset), X.shape[0], "row of X")


def some_rows(index, X, *columns):
    """Some rows of a table, its target, its weights, perhaps its offset."""
    return _safe_indexing(X, index), *(None if column is None else column[index] for column in columns)


def rows_with_weight(X, y, weight, *more):
    """The rows with a weight above 0: the others would still move the edges of bins."""
    if weight is None or weight.all():
        return X, y, weight, *more
    return some_rows(np.flatnonzero(weight), X, y, weight, *more)


def with_offset(raw, offset):
    """Predictions (n_samples, n_models) on the scale of the loss, and the known part of them."""
    if offset is None:
        return raw
    check_one_model(raw.shape[1])
    return raw + known_part(offset, len(raw))[:, None]


def check_one_model(n_models):
    """Refuse an offset where there are models of several classes."""
    if n_models > 1:
        raise ValueError(f"an offset is for one model, and there are {n_models}, one for each class: fit two classes.")


def checked_call(method):
    """`method` of an estimator; an argument that it does not have is refused in a sentence that says what does its job."""

    @wraps(method)
    def call(self, *args, **kwargs):
        cls = type(self)
        check_arguments(cls, f"{cls.__name__}.{method.__name__}", method, args, kwargs)
        return method(self, *args, **kwargs)

    return call


def all_or_nothing(fit):
    """`fit`, a ``checked_call``; where it raises, the estimator is as it was before: no part of a new fit is mixed with an older model.

    Ctrl-C raises, too: no run or path within is cut short.
    """

    @wraps(fit)
    def attempt(self, *args, **kwargs):
        before = dict(vars(self))
        try:
            with uncut(), silently():
                return fit(self, *args, **kwargs)
        except BaseException as error:
            vars(self).clear()
            vars(self).update(before)
            if isinstance(error, InfiniteConstant):  # an estimator has no center=False
                error.args = error.args[0], "add rows with other targets" + (", or take other folds (cv)" if hasattr(self, "cv") else "")
            raise

    return checked_call(attempt)


class _BaseEstimator(BaseEstimator):
    """Abstract base of all estimators: parameters that they do not have are refused in a sentence that says what does their job."""

    def __new__(cls, *args, **kwargs):
        check_arguments(cls, cls.__name__, cls.__init__, args, kwargs)
        return super().__new__(cls)

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


class Regression(RegressorMixin):
    """Mixin of estimators of numbers: one target, predictions on the scale of y where the loss has an ``inverse_link``."""

    def _get_loss(self):
        return Squared() if self.loss is None else checked_piece(Loss, "loss", self.loss)

    def _check_y(self, X, y, reset):
        """y as float64."""
        return check_target(self, X, y, numeric=True)

    def _strata(self, y):
        """Labels that rows held back have in equal shares, or None."""
        return None

    def _weigh(self, y, weight):
        """The weights of the rows: as they are given."""
        return weight

    def _encode(self, y, complete=True):
        """The target of each model, a list; `complete` where every class must be there."""
        return [y]

    def _decide(self, raw):
        """Predictions on the scale of y, (n_samples,)."""
        return on_scale_of_y(self._fitted_loss(), raw[:, 0])

    def _shape_linear(self, coefs, intercepts):
        """``coef_`` and ``intercept_`` as scikit-learn has them: (n_features,) and a number."""
        return coefs[0], float(intercepts[0])

    @checked_call
    def predict(self, X, *, offset=None):
        """Predictions for the rows of X, (n_samples,); `offset` (n_samples,) : their known part, as in `fit`."""
        return self._decide(with_offset(self._raw_predict(X), offset))


class Classification(ClassifierMixin):
    """Mixin of classifiers: one model of two classes; of more one for each class against the rest, whose probabilities are normalised."""

    def _get_loss(self):
        loss = Logistic() if self.loss is None else checked_piece(Loss, "loss", self.loss)
        if not (loss.two_class and link_of(loss)):
            raise ValueError(
                f"{type(loss).__name__} is not a loss of classes; give Logistic() or Exponential(), or declare two_class = True and "
                "inverse_link(f), the probability of the label 1."
            )
        return loss

    def _check_y(self, X, y, reset):
        """The number of the class of each row; ``classes_`` with `reset`."""
        y = check_target(self, X, y, numeric=False)
        check_classification_targets(y)
        classes, number = np.unique(y, return_inverse=True)
        if reset:
            self.classes_ = classes
            return number
        strange = np.setdiff1d(classes, self.classes_)
        if len(strange):
            raise ValueError(f"y holds the class {strange.tolist()[0]!r}, which the fit has not seen.")
        return np.searchsorted(self.classes_, classes)[number]

    def _strata(self, y):
        return self.classes_[y]

    def _weigh(self, y, weight):
        """The weights of the rows times those of their classes, where an estimator has some."""
        if getattr(self, "class_weight", None) is None:
            return weight
        by_class = compute_sample_weight(self.class_weight, self.classes_[y])
        return check_weights(y, by_class if weight is None else by_class * weight, "class_weight")

    def _encode(self, y, complete=True):
        """-1 and 1 for each model, a list."""
        n = len(self.classes_)
        if n < 2:
            raise ValueError(f"y holds {n} class, a classifier needs two or more: give it rows of another class.")
        absent = np.setdiff1d(np.arange(n), y) if complete else []
        if len(absent):
            name = self.classes_[absent].tolist()[0]
            raise ValueError(f"no row of the class {name!r} has a weight above 0: give one of them weight, or leave them out.")
        return [np.where(y == k, 1.0, -1.0) for k in (range(n) if n > 2 else [1])]

    def _decide(self, raw):
        """The likeliest class of each row, (n_samples,)."""
        return self.classes_[(raw[:, 0] > 0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)]

    def _probabilities(self, raw):
        """Probabilities of the classes, (n_samples, n_classes)."""
        p = on_scale_of_y(self._fitted_loss(), raw)
        if p.shape[1] == 1:
            return np.hstack([1 - p, p])
        total = p.sum(axis=1, keepdims=True)  # 0 where no class is likelier than another
        return np.divide(p, total, out=np.full_like(p, 1 / p.shape[1]), where=total > 0)

    def _shape_linear(self, coefs, intercepts):
        """``coef_`` and ``intercept_``: (n_models, n_features) and (n_models,)."""
        return coefs.reshape(-1, coefs.shape[-1]), intercepts.ravel()

    @checked_call
    def decision_function(self, X, *, offset=None):
        """The raw score of the second class, (n_samples,); of each class, (n_samples, n_classes), where there are more than two.

        `offset` (n_samples,) : their known part, as in `fit`.
        """
        raw = with_offset(self._raw_predict(X), offset)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    @checked_call
    def predict_proba(self, X, *, offset=None):
        """The probability of each class, (n_samples, n_classes); `offset` (n_samples,) : the known part of scores, as in `fit`."""
        return self._probabilities(with_offset(self._raw_predict(X), offset))

    @checked_call
    def predict(self, X, *, offset=None):
        """The likeliest class of each row, (n_samples,); `offset` (n_samples,) : the known part of scores, as in `fit`."""
        return self._decide(with_offset(self._raw_predict(X), offset))
