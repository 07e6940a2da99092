"""Growing a tree: one compiled call.

Level by level or largest gain first, on flat arrays that are allocated once (see nodes.py).

The rows are divided into shares, one for each thread or a few. Rows of a node in a share are
consecutive. Those of its two children are written to the same place of the other buffer, those of
the right child from the end backwards::

    depth 0    rows[0]   0 1 2 3 4 5 6 7      fixed[:, 0]      the root, one share
    depth 1    rows[1]   1 2 5 7|6 4 3 0      fixed[:, 1]      its children
    depth 2    rows[0]   2 5|7 1|6 0|3 4      fixed[:, 0]      their children
    depth 3    rows[1]   ...

`fixed` holds the entries of these rows, one or two numbers each (see histogram.py). Histograms of
columns (see bundles.py) are stored in slots. A node has a slot if its best cut is searched. The
larger child inherits the slot of its parent: its histogram is the parent's minus that of the
smaller child. Threads may sum parts of the rows of a node; their sums are added.
"""

import math

import numpy as np

from coordboost._numba import inlined, kernel
from coordboost._numba.noise import ROWS, draw_limit, is_drawn, key_of, word
from coordboost._numba.sums import BLOCK
from coordboost.learners.trees.bundles import histogram_of
from coordboost.learners.trees.cuts import (
    cut_categories,
    cut_ordered,
    cut_pair,
    route_categories,
    side_score,
    smoothing_of,
    take_ordered,
)
from coordboost.learners.trees.histogram import (
    ALLOWED,
    add_consecutive,
    add_entries,
    choose_scales,
    write_entries,
    write_sizes,
)
from coordboost.learners.trees.nodes import (
    BinnedTable,
    Buffers,
    Kept,
    Limits,
    Scratch,
    SplitFeatures,
    Targets,
)
from coordboost.learners.trees.tree import Trees, keep_nodes, unit_values

#: A gain below this fraction of the score may be rounding: a score takes eight rounded operations,
#: and its sums may be off by one unit.
ROUNDING = 2.0**-45
#: Columns whose histograms are filled, and searched, while they are in the cache.
TOGETHER = 16
#: What `grow` returns if one number per sample loses too many targets (see histogram.py).
LOST = -1


