"""The best split of a node by one feature, from the running sums over its bins.

A split scores ``(sum left)^2 / (weight left + l2) + (sum right)^2 / (weight right + l2)``, less the penalty of the feature, in units of the
fixed targets. Thresholds are tried from the lowest bin up, each with missing values on the right, then with them on the left; categories
are put in the order of their means first. The first of the highest scores wins; of several features the lowest.

Where values are bounded, by a monotone constraint on the feature or above the node, a side with value v scores
``(2 sum - (weight + l2) v) v`` instead, v being the mean moved into its bounds: the basic method of LightGBM, and scikit-learn's.
"""

import math

from coordboost._generic import inlined, leaf
from coordboost._machine import as_float
from coordboost.dictionaries.trees.fixed import count, mass, narrow_mass, summed, wide_mass
from coordboost.dictionaries.trees.workspace import CODES

#: A gain below this part of the score may be rounding: a score has eight rounded operations, and a step more or less in its sums.
ROUNDING = 2.0**-45


@leaf
def running(bins, n, out):
    """``out[b] = bins[0] + ... + bins[b]``."""
    entry = 0
    for b in range(n):
        entry += bins[b]
        out[b] = entry


@leaf
def running_pair(larger, smaller, n, out_larger, out_smaller):
    """``larger -= smaller``, which makes the histogram of a node that of its larger child, and the running sums of both."""
    one = other = 0
    for b in range(n):
        entry = smaller[b]
        other += entry
        out_smaller[b] = other
        entry = larger[b] - entry
        larger[b] = entry
        one += entry
        out_larger[b] = one


@inlined
def plain_score(g, w, other_g, other_w):
    """The score of two sides with sums g and weights w, each with its share of l2."""
    return (g * g * other_w + other_g * other_g * w) / (w * other_w)


@leaf
def bounded(g, w, low, high):
    """The value g / w moved into its bounds, and the score of a side with this value."""
    value = min(max(g / w if w > 0 else 0.0, low), high)
    return value, (2 * g - w * value) * value


@leaf
def all_scores(heavy, sums, tallies, more, more_tally, node, form, l2, out):
    """The score of a cut after each bin into `out`.

    heavy : `narrow_mass` or `wide_mass`
    more, more_tally : what goes left in any case: missing values
    """
    shift, unit, every, every_tally = form.shift, form.unit, node.sums, node.tallies
    for b in range(len(out)):
        left, left_tally = sums[b] + more, tallies[b] + more_tally
        right, right_tally = every - left, every_tally - left_tally
        w, v = unit * heavy(form, left_tally) + l2, unit * heavy(form, right_tally) + l2
        out[b] = plain_score(as_float(left, shift), w, as_float(right, shift), v)


@leaf
def large(form, tally, least, lightest):
    """Whether a side has enough samples and weight."""
    return count(form, tally) >= least and mass(form, tally) >= lightest


@leaf
def cuts_that_fit(tallies, n, more_tally, node, form, least, lightest):
    """The cuts ``first, ..., end - 1`` of those after n bins: both of their sides are large enough."""
    first, end = 0, n
    while first < end and not large(form, tallies[first] + more_tally, least, lightest):
        first += 1
    while first < end and not large(form, node.tallies - tallies[end - 1] - more_tally, least, lightest):
        end -= 1
    return first, end


@leaf
def highest(bits):
    """The largest of whole numbers. Floats that are not negative compare as the whole numbers in their memory."""
    best = bits[0]
    for b in range(len(bits)):
        best = max(best, bits[b])
    return best


@leaf
def first_that_is(wanted, bits):
    """Where `wanted` is first met."""
    b = 0
    while bits[b] != wanted:
        b += 1
    return b


@leaf
def offer(best, score, feature, place, bin, missing_left, sums, tallies):
    """Make a split the best of its node if its score is higher, or the same for a lower feature or bin."""
    lower = feature < best.feature or (feature == best.feature and bin < best.bin)
    if score > best.score or (score == best.score and lower):
        best.score, best.feature, best.place, best.bin, best.missing_left = score, feature, place, bin, missing_left
        best.sums, best.tallies = sums, tallies


