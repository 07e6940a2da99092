"""Scorers of scikit-learn for models with an offset."""

from functools import partial
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest

from coordboost.model_selection.scorers import scorer_of


class _WithOffset:
    """A fitted estimator whose predictions include an offset of the rows."""

    def __init__(self, estimator, offset):
        self._estimator = estimator
        self._offset = offset

    def __getattr__(self, name):
        found = getattr(self._estimator, name)
        if name not in ("predict", "predict_proba", "decision_function"):
            return found
        return partial(found, offset=self._offset)


class OffsetScorer:
    """A scorer of scikit-learn that gives the offset of the rows to the predictions.

    Scorers made by scikit-learn give metadata to the metric, not to ``predict``.

    Parameters
    ----------
    scoring : str or callable
        The name of a scorer, or one made by ``make_scorer``.

    Raises
    ------
    ValueError
        For anything else.

    Notes
    -----
    With metadata routing enabled, ``cross_validate``, ``GridSearchCV`` and the like pass
    ``params={"offset": o}`` to the fit (``set_fit_request(offset=True)``) and to this scorer; and
    `sample_weight`, if it is among them.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.model_selection import cross_val_score
    >>> import coordboost as cb
    >>> rng = np.random.default_rng(0)
    >>> X, years = rng.normal(size=(200, 3)), rng.uniform(0.5, 3, 200)
    >>> claims = rng.poisson(years * np.exp(X[:, 0]))
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     model = cb.CertifiedPoissonRegressor(alpha=0.01).set_fit_request(offset=True)
    ...     scorer = cb.estimators.OffsetScorer("neg_mean_poisson_deviance")
    ...     scores = cross_val_score(
    ...         model, X, claims, scoring=scorer, params={"offset": np.log(years)}
    ...     )
    >>> bool(scores.min() > -2)
    True
    """

    def __init__(self, scoring: Any):
        if scoring is None:
            raise ValueError(
                "scoring must be the name of a scorer of scikit-learn or a callable, got None; "
                "score of an estimator takes an offset itself (set_score_request)."
            )
        self.scoring = scoring
        self._scorer = scorer_of(scoring)

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, offset: Any = None
    ) -> float:
        """The score of a fitted estimator on rows with an offset.

        Parameters
        ----------
        estimator : estimator
            A fitted one whose ``predict`` takes an `offset`.
        X, y : array_like
            The rows and their targets.
        sample_weight, offset : array_like, (n_rows,), optional
            Their weights and offset.

        Returns
        -------
        float
            The greater, the better.
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._scorer(_WithOffset(estimator, offset), X, y, **weights)

    def get_metadata_routing(self) -> MetadataRequest:
        """What this scorer takes: an `offset`, and `sample_weight`.

        Returns
        -------
        MetadataRequest
            Of the method ``score``.
        """
        request = MetadataRequest(owner=type(self).__name__)
        for name in ("offset", "sample_weight"):
            request.score.add_request(param=name, alias=True)
        return request
