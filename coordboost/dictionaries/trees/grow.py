"""Growing a tree: one compiled call, level by level or the largest gain first, on flat arrays that are made once.

Rows of a node are consecutive, in the order of the samples. The two halves of a node go to the other buffer::

    depth 0    rows[0]   0 1 2 3 4 5 6 7      fixed[0]      the root
    depth 1    rows[1]   1 2 5 7|0 3 4 6      fixed[1]      its children
    depth 2    rows[0]   2 5|1 7|0 6|3 4      fixed[0]      their children
    depth 3    rows[1]   ...

`fixed` holds the entries of these rows (see whole.py). Histograms lie slot by slot. A slot belongs to a node whose split was or will be
searched for; the larger child of a node inherits the slot, its histogram is that of the node less that of the smaller child.

Arguments that are None, `categorical` and `monotone`, are left out of the code that is compiled.
"""

import math

import numpy as np

from coordboost._numba import kernel
from coordboost.dictionaries.trees.cuts import cut_categories, cut_ordered, rank, side_score, take_ordered
from coordboost.dictionaries.trees.histogram import fill_bins, subtract_bins
from coordboost.dictionaries.trees.whole import ALLOWED, choose_scales, write_entries

#: A node: how it splits, what it holds, where its rows lie.
NODE = np.dtype((np.record, [
    ("feature", "i8"),  # the feature that it is split by, -1 for a leaf
    ("place", "i8"),  # where that feature stands in the list of features
    ("parent", "i8"),
    ("left", "i8"),  # the left child; the right one is the next
    ("leaf", "i8"),  # the number of a leaf
    ("open", "i8"),  # 1 while a split of it is searched for or known
    ("apart", "i8"),  # 1 if the rows of its children lie apart
    ("depth", "i8"),
    ("start", "i8"),  # its rows: from start to stop
    ("stop", "i8"),
    ("slot", "i8"),  # where its histograms lie
    ("total", "i8"),  # sums of targets and weights, whole numbers
    ("mass", "i8"),
    ("count", "i8"),  # how many samples
    ("low", "f8"),  # bounds of its value, from monotone splits above
    ("high", "f8"),
    ("score", "f8"),  # its score as a leaf
    ("gain", "f8"),  # of its split
    ("value", "f8"),  # its value as a leaf
]))  # fmt: skip
#: What a growth counts, and how its entries are read (see whole.py).
STATE = np.dtype((np.record, [
    ("nodes", "i8"), ("first", "i8"), ("leaves", "i8"), ("slots", "i8"), ("bits", "i8"), ("scale", "f8"), ("unit", "f8"),
]))  # fmt: skip
#: A gain below this part of the score may be rounding: a score has eight rounded operations, and a step more or less in its sums.
ROUNDING = 2.0**-45
#: What `grow` returns where too many targets are lost in one number for a sample.
LOST = -1


@kernel
def make(limits, state, node, above, depth, start, count, total, mass, may_split):
    """Fill in a new node; `above` has the bounds of its value."""
    max_depth, _, min_samples, min_weight, _, l2 = limits
    weight = state.unit * mass
    node.depth, node.start, node.stop, node.count, node.total, node.mass = depth, start, start + count, count, total, mass
    node.low, node.high, node.feature, node.apart, node.gain = above.low, above.high, -1, 0, 0.0
    node.value, node.score = side_score(float(total), weight + l2, node.low, node.high)
    node.open = int(may_split and count >= 2 * min_samples and weight >= 2 * min_weight and depth < max_depth)


@kernel
def plant(limits, state, nodes, rows, total, mass):
    """The root of a tree, which holds all samples."""
    own = rows[0]
    for i in range(len(own)):
        own[i] = i
    state.nodes, state.first, state.leaves, state.slots = 1, 0, 1, 1
    nodes[0].slot, nodes[0].low, nodes[0].high = 0, -math.inf, math.inf
    make(limits, state, nodes[0], nodes[0], 0, 0, len(own), total, mass, True)


