r"""One penalty in the units of four programs.

Let W be the sum of the weights (n_samples, where there are none). All four minimise a loss and a penalty; they differ in what the loss
is divided by and in the columns that coefficients belong to:

=================  =========================================  ===========================  ==================
name               objective                                  columns of                   lam is
=================  =========================================  ===========================  ==================
``"lam"``          sum of losses + lam sum abs(beta_j)        norm 1                       lam
``"alpha"``        mean of losses + alpha sum abs(beta_j)     norm 1                       alpha W
``"glmnet"``       mean of losses + lambda sum abs(w_j)       standard deviation 1         lambda sqrt(W)
=================  =========================================  ===========================  ==================

``"lam"`` is that of ``exact_path``, ``Penalty`` and ``certify``, and of R's lars with ``normalize=TRUE``. ``"alpha"`` is that of
``lasso_path(problem)``. ``"glmnet"`` is that of R's glmnet with its default ``standardize=TRUE``, and of scikit-learn after a
``StandardScaler``. Standard deviations are those with divisor W, as in both. A column of norm 1 is sqrt(W) times smaller than one of
standard deviation 1, so its coefficient is sqrt(W) times larger.

On columns as they are nothing is to be converted: alpha of scikit-learn's ``Lasso``, lambda of glmnet with ``standardize=FALSE`` and the
alphas of ``lasso_path(X, y)`` are the same number. C of ``LogisticRegression`` is 1 / (alpha W).
"""

import math

from coordboost._checks import not_negative, positive, shown
from coordboost.problem import Problem

#: lam over the penalty in these units, from the sum of the weights.
UNITS = {"lam": lambda total: 1.0, "alpha": lambda total: total, "glmnet": math.sqrt}


def convert_penalty(value, source, to, of):
    """The penalty `value` of one program in the units of another.

    Parameters
    ----------
    value : float >= 0
    source, to : {"lam", "alpha", "glmnet"}
        Sums and unit columns; means and unit columns; means and columns of standard deviation 1 (see the table in
        ``coordboost.paths.penalties``).
    of : Problem or number
        The problem, or the sum of its weights: n_samples where there are none.

    Returns
    -------
    float
    """
    for name, unit in (("source", source), ("to", to)):
        if not isinstance(unit, str) or unit not in UNITS:
            raise ValueError(f"{name} must be 'lam', 'alpha' or 'glmnet', got {shown(unit)}.")
    total = (
        float(of.weight.sum()) if isinstance(of, Problem) else positive("of", of, expected="a Problem, or a number of samples")
    )
    return not_negative("value", value) * (UNITS[source](total) / UNITS[to](total))
