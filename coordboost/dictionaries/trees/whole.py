"""Targets and weights as whole numbers: sums of them are exact, so that no order of adding, blocks or threads can change a bit.

A target t becomes ``q = rint(t * scale)``, the scale a power of two: small whole numbers stay what they are. With n samples a count
takes B bits, 2^B > n, and the scale is the largest for which the sum of all ``|q|`` stays below 2^(62 - B), at most 2^52, or 2^62. An
*entry* packs it::

    equal weights, (n,)     |      q, 63 - B bits      | 1, B bits |
    any weights, (n, 2)     |              q, 64 bits              | rint(weight / unit), 63 - B bits | 1, B bits |

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
    k, n = exponent(target), len(target)
    m = exponent(weight) if fixed.ndim == 2 else 0
    if k == NEVER or m == NEVER:
        return False
    bits = math.frexp(float(n))[1]
    state.bits = bits
    if fixed.ndim == 1:
        state.scale, state.unit = math.ldexp(1.0, min(62 - bits, EXACT) - k), weight[0]
    else:
        state.scale, state.unit = math.ldexp(1.0, 62 - k), math.ldexp(1.0, m + (bits if len(weight) == 1 else 0) + bits - 62)
    return True


@kernel
def write_entries(fixed, target, weight, bits, scale, unit):
    """The entries of some samples: how many targets are lost, and the sums of both numbers."""
    lost, total, other, last = 0, 0, 0, len(weight) - 1
    if fixed.ndim == 1:
        for i in range(len(target)):
            q = int(np.rint(target[i] * scale))
            lost += (abs(q) < COARSE) & (target[i] != 0.0)
            one = (q << bits) + 1
            fixed[i] = one
            total += one
        return lost, total >> bits, total & ((1 << bits) - 1)
    by = 1.0 / unit
    for i in range(len(target)):
        one = int(np.rint(target[i] * scale))
        heavy = int(np.rint(weight[min(i, last)] * by))
        fixed[i, 0], fixed[i, 1] = one, (heavy << bits) + 1
        total += one
        other += heavy
    return 0, total, other
