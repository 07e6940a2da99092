"""The Lasso on a grid of penalties, with a certified duality gap for each.

Its solvers: the exact path evaluated at the penalties, working sets with one of the inner solvers,
and eigenvectors for ridge.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from scipy.linalg import eigh, svd

from coordboost._numba.threads import one_thread
from coordboost._utils.checks import positive as checked_positive
from coordboost._utils.checks import real, shown
from coordboost._utils.interrupt import LATE, InterruptedWarning, interruptible
from coordboost._utils.warned import warn
from coordboost.certificates.objectives import Evaluation
from coordboost.data import validation
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.descent import CoordinateDescent
from coordboost.lasso.grid import LassoPath, columns_in_use
from coordboost.lasso.homotopy.homotopy import GAP, INTERRUPTED, Homotopy
from coordboost.lasso.inputs import (
    ROUNDED,
    lasso_problem,
    limits_of,
    message_of,
    on_scale_of_x,
    penalty_grid,
)
from coordboost.lasso.newton import FreeNewton, Newton, Reach
from coordboost.lasso.penalty import Penalty, squared_gap
from coordboost.lasso.workingset import WorkingSet
from coordboost.learners import Dense
from coordboost.paths.intercept import Shifts, best_shift
from coordboost.paths.places import between

#: If the penalties of the columns differ by more than this factor, or a gap was not reached, gaps
#: are those of certificates.
UNEVEN = 1e6
#: Smaller l1_ratios above 0 have the default grid of this one.
LEAST_RATIO = 1e-3
#: Columns gathered at a time for a Gram matrix of the samples.
FEW_COLUMNS = 1024
#: Largest side of a matrix whose eigenvectors or singular vectors are computed by default.
MOST = 4000


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
    products: Any = None,
) -> LassoPath:
    """The Lasso or elastic net path on a grid, with a certificate at every alpha.

    Parameters
    ----------
    X : array_like, data frame or scipy sparse matrix, (n_samples, n_features); or a Problem
        Columns are centred and scaled to Euclidean norm 1, as for ``exact_path`` and every boosting
        method.
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
        ``docs/lasso-path.md`` has the rule that chooses. The exact path takes no `l1_ratio` < 1,
        limits or penalty factor 0. Ridge: eigenvectors, or coordinate descent. For other losses
        proximal Newton steps on a working set.
    penalty_factor : array_like, (n_features,) or (2, n_features), optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. Columns of factor 0 have no penalty, for the squared loss; for others take 1e-6, and
        give the `alphas`. Two rows: of the absolute values, and of the squares. Default: 1.
    sample_weight : array_like, (n_samples,), optional; not with a Problem
        Weights of the terms of the mean loss.
    loss : Loss, default ``Squared()``; not with a Problem
        ``Logistic()``, ``Huber(d)`` or any convex loss with a known lower bound and either a second
        derivative or a Lipschitz derivative.
    lower_limits, upper_limits : float or array_like, (n_features,), optional
        Limits of the coefficients of the columns of X, as in glmnet: at most 0, at least 0;
        infinite by default.
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
        For bad input, and for a loss without a known lower bound: without one there is no gap.

    Notes
    -----
    Predictions are ``constant + (X - means) w``. For the squared loss ``constant``, the mean of y,
    is the best intercept for any w; for other losses see `refit_intercept`.

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
    problem, scale, factors = lasso_problem(
        "lasso_path", X, y, sample_weight, penalty_factor, loss, unit_columns, fit_intercept
    )
    squared = problem.loss.quadratic
    factor = factors[0]
    l1_ratio = real(
        "l1_ratio", l1_ratio, lambda number: 0 <= number <= 1, "at least 0 and at most 1"
    )
    limits = limits_of(
        lower_limits,
        upper_limits,
        validation.flag("positive", positive),
        problem.standardization.n_columns,
    )
    limited = bool(np.isfinite(limits).any())
    unpenalised = np.flatnonzero(factor == 0)
    if len(unpenalised) and (
        not squared or np.isfinite(limits[:, problem.standardization.kept[unpenalised]]).any()
    ):
        raise ValueError(
            "penalty_factor may be 0 only for the squared loss, in columns without limits. Use "
            "1e-6 instead, and pass alphas: the default ones begin where such a column enters."
        )
    solvers = _solvers(problem, l1_ratio, limited, len(unpenalised))
    _check_solver(solver, solvers, problem.loss, l1_ratio, limited, len(unpenalised))
    tol = checked_positive("tol", tol)
    largest = float(scale[factor > 0].max(initial=0.0)) or 1.0
    scale[unpenalised] = largest
    if products is not None and not (hasattr(products, "cross") and hasattr(products, "doubt")):
        raise ValueError(
            "products must have cross(a, b) and doubt, the inner products of the unit columns, "
            f"got {shown(products)}."
        )
    with one_thread():
        way = problem.standardization
        l1 = l1_ratio or 1.0
        ridge = (1 / l1 - l1_ratio / l1) / largest * _squares(factors)
        low, high = limits[:, way.kept] * (way.norm / scale * largest)
        penalty = Penalty(float(l1_ratio > 0), ridge, low, high, l1_ratio < 1, limited)
        columns = ScaledColumns(
            problem,
            scale / largest,
            penalty,
            weighted=squared,
            products=products,
            unpenalised=unpenalised,
        )
        total = float(problem.weight.sum())
        start = columns.zero if squared else columns.scan(problem.resid(0.0 * problem.y))
        unit = largest / total / max(l1_ratio, LEAST_RATIO)
        tops = (float(size.max()) * unit for size in (penalty.size(start), np.abs(start)))
        zero = Evaluation.point(problem, np.zeros(problem.n_learners), corr=False)
        least = zero.rounding_of_corr(problem) * unit
        # limits may keep all coefficients at 0
        top = next((top for top in tops if top > least), 0.0)
        # then the constant model, with the columns without a penalty, is optimal for every penalty
        nothing_to_explain = problem.start_excess == 0 or not penalty.size(start).any()
        with np.errstate(over="ignore"):
            ridge_size = float(np.sum(scale[factor > 0] ** 2)) / total if l1_ratio == 0 else None
        if ridge_size == math.inf and alphas is None:
            raise ValueError(
                "the squared norms of the columns of X are beyond the range of float64; pass "
                "alphas, or rescale the columns."
            )
        alphas = penalty_grid(alphas, n_alphas, eps, top, least, ridge_size)
        if (not squared or l1_ratio == 0) and alphas[-1] == 0 and not nothing_to_explain:
            what = shown(problem.loss) if l1_ratio else "ridge, l1_ratio = 0"
            raise ValueError(
                f"alphas must be > 0 for {what}: without a penalty there may be no optimum."
            )
        solver = solver or (
            choose(problem, alphas, tol)
            if "homotopy" in solvers and products is None
            else solvers[-1]
        )
        lams = alphas * l1 * total / largest
        free = validation.flag("refit_intercept", refit_intercept) and not squared
        with interruptible(lambda: True) as interrupted:  # the solvers say what they have made
            given = problem, columns, lams, tol
            if nothing_to_explain:
                coefs = scipy.sparse.csr_array((len(lams), problem.n_learners))
                gaps = np.zeros(len(lams))
                n_scans = 0
            else:
                coefs, gaps, n_scans = (
                    by_newton(*given, free=True) if free else SOLVERS[solver](*given)
                )
            cut = interrupted()
        if len(unpenalised):
            coefs = coefs + columns.unpenalised_part(coefs)
            n_scans = n_scans + columns.basis.shape[1]
        coefs, gaps = _no_worse_than_none(problem, columns, lams, coefs, gaps, tol, free)
        gaps = gaps + _rounding(problem, zero, scale / largest, coefs)
        models, intercepts = on_scale_of_x(problem, scale / largest, coefs)
        models.data = np.clip(models.data, *limits[:, models.indices])  # rounding may pass a limit
        if free:
            shifts = Shifts(problem)
            intercepts = intercepts + [
                shifts.beside(problem.combine(problem.unit(coef))) for coef in models.toarray()
            ]
    done = len(gaps)
    penalised = np.ones((2, problem.standardization.n_columns))
    penalised[:, problem.standardization.kept] = _factors(problem, scale, factors)
    found = LassoPath(
        problem,
        alphas[:done],
        models,
        intercepts,
        gaps,
        n_scans + 1,
        solver,
        penalised,
        limits,
        l1_ratio,
        free=free,
    )
    uneven = scale[factor > 0].max(initial=0.0) > UNEVEN * scale[factor > 0].min(initial=math.inf)
    if free:
        gaps = _certified_gaps(found)
    elif not nothing_to_explain and (uneven or not (gaps <= tol).all()):
        gaps = _judged_anew(found)
    message = message_of(alphas, gaps, tol)
    if cut and (done < len(alphas) or gaps[-1] > tol):
        message = f"interrupted after {done} of {len(alphas)} alphas"
        if gaps[-1] > tol:
            message += f", the last to a gap of {gaps[-1]:.2g}"
        warn(f"lasso_path was {message}.", InterruptedWarning)
    elif cut:
        warn(LATE, InterruptedWarning)
    return replace(found, gaps=gaps, message=message)


