"""The best intercept beside given coefficients, for any loss."""

import math

import numpy as np

from coordboost._generic import compiled, is_piece
from coordboost._linesearch import CAP
from coordboost._protocol import LOSS
from coordboost._total import residual_of_each

#: A sum of residuals that is this small beside the sum of their sizes is 0: some roundings of the sum.
ROUNDED = 4 * np.finfo(float).eps


def end_of(loss):
    """How far an intercept is sought: ``CAP``, as labels of one class have no best one; as far as targets are for a loss of y - f."""
    return math.inf if LOSS.of(loss, "location") else CAP


def best_shift(problem, pred, near=0.0, step=1.0):
    """What is to be added to the predictions `pred` = B beta (n_samples,), so that the residuals sum to 0.

    0 for the squared loss on centred columns, where it is so beside any coefficients. It is sought from `near` on, first in a distance
    of `step`. *Cost*: some ten passes over the samples.
    """
    return Shifts(problem, near, step).beside(pred)


class Shifts:
    """Best shifts beside predictions that change little by little: each is sought from the one before.

    The sum of the residuals falls as the shift grows. Secant steps find where it is 0, inside a bracket as soon as there is one. The
    slope of the last search is where the next one begins, so that it takes four passes over the samples.

    near : where to begin;  step : how far to go first
    """

    def __init__(self, problem, near=0.0, step=1.0):
        self.problem, self.near, self.step, self.slope = problem, near, step, 0.0
        self.far, self.refresh = end_of(problem.loss), None

    def beside(self, pred):
        """The shift beside `pred` = B beta (n_samples,)."""
        if LOSS.of(self.problem.loss, "quadratic"):
            return float(self.problem.resid(pred).sum() / self.problem.weight.sum())
        shift = float(self._root(pred))
        self.step = max(16 * abs(shift - self.near), 1e-6 * (1 + abs(shift)))
        self.near = shift if abs(shift) < self.far else 0.0
        loss = self.problem.loss
        if self.refresh is None and is_piece(loss) and LOSS.of(loss, "refresh_residual") is None:
            self.refresh = compiled(residual_of_each, (loss,))  # from the second search on it is worth compiling
        return shift

    def _sum(self, pred, shift):
        """The sum of the residuals, and how large its rounding may be."""
        problem = self.problem
        if self.refresh is None:
            resid = problem.resid(pred + shift)
        else:
            resid = np.empty(len(pred))
            self.refresh(problem.loss, problem.y, problem.weight, problem.base + shift, pred, resid)
        return float(resid.sum()), ROUNDED * float(np.abs(resid).sum())

    def _root(self, pred):
        at, step, ends, seen = self.near, self.step, [-math.inf, math.inf], []
        while True:
            total, rounding = self._sum(pred, at)
            if abs(total) <= rounding or abs(at) >= self.far:
                return at
            ends[total < 0] = at
            if seen and (learned := (seen[-1][1] - total) / (at - seen[-1][0])) > 0:
                self.slope = learned
            move = total / self.slope if self.slope > 0 else math.copysign(step, total)
            slow = len(seen) > 1 and 2 * abs(total) > abs(seen[-2][1])
            seen.append((at, total))
            least = 1e-15 + ROUNDED * abs(at)
            if math.isinf(ends[1] - ends[0]):
                at, step = at + math.copysign(step if slow else max(min(abs(move), step), least), total), 2 * step
                continue
            if min(abs(move), ends[1] - ends[0]) <= least:
                return at
            at = ends[0] + (ends[1] - ends[0]) / 2 if slow or not ends[0] < at + move < ends[1] else at + move


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
