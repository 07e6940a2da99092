"""Histograms of integers: the targets and weights of a tree as integers, and their sums over bins.

Sums of integers are exact, so the order of summation, blocks and threads change no bit.

A target t becomes ``q = rint(t * scale)``. The scale is a power of two, so small integers stay
exact. With n samples a count takes B bits, 2^B > n. The scale keeps the sum of all ``|q|`` below
2^(62 - B) and 2^52 if an entry is one number, and below 2^62 if it is two. An *entry* of a sample
packs q, its weight and a count of 1 into one or two int64::

    equal weights   |      q, 63 - B bits      | 1, B bits |
    any weights     |              q, 64 bits              |
                    | rint(weight / unit), 63 - B bits | 1, B bits |

So the resolution 1 / scale is at most 2^-(62 - 2 B) or 2^-(62 - B) of the mean ``|target|``: for
100,000 samples 4e-9 with one number per sample and 3e-14 with two. One number is used if weights
are equal, n < 2^24, and at most one target in 64 is lost: so small beside the mean that q has 10
bits or fewer.

*Histograms* are the sums of the entries of a node over the bins of its features.

Four features share the reading of a row::

    rows  entry     codes[0][row]  codes[1][row]  codes[2][row]  codes[3][row]
     4     17  --->    3              0              255             1
     7    -20  --->    3              1               12             1

    bins[0][3] += 17, bins[1][0] += 17, ...

The root holds all samples in order, so the codes of eight samples are read at once. If an entry is
two numbers, each has its own histograms.
"""

import math

import numpy as np

from coordboost._numba import kernel, reduction
from coordboost._numba.sums import BLOCK

#: Maximum bits of a count that shares a number with a target.
NARROW = 24
#: Sums that share a number with a count are below 2^EXACT, so that they are exact as floats.
EXACT = 52
#: Exponents of sums are at least -LEAST, so that no scale overflows; sums below TINY or infinite
#: are recomputed from scaled numbers.
LEAST, TINY = 900, 1e-250
#: The exponent of numbers that are not finite.
NEVER = 1 << 20
#: A target is lost if it is not 0 and its integer is below COARSE in size; one in ALLOWED may be
#: lost.
COARSE, ALLOWED = 1024, 64


#: A weight of fewer units than this is too coarse for a leaf; one row in SCATTERED may have such a
#: weight.
LIGHT, SCATTERED = 8, 4096
#: Length of an array over codes.
CODES = 256


def refuse_light_weights(weight, min_samples):
    """Refuse weights that whole numbers cannot hold.

    So many are so light that a leaf of such rows would take the value of the others.

    weight : (n_samples,), not negative
    min_samples : least number of samples in a leaf
    """
    total = float(weight.sum())
    bits = math.frexp(float(len(weight)))[1]
    lightest = LIGHT * math.ldexp(1.0, math.frexp(total)[1] + bits - 62)
    light = int(np.count_nonzero((weight > 0) & (weight < lightest)))
    if light >= min_samples + len(weight) // SCATTERED:
        raise ValueError(
            f"sample_weight: {light:,} rows weigh between 0 and {lightest:.2g}, too little beside "
            f"a sum of {total:.3g} for the sums of trees: set these weights to 0, or make the "
            "others smaller."
        )


@reduction
def sum_of_sizes(values, by):
    """Return ``sum(abs(values) * by)``.

    Only its exponent is used: rounding matters only next to a power of two.
    """
    total = 0.0
    for i in range(len(values)):
        total += abs(values[i]) * by
    return total


@kernel
def of_block(values, drawn, block):
    """Return the values of a block of samples: of all of them, or of those `drawn`."""
    first = block * BLOCK
    if drawn is None:
        return values[first : first + BLOCK]
    return values[np.searchsorted(drawn, first) : np.searchsorted(drawn, first + BLOCK)]


@kernel
def write_sizes(values, drawn, sizes, first, step):
    """Write the sums of ``|value|`` over each `step`-th block of samples, from block `first` on."""
    for block in range(first, len(sizes), step):
        sizes[block] = sum_of_sizes(of_block(values, drawn, block), 1.0)


@kernel
def exponent(values, drawn, sizes):
    """Return a small integer k >= -LEAST such that the sum of all ``|value|`` is below 2^k.

    `NEVER` if a value is not finite.

    sizes : the sums of ``|value|`` over blocks
    """
    total = 0.0
    for block in range(len(sizes)):
        total += sizes[block]
    e = 0
    if not TINY <= total < math.inf:
        largest = 0.0
        for i in range(len(values)):
            if not abs(values[i]) <= largest:  # also true for NaN
                largest = abs(values[i])
        if not largest < math.inf:
            return NEVER
        e = max(math.frexp(largest)[1], -LEAST)
        total = 0.0
        for block in range(len(sizes)):
            total += sum_of_sizes(of_block(values, drawn, block), math.ldexp(1.0, -e))
    return max(math.frexp(total)[1] + e, -LEAST)


