"""How rich a family of trees is: bounds of its empirical Rademacher complexity."""

import math

import numpy as np

from coordboost.data import validation


def tree_complexity(nodes, bound, n_features, n_samples):
    r"""lambda sqrt((4 n + 2) log2(d + 2) ln(m + 1) / m), the complexity r of the trees :math:`H_{n,\lambda,q}`, any q >= 1.

    Parameters
    ----------
    nodes, bound : array_like
        Most splits n of a tree, and the bound lambda of the q-norm of its leaf values.
    n_features, n_samples : int
        d and m.

    Notes
    -----
    An upper bound of :math:`\frac1m E \sup_h \sum_i \sigma_i h(x_i)`, the printed definition lacks 1/m. *Source*: Cortes, Mohri,
    Storcheus, *Regularized Gradient Boosting*, Theorem 1.
    """
    d, m = validation.whole("n_features", n_features, 1), validation.whole("n_samples", n_samples, 1)
    nodes, bound = validation.floats("nodes", nodes), validation.floats("bound", bound)
    return bound * np.sqrt((4 * nodes + 2) * math.log2(d + 2) * math.log(m + 1) / m)


def sharper_tree_complexity(nodes, bound, n_features, n_samples):
    r"""lambda min(1, sqrt(2 (n ln(8 d (m + 1)) + ln 2) / m)): fewer ways to label the samples, counted directly.

    A tree with n splits has one of at most 4^n shapes, d (m + 1) tests at each split and 2^(n + 1) signs, and no learner is larger than
    lambda. Parameters as of ``tree_complexity``.
    """
    d, m = validation.whole("n_features", n_features, 1), validation.whole("n_samples", n_samples, 1)
    nodes, bound = validation.floats("nodes", nodes), validation.floats("bound", bound)
    return bound * np.minimum(1.0, np.sqrt(2 * (nodes * math.log(8 * d * (m + 1)) + math.log(2)) / m))
