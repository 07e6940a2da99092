r"""The Lasso of the multinomial loss on scaled columns: what both of its solvers share.

Minimised is the sum over samples of :math:`w_i (\log \sum_k e^{f_{ki}} - f_{y_i i})` plus lam
times the l1 norms of the coefficients of all classes.

The certificate is joint. Let P be the probabilities and Y the classes as rows of 0 and 1; at the
best intercepts the rows of w (Y - P) sum to 0. With t at most 1, and so small that no learner has a
correlation above lam with a row of t w (Y - P), the weighted entropy of Y - t (Y - P), summed over
the samples, is a lower end: the conjugate of the log of the sum of exponentials is minus the
entropy.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import xlogy

from coordboost._numba import compiled
from coordboost.certificates.objectives import rounding_part
from coordboost.losses.multinomial import ClassForm, evaluate_models

EPS = float(np.finfo(float).eps)
#: Most numbers of the predictions, or of the columns, that are held at a time.
BLOCK = 4_000_000


class ClassSolution(NamedTuple):
    """Models at the first penalties.

    gammas : CSR array, (n_done * n_classes, n_learners), all classes of the first penalty first
    shifts : (n_done, n_classes), the intercepts of centred columns
    bounds : (n_done, 2), lower and upper bounds of the optimal objective
    n_scans : scans of all learners
    n_passes : passes over the classes
    """

    gammas: scipy.sparse.csr_array
    shifts: np.ndarray
    bounds: np.ndarray
    n_scans: int
    n_passes: int = 0

    def followed_by(self, other):
        """The models of both, those of `other` at smaller penalties."""
        return ClassSolution(
            scipy.sparse.vstack([self.gammas, other.gammas], format="csr"),
            np.vstack([self.shifts, other.shifts]),
            np.vstack([self.bounds, other.bounds]),
            self.n_scans + other.n_scans,
            self.n_passes + other.n_passes,
        )


class Models(NamedTuple):
    """Multinomial models at m penalties.

    pred : (m, n_classes, n_samples), the predictions, intercepts included
    l1, n_nonzero : (m, n_classes), the norms of the coefficients, and how many are not 0
    """

    pred: np.ndarray
    l1: np.ndarray
    n_nonzero: np.ndarray


class ClassProblem:
    """The multinomial Lasso on scaled columns.

    form : the losses
    free : whether there are intercepts
    empty : whether the only learner is a column of zeros: then all correlations are 0
    start : the intercepts of the constant model, (n_classes,)
    null : its loss

    Parameters
    ----------
    columns : ScaledColumns, not weighted
    label : ndarray, (n_samples,)
        The classes 0, 1, ...
    frequency : ndarray, (n_classes,)
        The share of each class in the weights.
    free : bool
    """

    def __init__(self, columns, label, frequency, free):
        self.columns = columns
        self.weight = columns.problem.weight
        self.form = ClassForm(label, self.weight, len(frequency))
        self.free = free
        problem = columns.problem
        self.empty = problem.n_learners == 1 and not problem.gather([0]).any()
        self.start = np.log(frequency) if free else np.zeros(len(frequency))
        self.null = float(self._evaluated(self.constant()[None])[1][0])

    @property
    def label(self):
        """The class of each sample."""
        return self.form.label

    def constant(self):
        """The predictions of the constant model, (n_classes, n_samples)."""
        return np.repeat(self.start[:, None], len(self.label), axis=1)

    def largest(self):
        """The smallest penalty at which all coefficients are 0. *Cost*: a scan for each class."""
        resid, _, _ = self._evaluated(self.constant()[None])
        return self._level(resid[0])

    def _evaluated(self, pred):
        """Residuals at predictions (m, n_classes, n_samples), centred where intercepts are free;
        the losses, (m,); and a bound of what centring changes in a correlation, (m,).
        """
        m, n_classes, n_samples = pred.shape
        flat = np.ascontiguousarray(pred).reshape(m, n_classes * n_samples)
        resid = np.empty_like(flat)
        losses = np.empty(m)
        off = np.empty(m)
        evaluate = compiled(evaluate_models, (self.form,))
        evaluate(self.form, flat, self.free, resid, losses, off)
        return resid.reshape(pred.shape), losses, off

    def _level(self, resid):
        """The largest abs correlation of a learner with a row of residuals (n_classes, n_samples).

        *Cost*: a scan for each class.
        """
        return max(float(np.abs(self.columns.scan(row)).max()) for row in resid)

    def _doubt(self, away, n_nonzero):
        """Bound of the rounding in a correlation, (m, n_classes)."""
        if self.empty:
            return np.zeros(n_nonzero.shape)
        return rounding_part(self.columns.problem, n_nonzero) * np.sqrt(away**2 @ self.weight)

    def bounds(self, lams, models, level=None):
        """Lower and upper bounds of the optimal objective, each moved out by a bound of its
        rounding, and this bound, (m,) each.

        Parameters
        ----------
        lams : ndarray, (m,)
        models : Models
        level : ndarray, (m,), optional
            The largest abs correlations of learners at these models, perhaps from predictions with
            other roundings. Default: by a scan for each class and model.
        """
        weight = self.weight
        resid, losses, off = self._evaluated(models.pred)
        m, n_classes, n_samples = resid.shape
        away = resid / np.where(weight > 0, weight, 1.0)
        doubt = self._doubt(away, models.n_nonzero)
        largest = doubt.max(axis=1)
        if level is None:
            largest += [self._level(rows) for rows in resid]
        elif not self.empty:  # both predictions have roundings, and are centred
            largest += level + largest + 2 * off
        relative = 2 * EPS * math.sqrt(n_samples)
        # a loss is a difference of numbers up to this
        sizes = 2 * np.abs(models.pred).max(axis=1) + math.log(n_classes)
        rounding = (doubt * models.l1).sum(axis=1) + relative * (sizes @ weight)
        upper = losses + lams * models.l1.sum(axis=1) + rounding
        scale = np.minimum(1.0, np.divide(lams, largest, out=np.ones(m), where=largest > 0))
        dual = -scale[:, None, None] * away
        dual[:, self.label, np.arange(n_samples)] += 1.0
        # without a dual point the intercepts are far from the best ones
        feasible = dual.min(axis=(1, 2)) > -8 * EPS
        dual = np.maximum(dual, 0.0)
        lower = np.where(feasible, -(xlogy(dual, dual).sum(axis=1) @ weight), 0.0)
        of_ends = np.where(feasible, relative * (lower + upper), 0.0)
        return lower - of_ends, upper, rounding + of_ends

    def bounds_of(self, lams, gammas, shifts, level):
        """Lower and upper bounds of the optimal objective at models of a path, (m, 2).

        Parameters
        ----------
        lams : ndarray, (m,)
        gammas : CSR array, (m * n_classes, n_learners)
        shifts : ndarray, (m, n_classes)
        level : ndarray, (m,)
            As for `bounds`.
        """
        n_classes = len(self.start)
        at_a_time = max(1, BLOCK // (n_classes * len(self.label)))
        ends = []
        for first in range(0, len(lams), at_a_time):
            these = slice(first, first + at_a_time)
            rows = gammas[first * n_classes : (first + at_a_time) * n_classes]
            models = self._models(rows, shifts[these])
            lower, upper, _ = self.bounds(lams[these], models, level[these])
            ends.append(np.column_stack([lower, upper]))
        return np.vstack(ends)

    def _models(self, gammas, shifts):
        shape = shifts.shape
        n_samples = len(self.label)
        fits = np.zeros((gammas.shape[0], n_samples))
        used = np.unique(gammas.indices)
        at_a_time = max(1, BLOCK // n_samples)
        for first in range(0, len(used), at_a_time):
            some = used[first : first + at_a_time]
            block = np.empty((len(some), n_samples))
            self.columns.gather(some, block)
            fits += gammas[:, some] @ block
        return Models(
            fits.reshape(*shape, n_samples) + shifts[..., None],
            np.asarray(abs(gammas).sum(axis=1)).reshape(shape),
            np.diff(gammas.indptr).reshape(shape),
        )
