"""Exact minimal cosine angles by the rays of a hyperplane arrangement; every rule, small rank.

h is linear on each cell of the arrangement whose normals are the columns C_j and C_i +- C_j: inside a cell the signs and the order of the
abs(C_j'c) are fixed. A cell is spanned by unit rays u_k, so h(sum l_k u_k) = sum l_k h(u_k) >= (sum l_k) min h(u_k) >= |c| min h(u_k):
the minimum is at a ray. Fewer normals do where the norm has fewer kinks.
"""

import math
from itertools import combinations, islice

import numpy as np

#: Normals closer than this to a multiple of one another are one; rays through normals that are this near to dependent are left out.
_PARALLEL = 1e-9
_BLOCK = 20_000


def cost(learners):
    """Estimated seconds: number of rays times the price of one; infinity where the learners lie on one line."""
    if learners.norm is not learners.greedy or learners.rank < 2:
        return math.inf
    return min(math.comb(_count(learners), learners.rank - 1), 10**15) * (3e-6 + 1e-8 * learners.n_learners)


def direction(learners):
    """The ray (rank,) with the smallest h."""
    chosen = combinations(_normals(learners), learners.rank - 1)
    best, at = math.inf, None
    while block := list(islice(chosen, _BLOCK)):
        found = _orthogonal(np.array(block))
        values = learners.values(found) if len(found) else np.array([math.inf])
        if values.min() < best:
            best, at = values.min(), found[values.argmin()]
    return at


def _count(learners):
    """Number of normals, before copies are taken out."""
    K, G, sizes = learners.n_learners, len(learners.greedy.gamma), learners.greedy.sizes
    if _flat(learners.greedy):
        return int((sizes * (sizes - 1)).sum()) + int((sizes == 1).sum())
    return K * (K - 1) + (K if G > 1 else 0)


def _flat(norm):
    """True where all groups weigh the same, so that their order does not matter."""
    return bool(np.ptp(norm.gamma) <= 1e-15)


def _normals(learners):
    """Unit normals (N, rank) of the places where h has a kink, each line once."""
    C, norm = learners.columns.T, learners.greedy
    i, j = np.triu_indices(len(C), 1)
    if _flat(norm):
        inside = norm.label[i] == norm.label[j]
        i, j = i[inside], j[inside]
        single = C[np.isin(norm.label, np.flatnonzero(norm.sizes == 1))]
    else:
        single = C
    normals = np.concatenate([single if len(norm.gamma) > 1 else C[:0], C[i] + C[j], C[i] - C[j]])
    length = np.linalg.norm(normals, axis=1)
    normals = normals[length > _PARALLEL] / length[length > _PARALLEL][:, None]
    leading = np.take_along_axis(normals, np.abs(normals).argmax(axis=1)[:, None], axis=1)
    normals = normals * np.sign(leading)
    _, first = np.unique(np.round(normals, 12) + 0.0, axis=0, return_index=True)
    return normals[np.sort(first)]


def _orthogonal(subsets):
    """Unit vectors orthogonal to the rows of every independent subset, (M, rank), from (N, rank - 1, rank)."""
    if subsets.shape[1] == 1:
        return np.stack([-subsets[:, 0, 1], subsets[:, 0, 0]], axis=1)
    if subsets.shape[1] == 2:
        found = np.cross(subsets[:, 0], subsets[:, 1])
        length = np.linalg.norm(found, axis=1)
        return found[length > _PARALLEL] / length[length > _PARALLEL][:, None]
    _, singular, right = np.linalg.svd(subsets)
    return right[singular[:, -1] > _PARALLEL, -1]
