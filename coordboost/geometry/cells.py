"""A proved lower end in low rank, for every rule and any number of learners: branch and bound over simplicial cones.

On the cone of unit vectors u_1, ..., u_r, with g a subgradient of h at any point: h(sum l_k u_k) >= sum l_k <g, u_k> >=
(sum l_k) min_k <g, u_k> >= |c| min_k <g, u_k>. Cones whose bound reaches the upper end are done, the others are cut in two at the middle of
their longest edge (in coordinates in which the ball is rounder). Minimisers of a polyhedral norm are sharp, so the number of
open cones stays bounded while they shrink.
"""

import math
from itertools import product

import numpy as np

#: The bound is driven to (1 - TOLERANCE) times the upper end; cones looked at; cosines looked at; largest rank tried.
TOLERANCE, BUDGET, WORK, MAX_RANK = 1e-8, 400_000, 60_000_000, 6


def certified_lower(learners, upper, budget=BUDGET):
    """A number <= Theta, and the best direction met (rank,), or None if none beats `upper`.

    *Cost*: at most `budget` subgradients of h, fewer for many learners.
    """
    budget = min(budget, WORK // learners.n_learners)
    signs = np.array(list(product([1.0], *[[1.0, -1.0]] * (learners.rank - 1))))
    cones = signs[:, :, None] * np.eye(learners.rank)
    stretch = learners.stretch
    bounds, floor, at = np.zeros(len(cones)), math.inf, None
    while len(cones) and budget > 0:
        budget -= len(cones)
        middle, rays = _unit(cones.sum(axis=1) @ stretch), _unit(cones @ stretch)
        slope = learners.slopes(middle)
        values = np.einsum("nr,nr->n", slope, middle)
        if values.min() < upper:
            upper, at = float(values.min()), middle[values.argmin()]
        bounds = np.maximum(bounds, np.einsum("nkr,nr->nk", rays, slope).min(axis=1) - 1e-14)
        done = bounds >= upper * (1 - TOLERANCE)
        floor = min(floor, float(bounds[done].min(initial=math.inf)))
        cones, bounds = _halved(cones[~done]), np.repeat(bounds[~done], 2)
    return min(floor, float(bounds.min(initial=math.inf)), upper), at


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _halved(cones):
    """Two cones for every cone (N, r, r): its longest edge is cut in the middle."""
    n, r = cones.shape[:2]
    i, j = np.triu_indices(r, 1)
    longest = np.einsum("nkr,nkr->nk", cones[:, i], cones[:, j]).argmin(axis=1)
    one, other, each = i[longest], j[longest], np.arange(n)
    middle = _unit(cones[each, one] + cones[each, other])
    out = np.repeat(cones, 2, axis=0)
    out[2 * each, one] = middle
    out[2 * each + 1, other] = middle
    return out
