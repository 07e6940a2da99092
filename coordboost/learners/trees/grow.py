"""Growing a tree: one compiled call.

Level by level or largest gain first, on flat arrays that are allocated once.

Rows of a node are consecutive, in the order of the samples. The rows of its two children are
written to the other buffer::

    depth 0    rows[0]   0 1 2 3 4 5 6 7      fixed[:, 0]      the root
    depth 1    rows[1]   1 2 5 7|0 3 4 6      fixed[:, 1]      its children
    depth 2    rows[0]   2 5|1 7|0 6|3 4      fixed[:, 0]      their children
    depth 3    rows[1]   ...

`fixed` holds the entries of these rows, one or two numbers each (see histogram.py). Histograms are
stored in slots. A node has a slot if its best cut is searched. The larger child inherits the slot
of its parent: its histogram is the parent's minus that of the smaller child.

If `categorical`, `monotone`, `sets` or `drawn` is None, the code that uses it is not compiled.
"""

import math

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.noise import ROWS, key_of, word
from coordboost.learners.trees.cuts import (
    cut_categories,
    cut_ordered,
    rank,
    side_score,
    take_ordered,
)
from coordboost.learners.trees.histogram import ALLOWED, choose_scales, fill_bins, write_entries
from coordboost.learners.trees.tree import keep_nodes, unit_values

#: A node.
#:
#:     feature       the feature that it is split by, -1 for a leaf
#:     place         the position of that feature in the list of features that a split may use
#:     parent        its parent
#:     left          its left child; the right one is the next node
#:     leaf          the number of a leaf; leaves are numbered from 0 in the order of the nodes
#:     open          1 while it may be split: its best cut is being searched, or is known but not
#:                   made
#:     rows_moved    1 if its rows were moved to the ranges of its children; not done if neither
#:                   child is searched
#:     depth         0 for the root
#:     start, stop   its rows are ``rows[depth & 1, start:stop]``, if its parent's rows were moved
#:     slot          its histograms are ``histograms[:, slot]``
#:     total         the sum of its targets, an integer (see histogram.py)
#:     mass          the sum of its weights, an integer
#:     count         its number of samples
#:     low, high     bounds of its value, from monotone splits above
#:     score         its score as a leaf (see cuts.py)
#:     gain          the score of its best cut, less penalties and `score`
#:     value         its value as a leaf
NODE = np.dtype(
    (
        np.record,
        [
            ("feature", "i8"),
            ("place", "i8"),
            ("parent", "i8"),
            ("left", "i8"),
            ("leaf", "i8"),
            ("open", "i8"),
            ("rows_moved", "i8"),
            ("depth", "i8"),
            ("start", "i8"),
            ("stop", "i8"),
            ("slot", "i8"),
            ("total", "i8"),
            ("mass", "i8"),
            ("count", "i8"),
            ("low", "f8"),
            ("high", "f8"),
            ("score", "f8"),
            ("gain", "f8"),
            ("value", "f8"),
        ],
    )
)
#: The state of a growth: counters, and the format of the entries (see histogram.py).
#:
#:     nodes         number of nodes
#:     first         the first of the new nodes, whose best cuts are not known yet
#:     leaves        number of leaves
#:     slots         number of slots of histograms in use
#:     wide          1 if an entry is two numbers, 0 if it is one
#:     bits          number of bits of an entry that count samples
#:     scale         targets are multiplied by it
#:     unit          weights are whole multiples of it
STATE = np.dtype(
    (
        np.record,
        [
            ("nodes", "i8"),
            ("first", "i8"),
            ("leaves", "i8"),
            ("slots", "i8"),
            ("wide", "i8"),
            ("bits", "i8"),
            ("scale", "f8"),
            ("unit", "f8"),
        ],
    )
)
#: A gain below this fraction of the score may be rounding: a score takes eight rounded operations,
#: and its sums may be off by one unit.
ROUNDING = 2.0**-45
#: What `grow` returns if one number per sample loses too many targets (see histogram.py).
LOST = -1


