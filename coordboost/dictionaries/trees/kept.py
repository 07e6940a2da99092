"""What is kept of a tree that was grown: its nodes, its values as a unit vector, and its leaves fitted anew, with noise."""

import math

from coordboost._numba import kernel
from coordboost._numba.noise import normal
from coordboost.dictionaries.trees.stored import SET


@kernel
def keep_nodes(nodes, flags, m, feature, left, goes_left, gain, n_samples, scale):
    """Write the first m nodes of a tree into a row of ``Trees``: those without children are leaves; how many."""
    n_leaves = 0
    for at in range(m):
        node = nodes[at]
        inner = node.feature >= 0 and node.left < m
        gain[at], n_samples[at] = node.gain / scale / scale if inner else 0.0, node.count
        feature[at] = node.feature if inner else -1
        left[at] = node.left if inner else n_leaves
        n_leaves += 1 - inner
        if inner:
            for byte in range(SET):
                bits = 0
                for bit in range(8):
                    bits |= flags[at, 8 * byte + bit] << bit
                goes_left[at, byte] = bits
    return n_leaves


def keep(states, nodes, flags, fit, leaf, metric, v, feature, left, goes_left, values, n_leaves, gain, n_samples, j):
    """Write the tree that was grown for v into row j of ``Trees``, as a unit vector: its correlation with v, and its length as a fit.

    fit : (n_leaves,), the values of the leaves;  metric : (n_samples,) or (1,), weights, in which samples are measured one by one;
    empty where the sums of the leaves say it
    """
    state, own = states[0], values[j]
    n_leaves[j] = keep_nodes(nodes, flags, state.nodes, feature[j], left[j], goes_left[j], gain[j], n_samples[j], state.scale)
    largest = 0.0
    for one in range(state.leaves):
        largest = max(largest, abs(fit[one]))
    length = largest
    if largest == 0.0:  # nothing to fit: the constant
        largest, fit[: state.leaves] = 1.0, 1.0
    square = corr = 0.0
    if len(metric) > 0:
        for i in range(len(v)):
            value = fit[leaf[i]] / largest
            square += metric[min(i, len(metric) - 1)] * value * value
            corr += v[i] * value
    else:
        for at in range(state.nodes):
            if nodes[at].feature < 0:
                value = fit[nodes[at].leaf] / largest
                square += state.unit * nodes[at].mass * value * value
                corr += nodes[at].total / state.scale * value
    size = math.sqrt(square)
    for one in range(state.leaves):
        own[one] = fit[one] / largest / size
    return corr / size, size * length


def refit_leaves(state, nodes, leaf, l2, v, scale, key, room, values):
    """Give the tree just grown the leaves that fit `v` and white noise, as a unit vector into `values`; the length of that fit.

    The sum of a leaf is that of `v` and one normal number of standard deviation ``scale * sqrt(weight + l2)``: the sum of the noise of
    its samples, and of that of the ridge penalty, which keeps the law of Langevin boosting what it is without one.
    *Cost*: one addition for each sample.
    """
    n_leaves = state.leaves
    room[:n_leaves], values[:n_leaves] = 0.0, 0.0
    for i in range(0, len(v) - 1, 2):  # two sums for each leaf: one alone would wait for itself
        room[leaf[i]] += v[i]
        values[leaf[i + 1]] += v[i + 1]
    if len(v) & 1:
        room[leaf[len(v) - 1]] += v[len(v) - 1]
    total = square = 0.0
    for at in range(state.nodes):
        if nodes[at].feature < 0:
            weight, one = state.unit * nodes[at].mass, nodes[at].leaf
            whole = weight + l2
            fit = room[one] + values[one] + scale * math.sqrt(whole) * normal(key, one)
            room[one] = fit / whole if whole > 0.0 else 0.0
            square += weight * room[one] * room[one]
            total += weight
    length = math.sqrt(square)
    for one in range(n_leaves):  # nothing to fit: the constant
        values[one] = room[one] / length if length > 0.0 else 1.0 / math.sqrt(total)
    return length
