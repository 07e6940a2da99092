"""The minimal cosine angle, exact where that is cheap, an interval elsewhere; what it allows as momentum."""

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from coordboost._numba.threads import on_one_thread
from coordboost.angles import exact
from coordboost.angles.interval import Interval
from coordboost.angles.learners import ReducedLearners
from coordboost.angles.lower import CONES, TOLERANCE, best_weights, certified_lower
from coordboost.angles.upper import best_reached, climb, is_small, starts
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem
from coordboost.rules.selection import Greedy
from coordboost.rules.steps import admissible

#: Exact methods with their names; the cheapest is taken if it needs less than this estimate of seconds.
EXACT = {
    "closed form": (exact.closed_cost, exact.closed_direction),
    "sign vectors": (exact.signs_cost, exact.longest_vertex),
    "facets": (exact.facets_cost, exact.nearest_facet),
    "rays": (exact.rays_cost, exact.least_ray),
}
LIMIT = 2.0


@on_one_thread
def mca(B: Any, rule: Any = None, *, groups: ArrayLike | None = None, n_starts: int = 24, rng: int = 0) -> Interval:
    r"""The minimal cosine angle :math:`\Theta = \min_{c \in \mathrm{range}(B)} \|[\cos(B_j, c)]_j\|_{\mathrm{rule}}`.

    Parameters
    ----------
    B : Problem, or array_like (n_samples, n_learners)
        The weak learners; columns of a matrix are scaled to unit length.
    rule : Greedy(), RandomSubset(t) or Groups(t); default ``Greedy()``
        The selection rule; its norm measures the cosines.
    groups : array_like, (n_learners,), optional
        Labels for ``Groups``, where B is a matrix.
    n_starts : int, default 24
        Random starts of the search for the upper end, where no exact method is cheap.
    rng : int, default 0
        Seed of the starts.

    Returns
    -------
    Interval
        ``lower <= Theta <= upper`` with witnesses; the ends differ by rounding where ``witness["method"]`` is an exact one.

    Raises
    ------
    ValueError
        For bad data, a rule without a norm, t out of range, missing groups.

    Notes
    -----
    *Cost*: NP-hard in general; closed forms, sign vectors, facets or rays in low rank, else `n_starts` local searches from above,
    and a semidefinite program and (up to rank 6) branch and bound from below. *Source*: Lu and Mazumder, Definition 4.2.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> print(cb.theory.mca(problem))
    [0.7071067811, 0.7071067812] by closed form
    """
    learners = ReducedLearners.of(B, Greedy() if rule is None else rule, groups)
    n_starts = validation.whole("n_starts", n_starts, 1)
    return exactly(learners, LIMIT) or enclosed(learners, n_starts, rng)


@on_one_thread
def unsearched(problem, rule):
    """As ``mca`` without its local search, which is what takes long: the upper end is that of the best of a few directions."""
    learners = ReducedLearners.of(problem, rule)
    return exactly(learners, LIMIT) or enclosed(learners, 0, 0)


def exactly(learners, limit):
    """The interval from the cheapest exact method that needs less than about `limit` seconds, else None."""
    costs = {name: cost(learners) for name, (cost, _) in EXACT.items()}
    for name in sorted(costs, key=lambda name: costs[name]):
        direction = EXACT[name][1](learners) if costs[name] < limit else None
        if direction is not None:
            return Interval.exact(learners, direction, name)
    return None


@on_one_thread
def second_moment_mca(B, rule=None, *, groups=None, n_starts=24, rng=0):
    r"""The second-moment angle :math:`\tilde\Theta = \min_c \sqrt{\|[\cos^2(B_j, c)]_j\|_{\mathrm{rule}}}`, an ``Interval``.

    :math:`\Theta \le \tilde\Theta \le \sqrt\Theta`, and Theorem 4.1 of Lu and Mazumder holds with it in place of Theta (docs/geometry.md).
    Parameters and errors as ``mca``; it equals ``mca`` for ``Greedy()``.
    """
    learners = ReducedLearners.of(B, Greedy() if rule is None else rule, groups)
    if len(learners.greedy.gamma) == 1:
        return mca(B, rule, groups=groups, n_starts=n_starts, rng=rng)
    return enclosed(learners.second_moment(), validation.whole("n_starts", n_starts, 1), rng)


def enclosed(learners, n_starts, rng):
    """The interval from local search above, weights and, in low rank, cones below; up to rank 4 the cones alone find the upper end.

    With no starts nothing is searched: the upper end is that of the best of a few directions.
    """
    weights = best_weights(learners)
    few = min(n_starts, 4) if learners.rank <= CONES else n_starts
    points = starts(learners, weights, few, rng)
    search = climb if is_small(learners) else best_reached
    asis = learners.rank <= 4 or n_starts == 0
    direction = min(points, key=learners.cosine) if asis else search(learners, points)
    found = Interval.of(learners, direction, method="semidefinite program and local search", weights=weights)
    if learners.rank > CONES or found.width < TOLERANCE:
        return found
    lower, better = certified_lower(learners, found.upper)
    method = "cones and local search" if lower > found.lower else found.witness["method"]
    return Interval.of(learners, direction if better is None else better, method=method, weights=weights, enumerated=lower)


#: Most entries of B for which the angle is asked for, and most seconds that it may take.
FEW, QUICK = 1 << 14, 0.1


@on_one_thread
def momentum_limit(problem: Problem) -> float | None:
    r"""The largest gamma for which accelerated boosting on these learners is proved to converge, :math:`(1 - \sqrt{1 - \Theta^2})^2`.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    float or None
        For the certified lower end of the minimal cosine angle Theta. None where no exact method is cheap: learners that cannot be
        counted, more than 16,384 entries of B, or an estimate of more than a tenth of a second.

    Notes
    -----
    *Source*: Lu, Karimireddy, Ponomareva, Mirrokni, Theorem 4.1, which prints the smaller Theta^4 / (4 + Theta^2); the proof of its
    Lemma C.6 with the best constant gives this one.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> round(cb.theory.momentum_limit(problem), 4)
    0.0858
    """
    if not checked_problem(problem).countable or problem.n_samples * problem.n_learners > FEW:
        return None
    angle = exactly(ReducedLearners.of(problem, Greedy()), QUICK)
    return None if angle is None or angle.lower <= 0 else float(admissible(angle.lower))


def settled(method, problem):
    """`method` with the gamma that is certified for `problem` in the place of ``"auto"``, where there is one."""
    store = method.coefficients
    gamma = momentum_limit(problem) if store.follow_angle else None
    if gamma is None:
        return method
    step, store = method.step._replace(gamma=gamma), store._replace(follow_angle=0)
    return replace(method, step=step, coefficients=store, parameters={**method.parameters, "gamma": gamma})