def draw_rows(seed, j, share, n_samples, drawn, others):
    """Draw the samples of tree j, each independently with probability `share`.

    Return how many, at least one.

    drawn, others : (n_samples + 1,), filled with the drawn and the other samples in increasing
    order
    """
    key = key_of(seed, ROWS, j)
    least = np.int64(math.ceil(share * 2.0**32))
    at = 0
    for i in range(n_samples):  # no branch: it would be unpredictable
        bits = word(key, i >> 1)
        taken = int(
            np.int64((bits >> np.uint64(32) if i & 1 else bits) & np.uint64(0xFFFFFFFF)) < least
        )
        drawn[at] = others[i - at] = i
        at += taken
    if at == 0:
        drawn[0], at = np.int64(word(key, n_samples) >> np.uint64(1)) % n_samples, 1
    return at


def find_leaves(codes, nodes, goes_left, samples, leaf):
    """Write the leaf of each of `samples`, on which the tree was not grown, into `leaf`."""
    for i in range(len(samples)):
        row = samples[i]
        at = 0
        while nodes[at].feature >= 0:
            at = nodes[at].left + 1 - goes_left[at, codes[nodes[at].feature, row]]
        leaf[row] = nodes[at].leaf


@kernel
def init_node(limits, state, node, above, depth, start, count, total, mass, may_split):
    """Initialise a new node; it takes the bounds of its value from `above`."""
    max_depth, _, min_samples, min_weight, _, l2 = limits
    weight = state.unit * mass
    node.depth, node.start, node.stop, node.count, node.total, node.mass = (
        depth,
        start,
        start + count,
        count,
        total,
        mass,
    )
    node.low, node.high, node.feature, node.rows_moved, node.gain = (
        above.low,
        above.high,
        -1,
        0,
        0.0,
    )
    node.value, node.score = side_score(float(total), weight + l2, node.low, node.high)
    node.open = int(
        may_split and count >= 2 * min_samples and weight >= 2 * min_weight and depth < max_depth
    )


@kernel
def init_root(limits, state, nodes, rows, drawn, count, total, mass):
    """Initialise the root of a tree, which holds `count` samples: all, or those `drawn`."""
    for i in range(count):
        rows[0, i] = i if drawn is None else drawn[i]
    state.nodes, state.first, state.leaves, state.slots = 1, 0, 1, 1
    nodes[0].slot, nodes[0].low, nodes[0].high = 0, -math.inf, math.inf
    init_node(limits, state, nodes[0], nodes[0], 0, 0, count, total, mass, True)


@kernel
def is_allowed(sets, at, f):
    """Return whether a set contains feature f and all features on the path to a node.

    The path goes from the root to the node `at`.
    """
    mask, held = sets
    found = False
    for k in range(mask.shape[1]):
        found |= (mask[f, k] & held[at, k]) != 0
    return found


