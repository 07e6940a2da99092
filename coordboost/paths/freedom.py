r"""Degrees of freedom along paths of the squared loss; criteria without rows held out; units of
penalties.

Degrees of freedom of a fit are :math:`\sum_i \mathrm{cov}(\hat y_i, y_i) / \sigma^2`, the intercept
not counted. What theory gives:

* Lasso: the number of coefficients that are not 0 (their rank, where columns depend on each other),
  without bias. *Source*: Zou, Hastie, Tibshirani, *On the "degrees of freedom" of the lasso*;
  Tibshirani, Taylor, *Degrees of freedom in lasso problems*.
* Elastic net: the trace of the hat matrix of the active columns with their ridge penalty. *Source*:
  Tibshirani, Taylor, as above.
* LAR: about the number of learners that have begun to move. *Source*: Efron, Hastie, Johnstone,
  Tibshirani, *Least angle regression*.
* LS-Boost: the trace of the hat operator :math:`I - \prod_k (I - \epsilon B_{j_k} B_{j_k}' W)` of
  the learners that the run chose. The choice is taken as fixed, so the trace misses the degrees of
  freedom of the search. *Source*: Buehlmann, Hothorn, *Boosting algorithms: regularization,
  prediction and model fitting*, Section 5.3; the remark is Hastie's, in the discussion of that
  paper.

For other methods we know of no formula.


**One penalty in the units of four programs.** Let W be the sum of the weights (n_samples, where
there are none). All of them minimise a loss and a penalty; they differ in what the loss is divided
by and in the columns that coefficients belong to:

============  =======================================  ====================  ==============
name          objective                                columns of            lam is
============  =======================================  ====================  ==============
``"lam"``     sum of losses + lam sum abs(beta_j)      norm 1                lam
``"alpha"``   mean of losses + alpha sum abs(beta_j)   norm 1                alpha W
``"glmnet"``  mean of losses + lambda sum abs(w_j)     standard deviation 1  lambda sqrt(W)
============  =======================================  ====================  ==============

``"lam"`` is that of ``exact_path``, ``L1Penalty`` and ``certify``, and of R's lars with
``normalize=TRUE``. ``"alpha"`` is that of ``lasso_path``. ``"glmnet"`` is that of R's glmnet with
its default ``standardize=TRUE``, and of scikit-learn after a ``StandardScaler``. Standard
deviations are those with divisor W, as in both. A column of norm 1 is sqrt(W) times smaller than
one of standard deviation 1, so its coefficient is sqrt(W) times larger.

Without standardisation there is nothing to convert: alpha of scikit-learn's ``Lasso``, lambda of
glmnet with ``standardize=FALSE`` and the alphas of ``lasso_path(X, y, unit_columns=False)`` are the
same number. C of ``LogisticRegression`` is 1 / (alpha W).
"""

import math

import numpy as np

from coordboost._utils.checks import not_negative, positive, shown
from coordboost.data.problem import Problem

#: Singular values of unit columns below this count as 0.
DEPENDENT = 1e-7
#: Penalty for a degree of freedom, in units of the noise variance, given the number of rows.
COSTS = {"aic": lambda n: 2.0, "cp": lambda n: 2.0, "bic": math.log}


def hat_trace(run):
    """Trace of the hat operator of LS-Boost after each number of steps, (n_steps + 1,).

    *Cost*: O(k^2) per step, for k learners chosen.

    Raises
    ------
    ValueError
        For another method, or another loss than the squared one.
    """
    rate = run.method.step.ls_boost_rate
    greedy = run.method.select.greedy
    if rate is None or not greedy or not run.problem.loss.quadratic or np.any(run.path.shrink):
        raise ValueError(
            "degrees of freedom are known for the Lasso, LAR and LS-Boost with the squared loss, "
            f"got {run.method.name}; choose by cross-validation."
        )
    learners, place = np.unique(run.path.learner, return_inverse=True)
    columns = run.problem.gather(learners)
    gram = columns.T @ (run.problem.weight[:, None] * columns)
    # the operator is B C B'W
    C = np.zeros_like(gram)
    trace = np.zeros(run.n_steps + 1)
    for k, j in enumerate(place):
        row = -(gram[j] @ C)
        row[j] += 1.0
        C[j] += rate * row
        trace[k + 1] = trace[k] + rate * float(row @ gram[j])
    return trace


def active_rank(problem, betas):
    """The rank of the columns with a non-zero coefficient, for each of `betas`, an iterable of
    (n_learners,).
    """
    known = {}
    ranks = []
    for beta in betas:
        support = np.flatnonzero(beta)
        key = support.tobytes()
        if key not in known:
            known[key] = (
                np.linalg.matrix_rank(_metric(problem, support), tol=DEPENDENT)
                if len(support)
                else 0
            )
        ranks.append(known[key])
    return np.array(ranks, dtype=float)


