"""What is kept of a tree that was grown: its nodes, and its length as a fit."""

from coordboost._generic import leaf
from coordboost.dictionaries.trees.fixed import mass, summed
from coordboost.dictionaries.trees.stored import SET


@leaf
def keep(trees, space, j, m):
    """Write the tree that was grown into row j, but for its values: its first m nodes, of which those without children are leaves."""
    feature, left, goes_left, nodes, n_leaves = trees.feature[j], trees.left[j], trees.goes_left[j], space.nodes, 0
    for at in range(m):
        node = nodes[at]
        inner = node.feature >= 0 and node.left < m
        trees.gain[j, at], trees.n_samples[j, at] = node.gain if inner else 0.0, node.stop - node.start
        feature[at] = node.feature if inner else -1
        left[at] = node.left if inner else n_leaves
        n_leaves += 1 - inner
        if inner:
            members, flags = goes_left[at], space.goes_left[at]
            for byte in range(SET):
                bits = 0
                for bit in range(8):
                    bits |= flags[8 * byte + bit] << bit
                members[byte] = bits
    trees.n_leaves[j] = n_leaves


@leaf
def measured_by_leaves(space, by):
    """Squared norm of the fit, and its product with the target, from the sums of the leaves; the fit divided by `by`."""
    square, corr, form = 0.0, 0.0, space.form
    for at in range(space.count.nodes):
        node = space.nodes[at]
        if node.feature < 0:
            value = space.values[node.leaf] / by
            square += mass(form, node.tallies) * value * value
            corr += summed(form, node.sums) / form.scale * value
    return square, corr


@leaf
def measured_by_samples(space, weight, v, by):
    """The same from the samples, in the metric of their weights."""
    square, corr, last = 0.0, 0.0, len(weight) - 1
    for i in range(len(v)):
        value = space.values[space.leaf[i]] / by
        square += weight[min(i, last)] * value * value
        corr += v[i] * value
    return square, corr