def draw_rows(seed, j, share, starts, drawn, others):
    """Draw the samples of tree j, each independently with probability `share`.

    Return how many.

    starts : the number of the first row of each block of rows, see ``first_rows``
    drawn, others : (n_samples + 1,), filled with the drawn and the other samples in increasing
    order
    """
    key = key_of(seed, ROWS, j)
    limit = draw_limit(share)
    at = 0
    for i in range(len(drawn) - 1):  # no branch: it would be unpredictable
        taken = int(is_drawn(key, limit, starts[i // BLOCK] + i % BLOCK))
        drawn[at] = others[i - at] = i
        at += taken
    return at


def lone_row(seed, j, n_samples):
    """Return the number of the sample of tree j if none is drawn."""
    return np.int64(word(key_of(seed, ROWS, j), n_samples) >> np.uint64(1)) % n_samples


def find_leaves(codes, nodes, goes_left, samples, leaf):
    """Write the leaf of each of `samples`, on which the tree was not grown, into `leaf`."""
    for i in range(len(samples)):
        row = samples[i]
        at = 0
        while nodes[at].feature >= 0:
            at = nodes[at].left + 1 - goes_left[at, codes[nodes[at].feature, row]]
        leaf[row] = nodes[at].leaf


@kernel
def init_node(limits, state, node, above, depth, count, total, mass, smoothing, may_split):
    """Initialise a new node; it takes the bounds of its value from `above`."""
    weight = state.unit * mass
    whole = weight + limits.l2
    node.depth = depth
    node.count = count
    node.total = total
    node.mass = mass
    node.low = above.low
    node.high = above.high
    node.feature = -1
    node.rows_moved = 0
    node.gain = 0.0
    node.smoothing = smoothing
    node.value, node.score = side_score(float(total), whole, node.low, node.high)
    if smoothing > 0.0:
        node.value, _ = side_score(float(total), whole + smoothing, node.low, node.high)
    node.open = int(
        may_split
        and count >= 2 * limits.min_samples
        and weight >= 2 * limits.min_weight
        and depth < limits.max_depth
    )


@inlined
def init_root(limits, memory, count, total, mass):
    """Initialise the root of a tree, which holds `count` samples."""
    state = memory.states[0]
    root = memory.nodes[0]
    state.nodes = 1
    state.first = 0
    state.leaves = 1
    state.slots = 1
    root.slot = 0
    root.low = -math.inf
    root.high = math.inf
    init_node(limits, state, root, root, 0, count, total, mass, 0.0, True)


@kernel
def write_rows(memory, targets, first, step):
    """Write the rows and entries of the root, of each `step`-th share from share `first` on.

    Return the number of lost targets, and the sums of q and of the weights.
    """
    state = memory.states[0]
    fixed = memory.fixed
    ranges = memory.ranges[0]
    samples = memory.rows[0]
    drawn = targets.drawn
    count = len(targets.values)
    length = 8 * -(-count // (8 * state.shares))  # whole eights
    lost = 0
    total = 0
    mass = 0
    for share in range(first, state.shares, step):
        start = min(share * length, count)
        stop = min(start + length, count)
        ranges[share, 0] = start
        ranges[share, 1] = stop
        sums = write_entries(state, fixed, targets, start, stop)
        lost += sums[0]
        total += sums[1]
        mass += sums[2]
        number_samples(drawn, samples, start, stop)
    return lost, total, mass


@kernel
def number_samples(drawn, samples, start, stop):
    """Write the samples from `start` to `stop`: all, or those `drawn`."""
    numbered = samples[start:stop]
    for i in range(len(numbered)):  # from 0 on: an index that may be negative is slower
        numbered[i] = start + i if drawn is None else drawn[start + i]


@kernel
def by_size(nodes, left):
    """Return the smaller and the larger one of two sisters; the root twice."""
    if left == 0:
        return 0, 0
    if nodes[left + 1].count < nodes[left].count:
        return left + 1, left
    return left, left + 1


@kernel
def has_histogram(nodes, left):
    """Return whether the best cut of a node, or of its sister, is searched."""
    return nodes[left].open or (left > 0 and nodes[left + 1].open)


@kernel
def n_held(ranges, n_shares):
    """Return how many rows the shares of a node hold here."""
    total = 0
    for share in range(n_shares):
        total += ranges[share, 1] - ranges[share, 0]
    return total


@kernel
def fill_histograms(table, columns, first, last, memory, part, n_parts):
    """Fill the histograms of new nodes for ``columns[first:last]``, four at a time.

    Their codes stay in the cache for the next node.

    New nodes are the root, or pairs of children, of which the smaller one is filled. Each
    `n_parts`-th share of the rows is summed, from share `part` on.
    """
    state = memory.states[0]
    nodes = memory.nodes
    ranges = memory.ranges
    rows = memory.rows
    fixed = memory.fixed
    codes = table.columns
    eights = table.eights
    n_pairs = (state.nodes - state.first + 1) // 2
    for place in range(first, last, 4):
        for pair in range(n_pairs):
            left = state.first + 2 * pair
            if not has_histogram(nodes, left):
                continue
            at, _ = by_size(nodes, left)
            side = nodes[at].depth & 1
            holds_all = at == 0 and n_held(ranges[0], state.shares) == rows.shape[1]
            for k in range(len(fixed)):
                bins = memory.histograms[k, nodes[at].slot]
                if part > 0:
                    bins = memory.parts[k, (part - 1) * n_pairs + pair]
                bins[place : place + 4] = 0
                for share in range(part, state.shares, n_parts):
                    start = ranges[at, share, 0]
                    stop = ranges[at, share, 1]
                    if holds_all:
                        entries = fixed[k, 0, start : 8 * -(-stop // 8)]
                        add_consecutive(eights, start // 8, entries, columns, place, bins)
                    else:
                        entries = fixed[k, side, start:stop]
                        add_entries(codes, rows[side, start:stop], entries, columns, place, bins)


@kernel
def add_parts(first, last, memory, n_parts):
    """Add the sums over parts of the rows to the histograms of columns `first` to `last`."""
    state = memory.states[0]
    nodes = memory.nodes
    histograms = memory.histograms
    parts = memory.parts
    n_pairs = (state.nodes - state.first + 1) // 2
    for pair in range(n_pairs):
        left = state.first + 2 * pair
        if has_histogram(nodes, left):
            at, _ = by_size(nodes, left)
            for k in range(len(histograms)):
                for part in range(n_parts - 1):
                    for place in range(first, last):
                        bins = histograms[k, nodes[at].slot, place]
                        of_part = parts[k, part * n_pairs + pair, place]
                        for b in range(len(bins)):
                            bins[b] += of_part[b]


@kernel
def subtract_histograms(table, columns, first, last, memory):
    """Turn the histograms of parents into those of their larger children, in their slots.

    They are those of ``columns[first:last]``.
    """
    state = memory.states[0]
    nodes = memory.nodes
    histograms = memory.histograms
    n_codes = table.n_codes
    for left in range(state.first, state.nodes, 2):
        small, large = by_size(nodes, left)
        if nodes[large].open:
            for k in range(len(histograms)):
                for place in range(first, last):
                    of_smaller = histograms[k, nodes[small].slot, place]
                    of_larger = histograms[k, nodes[large].slot, place]
                    for b in range(n_codes[columns[place]]):
                        of_larger[b] -= of_smaller[b]


@kernel
def is_allowed(sets, open_sets, at, f):
    """Return whether a set contains feature f and all features on the path to a node.

    The path goes from the root to the node `at`.
    """
    if sets is None:
        return True
    allowed = False
    for k in range(sets.shape[1]):
        allowed |= (sets[f, k] & open_sets[at, k]) != 0
    return allowed


@kernel
def sign_of(monotone, f):
    """Return the monotone constraint of feature f, None if no feature has one."""
    return None if monotone is None else monotone[f]


@kernel
def find_cuts(categorical, table, limits, candidates, first, last, memory, scratch):
    """Find the best cuts of all new open nodes by the features of columns `first` to `last`."""
    state = memory.states[0]
    nodes = memory.nodes
    cuts = memory.cuts
    open_sets = memory.open_sets
    features = candidates.features
    begin = candidates.begin
    position = candidates.position
    histograms = memory.histograms
    numbers = scratch.cuts
    for at in range(state.first, state.nodes):
        node = nodes[at]
        if not node.open:
            continue
        for place in range(begin[first], begin[last]):
            f = features[place]
            cut = cuts[at, place]
            n_bins = table.n_bins[f]
            missing = table.missing[f]
            sums = histograms[0, node.slot, position[place]]
            counts = histograms[-1, node.slot, position[place]]  # the same array unless wide
            if n_bins == 1 or not is_allowed(table.sets, open_sets, at, f):
                cut.score = -math.inf
            elif categorical is not None and categorical[f]:
                cut_categories(state, sums, counts, n_bins, node, limits, scratch, cut)
            elif table.code[f] > 0:
                sign = sign_of(table.monotone, f)
                cut_pair(state, sums, counts, table.code[f], node, sign, limits, cut)
            else:
                sign = sign_of(table.monotone, f)
                cut_ordered(state, sums, counts, n_bins, missing, node, sign, limits, numbers, cut)


@inlined
def search_cuts(table, limits, candidates, first, last, memory, scratch, n_parts):
    """Find the best cuts of new nodes by the features of columns `first` to `last`.

    Their histograms are the sums over parts of the rows.
    """
    if n_parts > 1:
        add_parts(first, last, memory, n_parts)
    if memory.states[0].first > 0:
        subtract_histograms(table, candidates.columns, first, last, memory)
    find_cuts(table.categorical, table, limits, candidates, first, last, memory, scratch)


@kernel
def choose_features(limits, candidates, memory):
    """Choose the feature with the best cut of each new node; a node that gains by it stays open.

    Of features whose cuts tie, the lowest one is chosen: they are not in increasing order.
    """
    state = memory.states[0]
    nodes = memory.nodes
    cuts = memory.cuts
    features = candidates.features
    penalty = candidates.penalty
    scale = state.scale
    for at in range(state.first, state.nodes):
        node = nodes[at]
        if node.open:
            # the square may be infinite
            gain = limits.min_gain * scale * scale if limits.min_gain > 0 else 0.0
            best = node.score + max(gain, ROUNDING * abs(node.score))
            node.open = 0
            for place in range(len(features)):
                score = cuts[at, place].score - penalty[features[place]] * scale * scale
                ties = node.open and score == best and features[place] < features[node.place]
                if score > best or ties:
                    best = score
                    node.open = 1
                    node.place = place
            node.gain = best - node.score


@kernel
def is_best_first(limits):
    """Return whether the leaf with the largest gain is split first."""
    # no tree has 2^30 leaves: this keeps the shift in range
    return limits.max_depth >= 30 or limits.max_leaves < 1 << limits.max_depth


@kernel
def find_largest_gain(limits, memory):
    """Return the open node with the largest gain; the number of nodes if none may be split."""
    state = memory.states[0]
    largest_gain = 0.0
    chosen = state.nodes
    nodes = memory.nodes
    if state.leaves < limits.max_leaves:
        for at in range(state.nodes):
            if nodes[at].open and nodes[at].gain > largest_gain:
                largest_gain = nodes[at].gain
                chosen = at
    return chosen


@kernel
def write_routes(categorical, table, limits, state, node, sums, counts, scratch, cut, flags):
    """Write which codes go left in a node that is split, and the sums of its left side.

    For an ordered feature, codes that no training row has go where missing values go. Return what
    is added to l2 in the values of the children.
    """
    n_bins = table.n_bins[node.feature]
    missing = table.missing[node.feature]
    smoothing = 0.0
    if categorical is not None and categorical[node.feature]:
        route_categories(state, sums, counts, n_bins, node, limits, scratch, cut, flags)
        smoothing = smoothing_of(state, node, limits)
    else:
        take_ordered(state, sums, counts, missing, node.count, cut)
        flags[:] = cut.missing_left
        flags[: n_bins - (missing >= 0)] = 0
        flags[: cut.bin + 1] = 1
    return smoothing


@kernel
def narrow_sets(sets, open_sets, at, left, f):
    """Keep, for both children of a node split by feature f, the sets that contain f."""
    if sets is not None:
        for k in range(sets.shape[1]):
            kept = open_sets[at, k] & sets[f, k]
            open_sets[left, k] = kept
            open_sets[left + 1, k] = kept


@kernel
def bound_values(sign, left, right):
    """Bound the values of two children by their middle, if the feature is constrained."""
    if sign is not None:
        middle = (left.value + right.value) / 2
        if sign > 0:
            left.high = middle
            right.low = middle
        elif sign < 0:
            left.low = middle
            right.high = middle


@kernel
def init_children(limits, state, nodes, at, cut, smoothing):
    """Initialise the children of a node, the next two nodes; return them."""
    node = nodes[at]
    left = nodes[node.left]
    right = nodes[node.left + 1]
    depth = node.depth + 1
    may_split = state.leaves < limits.max_leaves
    total = cut.total
    mass = cut.mass
    init_node(limits, state, left, node, depth, cut.count, total, mass, smoothing, may_split)
    count = node.count - cut.count
    total = node.total - total
    mass = node.mass - mass
    init_node(limits, state, right, node, depth, count, total, mass, smoothing, may_split)
    left.parent = at
    right.parent = at
    if left.open or right.open:
        node.rows_moved = 1
        left.slot = node.slot
        right.slot = node.slot
        if left.count <= right.count:
            left.slot = state.slots
        else:
            right.slot = state.slots
        state.slots += 1
    return left, right


@inlined
def split_open(table, limits, candidates, memory, scratch, first, last):
    """Split each open node from `first` to `last` by its best cut."""
    state = memory.states[0]
    nodes = memory.nodes
    cuts = memory.cuts
    goes_left = memory.goes_left
    kinds = table.categorical
    for at in range(first, last):
        node = nodes[at]
        if node.open:
            f = candidates.features[node.place]
            cut = cuts[at, node.place]
            sums, counts = histogram_of(table, candidates, memory, node, node.place, scratch.pair)
            node.feature = f
            node.left = state.nodes
            node.open = 0
            flags = goes_left[at]
            smoothing = write_routes(
                kinds, table, limits, state, node, sums, counts, scratch, cut, flags
            )
            state.nodes += 2
            state.leaves += 1
            left, right = init_children(limits, state, nodes, at, cut, smoothing)
            narrow_sets(table.sets, memory.open_sets, at, node.left, f)
            bound_values(sign_of(table.monotone, f), left, right)


@kernel
def may_continue(limits, state, nodes):
    """Return whether there is room for more leaves, and a node that may be split."""
    if state.leaves < limits.max_leaves:
        for at in range(state.nodes):
            if nodes[at].open:
                return True
    return False


@inlined
def split_nodes(table, limits, candidates, memory, scratch):
    """Split all new nodes that gain by it, or the one node with the largest gain.

    Return whether a node may be split after these. If not, their children are leaves, whose rows
    stay where they are.
    """
    state = memory.states[0]
    nodes = memory.nodes
    choose_features(limits, candidates, memory)
    first = state.first
    last = state.nodes
    if is_best_first(limits):
        first = find_largest_gain(limits, memory)
        last = min(first + 1, last)
    state.first = state.nodes
    split_open(table, limits, candidates, memory, scratch, first, last)
    return state.nodes > state.first and may_continue(limits, state, nodes)


@inlined
def move_rows(table, memory, first, step):
    """Move the rows of the parents of new nodes, each `step`-th share from share `first` on."""
    state = memory.states[0]
    nodes = memory.nodes
    ranges = memory.ranges
    rows = memory.rows
    fixed = memory.fixed
    codes = table.codes
    goes_left = memory.goes_left
    for child in range(state.first, state.nodes, 2):
        at = nodes[child].parent
        if nodes[at].rows_moved:
            side = nodes[at].depth & 1
            code = codes[nodes[at].feature]
            for share in range(first, state.shares, step):
                start = ranges[at, share, 0]
                stop = ranges[at, share, 1]
                middle = part_rows(code, goes_left[at], rows, fixed, side, start, stop)
                ranges[child, share, 0] = start
                ranges[child, share, 1] = middle
                ranges[child + 1, share, 0] = middle
                ranges[child + 1, share, 1] = stop


@kernel
def part_rows(code, flags, rows, fixed, side, start, stop):
    """Write rows into the other buffer: those that go left first, the others after them, backwards.

    Return where these begin. There is no branch: it would be unpredictable.
    """
    wide = len(fixed) == 2
    samples = rows[side, start:stop]
    sums = fixed[0, side, start:stop]
    counts = fixed[-1, side, start:stop]
    new_samples = rows[1 - side]
    new_sums = fixed[0, 1 - side]
    new_counts = fixed[-1, 1 - side]
    left_at = start
    right_at = stop - 1
    for i in range(len(samples)):
        row = samples[i]
        left = int(flags[code[row]])
        to = left_at if left else right_at
        new_samples[to] = row
        new_sums[to] = sums[i]
        if wide:
            new_counts[to] = counts[i]
        left_at += left
        right_at -= 1 - left
    return left_at


@kernel
def leaf_value(fitted, limits):
    """Return the value of a leaf whose fitted value is S / (H + l2).

    It is ``sign(S) log(1 + C |fitted|) / C``, at most `max_delta_step`.

    If the third derivatives of the losses are at most C times the second ones, the derivative along
    the leaf is at most ``-S + H (exp(C t) - 1) / C`` after a step t > 0, so this value does not
    pass the minimum of the leaf (docs/trees.md).
    """
    damping = limits.damping
    size = abs(fitted)
    if damping > 0.0:
        size = math.log1p(damping * size) / damping
    size = min(size, limits.max_delta_step)
    return size if fitted > 0.0 else -size


@kernel
def along_tree(state, nodes, damping):
    """Return the product of the target with the leaf values, and a bound.

    The bound is the most that the derivative along the tree can rise within it.
    """
    product = 0.0
    rise = 0.0
    for at in range(state.nodes):
        if nodes[at].feature < 0:
            value = nodes[at].value
            weight = state.unit * nodes[at].mass
            growth = damping * abs(value)
            product += nodes[at].total / state.scale * value
            rise += weight * (math.expm1(growth) - growth) / (damping * damping)
    return product, rise


@kernel
def shorten(monotone, state, nodes, damping):
    """Multiply the values of a tree with monotone constraints by one factor, so that it does not
    raise the loss.

    A constraint may push a leaf past its minimum, but the loss changes by at most
    ``-product s + rise s^2`` along the share s of the tree. If the product is negative, the damping
    has turned the tree: the values of the fit, divided by the largest, are then taken instead.
    """
    if monotone is not None and damping > 0.0:
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


@inlined
def number_leaves(table, limits, memory):
    """Number the leaves in the order of their nodes, and convert their values.

    They become units of the target, as in ``leaf_value``.
    """
    state = memory.states[0]
    nodes = memory.nodes
    n_leaves = 0
    for at in range(state.nodes):
        nodes[at].value = leaf_value(nodes[at].value / state.scale, limits)
        if nodes[at].feature < 0:
            nodes[at].leaf = n_leaves
            n_leaves += 1
    shorten(table.monotone, state, nodes, limits.damping)


@kernel
def holds_leaves(nodes, at):
    """Return True for a leaf whose rows are in its own range, and for a split whose two leaves
    still share its range of rows.
    """
    if nodes[at].feature >= 0:
        return not nodes[at].rows_moved
    return at == 0 or nodes[nodes[at].parent].rows_moved == 1


@kernel
def write_leaves(table, memory, first, step):
    """Write the leaf numbers of the samples, each `step`-th share from share `first` on."""
    state = memory.states[0]
    nodes = memory.nodes
    ranges = memory.ranges
    rows = memory.rows
    leaf = memory.leaf
    codes = table.codes
    goes_left = memory.goes_left
    for at in range(state.nodes):
        if holds_leaves(nodes, at):
            node = nodes[at]
            flags = goes_left[at]
            for share in range(first, state.shares, step):
                samples = rows[node.depth & 1, ranges[at, share, 0] : ranges[at, share, 1]]
                if node.feature < 0:
                    for i in range(len(samples)):
                        leaf[samples[i]] = node.leaf
                else:
                    code = codes[node.feature]
                    left = nodes[node.left].leaf
                    right = nodes[node.left + 1].leaf
                    for i in range(len(samples)):
                        leaf[samples[i]] = left if flags[code[samples[i]]] else right


@kernel
def keep_tree(trees, kept, memory, target):
    """Store the tree; return its correlation and length, see ``unit_values``; NaN if not stored."""
    if trees is None:
        return math.nan, math.nan
    state = memory.states[0]
    nodes = memory.nodes
    keep_nodes(state, nodes, memory.goes_left, state.nodes, trees, kept.j)
    values = trees.values[kept.j]
    return unit_values(state, nodes, state.nodes, None, kept.metric, target, memory.leaf, values)


@inlined
def grow(table, limits, candidates, targets, memory, scratch, kept):
    """Grow one tree.

    Each node is split by its cut with the largest gain. Trees grow level by level if `max_leaves`
    allows ``2^max_depth`` leaves. Otherwise the leaf with the largest gain is split first, so that
    the first 2k - 1 nodes are the tree with k leaves.

    Afterwards ``memory.nodes[:state.nodes]`` is the tree: the root first, a node before its
    children, the left child just before the right one. Leaves are numbered in the order of their
    nodes; their values are ``sum target / (sum weight + l2 + smoothing)``, clipped to their bounds,
    and then as in ``leaf_value``.

    Parameters
    ----------
    table : BinnedTable
    limits : Limits
    candidates : SplitFeatures
    targets : Targets
    memory : Buffers
    scratch : Scratch
    kept : Kept

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
    state = memory.states[0]
    sizes = memory.sizes
    columns = candidates.columns
    n_samples = len(targets.values)
    state.shares = 1
    write_sizes(targets.values, targets.drawn, sizes[0], 0, 1)
    if len(targets.weight) > 1:
        write_sizes(targets.weight, targets.drawn, sizes[1], 0, 1)
    if not choose_scales(state, memory.fixed, targets, sizes):
        return 0, math.nan, math.nan
    lost, total, mass = write_rows(memory, targets, 0, 1)
    if lost * ALLOWED > n_samples:
        return LOST, math.nan, math.nan
    init_root(limits, memory, n_samples, total, mass)
    searching = True
    while searching:
        for first in range(0, len(columns), TOGETHER):
            last = min(first + TOGETHER, len(columns))
            fill_histograms(table, columns, first, last, memory, 0, 1)
            search_cuts(table, limits, candidates, first, last, memory, scratch, 1)
        searching = split_nodes(table, limits, candidates, memory, scratch)
        if searching:
            move_rows(table, memory, 0, 1)
    number_leaves(table, limits, memory)
    write_leaves(table, memory, 0, 1)
    corr, length = keep_tree(kept.trees, kept, memory, targets.values)
    return state.leaves, corr, length


def grow_from(table, limits, candidates, targets, memory, scratch, metric, trees, j):
    """Do ``grow`` from plain tuples: numba takes microseconds to recognise each named one."""
    return grow(
        BinnedTable(*table),
        Limits(*limits),
        SplitFeatures(*candidates),
        Targets(*targets),
        Buffers(*memory),
        Scratch(*scratch),
        Kept(metric, None if trees is None else Trees(*trees), j),
    )
