"""The least loss over all coefficients, as an interval, where it is known how far a minimiser may be."""

import math

import numpy as np

from coordboost.certificates import certify
from coordboost.interrupt import uncut
from coordboost.methods import gcd
from coordboost.solving import solve
from coordboost.targets import At, Ball, Unconstrained

#: Steps of greedy coordinate descent, and steps in all directions at once that follow them.
GREEDY, ROUNDS = 400, 60


def has_minimiser(problem):
    """Whether the level sets of the loss are known to be bounded in the span of the columns, so that there is a minimiser."""
    whole = problem.loss.level_radius is not None and bool((problem.weight == 1).all())
    return problem.loss.mu is not None or whole


def need_bounded(problem, meaning):
    """Refuse a loss whose level sets are not known to be bounded, and say what that means.

    Raises
    ------
    ValueError
        For such a loss.
    """
    if not has_minimiser(problem):
        raise ValueError(
            f"the level sets of {type(problem.loss).__name__} are not known to be bounded: {meaning}. Take a strongly convex loss, such as "
            "Logistic(0.1)."
        )


def least_loss(problem, near=None):
    r"""``(lower, upper)`` around L*, the least loss over the span of the columns as the angles see it.

    Two lower ends, the better counts. That over all coefficients takes columns that are dependent up to rounding for a direction more.
    That over a ball is a bound of L* where the ball holds a minimiser: with z the way in predictions from the model to the minimiser, in
    the metric of the weights, and s the smallest singular value, one is within :math:`\sqrt{n} \|z\| / s` in the l1 norm. A strongly
    convex loss has :math:`\|z\| \le \|P r\| / \mu`, P the projection on the columns. Otherwise both models are in a level set of known
    radius.

    near : coefficients near the optimum, where they are known; default: those of a descent

    Raises
    ------
    ValueError
        For a loss whose level sets are not known to be bounded: its minimiser may be at infinity.

    Notes
    -----
    *Cost*: one thin SVD, and without `near` 460 steps of descent.
    """
    need_bounded(problem, "there may be no minimiser")
    at = At.point(problem, _model(problem) if near is None else near)
    everywhere, inside = (certify(problem, at.beta, target) for target in (Unconstrained(), Ball(at.l1 + away(problem, at))))
    return max(everywhere.lower, inside.lower), everywhere.upper


@uncut()
def _model(problem):
    """Coefficients near the optimum; steps in all directions at once go on where the columns are nearly dependent."""
    beta = solve(problem, gcd(), GREEDY).beta
    for _ in range(ROUNDS):
        further = beta + problem.spectrum.solution(problem, problem.resid(problem.combine(beta))) / problem.loss.sigma
        if problem.value(problem.combine(further)) >= problem.value(problem.combine(beta)):
            break
        beta = further
    return beta


def away(problem, at):
    """At least the l1 norm of the way in coefficients from a model to the nearest minimiser."""
    mu, spectrum = problem.loss.mu, problem.spectrum
    if not spectrum.rank:
        return 0.0
    if mu is None:
        way = 2 * problem.loss.level_radius(at.upper(problem))
    else:  # in each direction the projection is rounded as a correlation is
        way = (float(np.linalg.norm(spectrum.project(problem, at.resid))) + math.sqrt(spectrum.rank) * at.doubt(problem)) / mu
    return math.sqrt(problem.n_learners) * way / float(spectrum.singular[-1])
