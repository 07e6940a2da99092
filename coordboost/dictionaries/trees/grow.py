"""Growing a tree, level by level or the largest gain first, in one call that makes no arrays."""

import math

from coordboost._crew import first_task, task_after
from coordboost._generic import leaf
from coordboost._machine import apart
from coordboost.dictionaries.trees.fixed import choose_form, count, fine_enough, mass, summed, widen
from coordboost.dictionaries.trees.histogram import where
from coordboost.dictionaries.trees.rows import all_blocks, blocks_to_move, blocks_to_name, count_before, fixed_sums
from coordboost.dictionaries.trees.search import children
from coordboost.dictionaries.trees.splits import ROUNDING, bounded, offer, rank, running
from coordboost.dictionaries.trees.tasks import COUNT, DONE, FIX, MOVE, NAME, SEARCH, share, task


@apart
def grow(binned, growth, space, target, weight, features, penalty):
    """Grow one tree for `target` and leave it in `space`.

    Each split is the one with the largest gain in its node. Trees grow level by level where `max_leaves` allows ``2^max_depth`` leaves,
    else the leaf with the largest gain is split first, so that the tree with fewer leaves is its beginning.

    Parameters
    ----------
    binned : Binned
    growth : Growth
        As its `check` returned it.
    space : Workspace
        Afterwards `leaf` (n_samples,) is the leaf of each sample, ``values[:n_leaves]`` are their values
        ``sum target / (sum weight + l2)``, moved into their bounds, and ``nodes[:count.nodes]`` is the tree: the root first, a node
        before its children, the left child just before the right one. Leaves are numbered in the order of their nodes.
    target : (n_samples,)
        Pseudo-residuals, times the weights.
    weight : (n_samples,), or (1,) for one weight of all
        Weights, or second derivatives for Newton's leaves. Not negative.
    features : int64, increasing
        The features that a split may use.
    penalty : (n_features,)
        What a split by a feature must gain in addition.

    Returns
    -------
    n_leaves : int
        0 if a number is not finite.

    Notes
    -----
    *Ties*: lowest feature, then lowest bin, then missing values on the right. *Numerics*: sums are exact sums of the targets, each
    rounded once (fixed.py): the tree is the same for any order of the rows and any number of threads.
    *Cost*: for each level one addition per feature and row of the smaller children, at the root per row.
    """
    state, crew, nodes, blocks = space.count, space.crew, space.nodes, space.blocks
    state.leaves = 0
    what, n = FIX if choose_form(space.form, target, weight) else DONE, all_blocks(state, len(target), blocks)
    while what != DONE:
        shared = state.threads > 1 and n > 1
        if shared:
            state.what = what
        k = first_task(crew, n, shared)
        while k >= 0:
            task(what, k, 0, binned, growth, space, target, weight, features, penalty)
            k = task_after(crew, n, shared, k)
        if what == FIX:
            lost, sums, tallies = fixed_sums(blocks, n)
            if fine_enough(space.form, lost, len(target)):
                plant(growth, space, len(target), sums, tallies)
                what, n = SEARCH, tasks_of_search(state, features, space.wanted)
            else:
                widen(space.form, weight)
        elif what == SEARCH and split_best(binned, growth, space, features):
            n, several = blocks_to_move(state, space.batch, nodes, blocks)
            what = COUNT if several else MOVE
        elif what == SEARCH:
            finish(space)
            what, n = NAME, blocks_to_name(state, nodes, blocks)
        elif what == COUNT:
            count_before(blocks, n)
            what = MOVE
        elif what == MOVE:
            what, n = SEARCH, tasks_of_search(state, features, space.wanted)
        else:
            what = DONE
    return state.leaves


@leaf
def tasks_of_search(state, features, wanted):
    """How many tasks a search of the new nodes is made of. Threads that help know of the features from `wanted`."""
    state.fours, n = share(len(features), state.threads)
    if state.threads > 1:
        state.features = len(features)
        for i in range(len(features)):
            wanted[i] = features[i]
    return n if state.batch else 0


@leaf
def plant(growth, space, n, sums, tallies):
    """The root of a tree, which holds n samples."""
    state, root = space.count, space.nodes[0]
    state.nodes, state.leaves, state.slots, state.batch, state.first = 1, 1, 1, 1, 0
    space.batch[0] = -1
    root.start, root.stop, root.depth, root.slot = 0, n, 0, 0
    root.low, root.high = -math.inf, math.inf
    make(growth, space, 0, sums, tallies, True)


