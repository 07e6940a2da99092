"""The noise of Langevin boosting by seed, stream and step, and random parts of the samples, in
plain Python.
"""

import numpy as np

from coordboost._numba import interpreted
from coordboost._numba import noise as kernels


@interpreted
def noise(seed, stream, step, n):
    """Return the first n normal numbers at (seed, stream, step)."""
    out = np.zeros(n)
    kernels.add_noise(kernels.key_of(seed, stream, step), 1.0, np.ones(1), out, out)
    return out


@interpreted
def kept(seed, step, share, g):
    """Return an estimate of g from a random part of the samples."""
    out = np.zeros(len(g))
    kernels.keep_some(kernels.key_of(seed, kernels.SHARE, step), share, g, out)
    return out