@kernel
def search(
    table, categorical, monotone, sets, limits, features, first, last, state, memory, scratch, order
):
    """Find the best cuts of all new nodes by ``features[first:last]``, four at a time.

    Their codes stay in the cache for the next node.

    New nodes are the root, or pairs of children. The histogram of the smaller child is filled, that
    of the larger one is a difference.
    """
    (codes, eights, n_bins, missing), (nodes, cuts, histograms, rows, fixed, _) = table, memory
    for p in range(first, last, 4):
        for left in range(state.first, state.nodes, 2):
            small = left
            large = left if left == 0 else left + 1
            if nodes[large].count < nodes[small].count:
                small, large = large, small
            if not (nodes[small].open or nodes[large].open):
                continue
            smaller = nodes[small]
            side = nodes[small].depth & 1
            for k in range(len(fixed)):
                entries = (
                    fixed[k, 0]
                    if smaller.count == rows.shape[1]
                    else fixed[k, side, smaller.start : smaller.stop]
                )
                fill_bins(
                    codes,
                    eights,
                    rows[side, smaller.start : smaller.stop],
                    entries,
                    features,
                    p,
                    histograms[k, smaller.slot],
                )
            for q in range(p, min(p + 4, last)):
                f = features[q]
                # its slot still holds the parent's histogram
                if small != large and nodes[large].open:
                    for k in range(len(fixed)):
                        of_smaller = histograms[k, smaller.slot, q]
                        of_larger = histograms[k, nodes[large].slot, q]
                        for b in range(n_bins[f]):
                            of_larger[b] -= of_smaller[b]
                for each in range(1 if small == large else 2):
                    child = large if each else small
                    node = nodes[child]
                    cut = cuts[child, q]
                    # the same array unless wide
                    sums, counts = (histograms[0, node.slot, q], histograms[-1, node.slot, q])
                    if (
                        not node.open
                        or n_bins[f] == 1
                        or (sets is not None and not is_allowed(sets, child, f))
                    ):
                        cut.score = -math.inf
                    elif categorical is not None and categorical[f]:
                        cut_categories(
                            state, sums, counts, n_bins[f], node, limits, scratch[0], order, cut
                        )
                    elif monotone is None:
                        cut_ordered(
                            state,
                            sums,
                            counts,
                            n_bins[f],
                            missing[f],
                            node,
                            None,
                            limits,
                            scratch,
                            cut,
                        )
                    else:
                        cut_ordered(
                            state,
                            sums,
                            counts,
                            n_bins[f],
                            missing[f],
                            node,
                            monotone[f],
                            limits,
                            scratch,
                            cut,
                        )


@kernel
def split_best(
    table, categorical, monotone, sets, limits, features, penalty, state, memory, scratch, order
):
    """Split all new nodes that gain by it, or the one node with the largest gain.

    Return False if there is none.

    For an ordered feature, codes that no training row has go where missing values go. A category
    without rows in the node goes to the larger child, of two equal ones to that of the first level.
    """
    max_depth, max_leaves, _, _, min_gain, l2 = limits
    (_, _, n_bins, missing), (nodes, cuts, histograms, _, _, goes_left) = table, memory
    first = state.first
    last = state.nodes
    scale = state.scale
    state.first = last
    for at in range(first, last):
        node = nodes[at]
        if node.open:
            gain = min_gain * scale * scale if min_gain > 0 else 0.0  # the square may be infinite
            best, node.open = node.score + max(gain, ROUNDING * abs(node.score)), 0
            for place in range(len(features)):
                score = cuts[at, place].score - penalty[features[place]] * scale * scale
                if score > best:
                    best, node.open, node.place = score, 1, place
            node.gain = best - node.score
    # no tree has 2^30 leaves: this keeps the shift in range
    best_first = max_depth >= 30 or max_leaves < 1 << max_depth
    if best_first:
        largest_gain, chosen = 0.0, last
        for at in range(last if state.leaves < max_leaves else 0):
            if nodes[at].open and nodes[at].gain > largest_gain:
                largest_gain = nodes[at].gain
                chosen = at
        first = chosen
        last = min(chosen + 1, last)
    for at in range(first, last):
        node = nodes[at]
        cut = cuts[at, nodes[at].place]
        flags = goes_left[at]
        left = state.nodes
        if not node.open:
            continue
        f = features[node.place]
        sums = histograms[0, node.slot, node.place]
        counts = histograms[-1, node.slot, node.place]
        node.feature, node.open, node.left = f, 0, left
        if categorical is not None and categorical[f]:
            n_levels = rank(state, sums, counts, n_bins[f], l2, scratch[0], order)
            lowest = 0
            for i in range(n_levels):
                if order[i] < order[lowest]:
                    lowest = i
            larger = 2 * cut.count - node.count
            flags[:] = int(larger > 0 or (larger == 0 and lowest < cut.bin))
            for i in range(n_levels):
                flags[order[i]] = int(i < cut.bin)
        else:
            take_ordered(state, sums, counts, missing[f], node.count, cut)
            flags[:] = cut.missing_left
            flags[: n_bins[f] - (missing[f] >= 0)] = 0
            flags[: cut.bin + 1] = 1
        state.nodes += 2
        state.leaves += 1
        left_child = nodes[left]
        right_child = nodes[left + 1]
        depth = node.depth + 1
        may_split = state.leaves < max_leaves
        total = node.total - cut.total
        mass = node.mass - cut.mass
        count = node.count - cut.count
        init_node(
            limits,
            state,
            left_child,
            node,
            depth,
            node.start,
            cut.count,
            cut.total,
            cut.mass,
            may_split,
        )
        init_node(
            limits, state, right_child, node, depth, left_child.stop, count, total, mass, may_split
        )
        left_child.parent = right_child.parent = at
        if sets is not None:
            mask, held = sets
            for k in range(mask.shape[1]):
                held[left, k] = held[left + 1, k] = held[at, k] & mask[f, k]
        if monotone is not None:
            if monotone[f] > 0:
                left_child.high = right_child.low = (left_child.value + right_child.value) / 2
            elif monotone[f] < 0:
                left_child.low = right_child.high = (left_child.value + right_child.value) / 2
        if left_child.open or right_child.open:
            node.rows_moved, small_left = 1, left_child.count <= right_child.count
            left_child.slot, right_child.slot = (
                (state.slots, node.slot) if small_left else (node.slot, state.slots)
            )
            state.slots += 1
    return state.nodes > state.first


