r"""The relaxed Lasso: fits without a penalty on the active learners of a model.

*Sources*: Meinshausen, *Relaxed Lasso* (2007); the mix of both fits as in Hastie, Tibshirani, Tibshirani, *Best subset, forward stepwise or
Lasso?* (2020), and R's ``glmnet(relax = TRUE)``.
"""

import numpy as np

from coordboost._numba import compiled, is_piece
from coordboost.lasso.newton import curvatures

#: Maximum number of steps of Newton's method, and of halvings of a step; the predicted fall of the loss, relative to ``start_excess``, that
#: ends it.
MOST, HALVINGS, LITTLE = 100, 40, 1e-14
#: Least curvature of a sample, relative to the largest of its loss: the Huber loss has curvature 0 in its linear part.
FLOOR = 1e-3


def _curvature(problem, pred):
    """Weighted second derivatives at the predictions, or upper bounds of them, (n_samples,)."""
    loss, sigma = problem.loss, problem.loss.sigma or 0.0
    h = problem.weight * sigma
    if loss.curvature is not None:
        fill = compiled(curvatures, (loss,)) if is_piece(loss) else curvatures
        least = FLOOR * h
        fill(loss, problem.y, problem.weight, problem.base, pred, h)
        h = np.maximum(h, least)
    return h


def refitted(problem, beta, shift, free):
    """Minimise the loss over the coefficients that are not 0 in a model `beta` (n_learners,) with the intercept `shift`.

    Return the coefficients (n_learners,) and the shift, which changes only if it is `free`. Newton's method, each step by weighted least
    squares; one step for the squared loss. Without a minimum, as for linearly separable classes, the coefficients become large.
    """
    active = np.flatnonzero(beta)
    columns = problem.gather(active)
    if free:
        columns = np.column_stack([columns, np.ones(problem.n_samples)])
    x, pred = np.append(beta[active], [shift] * free), problem.combine(beta) + shift
    for _ in range(MOST):
        resid, root, loss = problem.resid(pred), np.sqrt(_curvature(problem, pred)), problem.value(pred)
        way = np.linalg.lstsq(root[:, None] * columns, np.divide(resid, root, out=np.zeros_like(root), where=root > 0))[0]
        move = columns @ way
        last = not float(resid @ move) > LITTLE * problem.start_excess  # too small to show in the values of the loss
        size = 1.0 if last else next((size for size in 0.5 ** np.arange(HALVINGS) if problem.value(pred + size * move) < loss), 0.0)
        x, pred = x + size * way, pred + size * move
        if last or size == 0:
            break
    out = np.zeros_like(beta)
    out[active] = x[: len(active)]
    return out, float(x[-1]) if free else shift
