"""Targets and weights as whole numbers: sums of them are exact, so that no order of adding, blocks or threads can change a bit.

A target t becomes ``q = rint(t * scale)``, the scale a power of two: small whole numbers stay what they are. With n samples a count
takes B bits, 2^B > n, and the scale is the largest for which the sum of all ``|q|`` stays below 2^(62 - B), at most 2^52, or 2^62. An
*entry* packs it::

    equal weights     |      q, 63 - B bits      | 1, B bits |
    any weights       |              q, 64 bits              | rint(weight / unit), 63 - B bits | 1, B bits |

A step 1 / scale is then 2^-(62 - 2 B) or 2^-(62 - B) of the mean ``|target|``, at most: for 100,000 samples 4e-9 with one number for a
sample and 3e-14 with two. One is taken where weights are equal, n < 2^24, and few targets are lost: not more than one in 64 is so small
beside the mean that it has 10 bits or fewer.
"""

import math

import numpy as np

from coordboost._numba import kernel, reduction

#: Most bits of a count beside a target.
NARROW = 24
#: Sums beside a count are below 2^EXACT, so that a float of one is exact.
EXACT = 52
#: Below 2^-LEAST numbers count as 0, so that no scale overflows; sums below TINY are taken of scaled numbers.
LEAST, TINY = 900, 1e-250
#: The exponent of what is not finite.
NEVER = 1 << 20
#: A target is lost if it is not 0 and its whole number is below this; one in ALLOWED may be.
COARSE, ALLOWED = 1024, 64


@reduction
def sum_of_sizes(values, by):
    """``sum(abs(values) * by)``. Only its size is used, so that the order of adding does not matter."""
    total = 0.0
    for i in range(len(values)):
        total += abs(values[i]) * by
    return total


@kernel
def exponent(values):
    """A whole number k >= -LEAST for which the sum of all ``|value|`` is below 2^k, a small one; `NEVER` if a value is not finite."""
    total, e = sum_of_sizes(values, 1.0), 0
    if not TINY <= total < math.inf:
        largest = 0.0
        for i in range(len(values)):
            if not abs(values[i]) <= largest:  # NaN is not, either
                largest = abs(values[i])
        if not largest < math.inf:
            return NEVER
        e = max(math.frexp(largest)[1], -LEAST)
        total = sum_of_sizes(values, math.ldexp(1.0, -e))
    return max(math.frexp(total)[1] + e, -LEAST)


@kernel
def choose_scales(state, fixed, target, weight):
    """Say in `state` how entries are read; False where a number is not finite."""
    k, m, bits = exponent(target), exponent(weight) if len(fixed) == 2 else 0, math.frexp(float(len(target)))[1]
    if k == NEVER or m == NEVER:
        return False
    state.wide, state.bits = len(fixed) - 1, bits
    if state.wide:
        state.scale, state.unit = math.ldexp(1.0, 62 - k), math.ldexp(1.0, m + (bits if len(weight) == 1 else 0) + bits - 62)
    else:
        state.scale, state.unit = math.ldexp(1.0, min(62 - bits, EXACT) - k), weight[0]
    return True


@kernel
def write_entries(state, fixed, target, weight, first):
    """The entries of some samples, from `first` on: how many targets are lost, and the sums of both numbers."""
    lost, total, mass, last, one, two = 0, 0, 0, len(weight) - 1, fixed[0, 0, first:], fixed[-1, 0, first:]
    scale, bits = state.scale, state.bits
    if not state.wide:
        for i in range(len(target)):
            q = int(np.rint(target[i] * scale))
            lost += (abs(q) < COARSE) & (target[i] != 0.0)
            one[i] = (q << bits) + 1
            total += q
        return lost, total, len(target)
    by = 1.0 / state.unit
    for i in range(len(target)):
        q, heavy = int(np.rint(target[i] * scale)), int(np.rint(weight[min(i, last)] * by))
        one[i], two[i] = q, (heavy << bits) + 1
        total += q
        mass += heavy
    return 0, total, mass
