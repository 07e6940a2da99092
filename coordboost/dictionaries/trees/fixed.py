"""Targets and weights as whole numbers: sums of them are exact, so that no order of adding, blocks or threads can change a bit.

A target t becomes ``q = rint(t * scale)``, the scale a power of two: small whole numbers stay what they are. With n samples a count
takes B bits, 2^B > n, and the scale is the largest for which the sum of all ``|q|`` stays below 2^(62 - B), or 2^62::

    one channel     sums |      sum of q, 63 - B bits      | count, B bits |     all weights are equal
    two channels    sums |            sum of q, 63 bits                    |
                 tallies |  sum of rint(weight / unit)     | count, B bits |

A step 1 / scale is then 2^-(62 - 2 B) or 2^-(62 - B) of the mean ``|target|``, at most: for 100,000 samples 4e-9 with one channel and
3e-14 with two. One channel is taken where weights are equal, n < 2^24, and few targets are lost: not more than one in 64 is so
small beside the mean that it has 10 bits or fewer. In one channel the tallies are the sums; ``count`` and ``summed`` below read both.
"""

import math

import numpy as np

from coordboost._generic import inlined, leaf, reduction
from coordboost._machine import as_float, few_as_float, few_rounded

#: Most bits of a count in one channel; with so many, whole numbers stay below 2^51.
NARROW, FEW = 24, 12
#: Below 2^-LEAST numbers count as 0, so that no scale overflows; sums below TINY are taken of scaled numbers.
LEAST, TINY = 900, 1e-250
#: The exponent of what is not finite.
NEVER = 1 << 20
#: A target is lost if it is not 0 and its whole number is below this; one channel allows n / ALLOWED such targets.
COARSE, ALLOWED = 1024, 64


@reduction
def scaled_sum(values, by):
    """The sum of ``|value| * by``. Only its size is used, so that the order of adding does not matter."""
    total = 0.0
    for i in range(len(values)):
        total += abs(values[i]) * by
    return total


@leaf
def exponent(values):
    """A whole number k >= -LEAST for which the sum of all ``|value|`` is below 2^k, a small one; `NEVER` if a value is not finite."""
    total, e = scaled_sum(values, 1.0), 0
    if not TINY <= total < math.inf:
        largest = 0.0
        for i in range(len(values)):
            if not abs(values[i]) <= largest:  # NaN is not, either
                largest = abs(values[i])
        if not largest < math.inf:
            return NEVER
        e = max(math.frexp(largest)[1], -LEAST)
        total = scaled_sum(values, math.ldexp(1.0, -e))
    return max(math.frexp(total)[1] + e, -LEAST)


@leaf
def equal(weight):
    """Whether all weights are the same."""
    other = 0
    for i in range(len(weight)):
        other += weight[i] != weight[0]
    return other == 0


@leaf
def fill_one(target, scale, bits, out):
    """``out[i] = (q << bits) + 1``; how many targets are lost, and the sum."""
    lost, total, few = 0, 0, bits >= FEW
    for i in range(len(target)):
        x = target[i] * scale
        q = few_rounded(x) if few else int(np.rint(x))
        lost += (abs(q) < COARSE) & (target[i] != 0.0)
        one = (q << bits) + 1
        out[i] = one
        total += one
    return lost, total


@leaf
def fill_two(target, weight, scale, weight_scale, bits, out):
    """``out[2 i] = q`` and ``out[2 i + 1] = (rint(weight * weight_scale) << bits) + 1``; the sums of both."""
    last, sums, tallies = len(weight) - 1, 0, 0
    for i in range(len(target)):
        one = int(np.rint(target[i] * scale))
        other = (int(np.rint(weight[min(i, last)] * weight_scale)) << bits) + 1
        out[2 * i], out[2 * i + 1] = one, other
        sums += one
        tallies += other
    return sums, tallies


@leaf
def choose_form(form, target, weight):
    """Say in `form` how whole numbers of `target` and `weight`, (n,) or (1,) for one of all, are read; False where one is not finite."""
    n, k = len(target), exponent(target)
    if k == NEVER:
        return False
    bits = math.frexp(float(n))[1]
    form.bits, form.channels, form.shift, form.wide_low, form.wide_mask = bits, 1, bits, 0, (1 << bits) - 1
    form.unit, form.scale = weight[0], math.ldexp(1.0, 62 - bits - k)
    narrow = bits <= NARROW and equal(weight) and 0 <= weight[0] < math.inf
    return narrow or widen(form, weight)


@leaf
def widen(form, weight):
    """Take two channels; False where a weight is not finite."""
    m, bits = exponent(weight), int(form.bits)
    if m == NEVER:
        return False
    m += bits if len(weight) == 1 else 0
    form.channels, form.shift, form.wide_low, form.wide_mask = 2, 0, bits, -1
    form.scale, form.unit = math.ldexp(form.scale, bits), math.ldexp(1.0, m + bits - 62)
    return True


@leaf
def to_fixed(form, fixed, target, weight, first, last):
    """Write the samples from `first` to `last` into `fixed`: how many are lost, the sums and the tallies."""
    width, bits, some = form.channels, int(form.bits), target[first:last]
    out = fixed[width * first : width * last]
    if width == 1:
        lost, sums = fill_one(some, form.scale, bits, out)
        return lost, sums, sums
    heavy = weight if len(weight) == 1 else weight[first:last]
    sums, tallies = fill_two(some, heavy, form.scale, 1.0 / form.unit, bits, out)
    return 0, sums, tallies


@leaf
def fine_enough(form, lost, n):
    """Whether few enough of n targets are lost."""
    return form.channels == 2 or lost * ALLOWED <= n


@inlined
def count(form, tallies):
    """How many samples."""
    return tallies & ((1 << form.bits) - 1)


@inlined
def summed(form, sums):
    """Sum of the targets, in steps of ``1 / scale``."""
    return sums >> form.shift


@inlined
def mass(form, tallies):
    """Sum of the weights."""
    return form.unit * ((tallies >> form.wide_low) & form.wide_mask)


@inlined
def narrow_mass(form, tallies):
    """`mass` of one channel in units of ``form.unit``, for loops of which the compiler makes vectors."""
    return few_as_float(tallies & form.wide_mask)


@inlined
def wide_mass(form, tallies):
    """The same of two channels."""
    return as_float(tallies >> form.wide_low, 0)
