"""The multinomial loss of K predictions per sample.

As a function of one of them it is the logistic loss with an offset.
"""

import numpy as np
from scipy.special import logsumexp

from coordboost._numba import compiled
from coordboost._numba.decay import decay


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
