r"""Counter-based random numbers for kernels: number i at a key is a function of key and i alone.

A *key* is a hash of (seed, stream, step). Its words are the output of SplitMix64 with the key as
its seed. Each word gives two normal numbers by the ziggurat method with 256 layers; a number that
its layer rejects (1.2 %) is drawn again from words of its own. So the numbers do not depend on
order, blocks or threads. In a layer they are :math:`2^{-23}` of its width apart, less than 4.7e-7.

*Source*: Steele, Lea, Flood, *Fast splittable pseudorandom number generators* (2014); Marsaglia,
Tsang, *The ziggurat method for generating random variables* (2000).
"""

import math

import numpy as np

from coordboost._numba import kernel
from coordboost._numba.sums import BLOCK

#: Streams of one seed; selection rules use stream 0.
STRUCTURE = 1
LEAVES = 2
SHARE = 3
ROWS = 4

_STEP = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(0xBF58476D1CE4E5B9)
_TWO = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11, _S9 = (np.uint64(bits) for bits in (30, 27, 31, 32, 11, 9))
_LAYER = np.uint64((1 << 9) - 1)
_PLACE = np.uint64((1 << 23) - 1)
_REFUSED = np.uint64(0xD1B54A32D192ED03)


def _ziggurat(n_layers=256, tail=3.6541528853610088):
    """Right ends of the layers (n_layers + 1,), and the densities there.

    Layer 0 contains the tail.
    """
    density = math.exp(-(tail**2) / 2)
    area = tail * density + math.sqrt(math.pi / 2) * math.erfc(tail / math.sqrt(2))
    ends = [area / density, tail]
    while len(ends) < n_layers:
        density += area / ends[-1]
        ends.append(math.sqrt(-2 * math.log(density)))
    ends = np.array([*ends, 0.0])
    return ends, np.exp(-(ends**2) / 2)


#: Right ends of the layers, the densities there, and the point where the tail begins.
ENDS, DENSITY = _ziggurat()
TAIL = float(ENDS[1])
_WIDTH = np.concatenate([ENDS[:-1], -ENDS[:-1]]) / (1 << 23)
_SURE = np.tile(np.floor(ENDS[1:] / ENDS[:-1] * (1 << 23)).astype(np.int64), 2)


@kernel
def mixed(z):
    """Return the word of a counter: the output function of SplitMix64."""
    z = (z ^ (z >> _S30)) * _ONE
    z = (z ^ (z >> _S27)) * _TWO
    return z ^ (z >> _S31)


@kernel
def key_of(seed, stream, step):
    """The key of (seed, stream, step), whole numbers >= 0."""
    key = mixed(np.uint64(seed) + _STEP)
    key = mixed((key ^ np.uint64(stream)) + _STEP)
    return mixed((key ^ np.uint64(step)) + _STEP)


@kernel
def word(key, i):
    """Word i at a key, 64 bits."""
    return mixed(key + np.uint64(i + 1) * _STEP)


@kernel
def fraction(bits):
    """Map a word to a number in (0, 1)."""
    return (np.int64(bits >> _S11) + 0.5) * 2.0**-53


@kernel
def refused(key, i, layer, x):
    """Return the absolute value of number i, after its layer has rejected x >= 0."""
    key = mixed(key ^ (np.uint64(i) * _REFUSED + _ONE))
    k = 0
    while True:
        if layer == 0:
            while True:
                far = -math.log(fraction(word(key, k))) / TAIL
                high = -math.log(fraction(word(key, k + 1)))
                k += 2
                if 2.0 * high > far * far:
                    return TAIL + far
        height = DENSITY[layer] + fraction(word(key, k)) * (DENSITY[layer + 1] - DENSITY[layer])
        if height < math.exp(-0.5 * x * x):
            return x
        bits = word(key, k + 1)
        k += 2
        layer = np.int64(bits & _LAYER) & 255
        place = np.int64((bits >> _S9) & _PLACE)
        x = (place + 0.5) * _WIDTH[layer]
        if place < _SURE[layer]:
            return x


@kernel
def from_bits(key, i, bits):
    """Return number i, from its 32 bits."""
    layer = np.int64(bits & _LAYER)
    place = np.int64((bits >> _S9) & _PLACE)
    x = (place + 0.5) * _WIDTH[layer]
    if place < _SURE[layer]:
        return x
    draw = refused(key, i, layer & 255, abs(x))
    return draw if layer < 256 else -draw


@kernel
def normal(key, i):
    """Normal number i at a key."""
    bits = word(key, i >> 1)
    return from_bits(key, i, bits >> _S32 if i & 1 else bits)


@kernel
def add_noise(key, scale, root, base, out, starts):
    """``out[i] = base[i] + scale * root[i] * normal(key, number of row i)``.

    root : (n,) or (1,)
    starts : the number of the first row of each block of rows, see ``first_rows``
    """
    same = len(root) == 1
    by = scale * root[0]
    for block in range(len(starts)):
        start = block * BLOCK
        stop = min(start + BLOCK, len(out))
        ahead = starts[block] - start
        counter = key + np.uint64(starts[block] >> 1) * _STEP
        for i in range(start, stop - 1, 2):
            counter += _STEP
            bits = mixed(counter)
            even = from_bits(key, ahead + i, bits)
            odd = from_bits(key, ahead + i + 1, bits >> _S32)
            if same:
                out[i] = base[i] + by * even
                out[i + 1] = base[i + 1] + by * odd
            else:
                out[i] = base[i] + scale * root[i] * even
                out[i + 1] = base[i + 1] + scale * root[i + 1] * odd
        if stop & 1:
            last = stop - 1
            lone = normal(key, ahead + last)
            out[last] = base[last] + scale * root[min(last, len(root) - 1)] * lone


@kernel
def is_drawn(key, limit, number):
    """Return whether a row is drawn: each independently, with probability `limit` / 2^32."""
    bits = word(key, number >> 1)
    return np.int64((bits >> _S32 if number & 1 else bits) & np.uint64(0xFFFFFFFF)) < limit


@kernel
def draw_limit(share):
    """Return the `limit` of ``is_drawn`` for the probability `share`."""
    return np.int64(math.ceil(share * 2.0**32))


@kernel
def keep_some(key, share, values, out, starts):
    """``out[i] = values[i] / share`` with probability `share`, else 0.

    Samples are independent. `starts` is as in ``add_noise``.
    """
    limit = draw_limit(share)
    for i in range(len(out)):
        number = starts[i // BLOCK] + i % BLOCK
        out[i] = values[i] / share if is_drawn(key, limit, number) else 0.0 * values[i]
