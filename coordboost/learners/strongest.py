"""The one choice of learners: those with the largest correlations, and a bound on all others.

Of equal sizes at the edge the lowest learners are taken, by everybody. The search of a dictionary looks for a few above a level: they
are kept in a heap (`strongest`). The candidates of lookahead and those among them that are its front are many: the size at the edge is
found by halving (`edge`).
"""

import numpy as np

from coordboost._numba import compiled, kernel
from coordboost.learners.scan import scan

#: The bits of a float64 but for its sign. Read as whole numbers they have the order of the sizes; a NaN is larger than all.
SIZE_BITS = 0x7FFFFFFFFFFFFFFF


@kernel
def strongest(corr, k, above, learner, size):
    """Put the `k` largest abs correlations above a level into the first entries of `learner` and `size`; how many, and the next one.

    Of equal sizes the lowest learners stay. *Cost*: one pass. What was found is a heap: an entry is no larger than its two children,
    and of equal ones the higher learner is above, so the first entry is the next to go: the edge, where `k` were found.
    """
    count, outside = 0, 0.0
    for j in range(len(corr)):
        now = abs(corr[j])
        if now <= above or (count == k and now <= size[0]):
            outside = max(outside, now)
            continue
        if count < k:
            child = count
            count += 1
            while child > 0 and size[(child - 1) // 2] >= now:  # of equal ones the last found is the first to go
                size[child], learner[child] = size[(child - 1) // 2], learner[(child - 1) // 2]
                child = (child - 1) // 2
        else:
            outside = max(outside, size[0])
            child, below = 0, 1
            while below < k:
                if below + 1 < k and (
                    size[below + 1] < size[below] or (size[below + 1] == size[below] and learner[below + 1] > learner[below])
                ):
                    below += 1
                if size[below] >= now:
                    break
                size[child], learner[child] = size[below], learner[below]
                child, below = below, 2 * below + 1
        size[child], learner[child] = now, j
    return count, outside


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


def best(dictionary, v, k, above=0.0):
    """The `k` learners with the largest abs correlation <B_j, v> above a level, and a bound on all others.

    Parameters
    ----------
    v : (n_samples,)
    k : int >= 1
    above : float, default 0
        Correlations up to this size are not looked for. Nothing found: no learner has a larger one.

    Returns
    -------
    ids : int64 (<= k,)
        Largest first, of equal ones the lowest first.
    corr : (<= k,)
    outside : float
        No learner that is not among `ids` has a larger abs correlation.

    Notes
    -----
    *Cost*: what the dictionary's own verb ``best`` costs; without one, a scan and one compiled pass.
    """
    own = dictionary.best
    if own is not None:
        return own(v, k, above)
    corr = scan(dictionary, v)
    learner, size = np.empty(k, dtype=np.int64), np.empty(k)
    count, outside = compiled(strongest)(corr, k, float(above), learner, size)
    ids = np.sort(learner[:count])
    ids = ids[np.argsort(-np.abs(corr[ids]), kind="stable")]
    return ids, corr[ids], float(outside)
