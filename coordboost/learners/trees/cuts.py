"""The best cut of one feature in one node, from the histogram of its bins.

A cut scores ``(sum left)^2 / (weight left + l2) + (sum right)^2 / (weight right + l2)``, in units
of the integer targets. Thresholds are tried from the lowest bin up, each with missing values on the
right, then on the left. Ties go to the first cut in this order, and to the lowest feature.

Categories are sorted by their means; those with few rows in the node are left out. The first 1, 2,
... of them are tried against all others, then the last ones. Many categories have many cuts, and
some of these fit the noise of a few rows. So the number of the chosen ones is limited, and both
sides of such a cut have a larger l2.

If monotone constraints above the node bound its values, a side with value v scores
``(2 sum - (weight + l2) v) v`` instead, with v the mean clipped to its bounds: the basic method of
LightGBM, and of scikit-learn. All cuts of a node are scored by one formula, whether or not their
own feature is constrained: equal cuts have scores that are equal in every bit, and tie.
"""

import math

import numpy as np

from coordboost._numba import kernel

#: A cut: its score; the last bin that goes left (for categories, how many go left, with a minus if
#: they are those with the highest means); whether missing values go left; whether the node has
#: missing values; sums over the left side, for ordered features computed for the best one only.
CUT = np.dtype(
    (
        np.record,
        [
            ("score", "f8"),
            ("bin", "i8"),
            ("missing_left", "i8"),
            ("has_missing", "i8"),
            ("total", "i8"),
            ("mass", "i8"),
            ("count", "i8"),
        ],
    )
)
#: Means of categories that differ by less than this part of the largest one may differ by rounding.
SAME = 2.0**-40
#: Rows of the scratch array for cuts of a feature: two sums of the entries on the left, integers,
#: and scores.
SCRATCH_ROWS = 3


@kernel
def held(state, sums, counts, b):
    """Return the sum, weight and count of one bin, integers."""
    n = counts[b] & ((1 << state.bits) - 1)
    return (sums[b], counts[b] >> state.bits, n) if state.wide else (sums[b] >> state.bits, n, n)


@kernel
def is_bounded(node):
    """Return whether constraints above the node bound its values."""
    return node.low > -math.inf or node.high < math.inf


@kernel
def side_score(total, weight, low, high):
    """Return the value total / weight clipped to its bounds, and the score of a side with this
    value.
    """
    value = min(max(total / weight if weight > 0 else 0.0, low), high)
    return value, (2 * total - weight * value) * value


@kernel
def bounded_score(left, right, w_left, w_right, node, sign):
    """Return the score of a cut with bounded values.

    Minus infinity if the values are equal or in the wrong order.
    """
    value_left, score_left = side_score(left, w_left, node.low, node.high)
    value_right, score_right = side_score(right, w_right, node.low, node.high)
    return (
        score_left + score_right
        if value_left != value_right and sign * (value_right - value_left) >= 0
        else -math.inf
    )


@kernel
def score_sides(state, node, total, mass, count, sign, limits, l2):
    """Return the score of one cut from the sums of its left side, minus infinity if it is not
    allowed.

    `sign` is the monotone constraint of the feature, None if no feature has one.
    """
    own = state.unit * mass
    other = state.unit * (node.mass - mass)
    if min(count, node.count - count) < limits.min_samples or min(own, other) < limits.min_weight:
        return -math.inf
    left = float(total)
    right = float(node.total - total)
    w_left = own + l2
    w_right = other + l2
    if sign is not None and is_bounded(node):
        return bounded_score(left, right, w_left, w_right, node, sign)
    if sign is not None and sign != 0 and not sign * (right / w_right - left / w_left) > 0:
        return -math.inf
    return (left * left * w_right + right * right * w_left) / (w_left * w_right)


@kernel
def cut_pair(state, sums, counts, b, node, sign, limits, cut):
    """Find the only cut of a feature with two bins: the rows of bin b of its column go right."""
    total, mass, count = held(state, sums, counts, b)
    cut.score, cut.bin, cut.missing_left, cut.has_missing = -math.inf, 0, 0, 0
    score = score_sides(
        state,
        node,
        node.total - total,
        node.mass - mass,
        node.count - count,
        sign,
        limits,
        limits.l2,
    )
    if score > cut.score:
        cut.score = score


@kernel
def add_up(values, start, sums):
    """Write `start` plus the sum of the values up to each place: ``start + cumsum(values)``."""
    for b in range(len(sums)):
        start += values[b]
        sums[b] = start