@kernel
def exponent_of(weight):
    """Return the exponent of the weight of all samples, as ``exponent`` does."""
    return max(math.frexp(weight)[1], -LEAST)


@kernel
def choose_scales(state, fixed, targets, sizes):
    """Write the format of the entries into `state`; return False if a number is not finite."""
    weight = targets.weight
    n_samples = len(targets.values)
    k = exponent(targets.values, targets.drawn, sizes[0])
    m = 0
    if len(weight) == 1:
        m = exponent_of(weight[0])
    elif len(fixed) == 2:
        m = exponent(weight, targets.drawn, sizes[1])
    return write_format(state, len(fixed) - 1, n_samples, k, m, weight[0], len(weight) == 1)


@kernel
def write_format(state, wide, n_samples, k, m, weight, shared):
    """Write the format of the entries into `state`; return False if a number is not finite.

    k, m : the exponents of the targets and of the weights
    weight : the first one, that of all samples if it is `shared`
    """
    bits = math.frexp(float(n_samples))[1]
    if k == NEVER or m == NEVER:
        return False
    state.wide = wide
    state.bits = bits
    if wide:
        state.scale = math.ldexp(1.0, 62 - k)
        state.unit = math.ldexp(1.0, m + (bits if shared else 0) + bits - 62)
    else:
        state.scale = math.ldexp(1.0, min(62 - bits, EXACT) - k)
        state.unit = weight
    return True


@kernel
def write_entries(state, fixed, targets, first, last):
    """Write the entries of the samples from `first` to `last`.

    Return the number of lost targets, and the sums of q and of the weights.
    """
    lost = 0
    total = 0
    mass = 0
    weight = targets.weight
    target = targets.values[first:last]
    sums = fixed[0, 0, first:last]
    counts = fixed[-1, 0, first:last]
    scale = state.scale
    bits = state.bits
    if not state.wide:
        for i in range(len(target)):
            q = int(np.rint(target[i] * scale))
            lost += (abs(q) < COARSE) & (target[i] != 0.0)
            sums[i] = (q << bits) + 1
            total += q
        return lost, total, len(target)
    units = 1.0 / state.unit
    shared = len(weight) - 1
    for i in range(len(target)):
        q = int(np.rint(target[i] * scale))
        heavy = int(np.rint(weight[min(first + i, shared)] * units))
        sums[i] = q
        counts[i] = (heavy << bits) + 1
        total += q
        mass += heavy
    return 0, total, mass


@kernel
def add_entries(codes, rows, entries, features, first, bins):
    """Add the entries of samples to the bins of four features.

    They are ``features[first : first + 4]``; the last one again if fewer are left.
    """
    last = len(features) - 1
    of_a = codes[features[first]]
    of_b = codes[features[min(first + 1, last)]]
    of_c = codes[features[min(first + 2, last)]]
    of_d = codes[features[min(first + 3, last)]]
    in_a = bins[first]
    in_b = bins[first + 1]
    in_c = bins[first + 2]
    in_d = bins[first + 3]
    for i in range(len(rows)):
        row = rows[i]
        entry = entries[i]
        in_a[of_a[row]] += entry
        in_b[of_b[row]] += entry
        in_c[of_c[row]] += entry
        in_d[of_d[row]] += entry


@kernel
def add_consecutive(eights, start, entries, features, first, bins):
    """Do ``add_entries`` for consecutive samples, from eight number `start` on.

    The entries are padded to eights; code k of eight is ``(eight >> 8 k) & 255``.
    """
    last = len(features) - 1
    of_a = eights[features[first], start:]
    of_b = eights[features[min(first + 1, last)], start:]
    of_c = eights[features[min(first + 2, last)], start:]
    of_d = eights[features[min(first + 3, last)], start:]
    in_a = bins[first]
    in_b = bins[first + 1]
    in_c = bins[first + 2]
    in_d = bins[first + 3]
    low = np.uint64(255)
    for i in range(len(entries) // 8):
        a = of_a[i]
        b = of_b[i]
        c = of_c[i]
        d = of_d[i]
        for t in range(8):
            shift = np.uint64(8 * t)
            entry = entries[8 * i + t]
            in_a[(a >> shift) & low] += entry
            in_b[(b >> shift) & low] += entry
            in_c[(c >> shift) & low] += entry
            in_d[(d >> shift) & low] += entry
