r"""Exact minimal cosine angles: closed forms, sign vectors, rays, facets.

Each method has a function that estimates its seconds, and a function that returns the minimiser.

*Sign vectors*: for a basis and the greedy rule (Type 0). The unit ball of h is then a parallelotope
with 2^rank vertices. They solve C'c = s for a sign vector s, so 1 / Theta is the largest length of
C^{-T} s.

*Rays* of a hyperplane arrangement: for every rule, in small rank. h is linear on each cell of the
arrangement whose normals are the columns C_j and C_i +- C_j: inside a cell the signs and the order
of the abs(C_j'c) are fixed. A cell is spanned by unit rays u_k, so h(sum l_k u_k) = sum l_k h(u_k)
>= (sum l_k) min h(u_k) >= |c| min h(u_k): the minimum is at a ray. Fewer normals are enough where
the norm has fewer kinks.

*Facets* of the polytope whose support function is h: for every rule, with few learners. Theta is
the inradius of this polytope. P = {C w : dual_norm(w) <= 1} is the convex hull of the points C w, w
an extreme point of the unit ball of the dual norm: signs times the weights gamma, given to one
learner of each group. The nearest facet touches the largest ball inside, and its normal is the
minimiser.
"""

import math
from collections import Counter
from itertools import combinations, islice, permutations, product

import numpy as np
import scipy.spatial

#: Columns count as orthonormal if their inner products are this close to 0.
_ORTHOGONAL = 1e-12


def closed_cost(learners):
    """Estimated seconds: 0 where a closed form applies, else infinity."""
    return 0.0 if learners.rank == 1 or _orthonormal(learners) or _plane(learners) else math.inf


def closed_direction(learners):
    """The minimiser (rank,), where it has a closed form.

    For learners of rank 1, orthonormal learners, and learners of rank 2 under the greedy rule.
    """
    if learners.rank == 1:
        return np.ones(1)
    if _orthonormal(learners):
        return learners.columns @ _flattest(learners.norm)
    return _widest_gap(learners.columns)


def _orthonormal(learners):
    gram = learners.columns.T @ learners.columns
    return learners.n_learners == learners.rank and bool(
        np.abs(gram - np.eye(len(gram))).max() < _ORTHOGONAL
    )


def _plane(learners):
    return learners.rank == 2 and len(learners.greedy.gamma) == 1


def _flattest(norm):
    """Equal coordinates on the i largest groups.

    i has the smallest ratio in ``orthonormal``.
    """
    order = np.argsort(-norm.sizes, kind="stable")
    best = int(np.argmin(np.cumsum(norm.gamma) / np.sqrt(np.cumsum(norm.sizes[order]))))
    return np.isin(norm.label, order[: best + 1]).astype(float)


def _widest_gap(columns):
    """The middle of the widest gap between the lines of the learners in the plane, (2,)."""
    angles = np.sort(np.arctan2(columns[1], columns[0]) % math.pi)
    gaps = np.diff(np.append(angles, angles[0] + math.pi))
    widest = int(np.argmax(gaps))
    middle = angles[widest] + gaps[widest] / 2
    return np.array([math.cos(middle), math.sin(middle)])


def orthonormal(gamma, sizes=None):
    r"""Theta of an orthonormal basis.

    It is :math:`\min_i (\gamma_1 + \dots + \gamma_i) / \sqrt{n_{(1)} + \dots + n_{(i)}}`.

    Parameters
    ----------
    gamma : array_like, (n_groups,)
        Non-increasing weights.
    sizes : array_like, (n_groups,), optional
        Sizes of the groups; all 1 by default, which is (18) of Lu and Mazumder. Type 0 is
        ``gamma = [1], sizes = [p]``.
    """
    gamma = np.asarray(gamma, dtype=float)
    sizes = np.ones(len(gamma)) if sizes is None else -np.sort(-np.asarray(sizes, dtype=float))
    return float((np.cumsum(gamma) / np.sqrt(np.cumsum(sizes))).min())


_VERTICES = 1 << 14


def signs_cost(learners):
    """Estimated seconds; infinity unless the learners are a basis and the rule is greedy."""
    applies = (
        learners.norm is learners.greedy
        and len(learners.greedy.gamma) == 1
        and learners.rank == learners.n_learners
    )
    return 5e-8 * learners.rank * 2.0 ** (learners.rank - 1) if applies else math.inf


def longest_vertex(learners):
    """The longest vertex (rank,) of the unit ball of h."""
    inverse = np.linalg.inv(learners.columns)
    signs = product([1.0], *[[1.0, -1.0]] * (learners.rank - 1))
    best = -1.0
    at = None
    while block := list(islice(signs, _VERTICES)):
        vertices = np.array(block) @ inverse
        lengths = np.einsum("ij,ij->i", vertices, vertices)
        if lengths.max() > best:
            best = lengths.max()
            at = vertices[lengths.argmax()]
    return at