@kernel
def move_rows(codes, nodes, rows, fixed, goes_left, at, first, last, left_at, right_at):
    """Write rows `first` to `last` of a node into the other buffer.

    Those that go left from `left_at` on, the others from `right_at` on.

    The histogram tells how many rows go left, so both children are written in one pass, without a
    branch.
    """
    side = nodes[at].depth & 1
    code = codes[nodes[at].feature]
    flags = goes_left[at]
    wide = len(fixed) == 2
    samples = rows[side, first:last]
    sums = fixed[0, side, first:last]
    counts = fixed[-1, side, first:last]
    new_samples = rows[1 - side]
    new_sums = fixed[0, 1 - side]
    new_counts = fixed[-1, 1 - side]
    for i in range(len(samples)):
        row = samples[i]
        left = int(flags[code[row]])
        to = left_at if left else right_at
        new_samples[to], new_sums[to] = row, sums[i]
        if wide:
            new_counts[to] = counts[i]
        left_at += left
        right_at += 1 - left


@kernel
def count_left(codes, nodes, rows, goes_left, at, first, last):
    """Return how many of the rows `first` to `last` of a node go left."""
    code = codes[nodes[at].feature]
    flags = goes_left[at]
    side = nodes[at].depth & 1
    n_left = 0
    for i in range(first, last):
        n_left += int(flags[code[rows[side, i]]])
    return n_left


@kernel
def leaf_value(fitted, bounds):
    """Return the value of a leaf whose fitted value is S / (H + l2).

    It is ``sign(S) log(1 + C |fitted|) / C``, at most `max_delta_step`.

    If the third derivatives of the losses are at most C times the second ones, the derivative along
    the leaf is at most ``-S + H (exp(C t) - 1) / C`` after a step t > 0, so this value does not
    pass the minimum of the leaf (docs/trees.md).
    """
    damping, max_delta_step = bounds
    size = abs(fitted)
    if damping > 0.0:
        size = math.log1p(damping * size) / damping
    size = min(size, max_delta_step)
    return size if fitted > 0.0 else -size


@kernel
def finish(state, nodes, bounds):
    """Number the leaves in the order of their nodes, and convert their values.

    They become units of the target, within `bounds`.
    """
    n_leaves = 0
    for at in range(state.nodes):
        nodes[at].value = leaf_value(nodes[at].value / state.scale, bounds)
        if nodes[at].feature < 0:
            nodes[at].leaf = n_leaves
            n_leaves += 1


