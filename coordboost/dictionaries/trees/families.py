"""The beginnings of one tree: of all families that a step looks at, the trees are read off a single growth.

Where the leaf with the largest gain is split first, the tree with n splits is the first 2 n + 1 nodes of any larger one.
"""

import math

import numpy as np

from coordboost._numba import kernel


def norm(values, q):
    """``sum(abs(values) ** q) ** (1 / q)``, the largest for q = inf."""
    size = np.abs(values)
    largest = float(size.max())
    return largest if largest == 0.0 or q == math.inf else largest * float(((size / largest) ** q).sum()) ** (1 / q)


def cut_back(state, nodes, m, grown, number, q, sums, leaf, values):
    """Make of the tree that was grown the one of its first m nodes: the leaves of the samples, and `values` of a unit vector.

    grown : (n_samples,), the leaves of the whole tree;  number : int64 (2, nodes), room;  q, sums : as in ``Families``

    Returns
    -------
    corr : the product of the target with the unit vector
    """
    n_leaves = name_beginning(state, nodes, m, grown, number, leaf)
    power = 1.0 / (q - 1.0) if q > 1.0 else math.inf
    largest = 0.0
    for at in range(m):
        if nodes[at].feature < 0 or nodes[at].left >= m:
            largest = max(largest, abs(float(nodes[at].total) if sums else nodes[at].value))
    square, corr = 0.0, 0.0
    for at in range(m):
        node = nodes[at]
        if node.feature < 0 or node.left >= m:
            value = 1.0  # nothing to fit: the constant
            if largest > 0 and sums:
                size = (abs(node.total) / largest) ** power
                value = size if node.total > 0 else -size
            elif largest > 0:
                value = node.value / largest
            values[number[0, at]] = value
            square += state.unit * node.mass * value * value
            corr += node.total / state.scale * value
    size = math.sqrt(square)
    for one in range(n_leaves):
        values[one] /= size
    values[n_leaves:] = 0.0
    return corr / size


@kernel
def name_beginning(state, nodes, m, grown, number, leaf):
    """The leaves of the tree of the first m nodes, in the order of their nodes, and those of the samples; how many."""
    n_leaves = 0
    for at in range(state.nodes):
        node = nodes[at]
        if at < m and (node.feature < 0 or node.left >= m):
            number[0, at] = n_leaves
            n_leaves += 1
        if node.feature < 0:
            number[1, node.leaf] = number[0, at]
        elif node.left >= m:
            number[0, node.left] = number[0, node.left + 1] = number[0, at]
    for i in range(len(grown)):
        leaf[i] = number[1, grown[i]]
    return n_leaves
