"""The one search of a dictionary: the learners with the largest correlations, and a bound on all others."""

import numpy as np

from coordboost._generic import compiled
from coordboost._protocol import DICTIONARY
from coordboost.screening.scan import scan


def strongest(corr, k, above, learner, size):
    """Put the `k` largest abs correlations above a level into the first entries of `learner` and `size`; how many, and the next one.

    Of equal sizes the lowest learners stay. *Cost*: one pass. What was found is a heap: an entry is no larger than its two children,
    and of equal ones the higher learner is above, so the first entry is the next to go.
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
    own = DICTIONARY.of(dictionary, "best")
    if own is not None:
        return own(v, k, above)
    corr = scan(dictionary, v)
    learner, size = np.empty(k, dtype=np.int64), np.empty(k)
    count, outside = compiled(strongest, ())(corr, k, float(above), learner, size)
    ids = np.sort(learner[:count])
    ids = ids[np.argsort(-np.abs(corr[ids]), kind="stable")]
    return ids, corr[ids], float(outside)
