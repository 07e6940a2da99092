"""Leaf values of a tree that was grown: added to a model, and fitted anew to another target, with noise."""

import math

from coordboost._generic import kernel, leaf
from coordboost._noise import normal
from coordboost._total import residual_at
from coordboost.dictionaries.trees.fixed import mass

#: Samples that are moved, and then looked at: few enough to stay in the nearest cache in between.
TOGETHER = 512


@leaf
def add_leaves(leaves, values, a, v):
    """``v += a * values[leaves]``."""
    if len(values) == 2:  # a choice of two numbers is made for many samples at once, a look at a table is not
        one, other = a * values[0], a * values[1]
        for i in range(len(leaves)):
            v[i] += other if leaves[i] else one
    else:
        for i in range(len(leaves)):
            v[i] += a * values[leaves[i]]


@kernel
def add_leaves_and_refresh(leaves, values, a, start, stop, loss, y, weight, base, pred, resid, even):
    """As `add_leaves` to `pred`, and the residual there, of the samples from `start` to `stop`.

    `even` where every weight is 1, which then need not be read. In two loops, for the compiler: what reads from a table does not become
    vectors, and it would take the residual with it.
    """
    for first in range(start, stop, TOGETHER):
        last = min(first + TOGETHER, stop)
        there, target, out, heavy = pred[first:last], y[first:last], resid[first:last], weight[first:last]
        add_leaves(leaves[first:last], values, a, there)
        for i in range(len(out)):
            out[i] = residual_at(i, loss, target, heavy, base, there, even)


@leaf
def refit_leaves(trees, space, l2, j, v, scale, key):
    """Give tree j, just grown, the leaves that fit `v` and white noise, as a unit vector; the length of that fit.

    The sum of a leaf is that of `v` and one normal number of standard deviation ``scale * sqrt(weight + l2)``: the sum of the noise of
    its samples, and of that of the ridge penalty, which keeps the law of Langevin boosting what it is without one.
    *Cost*: one addition for each sample.
    """
    values, kept, nodes, n_leaves = space.values, trees.values[j], space.nodes, trees.n_leaves[j]
    values[:n_leaves] = 0.0
    kept[:n_leaves] = 0.0
    for i in range(0, len(v) - 1, 2):  # two sums for each leaf: one alone would wait for itself
        values[space.leaf[i]] += v[i]
        kept[space.leaf[i + 1]] += v[i + 1]
    if len(v) & 1:
        values[space.leaf[len(v) - 1]] += v[len(v) - 1]
    total = square = 0.0
    for at in range(space.count.nodes):
        node = nodes[at]
        if node.feature < 0:
            weight, one = mass(space.form, node.tallies), node.leaf
            whole = weight + l2
            fit = values[one] + kept[one] + scale * math.sqrt(whole) * normal(key, one)
            values[one] = fit / whole if whole > 0.0 else 0.0
            square += weight * values[one] * values[one]
            total += weight
    length = math.sqrt(square)
    for one in range(n_leaves):  # nothing to fit: the constant
        kept[one] = values[one] / length if length > 0.0 else 1.0 / math.sqrt(total)
    return length
