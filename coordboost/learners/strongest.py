"""Select the learners with the largest absolute correlations, and bound all others.

Ties at the edge go to the lowest index, everywhere. Lookahead selects many learners, for its
candidates and for its front. So the smallest selected size is found by bisection (`edge`), not by
sorting.
"""

import numpy as np

from coordboost._numba import compiled, kernel

#: All bits of a float64 but the sign. Read as integers, they are ordered as the absolute values;
#: NaN comes last.
SIZE_BITS = 0x7FFFFFFFFFFFFFFF


@kernel
def edge(bits, k):
    """Find the `k` largest absolute values, 0 < k <= n.

    Return a level (as bits), and how many values equal to it belong to the k largest.

    All values above the level belong to them, too. *Cost*: one pass per bisection step, about a
    dozen without ties, 63 at most.
    """
    low = 0
    high = 0
    count = len(bits)
    for p in range(len(bits)):
        size = bits[p] & SIZE_BITS
        high = size if size > high else high
    high += 1
    # `count` >= k values are at least `low`, fewer than k are at least `high`
    while high - low > 1 and count > k:
        middle = low + (high - low) // 2
        reach = 0
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
    """Return the learners with the largest absolute correlations, and a bound of the others.

    They are `n_candidates` with indices increasing; the bound is the largest size outside.

    The winner, the lowest index within `tie` of the largest size, is always included, if need be in
    addition. *Cost*: about 20 passes.
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
