"""What an estimator predicts: numbers, or classes."""

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets

from coordboost._kinds import checked_piece
from coordboost.estimators import tables
from coordboost.estimators.names import called_by_name
from coordboost.pieces.loss import Loss, link_of, on_scale_of_y
from coordboost.pieces.losses import Logistic, Squared


class Regression(RegressorMixin):
    """Numbers, on the scale of the target where the loss says how: ``inverse_link``, or ``mean``."""

    def _loss(self):
        return Squared() if self.loss is None else checked_piece(Loss, "loss", self.loss)

    def _read(self, X, y, known):
        return tables.checked_target(self, X, y, numeric=True)

    def _strata(self, y):
        return None

    def _targets(self, y, beside=False):
        """The target of each run; `beside` for other rows than those of the fit."""
        return [y]

    def _mean(self, raw):
        return on_scale_of_y(self._used_loss(), raw[:, 0])

    def _shaped(self, coefs, intercepts):
        """Coefficients and intercept of a linear model, as scikit-learn has them: (n_features,) and a number."""
        return coefs[0], float(intercepts[0])

    @called_by_name
    def predict(self, X):
        """Predictions for the rows of X, (n_samples,)."""
        return self._mean(self._raw(X))


class Classification(ClassifierMixin):
    """Classes: one run for two of them, else one run for each class against the rest, whose probabilities are divided by their sum."""

    def _loss(self):
        loss = Logistic() if self.loss is None else checked_piece(Loss, "loss", self.loss)
        if not (loss.two_class and link_of(loss)):
            raise ValueError(
                f"{type(loss).__name__} is not a loss of classes; give Logistic() or Exponential(), or declare two_class = True and "
                "inverse_link(f), the probability of the label 1."
            )
        return loss

    def _read(self, X, y, known):
        """The number of the class of each row."""
        y = tables.checked_target(self, X, y, numeric=False)
        check_classification_targets(y)
        classes, number = np.unique(y, return_inverse=True)
        if known:
            strange = np.setdiff1d(classes, self.classes_)
            if len(strange):
                raise ValueError(f"y holds the class {strange.tolist()[0]!r}, which the fit has not seen.")
            return np.searchsorted(self.classes_, classes)[number]
        self.classes_ = classes
        return number

    def _strata(self, y):
        return self.classes_[y]

    def _targets(self, y, beside=False):
        n = len(self.classes_)
        if n < 2:
            raise ValueError(f"y holds {n} class, a classifier needs two or more: give it rows of another class.")
        absent = [] if beside else np.setdiff1d(np.arange(n), y)
        if len(absent):
            name = self.classes_[absent].tolist()[0]
            raise ValueError(f"no row of the class {name!r} has a weight above 0: give one of them weight, or leave them out.")
        return [np.where(y == k, 1.0, -1.0) for k in (range(n) if n > 2 else [1])]

    def _shaped(self, coefs, intercepts):
        """The same: (n_models, n_features) and (n_models,)."""
        return coefs, intercepts

    def _probabilities(self, raw):
        mean = on_scale_of_y(self._used_loss(), raw)
        if mean.shape[1] == 1:
            return np.hstack([1 - mean, mean])
        # all 0: no class is likelier than another
        total = mean.sum(axis=1, keepdims=True)
        return np.divide(mean, total, out=np.full_like(mean, 1 / mean.shape[1]), where=total > 0)

    def _classes(self, raw):
        return self.classes_[(raw[:, 0] > 0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)]

    @called_by_name
    def decision_function(self, X):
        """The raw score of the second class, (n_samples,); of each class, (n_samples, n_classes), where there are more than two."""
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    @called_by_name
    def predict_proba(self, X):
        """The probability of each class, (n_samples, n_classes)."""
        return self._probabilities(self._raw(X))

    @called_by_name
    def predict(self, X):
        """The likeliest class of each row, (n_samples,)."""
        return self._classes(self._raw(X))


class StagedRegression(Regression):
    """Numbers, after every iteration."""

    @called_by_name
    def staged_predict(self, X):
        """Yield the predictions (n_samples,) after 1, 2, ... iterations. *Cost*: each tree once."""
        for raw in self._staged_raw(X):
            yield self._mean(raw)


class StagedClassification(Classification):
    """Classes, after every iteration."""

    @called_by_name
    def staged_predict(self, X):
        """Yield the classes (n_samples,) after 1, 2, ... iterations. *Cost*: each tree once."""
        for raw in self._staged_raw(X):
            yield self._classes(raw)

    @called_by_name
    def staged_predict_proba(self, X):
        """Yield the probabilities (n_samples, n_classes) after 1, 2, ... iterations."""
        for raw in self._staged_raw(X):
            yield self._probabilities(raw)
