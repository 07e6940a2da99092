"""Scorers of scikit-learn for points of paths.

They are called with an estimator for which the rows of X are predictions already.
"""

import numpy as np
from scipy.special import softmax
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring, get_scorer

from coordboost._utils.checks import shown
from coordboost.losses.base import link_of, on_scale_of_y


class _Predictions(BaseEstimator):
    """An estimator for which X holds predictions already.

    The rows of X, (n_rows, 1), are predictions of a `loss`.
    """

    def __init__(self, loss, classes=None):
        self.loss = loss
        self.classes_ = classes

    def __sklearn_is_fitted__(self):
        return True


class _Numbers(RegressorMixin, _Predictions):
    def predict(self, X):
        return on_scale_of_y(self.loss, X[:, 0])


class _Classes(ClassifierMixin, _Predictions):
    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]

    def predict_proba(self, X):
        if link_of(self.loss) is None:
            raise ValueError(
                f"scoring needs probabilities, which {shown(self.loss)} does not give: declare its "
                "inverse_link."
            )
        p = on_scale_of_y(self.loss, X[:, 0])
        return np.column_stack([1 - p, p])


class _SeveralClasses(ClassifierMixin, _Predictions):
    """Rows of X, (n_rows, n_classes), are predictions of a multinomial model."""

    def decision_function(self, X):
        return X

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]

    def predict_proba(self, X):
        return softmax(X, axis=1)


def scorer_of(scoring):
    """Check and return a scorer of scikit-learn, given by its name or as a callable."""
    if isinstance(scoring, type) or not (isinstance(scoring, str) or callable(scoring)):
        raise ValueError(
            "scoring must be None, the name of a scorer of scikit-learn or a callable, got "
            f"{shown(scoring)}."
        )
    try:
        return get_scorer(scoring) if isinstance(scoring, str) else check_scoring(scoring=scoring)
    except (TypeError, ValueError) as error:
        raise ValueError(f"scoring: {error}") from error


class Scorer:
    """Minus the scores of a scorer at the points of a path.

    Classes : the labels of y, for losses of two classes and for multinomial paths.
    """

    beside_the_point = UndefinedMetricWarning  # the first model of a path predicts one class only

    def __init__(self, scoring, classes):
        self.scorer = scorer_of(scoring)
        self.name = (
            scoring
            if isinstance(scoring, str)
            else getattr(scoring, "__name__", None) or repr(scoring)
        )
        self.labels = np.asarray(classes)

    def __call__(self, path, X, y, weight, offset, at):
        loss = path.problem.loss
        preds = path.staged_predict(X) if at is None else (path._predict(X, place) for place in at)
        known = path._known(offset, len(y), X)
        model = _Numbers(loss)
        if hasattr(path, "classes"):
            model = _SeveralClasses(loss, self.labels)
            y = self.labels[path._targets(X, y, weight)[0]]
        elif loss.two_class:
            classes = self.labels if len(self.labels) == 2 else np.array([-1, 1])
            model = _Classes(loss, classes)
            y = classes[(path._targets(X, y, weight)[0] > 0).astype(int)]
        columns = (np.reshape(pred + known, (len(y), -1)) for pred in preds)
        return self._losses(model, columns, y, weight)

    def _losses(self, model, preds, y, weight):
        """Minus the scores of the predictions `preds`, as `model` reads them."""
        given = {} if (weight == 1).all() else {"sample_weight": weight}
        try:
            with config_context(assume_finite=True, skip_parameter_validation=True):
                scores = np.array([float(self.scorer(model, pred, y, **given)) for pred in preds])
        except TypeError as error:
            raise ValueError(
                f"scoring={self.name} failed: {error}; it must be a scorer of (estimator, X, y, "
                "sample_weight)."
            ) from error
        if np.isnan(scores).all():
            raise ValueError(
                f"scoring={self.name} is not defined on the rows held out, as if all are of one "
                "class: take other folds."
            )
        return -np.where(np.isnan(scores), -np.inf, scores)
