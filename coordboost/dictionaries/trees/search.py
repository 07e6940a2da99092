"""The search of a level: for four features at a time, build the histograms of all smaller children, subtract, and scan both.

Its parts are inlined: calls for every feature, with every array of the workspace, took as long as the work on a thousand samples.
"""

import math

from coordboost._generic import inlined, leaf
from coordboost.dictionaries.trees.histogram import fill, where
from coordboost.dictionaries.trees.splits import bounded_splits, category_splits, free_splits, running, running_pair


@leaf
def search(binned, growth, space, features, penalty, thread, first, last):
    """Look for splits of the new nodes by up to four features, ``features[first:last]``; the best go to ``candidates[thread]``."""
    for i in range(space.count.batch):
        smaller, larger = children(space.nodes, space.batch[i])
        fill(binned, space, features, first, last, space.nodes[smaller])
        for place in range(first, last):
            run(binned, space, features, thread, place, smaller, larger)
            for side in range(2):
                at = larger if side else smaller
                if at >= 0 and space.nodes[at].open:
                    scan_feature(binned, growth, space, features, penalty, thread, place, side, at)


@inlined
def children(nodes, parent):
    """The child of a node with fewer rows, the left one if both have as many, and the other. Of -1: the root alone."""
    if parent < 0:
        return 0, -1
    left, right = nodes[parent].left, nodes[parent].right
    if nodes[left].stop - nodes[left].start <= nodes[right].stop - nodes[right].start:
        return left, right
    return right, left


@inlined
def run(binned, space, features, thread, place, smaller, larger):
    """The running sums of the children, in ``sums[thread]`` and, where there are two channels, ``tallies[thread]``."""
    at, end = where(binned, space, features, space.nodes[smaller].slot, place)
    bins, sums, tallies = space.histograms[at:end], space.sums[thread], space.tallies[thread]
    n, width = binned.n_bins[features[place]], space.form.channels
    if larger >= 0 and space.nodes[larger].open:
        at, end = where(binned, space, features, space.nodes[larger].slot, place)
        others = space.histograms[at:end]
        if width == 1:
            running_pair(others, bins, n, sums[1], sums[0])
        else:
            running_pair(others[0::2], bins[0::2], n, sums[1], sums[0])
            running_pair(others[1::2], bins[1::2], n, tallies[1], tallies[0])
    elif width == 1:
        running(bins, n, sums[0])
    else:
        running(bins[0::2], n, sums[0])
        running(bins[1::2], n, tallies[0])


@inlined
def scan_feature(binned, growth, space, features, penalty, thread, place, side, at):
    """Offer the best split of a node by ``features[place]``."""
    feature, node, form, best = features[place], space.nodes[at], space.form, space.candidates[thread, at]
    n_bins, missing = binned.n_bins[feature], binned.missing[feature]
    if n_bins == 1:
        return
    sums = space.sums[thread, side]
    tallies = sums if form.channels == 1 else space.tallies[thread, side]
    limits = growth.min_samples, growth.min_weight, growth.l2
    fee = penalty[feature] * form.scale * form.scale
    sign = growth.monotone[feature] if len(growth.monotone) else 0
    scores = space.scores[thread]
    if binned.categorical[feature]:
        order = space.order[thread]
        category_splits(sums, tallies, n_bins, node, form, limits, scores, order, fee, feature, place, best)
    elif sign == 0 and node.low == -math.inf and node.high == math.inf:
        free_splits(sums, tallies, n_bins, missing, node, form, limits, scores, space.bits[thread], fee, feature, place, best)
    else:
        bounded_splits(sums, tallies, n_bins, missing, node, form, limits, sign, fee, feature, place, best)
