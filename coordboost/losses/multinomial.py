"""The multinomial loss of K predictions a row; in one of them, the others fixed, it is the logistic loss beside an offset."""

import numpy as np
from scipy.special import logsumexp


def multinomial_losses(pred, number):
    r""":math:`\log \sum_l e^{f_l} - f_y` of each row, (n_samples,).

    pred : (n_classes, n_samples);  number : the class y of each row, (n_samples,)
    """
    return logsumexp(pred, axis=0) - pred[number, np.arange(pred.shape[1])]


def offsets_beside(pred):
    r""":math:`-\log \sum_{l \ne k} e^{f_l}` for each class k: the offset beside which its logistic loss has the multinomial gradient.

    pred : (n_classes, n_samples), two classes or more. Sums leave out the largest term or contain it, so no difference cancels.
    """
    rows, top = np.arange(pred.shape[1]), pred.argmax(axis=0)
    largest, rest = pred[top, rows], pred.copy()
    rest[top, rows] = -np.inf
    terms = np.exp(rest - largest)
    out = -largest - np.log1p(np.maximum(terms.sum(axis=0) - terms, 0.0))
    out[top, rows] = -logsumexp(rest, axis=0)
    return out
