r"""The Lasso of the multinomial loss on scaled columns: what both of its solvers share.

Minimised is the sum over samples of :math:`w_i (\log \sum_k e^{f_{ki}} - f_{y_i i})` plus lam
times the l1 norms of the coefficients of all classes, and a quadratic penalty of these, within
limits. Predictions may have a known part, the offset.

The certificate is joint. Let P be the probabilities and Y the classes as rows of 0 and 1; at the
best intercepts the rows of w (Y - P) sum to 0. With t at most 1, and so small that no learner has a
correlation above lam with a row of t w (Y - P), the weighted entropy of Y - t (Y - P), summed over
the samples, is a lower end: the conjugate of the log of the sum of exponentials is minus the
entropy. Where there are quadratic terms and limits any t gives a lower end, less the conjugate of
the penalty: see ``certificates/dual.py``. With an offset o it is less :math:`t w \langle Y - P, o
\rangle`.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import softmax, xlogy

from coordboost._numba import compiled
from coordboost.certificates.dual import best_multiple
from coordboost.certificates.objectives import penalty_conjugate, rounding_part
from coordboost.losses.multinomial import ClassForm, evaluate_models, multinomial_losses

EPS = float(np.finfo(float).eps)
#: SHIFTS, HALVINGS: most Newton steps for the intercepts, and most halvings of one; ROUNDED: a rise
#: of the loss that may be rounding.
SHIFTS, HALVINGS, ROUNDED = 30, 40, 1e-13
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
    squares : (m, n_classes), their quadratic penalty at lam = 1
    """

    pred: np.ndarray
    l1: np.ndarray
    n_nonzero: np.ndarray
    squares: np.ndarray