def shrunken_rank(problem, betas, ridges):
    """Trace of the hat matrix of the active columns with the ridge penalty of the elastic net, for
    each of `betas`.

    ridges : iterable of (n_learners,), the factors of ``beta^2 / 2``, which is added to the sum of
    losses
    """
    traces = []
    for beta, ridge in zip(betas, ridges, strict=True):
        support = np.flatnonzero(beta)
        columns = _metric(problem, support)
        gram = columns.T @ columns
        traces.append(
            float(np.trace(np.linalg.solve(gram + np.diag(ridge[support]), gram)))
            if len(support)
            else 0.0
        )
    return np.array(traces)


def _metric(problem, support):
    """Some columns in the metric of the weights, (n_samples, len(support))."""
    return problem.gather(support) * np.sqrt(problem.weight)[:, None]


def noise_of(problem, intercept=True):
    """Estimate the noise variance by least squares on all columns, and on the intercept if the
    models have one.

    Raises
    ------
    ValueError
        If there are too few rows to estimate it.
    """
    n_rows = problem.n_rows
    n_free = n_rows - problem.spectrum.rank - int(intercept)
    if n_free < 1:
        raise ValueError(
            f"the noise cannot be estimated from {n_rows} rows and {problem.n_learners} columns: "
            "pass noise_variance, or choose by cross-validation."
        )
    resid = problem.resid(np.zeros(problem.n_samples))
    inside = problem.spectrum.project(problem, resid)
    square = problem.size(resid) ** 2 - float(inside @ inside)
    return max(square, 0.0) / n_free


def criterion(name, problem, losses, freedom, noise_variance=None, intercept=True):
    """AIC, BIC or Cp at every point, smaller is better.

    It is RSS / noise_variance + cost df, (n_points,).

    Parameters
    ----------
    name : {"aic", "bic", "cp"}
        AIC and Cp differ by a constant, so they choose the same point.
    losses, freedom : (n_points,)
        Sums of losses on the rows of the fit, degrees of freedom.
    noise_variance : float, optional
        Default: the estimate by least squares on all columns.
    intercept : bool
        Whether the models have an intercept, which takes a degree of freedom from that estimate.
    """
    if name not in COSTS:
        raise ValueError(f"the criterion must be 'aic', 'bic' or 'cp', got {shown(name)}.")
    if not problem.loss.quadratic:
        raise ValueError(
            f"{name} is for the squared loss, got {shown(problem.loss)}; choose by "
            "cross-validation."
        )
    variance = (
        noise_of(problem, intercept)
        if noise_variance is None
        else positive("noise_variance", noise_variance)
    )
    if variance == 0:
        raise ValueError(
            "least squares fits y exactly: pass noise_variance, or choose by cross-validation."
        )
    return 2 * np.asarray(losses) / variance + COSTS[name](problem.n_rows) * np.asarray(freedom)


#: Factor from a penalty in these units to lam, given the sum of the weights.
UNITS = {"lam": lambda total: 1.0, "alpha": lambda total: total, "glmnet": math.sqrt}


def convert_penalty(value: float, source: str, to: str, of: Problem | float) -> float:
    """Convert a penalty from the units of one program to those of another.

    Parameters
    ----------
    value : float
        The penalty, at least 0, in the units of `source`.
    source, to : {"lam", "alpha", "glmnet"}
        Sums and unit columns; means and unit columns; means and columns of standard deviation 1
        (see the table in ``coordboost.paths.freedom``).
    of : Problem or float
        The problem, or the sum of its weights: n_samples where there are none.

    Returns
    -------
    float
        The penalty in the units of `to`.

    Raises
    ------
    ValueError
        For an unknown unit, and a value below 0.

    Examples
    --------
    A penalty of 2 for the sum of losses over 4 samples is a penalty of 1/2 for their mean:

    >>> import coordboost as cb
    >>> cb.lasso.convert_penalty(2.0, "lam", "alpha", of=4)
    0.5
    """
    for name, unit in (("source", source), ("to", to)):
        if not isinstance(unit, str) or unit not in UNITS:
            raise ValueError(f"{name} must be 'lam', 'alpha' or 'glmnet', got {shown(unit)}.")
    samples = of.weight.sum() if isinstance(of, Problem) else of
    total = positive("of", samples, expected="a Problem, or a number of samples")
    return not_negative("value", value) * (UNITS[source](total) / UNITS[to](total))
