r"""The multinomial Lasso by block coordinate descent: one class after the other, with the other
classes fixed.

As a function of the predictions of one class the loss of a sample is, up to a constant, the
logistic loss of :math:`f_k - o` with :math:`o = \log \sum_{l \ne k} e^{f_l}`. So each block is
solved by proximal Newton steps on a working set of its own. This is for learners that are not
stored, and where rounding or the size of the models ends the compiled path (``class_path.py``).

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent*, Section 4; blocks of whole classes are ours.
"""

import math

import numpy as np
import scipy.sparse
from scipy.special import softmax

from coordboost._utils.interrupt import interruptible
from coordboost.lasso.classes import EPS, ClassSolution, Models
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.newton import FreeNewton, Newton
from coordboost.lasso.penalty import Penalty, convex_gap
from coordboost.lasso.workingset import WorkingSet
from coordboost.losses.multinomial import offsets_beside

#: ROUNDS: maximum number of passes over the classes for one penalty; FEW: the same after a larger
#: penalty did not reach the tolerance. IDLE: the descent ends after this many passes in a row in
#: which the gap falls by less than a hundredth. SHIFTS: maximum number of Newton steps for the
#: intercepts.
ROUNDS = 500
FEW = 50
IDLE = 20
SHIFTS = 30
#: Each class is solved until its own gap is this part of the joint one over the number of classes.
PART = 0.1


def by_blocks(task, lams, tol, before=None):
    """The multinomial Lasso of a `ClassProblem` at the penalties `lams`, largest first.

    Return a `ClassSolution`, of the first penalties only if it is interrupted.

    before : ClassSolution, optional
        At larger penalties: the descent starts at the last model.
    """
    descent = BlockDescent(task)
    if before is not None:
        descent.start_at(before)
    found = []
    with interruptible(lambda: before is None and not found) as interrupted:
        for lam in lams.tolist():
            found.append(descent.solve(lam, tol, interrupted))
            if interrupted():
                break
    gammas, shifts, bounds = zip(*found, strict=True)
    return ClassSolution(
        scipy.sparse.csr_array(np.vstack(gammas)),
        np.array(shifts),
        np.array(bounds),
        descent.n_scans,
        descent.n_passes,
    )


class BlockDescent:
    """Block coordinate descent over the classes.

    n_passes, most_passes : passes over the classes so far; their limit for the next penalty
    rounding : bound of the rounding in the bounds made last
    pred : the predictions, (n_classes, n_samples)
    inner, sets : the inner solver and the working set of each class

    Parameters
    ----------
    task : ClassProblem
    """

    def __init__(self, task):
        self.task = task
        self.columns = task.columns
        self.pred = task.constant()
        self.n_scans = 0
        self.n_passes = 0
        self.most_passes = ROUNDS
        kind = FreeNewton if task.free else Newton
        cost = Penalty.plain(self.columns.n_learners)
        self.inner = []
        for k in range(len(task.start)):
            block = ScaledColumns(self._block(k), self.columns.scale, cost, weighted=False)
            inner = kind(block, _block_gap)
            inner.null_loss = task.null
            self.inner.append(inner)
        self.sets = [WorkingSet(inner) for inner in self.inner]

    def start_at(self, solution):
        """Continue from the last model of a `ClassSolution`."""
        n_classes = len(self.inner)
        gammas = solution.gammas[-n_classes:].toarray()
        for k, inner in enumerate(self.inner):
            support = np.flatnonzero(gammas[k])
            if len(support):
                inner.add(support)
                inner.gamma[:] = gammas[k, support]
            self.pred[k] = self.columns.combine(gammas[k]) + solution.shifts[-1, k]

    def _block(self, k):
        """The logistic problem of class k, the others fixed."""
        return self.columns.problem.replace(
            y=np.where(self.task.label == k, 1.0, -1.0), base=offsets_beside(self.pred)[k]
        )

    def _settle(self):
        """Move `pred` to the best intercepts: the weighted residuals then sum to 0."""
        weight = self.task.weight
        for _ in range(SHIFTS):
            p = softmax(self.pred, axis=0)
            slope = np.bincount(self.task.label, weight, len(p)) - p @ weight
            if np.abs(slope).max() <= 4 * EPS * weight.sum():
                break
            hessian = np.diag(p @ weight) - (p * weight) @ p.T
            self.pred = self.pred + np.linalg.lstsq(hessian, slope, rcond=1e-12)[0][:, None]

    def bounds(self, lam):
        """Lower and upper bound of the optimal objective, moved out by their rounding.

        *Cost*: a scan for each class.
        """
        task = self.task
        if task.free:
            self._settle()
        self.n_scans += len(self.pred)
        l1 = np.array([[np.abs(inner.gamma).sum() for inner in self.inner]])
        n_nonzero = np.array([[np.count_nonzero(inner.gamma) for inner in self.inner]])
        models = Models(self.pred[None], l1, n_nonzero)
        lower, upper, rounding = task.bounds(np.array([lam]), models)
        self.rounding = float(rounding[0])
        return float(lower[0]), float(upper[0])

    def solve(self, lam, tol, interrupted):
        """Solve for one penalty.

        Return coefficients (n_classes, n_learners), intercepts (n_classes,) of centred columns, the
        bounds.
        """
        null = self.task.null
        best = math.inf
        lower = 0.0
        idle = 0
        for n_passes in range(self.most_passes + 1):
            bounds = self.bounds(lam)
            # every dual point is valid: keep the best
            lower, upper = (max(lower, bounds[0]), bounds[1])
            gap = (upper - lower) / null
            best, idle = (gap, 0) if gap <= 0.99 * best else (best, idle + 1)
            if gap <= tol or upper - lower <= 2 * self.rounding or interrupted():
                break
            if n_passes == self.most_passes or idle == IDLE:
                self.most_passes = FEW
                break
            self.n_passes += 1
            for k, (inner, working_set) in enumerate(zip(self.inner, self.sets, strict=True)):
                inner.go_on(self._block(k), self.pred[k].copy())
                working_set.solve(lam, max(PART * gap / len(self.inner), EPS))
                self.pred[k] = inner.pred
        return *self._model(), (lower, upper)

    def _model(self):
        """The coefficients of all learners, (n_classes, n_learners), and the intercepts."""
        gammas = np.zeros((len(self.inner), self.columns.n_learners))
        for gamma, inner in zip(gammas, self.inner, strict=True):
            gamma[inner.learner] = inner.gamma
        if not self.task.free:
            return gammas, np.zeros(len(gammas))
        fits = np.array([self.columns.combine(gamma) for gamma in gammas])
        return gammas, np.average(self.pred - fits, axis=1, weights=self.task.weight)


def _block_gap(lam, gamma, pred, loss, resid, corr):
    """The gap of one class, the others fixed.

    It only decides when to go on to the next class: the certificate is joint.
    """
    return convex_gap(
        loss,
        float(gamma @ corr),
        float(np.abs(gamma).sum()),
        float(np.abs(corr).max(initial=0.0)),
        lam,
        0.0,
    )
