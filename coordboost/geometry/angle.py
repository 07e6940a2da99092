"""The minimal cosine angle, exact where that is cheap, an interval elsewhere."""

from coordboost._numba.threads import on_one_thread
from coordboost.data import validation
from coordboost.geometry import cells, closed, facets, rays, signs
from coordboost.geometry.ascent import climb, starts
from coordboost.geometry.ball import is_small
from coordboost.geometry.design import best_weights
from coordboost.geometry.interval import Interval
from coordboost.geometry.learners import ReducedLearners
from coordboost.geometry.sphere import best_reached
from coordboost.pieces.selection import Full

#: Exact methods with their names; the cheapest is taken if it needs less than this estimate of seconds.
EXACT = {"closed form": closed, "sign vectors": signs, "facets": facets, "rays": rays}
LIMIT = 2.0


@on_one_thread
def mca(B, rule=None, *, groups=None, n_starts=24, rng=0):
    r"""The minimal cosine angle :math:`\Theta_F = \min_{c \in \mathrm{range}(B)} \|[\cos(B_j, c)]_j\|_F`.

    Parameters
    ----------
    B : Problem, or array_like (n_samples, n_learners)
        The weak learners; columns of a matrix are scaled to unit length.
    rule : Full(), Subset(t) or Groups(t); default ``Full()``
        The selection rule, whose norm F measures the cosines.
    groups : array_like, (n_learners,), optional
        Labels for ``Groups``, where B is a matrix.
    n_starts : int, default 24
        Random starts of the upper end, where no exact method is cheap.
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
    """
    learners = ReducedLearners.of(B, Full() if rule is None else rule, groups)
    n_starts = validation.whole("n_starts", n_starts, 1)
    return exactly(learners, LIMIT) or enclosed(learners, n_starts, rng)


@on_one_thread
def unsearched(problem, rule):
    """As ``mca`` without its local search, which is what takes long: the upper end is that of the best of a few directions."""
    learners = ReducedLearners.of(problem, rule)
    return exactly(learners, LIMIT) or enclosed(learners, 0, 0)


def exactly(learners, limit):
    """The interval from the cheapest exact method that needs less than about `limit` seconds, else None."""
    costs = {name: method.cost(learners) for name, method in EXACT.items()}
    for name in sorted(costs, key=lambda name: costs[name]):
        direction = EXACT[name].direction(learners) if costs[name] < limit else None
        if direction is not None:
            return Interval.exact(learners, direction, name)
    return None


@on_one_thread
def second_moment_mca(B, rule=None, *, groups=None, n_starts=24, rng=0):
    r"""The second-moment angle :math:`\tilde\Theta_F = \min_c \sqrt{\|[\cos^2(B_j, c)]_j\|_F}`, an ``Interval``.

    :math:`\Theta \le \tilde\Theta \le \sqrt\Theta`, and Theorem 4.1 of Lu and Mazumder holds with it in place of Theta (docs/geometry.md).
    Parameters and errors as ``mca``; it equals ``mca`` for ``Full()``.
    """
    learners = ReducedLearners.of(B, Full() if rule is None else rule, groups)
    if len(learners.greedy.gamma) == 1:
        return mca(B, rule, groups=groups, n_starts=n_starts, rng=rng)
    return enclosed(learners.second_moment(), validation.whole("n_starts", n_starts, 1), rng)


def enclosed(learners, n_starts, rng):
    """The interval from local search above, weights and, in low rank, cones below; up to rank 4 the cones alone find the upper end.

    With no starts nothing is searched: the upper end is that of the best of a few directions.
    """
    weights = best_weights(learners)
    few = min(n_starts, 4) if learners.rank <= cells.MAX_RANK else n_starts
    points = starts(learners, weights, few, rng)
    search = climb if is_small(learners) else best_reached
    asis = learners.rank <= 4 or n_starts == 0
    direction = min(points, key=learners.cosine) if asis else search(learners, points)
    found = Interval.of(learners, direction, method="semidefinite program and local search", weights=weights)
    if learners.rank > cells.MAX_RANK or found.width < cells.TOLERANCE:
        return found
    lower, better = cells.certified_lower(learners, found.upper)
    method = "cones and local search" if lower > found.lower else found.witness["method"]
    return Interval.of(learners, direction if better is None else better, method=method, weights=weights, enumerated=lower)