@kernel
def search(
    codes, eights, n_bins, missing, categorical, monotone, limits, features, first, last, state, nodes, cuts, histograms, rows, fixed,
    room, order,
):  # fmt: skip
    """The best cuts of all new nodes by ``features[first:last]``, four at a time: their codes are still in the cache for the next node."""
    for p in range(first, last, 4):
        top = min(p + 4, last)
        for at in range(state.first, state.nodes, 2):
            small, large = at, at if at == 0 else at + 1
            if nodes[large].count < nodes[small].count:
                small, large = large, small
            if not (nodes[small].open or nodes[large].open):
                continue
            node = nodes[small]
            side, bins, others = node.depth & 1, histograms[node.slot], histograms[nodes[large].slot]
            entries = fixed[0] if at == 0 else fixed[side, node.start : node.stop]
            fill_bins(codes, eights, rows[side, node.start : node.stop], entries, features, p, top, bins)
            for q in range(p, top):
                f = features[q]
                if small != large and nodes[large].open:
                    subtract_bins(others[q], bins[q], n_bins[f])
                for k in range(1 if small == large else 2):
                    at = large if k else small
                    node, cut, own = nodes[at], cuts[at, q], others[q] if k else bins[q]
                    if not node.open or n_bins[f] == 1:
                        cut.score = -math.inf
                    elif categorical is not None and categorical[f]:
                        cut_categories(own, n_bins[f], node, state.bits, state.unit, limits, room[0], order, cut)
                    elif monotone is None:
                        cut_ordered(own, n_bins[f], missing[f], node, None, state.bits, state.unit, limits, room, cut)
                    else:
                        cut_ordered(own, n_bins[f], missing[f], node, monotone[f], state.bits, state.unit, limits, room, cut)


@kernel
def split_best(n_bins, missing, categorical, monotone, limits, features, penalty, state, nodes, cuts, histograms, goes_left, room, order):
    """Split all new nodes that gain by it, or the one node with the largest gain; False where there is none.

    Codes that no row of the fit has go where missing values go, unknown categories right.
    """
    max_depth, max_leaves, _, _, min_gain, l2 = limits
    first, last, scale = state.first, state.nodes, state.scale
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
    if max_depth >= 30 or max_leaves < 1 << max_depth:
        most, best_of_all = 0.0, last
        for at in range(last if state.leaves < max_leaves else 0):
            if nodes[at].open and nodes[at].gain > most:
                most, best_of_all = nodes[at].gain, at
        first, last = best_of_all, min(best_of_all + 1, last)
    for at in range(first, last):
        node, cut, flags, left = nodes[at], cuts[at, nodes[at].place], goes_left[at], state.nodes
        if not node.open:
            continue
        f = features[node.place]
        node.feature, node.open, node.left = f, 0, left
        if categorical is not None and categorical[f]:
            flags[:] = 0
            rank(histograms[node.slot, node.place], n_bins[f], state.bits, state.unit, l2, room[0], order)
            for i in range(cut.bin):
                flags[order[i]] = 1
        else:
            take_ordered(histograms[node.slot, node.place], missing[f], state.bits, node.count, cut)
            flags[:] = cut.missing_left
            flags[: n_bins[f] - (missing[f] >= 0)] = 0
            flags[: cut.bin + 1] = 1
        state.nodes += 2
        state.leaves += 1
        one, other, depth, more = nodes[left], nodes[left + 1], node.depth + 1, state.leaves < max_leaves
        make(limits, state, one, node, depth, node.start, cut.count, cut.total, cut.mass, more)
        make(limits, state, other, node, depth, one.stop, node.count - cut.count, node.total - cut.total, node.mass - cut.mass, more)
        one.parent = other.parent = at
        if monotone is not None:
            if monotone[f] > 0:
                one.high = other.low = (one.value + other.value) / 2
            elif monotone[f] < 0:
                one.low = other.high = (one.value + other.value) / 2
        if one.open or other.open:
            node.apart, small_left = 1, one.count <= other.count
            one.slot, other.slot = state.slots if small_left else node.slot, node.slot if small_left else state.slots
            state.slots += 1
    return state.nodes > state.first


@kernel
def move_rows(codes, nodes, goes_left, rows, fixed, at, first, last, one, other):
    """The rows of a node from `first` to `last` go to its children in the other buffer: to `one` on if they go left, else to `other` on.

    Two cursors, no branch: how many rows go left is known from the histogram, so both children are written at once.
    """
    node, flags = nodes[at], goes_left[at]
    side = node.depth & 1
    own, some, entries = codes[node.feature], rows[side, first:last], fixed[side, first:last]
    out, out_entries = rows[1 - side], fixed[1 - side]
    if fixed.ndim == 2:  # (side, sample): one number for each
        for i in range(len(some)):
            row = some[i]
            left = int(flags[own[row]])
            to = one if left else other
            out[to], out_entries[to] = row, entries[i]
            one += left
            other += 1 - left
    else:
        for i in range(len(some)):
            row = some[i]
            left = int(flags[own[row]])
            to = one if left else other
            out[to], out_entries[to, 0], out_entries[to, 1] = row, entries[i, 0], entries[i, 1]
            one += left
            other += 1 - left


@kernel
def count_left(codes, nodes, goes_left, rows, at, first, last):
    """How many of the rows of a node from `first` to `last` go left."""
    own, flags, side, total = codes[nodes[at].feature], goes_left[at], nodes[at].depth & 1, 0
    for i in range(first, last):
        total += int(flags[own[rows[side, i]]])
    return total