#: Normals shorter than this (of learners equal up to sign) are left out, and so are sets of normals
#: that are this near to dependent.
_PARALLEL = 1e-9
_RAYS = 20_000


def rays_cost(learners):
    """Estimated seconds: number of rays times the time for one.

    Infinity in rank 1 and for the second moment.
    """
    if learners.norm is not learners.greedy or learners.rank < 2:
        return math.inf
    return min(math.comb(_count(learners), learners.rank - 1), 10**15) * (
        3e-6 + 1e-8 * learners.n_learners
    )


def least_ray(learners):
    """The ray (rank,) with the smallest h."""
    chosen = combinations(_normals(learners), learners.rank - 1)
    best = math.inf
    at = None
    while block := list(islice(chosen, _RAYS)):
        found = _orthogonal(np.array(block))
        values = learners.values(found) if len(found) else np.array([math.inf])
        if values.min() < best:
            best = values.min()
            at = found[values.argmin()]
    return at


def _count(learners):
    """Number of normals, before duplicates are removed."""
    K = learners.n_learners
    G = len(learners.greedy.gamma)
    sizes = learners.greedy.sizes
    if _flat(learners.greedy):
        return int((sizes * (sizes - 1)).sum()) + int((sizes == 1).sum())
    return K * (K - 1) + (K if G > 1 else 0)


def _flat(norm):
    """Whether all groups have the same weight, so that their order does not matter."""
    return bool(np.ptp(norm.gamma) <= 1e-15)


def _normals(learners):
    """Unit normals (N, rank) of the hyperplanes on which h has a kink.

    Without duplicates up to sign.
    """
    C = learners.columns.T
    norm = learners.greedy
    i, j = np.triu_indices(len(C), 1)
    if _flat(norm):
        inside = norm.label[i] == norm.label[j]
        i = i[inside]
        j = j[inside]
        single = C[np.isin(norm.label, np.flatnonzero(norm.sizes == 1))]
    else:
        single = C
    normals = np.concatenate([single if len(norm.gamma) > 1 else C[:0], C[i] + C[j], C[i] - C[j]])
    length = np.linalg.norm(normals, axis=1)
    normals = normals[length > _PARALLEL] / length[length > _PARALLEL][:, None]
    leading = np.take_along_axis(normals, np.abs(normals).argmax(axis=1)[:, None], axis=1)
    normals = normals * np.sign(leading)
    _, first_index = np.unique(np.round(normals, 12) + 0.0, axis=0, return_index=True)
    return normals[np.sort(first_index)]


def _orthogonal(subsets):
    """Unit vectors orthogonal to the rows of every independent subset.

    They are (M, rank), from (N, rank - 1, rank).
    """
    if subsets.shape[1] == 1:
        return np.stack([-subsets[:, 0, 1], subsets[:, 0, 0]], axis=1)
    if subsets.shape[1] == 2:
        found = np.cross(subsets[:, 0], subsets[:, 1])
        length = np.linalg.norm(found, axis=1)
        return found[length > _PARALLEL] / length[length > _PARALLEL][:, None]
    _, singular, right = np.linalg.svd(subsets)
    return right[singular[:, -1] > _PARALLEL, -1]


#: Largest difference between the offset of a facet and the support function at its normal.
_WIDE = 1e-11


def facets_cost(learners):
    """Estimated seconds: a bound of the number of points, times the time of Qhull for each.

    Infinity where there are too many.
    """
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


def nearest_facet(learners):
    """Unit normal (rank,) of the facet nearest to 0.

    None where Qhull fails, or merges facets that are not coplanar.
    """
    try:
        hull = scipy.spatial.ConvexHull(_points(learners))
    except scipy.spatial.QhullError:
        return None
    normals = hull.equations[:, :-1]
    offsets = -hull.equations[:, -1]
    if np.abs(learners.values(normals) - offsets).max() > _WIDE:
        return None
    return normals[np.argmin(offsets)]


def _points(learners):
    """The points C w, (N, rank), of which some may lie inside the hull."""
    norm = learners.greedy
    sides = [
        np.concatenate([learners.columns.T[m], -learners.columns.T[m]])
        for m in np.split(norm.member, norm.start[1:])
    ]
    found = []
    for gamma in set(permutations(norm.gamma.tolist())):
        points = np.zeros((1, learners.rank))
        for weight, side in zip(gamma, sides, strict=True):
            if weight > 0:
                points = (points[:, None] + weight * side).reshape(-1, learners.rank)
        found.append(points)
    return np.unique(np.round(np.concatenate(found), 14), axis=0)
