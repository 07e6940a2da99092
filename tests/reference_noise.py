"""The noise of Langevin boosting by seed, stream and step, and random parts of the samples, in
plain Python.
"""

import numpy as np

from coordboost._numba import interpreted
from coordboost._numba import noise as kernels
from coordboost._numba.sums import first_rows


@interpreted
def noise(seed, stream, step, n):
    """Return the first n normal numbers at (seed, stream, step)."""
    out = np.zeros(n)
    key = kernels.key_of(seed, stream, step)
    kernels.add_noise(key, 1.0, np.ones(1), out, out, first_rows(n))
    return out


@interpreted
def kept(seed, step, share, g):
    """Return an estimate of g from a random part of the samples."""
    out = np.zeros(len(g))
    key = kernels.key_of(seed, kernels.SHARE, step)
    kernels.keep_some(key, share, g, out, first_rows(len(g)))
    return out
