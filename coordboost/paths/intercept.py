"""The best intercept beside given coefficients, for any loss."""

import math

import numpy as np
import scipy.optimize

from coordboost._linesearch import CAP
from coordboost._protocol import LOSS

#: A sum of residuals that is this small beside the sum of their sizes is 0: some roundings of the sum.
ROUNDED = 4 * np.finfo(float).eps


def end_of(loss):
    """How far an intercept is sought: ``CAP``, as labels of one class have no best one; as far as targets are for a loss of y - f."""
    return math.inf if LOSS.of(loss, "location") else CAP


def best_shift(problem, pred, near=0.0, step=1.0):
    """What is to be added to the predictions `pred` = B beta (n_samples,), so that the residuals sum to 0.

    0 for the squared loss on centred columns, where it is so beside any coefficients. It is sought from `near` on, first in a distance
    of `step`. *Cost*: some ten passes over the samples, fewer from near by.
    """
    if LOSS.of(problem.loss, "quadratic"):
        return float(problem.resid(pred).sum() / problem.weight.sum())

    def slope(shift):
        return float(problem.resid(pred + shift).sum())

    resid = problem.resid(pred + near)
    first = float(resid.sum())
    if abs(first) <= ROUNDED * float(np.abs(resid).sum()):
        return near
    way = np.sign(first)  # residuals fall as predictions rise
    far = near + way * step
    while first * slope(far) > 0:
        if abs(far) >= end_of(problem.loss):
            return float(far)
        step = 2 * step
        far = near + way * step
    return float(scipy.optimize.brentq(slope, *sorted((near, far)), xtol=1e-15, rtol=4 * np.finfo(float).eps))


def moved_by(problem, shift):
    """The problem whose constant prediction is larger by `shift`."""
    if LOSS.of(problem.loss, "location"):
        return problem.but(y=problem.y - shift, offset=problem.offset + shift)
    return problem.but(offset=problem.offset + shift, base=problem.base + shift)


def left_open(problem):
    """Whether models of columns have an intercept that the start of a run does not settle: any loss but the squared one.

    Without centring there is none. That is read from the problem, in which an offset of 0 beside columns of mean 0 counts as no intercept.
    """
    if not problem.countable or problem.binning is not None or LOSS.of(problem.loss, "quadratic"):
        return False
    return bool(problem.offset != 0 or problem.standardization.mean.any())