@leaf
def free_splits(sums, tallies, n_bins, missing, node, form, limits, scores, bits, penalty, feature, place, best):
    """Offer the best split of a feature whose bins have an order, in a node without bounds."""
    least, lightest, l2 = limits
    ordered = n_bins - (missing >= 0)
    gap = sums[ordered] - sums[ordered - 1] if missing >= 0 else 0
    gap_tally = tallies[ordered] - tallies[ordered - 1] if missing >= 0 else 0
    anyone = missing >= 0 and count(form, gap_tally) > 0
    for side in range(2 if anyone else 1):
        more, more_tally = side * gap, side * gap_tally
        first, end = cuts_that_fit(tallies, ordered, more_tally, node, form, least, lightest)
        if first == end:
            continue
        if form.channels == 1:
            all_scores(narrow_mass, sums[first:end], tallies[first:end], more, more_tally, node, form, l2, scores[first:end])
        else:
            all_scores(wide_mass, sums[first:end], tallies[first:end], more, more_tally, node, form, l2, scores[first:end])
        bits[CODES] = highest(bits[first:end])  # beyond the bins, to be read as a score there
        if bits[CODES] >= 0 and scores[CODES] - penalty >= best.score:
            b = first + first_that_is(bits[CODES], bits[first:end])
            left = tallies[b] + more_tally
            larger = 2 * count(form, left) > count(form, node.tallies)
            offer(best, scores[b] - penalty, feature, place, b, side if anyone else int(larger), sums[b] + more, left)


@leaf
def split_score(left, left_tally, node, form, limits, sign):
    """The score of one split, minus infinity where it is not allowed: a side is too small, or values are bounded and not in order."""
    least, lightest, l2 = limits
    right, right_tally = node.sums - left, node.tallies - left_tally
    if not (large(form, left_tally, least, lightest) and large(form, right_tally, least, lightest)):
        return -math.inf
    w, v = mass(form, left_tally), mass(form, right_tally)
    g, h = 1.0 * summed(form, left), 1.0 * summed(form, right)
    if sign == 0 and node.low == -math.inf and node.high == math.inf:
        return plain_score(g, w + l2, h, v + l2)
    value, one = bounded(g, w + l2, node.low, node.high)
    other_value, other = bounded(h, v + l2, node.low, node.high)
    return one + other if value != other_value and sign * (other_value - value) >= 0 else -math.inf


@leaf
def rank(sums, tallies, n_bins, form, l2, keys, order):
    """Categories that occur in a node into `order`, by S / (W + l2), equal ones by their codes; how many. `keys` holds these then."""
    k, before, before_tally = 0, 0, 0
    for b in range(n_bins):
        if count(form, tallies[b] - before_tally) > 0:
            w = mass(form, tallies[b] - before_tally) + l2
            value = summed(form, sums[b] - before) / w if w > 0 else 0.0
            at = k
            while at > 0 and keys[at - 1] > value:
                keys[at], order[at] = keys[at - 1], order[at - 1]
                at -= 1
            keys[at], order[at] = value, b
            k += 1
        before, before_tally = sums[b], tallies[b]
    return k


@leaf
def category_splits(sums, tallies, n_bins, node, form, limits, keys, order, penalty, feature, place, best):
    """Offer the best split of a feature with categories: some with the lowest S / (W + l2) go left; their number is the bin."""
    k = rank(sums, tallies, n_bins, form, limits[2], keys, order)
    left = left_tally = 0
    for i in range(k - 1):
        b = order[i]
        left += sums[b] - (sums[b - 1] if b > 0 else 0)
        left_tally += tallies[b] - (tallies[b - 1] if b > 0 else 0)
        score = split_score(left, left_tally, node, form, limits, 0)
        if score > -math.inf:
            offer(best, score - penalty, feature, place, i + 1, 0, left, left_tally)


@leaf
def bounded_splits(sums, tallies, n_bins, missing, node, form, limits, sign, penalty, feature, place, best):
    """Offer the best split of a feature whose bins have an order, in a node with bounds or by a feature with a direction."""
    ordered = n_bins - (missing >= 0)
    gap = sums[ordered] - sums[ordered - 1] if missing >= 0 else 0
    gap_tally = tallies[ordered] - tallies[ordered - 1] if missing >= 0 else 0
    anyone = missing >= 0 and count(form, gap_tally) > 0
    for b in range(ordered):
        for side in range(2 if anyone else 1):
            left, left_tally = sums[b] + side * gap, tallies[b] + side * gap_tally
            score = split_score(left, left_tally, node, form, limits, sign)
            if score > -math.inf:
                larger = 2 * count(form, left_tally) > count(form, node.tallies)
                offer(best, score - penalty, feature, place, b, side if anyone else int(larger), left, left_tally)
