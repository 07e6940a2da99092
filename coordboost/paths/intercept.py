"""The best intercept beside given coefficients, for any loss."""

import numpy as np
import scipy.optimize

from coordboost._protocol import LOSS

#: An intercept without a best value (labels of one class) stops where a prediction has moved so far.
CAP = 50.0
#: A sum of residuals that is this small beside the sum of their sizes is 0: some roundings of the sum.
ROUNDED = 4 * np.finfo(float).eps


def best_shift(problem, pred):
    """What is to be added to the predictions `pred` = B beta (n_samples,), so that the residuals sum to 0.

    0 for the squared loss on centred columns, where it is so beside any coefficients. *Cost*: some ten passes over the samples.
    """
    if LOSS.of(problem.loss, "quadratic"):
        return float(problem.resid(pred).sum() / problem.weight.sum())

    def slope(shift):
        return float(problem.resid(pred + shift).sum())

    resid = problem.resid(pred)
    first = float(resid.sum())
    if abs(first) <= ROUNDED * float(np.abs(resid).sum()):
        return 0.0
    step = np.sign(first)  # residuals fall as predictions rise
    far = step
    while first * slope(far) > 0:
        if abs(far) >= CAP:
            return float(far)
        far = 2 * far
    return float(scipy.optimize.brentq(slope, *sorted((0.0, far)), xtol=1e-15, rtol=4 * np.finfo(float).eps))
