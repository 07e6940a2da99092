"""Inputs and results of a Lasso path: the checked problem, factors, limits and penalties.

Models on the scale of X, the message.
"""

import math

import numpy as np
import scipy.sparse

from coordboost._utils.checks import few, real, shown
from coordboost._utils.interrupt import LATE, InterruptedWarning
from coordboost._utils.warned import warn
from coordboost.certificates.declarations import contradiction
from coordboost.certificates.objectives import need_convexity
from coordboost.data import validation
from coordboost.data.frames import by_name, is_frame
from coordboost.data.problem import Problem
from coordboost.data.tall import TallTable
from coordboost.lasso.columns import full_rows
from coordboost.learners.stores.daskarray import is_lazy

#: Slack for relative gaps, which are quotients of two rounded numbers.
ROUNDED = 1 + 4 * float(np.finfo(float).eps)
#: Least share of the l1 norm above 0: with less, both penalties do not fit into the range of
#: float64.
LEAST_RATIO = 1e-100


def checked_ratio(l1_ratio):
    """Return the share of the l1 norm in the penalty, a float.

    Raise a ValueError if it is not from 0 to 1, or so near 0 that the penalties overflow.
    """
    ratio = real("l1_ratio", l1_ratio, lambda number: 0 <= number <= 1, "at least 0 and at most 1")
    if 0 < ratio < LEAST_RATIO:
        raise ValueError(
            f"l1_ratio must be 0 or at least {LEAST_RATIO}, got {ratio}: pass 0, for ridge alone."
        )
    return ratio


def lasso_problem(
    caller, X, y, sample_weight, penalty_factor, loss, unit, fit_intercept, offset=None, gram=False
):
    """Return the Problem.

    1 over the factors of the abs coefficients of unit columns in the penalty; `penalty_factor`, (2,
    n_learners). Learners without a penalty, and those left out, are taken at factor 1.

    gram : whether the solver needs only the Gram matrix of a tall table, if the loss is squared
    """
    problem = checked_for_lasso(caller, X, y, sample_weight, loss, fit_intercept, offset, gram)
    validation.countable(caller, problem)
    scale = (
        np.ones(problem.n_learners)
        if validation.flag("unit_columns", unit)
        else problem.standardization.norm
    )
    factors = as_factors(penalty_factor, problem)[:, problem.standardization.kept]
    return (
        problem,
        scale / np.where((factors[0] > 0) & (factors[0] < math.inf), factors[0], 1.0),
        factors,
    )


def checked_for_lasso(caller, X, y, sample_weight, loss, fit_intercept, offset=None, gram=False):
    """Return the Problem of the arguments; raise a ValueError for a loss without certificates.

    gram : as for ``lasso_problem``
    """
    if isinstance(X, Problem):
        parts = (y, sample_weight, loss, offset)
        if any(part is not None for part in parts) or not fit_intercept:
            raise ValueError(
                "y, sample_weight, offset, loss and fit_intercept (center=False) are part of the "
                f"Problem: pass {caller}(problem) without them."
            )
        problem = X
    else:
        squared = loss is None or getattr(loss, "quadratic", False)
        is_table = isinstance(X, np.ndarray) or (not is_lazy(X) and is_frame(X))
        problem = Problem(
            TallTable(X) if gram and squared and is_table else X,
            y,
            loss,
            sample_weight=sample_weight,
            offset=offset,
            center=validation.flag("fit_intercept", fit_intercept),
        )
    need_convexity(problem, "a Lasso path")
    if not problem.loss.quadratic:
        _check_smooth(problem)
        if refuted := contradiction(problem, 0.0 * problem.y, problem.start_loss):
            raise ValueError(f"{refuted}. There is no certificate for a Lasso path.")
    return problem


def names_of_columns(problem):
    """The names of the columns of X, if they were given; else None."""
    return problem.column_names if problem.named else None


def as_factors(penalty_factor, problem):
    """Check and return the factors of the coefficients of X in the penalty.

    They are those of abs values and of squares, (2, n_columns); 1 for None. Infinite ones leave
    their columns out.
    """
    n_columns = problem.standardization.n_columns
    if penalty_factor is None:
        return np.ones((2, n_columns))
    penalty_factor = by_name("penalty_factor", penalty_factor, names_of_columns(problem), 1.0)
    given = validation.as_array("penalty_factor", penalty_factor)
    out = np.isposinf(given) if given.dtype.kind == "f" else np.zeros(given.shape, dtype=bool)
    finite = np.where(out, 1.0, given) if out.any() else penalty_factor
    two = finite if given.ndim == 2 and len(given) == 2 else (finite, finite)
    factors = np.array(
        [validation.vector("penalty_factor", row, n_columns, "column of X") for row in two]
    )
    factors[np.broadcast_to(out, factors.shape)] = math.inf
    if not (factors >= 0).all():
        raise ValueError(
            f"penalty_factor must be at least 0, got {factors.min():g}; infinity leaves a column "
            "out."
        )
    for value in (0.0, math.inf):
        if ((factors[0] == value) != (factors[1] == value)).any():
            raise ValueError(
                f"penalty_factor must be {value:g} in both rows or in none: a column has both "
                "penalties or neither."
            )
    return factors


