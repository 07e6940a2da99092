"""The solvers of a Lasso path: the exact path read off at the penalties, or working sets with one of the inner solvers."""

import numpy as np
import scipy.sparse

from coordboost.exact.homotopy import GAP, INTERRUPTED, Homotopy
from coordboost.lasso.descent import Descent
from coordboost.lasso.grid import columns_in_use
from coordboost.lasso.newton import FreeNewton, Newton, Reach
from coordboost.lasso.workingset import along, squared_gap
from coordboost.paths.places import between
from coordboost.targets import At, Penalty

#: A gap above this part of the tolerance is found from scans, as rounding may be most of it.
SHARP = 1e-3
#: For so few penalties working sets go there directly: the exact path has all its corners to pass.
FEW = 10


def choose(problem, alphas, tol):
    """The solver that was faster where it was measured: the exact path for many penalties on small tables, where it is one walk for all."""
    n, p = problem.n_samples, problem.n_learners
    if not problem.loss.quadratic:
        return "newton"
    few = len(alphas) <= FEW and alphas[-1] > 0
    if few or problem.dictionary.entries:
        return "descent"
    fine = tol < 1e-4
    small = n <= (450 if fine else 200) if n < p else fine and p <= 200
    return "homotopy" if small else "descent"


def by_homotopy(problem, columns, lams, tol):
    """As `along`, from the exact path; where its rounding leaves more than `tol`, from working sets."""
    walk = Homotopy(problem, "lasso", float(lams[-1]), columns=columns, gap=max(GAP, tol / 2))
    path = walk.run()
    if path.message == INTERRUPTED:
        lams = lams[: max(1, np.count_nonzero(lams >= path.lam[-1]))]
    gammas = path.coefs_at(lams)
    used, few = columns_in_use(gammas)
    held = np.empty((len(used), columns.n_samples))
    columns.gather(used, held)
    preds = few @ held
    resids = columns.y - preds
    before, after, share = between(-path.lam, -lams)
    worst = (1 - share) * walk.levels[before] + share * walk.levels[after]  # correlations of mixed residuals are mixed at most
    square, along = np.einsum("ij,ij->i", resids, resids), np.einsum("ij,ij->i", resids, preds)
    l1 = np.bincount(np.repeat(np.arange(len(lams)), np.diff(gammas.indptr)), np.abs(gammas.data), len(lams))
    points, whole = np.stack([square, along, l1, worst, lams], axis=1), float(columns.y @ columns.y) / 2 or 1.0
    gaps = _gaps(points, whole)
    loose = np.flatnonzero(gaps > SHARP * tol)
    if len(loose):
        points[loose, 3] = columns.levels(resids[loose])
        gaps[loose] = _gaps(points[loose], whole)
    n_scans, short = path.n_scans - 1 + len(loose), np.flatnonzero((gaps > tol) & (lams > 0))
    if len(short) and path.message != INTERRUPTED:
        others, found, more = by_descent(problem, columns, lams[short], tol)
        better, row, n_scans = found < gaps[short[: len(found)]], np.arange(len(lams)), n_scans + more
        at = short[: len(found)][better]
        row[at], gaps[at] = len(lams) + np.flatnonzero(better), found[better]
        gammas = scipy.sparse.vstack([gammas, others], format="csr")[row]
    return gammas, gaps, n_scans


def _gaps(points, whole):
    """The gap of each of the `points`, five numbers as ``squared_gap`` takes them, over the loss at 0."""
    return np.array([max(squared_gap(*numbers), 0.0) for numbers in points.tolist()]) / whole


def by_descent(problem, columns, lams, tol):
    """As `along`, for the squared loss."""
    return along(columns, Descent(columns, many=len(lams) > FEW), lams, tol)


def by_newton(problem, columns, lams, tol):
    """As `along`, for any other smooth loss."""
    return along(columns, Newton(columns, lambda lam, *point: Penalty(lam).certificate(problem, At(*point)).gap), lams, tol)


def by_newton_freely(problem, columns, lams, tol):
    """The same beside an intercept that is not penalised."""
    return along(columns, FreeNewton(columns, Reach(columns).gap), lams, tol)


SOLVERS = {"homotopy": by_homotopy, "descent": by_descent, "newton": by_newton}
