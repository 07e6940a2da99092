"""Linear models behind scikit-learn's interface: a table in, one path of the package for each target, the model at one place of it."""

import html
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from coordboost.data import validation
from coordboost.data.frames import as_pandas, is_frame, is_time, refuse_times, refuse_words
from coordboost.estimators import tables
from coordboost.estimators.names import Named, all_or_nothing
from coordboost.outcome import Status
from coordboost.paths.places import Place
from coordboost.problem import Problem

#: What all linear estimators have after a fit.
FITTED = """coef_, intercept_
        On the scale of X: (n_features,) and a number; for classes (n_models, n_features) and (n_models,), one model for each of three
        classes or more.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model; ``paths_`` holds one for each class of three or more.
    place_ : Place
        Where on the path the model is; ``places_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches; ``certificates_``. Computed when it is asked for.
    n_scans_ : float
        Looks at all columns that the paths took.
    n_features_in_, feature_names_in_, classes_
    """


@dataclass(kw_only=True, eq=False, repr=False)
class Linear(Named, BaseEstimator):
    """A linear estimator but for its loss and target (a task) and its path (``_walks``).

    ``_walks(problem)`` is a list of pairs: a path of a problem, and a function of a problem on other rows that gives its path. Both take
    the ``Products`` of the problem, too, or None: see ``coordboost.paths.folds``.
    """

    #: What is said of the parameters of one machine.
    told = ""
    #: Whether its paths are walked on a Gram matrix, which folds can share.
    by_gram = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__doc__:
            cls.__doc__ = cls.__doc__.replace("{}", f"{cls.told}\n    Attributes\n    ----------\n    {FITTED}")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_samples, n_features)
        y : array_like, (n_samples,)
        sample_weight : array_like, (n_samples,), optional
            Multiplies the terms of the loss. Rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            In one sentence: what was expected, and what was given.

        Warns
        -----
        ConvergenceWarning
            Where a path ended early, or the gap of a model is above `tol`; what is there holds.
        ConstantColumnWarning
            Where no column of X varies, and the model is a constant.
        """
        return self._fit(*tables.counting(*self._rows(X, y, sample_weight)))

    def _rows(self, X, y, sample_weight):
        """Rows, targets and weights, checked."""
        X = self._table(X, reset=True)
        y, weight = self._read(X, y, False), tables.weights(X, sample_weight)
        if weight is not None and np.count_nonzero(weight) < 2:
            raise ValueError(f"{type(self).__name__} needs two rows with a weight above 0, got n_samples = 1.")
        return X, y, weight

    def _fit(self, X, y, weight, folds=None):
        """The paths of each target, and the place on them."""
        chosen = [self._choose(X, one, weight, folds) for one in self._targets(y)]
        self.paths_, self.places_ = ([one[k] for one in chosen] for k in (0, 1))
        for path, place in zip(self.paths_, self.places_, strict=True):
            self._warn(path, place)
        models = [self._model(path, place) for path, place in zip(self.paths_, self.places_, strict=True)]
        self.coef_, self.intercept_ = self._shaped(np.array([coef for coef, _ in models]), np.array([b for _, b in models]))
        return self

    def _table(self, X, *, reset=False):
        least = {"ensure_min_samples": 2} if reset else {}
        X = tables.in_memory("X", X)
        X = as_pandas(X) if is_frame(X) else X  # which tells times from numbers
        if is_frame(X) and any(map(is_time, X.dtypes)):
            refuse_words(X)
        refuse_times("X", X)
        X = validation.sound(X) if issparse(X) else X
        try:
            return validate_data(self, X, reset=reset, accept_sparse="csc", dtype=np.float64, **least)
        except (TypeError, ValueError):
            if is_frame(X):
                refuse_words(X)  # a sentence with their names, where words are what is wrong
            raise

    def _problem(self, X, y, weight):
        names = getattr(self, "feature_names_in_", None)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", validation.SOME_CONSTANT, validation.ConstantColumnWarning)  # their coefficients are 0
            return Problem(X, y, self._loss(), sample_weight=weight, feature_names=None if names is None else names.tolist())

    def _choose(self, X, y, weight, folds):
        """The path of the fit, and the place of the model: where the path ends."""
        path = self._walks(self._problem(X, y, weight))[0][0]
        return path, Place(step=path.n_points - 1)

    def _warn(self, path, place):
        """Say that a path ended before it was to."""
        if getattr(path, "status", None) is Status.DIVERGED:
            warnings.warn(f"{path.message}: {path.n_points} points of the path.", ConvergenceWarning, stacklevel=5)
        elif words := self._short_of(path, place):
            warnings.warn(words, ConvergenceWarning, stacklevel=5)

    def _short_of(self, path, place):
        """What a model lacks of what was asked for, in words, or none."""
        return ""

    def _model(self, path, place):
        """Coefficients on the scale of X, and the intercept."""
        return path.coef_at(step=place.step), path.intercept_at(step=place.step)

    def _used_loss(self):
        return self.paths_[0].problem.loss

    @property
    def path_(self):
        """The path behind the model, where there is one."""
        return self._single("paths_")

    @property
    def place_(self):
        """Where on it the model is, a ``Place``."""
        return self._single("places_")

    @property
    def certificate_(self):
        """The interval around the optimum that the model approaches. *Cost*: for a run see ``Run.certificate``, else none."""
        return self._single("certificates_")

    @property
    def certificates_(self):
        """One certificate for each path, a list."""
        check_is_fitted(self)
        return [path.certificate_at(place) for path, place in zip(self.paths_, self.places_, strict=True)]

    @property
    def n_scans_(self):
        """Looks at all columns that the paths took."""
        check_is_fitted(self)
        return sum(path.n_scans for path in self.paths_)

    def _single(self, name):
        check_is_fitted(self)
        if len(self.paths_) > 1:
            raise AttributeError(f"there are {len(self.paths_)} paths, one for each class: see {name}.")
        return getattr(self, name)[0]

    def _raw(self, X):
        """Predictions of all models before they mean anything, (n_samples, n_models)."""
        check_is_fitted(self)
        coef, intercept = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        return safe_sparse_dot(self._table(X), coef.T, dense_output=True) + intercept

    def _html_repr(self):
        """The display of scikit-learn, and below it what the fit certifies."""
        shown = super()._html_repr()
        if not hasattr(self, "paths_"):
            return shown
        lines = "".join(
            f"<li>{html.escape(repr(path))}: {html.escape(self._certified(k))}</li>" for k, path in enumerate(self.paths_)
        )
        return f"{shown}<ul style='font-family: monospace'>{lines}</ul>"

    def _certified(self, k):
        """A certificate in words."""
        return str(self.certificates_[k])


class RunBased(Linear):
    """What linear estimators share whose path is a run."""

    @property
    def run_(self):
        """The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start."""
        return self.path_.run
