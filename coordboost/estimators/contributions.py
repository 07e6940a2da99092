"""Contributions of the features to predictions: a method of all estimators, and what it returns."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import _get_feature_names, check_is_fitted

from coordboost.data.frames import as_pandas, is_frame, is_number, names_of
from coordboost.estimators.base import checked_call


class Contributions(NamedTuple):
    """What each feature adds to the predictions of some rows, on the link scale.

    ``values.sum(axis=1) + base_values`` are the raw predictions, to rounding.

    Parameters
    ----------
    values : ndarray, (n_samples, n_features) or (n_samples, n_features, n_classes)
        The contributions, for three classes or more those to the score of each class.
    base_values : ndarray, (n_samples,) or (n_samples, n_classes)
        What is predicted if no feature is known: one number, plus the offset of the row.

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.RandomizedGBMRegressor(random_state=0).fit(X, y)
    >>> values, base_values = model.contributions(X)
    >>> bool(np.allclose(values.sum(axis=1) + base_values, model.predict(X)))
    True
    """

    values: np.ndarray
    base_values: np.ndarray


class Explained:
    """Mixin of estimators whose predictions are sums of contributions of the features.

    Subclasses supply ``_contributions(X, background)``: values (n_samples, n_features, n_models),
    and what they are added to, (n_models,).
    """

    _with_offset: Any  # of the estimator: predictions plus an offset

    def _contributions(self, X: Any, background: Any) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    @checked_call
    def contributions(self, X: Any, *, background: Any = None, offset: Any = None) -> Contributions:
        """What each feature adds to the predictions: exact Shapley values (SHAP values).

        Of linear models they are coefficients times centred columns. For trees see *Notes*.

        Parameters
        ----------
        X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
            The rows.
        background : array_like, data frame or scipy sparse matrix, optional
            Rows that stand for what is not known of a feature: contributions are relative to the
            mean prediction for them. Default: the rows of the fit, of which trees use the numbers
            of rows in their nodes, linear models the means of the columns (0 where the fit has not
            centred them).
        offset : array_like, (n_samples,), optional
            The known part of the predictions, as in `fit`. It is added to the base values.

        Returns
        -------
        Contributions
            ``values``, (n_samples, n_features), and ``base_values``, (n_samples,). A row of the
            values and its base value add up to the prediction on the link scale: for classes the
            score of ``decision_function``, for counts the logarithm of the mean. With three classes
            or more both have one more axis, for the classes.

        Raises
        ------
        ValueError
            If the columns are not those of the fit; for estimators of rules, as a rule may test
            several features: there ``rules_()`` shows what each rule adds.

        Notes
        -----
        Without a `background`, a split by a feature that is not known sends a row both ways, in
        shares of the rows of the fit there, counted without weights ("path-dependent"; LightGBM's
        ``pred_contrib``). With one, an unknown feature has its value in each row of the background
        in turn, and the mean is taken ("interventional"): features that the model does not use
        get 0, but rows are made up that may not exist.

        For Langevin boosting they are the means over the sampled models, whose scores they explain.

        *Cost*: for each row and tree some ten predictions; with a background as much for each of
        its rows. Rows are explained on threads, the result is the same for any number of them.
        """
        check_is_fitted(self)
        values, base = self._contributions(X, background)
        bases = self._with_offset(np.tile(base, (len(values), 1)), offset, X)
        if values.shape[2] == 1:
            return Contributions(values[:, :, 0], bases[:, 0])
        return Contributions(values, bases)

    @checked_call
    def explanation(self, X: Any, *, background: Any = None, offset: Any = None) -> Any:
        """The contributions as an ``Explanation`` of the package shap, for its plots.

        Parameters
        ----------
        X, background, offset : array_like
            As in ``contributions``.

        Returns
        -------
        shap.Explanation
            For ``shap.plots.beeswarm``, ``shap.plots.waterfall`` and others. With three classes or
            more ``explanation[..., k]`` is that of class k.

        Raises
        ------
        ImportError
            If shap is not installed.
        ValueError
            As in ``contributions``.
        """
        try:
            import shap
        except ImportError as error:
            raise ImportError(
                "explanation() needs shap (python -m pip install shap); contributions(X) has the "
                "same numbers."
            ) from error
        values, bases = self.contributions(X, background=background, offset=offset)
        numbers, shown = columns_to_show(X)
        names = _get_feature_names(X)
        classes = getattr(self, "classes_", ())
        return shap.Explanation(
            values,
            bases,
            data=numbers,
            display_data=shown,
            feature_names=list(names_of(names, values.shape[1])),
            output_names=None if values.ndim == 2 else [str(name) for name in classes],
        )


def columns_to_show(X):
    """Return the entries of a table as numbers, by which plots colour rows, and as they are.

    Of text and other categories the numbers are those of their levels; NaN is missing.
    """
    if not is_frame(X):
        table = X.toarray() if issparse(X) else np.asarray(X)
        if table.dtype != object:
            return table, table
        import pandas as pd

        X = pd.DataFrame(table).infer_objects()
    frame = as_pandas(X)
    numbers = np.empty(frame.shape)
    for j, (_, column) in enumerate(frame.items()):
        if is_number(column.dtype):
            numbers[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            codes = column.astype("category").cat.codes.to_numpy()
            numbers[:, j] = np.where(codes < 0, np.nan, codes)
    return numbers, frame.to_numpy(dtype=object)
