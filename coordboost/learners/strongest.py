"""The one choice of learners: those with the largest correlations, and a bound on all others.

Of equal sizes at the edge the lowest learners are taken, by everybody. The candidates of lookahead and those among them that are its front
are many: the size at the edge is found by halving (`edge`).
"""

import numpy as np

from coordboost._numba import compiled, kernel

#: The bits of a float64 but for its sign. Read as whole numbers they have the order of the sizes; a NaN is larger than all.
SIZE_BITS = 0x7FFFFFFFFFFFFFFF


@kernel
def edge(bits, k):
    """The `k` largest sizes among numbers whose bits are given, 0 < k <= n: all above a level, also as bits, and how many of those at it.

    *Cost*: a pass for each halving, about a dozen where no sizes are equal, 63 at most.
    """
    low, high, count = 0, 0, len(bits)
    for p in range(len(bits)):
        size = bits[p] & SIZE_BITS
        high = size if size > high else high
    high += 1
    while high - low > 1 and count > k:  # as many as `count` >= k reach `low`, fewer than k reach `high`
        middle, reach = low + (high - low) // 2, 0
        for p in range(len(bits)):
            reach += (bits[p] & SIZE_BITS) >= middle
        if reach >= k:
            low, count = middle, reach
        else:
            high = middle
    above = 0
    for p in range(len(bits)):
        above += (bits[p] & SIZE_BITS) > low
    return low, k - above


def top_learners(corr, tie, n_candidates):
    """The `n_candidates` learners with the largest abs correlation (and the winner), increasing, and the largest outside.

    The winner is the lowest of those within `tie` of the largest. *Cost*: about 20 passes.
    """
    if n_candidates >= len(corr):
        return np.arange(len(corr)), -np.inf
    sizes = np.abs(corr)
    bits = sizes.view(np.int64)
    level, ties = compiled(edge)(bits, n_candidates)
    inside = bits > level
    inside[np.flatnonzero(bits == level)[:ties]] = True
    top = sizes.max()
    inside[np.argmax(sizes >= top - min(tie, top / 2))] = True
    sizes[inside] = -np.inf
    return np.flatnonzero(inside), float(sizes.max())
