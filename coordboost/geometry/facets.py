"""Exact minimal cosine angles as inradii: the facets of the polytope whose support function is h; every rule, few learners.

P = {C w : dual_norm(w) <= 1} is the convex hull of the points C w, w an extreme point of the unit ball of the dual norm: signs times the
weights gamma, given to one learner of each group. The nearest facet touches the largest ball inside, and its normal is the minimiser.
"""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import scipy.spatial

#: A facet that misses its own extreme points by more than this is no facet.
_WIDE = 1e-11


def cost(learners):
    """Estimated seconds: a bound of the number of points, and what Qhull needs for each where they are spread out."""
    if learners.norm is not learners.greedy or not 2 <= learners.rank <= 9:
        return math.inf
    norm = learners.greedy
    copies = math.prod(math.factorial(times) for times in Counter(norm.gamma.tolist()).values())
    used = int((norm.gamma > 0).sum())
    try:
        orders = math.factorial(len(norm.gamma)) / copies
        points = orders * math.prod(2.0 * size for size in np.sort(norm.sizes)[::-1][:used])
        return math.inf if len(norm.gamma) > 7 else 2e-5 * points * 4.0 ** max(0, learners.rank - 4)
    except OverflowError:
        return math.inf


def direction(learners):
    """Unit normal (rank,) of the facet nearest to 0; None where Qhull fails, or merges facets that are not one."""
    try:
        hull = scipy.spatial.ConvexHull(_points(learners))
    except scipy.spatial.QhullError:
        return None
    normals, offsets = hull.equations[:, :-1], -hull.equations[:, -1]
    if np.abs(learners.values(normals) - offsets).max() > _WIDE:
        return None
    return normals[np.argmin(offsets)]


def _points(learners):
    """The points C w, (N, rank), some of them inside the hull."""
    norm = learners.greedy
    sides = [np.concatenate([learners.columns.T[m], -learners.columns.T[m]]) for m in np.split(norm.member, norm.start[1:])]
    found = []
    for gamma in set(permutations(norm.gamma.tolist())):
        points = np.zeros((1, learners.rank))
        for weight, side in zip(gamma, sides, strict=True):
            if weight > 0:
                points = (points[:, None] + weight * side).reshape(-1, learners.rank)
        found.append(points)
    return np.unique(np.round(np.concatenate(found), 14), axis=0)