@kernel
def along_tree(state, nodes, damping):
    """Return the product of the target with the leaf values, and a bound.

    The bound is the most that the derivative along the tree can rise within it.
    """
    product = rise = 0.0
    for at in range(state.nodes):
        if nodes[at].feature < 0:
            value = nodes[at].value
            weight = state.unit * nodes[at].mass
            growth = damping * abs(value)
            product += nodes[at].total / state.scale * value
            rise += weight * (math.expm1(growth) - growth) / (damping * damping)
    return product, rise


@kernel
def shorten(state, nodes, bounds):
    """Multiply the values of a tree with monotone constraints by one factor.

    Then the tree does not raise the loss.

    A constraint may push a leaf past its minimum, but the loss changes by at most
    ``-product s + rise s^2`` along the share s of the tree. If the product is negative, the damping
    has turned the tree: the values of the fit, divided by the largest, are then taken instead.
    """
    damping, _ = bounds
    if damping > 0.0:
        product, rise = along_tree(state, nodes, damping)
        if product < 0.0:
            largest = 0.0
            for at in range(state.nodes):
                largest = max(largest, damping * abs(nodes[at].value))
            for at in range(state.nodes):
                size = math.expm1(damping * abs(nodes[at].value)) * math.exp(-largest) / damping
                nodes[at].value = size if nodes[at].value > 0.0 else -size
            product, rise = along_tree(state, nodes, damping)
        share = min(1.0, max(product, 0.0) / rise) if rise > 0.0 else 1.0
        for at in range(state.nodes):
            nodes[at].value *= share


@kernel
def writes_leaves(nodes, at):
    """Return True for a leaf whose rows are in its own range.

    And for a split whose two leaves still share its range of rows.
    """
    if nodes[at].feature >= 0:
        return not nodes[at].rows_moved
    return at == 0 or nodes[nodes[at].parent].rows_moved == 1


@kernel
def write_leaves(codes, nodes, rows, goes_left, leaf, at, first, last):
    """Write the leaf numbers of the rows `first` to `last` of a node into `leaf`."""
    node = nodes[at]
    flags = goes_left[at]
    samples = rows[nodes[at].depth & 1, first:last]
    if node.feature < 0:
        for i in range(len(samples)):
            leaf[samples[i]] = node.leaf
    else:
        code = codes[node.feature]
        left_leaf = nodes[node.left].leaf
        right_leaf = nodes[node.left + 1].leaf
        for i in range(len(samples)):
            leaf[samples[i]] = left_leaf if flags[code[samples[i]]] else right_leaf