@kernel
def sides_of(entry_format, node_sums, total, entry):
    """Return the sums on the left and the right of a cut, and the weights there with l2.

    entry_format : `wide`, `bits` and `unit` of the state, and l2
    node_sums : `total` and `mass` of the node
    total, entry : the sums of all entries on the left
    """
    wide, bits, unit, l2 = entry_format
    node_total, node_mass = node_sums
    if wide:
        mass = entry >> bits
        w_left = unit * float(mass) + l2
        return float(total), float(node_total - total), w_left, unit * float(node_mass - mass) + l2
    left = float(total >> bits)  # integers below 2^53 are exact as floats
    mass_left = float(total & ((1 << bits) - 1))
    w_right = unit * (float(node_mass) - mass_left) + l2
    return left, float(node_total) - left, unit * mass_left + l2, w_right


@kernel
def score_cuts(state, node, sign, l2, totals, entries, scores):
    """Write the scores of cuts, minus infinity where the monotone constraint forbids a cut.

    totals, entries : for each cut the sums of the entries on its left
    """
    # the compiler takes fields of records out of a loop only if they are local
    entry_format = (state.wide, state.bits, state.unit, l2)
    node_sums = (node.total, node.mass)
    for b in range(len(scores)):
        left, right, w_left, w_right = sides_of(entry_format, node_sums, totals[b], entries[b])
        scores[b] = (left * left * w_right + right * right * w_left) / (w_left * w_right)
    if sign is not None and is_bounded(node):
        for b in range(len(scores)):
            sides = sides_of(entry_format, node_sums, totals[b], entries[b])
            scores[b] = bounded_score(sides[0], sides[1], sides[2], sides[3], node, sign)
    elif sign is not None and sign != 0:
        for b in range(len(scores)):
            left, right, w_left, w_right = sides_of(entry_format, node_sums, totals[b], entries[b])
            if not sign * (right / w_right - left / w_left) > 0:
                scores[b] = -math.inf


@kernel
def may_be_side(state, limits, mass, count):
    """Return whether rows of this weight, an integer, and number may be a side of a cut."""
    return count >= limits.min_samples and state.unit * mass >= limits.min_weight


@kernel
def allowed_cuts(state, node, limits, totals, entries):
    """Return the first cut with enough rows on both sides, and the one after the last."""
    start = 0
    stop = len(totals)
    while start < stop:
        _, mass, count = held(state, totals, entries, start)
        if may_be_side(state, limits, mass, count):
            break
        start += 1
    while start < stop:
        _, mass, count = held(state, totals, entries, stop - 1)
        if may_be_side(state, limits, node.mass - mass, node.count - count):
            break
        stop -= 1
    return start, stop


@kernel
def cut_ordered(state, sums, counts, n_bins, missing, node, sign, limits, scratch, cut):
    """Find the best cut of a feature with ordered bins.

    `sign` is its monotone constraint, None if no feature has one.
    """
    n_cuts = n_bins - (missing >= 0)
    totals = scratch[0][:n_cuts].view(np.int64)
    entries = scratch[1][:n_cuts].view(np.int64) if state.wide else totals
    scores = scratch[2][:n_cuts]
    has_missing = False
    cut.score, cut.bin, cut.missing_left = -math.inf, -1, 0
    for missing_left in range(2):
        add_up(sums, sums[missing] if missing_left else 0, totals)
        if state.wide:
            add_up(counts, counts[missing] if missing_left else 0, entries)
        score_cuts(state, node, sign, limits.l2, totals, entries, scores)
        start, stop = allowed_cuts(state, node, limits, totals, entries)
        best = -1
        best_score = -math.inf
        allowed = scores[start:stop]
        for b in range(len(allowed)):
            if allowed[b] > best_score:
                best_score = allowed[b]
                best = start + b
        if best_score > cut.score or (best_score == cut.score and best < cut.bin):
            cut.score, cut.bin, cut.missing_left = best_score, best, missing_left
        _, _, count = held(state, totals, entries, n_cuts - 1)
        if count == node.count:  # no missing values, or they are on the left
            break
        has_missing = True
    cut.has_missing = int(has_missing)


@kernel
def take_ordered(state, sums, counts, missing, count, cut):
    """Write the exact left sums of the cut of a node with `count` samples.

    Without missing values, these go to the larger side.
    """
    cut.total, cut.mass, cut.count = 0, 0, 0
    for b in range(cut.bin + 1 + (cut.missing_left & cut.has_missing)):
        total, mass, n = held(state, sums, counts, b if b <= cut.bin else missing)
        cut.total += total
        cut.mass += mass
        cut.count += n
    if not cut.has_missing:
        cut.missing_left = int(2 * cut.count > count)