class ClassProblem:
    """The multinomial Lasso on scaled columns.

    form : the losses
    free : whether there are intercepts
    empty : whether the only learner is a column of zeros: then all correlations are 0
    start : the intercepts of the constant model, (n_classes,)
    null : its loss

    Parameters
    ----------
    columns : ScaledColumns, not weighted, with their penalty
    label : ndarray, (n_samples,)
        The classes 0, 1, ...
    frequency : ndarray, (n_classes,)
        The share of each class in the weights.
    free : bool
    offset : ndarray, (n_classes, n_samples), optional
        The known part of the predictions.
    """

    def __init__(self, columns, label, frequency, free, offset=None):
        self.columns = columns
        self.weight = columns.problem.weight
        self.form = ClassForm(label, self.weight, len(frequency))
        self.free = free
        self.offset = np.zeros((len(frequency), 1)) if offset is None else offset
        problem = columns.problem
        self.empty = problem.n_learners == 1 and not problem.gather([0]).any()
        self.start = np.log(frequency) if free else np.zeros(len(frequency))
        if free and offset is not None:
            self.start = self.settled(self.constant())[:, 0] - offset[:, 0]
        self.null = float(self._evaluated(self.constant()[None])[1][0])

    @property
    def label(self):
        """The class of each sample."""
        return self.form.label

    def constant(self):
        """The predictions of the constant model, (n_classes, n_samples)."""
        return np.repeat(self.start[:, None], len(self.label), axis=1) + self.offset

    def settled(self, pred):
        """The predictions with the best intercepts: the weighted residuals of each class then sum
        to 0.
        """
        weight = self.weight
        loss = multinomial_losses(pred, self.label) @ weight
        for _ in range(SHIFTS):
            p = softmax(pred, axis=0)
            slope = np.bincount(self.label, weight, len(p)) - p @ weight
            if np.abs(slope).max() <= 4 * EPS * weight.sum():
                break
            hessian = np.diag(p @ weight) - (p * weight) @ p.T
            step = np.linalg.lstsq(hessian, slope, rcond=1e-12)[0][:, None]
            before = loss
            for share in 0.5 ** np.arange(HALVINGS):
                trial = pred + share * step
                loss = multinomial_losses(trial, self.label) @ weight
                if loss <= before * (1 + ROUNDED):
                    break
            pred = trial
        return pred

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
        columns = self.columns
        return max(float(columns.penalty.size(columns.scan(row)).max()) for row in resid)

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
        relative = 2 * EPS * math.sqrt(n_samples)
        # a loss is a difference of numbers up to this
        sizes = 2 * np.abs(models.pred).max(axis=1) + math.log(n_classes)
        rounding = (doubt * models.l1).sum(axis=1) + relative * (sizes @ weight)
        l1 = self.columns.penalty.lam * models.l1.sum(axis=1)
        upper = losses + lams * (l1 + models.squares.sum(axis=1)) + rounding
        if self.plain:
            largest = doubt.max(axis=1)
            if level is None:
                largest += [self._level(rows) for rows in resid]
            elif not self.empty:  # both predictions have roundings, and are centred
                largest += level + largest + 2 * off
            scale = np.minimum(1.0, np.divide(lams, largest, out=np.ones(m), where=largest > 0))
            lower, feasible = self._dual_values(away, scale)
        else:
            points = zip(lams, models.pred, resid, losses, away, doubt.max(axis=1), strict=True)
            ends = [self._best_dual_value(*point) for point in points]
            lower, feasible = map(np.array, zip(*ends, strict=True))
        sizes = upper + np.abs(lower) + (np.abs(away) * np.abs(self.offset)).sum(axis=1) @ weight
        of_ends = np.where(feasible, relative * sizes, 0.0)
        return np.maximum(lower - of_ends, 0.0), upper, rounding + of_ends

    def _dual_values(self, away, scale):
        """The dual values without a penalty at multiples (m,) of the residuals, and whether each is
        a dual point: else the intercepts are far from the best ones.
        """
        dual = -scale[:, None, None] * away
        dual[:, self.label, np.arange(len(self.label))] += 1.0
        feasible = dual.min(axis=(1, 2)) > -8 * EPS
        dual = np.maximum(dual, 0.0)
        of_offset = scale * ((away * self.offset).sum(axis=1) @ self.weight)
        values = -(xlogy(dual, dual).sum(axis=1) @ self.weight) - of_offset
        return np.where(feasible, values, 0.0), feasible

    def _best_dual_value(self, lam, pred, resid, loss, away, doubt):
        """A lower end where the penalty has quadratic terms or limits, and whether there is one.

        *Cost*: a scan for each class.
        """
        penalty = self.columns.penalty.at(lam, np.arange(self.columns.n_learners))
        n_classes = len(resid)
        corr = np.array([self.columns.scan(row) for row in resid])
        size = (np.abs(corr) + doubt).ravel()
        either = np.maximum(penalty.upper, -penalty.lower)
        limit = np.where(np.abs(corr) <= doubt, either, penalty.upper)
        limit = np.where(corr < -doubt, -penalty.lower, limit).ravel()
        price = np.full(len(size), penalty.lam)
        ridge = np.tile(penalty.ridge, n_classes)
        along = float((resid * (pred - self.offset)).sum())
        own = away[self.label, np.arange(len(self.label))]
        square = float(self.weight @ (own / np.maximum(1.0 - own, EPS)))
        best = 0.0
        known = False
        for multiples in ((loss + along, 0.0, 1.0), (along + square, square, 1.0)):
            scale = compiled(best_multiple)(*multiples, price, ridge, size, limit)
            (value,), (feasible,) = self._dual_values(away[None], np.array([scale]))
            if feasible:
                known = True
                best = max(best, value - penalty_conjugate(price, ridge, scale * size, limit))
        return best, known

    @property
    def plain(self):
        """Whether the penalty is the l1 norm alone, without limits."""
        penalty = self.columns.penalty
        return not (penalty.has_ridge or penalty.limited)

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
            own_level = level[these] if self.plain else None
            lower, upper, _ = self.bounds(lams[these], models, own_level)
            ends.append(np.column_stack([lower, upper]))
        return np.vstack(ends) if ends else np.zeros((0, 2))

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
            fits.reshape(*shape, n_samples) + shifts[..., None] + self.offset,
            np.asarray(abs(gammas).sum(axis=1)).reshape(shape),
            np.diff(gammas.indptr).reshape(shape),
            (gammas.power(2) @ self.columns.penalty.ridge).reshape(shape) / 2,
        )