def grow(
    table,
    categorical,
    monotone,
    sets,
    limits,
    features,
    penalty,
    target,
    weight,
    states,
    memory,
    scratch,
    order,
    leaf,
    bounds,
    metric,
    trees,
    j,
    drawn,
):
    """Grow one tree for `target`.

    Each node is split by its cut with the largest gain. Trees grow level by level if `max_leaves`
    allows ``2^max_depth`` leaves. Otherwise the leaf with the largest gain is split first, so that
    the first 2k - 1 nodes are the tree with k leaves.

    Parameters
    ----------
    table : tuple
        codes, uint8 (n_features, n_padded), padded to a multiple of eight samples; the same memory
        as uint64; n_bins and missing as in ``Binned``.
    categorical, monotone : int64 (n_features,), or None
        As in ``Binned`` and ``Growth``; None if no feature is categorical, or constrained.
    sets : tuple, or None
        Which features may occur together on a path from the root to a leaf: bits of the sets that
        contain each feature, int64 (n_features, n_words), and memory for the sets that a node may
        still use, (2 max_leaves, n_words), all bits set in row 0.
    limits : tuple
        The first six fields of a checked ``Growth``.
    features : int64, increasing
        The features that a split may use.
    penalty : (n_features,)
        The additional gain required for a split by each feature.
    target : (n_samples,), or (n_drawn,)
        Pseudo-residuals, times the weights.
    weight : as `target`, or (1,) for one common weight
        Weights, or second derivatives for Newton's leaf values. Not negative.
    states : STATE (1,)
        The state of the growth.
    memory : tuple
        Arrays that a ``Grower`` reuses for all trees, with one or two numbers per sample:

        - nodes, NODE (2 max_leaves,). Afterwards ``nodes[:state.nodes]`` is the tree: the root
          first, a node before its children, the left child just before the right one. Leaves are
          numbered in the order of their nodes; their values are ``sum target / (sum weight + l2)``,
          clipped to their bounds, and then as in ``leaf_value``;
        - cuts, CUT (2 max_leaves, n_features): the best cut of a node by ``features[place]``;
        - histograms, int64 (1 or 2, n_slots, n_features or a few more, maximum number of bins);
        - rows, uint32 (2, n_samples), the two buffers of rows;
        - fixed, int64 (1 or 2, 2, n_padded), their entries;
        - goes_left, uint8 (2 max_leaves, 256): 1 if the rows of a node with this code go left.
    scratch, order : (SCRATCH_ROWS, 256), int64 (256,)
        Scratch memory: numbers for each cut of a feature, and its categories sorted by their means.
    leaf : (n_samples,)
        Receives the leaf of each sample.
    bounds : tuple
        The fields damping and max_delta_step of a checked ``Growth``.
    metric, trees, j :
        The tree is stored in row j of `trees` as a unit vector, see ``unit_values``; not stored if
        `trees` is None.
    drawn : uint32 (n_drawn,), or None
        The samples on which the tree is grown, if not all, increasing; None for all.

    Returns
    -------
    n_leaves : int
        Number of leaves; 0 if a number is not finite, `LOST` if two numbers per sample are needed.
    corr, length : float
        See ``unit_values``; NaN if the tree is not stored.

    Notes
    -----
    *Ties*: lowest feature, then lowest bin, then missing values on the right. *Numerics*: each
    target is rounded once (histogram.py), and sums are exact: the tree is the same for any order of
    the rows and any number of threads. *Cost*: per level, one addition for each feature and each
    row of the smaller children; at the root, for each row.
    """
    state, codes, (nodes, _, _, rows, fixed, goes_left), corr, length = (
        states[0],
        table[0],
        memory,
        math.nan,
        math.nan,
    )
    if not choose_scales(state, fixed, target, weight):
        return 0, corr, length
    lost, total, mass = write_entries(state, fixed, target, weight, 0)
    if lost * ALLOWED > len(target):
        return LOST, corr, length
    init_root(limits, state, nodes, rows, drawn, len(target), total, mass)
    while True:
        search(
            table,
            categorical,
            monotone,
            sets,
            limits,
            features,
            0,
            len(features),
            state,
            memory,
            scratch,
            order,
        )
        if not split_best(
            table,
            categorical,
            monotone,
            sets,
            limits,
            features,
            penalty,
            state,
            memory,
            scratch,
            order,
        ):
            break
        for left in range(state.first, state.nodes, 2):
            at = nodes[left].parent
            if nodes[at].rows_moved:
                move_rows(
                    codes,
                    nodes,
                    rows,
                    fixed,
                    goes_left,
                    at,
                    nodes[at].start,
                    nodes[at].stop,
                    nodes[at].start,
                    nodes[left].stop,
                )
    finish(state, nodes, bounds)
    if monotone is not None:
        shorten(state, nodes, bounds)
    for at in range(state.nodes):
        if writes_leaves(nodes, at):
            write_leaves(codes, nodes, rows, goes_left, leaf, at, nodes[at].start, nodes[at].stop)
    if trees is not None:
        keep_nodes(state, nodes, goes_left, state.nodes, trees, j)
        corr, length = unit_values(
            state, nodes, state.nodes, None, metric, target, leaf, trees[3][j]
        )
    return state.leaves, corr, length