@leaf
def make(growth, space, at, sums, tallies, may_split):
    """Fill in what a new node holds. A split of it must beat its score as a leaf by the smallest gain."""
    node, form = space.nodes[at], space.form
    node.sums, node.tallies, node.feature, node.apart, node.leaf, node.gain = sums, tallies, -1, 0, -1, 0.0
    weight = mass(form, tallies)
    node.value, node.score = bounded(1.0 * summed(form, sums), weight + growth.l2, node.low, node.high)
    enough = count(form, tallies) >= 2 * growth.min_samples and weight >= 2 * growth.min_weight
    node.open = int(may_split and enough and node.depth < growth.max_depth)
    gain = growth.min_gain * form.scale * form.scale if growth.min_gain > 0 else 0.0  # the square may be infinite
    least = node.score + max(gain, ROUNDING * abs(node.score))
    for thread in range(space.count.threads):
        best = space.candidates[thread, at]
        best.score, best.feature, best.bin = least, -1, -1


@leaf
def split_best(binned, growth, space, features):
    """Split all new nodes, or the one node with the largest gain; False where there is none to split."""
    state, nodes = space.count, space.nodes
    first, last = state.first, state.nodes
    for at in range(first, last):
        best = space.candidates[0, at]
        for thread in range(1, state.threads):
            one = space.candidates[thread, at]
            offer(best, one.score, one.feature, one.place, one.bin, one.missing_left, one.sums, one.tallies)
        nodes[at].open = int(nodes[at].open and best.feature >= 0)
    state.first, state.batch = last, 0
    if growth.max_depth < 30 and growth.max_leaves >= 1 << growth.max_depth:
        for at in range(first, last):
            if nodes[at].open:
                split(binned, growth, space, features, at)
    elif state.leaves < growth.max_leaves:
        chosen, most = -1, 0.0
        for at in range(last):
            gain = space.candidates[0, at].score - nodes[at].score
            if nodes[at].open and gain > most:
                chosen, most = at, gain
        if chosen >= 0:
            split(binned, growth, space, features, chosen)
    return state.nodes > last


@leaf
def split(binned, growth, space, features, at):
    """Give a node its two children."""
    nodes, state, form, node, best = space.nodes, space.count, space.form, space.nodes[at], space.candidates[0, at]
    node.feature, node.place, node.bin, node.missing_left = best.feature, best.place, best.bin, best.missing_left
    node.gain, node.open, node.left, node.right = best.score - node.score, 0, state.nodes, state.nodes + 1
    sort_codes(binned, growth, space, features, at)
    state.nodes += 2
    state.leaves += 1
    left, right = nodes[node.left], nodes[node.right]
    left.depth = right.depth = node.depth + 1
    left.low, left.high, right.low, right.high = node.low, node.high, node.low, node.high
    left.start, right.stop = node.start, node.stop
    left.stop = right.start = node.start + count(form, best.tallies)
    more = state.leaves < growth.max_leaves
    make(growth, space, node.left, best.sums, best.tallies, more)
    make(growth, space, node.right, node.sums - best.sums, node.tallies - best.tallies, more)
    sign = growth.monotone[node.feature] if len(growth.monotone) else 0
    if sign > 0:
        left.high = right.low = (left.value + right.value) / 2
    elif sign < 0:
        left.low = right.high = (left.value + right.value) / 2
    if left.open or right.open:
        smaller, larger = children(nodes, at)
        nodes[larger].slot, nodes[smaller].slot, node.apart = node.slot, state.slots, 1
        space.batch[state.batch] = at
        state.slots += 1
        state.batch += 1


@leaf
def sort_codes(binned, growth, space, features, at):
    """Which codes go left at a node. Codes that no row of the fit has go where missing values go, unknown categories right."""
    node, goes_left, form = space.nodes[at], space.goes_left[at], space.form
    n_bins = binned.n_bins[node.feature]
    if binned.categorical[node.feature]:
        goes_left[:] = 0
        start, stop = where(binned, space, features, node.slot, node.place)
        bins, sums, tallies = space.histograms[start:stop], space.sums[0, 0], space.tallies[0, 0]
        if form.channels == 1:
            running(bins, n_bins, sums)
            running(bins, n_bins, tallies)
        else:
            running(bins[0::2], n_bins, sums)
            running(bins[1::2], n_bins, tallies)
        rank(sums, tallies, n_bins, form, growth.l2, space.scores[0], space.order[0])
        for i in range(node.bin):
            goes_left[space.order[0, i]] = 1
    else:
        goes_left[:] = node.missing_left
        goes_left[: n_bins - (binned.missing[node.feature] >= 0)] = 0
        goes_left[: node.bin + 1] = 1


@leaf
def finish(space):
    """Number the leaves, and give nodes their values, scores and gains in units of the target."""
    nodes, state, scale = space.nodes, space.count, space.form.scale
    n_leaves = 0
    for at in range(state.nodes):
        node = nodes[at]
        node.value, node.score, node.gain = node.value / scale, node.score / scale / scale, node.gain / scale / scale
        if node.feature < 0:
            node.leaf = n_leaves
            space.values[n_leaves] = node.value
            n_leaves += 1
