"""The noise of Langevin boosting at its addresses, and the samples that a step keeps, in plain Python."""

import numpy as np

from coordboost import _noise
from coordboost._numba import interpreted


@interpreted
def noise(seed, stream, step, n):
    """The first n normal numbers at (seed, stream, step)."""
    out = np.zeros(n)
    _noise.add_noise(_noise.key_of(seed, stream, step), 1.0, np.ones(1), out, out)
    return out


@interpreted
def kept(seed, step, share, g):
    """An estimate of g from a part of the samples."""
    out = np.zeros(len(g))
    _noise.keep_some(_noise.key_of(seed, _noise.SHARE, step), share, g, out)
    return out
