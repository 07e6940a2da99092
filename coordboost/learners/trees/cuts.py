"""The best cut of one feature in one node, from the histogram of its bins.

A cut scores ``(sum left)^2 / (weight left + l2) + (sum right)^2 / (weight right + l2)``, in units of the whole numbers. Thresholds are
tried from the lowest bin up, each with missing values on the right, then with them on the left; categories are put in the order of their
means first. The first of the highest scores wins; of several features the lowest.

Where values are bounded, by a monotone constraint on the feature or above the node, a side with value v scores
``(2 sum - (weight + l2) v) v`` instead, v being the mean moved into its bounds: the basic method of LightGBM, and scikit-learn's.
"""

import math

import numpy as np

from coordboost._numba import kernel

#: A cut: its score; the last bin that goes left (for categories, how many of them go left); whether missing values do; whether the node has
#: some; what goes left, which is known of the best feature alone.
CUT = np.dtype((np.record, [
    ("score", "f8"), ("bin", "i8"), ("missing_left", "i8"), ("apart", "i8"), ("total", "i8"), ("mass", "i8"), ("count", "i8"),
]))  # fmt: skip
#: Rows of the room for numbers of each cut: sums on the left and on the right, weights in whole units, counts on the left, scores.
ROOM = 6


@kernel
def held(state, one, two, b):
    """Sum, weight and count of one bin, whole numbers."""
    n = two[b] & ((1 << state.bits) - 1)
    return (one[b], two[b] >> state.bits, n) if state.wide else (one[b] >> state.bits, n, n)


@kernel
def side_score(g, w, low, high):
    """The value g / w moved into its bounds, and the score of a side with this value."""
    value = min(max(g / w if w > 0 else 0.0, low), high)
    return value, (2 * g - w * value) * value


@kernel
def bounded_score(g, h, w, v, node, sign):
    """The score of one cut where values are bounded; minus infinity where they would not be in order."""
    value, one = side_score(g, w, node.low, node.high)
    other_value, other = side_score(h, v, node.low, node.high)
    return one + other if value != other_value and sign * (other_value - value) >= 0 else -math.inf


@kernel
def cut_ordered(state, one, two, n_bins, missing, node, sign, limits, room, cut):
    """The best cut of a feature whose bins have an order; `sign` None where no feature has a direction."""
    _, _, least, lightest, _, l2 = limits
    left, right, mass, rest, counts, scores = room[0], room[1], room[2], room[3], room[4], room[5]
    total, whole, many, bits, unit = node.total, node.mass, float(node.count), state.bits, state.unit
    n, best, side, sides, mask = n_bins - (missing >= 0), -math.inf, 0, 1, (1 << bits) - 1
    cut.bin, cut.missing_left = -1, 0
    while side < sides:  # missing values on the right, then on the left
        a, c = (one[missing], two[missing]) if side else (0, 0)
        if state.wide:
            for b in range(n):
                a += one[b]
                c += two[b]
                left[b], right[b], mass[b], rest[b], counts[b] = a, total - a, c >> bits, whole - (c >> bits), c & mask
        else:
            for b in range(n):
                a += one[b]
                left[b], counts[b] = a >> bits, a & mask
            for b in range(n):  # whole numbers are below 2^53, so that floats are exact
                right[b], mass[b], rest[b] = float(total) - left[b], counts[b], many - counts[b]
        for b in range(n):
            g, h, w, v = left[b], right[b], unit * mass[b] + l2, unit * rest[b] + l2
            scores[b] = (g * g * v + h * h * w) / (w * v)
        if sign is not None and (sign != 0 or node.low > -math.inf or node.high < math.inf):
            for b in range(n):
                scores[b] = bounded_score(left[b], right[b], unit * mass[b] + l2, unit * rest[b] + l2, node, sign)
        first, end = 0, n
        while first < end and (counts[first] < least or unit * mass[first] < lightest):
            first += 1
        while first < end and (many - counts[end - 1] < least or unit * rest[end - 1] < lightest):
            end -= 1
        top, at = -math.inf, -1
        for b in range(first, end):
            if scores[b] > top:
                top, at = scores[b], b
        if top > best or (top == best and at < cut.bin):
            best, cut.bin, cut.missing_left = top, at, side
        if counts[n - 1] < many:
            sides = 2
        side += 1
    cut.score, cut.apart = best, sides - 1


@kernel
def take_ordered(state, one, two, missing, count, cut):
    """What goes left in a cut of a node with `count` samples, exact whole numbers; missing values go with most where there are none."""
    cut.total, cut.mass, cut.count = 0, 0, 0
    for b in range(cut.bin + 1 + (cut.missing_left & cut.apart)):
        total, mass, n = held(state, one, two, b if b <= cut.bin else missing)
        cut.total += total
        cut.mass += mass
        cut.count += n
    if not cut.apart:
        cut.missing_left = int(2 * cut.count > count)


@kernel
def rank(state, one, two, n_bins, l2, keys, order):
    """Categories that occur in a node into `order`, by S / (W + l2), equal ones by their codes; how many. `keys` holds these then."""
    k = 0
    for b in range(n_bins):
        total, mass, count = held(state, one, two, b)
        if count > 0:
            w, at = state.unit * mass + l2, k
            value = total / w if w > 0 else 0.0
            while at > 0 and keys[at - 1] > value:
                keys[at], order[at] = keys[at - 1], order[at - 1]
                at -= 1
            keys[at], order[at] = value, b
            k += 1
    return k


@kernel
def cut_categories(state, one, two, n_bins, node, limits, keys, order, cut):
    """The best cut of a feature with categories: some with the lowest S / (W + l2) go left; their number is the bin."""
    _, _, least, lightest, _, l2 = limits
    cut.score, cut.bin, cut.missing_left = -math.inf, -1, 0
    left, mass, count = 0, 0, 0
    for i in range(rank(state, one, two, n_bins, l2, keys, order) - 1):
        total, heavy, n = held(state, one, two, order[i])
        left, mass, count = left + total, mass + heavy, count + n
        m, rest = state.unit * mass, state.unit * (node.mass - mass)
        if min(count, node.count - count) >= least and min(m, rest) >= lightest:
            g, h, w, v = float(left), float(node.total - left), m + l2, rest + l2
            score = (g * g * v + h * h * w) / (w * v)
            if node.low > -math.inf or node.high < math.inf:
                score = bounded_score(g, h, w, v, node, 0)
            if score > cut.score:
                cut.score, cut.bin, cut.total, cut.mass, cut.count = score, i + 1, left, mass, count
