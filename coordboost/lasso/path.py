"""The Lasso on a grid of penalties, with a certified duality gap for each.

`lasso_path` reads from top to bottom: the checked objective, its scaled columns, the penalties, a
solver, the models. The solvers are listed in ``choice.py``.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coordboost._numba.threads import one_thread
from coordboost._utils.checks import known_names, shown
from coordboost._utils.checks import positive as checked_positive
from coordboost._utils.interrupt import interruptible
from coordboost.lasso.choice import check_solver, default_solver, solved_by, solvers_for
from coordboost.lasso.gaps import no_worse_than_none, reliable_gaps
from coordboost.lasso.grid import LassoPath
from coordboost.lasso.homotopy.at_penalties import beside_knots
from coordboost.lasso.inputs import checked_for_lasso, closing_message
from coordboost.lasso.objective import Objective
from coordboost.lasso.searched import check_options, is_searched, searched_path
from coordboost.lasso.workingset import FEW_PENALTIES, Solved

#: Largest smaller side of a table for which the knots of the exact path are among the penalties of
#: AIC, BIC and Cp: ranks at all knots cost its fourth power.
MOST_FOR_KNOTS = 300


@known_names
def lasso_path(
    X: Any,
    y: ArrayLike | None = None,
    alphas: Any = None,
    *,
    n_alphas: int = 100,
    eps: float = 1e-3,
    tol: float = 1e-6,
    solver: str | None = None,
    penalty_factor: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    loss: Any = None,
    lower_limits: ArrayLike | None = None,
    upper_limits: ArrayLike | None = None,
    positive: bool = False,
    l1_ratio: float = 1.0,
    unit_columns: bool = True,
    fit_intercept: bool = True,
    refit_intercept: bool = False,
    offset: ArrayLike | None = None,
    products: Any = None,
) -> LassoPath:
    """The Lasso or elastic net path on a grid, with a certificate at every alpha.

    Parameters
    ----------
    X : array_like, data frame or scipy sparse matrix, (n_samples, n_features); or a Problem
        Columns are centred and scaled to Euclidean norm 1, as for ``exact_path`` and every boosting
        method. Or all rules on a table, ``cb.data.rules(X)``: see Notes.
    y : array_like, (n_samples,); not with a Problem
    alphas : array_like, (n_alphas,), optional
        Penalties >= 0 of the mean loss, in any order: glmnet's lambda (its alpha is `l1_ratio`).
        The penalty of the sum of losses, lam elsewhere in this package, is alpha times the sum of
        the weights (n_samples without weights). Default: `n_alphas` values, evenly spaced on a log
        scale, from the smallest alpha at which all coefficients are 0 down to `eps` times that.
        Losses other than the squared one, and ridge, need alphas > 0.
    n_alphas : int, default 100
        Length of the default grid.
    eps : float, default 1e-3
        The smallest alpha of the default grid over its largest (glmnet's lambda.min.ratio).
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
    solver : {"homotopy", "cd", "newton", "eigen"}, optional
        For the squared loss the exact path, or coordinate descent on a working set;
        ``docs/lasso-path.md`` has the rule that chooses. The exact path takes no `l1_ratio` < 1.
        Ridge: eigenvectors, or coordinate descent. For other losses proximal Newton steps on a
        working set.
    penalty_factor : array_like, (n_features,) or (2, n_features), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns of a data frame: a dict, whose other columns have 1, or a
        Series of all columns. Columns of factor 0 have no penalty, and no limits; certificates hold
        whatever their coefficients. Infinity leaves a column out: it is no part of the problem, and
        certificates say so. Two rows: of the absolute values, and of the squares.
        Default: 1.
    sample_weight : array_like, (n_samples,), optional; not with a Problem
        Weights of the terms of the mean loss. A Series is matched with a data frame X by its index,
        and so is an `offset`.
    loss : Loss, default ``Squared()``; not with a Problem
        ``Logistic()``, ``Huber(d)`` or any convex loss with a known lower bound and either a second
        derivative or a Lipschitz derivative.
    lower_limits, upper_limits : float or array_like, (n_features,), dict or Series, optional
        Limits of the coefficients of the columns of X, as in glmnet: at most 0, at least 0;
        infinite by default. By name as `penalty_factor`.
    positive : bool, default False
        True: no coefficient may be negative, as in scikit-learn.
    l1_ratio : float, default 1
        Below 1 the elastic net of scikit-learn: the penalty is alpha times the sum of
        ``f_j (l1_ratio |w_j| + (1 - l1_ratio) w_j^2 / 2)``. 0 is ridge, without an alpha at which
        all coefficients are 0: the default grid goes from 1 / `eps` to `eps` times the sum of the
        squared norms of the columns, over n_samples.
    unit_columns : bool, default True
        Whether the penalty applies to the coefficients of unit columns: the Lasso on unit-norm
        columns. With False it applies to those of the columns of X, as in scikit-learn, and the
        alphas are those of ``sklearn.linear_model.lasso_path``.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred. With a Problem leave it at True: its
        `center` decides.
    refit_intercept : bool, default False
        Only for losses other than the squared one. True: the unpenalised intercept is fitted at
        every alpha, as in glmnet and scikit-learn, and the gap covers it. False: the intercept
        stays at that of the constant model, which is not the joint optimum.
    offset : array_like, (n_samples,), optional; not with a Problem
        A known part of every prediction, on the link scale, such as log(exposure) for
        ``Poisson()``; pass that of new rows to ``path.predict(X, offset=...)``.
    products : object, optional
        Internal: shares Gram entries between the folds of cross-validation. Leave at None.

    Returns
    -------
    LassoPath
        ``alphas``, decreasing, and ``gaps``, the relative gaps that were reached. If rounding or
        the limit of steps stopped the solver before `tol`, ``message`` says "not reached" and gives
        the largest gap. Ctrl-C keeps the alphas done so far, with an ``InterruptedWarning``.

    Raises
    ------
    ValueError
        For bad input, and for a loss without a known lower bound: without one there is no gap. For
        columns of factor 0 that fit y without bound, as where they separate the classes: then there
        is no optimum.

    Notes
    -----
    Predictions are ``constant + (X - means) w``. For the squared loss ``constant``, the mean of y,
    is the best intercept for any w; for other losses see `refit_intercept`.

    A large tall X, from whose Gram matrix alone many alphas are solved, is not copied. What needs
    its columns later, such as ``certificate``, reads X again, and raises a ValueError if X was
    changed; pass ``Problem(X, y)``, which holds a copy, to change X.

    Learners that a search finds, such as ``cb.data.rules(X)`` or a ``LearnerFamily`` of your own,
    are columns that are never listed. Those found so far are the working set; after each fit a
    search either finds others whose correlation is too large, or proves the gap over all of them.
    The path has the learners that it uses; ``n_scans`` counts the searches. Where a search is cut
    short, by its ``max_nodes`` or Ctrl-C, the gap is larger, but holds over all learners. The
    options `solver`, `penalty_factor`, limits, `l1_ratio` and `unit_columns` are not for these.

    The rule that chooses the solver: ``docs/lasso-path.md``. *Source*: Friedman, Hastie,
    Tibshirani, *Regularization paths for generalized linear models via coordinate descent*.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> path = cb.lasso_path(X, y, alphas=[0.5, 0.1])
    >>> path.coefs.round(3)
    array([[0.   , 0.717],
           [0.345, 1.08 ]])
    >>> bool(max(path.gaps) < 1e-6)
    True
    """
    if is_searched(X):
        check_options(
            lasso_path,
            {
                "solver": solver,
                "penalty_factor": penalty_factor,
                "lower_limits": lower_limits,
                "upper_limits": upper_limits,
                "positive": positive,
                "l1_ratio": l1_ratio,
                "unit_columns": unit_columns,
                "products": products,
            },
        )
        problem = checked_for_lasso("lasso_path", X, y, sample_weight, loss, fit_intercept, offset)
        tol = checked_positive("tol", tol)
        return searched_path(problem, alphas, n_alphas, eps, tol, refit_intercept)
    objective = Objective.checked(
        X,
        y,
        loss=loss,
        sample_weight=sample_weight,
        penalty_factor=penalty_factor,
        lower_limits=lower_limits,
        upper_limits=upper_limits,
        positive=positive,
        l1_ratio=l1_ratio,
        unit_columns=unit_columns,
        fit_intercept=fit_intercept,
        refit_intercept=refit_intercept,
        offset=offset,
        gram=products is None and _by_gram_matrix(alphas, n_alphas, l1_ratio),
    )
    check_solver(solver, objective)
    tol = checked_positive("tol", tol)
    if products is not None and not (hasattr(products, "cross") and hasattr(products, "doubt")):
        raise ValueError(
            "products must have cross(a, b) and doubt, the inner products of the unit columns, "
            f"got {shown(products)}."
        )
    with one_thread():
        columns = objective.columns(products)
        start = objective.start(columns)
        alphas = objective.grid(columns, start, alphas, n_alphas, eps)
        solver = solver or default_solver(objective, alphas, tol, products is not None)
        lams = objective.lams(alphas)
        # then the constant model, with the columns without a penalty, is optimal for every penalty
        constant = objective.problem.start_excess == 0 or not columns.penalty.size(start).any()
        with interruptible(lambda: True) as interrupted:  # the solvers say what they have made
            if constant:
                solved = Solved.constant(len(lams), columns.n_learners)
            else:
                objective.need_positive(alphas)
                solved = solved_by(solver, objective, columns, lams, tol)
            cut = interrupted()
        solved = objective.with_unpenalised(columns, solved)
        solved = no_worse_than_none(solved, objective, columns, lams, tol)
        path = objective.path(alphas, solved, solver)
        gaps = path.gaps
    if not constant or objective.free_intercept or objective.unpenalised is not None:
        gaps = reliable_gaps(path, objective, tol)
    return replace(path, gaps=gaps, message=closing_message("lasso_path", alphas, gaps, tol, cut))


def grid_with_knots(problem, grid, **options):
    """The arguments of ``lasso_path`` for a grid, and for the knots of the exact path.

    Between two knots of the Lasso of the squared loss the degrees of freedom stay, and the loss
    falls with the penalty, so the smallest AIC, BIC or Cp of all penalties is at a knot.

    Parameters
    ----------
    problem : Problem
    grid : dict
        ``alphas``, ``n_alphas`` and ``eps``, as for ``lasso_path``. Knots are added to a default
        grid only.
    options : the penalty, as for ``lasso_path``

    Returns
    -------
    dict
        As it was, where the path has no knots, or more than some hundreds.
    """
    smaller_side = min(problem.n_samples, problem.n_learners)
    if grid["alphas"] is not None or smaller_side > MOST_FOR_KNOTS:
        return grid
    parts = {"loss": None, "sample_weight": None, "offset": None, "fit_intercept": True}
    objective = Objective.checked(problem, None, **parts, gram=False, **options)
    if "homotopy" not in solvers_for(objective) or objective.problem.start_excess == 0:
        return grid
    with one_thread():
        columns = objective.columns()
        start = objective.start(columns)
        default = objective.grid(columns, start, **grid)
        if not columns.penalty.size(start).any():
            return grid
        knots = beside_knots(columns) / objective.lams(1.0)
    alphas = np.unique(np.concatenate([default, knots[knots < default[0]]]))[::-1]
    return {"alphas": alphas, "solver": "homotopy"}


def _by_gram_matrix(alphas, n_alphas, l1_ratio):
    """Whether these arguments, not yet checked, are those of a path from a Gram matrix: many
    penalties, or ridge.
    """
    number = n_alphas if alphas is None else getattr(alphas, "size", 0)
    if isinstance(alphas, list | tuple):
        number = len(alphas)
    many = isinstance(number, int) and number > FEW_PENALTIES
    return many or (isinstance(l1_ratio, int | float) and l1_ratio == 0)
