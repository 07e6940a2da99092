"""Families of trees, by number of splits and norm of leaf values.

Bounds of the complexity of such a family.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import function, items_of, number_of, positive, shown
from coordboost.data import validation
from coordboost.data.binning import bin_columns
from coordboost.data.bins_on_parts import left_in_place
from coordboost.data.tree_learners import TreeFamily, per_feature, prices_of
from coordboost.learners.families import Families
from coordboost.learners.trees import Growth

#: The grid of the paper: maximum numbers of splits, and bounds of the norm of leaf values.
NODES = (2, 4, 8, 16, 32, 64, 256)
BOUNDS = (0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 4.0)


def tree_complexity(
    nodes: ArrayLike, bound: ArrayLike, n_features: int, n_samples: int
) -> np.ndarray:
    r"""Lambda sqrt((4 n + 2) log2(d + 2) ln(m + 1) / m), the complexity of some trees.

    It is r of the trees :math:`H_{n,\lambda,q}`, for any q >= 1.

    Parameters
    ----------
    nodes, bound : array_like, (n_families,)
        Maximum number n of splits of a tree, and the bound lambda of the q-norm of its leaf values.
    n_features, n_samples : int
        d and m.

    Returns
    -------
    ndarray, (n_families,)
        The complexities, in the units of the leaf values; a value of at least lambda is vacuous.

    Raises
    ------
    ValueError
        For values that are not finite numbers, and fewer than one feature or sample.

    Notes
    -----
    An upper bound of :math:`\frac1m E \sup_h \sum_i \sigma_i h(x_i)`; the printed definition lacks
    1/m. *Source*: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Theorem 1.

    Examples
    --------
    Trees with 1, 8 and 64 splits, on 10 features and 10,000 samples:

    >>> import coordboost as cb
    >>> cb.theory.bounds.tree_complexity([1, 8, 64], 1.0, 10, 10_000).round(2)
    array([0.14, 0.34, 0.92])
    """
    d = validation.whole("n_features", n_features, 1)
    m = validation.whole("n_samples", n_samples, 1)
    n = validation.floats("nodes", nodes)
    lam = validation.floats("bound", bound)
    return lam * np.sqrt((4 * n + 2) * math.log2(d + 2) * math.log(m + 1) / m)


def sharper_tree_complexity(
    nodes: ArrayLike, bound: ArrayLike, n_features: int, n_samples: int
) -> np.ndarray:
    r"""Lambda min(1, sqrt(2 (n ln(8 d (m + 1)) + ln 2) / m)), from a direct count.

    It counts fewer ways to label the samples than ``tree_complexity``.

    A tree with n splits has one of at most 4^n shapes, d (m + 1) tests at each split and 2^(n + 1)
    signs, and no learner is larger than lambda.

    Parameters
    ----------
    nodes, bound : array_like, (n_families,)
        Maximum number n of splits of a tree, and the bound lambda of the q-norm of its leaf values.
    n_features, n_samples : int
        d and m.

    Returns
    -------
    ndarray, (n_families,)
        The complexities, in the units of the leaf values; at most lambda.

    Raises
    ------
    ValueError
        As ``tree_complexity``.

    Notes
    -----
    *Source*: ours, by Massart's lemma, as Theorem 1 of Cortes, Mohri, Storcheus, *Regularized
    Gradient Boosting*.

    Examples
    --------
    Trees with 1, 8 and 64 splits, on 10 features and 10,000 samples; ``tree_complexity`` has 0.14,
    0.34, 0.92.

    >>> import coordboost as cb
    >>> cb.theory.bounds.sharper_tree_complexity([1, 8, 64], 1.0, 10, 10_000).round(2)
    array([0.05, 0.15, 0.42])
    """
    d = validation.whole("n_features", n_features, 1)
    m = validation.whole("n_samples", n_samples, 1)
    n = validation.floats("nodes", nodes)
    lam = validation.floats("bound", bound)
    return lam * np.minimum(1.0, np.sqrt(2 * (n * math.log(8 * d * (m + 1)) + math.log(2)) / m))


def tree_families(
    X,
    *,
    nodes=NODES,
    bounds=BOUNDS,
    q=2.0,
    sums=False,
    complexity=tree_complexity,
    normalize=True,
    min_samples=1,
    min_gain=0.0,
    l2=0.0,
    monotone=None,
    penalty=None,
    max_bins=255,
    exact=False,
    categorical=(),
    feature_names=None,
    file=None,
    min_samples_category=1,
    max_split_categories=None,
    category_smoothing=0.0,
):
    r"""The trees :math:`H_{n,\lambda,q}` on the columns of X: the learners of ``rgb``.

    There is one family for every n in `nodes` and lambda in `bounds`.

    Family (n, lambda) holds the trees with at most n splits whose leaf values w have
    :math:`\|w\|_q = \lambda`. A step grows one tree and always splits the leaf with the largest
    gain; its first n splits are the tree of n splits, so one growth serves all families.

    Parameters
    ----------
    X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
        As for ``trees``.
    nodes : sequence of int
        Maximum numbers of splits n.
    bounds : sequence of float
        Bounds lambda.
    q : float from 1 to inf, default 2
    sums : bool, default False
        Whether leaf values follow the sums of their leaves, not the means: the steepest direction
        for a step with the family's constant.
    complexity : function, default ``bounds.tree_complexity``
        ``complexity(nodes, bound, n_features, n_samples)``, (n_families,).
    normalize : bool, default True
        Divide the complexities by the largest, so that they lie between 0 and 1, as in the paper's
        experiments.
    min_samples, min_gain, l2, monotone, penalty, max_bins, exact : optional
        As for ``trees``.
    categorical, feature_names, file : optional
        As for ``trees``.
    min_samples_category, max_split_categories, category_smoothing : optional
        As for ``trees``.

    Returns
    -------
    TreeFamily
        Its attribute `families` is the table of the families, sorted by n, then by lambda.

    Notes
    -----
    *Memory*: histograms take 16 (largest n) (features) (bins) bytes while a tree grows; a smaller
    `max_bins` takes less. *Source*: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*,
    Sections 3 and 5.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> cb.data.tree_families(X, nodes=[1, 2], bounds=[1.0]).families.nodes
    array([1, 2])
    """
    binned, binning = bin_columns(
        left_in_place(X),
        max_bins=max_bins,
        exact=exact,
        categorical=categorical,
        feature_names=feature_names,
        file=file,
        min_samples_category=min_samples_category,
    )
    column = binning.column
    table = _table(nodes, bounds, q, sums, complexity, normalize, binned)
    signs = per_feature("monotone", monotone, binning.column_names, np.int64)
    signs = signs[column] if len(signs) else signs
    if table.sums and signs.any():
        raise ValueError("monotone needs leaf values that are means; pass sums=False.")
    leaves = max(1, int(table.nodes.max())) + 1
    growth = Growth(
        max_depth=-1,
        max_leaves=leaves,
        min_samples=min_samples,
        min_gain=min_gain,
        l2=l2,
        monotone=signs,
        min_samples_category=min_samples_category,
        max_split_categories=-1 if max_split_categories is None else max_split_categories,
        category_smoothing=category_smoothing,
    ).check(binned)
    price = prices_of(penalty, binning.column_names)[column]
    return TreeFamily(binned, binning, growth, price, False, table)


def _several(name, values):
    """A number, or a sequence of them, as a list."""
    return (
        [values]
        if number_of(values) is not None
        else items_of(name, values, "a number or a sequence of numbers")
    )


def _table(nodes, bounds, q, sums, complexity, normalize, binned):
    """The table of the families, sorted."""
    function("complexity", complexity, "a function of nodes, bound, n_features and n_samples")
    sizes = sorted({validation.whole("nodes", n) for n in _several("nodes", nodes)})
    radii = sorted({positive("bounds", bound) for bound in _several("bounds", bounds)})
    if not (sizes and radii):
        raise ValueError(
            f"nodes and bounds must not be empty, got {shown(nodes)} and {shown(bounds)}."
        )
    n, bound = (np.ravel(grid) for grid in np.meshgrid(sizes, radii, indexing="ij"))
    m = binned.n_samples
    cost = np.asarray(complexity(n, bound, binned.n_features, m), dtype=np.float64)
    if validation.flag("normalize", normalize) and cost.size and 0 < cost.max() < math.inf:
        cost = cost / cost.max()
    return Families(bound, cost, n, q, int(validation.flag("sums", sums))).check()
