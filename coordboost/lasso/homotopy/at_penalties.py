"""The exact path of the Lasso, evaluated at given penalties."""

import numpy as np

from coordboost.lasso.descent import by_descent, descent_for
from coordboost.lasso.grid import columns_in_use
from coordboost.lasso.homotopy.homotopy import GAP, INTERRUPTED, Homotopy
from coordboost.lasso.penalty import squared_gap
from coordboost.lasso.workingset import Solved, by_working_sets, mended
from coordboost.paths.places import between

#: A gap above this part of the tolerance is computed again from scans, as most of it may be
#: rounding.
SHARP = 1e-3
#: Knots after which coordinate descent takes over, for each unit of the rank of the columns, and
#: more: in measurements a path had 2.
KNOTS, MORE_KNOTS = 8, 100
#: Multiplications of coordinate descent, over the number of columns times the square of the smaller
#: side of the table, that take as long as an exact path.
EXACT_COST = 2.0
#: How far beside a knot a model is, relative to lam: there the coefficient that enters or leaves at
#: the knot is 0 for certain.
BESIDE = 1e-9
#: Instead of lam = 0, the end of a path, relative to its first lam: at 0 there may be no useful
#: certificate.
NEAR_0 = 1e-6


def by_exact_path(columns, lams, tol):
    """The Lasso at the penalties `lams`, largest first; return a `Solved`.

    Where rounding leaves a gap above `tol`, there are too many knots, or a coefficient passes a
    limit other than 0, coordinate descent solves.
    """
    accuracy = max(GAP, tol / 2)
    homotopy = _homotopy(columns, float(lams[-1]), accuracy)
    path = homotopy.run()
    interrupted = path.message == INTERRUPTED
    if interrupted:
        lams = lams[: max(1, np.count_nonzero(lams >= path.lam[-1]))]
    coefs = path.coefs_at(lams)
    points, resids = _points(columns, coefs, lams)
    before, after, weight = between(-path.lam, -lams)
    # residuals between knots are mixtures
    points[:, 3] = (1 - weight) * homotopy.levels[before] + weight * homotopy.levels[after]
    null_loss = float(columns.y @ columns.y) / 2 or 1.0
    gaps = _gaps(points, null_loss)
    if columns.penalty.limited:
        model = np.repeat(np.arange(len(lams)), np.diff(coefs.indptr))
        gaps[model[columns.penalty.passed(coefs.data, coefs.indices)]] = np.inf
    loose = np.flatnonzero((gaps > SHARP * tol) & (gaps < np.inf))
    if len(loose):
        points[loose, 3] = columns.levels(resids[loose])
        gaps[loose] = _gaps(points[loose], null_loss)
    solved = Solved(coefs, gaps, path.n_scans - 1 + len(loose))
    missed = np.flatnonzero((gaps > tol) & ((lams > 0) | columns.penalty.limited))
    if len(missed) and not interrupted:
        return mended(solved, missed, by_descent(columns, lams[missed], tol))
    return solved


def _homotopy(columns, lam_min, accuracy):
    """The exact path of scaled columns down to a penalty, not yet computed."""
    n_knots = KNOTS * min(columns.n_samples, columns.n_learners) + MORE_KNOTS
    return Homotopy(columns.problem, "lasso", lam_min, n_knots, columns=columns, gap=accuracy)


def beside_knots(columns):
    """The penalties next to the knots of the exact path, decreasing, (n_knots - 1,).

    Above a knot where a coefficient enters, below one where one leaves: on these sides it is 0.
    """
    path = _homotopy(columns, 0.0, GAP).run()
    side = np.full(path.n_knots, -BESIDE)
    side[[knot for knot, _, change in path.events if change > 0]] = BESIDE
    lams = path.lam * (1 + side)
    return np.maximum(lams, NEAR_0 * lams[0])[1:]


def by_descent_first(columns, lams, tol):
    """As `by_descent`, until it has taken as long as an exact path would; then that takes over.

    columns : stored ones
    """
    smaller_side = min(columns.n_samples, columns.n_learners)
    inner = descent_for(columns, lams)
    inner.set.most_work = EXACT_COST * smaller_side**2 * columns.n_learners
    solved = by_working_sets(inner, columns.n_learners, lams, tol, lambda: inner.exhausted)
    gaps = solved.gaps
    n_done = len(gaps) - 1 if gaps[-1] > tol else len(gaps)
    if n_done == len(lams) or not inner.exhausted:
        return solved
    solved = solved._replace(coefs=solved.coefs[:n_done], gaps=gaps[:n_done])
    return solved.followed_by(by_exact_path(columns, lams[n_done:], tol))


def _points(columns, coefs, lams):
    """The arguments of ``squared_gap`` for each model, (n, 5), and its residual, (n, n_samples).

    The largest abs correlations, in column 3, are still missing.
    """
    used, coefs_used = columns_in_use(coefs)
    rows = np.empty((len(used), columns.n_samples))
    columns.gather(used, rows)
    preds = coefs_used @ rows
    resids = columns.y - preds
    model = np.repeat(np.arange(len(lams)), np.diff(coefs.indptr))
    points = np.empty((len(lams), 5))
    points[:, 0] = np.einsum("ij,ij->i", resids, resids)
    points[:, 1] = np.einsum("ij,ij->i", resids, preds)
    points[:, 2] = np.bincount(model, np.abs(coefs.data), len(lams))
    points[:, 4] = lams
    return points, resids


def _gaps(points, null_loss):
    """The gap of each point, relative to the loss at 0."""
    return np.array([max(squared_gap(*point), 0.0) for point in points.tolist()]) / null_loss
