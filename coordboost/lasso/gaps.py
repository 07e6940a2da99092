"""Gaps of finished models: worse models than none are replaced, gaps computed anew."""

import numpy as np
import scipy.sparse

from coordboost.lasso.inputs import ROUNDED
from coordboost.lasso.workingset import Solved
from coordboost.paths.intercept import best_shift


def no_worse_than_none(solved, objective, columns, lams, tol):
    """Replace models that are worse than none; return a `Solved`.

    Where `tol` was not reached and the objective is above that without penalised coefficients, take
    the latter; its gap is at most 1.

    Beside near copies of columns without a penalty, rounding may let coefficients grow without
    bound.
    """
    problem = objective.problem
    gaps = solved.gaps
    short = np.flatnonzero(~(gaps <= tol * ROUNDED))
    if not len(short):
        return solved
    none = objective.with_unpenalised(columns, Solved.constant(1, problem.n_learners)).coefs
    scale = 1.0 if columns.scale is None else columns.scale
    penalised = np.flatnonzero(objective.penalised)

    def cost(gamma, lam):
        pred = problem.combine(scale * gamma)
        if objective.free_intercept:
            pred = pred + best_shift(problem, pred)
        penalty = columns.penalty.at(float(lam), penalised)
        return problem.value(pred) + penalty.value(gamma[penalised])

    cost_of_none = cost(none.toarray()[0], 0.0)
    rows = [solved.coefs[[k]] for k in range(len(gaps))]
    with np.errstate(over="ignore", invalid="ignore"):
        for k in short:
            gamma = rows[k].toarray()[0]
            if not (np.isfinite(gamma).all() and cost(gamma, lams[k]) <= cost_of_none):
                rows[k] = none
                if solved.shifts is not None:
                    solved.shifts[k] = np.nan
                gaps[k] = min(gaps[k], 1.0) if gaps[k] == gaps[k] else 1.0
    return solved._replace(coefs=scipy.sparse.vstack(rows, format="csr"))


def reliable_gaps(path, objective, tol):
    """The gaps of a finished path: those of certificates where the solver's cannot be relied on."""
    if objective.unpenalised is not None:
        return _of_certificates(path)
    if objective.free_intercept:
        return _with_fitted_intercepts(path)
    known_by_moments = objective.problem.reduced is not None  # their errors widen certificates
    if objective.uneven or known_by_moments or not (path.gaps <= tol).all():
        return _of_certificates(path)
    return path.gaps


def _with_fitted_intercepts(path):
    """The gaps of a path with fitted intercepts, or those of its certificates where wider.

    Residuals have a sum of 0 up to the rounding of predictions, which is large beside the residuals
    of a loss of y - f of small slope. *Cost*: a scan for each gap of which that rounding may be a
    tenth, and two in all.
    """
    problem = path.problem
    gaps = path.gaps.copy()
    excess = problem.start_excess
    if not (excess > 0 and problem.loss.location):
        return gaps
    for k in range(len(gaps)):
        coef = path.models[[k]].toarray()[0]
        target = path.target(k)
        beta = problem.unit(coef)
        shift = path._shift(coef, path.intercepts[k])
        pred = problem.combine(beta) + shift
        off = abs(float(problem.resid(pred).sum()))
        cost = problem.value(pred) + target.value(beta)
        farthest = path._reach.most(cost, target.price, target.ridge)
        if not off * (farthest + abs(shift)) <= 0.1 * gaps[k] * excess:
            gaps[k] = max(gaps[k], path.certificate(k).gap / excess)
    return gaps


def _of_certificates(path):
    """The gaps of the certificates of a path, relative to the loss at 0, (n_alphas,).

    For penalties that differ by many powers of ten, as on columns of such norms, and for gaps that
    were not reached: what remains may be the rounding of the solver. *Cost*: one scan for each
    alpha.
    """
    return np.array([path.certificate(k).witness["relative_gap"] for k in range(path.n_points)])
