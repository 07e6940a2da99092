"""The minimal cosine angle, exact where that is cheap, else an interval.

The largest momentum that it allows.
"""

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import few
from coordboost.angles import exact
from coordboost.angles.interval import Interval
from coordboost.angles.learners import ReducedLearners
from coordboost.angles.lower import CONES, TOLERANCE, best_weights, certified_lower
from coordboost.angles.upper import best_reached, climb, is_small, starts
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem
from coordboost.rules.selection import Greedy
from coordboost.rules.steps import admissible

#: Exact methods: name -> (estimated seconds, minimiser). They are tried from the cheapest, if the
#: estimate is below LIMIT seconds.
EXACT = {
    "closed form": (exact.closed_cost, exact.closed_direction),
    "sign vectors": (exact.signs_cost, exact.longest_vertex),
    "facets": (exact.facets_cost, exact.nearest_facet),
    "rays": (exact.rays_cost, exact.least_ray),
}
LIMIT = 2.0


@on_one_thread
def mca(
    B: Any, rule: Any = None, *, groups: ArrayLike | None = None, n_starts: int = 24, rng: int = 0
) -> Interval:
    r"""The minimal cosine angle of the learners in the norm of a selection rule.

    The angle is
    :math:`\Theta = \min_{c \in \mathrm{range}(B)} \|[\cos(B_j, c)]_j\|_{\mathrm{rule}}`.

    Parameters
    ----------
    B : Problem, or array_like (n_samples, n_learners)
        The weak learners; columns of a matrix are scaled to unit length.
    rule : Greedy(), RandomSubset(t) or Groups(t); default ``Greedy()``
        The selection rule; its norm measures the cosines.
    groups : array_like, (n_learners,), optional
        Labels for ``Groups``, where B is a matrix.
    n_starts : int, default 24
        Random starts of the local search for the upper end, used where no exact method is cheap.
    rng : int, default 0
        Seed of the starts.

    Returns
    -------
    Interval
        ``lower <= Theta <= upper`` with witnesses. Where ``witness["method"]`` is an exact method,
        the ends differ only by rounding.

    Raises
    ------
    ValueError
        For bad data, a rule without a norm, t out of range, missing groups.

    Notes
    -----
    *Cost*: NP-hard in general. In low rank: closed forms, sign vectors, facets or rays. Else:
    `n_starts` local searches for the upper end; a semidefinite program and (up to rank 6) branch
    and bound for the lower end. *Source*: Lu and Mazumder, Definition 4.2: the minimum is over the
    vectors in the range of B. Lu, Karimireddy, Ponomareva, Mirrokni (*Accelerating Gradient
    Boosting Machines*), also in their Definition 4.2, take all vectors. That minimum is 0 if the
    learners do not span all vectors, for example if two rows are equal; otherwise the two agree.
    Their proofs hold for the range of B.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> print(cb.theory.mca(problem))
    [0.7071067811, 0.7071067812] by closed form
    """
    learners = ReducedLearners.of(B, Greedy() if rule is None else rule, groups)
    n_starts = few("n_starts", validation.whole("n_starts", n_starts, 1))
    return exactly(learners, LIMIT) or enclosed(learners, n_starts, rng)


@on_one_thread
def unsearched(problem, rule):
    """As ``mca`` without the slow local search.

    The upper end is the value at one eigenvector, or what the cones find.
    """
    learners = ReducedLearners.of(problem, rule)
    return exactly(learners, LIMIT) or enclosed(learners, 0, 0)


def exactly(learners, limit):
    """Return the interval of the cheapest exact method.

    None if all need more than about `limit` seconds.
    """
    costs = {name: cost(learners) for name, (cost, _) in EXACT.items()}
    for name in sorted(costs, key=lambda name: costs[name]):
        direction = EXACT[name][1](learners) if costs[name] < limit else None
        if direction is not None:
            return Interval.exact(learners, direction, name)
    return None


@on_one_thread
def second_moment_mca(B, rule=None, *, groups=None, n_starts=24, rng=0):
    r"""The second-moment angle, an ``Interval``.

    It is :math:`\tilde\Theta = \min_c \sqrt{\|[\cos^2(B_j, c)]_j\|_{\mathrm{rule}}}`.

    :math:`\Theta \le \tilde\Theta \le \sqrt\Theta`. Theorem 4.1 of Lu and Mazumder holds with it in
    place of Theta (docs/geometry.md). Parameters and errors as for ``mca``. For ``Greedy()`` the
    two angles are equal.
    """
    learners = ReducedLearners.of(B, Greedy() if rule is None else rule, groups)
    if len(learners.greedy.gamma) == 1:
        return mca(B, rule, groups=groups, n_starts=n_starts, rng=rng)
    return enclosed(
        learners.second_moment(), few("n_starts", validation.whole("n_starts", n_starts, 1)), rng
    )


def enclosed(learners, n_starts, rng):
    """Return the interval around the angle.

    The upper end is by local search, the lower end by weights and, in low rank, by cones.

    Up to rank 4 the cones find both ends. With `n_starts` = 0 there is no local search: the upper
    end is the value at one eigenvector, improved by the cones where they are used.
    """
    weights = best_weights(learners)
    n_random = min(n_starts, 4) if learners.rank <= CONES else n_starts
    points = starts(learners, weights, n_random, rng)
    search = climb if is_small(learners) else best_reached
    asis = learners.rank <= 4 or n_starts == 0
    direction = min(points, key=learners.cosine) if asis else search(learners, points)
    found = Interval.of(
        learners, direction, method="semidefinite program and local search", weights=weights
    )
    if learners.rank > CONES or found.width < TOLERANCE:
        return found
    lower, better = certified_lower(learners, found.upper)
    method = "cones and local search" if lower > found.lower else found.witness["method"]
    return Interval.of(
        learners,
        direction if better is None else better,
        method=method,
        weights=weights,
        enumerated=lower,
    )


#: Limits of ``momentum_limit``: entries of B, and estimated seconds for the angle.
FEW = 1 << 14
QUICK = 0.1


@on_one_thread
def momentum_limit(problem: Problem) -> float | None:
    r"""Return the largest gamma with a proof that accelerated boosting converges here.

    The largest gamma is :math:`(1 - \sqrt{1 - \Theta^2})^2`.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    float or None
        The limit for the certified lower end of the minimal cosine angle Theta. None where no exact
        method is cheap: implicit dictionaries, more than 16,384 entries of B, or an estimate of
        more than a tenth of a second.

    Notes
    -----
    *Source*: Lu, Karimireddy, Ponomareva, Mirrokni, Theorem 4.1, which prints the smaller Theta^4 /
    (4 + Theta^2); the proof of its Lemma C.6 gives this value with the best constant.

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
    """Return `method` with ``gamma="auto"`` replaced by the certified gamma.

    It is replaced where one is known for `problem`.
    """
    store = method.coefficients
    gamma = momentum_limit(problem) if store.follow_angle else None
    if gamma is None:
        return method
    step = method.step._replace(gamma=gamma)
    store = store._replace(follow_angle=0)
    return replace(
        method, step=step, coefficients=store, parameters={**method.parameters, "gamma": gamma}
    )
