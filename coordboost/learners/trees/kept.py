"""Store a grown tree.

Its nodes, its values as a unit vector, the smaller trees that it contains, and leaves refitted with
noise.

If the leaf with the largest gain is split first, the tree with n splits is the first 2 n + 1 nodes
of any larger one (a tree prefix). So a step that compares several families grows one tree, and
reads the trees of all of them off it.
"""

import math

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.noise import normal
from coordboost.learners.trees.stored import SET


def norm(values, q):
    """Return ``np.linalg.norm(values, q)`` without overflow or underflow of the powers.

    The values must not all be 0.
    """
    largest = np.abs(values).max()
    return largest * np.linalg.norm(values / largest, q)


@kernel
def keep_nodes(state, nodes, flags, m, trees, j):
    """Write the first m nodes of a tree into row j of ``Trees``.

    Nodes without children among them become leaves.
    """
    feature, left, goes_left, _, n_leaves, gain, n_samples = trees
    n_leaves[j] = 0
    for at in range(m):
        node = nodes[at]
        inner = node.feature >= 0 and node.left < m
        gain[j, at], n_samples[j, at] = (
            node.gain / state.scale / state.scale if inner else 0.0,
            node.count,
        )
        feature[j, at], left[j, at] = (node.feature, node.left) if inner else (-1, n_leaves[j])
        n_leaves[j] += 1 - inner
        for byte in range(SET if inner else 0):
            bits = 0
            for bit in range(8):
                bits |= flags[at, 8 * byte + bit] << bit
            goes_left[j, at, byte] = bits


@kernel
def unit_values(state, nodes, m, power, metric, v, leaf, values):
    """Write the leaf values of a tree's first m nodes, as a unit vector.

    Return its product with the target v, and its length as a fit.

    power : None for the fitted leaf values; otherwise values are the sums of the leaves to this
    power, with their signs metric : (n_samples,) or (1,), weights for norm and product, summed over
    samples; empty to take them from the sums of the leaves
    """
    largest = square = corr = 0.0
    one = 0
    for at in range(m):
        if nodes[at].feature < 0 or nodes[at].left >= m:
            largest = max(
                largest, abs(nodes[at].value if power is None else float(nodes[at].total))
            )
    for at in range(m):
        node = nodes[at]
        if node.feature < 0 or node.left >= m:
            value = 1.0  # if there is nothing to fit: the constant
            if largest > 0.0:
                value = (
                    node.value / largest
                    if power is None
                    else (abs(node.total) / largest) ** power * (1 if node.total > 0 else -1)
                )
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
    """Rescale a tree grown on some samples to unit norm on all.

    Return its product with `v`, and its norm on all before.

    A tree without a finite norm above 0 becomes the constant; its product and its norm are 0.
    """
    square = corr = total = 0.0
    for i in range(len(v)):
        value = values[leaf[i]]
        square += metric[i] * value * value
        corr += v[i] * value
        total += metric[i]
    size = math.sqrt(square)
    if not 0.0 < size < math.inf:
        values[:] = 1.0 / math.sqrt(total)
        return 0.0, 0.0
    for k in range(len(values)):
        values[k] /= size
    return corr / size, size


def cut_back(state, nodes, m, power, grown, number, leaf, values):
    """Cut the grown tree back to its first m nodes: fill `leaf` and `values`.

    Return its product with the target, and its length.

    grown : (n_samples,), the leaves of the whole tree;  number : int64 (n_leaves,), scratch memory
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
    """Refit the leaves of the tree just grown to `v` and white noise.

    Write them as a unit vector into `values`, return the length.

    A leaf takes the sum of `v` over its samples plus one normal number of standard deviation
    ``scale * sqrt(weight + l2)``. The part with weight is the noise of its samples. The part with
    l2 belongs to the ridge penalty: the limit of the run is still a Gibbs distribution. *Cost*: one
    addition per sample.
    """
    n_leaves = state.leaves
    scratch[:n_leaves], values[:n_leaves] = 0.0, 0.0
    # two sums per leaf: consecutive additions to one sum would wait for each other
    for i in range(0, len(v) - 1, 2):
        scratch[leaf[i]] += v[i]
        values[leaf[i + 1]] += v[i + 1]
    if len(v) & 1:
        scratch[leaf[len(v) - 1]] += v[len(v) - 1]
    total = square = 0.0
    for at in range(state.nodes):
        if nodes[at].feature < 0:
            weight = state.unit * nodes[at].mass
            one = nodes[at].leaf
            whole = weight + l2
            fit = scratch[one] + values[one] + scale * math.sqrt(whole) * normal(key, one)
            scratch[one] = fit / whole if whole > 0.0 else 0.0
            square += weight * scratch[one] * scratch[one]
            total += weight
    length = math.sqrt(square)
    for one in range(n_leaves):  # nothing to fit: the constant
        values[one] = scratch[one] / length if length > 0.0 else 1.0 / math.sqrt(total)
    return length
