"""The best intercept beside given coefficients, for any loss."""

import numpy as np

from coordboost._generic import compiled, is_piece
from coordboost._linesearch import CAP
from coordboost._protocol import LOSS
from coordboost._root import falling_root
from coordboost._total import residual_of_each

#: A sum of residuals that is this small beside the sum of their sizes is 0: some roundings of the sum.
ROUNDED = 4 * np.finfo(float).eps


def best_shift(problem, pred, near=0.0, step=None):
    """What is to be added to the predictions `pred` = B beta (n_samples,), so that the residuals sum to 0.

    0 for the squared loss on centred columns, where it is so beside any coefficients. It is sought from `near` on, first in a distance
    of `step`. *Cost*: some ten passes over the samples.
    """
    return Shifts(problem, near, step).beside(pred)


class Shifts:
    """Best shifts beside predictions that change little by little: each is sought from the one before.

    The sum of the residuals falls as the shift grows. Secant steps and steps that double find a bracket of the place where it is 0, and
    ``brentq`` finds that. The slope of the last search is where the next one begins, so that it takes four passes over the samples.
    Where the sum keeps its sign to infinity, as for labels of one class, the shift brings every prediction to ``CAP``.

    near : where to begin;  step : how far to go first, by default in the unit of the predictions
    """

    def __init__(self, problem, near=0.0, step=None):
        self.problem, self.near, self.slope, self.refresh = problem, near, 0.0, None
        # a loss of y - f has the unit of y
        self.unit = (float(np.abs(problem.y).max()) or 1.0) if LOSS.of(problem.loss, "location") else 1.0
        self.step = self.unit if step is None else step

    def beside(self, pred):
        """The shift beside `pred` = B beta (n_samples,)."""
        if LOSS.of(self.problem.loss, "quadratic"):
            return float(self.problem.resid(pred).sum() / self.problem.weight.sum())
        limits = self._limits(pred)
        shift, self.slope = falling_root(
            lambda at: self._sum(pred, at), self.near, self.step, limits, 1e-15 * self.unit, self.slope
        )
        if shift is None:
            return float(limits[int(self.problem.resid(pred + self.near).sum() > 0)])
        self.step = max(16 * abs(shift - self.near), 1e-6 * (self.unit + abs(shift)))
        self.near, loss = shift, self.problem.loss
        if self.refresh is None and is_piece(loss) and LOSS.of(loss, "refresh_residual") is None:
            self.refresh = compiled(residual_of_each, (loss,))  # from the second search on it is worth compiling
        return shift

    def _sum(self, pred, shift):
        """The sum of the residuals; 0 where it is rounding."""
        problem = self.problem
        if self.refresh is None:
            resid = problem.resid(pred + shift)
        else:
            resid = np.empty(len(pred))
            self.refresh(problem.loss, problem.y, problem.weight, problem.base + shift, pred, resid)
        total = float(resid.sum())
        return 0.0 if abs(total) <= ROUNDED * float(np.abs(resid).sum()) else total

    def _limits(self, pred):
        """The shifts that bring every prediction to ``-CAP`` and to ``CAP`` in the unit of the targets, and 0 where they are there."""
        counted = pred if self.problem.weight.all() else pred[self.problem.weight > 0]
        low, high, cap = float(counted.min()), float(counted.max()), CAP * self.unit
        return min(-cap - high - self.problem.base, 0.0), max(cap - low - self.problem.base, 0.0)


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
