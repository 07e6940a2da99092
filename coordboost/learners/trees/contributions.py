"""Contributions of columns to the predictions of trees: exact Shapley values.

A *feature* here is a column of the table. One with many categories is split by its pages, several
columns of bins, which are known or unknown together.

The value of a set of features at a row is what a tree predicts that knows only these features. At a
split by one of them the row goes its own way; at any other split it goes both ways, in shares.
These are the shares of the training rows ("path-dependent"), or 0 and 1: the way of a row of a
background table ("interventional", a mean over that table).

Let a leaf have the value v, and let the splits on its path be by m features. For each of these, let
o be 1 if the row stays on the path at all splits by it, else 0, and z the product of the shares
there. For a set of features, the leaf counts with v times a product over the m features: of o where
the feature is in the set, else of z. So the Shapley value of feature i is

    v (o_i - z_i) integral over t from 0 to 1 of  prod_{j != i} ((1 - t) z_j + t o_j)

The integrand is a polynomial of degree m - 1: the rule of Gauss and Legendre with m / 2 points,
rounded up, is exact. No factor is negative, so nothing cancels within a leaf.

*Source*: Owen, *Multilinear extensions of games* (1972), for the integral; Lundberg et al., *From
local explanations to global understanding with explainable AI for trees* (2020), for the two kinds
of values. Quadrature is also in Wettenstein, Mitchell and Yu, *Quadrature-TreeSHAP* (2026).
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel
from coordboost._numba.threads import in_blocks, slices
from coordboost.learners.trees.forest import SLOTS
from coordboost.learners.trees.tree import is_in

#: Rows that pass a tree together.
BLOCK = 1 << 9
#: Most passes of a block in one compiled call, for which Ctrl-C waits.
PASSES = 1 << 8


class Paths(NamedTuple):
    """What the paths of trees are for all rows.

    The node `above` another one is the last node before it on its path whose parent splits by the
    same feature; the root, if there is none::

        node               0     1     3     5
        its parent               0     1     3
        splits by          a     b     a     leaf
        above                    0     0     1

    parent, above : int64 (n_trees, n_nodes)
    feature : int64 (n_trees, n_nodes), that of the split of each node
    n_features : int64 (n_trees,), most features on a path
    share : (n_trees, n_nodes), at the parents of a node and of the nodes above it, the product of
        the shares of the training rows that go towards the node
    """

    parent: np.ndarray
    above: np.ndarray
    feature: np.ndarray
    n_features: np.ndarray
    share: np.ndarray

    @classmethod
    def of(cls, trees, column, learners):
        """Return the paths of the trees `learners` of ``Trees``; other trees get none.

        column : int64, the feature of each column of bins
        """
        shape = trees.feature.shape
        parent = np.zeros(shape, dtype=np.int64)
        above = np.zeros(shape, dtype=np.int64)
        n_features = np.zeros(len(trees.n_leaves), dtype=np.int64)
        feature = column[np.maximum(trees.feature, 0)]
        paths = cls(parent, above, feature, n_features, np.ones(shape))
        compiled(fill_paths)(trees, paths, learners)
        return paths


def fill_paths(trees, paths, learners):
    """Write the ``Paths`` of the trees `learners`; shares are 1 before."""
    parent, above, feature, n_features, share = paths
    count = np.zeros(parent.shape[1], dtype=np.int64)
    for j in learners:
        for at in range(2 * trees.n_leaves[j] - 1):
            n_features[j] = max(n_features[j], count[at])
            if trees.feature[j, at] < 0:
                continue
            last = at
            while last > 0 and feature[j, parent[j, last]] != feature[j, at]:
                last = parent[j, last]
            n_samples = max(1, trees.n_samples[j, at])
            for child in range(trees.left[j, at], trees.left[j, at] + 2):
                parent[j, child] = at
                above[j, child] = last
                share[j, child] = share[j, last] * trees.n_samples[j, child] / n_samples
                count[child] = count[at] + (last == 0)


class Quadrature(NamedTuple):
    """Rules of Gauss and Legendre on the interval from 0 to 1: row q is the rule with q points.

    point, weight : (n_rules, n_rules)
    """

    point: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, n_points):
        """Return the rules with the given numbers of points; other rows are 0."""
        most = n_points.max(initial=0)
        rules = cls(np.zeros((most + 1, most)), np.zeros((most + 1, most)))
        for q in np.unique(n_points[n_points > 0]):
            point, weight = np.polynomial.legendre.leggauss(q)
            rules.point[q, :q] = (1 + point) / 2
            rules.weight[q, :q] = weight / 2
        return rules


@kernel
def write_right(codes, trees, nodes, j, at, k, right):
    """Write 1 for each code that goes right at node `at` of tree j, number k of ``Nodes``."""
    if trees.n_leaves[j] > SLOTS:
        for i in range(len(codes)):
            right[i] = 1 - is_in(trees.goes_left[j, at], codes[i])
    elif nodes.row[k] < 0:
        first, last = np.int64(nodes.first[k]), np.int64(nodes.last[k])
        for i in range(len(codes)):
            right[i] = (codes[i] - first) & 255 <= last
    else:
        goes_right = nodes.goes_right[nodes.row[k]]
        for i in range(len(codes)):
            right[i] = goes_right[codes[i]]


@kernel
def write_inside(codes, trees, nodes, paths, j, begin, right, inside):
    """Write for each node and row whether the row goes towards it, there and at those above.

    The rows are those from `begin` on.

    right : uint8 (n,), scratch memory;  inside : uint8 (n_nodes, BLOCK)
    """
    n = len(right)
    inside[0, :n] = 1
    k = nodes.start[j]
    for at in range(2 * trees.n_leaves[j] - 1):
        if trees.feature[j, at] < 0:
            continue
        code = codes[trees.feature[j, at], begin : begin + n]
        write_right(code, trees, nodes, j, at, k, right)
        k += 1
        left = trees.left[j, at]
        before = inside[paths.above[j, left], :n]
        to_left, to_right = inside[left, :n], inside[left + 1, :n]
        for i in range(n):
            to_left[i] = before[i] & (right[i] ^ 1)
            to_right[i] = before[i] & right[i]


# The loops over rows are kernels of their own, so that the compiler vectorises them.


@kernel
def multiply(inside, before, stays, leaves, gone, up, product):
    """Do ``product = up * factor``: a row stays inside, leaves at this node, or did so before."""
    for i in range(len(product)):
        known = inside[i] + before[i]
        product[i] = up[i] * (stays if known == 2 else (leaves if known == 1 else gone))


@kernel
def add_terms(inside, before, stays, leaves, below, values):
    """Do ``values += below * factor``, the factor 0 for rows that left before this node."""
    for i in range(len(values)):
        known = inside[i] + before[i]
        values[i] += below[i] * (stays if known == 2 else (leaves if known == 1 else 0.0))


@kernel
def add_below(below, value, kept, up):
    """Do ``up = kept * up + value * below``."""
    for i in range(len(up)):
        up[i] = kept * up[i] + value * below[i]


@kernel
def pass_down(paths, j, n_nodes, share, t, inside, product, n):
    """Write the product of the factors (1 - t) z + t o on the path to each node, for n rows.

    product : (n_nodes, BLOCK)
    """
    product[0, :n] = 1.0
    for at in range(1, n_nodes):
        above = paths.above[j, at]
        without, without_before = (1 - t) * share[at], (1 - t) * share[above]
        stays = (without + t) / (without_before + t)
        leaves = without / (without_before + t)
        gone = without / without_before if without_before > 0 else 0.0
        up = product[paths.parent[j, at], :n]
        multiply(inside[at, :n], inside[above, :n], stays, leaves, gone, up, product[at, :n])


@kernel
def pass_up(trees, paths, j, n_nodes, share, t, weight, inside, product, values, begin, n):
    """Add the integrands at t, times a weight, to the values of n rows, those from `begin` on.

    For all leaves below it, a node adds (o - z) / ((1 - t) z + t o) and takes back that of the node
    above, whose factor theirs has replaced.

    product : (n_nodes, BLOCK), from ``pass_down``; becomes the sum over all leaves below a node
    values : (n_features, n_samples)
    """
    for at in range(n_nodes - 1, 0, -1):
        above, parent = paths.above[j, at], paths.parent[j, at]
        before = (1 - share[above]) / ((1 - t) * share[above] + t)
        stays = (1 - share[at]) / ((1 - t) * share[at] + t) - before
        leaves = -1 / (1 - t) - before
        value = trees.values[j, trees.left[j, at]] if trees.feature[j, at] < 0 else 1.0
        scale = weight * value
        own = values[paths.feature[j, parent], begin : begin + n]
        below = product[at, :n]
        add_terms(inside[at, :n], inside[above, :n], scale * stays, scale * leaves, below, own)
        kept = 1.0 if at == trees.left[j, parent] else 0.0  # the right child comes first
        add_below(below, value, kept, product[parent, :n])


def add_contributions(
    codes, background, trees, nodes, paths, rules, learners, beta, begin, n, values
):
    """Add the contributions to ``sum_j beta_j B_j`` over the trees `learners`, for a block of rows.

    They are the n rows from `begin` on.

    background : uint8 (n_bin_columns, n_rows), the codes of its rows; no rows for path-dependent
        values
    values : (n_features, n_samples)
    """
    n_nodes = trees.feature.shape[1]
    right = np.empty(BLOCK, dtype=np.uint8)
    inside = np.empty((n_nodes, BLOCK), dtype=np.uint8)
    inside_there = np.empty((n_nodes, BLOCK), dtype=np.uint8)
    product = np.empty((n_nodes, BLOCK))
    share = np.empty(n_nodes)
    n_there = background.shape[1]
    n_games = max(1, n_there)
    for k in range(len(learners)):
        j = learners[k]
        size = 2 * trees.n_leaves[j] - 1
        n_points = (paths.n_features[j] + 1) // 2
        write_inside(codes, trees, nodes, paths, j, begin, right[:n], inside)
        for game in range(n_games):
            row = game % BLOCK
            if n_there > 0 and row == 0:
                there = right[: min(BLOCK, n_there - game)]
                write_inside(background, trees, nodes, paths, j, game, there, inside_there)
            for at in range(size):
                share[at] = inside_there[at, row] if n_there > 0 else paths.share[j, at]
            for p in range(n_points):
                t = rules.point[n_points, p]
                weight = beta[k] * rules.weight[n_points, p] / n_games
                pass_down(paths, j, size, share, t, inside, product, n)
                pass_up(trees, paths, j, size, share, t, weight, inside, product, values, begin, n)


def mean_of(trees, learners, beta):
    """Return the mean of ``sum_j beta_j B_j``, by the numbers of training rows in the leaves."""
    exists = np.arange(trees.feature.shape[1]) < 2 * trees.n_leaves[learners, None] - 1
    number, node = np.nonzero(exists & (trees.feature[learners] < 0))
    tree = learners[number]
    share = trees.n_samples[tree, node] / np.maximum(1, trees.n_samples[tree, 0])
    return float(np.sum(beta[number] * share * trees.values[tree, trees.left[tree, node]]))


def contributions(forest, column, beta, background=None):
    """Return the contributions of the features to ``B beta``, and the mean that they start from.

    Parameters
    ----------
    forest : Forest
        The trees on the rows to be explained.
    column : int64, increasing
        The feature of each column of bins.
    beta : (n,)
        Coefficients of the first n trees.
    background : Forest, optional
        The same trees on the rows of a background table. Default: shares of the training rows.

    Returns
    -------
    values : (n_samples, n_features)
        In Fortran order.
    base : float
        What is predicted if no feature is known: the mean over the background, or that of each tree
        over the training rows. With the values of a row it adds up to ``(B beta)`` there.
    """
    codes = forest.binned.codes
    trees = forest.trees
    learners = np.flatnonzero(beta)
    coefs = np.asarray(beta, dtype=np.float64)[learners]
    paths = Paths.of(trees, column, learners)
    there = codes[:, :0] if background is None else background.binned.codes
    fixed = (codes, there, trees, forest.nodes, paths, Quadrature.of((paths.n_features + 1) // 2))
    values = np.zeros((column[-1] + 1, codes.shape[1]))
    run = compiled(add_contributions)
    together = slices(len(learners), max(1, PASSES // max(1, there.shape[1])))

    def explain(rows):
        for part in together:
            run(*fixed, learners[part], coefs[part], rows.start, rows.stop - rows.start, values)

    in_blocks(explain, codes.shape[1], BLOCK)
    base = (
        mean_of(trees, learners, coefs) if background is None else background.combine(beta).mean()
    )
    return values.T, float(base)
