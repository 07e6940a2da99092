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
CUT = np.dtype((np.record, [(name, "f8" if name == "score" else "i8") for name in (
    "score", "bin", "missing_left", "apart", "total", "mass", "count",
)]))  # fmt: skip
#: Rows of the room for numbers of each cut: sum and count on the left, scores; sum on the right, weights of both sides in whole units.
ROOM = 6


@kernel
def held(bins, b, bits):
    """Sum, weight and count of one bin, whole numbers."""
    if bins.ndim == 1:
        n = bins[b] & ((1 << bits) - 1)
        return bins[b] >> bits, n, n
    return bins[b, 0], bins[b, 1] >> bits, bins[b, 1] & ((1 << bits) - 1)


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
def cut_ordered(bins, n_bins, missing, node, sign, bits, unit, limits, room, cut):
    """The best cut of a feature whose bins have an order; `sign` None where no feature has a direction."""
    _, _, least, lightest, _, l2 = limits
    left, counts, scores, right, left_mass, right_mass = room[0], room[1], room[2], room[3], room[4], room[5]
    total, many, mask = float(node.total), float(node.count), (1 << bits) - 1
    n, best, side, sides = n_bins - (missing >= 0), -math.inf, 0, 1
    cut.bin, cut.missing_left = -1, 0
    while side < sides:  # missing values on the right, then on the left
        if bins.ndim == 1:  # whole numbers are below 2^53, so that floats are exact
            entry = bins[missing] if side else 0
            for b in range(n):
                entry += bins[b]
                left[b], counts[b] = entry >> bits, entry & mask
            for b in range(n):
                g, h, w, v = left[b], total - left[b], unit * counts[b] + l2, unit * (many - counts[b]) + l2
                scores[b] = (g * g * v + h * h * w) / (w * v)
        else:
            one, two = (bins[missing, 0], bins[missing, 1]) if side else (0, 0)
            for b in range(n):
                one += bins[b, 0]
                two += bins[b, 1]
                left[b], right[b], counts[b] = one, node.total - one, two & mask
                left_mass[b], right_mass[b] = two >> bits, node.mass - (two >> bits)
            for b in range(n):
                g, h, w, v = left[b], right[b], unit * left_mass[b] + l2, unit * right_mass[b] + l2
                scores[b] = (g * g * v + h * h * w) / (w * v)
        if sign is not None and (sign != 0 or node.low > -math.inf or node.high < math.inf):
            for b in range(n):
                if bins.ndim == 1:
                    g, h, w, v = left[b], total - left[b], unit * counts[b] + l2, unit * (many - counts[b]) + l2
                else:
                    g, h, w, v = left[b], right[b], unit * left_mass[b] + l2, unit * right_mass[b] + l2
                scores[b] = bounded_score(g, h, w, v, node, sign)
        first, end = 0, n
        while first < end and counts[first] < least:
            first += 1
        while first < end and many - counts[end - 1] < least:
            end -= 1
        if lightest > 0:
            while first < end and unit * (counts[first] if bins.ndim == 1 else left_mass[first]) < lightest:
                first += 1
            while first < end and unit * (many - counts[end - 1] if bins.ndim == 1 else right_mass[end - 1]) < lightest:
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
def take_ordered(bins, missing, bits, count, cut):
    """What goes left in a cut of a node with `count` samples, exact whole numbers; missing values go with most where there are none."""
    cut.total, cut.mass, cut.count = 0, 0, 0
    for b in range(cut.bin + 1 + (cut.missing_left & cut.apart)):
        total, mass, n = held(bins, b if b <= cut.bin else missing, bits)
        cut.total += total
        cut.mass += mass
        cut.count += n
    if not cut.apart:
        cut.missing_left = int(2 * cut.count > count)


@kernel
def rank(bins, n_bins, bits, unit, l2, keys, order):
    """Categories that occur in a node into `order`, by S / (W + l2), equal ones by their codes; how many. `keys` holds these then."""
    k = 0
    for b in range(n_bins):
        total, mass, count = held(bins, b, bits)
        if count > 0:
            w, at = unit * mass + l2, k
            value = total / w if w > 0 else 0.0
            while at > 0 and keys[at - 1] > value:
                keys[at], order[at] = keys[at - 1], order[at - 1]
                at -= 1
            keys[at], order[at] = value, b
            k += 1
    return k


@kernel
def cut_categories(bins, n_bins, node, bits, unit, limits, keys, order, cut):
    """The best cut of a feature with categories: some with the lowest S / (W + l2) go left; their number is the bin."""
    _, _, least, lightest, _, l2 = limits
    cut.score, cut.bin, cut.missing_left = -math.inf, -1, 0
    left, mass, count = 0, 0, 0
    for i in range(rank(bins, n_bins, bits, unit, l2, keys, order) - 1):
        total, heavy, n = held(bins, order[i], bits)
        left, mass, count = left + total, mass + heavy, count + n
        m, rest = unit * mass, unit * (node.mass - mass)
        if min(count, node.count - count) >= least and min(m, rest) >= lightest:
            g, h, w, v = float(left), float(node.total - left), m + l2, rest + l2
            score = (g * g * v + h * h * w) / (w * v)
            if node.low > -math.inf or node.high < math.inf:
                score = bounded_score(g, h, w, v, node, 0)
            if score > cut.score:
                cut.score, cut.bin, cut.total, cut.mass, cut.count = score, i + 1, left, mass, count
