"""What is kept of a tree that was grown: its nodes, its values as a unit vector, its beginnings, and its leaves fitted anew, with noise.

Where the leaf with the largest gain is split first, the tree with n splits is the first 2 n + 1 nodes of any larger one: of all families
that a step looks at, the trees are read off a single growth.
"""

import math

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.noise import normal
from coordboost.learners.trees.stored import SET


def norm(values, q):
    """``np.linalg.norm(values, q)``, which is 0 or inf where the powers of values leave the range of float64; not 0 in all."""
    largest = np.abs(values).max()
    return largest * np.linalg.norm(values / largest, q)


@kernel
def keep_nodes(state, nodes, flags, m, trees, j):
    """Write the first m nodes of a tree into row j of ``Trees``: those without children among them are leaves."""
    feature, left, goes_left, _, n_leaves, gain, n_samples = trees
    n_leaves[j] = 0
    for at in range(m):
        node = nodes[at]
        inner = node.feature >= 0 and node.left < m
        gain[j, at], n_samples[j, at] = node.gain / state.scale / state.scale if inner else 0.0, node.count
        feature[j, at], left[j, at] = (node.feature, node.left) if inner else (-1, n_leaves[j])
        n_leaves[j] += 1 - inner
        for byte in range(SET if inner else 0):
            bits = 0
            for bit in range(8):
                bits |= flags[at, 8 * byte + bit] << bit
            goes_left[j, at, byte] = bits


@kernel
def unit_values(state, nodes, m, power, metric, v, leaf, values):
    """The values of the leaves of a tree's first m nodes, as a unit vector: its product with the target v, and its length as a fit.

    power : None, or values are by the sums of the leaves, to this power
    metric : (n_samples,) or (1,), weights, in which samples are measured one by one; empty where the sums of the leaves say it
    """
    largest = square = corr = 0.0
    one = 0
    for at in range(m):
        if nodes[at].feature < 0 or nodes[at].left >= m:
            largest = max(largest, abs(nodes[at].value if power is None else float(nodes[at].total)))
    for at in range(m):
        node = nodes[at]
        if node.feature < 0 or node.left >= m:
            value = 1.0  # nothing to fit: the constant
            if largest > 0.0:
                value = node.value / largest if power is None else (abs(node.total) / largest) ** power * (1 if node.total > 0 else -1)
            values[one] = value
            one += 1
            square += state.unit * node.mass * value * value
            corr += node.total / state.scale * value
    if len(metric) > 0:
        square = corr = 0.0
        for i in range(len(v)):
            value = values[leaf[i]]
            square += metric[min(i, len(metric) - 1)] * value * value
            corr += v[i] * value
    size = math.sqrt(square)
    for k in range(len(values)):
        values[k] = values[k] / size if k < one else 0.0
    return corr / size, size * largest


def unit_on_all(metric, v, leaf, values):
    """Make a tree that is a unit vector on some samples one on all of them: its product with `v`, and what its length is multiplied by."""
    square = corr = 0.0
    for i in range(len(v)):
        value = values[leaf[i]]
        square += metric[i] * value * value
        corr += v[i] * value
    size = math.sqrt(square)
    for k in range(len(values) if size > 0.0 else 0):
        values[k] /= size
    return (corr / size, size) if size > 0.0 else (0.0, 0.0)


def cut_back(state, nodes, m, power, grown, number, leaf, values):
    """Make of the tree that was grown the one of its first m nodes: its product with the target, its length; `leaf` and `values`.

    grown : (n_samples,), the leaves of the whole tree;  number : int64 (n_leaves,), scratch
    """
    n_leaves = 0
    for at in range(state.nodes):
        node = nodes[at]
        if at >= m:
            node.place = nodes[node.parent].place
        elif node.feature < 0 or node.left >= m:
            node.place = n_leaves
            n_leaves += 1
        if node.feature < 0:
            number[node.leaf] = node.place
    for i in range(len(grown)):
        leaf[i] = number[grown[i]]
    return unit_values(state, nodes, m, power, values[:0], values, leaf, values)


def refit_leaves(state, nodes, leaf, l2, v, scale, key, scratch, values):
    """Give the tree just grown the leaves that fit `v` and white noise, as a unit vector into `values`; the length of that fit.

    The sum of a leaf is that of `v` and one normal number of standard deviation ``scale * sqrt(weight + l2)``: the sum of the noise of
    its samples, and of that of the ridge penalty, which keeps the law of Langevin boosting what it is without one.
    *Cost*: one addition for each sample.
    """
    n_leaves = state.leaves
    scratch[:n_leaves], values[:n_leaves] = 0.0, 0.0
    for i in range(0, len(v) - 1, 2):  # two sums for each leaf: one alone would wait for itself
        scratch[leaf[i]] += v[i]
        values[leaf[i + 1]] += v[i + 1]
    if len(v) & 1:
        scratch[leaf[len(v) - 1]] += v[len(v) - 1]
    total = square = 0.0
    for at in range(state.nodes):
        if nodes[at].feature < 0:
            weight, one = state.unit * nodes[at].mass, nodes[at].leaf
            whole = weight + l2
            fit = scratch[one] + values[one] + scale * math.sqrt(whole) * normal(key, one)
            scratch[one] = fit / whole if whole > 0.0 else 0.0
            square += weight * scratch[one] * scratch[one]
            total += weight
    length = math.sqrt(square)
    for one in range(n_leaves):  # nothing to fit: the constant
        values[one] = scratch[one] / length if length > 0.0 else 1.0 / math.sqrt(total)
    return length