@kernel
def finish(state, nodes, values):
    """Number the leaves, in the order of their nodes, and take their values in units of the target."""
    n_leaves = 0
    for at in range(state.nodes):
        nodes[at].value /= state.scale
        if nodes[at].feature < 0:
            nodes[at].leaf, values[n_leaves] = n_leaves, nodes[at].value
            n_leaves += 1


@kernel
def has_names(nodes, at):
    """Whether the leaves of a node's rows are written from here: those of a leaf that lie apart, and of two leaves that do not."""
    if nodes[at].feature >= 0:
        return not nodes[at].apart
    return at == 0 or nodes[nodes[at].parent].apart == 1


@kernel
def name_leaves(codes, nodes, goes_left, rows, leaf, at, first, last):
    """Say of the rows of a node from `first` to `last` in which leaf they are."""
    node, flags = nodes[at], goes_left[at]
    some = rows[node.depth & 1, first:last]
    if node.feature < 0 and at == 0:
        leaf[first:last] = 0
    elif node.feature < 0:
        for i in range(len(some)):
            leaf[some[i]] = node.leaf
    else:
        own, one, other = codes[node.feature], nodes[node.left].leaf, nodes[node.left + 1].leaf
        if at == 0:
            own, leaf = own[first:last], leaf[first:last]
            for i in range(len(leaf)):
                leaf[i] = one if flags[own[i]] else other
        else:
            for i in range(len(some)):
                leaf[some[i]] = one if flags[own[some[i]]] else other


def grow(
    codes, eights, n_bins, missing, categorical, monotone, limits, features, penalty, target, weight, states, nodes, cuts, histograms, rows,
    fixed, goes_left, leaf, values, room, order,
):  # fmt: skip
    """Grow one tree for `target`: how many leaves it has; 0 if a number is not finite, `LOST` if a sample needs two numbers.

    Each split is the one with the largest gain in its node. Trees grow level by level where `max_leaves` allows ``2^max_depth`` leaves,
    else the leaf with the largest gain is split first, so that the tree with fewer leaves is its beginning.

    Parameters
    ----------
    codes : uint8 (n_features, n_padded)
        Bins, padded to a multiple of eight samples; `eights` is the same memory as uint64.
    n_bins, missing, categorical, monotone : int64 (n_features,)
        As in ``Binned`` and ``Growth``; the last two None where no feature has categories, or a direction.
    limits : tuple
        The first six fields of a checked ``Growth``.
    features : int64, increasing
        The features that a split may use.
    penalty : (n_features,)
        What a split by a feature must gain in addition.
    target : (n_samples,)
        Pseudo-residuals, times the weights.
    weight : (n_samples,), or (1,) for one weight of all
        Weights, or second derivatives for Newton's leaves. Not negative.
    states, nodes, ... :
        Memory of a ``Grower``; `states` has one, the state. Afterwards `leaf` (n_samples,) is the leaf of each sample,
        ``values[:n_leaves]`` are their values ``sum target / (sum weight + l2)``, moved into their bounds, and ``nodes[:state.nodes]`` is
        the tree: the root first, a node before its children, the left child just before the right one. Leaves are numbered in the order of
        their nodes.

    Notes
    -----
    *Ties*: lowest feature, then lowest bin, then missing values on the right. *Numerics*: sums are exact sums of the targets, each
    rounded once (whole.py): the tree is the same for any order of the rows and any number of threads.
    *Cost*: for each level one addition per feature and row of the smaller children, at the root per row.
    """
    n, state = len(target), states[0]
    if not choose_scales(state, fixed[0], target, weight):
        return 0
    lost, total, mass = write_entries(fixed[0, :n], target, weight, state.bits, state.scale, state.unit)
    if lost * ALLOWED > n:
        return LOST
    plant(limits, state, nodes, rows, total, mass)
    while True:
        search(
            codes, eights, n_bins, missing, categorical, monotone, limits, features, 0, len(features), state, nodes, cuts, histograms, rows,
            fixed, room, order,
        )  # fmt: skip
        if not split_best(
            n_bins, missing, categorical, monotone, limits, features, penalty, state, nodes, cuts, histograms, goes_left, room, order
        ):
            break
        for child in range(state.first, state.nodes, 2):
            at = nodes[child].parent
            if nodes[at].apart:
                move_rows(codes, nodes, goes_left, rows, fixed, at, nodes[at].start, nodes[at].stop, nodes[at].start, nodes[child].stop)
    finish(state, nodes, values)
    for at in range(state.nodes):
        if has_names(nodes, at):
            name_leaves(codes, nodes, goes_left, rows, leaf, at, nodes[at].start, nodes[at].stop)
    return state.leaves
