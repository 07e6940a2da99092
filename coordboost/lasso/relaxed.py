r"""The relaxed Lasso.

Fits without a penalty on the active learners of a model, within the limits of their coefficients.

Each step of Newton's method minimises a quadratic model of the loss by least squares, or by least
squares within the limits; a line search follows. Where steps are long, curvatures are kept above a
part of their secants (``newton.py``).

*Sources*: Meinshausen, *Relaxed Lasso* (2007); the mix of both fits as in Hastie, Tibshirani,
Tibshirani, *Best subset, forward stepwise or Lasso?* (2020), and R's ``glmnet(relax = TRUE)``;
Stark, Parker, *Bounded-variable least squares* (1995).
"""

from typing import NamedTuple

import numpy as np

from coordboost.lasso.newton import Curvature

#: Maximum number of steps of Newton's method, and of halvings of a step; a fall of the loss up to
#: LITTLE times ``start_excess`` is rounding, and one up to SMALL times it is no progress.
MOST = 300
HALVINGS = 40
LITTLE = 1e-14
SMALL = 1e-12
#: Smallest curvature of a sample, relative to the largest: smaller than in ``newton.py``, as
#: without a penalty predictions may run away.
FLAT = 1e-20
#: Rounds of least squares within limits, for each coefficient.
ROUNDS = 10
#: A product of vectors up to this part of the product of their norms counts as 0.
ROUNDED = 16 * float(np.finfo(float).eps)


class Refit(NamedTuple):
    """Coefficients (n_learners,), the intercept beside the constant prediction, and whether they
    are an optimum up to rounding.
    """

    beta: np.ndarray
    shift: float
    reached: bool


def bounded_least_squares(columns, target, low, high):
    """Minimise ``|columns d - target|`` for ``low <= d <= high``, with low <= 0 <= high, (k,) each.

    Return d, and whether it is the minimiser. The residual at d is never longer than the one at 0,
    and what is at a limit equals it. (The same algorithm in ``scipy.optimize.lsq_linear`` refuses
    equal limits, stops within rounding of a limit, and is farther from the minimum where columns
    are nearly copies.)
    """
    n = columns.shape[1]
    coef = np.zeros(n)
    at_limit = np.zeros(n, dtype=bool)
    norms = np.linalg.norm(columns, axis=0)
    rounding = ROUNDED * norms * np.linalg.norm(target)
    resid = target
    released = -1
    corr = np.zeros(n)
    for _ in range(ROUNDS * n):
        free = np.flatnonzero(~at_limit)
        goal = coef.copy()
        if len(free):
            goal[free] += np.linalg.lstsq(columns[:, free], resid)[0]
        if released >= 0 and not np.sign(corr[released]) * (goal[released] - coef[released]) > 0:
            return coef, True  # only rounding said that this coefficient should leave its limit
        released = -1
        clipped = np.clip(goal, low, high)
        blocked = free[clipped[free] != goal[free]]
        if len(blocked):
            shares = (clipped[blocked] - coef[blocked]) / (goal[blocked] - coef[blocked])
            coef += min(float(shares.min()), 1.0) * (goal - coef)
            stopped = blocked[shares == shares.min()]
            coef[stopped] = clipped[stopped]
            at_limit[stopped] = True
            coef = np.clip(coef, low, high)
            resid = target - columns @ coef
            continue
        coef = goal
        resid = target - columns @ coef
        corr = columns.T @ resid
        inwards = np.where(coef == low, corr, 0.0) - np.where(coef == high, corr, 0.0)
        may_leave = at_limit & (inwards > rounding) & (low < high)
        if not may_leave.any():
            return coef, True
        cosines = np.divide(inwards, norms, out=np.zeros(n), where=may_leave & (norms > 0))
        released = int(np.argmax(cosines))
        at_limit[released] = False
    return coef, False


def refitted(problem, beta, shift, free, low, high):
    """Minimise the loss over the coefficients that are not 0 in a model.

    The model is `beta` (n_learners,) with the intercept `shift`.

    Newton's method, one step for the squared loss. Without a minimum, as for linearly separable
    classes, the coefficients become large. The fit is at its optimum if neither a step with second
    derivatives nor one with secants lowers the loss by more than rounding.

    Parameters
    ----------
    free : bool
        Whether the shift changes, too.
    low, high : ndarray, (n_learners,)
        Limits of the coefficients.

    Returns
    -------
    Refit
    """
    active = np.flatnonzero(beta)
    columns = problem.gather(active)
    low = np.append(low[active], [-np.inf] * free)
    high = np.append(high[active], [np.inf] * free)
    if free:
        columns = np.column_stack([columns, np.ones(problem.n_samples)])
    x = np.append(beta[active], [shift] * free)
    pred = problem.combine(beta) + shift
    limited = bool(np.isfinite([low, high]).any())
    if limited:
        x = np.clip(x, low, high)
        pred = columns @ x + (0.0 if free else shift)
    curvature = Curvature(problem.loss)
    data = (problem.loss, problem.y, problem.weight, problem.base)
    one_model = problem.loss.quadratic or problem.loss.curvature is None
    floor = curvature.least
    idle_floors = set()
    rounding = LITTLE * problem.start_excess
    reached = False
    for _ in range(MOST):
        resid = problem.resid(pred)
        loss = problem.value(pred)
        root = np.sqrt(curvature.at(data, pred, floor, FLAT))
        scaled = np.divide(resid, root, out=np.zeros_like(root), where=root > 0)
        if limited:
            direction, minimal = bounded_least_squares(
                root[:, None] * columns, scaled, low - x, high - x
            )
        else:
            direction = np.linalg.lstsq(root[:, None] * columns, scaled)[0]
            minimal = True
        move = columns @ direction
        hidden = not float(resid @ move) > rounding  # too small to show in the values of the loss
        if hidden:
            limit = np.inf if one_model else loss + rounding
            size = _step(problem, pred, move, limit, 1)
        else:
            size = _step(problem, pred, move, loss, HALVINGS)
        x = x + size * direction
        pred = pred + size * move
        if not hidden and loss - problem.value(pred) > SMALL * problem.start_excess:
            idle_floors.clear()
            floor = max(floor / 10, curvature.least) if size == 1 else min(100 * floor, 1.0)
            continue
        if not minimal:
            break
        idle_floors.add(floor)
        if one_model or {curvature.least, 1.0} <= idle_floors:
            reached = True
            break
        floor = 1.0 if curvature.least in idle_floors else curvature.least
    refit = np.zeros_like(beta)
    refit[active] = np.clip(x, low, high)[: len(active)]
    return Refit(refit, float(x[-1]) if free else shift, reached)


def _step(problem, pred, move, limit, n_sizes):
    """The first share 1, 1/2, 1/4, ... of `move` after which the loss is below `limit`.

    It is 0 if it is at none of the first `n_sizes`.
    """
    for size in 0.5 ** np.arange(n_sizes):
        if problem.value(pred + size * move) < limit:
            return size
    return 0.0
