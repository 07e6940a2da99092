"""Lower ends of the minimal cosine angle: by weights on the learners, and by cones.

*Weights* that prove lower ends are optimal designs, found by a semidefinite program.

*Cones*: branch and bound over simplicial cones, in low rank, for every rule and any number of
learners.

On the cone of unit vectors u_1, ..., u_r, with g a subgradient of h at any point: h(sum l_k u_k) >=
sum l_k <g, u_k> >= (sum l_k) min_k <g, u_k> >= |c| min_k <g, u_k>. Cones whose bound reaches the
upper end are finished. The others are cut in two at the middle of their longest edge (in
coordinates in which the ball is rounder). Minimisers of a polyhedral norm are sharp, so the number
of open cones stays bounded while they shrink.
"""

import math
import warnings
from itertools import product

import numpy as np

from coordboost.angles.interval import floor_of

#: Limits of the semidefinite program: rank, number of learners, and number of constraints on sums
#: of the largest masses.
MAX_RANK, MAX_LEARNERS, MAX_SUMS = 60, 400, 24


def even(learners):
    """Weights (n_learners,) that give every group the same mass.

    It is spread evenly over the learners of the group.
    """
    norm = learners.greedy
    return 1.0 / (len(norm.gamma) * norm.sizes[norm.label])


def best_weights(learners):
    r"""Return the weights (n_learners,) with the best lower end.

    They are even ones, or the solution of a semidefinite program.

    The programs maximise :math:`\lambda_{\min}(C\,\mathrm{diag}(\lambda)\,C^T)` over
    :math:`\lambda \ge 0` with :math:`S_i \le \Gamma_i^q`, q = 1 for the second moment, q = 2 for
    the first. ``floor_of`` recomputes the lower end, so the solver need not be trusted.
    """
    found = [even(learners)]
    if learners.rank <= MAX_RANK and learners.n_learners <= MAX_LEARNERS:
        powers = (
            (1, 2) if learners.norm is learners.greedy and len(learners.greedy.gamma) > 1 else (1,)
        )
        found += [weights for power in powers if (weights := _program(learners, power)) is not None]
    return max(found, key=lambda weights: floor_of(learners, weights))


def _program(learners, power):
    """The solution of one program, or None where the solver fails."""
    import cvxpy as cp

    norm = learners.greedy
    C = learners.columns
    groups = len(norm.gamma)
    belongs = (norm.label == np.arange(groups)[:, None]).astype(float)
    weights = cp.Variable(learners.n_learners, nonneg=True)
    masses = belongs @ weights
    top = np.cumsum(norm.gamma) ** power
    sizes = (
        np.unique(np.round(np.geomspace(1, groups, MAX_SUMS)).astype(int))
        if groups > MAX_SUMS
        else np.arange(1, groups + 1)
    )
    limits = [masses <= top[0], *[cp.sum_largest(masses, int(i)) <= top[i - 1] for i in sizes[1:]]]
    model = cp.Problem(cp.Maximize(cp.lambda_min(C @ cp.diag(weights) @ C.T)), limits)
    try:
        with warnings.catch_warnings():
            # "may be inaccurate": floor_of recomputes the lower end
            warnings.simplefilter("ignore")
            model.solve(solver=cp.CLARABEL)
    except cp.error.SolverError:
        return None
    return None if weights.value is None else np.maximum(weights.value, 0.0)


#: Cones are cut until their bound is (1 - TOLERANCE) times the upper end; limits: number of cones,
#: of cosines, and rank.
TOLERANCE = 1e-8
BUDGET = 400_000
WORK = 60_000_000
CONES = 6


def certified_lower(learners, upper, budget=BUDGET):
    """Return a number <= Theta, and the best direction found (rank,).

    The direction is None if none has a cosine below `upper`.

    *Cost*: at most `budget` subgradients of h, fewer for many learners.
    """
    budget = min(budget, WORK // learners.n_learners)
    signs = np.array(list(product([1.0], *[[1.0, -1.0]] * (learners.rank - 1))))
    cones = signs[:, :, None] * np.eye(learners.rank)
    stretch = learners.stretch
    bounds = np.zeros(len(cones))
    floor = math.inf
    at = None
    while len(cones) and budget > 0:
        budget -= len(cones)
        middle = _unit(cones.sum(axis=1) @ stretch)
        rays = _unit(cones @ stretch)
        slope = learners.slopes(middle)
        values = np.einsum("nr,nr->n", slope, middle)
        if values.min() < upper:
            upper = float(values.min())
            at = middle[values.argmin()]
        bounds = np.maximum(bounds, np.einsum("nkr,nr->nk", rays, slope).min(axis=1) - 1e-14)
        done = bounds >= upper * (1 - TOLERANCE)
        floor = min(floor, float(bounds[done].min(initial=math.inf)))
        cones = _halved(cones[~done])
        bounds = np.repeat(bounds[~done], 2)
    return min(floor, float(bounds.min(initial=math.inf)), upper), at


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _halved(cones):
    """Cut every cone (N, r, r) in two, in the middle of its longest edge."""
    n, r = cones.shape[:2]
    i, j = np.triu_indices(r, 1)
    longest = np.einsum("nkr,nkr->nk", cones[:, i], cones[:, j]).argmin(axis=1)
    start = i[longest]
    end = j[longest]
    each = np.arange(n)
    middle = _unit(cones[each, start] + cones[each, end])
    halves = np.repeat(cones, 2, axis=0)
    halves[2 * each, start] = middle
    halves[2 * each + 1, end] = middle
    return halves