@kernel
def rank(state, sums, counts, n_bins, limits, scratch):
    """Sort the categories with enough rows in a node by S / (W + l2), ties by code.

    They go into ``scratch.order``; return how many.

    Categories whose rows all have one target have one mean, but the integers of rows with different
    weights are rounded one by one: neighbours tie if that may be all that separates them.
    """
    keys = scratch.cuts[0]
    order = scratch.order
    l2 = limits.l2
    k = 0
    for b in range(n_bins):
        total, mass, count = held(state, sums, counts, b)
        if count >= limits.min_samples_category:
            weight = state.unit * mass + l2
            at = k
            value = total / weight if weight > 0 else 0.0
            while at > 0 and keys[at - 1] > value:
                keys[at], order[at] = keys[at - 1], order[at - 1]
                at -= 1
            keys[at], order[at] = value, b
            k += 1
    largest = max(abs(keys[0]), abs(keys[k - 1])) if k > 0 else 0.0
    first = 0
    error_before = 0.0
    for i in range(k):
        b = order[i]
        _, mass, count = held(state, sums, counts, b)
        weight = state.unit * mass + l2
        error = SAME * largest
        if weight > 0:  # a target and a weight are off by half a unit each
            error += 0.5 * count * (1.0 + (state.unit * largest if state.wide else 0.0)) / weight
        if i > 0 and keys[i] - keys[i - 1] > error + error_before:
            first = i
        error_before = error
        at = i
        while at > first and order[at - 1] > b:
            order[at] = order[at - 1]
            at -= 1
        order[at] = b
    return k


@kernel
def smoothing_of(state, node, limits):
    """Return the addition to l2 on both sides of a cut of categories.

    It is that of `category_smoothing` rows of the mean weight in the node.
    """
    return limits.category_smoothing * (state.unit * node.mass / node.count)


@kernel
def chosen_category(order, n_levels, n_left, i):
    """Return the i-th category that goes left: from the lowest mean up, or the highest one down."""
    return order[i] if n_left > 0 else order[n_levels - 1 - i]


@kernel
def cut_categories(state, sums, counts, n_bins, node, limits, scratch, cut):
    """Find the best cut of a categorical feature: the chosen categories go left, all others right.

    Chosen are up to `max_split_categories` of those with the lowest, or with the highest
    S / (W + l2), but not more than half, rounded up. ``cut.bin`` is their number, with a minus for
    the highest.
    """
    l2 = limits.l2 + smoothing_of(state, node, limits)
    n_levels = rank(state, sums, counts, n_bins, limits, scratch)
    most = n_levels
    if limits.max_split_categories > 0:
        most = min(limits.max_split_categories, (n_levels + 1) // 2)
    cut.score, cut.bin, cut.missing_left = -math.inf, 0, 0
    for sign in (1, -1):
        sum_left, mass_left, n_left = 0, 0, 0
        for i in range(most):
            b = chosen_category(scratch.order, n_levels, sign, i)
            total, mass, n = held(state, sums, counts, b)
            sum_left = sum_left + total
            mass_left = mass_left + mass
            n_left = n_left + n
            score = score_sides(state, node, sum_left, mass_left, n_left, 0, limits, l2)
            if score > cut.score:
                cut.score, cut.bin, cut.total, cut.mass, cut.count = (
                    score,
                    sign * (i + 1),
                    sum_left,
                    mass_left,
                    n_left,
                )


@kernel
def route_categories(state, sums, counts, n_bins, node, limits, scratch, cut, flags):
    """Write 1 for the codes that go left in a node that is split by categories, 0 for the others.

    A category without rows in the node goes to the larger child, of two equal ones to that of the
    first level.
    """
    absent = 2
    flags[:] = absent
    for b in range(n_bins):
        if held(state, sums, counts, b)[2] > 0:
            flags[b] = 0
    n_levels = rank(state, sums, counts, n_bins, limits, scratch)
    for i in range(abs(cut.bin)):
        flags[chosen_category(scratch.order, n_levels, cut.bin, i)] = 1
    first = 0
    while flags[first] == absent:
        first += 1
    larger = 2 * cut.count - node.count
    goes_left = int(larger > 0 or (larger == 0 and flags[first] == 1))
    for b in range(len(flags)):
        if flags[b] == absent:
            flags[b] = goes_left
