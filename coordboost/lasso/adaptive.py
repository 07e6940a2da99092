"""Penalty factors of the adaptive Lasso."""

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import positive
from coordboost.data import validation


def adaptive_factors(coefs: ArrayLike, power: float = 1.0) -> np.ndarray:
    """Penalty factors 1 / abs(coefs)^power, from the coefficients of a first fit.

    Parameters
    ----------
    coefs : array_like, (n_features,)
        Coefficients of a first fit, such as ridge, the Lasso or least squares. The penalty of the
        second fit must be on coefficients of the same scale: ``unit_columns=False`` for
        coefficients of the columns of X.
    power : float, default 1
        Above 0. With 1 the scale of the columns does not matter.

    Returns
    -------
    ndarray, (n_features,)
        For ``penalty_factor`` of ``lasso_path``. Infinite where a coefficient is 0: the second fit
        leaves the column out.

    Raises
    ------
    ValueError
        For coefficients that are not finite.

    Notes
    -----
    The certificate of the second fit is that of the weighted Lasso, *given these factors*: how far
    its objective may be above its optimum. The factors depend on y, and so does the problem that is
    certified; nothing is certified about the first fit or about the choice of columns.

    *Source*: Zou, *The adaptive Lasso and its oracle properties* (2006); with a first Lasso, as in
    Buehlmann, van de Geer, *Statistics for high-dimensional data* (2011), Section 2.8.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, scaled=False)
    >>> ridge = cb.lasso_path(X, y, [0.1], l1_ratio=0, unit_columns=False)
    >>> factors = cb.lasso.adaptive_factors(ridge.coef_at(step=0))
    >>> path = cb.lasso_path(X, y, penalty_factor=factors, unit_columns=False)
    >>> path.order_of_entry()[:4]
    array([2, 6, 3, 8])
    """
    sizes = np.abs(validation.numeric("coefs", coefs, 1))
    power = positive("power", power)
    with np.errstate(divide="ignore", over="ignore"):
        return sizes**-power
