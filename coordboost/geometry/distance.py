"""Distances of coefficients modulo the kernel of B, in the dual norm of a selection rule."""

import math

import numpy as np

from coordboost._checks import shown
from coordboost._numba.threads import on_one_thread
from coordboost.data import validation
from coordboost.geometry.angle import mca
from coordboost.geometry.ball import ball
from coordboost.geometry.learners import ReducedLearners, as_problem
from coordboost.geometry.least import least_loss, need_bounded
from coordboost.problem import Problem


@on_one_thread
def distance(B, rule, beta1, beta2, *, groups=None):
    r"""Distance modulo the kernel of B: :math:`\min_{B\omega = 0} \|\beta_1 - \beta_2 - \omega\|_{F^*}`.

    It equals :math:`\max \{\langle B(\beta_1 - \beta_2), c\rangle: \|B^T c\|_F \le 1\}`, a linear program.

    Parameters
    ----------
    B : Problem, or array_like (n_samples, n_learners) with unit columns
    rule : Full(), Subset(t) or Groups(t)
    beta1, beta2 : array_like, (n_learners,)
        Coefficients of the unit columns.
    groups : array_like, (n_learners,), optional
        Labels for ``Groups``, where B is a matrix.

    Returns
    -------
    float
        The value at a feasible c, so not above the distance but for the rounding of a sum.

    Raises
    ------
    ValueError
        For bad data, columns that do not have unit norm, a rule without a norm.

    Notes
    -----
    *Cost*: a thin SVD and one linear program. *Source*: Lu and Mazumder, Section 4.1, and the proof of Proposition 4.2.
    """
    problem = as_problem(B, groups, scale=False)
    learners = ReducedLearners.of(problem, rule)
    beta1 = validation.vector("beta1", beta1, problem.n_learners, "learner")
    beta2 = validation.vector("beta2", beta2, problem.n_learners, "learner")
    return gauge(learners, learners.columns @ (beta1 - beta2))


def gauge(learners, y):
    """The largest <y, c> over the unit ball of h, for y (rank,) in the coordinates of the basis."""
    size = float(np.linalg.norm(y))
    if size == 0:
        return 0.0
    c = ball(learners).maximiser(y / size)
    return float(y @ c) / max(1.0, learners.value(c))


@on_one_thread
def start_distance(problem, rule=None, *, n_starts=24):
    r"""Bounds ``(lower, upper)`` of :math:`\mathrm{Dist}_0`: the largest distance from a minimiser in the level set of beta = 0.

    :math:`\mathrm{Dist}_0 \le C / \Theta` with C the largest :math:`\|B(\beta - \beta^*)\|` in the level set; equality for
    the squared loss, where :math:`C^2 = 2(L(0) - L^*)`. A strongly convex loss gives :math:`C^2 \le 2(L(0) - L^*) / \mu`; Huber's
    :math:`C \le \rho(L(0)) + \rho(L^*)`, where :math:`\rho(v)` is the length of the longest residual with loss v.

    Raises
    ------
    ValueError
        For a loss whose level sets are not known to be bounded.

    Notes
    -----
    *Source*: Lu and Mazumder, Proposition 4.6. Without the equality the lower end is 0.
    """
    if not isinstance(problem, Problem):
        raise ValueError(f"problem must be a Problem, whose loss defines the level set, got {shown(problem)}.")
    angle = mca(problem, rule, n_starts=n_starts)
    lower, upper = reach(problem)
    return lower / angle.upper, upper / angle.lower


def reach(problem, least=None):
    """Bounds of the largest length of B (beta - beta*), in the metric of the weights, over the level set of beta = 0.

    least : what `least_loss` gives, where it is known
    """
    loss, mu = problem.loss, problem.loss.mu
    start = problem.value(np.zeros(problem.n_samples))
    if mu is None:
        need_bounded(problem, "Dist_0 may be infinite")
        return 0.0, 2 * loss.level_radius(start)
    ends = [math.sqrt(2 * max(0.0, start - end) / mu) for end in least or least_loss(problem)]
    return (ends[1] if loss.quadratic else 0.0), ends[0]
