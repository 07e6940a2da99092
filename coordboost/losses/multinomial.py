r"""The multinomial loss of K predictions per sample.

As a function of one of them it is the logistic loss with an offset.

**In all of them** its gradient is P - Y, P the softmax of the predictions and Y 1 at the class of
the sample, and its Hessian diag(P) - P P'. With weights w let r = w (Y - P), M be the sum over the
samples of w (diag(P) - P P'), which is the Hessian of the intercepts, and :math:`\kappa = M^+
\sum_i r_i` Newton's step to the best ones. For the point :math:`\theta_i = \sigma (r_i - w_i
(\mathrm{diag}(P_i) - P_i P_i') \kappa)` the conjugate of the loss is the weighted Kullback-Leibler
divergence of Q = Y - theta / w from P, plus a linear term. As Q - P is never below
:math:`-(1 - \sigma (1 - |\kappa|)) P`, with :math:`|\kappa|` the range of kappa, Taylor's formula
bounds it, and the sum over the samples is

.. math::
    \sum_i \ell_i(f_i) + \ell_i^*(-\theta_i) + \theta_i f_i \le
    \frac{(1 - \sigma)^2 \sum_i w_i (1 - P_{i y_i}) / P_{i y_i} + (2 - \sigma) \sigma
    \langle \kappa, \sum_i r_i \rangle}{2 \sigma (1 - |\kappa|)},

the bound of ``losses/exponential.py`` with several intercepts. The thetas of each class sum to 0.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from coordboost._numba import compiled, kernel, reduction, verb
from coordboost._numba.decay import decay

#: Smallest probability that is divided by.
TINY = 1e-300

evaluate = verb("evaluate")
newton_shift = verb("newton_shift")
centre = verb("centre")


def multinomial_losses(pred, class_index):
    r""":math:`\log \sum_l e^{f_l} - f_y` of each row, (n_samples,).

    pred : (n_classes, n_samples)
    class_index : the class y of each row, (n_samples,)
    """
    return logsumexp(pred, axis=0) - pred[class_index, np.arange(pred.shape[1])]


def fill_residuals(pred, class_index, weight, out):
    """Write weight (Y - P) into `out`, P the softmax of `pred`, Y 1 at the class of each row; all
    (n_classes, n_samples).

    *Numerics*: the residual of a row's own class is minus the sum of the others, which avoids the
    cancellation in 1 - P.
    """
    n_classes, n_samples = pred.shape
    largest = pred[0].copy()
    total = np.zeros(n_samples)
    others = np.zeros(n_samples)
    for k in range(1, n_classes):
        for i in range(n_samples):
            largest[i] = max(largest[i], pred[k, i])
    for k in range(n_classes):
        for i in range(n_samples):
            out[k, i] = decay(largest[i] - pred[k, i])
            total[i] += out[k, i]
    for k in range(n_classes):
        for i in range(n_samples):
            out[k, i] = -weight[i] * out[k, i] / total[i]
            others[i] += out[k, i] if class_index[i] != k else 0.0
    for i in range(n_samples):
        out[class_index[i], i] = -others[i]


def multinomial_residuals(pred, class_index, weight):
    """Return minus the gradient of the weighted multinomial losses in the predictions, (n_classes,
    n_samples).
    """
    residuals = np.empty_like(pred)
    compiled(fill_residuals, ())(pred, class_index, weight, residuals)
    return residuals


def offsets_beside(pred):
    r""":math:`-\log \sum_{l \ne k} e^{f_l}` for each class k: the offset with which its logistic
    loss has the multinomial gradient.

    pred : (n_classes, n_samples), two classes or more. *Numerics*: the largest term is never
    subtracted, so nothing cancels.
    """
    rows = np.arange(pred.shape[1])
    top = pred.argmax(axis=0)
    largest = pred[top, rows]
    others = pred.copy()
    others[top, rows] = -np.inf
    terms = np.exp(others - largest)
    offsets = -largest - np.log1p(np.maximum(terms.sum(axis=0) - terms, 0.0))
    offsets[top, rows] = -logsumexp(others, axis=0)
    return offsets


class _ClassForm(NamedTuple):
    label: np.ndarray
    weight: np.ndarray
    n_classes: int


class ClassForm(_ClassForm):
    """The multinomial losses of samples, as a compiled path sees them.

    Predictions, residuals and curvatures are (n_classes * n_samples,), those of the first class
    first. The curvatures are w P: their sum over the classes is w, and so they give the Hessian.

    label : (n_samples,), the classes 0, 1, ...
    weight : (n_samples,)
    """

    __slots__ = ()

    def evaluate(self, pred, resid, curvature, sums):
        """Fill residuals and curvatures at the predictions, and `sums` (n_classes,) with the sums
        of the residuals of each class.

        Return the loss, the sum of the curvatures, and that of w (1 - P) / P, P the probability of
        the class of the sample.
        """
        n_samples = len(self.label)
        largest = np.empty(n_samples)
        total = np.empty(n_samples)
        fill_probabilities(self.weight, pred, largest, total, curvature)
        loss = 0.0
        sum_h = 0.0
        sum_q = 0.0
        others = largest
        for i in range(n_samples):
            own = pred[self.label[i] * n_samples + i]
            loss += self.weight[i] * (largest[i] - own + math.log(total[i]))
            sum_h += self.weight[i]
            others[i] = 0.0
        for k in range(self.n_classes):
            for i in range(n_samples):
                h = curvature[k * n_samples + i]
                resid[k * n_samples + i] = -h
                others[i] += h if self.label[i] != k else 0.0
        for i in range(n_samples):
            place = self.label[i] * n_samples + i
            resid[place] = others[i]
            if others[i] > 0.0:
                own = max(curvature[place] / self.weight[i], TINY)
                sum_q += others[i] / own
        for k in range(self.n_classes):
            sums[k] = sum_of(resid[k * n_samples : (k + 1) * n_samples])
        return loss, sum_h, sum_q

    def newton_shift(self, curvature, sums, total, shift):
        """Fill `shift` (n_classes,) with Newton's step to the best intercepts, kappa; return its
        range. That of the last class is 0.
        """
        factor = laplacian_factor(curvature, self.weight, self.n_classes)
        solve_laplacian(factor, sums, shift)
        low = 0.0
        high = 0.0
        for k in range(self.n_classes):
            low = min(low, shift[k])
            high = max(high, shift[k])
        return high - low

    def centre(self, resid, curvature, shift):
        """Subtract from the residuals the Hessian times kappa."""
        n_samples = len(self.label)
        for i in range(n_samples):
            mean = 0.0
            if self.weight[i] > 0.0:
                for k in range(self.n_classes):
                    mean += curvature[k * n_samples + i] * shift[k]
                mean /= self.weight[i]
            for k in range(self.n_classes):
                resid[k * n_samples + i] -= curvature[k * n_samples + i] * (shift[k] - mean)


def evaluate_models(form, pred, free, resid, losses, off):
    """Fill the residuals of m models, (m, n_classes * n_samples), their losses, and a bound of what
    centring changes in the correlations of unit columns, (m,).

    The residuals are those at the predictions of the same shape, centred where intercepts are free.
    """
    curvature = np.empty(pred.shape[1])
    sums = np.empty(form.n_classes)
    shift = np.empty(form.n_classes)
    for i in range(len(pred)):
        losses[i], total, _ = evaluate(form, pred[i], resid[i], curvature, sums)
        off[i] = 0.0
        if free:
            newton_shift(form, curvature, sums, total, shift)
            centre(form, resid[i], curvature, shift)
            along = 0.0
            for k in range(form.n_classes):
                along += shift[k] * sums[k]
            off[i] = math.sqrt(max(along, 0.0))


@reduction
def sum_of(values):
    """The sum, in any order."""
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@kernel
def fill_probabilities(weight, pred, largest, total, curvature):
    """Fill `curvature` with weight times the softmax of the predictions, `largest` (n_samples,)
    with the largest prediction, and `total` (n_samples,) with the sum of exp(pred - largest).
    """
    n_samples = len(weight)
    n_classes = len(pred) // n_samples
    for i in range(n_samples):
        largest[i] = pred[i]
        total[i] = 0.0
    for k in range(1, n_classes):
        for i in range(n_samples):
            largest[i] = max(largest[i], pred[k * n_samples + i])
    for k in range(n_classes):
        for i in range(n_samples):
            z = decay(largest[i] - pred[k * n_samples + i])
            curvature[k * n_samples + i] = z
            total[i] += z
    for k in range(n_classes):
        for i in range(n_samples):
            curvature[k * n_samples + i] *= weight[i] / total[i]


# The Hessian of the intercepts is a Laplacian: its rows sum to 0, and its entries besides the
# diagonal are not positive. Without the last class it is positive definite.


@kernel
def weights_of(metric, n_classes):
    """The sums of the metric over the classes, (n_samples,)."""
    n_samples = len(metric) // n_classes
    weight = metric[:n_samples].copy()
    for k in range(1, n_classes):
        for i in range(n_samples):
            weight[i] += metric[k * n_samples + i]
    return weight


@kernel
def laplacian_factor(curvature, weight, n_classes):
    """The Cholesky factor of the Hessian of the intercepts without the last class,
    (n_classes - 1, n_classes - 1), lower.
    """
    n_samples = len(weight)
    size = n_classes - 1
    factor = np.zeros((size, size))
    for k in range(size):
        own = curvature[k * n_samples : (k + 1) * n_samples]
        for q in range(n_classes):
            if q == k:
                continue
            product = product_over(own, curvature[q * n_samples : (q + 1) * n_samples], weight)
            factor[k, k] += product
            if q < k:
                factor[k, q] = -product
    for k in range(size):
        for q in range(k):
            for u in range(q):
                factor[k, q] -= factor[k, u] * factor[q, u]
            factor[k, q] /= factor[q, q]
            factor[k, k] -= factor[k, q] * factor[k, q]
        factor[k, k] = math.sqrt(max(factor[k, k], TINY))
    return factor


@reduction
def product_over(a, b, weight):
    """The sum of ``a b / weight``; samples without weight are left out."""
    total = 0.0
    for i in range(len(weight)):
        total += a[i] * b[i] / (weight[i] if weight[i] > 0.0 else 1.0)
    return total


@kernel
def solve_laplacian(factor, sums, out):
    """Fill `out` (n_classes,) with the solution of the Hessian of the intercepts, 0 for the last
    class.

    factor : from ``laplacian_factor``
    """
    size = len(factor)
    for k in range(size):
        out[k] = sums[k]
        for q in range(k):
            out[k] -= factor[k, q] * out[q]
        out[k] /= factor[k, k]
    for k in range(size - 1, -1, -1):
        for q in range(k + 1, size):
            out[k] -= factor[q, k] * out[q]
        out[k] /= factor[k, k]
    out[size] = 0.0


@kernel
def spread_over_classes(column, own, metric, weight, out, sums):
    """Fill `out` (n_classes * n_samples,) with the Hessian of the losses times a column of the
    predictions of the class `own`, and `sums` (n_classes,) with the sums of each class.
    """
    n_samples = len(column)
    n_classes = len(sums)
    total = 0.0
    for k in range(n_classes):
        sums[k] = 0.0
    for i in range(n_samples):
        out[own * n_samples + i] = 0.0
    for k in range(n_classes):
        if k != own:
            for i in range(n_samples):
                share = column[i] * metric[own * n_samples + i] / weight[i]
                product = share * metric[k * n_samples + i]
                out[k * n_samples + i] = -product
                out[own * n_samples + i] += product
                sums[k] -= product
            total -= sums[k]
    sums[own] = total