def _no_worse_than_none(problem, columns, lams, coefs, gaps, tol, free):
    """Replace models that are worse than none.

    Where `tol` was not reached and the objective is above that without penalised coefficients, take
    the latter; its gap is at most 1.

    Beside near copies of columns without a penalty, rounding may let coefficients grow without
    bound.
    """
    short = np.flatnonzero(~(gaps <= tol * ROUNDED))
    if not len(short):
        return coefs, gaps
    none = scipy.sparse.csr_array((1, problem.n_learners))
    none = none + columns.unpenalised_part(none) if len(columns.unpenalised) else none
    scale = 1.0 if columns.scale is None else columns.scale
    rows = [coefs[[k]] for k in range(len(gaps))]

    def objective(gamma, lam):
        pred = problem.combine(scale * gamma)
        pred = pred + best_shift(problem, pred) if free else pred
        penalised = np.delete(np.arange(len(gamma)), columns.unpenalised)
        return problem.value(pred) + columns.penalty.at(float(lam), penalised).value(
            gamma[penalised]
        )

    at_none = objective(none.toarray()[0], 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in short:
            gamma = rows[k].toarray()[0]
            if not (np.isfinite(gamma).all() and objective(gamma, lams[k]) <= at_none):
                rows[k], gaps[k] = none, min(gaps[k], 1.0) if gaps[k] == gaps[k] else 1.0
    return scipy.sparse.vstack(rows, format="csr"), gaps


def _certified_gaps(path):
    """The gaps of a path with fitted intercepts.

    Or those of its certificates where these are wider.

    Residuals have a sum of 0 up to the rounding of predictions, which is large beside the residuals
    of a loss of y - f of small slope. *Cost*: a scan for each gap of which that rounding may be a
    tenth, and two in all.
    """
    problem = path.problem
    gaps = path.gaps.copy()
    excess = path.problem.start_excess
    for k in range(len(gaps) if excess > 0 and problem.loss.location else 0):
        coef = path.models[[k]].toarray()[0]
        target = path.target(k)
        beta = problem.unit(coef)
        shift = path._shift(coef, path.intercepts[k])
        pred = problem.combine(beta) + shift
        off = abs(float(problem.resid(pred).sum()))
        far = path._reach.most(problem.value(pred) + target.value(beta), target.price, target.ridge)
        if not off * (far + abs(shift)) <= 0.1 * gaps[k] * excess:
            gaps[k] = max(gaps[k], path.certificate(k).gap / excess)
    return gaps


def _judged_anew(path):
    """The gaps of the certificates of a path, relative to the loss at 0, (n_alphas,).

    For penalties that differ by many powers of ten, as on columns of such norms, and for gaps that
    were not reached: what is left may be the rounding of the solver. *Cost*: one scan for each
    alpha.
    """
    return np.array([path.certificate(k).witness["relative_gap"] for k in range(path.n_points)])


def _rounding(problem, zero, factor, coefs):
    """Bound of what rounding adds to a gap, relative to the loss at 0, (n_alphas,).

    It is the rounding of predictions and correlations.
    """
    rows = np.repeat(np.arange(coefs.shape[0]), np.diff(coefs.indptr))
    l1 = np.bincount(rows, np.abs(factor[coefs.indices] * coefs.data), coefs.shape[0])
    size = zero.rounding_of_corr(problem) * l1 + zero.sums(problem)
    return 2 * size / problem.start_excess if problem.start_excess > 0 else 0 * size


def _squares(factors):
    """Factors of the squares of coefficients, where abs values have factor 1.

    They are (n_learners,); 1 without a penalty.
    """
    return np.divide(
        factors[1], factors[0] ** 2, out=np.ones(factors.shape[1]), where=factors[0] > 0
    )


def _factors(problem, scale, factors):
    """Factors of the coefficients of X in the penalty, (n_learners,) each.

    They are those of the abs values and of the squares.
    """
    first = np.where(factors[0] > 0, problem.standardization.norm / scale, 0.0)
    return first, first**2 * _squares(factors)


def _solvers(problem, l1_ratio, limited, unpenalised):
    """Names of the solvers for a loss and a penalty.

    The last one is the default, unless "homotopy" is among them: then see `choose`.
    """
    if not problem.loss.quadratic:
        return ["newton"]
    if l1_ratio == 0 and not limited:
        return (
            ["eigen", "cd"]
            if min(problem.n_samples, problem.n_learners) > MOST
            else ["cd", "eigen"]
        )
    return ["cd"] if l1_ratio < 1 or limited or unpenalised else ["homotopy", "cd"]


def _check_solver(solver, known, loss, l1_ratio, limited, unpenalised):
    """Refuse a solver that is not for this loss and penalty."""
    if solver is not None and not (isinstance(solver, str) and solver in known):
        names = " or ".join(", ".join(map(repr, [None, *sorted(known)[::-1]])).rsplit(", ", 1))
        net = f" and l1_ratio = {l1_ratio:g}" if l1_ratio < 1 else ""
        net += (" with limits" if limited else "") + (
            " with columns without a penalty" if unpenalised else ""
        )
        raise ValueError(f"solver must be {names} for {shown(loss)}{net}, got {shown(solver)}.")


#: A gap above this part of the tolerance is computed again from scans, as most of it may be
#: rounding.
SHARP = 1e-3
#: Up to this number of penalties, working sets solve for each directly: the exact path has to pass
#: all its knots.
FEW = 10


def choose(problem, alphas, tol):
    """Return the solver that was faster in measurements.

    The exact path for many penalties on small tables, else coordinate descent.
    """
    n = problem.n_samples
    p = problem.n_learners
    if not problem.loss.quadratic:
        return "newton"
    few = len(alphas) <= FEW and alphas[-1] > 0
    if few or problem.dictionary.entries:
        return "cd"
    fine = tol < 1e-4
    small = n <= (450 if fine else 200) if n < p else fine and p <= 200
    return "homotopy" if small else "cd"


def by_homotopy(problem, columns, lams, tol):
    """As `by_working_sets`, by the exact path.

    Where rounding leaves a gap above `tol`, use working sets.
    """
    walk = Homotopy(problem, "lasso", float(lams[-1]), columns=columns, gap=max(GAP, tol / 2))
    path = walk.run()
    if path.message == INTERRUPTED:
        lams = lams[: max(1, np.count_nonzero(lams >= path.lam[-1]))]
    coefs = path.coefs_at(lams)
    used, few = columns_in_use(coefs)
    held = np.empty((len(used), columns.n_samples))
    columns.gather(used, held)
    preds = few @ held
    resids = columns.y - preds
    before, after, weight = between(-path.lam, -lams)
    # residuals between knots are mixtures
    worst = (1 - weight) * walk.levels[before] + weight * walk.levels[after]
    rss = np.einsum("ij,ij->i", resids, resids)
    along = np.einsum("ij,ij->i", resids, preds)
    l1 = np.bincount(
        np.repeat(np.arange(len(lams)), np.diff(coefs.indptr)), np.abs(coefs.data), len(lams)
    )
    points = np.stack([rss, along, l1, worst, lams], axis=1)
    whole = float(columns.y @ columns.y) / 2 or 1.0
    gaps = _gaps(points, whole)
    loose = np.flatnonzero(gaps > SHARP * tol)
    if len(loose):
        points[loose, 3] = columns.levels(resids[loose])
        gaps[loose] = _gaps(points[loose], whole)
    n_scans = path.n_scans - 1 + len(loose)
    short = np.flatnonzero((gaps > tol) & (lams > 0))
    if len(short) and path.message != INTERRUPTED:
        others, found, more = by_working_sets(problem, columns, lams[short], tol)
        better = found < gaps[short[: len(found)]]
        row = np.arange(len(lams))
        n_scans = n_scans + more
        at = short[: len(found)][better]
        row[at], gaps[at] = len(lams) + np.flatnonzero(better), found[better]
        coefs = scipy.sparse.vstack([coefs, others], format="csr")[row]
    return coefs, gaps, n_scans


def _gaps(points, whole):
    """Return the gap of each point, relative to the loss at 0, `whole`.

    `points` has the five arguments of ``squared_gap`` in each row.
    """
    return np.array([max(squared_gap(*numbers), 0.0) for numbers in points.tolist()]) / whole


def by_working_sets(problem, columns, lams, tol, inner=None):
    """Solve for the penalties `lams`, largest first, until interrupted.

    Return coefficients, CSR array (n_done, n_learners), their gaps (n_done,), and the number of
    scans.

    inner : InnerSolver; default: coordinate descent, for the squared loss
    """
    if inner is None:
        inner = CoordinateDescent(columns, many=len(lams) > FEW)
    working_set = WorkingSet(inner)
    answers = []
    with interruptible(lambda: not answers) as interrupted:
        for lam in lams:
            if answers and interrupted():
                break
            answers.append(working_set.solve(float(lam), tol, interrupted))
    stops = np.cumsum([0] + [len(answer.learner) for answer in answers])
    learner = np.concatenate([stops[:0]] + [answer.learner for answer in answers])
    value = np.concatenate([np.zeros(0)] + [answer.value for answer in answers])
    shape = (len(answers), columns.n_learners)
    gammas = scipy.sparse.csr_array((value, learner, stops), shape=shape)
    return gammas, np.array([answer.gap for answer in answers]), inner.n_scans


def by_eigenvectors(problem, columns, lams, tol):
    """As `by_working_sets`, for ridge with the squared loss.

    All penalties come from the eigenvectors of one Gram matrix, of samples or of columns.

    The coefficients are ``C'a / ridge^(1/2)`` or ``a / ridge^(1/2)``, C the columns over
    ridge^(1/2), with (CC' + lam) a = y, or (C'C + lam) a = C'y. With e the residual of that
    equation the gap is ``e'CC'e / (2 lam)`` or ``e'e / (2 lam)``. *Cost*: the smaller Gram matrix
    and its eigenvectors; two passes over all columns if it is that of the samples.
    """
    by = columns.penalty.ridge**-0.5
    wide = columns.n_samples < columns.n_learners
    everything = np.arange(columns.n_learners)

    def pieces():
        for some in np.array_split(everything, 1 + columns.n_learners // FEW_COLUMNS):
            piece = np.empty((len(some), columns.n_samples))
            columns.gather(some, piece)
            yield some, piece * by[some, None]

    if wide:
        gram = np.zeros((columns.n_samples,) * 2)
        goal = columns.y
        for _, piece in pieces():
            gram += piece.T @ piece
    else:
        held = columns.hold(with_gram=True, columns=False)
        held.add(everything)
        gram = by[:, None] * held.gram[: len(by), : len(by)] * by
        goal = by * columns.zero
    values, vectors = eigh(gram)
    shrunk = np.maximum(values, 0.0)[:, None] + lams
    part = np.zeros((len(goal), len(lams)))
    rest = np.repeat(goal[:, None], len(lams), axis=1)
    for _ in range(2):  # the second pass corrects the rounding of the first
        part += vectors @ (vectors.T @ rest / shrunk)
        rest = goal[:, None] - gram @ part - lams * part
    size = np.einsum("ij,ij->j", rest, gram @ rest if wide else rest)
    if wide:
        part = np.concatenate([piece @ part for _, piece in pieces()])
    with np.errstate(over="ignore"):  # for a tiny penalty all that is left is rounding
        gaps = np.maximum(size, 0.0) / (2 * lams) / (columns.null or 1.0)
    return scipy.sparse.csr_array((by[:, None] * part).T), gaps, 1 + wide


def by_newton(problem, columns, lams, tol, free=False):
    """As `by_working_sets`, for other convex losses.

    They have second derivatives or a Lipschitz derivative.

    free : whether to fit the intercept.
    """
    few, back = directions(columns)

    def judge(lam, *point):
        return few.penalty.target(lam).certificate(few.problem, Evaluation(*point)).gap

    inner = FreeNewton(few, Reach(few).gap) if free else Newton(few, judge)
    coefs, gaps, n_scans = by_working_sets(few.problem, few, lams, tol, inner)
    return back(coefs), gaps, n_scans


def directions(columns):
    """Return the columns for Newton steps, and a map to coefficients of learners.

    The function takes coefficients of the columns to those of learners, CSR (n_alphas, n_learners).

    For ridge on fewer samples than columns they are singular vectors, at most n_samples: an optimum
    has no part orthogonal to them.
    """
    cost = columns.penalty
    problem = columns.problem
    eps = float(np.finfo(float).eps)
    if cost.lam or cost.limited or not columns.n_samples < min(columns.n_learners, MOST):
        return columns, lambda coefs: coefs
    by = cost.ridge**-0.5
    root = np.sqrt(np.where(problem.weight > 0, problem.weight, 1.0))
    columns.gather(
        np.arange(columns.n_learners), held := np.empty((columns.n_learners, columns.n_samples))
    )
    left, size, right = svd((held * by[:, None] * root).T, full_matrices=False)
    rank = max(1, int((size > eps * columns.n_learners * size[0]).sum()))
    few = problem.replace(dictionary=Dense(np.ascontiguousarray(left.T[:rank] / root)))
    open_ = np.full(rank, math.inf)
    penalty = Penalty(
        0.0, np.full(rank, size[0] ** -2 if size[0] else 1.0), -open_, open_, True, False
    )
    back = right[:rank] * by / (size[0] or 1.0)
    return ScaledColumns(
        few, size[:rank] / (size[0] or 1.0), penalty, weighted=False
    ), lambda coefs: scipy.sparse.csr_array(coefs @ back)


SOLVERS = {
    "homotopy": by_homotopy,
    "cd": by_working_sets,
    "newton": by_newton,
    "eigen": by_eigenvectors,
}
