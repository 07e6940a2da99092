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
from functools import partial

import numpy as np
import scipy.sparse

from coordboost._numba import compiled
from coordboost._utils.interrupt import interruptible
from coordboost.lasso.classes import EPS, ClassSolution, Models
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.newton import FreeNewton, Newton
from coordboost.lasso.penalty import duality_gap
from coordboost.lasso.workingset import WorkingSet
from coordboost.losses.multinomial import offsets_beside

#: ROUNDS: maximum number of passes over the classes for one penalty; FEW: the same after a larger
#: penalty did not reach the tolerance. IDLE: the descent ends after this many passes in a row in
#: which the gap falls by less than a hundredth.
ROUNDS = 500
FEW = 50
IDLE = 20
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
        self.inner = []
        for k in range(len(task.start)):
            scale, penalty = self.columns.scale, self.columns.penalty
            block = ScaledColumns(self._block(k), scale, penalty, weighted=False)
            inner = kind(block, partial(_block_gap, penalty))
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
            shift = solution.shifts[-1, k] + self.task.offset[k]
            self.pred[k] = self.columns.combine(gammas[k]) + shift

    def _block(self, k):
        """The logistic problem of class k, the others fixed."""
        return self.columns.problem.replace(
            y=np.where(self.task.label == k, 1.0, -1.0),
            base=offsets_beside(self.pred)[k] + self.task.offset[k],
        )

    def bounds(self, lam):
        """Lower and upper bound of the optimal objective, moved out by their rounding.

        *Cost*: a scan for each class.
        """
        task = self.task
        if task.free:
            self.pred = task.settled(self.pred)
        self.n_scans += len(self.pred)
        l1 = np.array([[np.abs(inner.gamma).sum() for inner in self.inner]])
        n_nonzero = np.array([[np.count_nonzero(inner.gamma) for inner in self.inner]])
        ridge = self.columns.penalty.ridge
        squares = np.array([[ridge[inner.learner] @ inner.gamma**2 / 2 for inner in self.inner]])
        models = Models(self.pred[None], l1, n_nonzero, squares)
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
                known = self.task.offset[k]
                inner.go_on(self._block(k), self.pred[k] - known)
                working_set.solve(lam, max(PART * gap / len(self.inner), EPS))
                self.pred[k] = inner.pred + known
        return *self._model(), (lower, upper)

    def _model(self):
        """The coefficients of all learners, (n_classes, n_learners), and the intercepts."""
        gammas = np.zeros((len(self.inner), self.columns.n_learners))
        for gamma, inner in zip(gammas, self.inner, strict=True):
            gamma[inner.learner] = inner.gamma
        if not self.task.free:
            return gammas, np.zeros(len(gammas))
        fits = np.array([self.columns.combine(gamma) for gamma in gammas])
        shifts = self.pred - self.task.offset - fits
        return gammas, np.average(shifts, axis=1, weights=self.task.weight)


def _block_gap(penalty, lam, gamma, pred, loss, resid, corr):
    """The gap of one class, the others fixed.

    It only decides when to go on to the next class: the certificate is joint.
    """
    cost = penalty.at(lam, np.arange(len(gamma)))
    neg_grad = cost.neg_grad(corr, gamma)
    loss = loss + cost.ridge_cost(gamma)
    along = float(gamma @ neg_grad)
    return compiled(duality_gap)(gamma, neg_grad, loss, 0.0, along, *cost.kernel_args)