def _check_smooth(problem):
    """Refuse a loss, other than the squared one, that quadratic models cannot follow.

    It needs a curvature or smoothness for the models, and an infimum for gaps.
    """
    bounded = problem.infimum > -np.inf
    if problem.loss.curvature is None and problem.loss.sigma is None:
        low = (
            ""
            if bounded
            else ", and an infimum, a lower bound of value(y, f): a number or a function of y"
        )
        raise ValueError(
            f"lasso_path needs a loss with curvature(y, f) or a smoothness sigma{low}, got "
            f"{shown(problem.loss)}."
        )
    if not bounded:
        raise ValueError(
            "lasso_path certifies gaps, which need a lower bound of the loss: "
            f"{shown(problem.loss)} declares none. Add the attribute infimum, a lower bound of "
            "value(y, f): a number or a function of y."
        )


def limits_of(lower, upper, positive, problem):
    """Check and return the limits of the coefficients of the columns of X.

    Lower and upper ones, (2, n_columns).
    """
    n_columns = problem.standardization.n_columns
    out = np.empty((2, n_columns))
    for row, name, given, sign in zip(
        out, ("lower_limits", "upper_limits"), (lower, upper), (-1, 1), strict=True
    ):
        if given is None:
            row[:] = sign * math.inf
            continue
        values = by_name(name, given, names_of_columns(problem), sign * math.inf)
        values = validation.as_array(name, values)
        values = values.astype(np.float64) if values.dtype.kind in "fiu" else values
        if (
            values.dtype.kind not in "fiu"
            or values.shape not in ((), (n_columns,))
            or not (sign * values >= 0).all()
        ):
            side = "at most 0" if sign < 0 else "at least 0"
            raise ValueError(
                f"{name} must be a number or one for each of the {n_columns} columns of X, {side}, "
                f"got {shown(given)}."
            )
        row[:] = values
    out[0] = 0.0 if positive else out[0]
    return out


def given_penalties(alphas):
    """Check and return the penalties `alphas`, decreasing."""
    alphas = validation.numeric("alphas", alphas, 1)
    if not len(alphas) or (alphas < 0).any():
        raise ValueError(f"alphas must be at least one penalty >= 0, got {shown(alphas.tolist())}.")
    return np.sort(alphas)[::-1]


def penalty_grid(n_alphas, eps, top, least, ridge_size=None):
    """Return the default penalties, decreasing.

    They go from `top` down; if rounding cannot tell `top` from 0, all are `least`.

    ridge_size : for ridge, the centre of the penalties, on a log scale
    """
    n_alphas = few("n_alphas", validation.whole("n_alphas", n_alphas, 1), 100_000)
    eps = real(
        "eps", eps, lambda number: 1e-100 <= number < 1, "between 0 and 1, and at least 1e-100"
    )
    if ridge_size is not None:
        top = ridge_size / eps
        eps = eps**2
        least = 0.0
    if top <= least or n_alphas == 1:
        return np.full(n_alphas, max(top, least))
    return np.geomspace(top, top * eps, n_alphas)


def on_scale_of_x(problem, factor, gammas):
    """Return coefficients on the scale of X, CSR array (n_alphas, n_columns), and intercepts.

    `gammas` are those of ``factor_j B_j``; they are used up.
    """
    standardization = problem.standardization
    by_column = factor / standardization.norm
    mean = standardization.mean * by_column
    column = gammas.indices
    rows = full_rows(gammas)
    if rows is None:
        shift = gammas @ mean
        values = by_column[column] * gammas.data
    else:
        shift = rows @ mean
        values = np.multiply(rows, by_column, out=rows).ravel()
    if len(standardization.kept) == standardization.n_columns:
        gammas.data = values
        return gammas, problem.constant - shift
    column = standardization.kept[column]
    shape = (gammas.shape[0], standardization.n_columns)
    models = scipy.sparse.csr_array((values, column, gammas.indptr), shape=shape)
    return models, problem.constant - shift


def message_of(alphas, gaps, tol):
    """Whether the path is complete, in words."""
    short = np.flatnonzero(~(gaps <= tol * ROUNDED))
    if not len(short):
        return "complete"
    worst = short[np.argmax(gaps[short])]
    where = (
        f" at {len(short)} of {len(alphas)} alphas, most at {alphas[worst]:.6g}"
        if len(alphas) > 1
        else ""
    )
    return f"not reached: the gap is {gaps[worst]:.2g}, above tol = {tol:g}{where}"


def closing_message(caller, alphas, gaps, tol, interrupted):
    """The message of a path; warn if it was interrupted."""
    done = len(gaps)
    if not interrupted:
        return message_of(alphas, gaps, tol)
    if done == len(alphas) and gaps[-1] <= tol:
        warn(LATE, InterruptedWarning)
        return message_of(alphas, gaps, tol)
    message = f"interrupted after {done} of {len(alphas)} alphas"
    if gaps[-1] > tol:
        message += f", the last to a gap of {gaps[-1]:.2g}"
    warn(f"{caller} was {message}.", InterruptedWarning)
    return message
