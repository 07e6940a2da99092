"""Distances of coefficients modulo the kernel of B, in the dual norm of a selection rule.

The minimum of the loss; condition numbers.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import shown
from coordboost._utils.interrupt import uncut
from coordboost.angles.angle import mca
from coordboost.angles.learners import ReducedLearners, as_problem
from coordboost.angles.upper import ball
from coordboost.certificates import certify
from coordboost.certificates.objectives import Evaluation, L1Ball, Unconstrained
from coordboost.data import validation
from coordboost.data.problem import Problem
from coordboost.data.spectrum import Spectrum
from coordboost.engine.run import solve
from coordboost.methods.named import gcd
from coordboost.rules.base import SelectionRule

#: Steps of greedy coordinate descent, and most steps in all directions at once that follow them.
GREEDY, ROUNDS = 400, 60


def has_minimiser(problem):
    """Whether the level sets of the loss are known to be bounded.

    They are in the span of the columns; then a minimiser exists.
    """
    whole = problem.loss.level_radius is not None and bool((problem.weight == 1).all())
    return problem.loss.mu is not None or whole


def need_bounded(problem, meaning):
    """Refuse a loss whose level sets are not known to be bounded.

    `meaning` is the consequence, for the message.

    Raises
    ------
    ValueError
        For such a loss.
    """
    if not has_minimiser(problem):
        raise ValueError(
            f"the level sets of {type(problem.loss).__name__} are not known to be bounded: "
            f"{meaning}. Take a strongly convex loss, such as Logistic(0.1)."
        )


def least_loss(problem, near=None):
    r"""Return bounds ``(lower, upper)`` of L*, with the rank that the angles use.

    L* is the minimum of the loss over the span of the columns.

    The lower end is the larger of two. The one over all coefficients also counts directions in
    which columns are dependent up to rounding. The one over an l1 ball bounds L* if the ball
    contains a minimiser. Let z be the difference in predictions between the model and the
    minimiser, in the metric of the weights, and s the smallest singular value: some minimiser is
    within :math:`\sqrt{n} \|z\| / s` of the model in the l1 norm. A strongly convex loss has
    :math:`\|z\| \le \|P r\| / \mu`, P the projection on the columns. Otherwise both models are in a
    level set of known radius.

    near : coefficients near the optimum, where they are known; default: those that a descent
    reaches

    Raises
    ------
    ValueError
        For a loss whose level sets are not known to be bounded: its minimiser may be at infinity.

    Notes
    -----
    *Cost*: one thin SVD, and without `near` 460 steps of descent.
    """
    need_bounded(problem, "there may be no minimiser")
    at = Evaluation.point(problem, _model(problem) if near is None else near)
    everywhere, inside = (
        certify(problem, at.beta, target)
        for target in (Unconstrained(), L1Ball(at.l1 + away(problem, at)))
    )
    return max(everywhere.lower, inside.lower), everywhere.upper


@uncut()
def _model(problem):
    """Coefficients near the optimum.

    By greedy descent, then steps in all directions at once, needed for nearly dependent columns.
    """
    beta = solve(problem, gcd(), GREEDY).beta
    for _ in range(ROUNDS):
        further = (
            beta
            + problem.spectrum.solution(problem, problem.resid(problem.combine(beta)))
            / problem.loss.sigma
        )
        if problem.value(problem.combine(further)) >= problem.value(problem.combine(beta)):
            break
        beta = further
    return beta


def away(problem, at):
    """An upper bound of the l1 distance, in coefficients, from a model to the nearest minimiser."""
    mu = problem.loss.mu
    spectrum = problem.spectrum
    if not spectrum.rank:
        return 0.0
    if mu is None:
        length = 2 * problem.loss.level_radius(at.upper(problem))
    else:  # each coordinate of the projection has the rounding error of a correlation
        length = (
            float(np.linalg.norm(spectrum.project(problem, at.resid)))
            + math.sqrt(spectrum.rank) * at.rounding_of_corr(problem)
        ) / mu
    return math.sqrt(problem.n_learners) * length / float(spectrum.singular[-1])


@on_one_thread
def distance(
    B: Problem | ArrayLike,
    rule: SelectionRule,
    beta1: ArrayLike,
    beta2: ArrayLike,
    *,
    groups: ArrayLike | None = None,
) -> float:
    r"""Distance modulo the kernel of B.

    The distance is :math:`\min_{B\omega = 0} \|\beta_1 - \beta_2 - \omega\|_{F^*}`.

    It equals :math:`\max \{\langle B(\beta_1 - \beta_2), c\rangle: \|B^T c\|_F \le 1\}`, a linear
    program.

    Parameters
    ----------
    B : Problem, or array_like (n_samples, n_learners)
        The weak learners; columns of a matrix must have unit length.
    rule : SelectionRule
        ``Greedy()``, ``RandomSubset(t)`` or ``Groups(t)``: F is its norm, F* the dual norm. For
        ``Greedy()`` F* is the l1 norm.
    beta1, beta2 : array_like, (n_learners,)
        Coefficients of the unit columns.
    groups : array_like, (n_learners,), optional
        Labels for ``Groups``, where B is a matrix.

    Returns
    -------
    float
        The value at a feasible c, so at most the distance, up to the rounding of a sum.

    Raises
    ------
    ValueError
        For bad data, columns that do not have unit norm, a rule without a norm.

    Notes
    -----
    *Cost*: a thin SVD and one linear program. *Source*: Lu and Mazumder, Section 4.1, and the proof
    of Proposition 4.2.

    Examples
    --------
    The first two columns are equal, so (3, 0, 0) is equivalent to (0, 3, 0), at a distance of
    ``|2| + |-1| = 3`` from (0, 1, 1):

    >>> import coordboost as cb
    >>> B = [[1.0, 1, 0], [0, 0, 1]]
    >>> round(cb.theory.distance(B, cb.rules.Greedy(), [3.0, 0, 0], [0.0, 1, 1]), 9)
    3.0
    """
    problem = as_problem(B, groups, scale=False)
    learners = ReducedLearners.of(problem, rule)
    beta1 = validation.vector("beta1", beta1, problem.n_learners, "learner")
    beta2 = validation.vector("beta2", beta2, problem.n_learners, "learner")
    return gauge(learners, learners.columns @ np.subtract(beta1, beta2))


def gauge(learners, y):
    """Return the largest <y, c> over the unit ball of h.

    y (rank,) is in the coordinates of the basis.
    """
    size = float(np.linalg.norm(y))
    if size == 0:
        return 0.0
    c = ball(learners).maximiser(y / size)
    return float(y @ c) / max(1.0, learners.value(c))


@on_one_thread
def start_distance(
    problem: Problem, rule: SelectionRule | None = None, *, n_starts: int = 24
) -> tuple[float, float]:
    r"""Bounds ``(lower, upper)`` of :math:`\mathrm{Dist}_0`.

    It is the largest distance from a minimiser in the level set of beta = 0.

    :math:`\mathrm{Dist}_0 \le C / \Theta` with C the largest :math:`\|B(\beta - \beta^*)\|` in the
    level set. Equality holds for the squared loss, where :math:`C^2 = 2(L(0) - L^*)`. A strongly
    convex loss gives :math:`C^2 \le 2(L(0) - L^*) / \mu`; Huber's
    :math:`C \le \rho(L(0)) + \rho(L^*)`, where :math:`\rho(v)` is the length of the longest
    residual with loss v.

    Parameters
    ----------
    problem : Problem
        With explicit learners. Its loss defines the level set.
    rule : SelectionRule, default ``Greedy()``
        ``Greedy()``, ``RandomSubset(t)`` or ``Groups(t)``, whose dual norm measures the distance.
    n_starts : int, default 24
        Random starts of the search for the angle, see ``mca``.

    Returns
    -------
    lower, upper : float
        In the units of the coefficients of unit columns. For other losses than the squared one the
        lower end is 0.

    Raises
    ------
    ValueError
        If `problem` is not a ``Problem``, or the level sets of its loss are not known to be
        bounded.

    Notes
    -----
    *Cost*: that of ``mca``, and at most 460 steps of descent for a strongly convex loss. *Source*:
    Lu and Mazumder, Proposition 4.6.

    Examples
    --------
    Two orthogonal columns have Theta = 1 / sqrt(2), and the least-squares fit of y has length
    3.095, so both ends are sqrt(2) * 3.095:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> lower, upper = cb.theory.start_distance(problem)
    >>> round(lower, 3), round(upper, 3)
    (4.377, 4.377)
    """
    if not isinstance(problem, Problem):
        raise ValueError(
            f"problem must be a Problem, whose loss defines the level set, got {shown(problem)}."
        )
    angle = mca(problem, rule, n_starts=n_starts)
    lower, upper = reach(problem)
    return lower / angle.upper, upper / angle.lower


def reach(problem, optimum=None):
    """Return bounds of the largest norm of B (beta - beta*) over a level set.

    The norm is in the metric of the weights, the level set is that of beta = 0.

    optimum : the result of `least_loss`, where it is known
    """
    loss = problem.loss
    mu = problem.loss.mu
    start = problem.value(np.zeros(problem.n_samples))
    if mu is None:
        need_bounded(problem, "Dist_0 may be infinite")
        return 0.0, 2 * loss.level_radius(start)
    ends = [math.sqrt(2 * max(0.0, start - end) / mu) for end in optimum or least_loss(problem)]
    return (ends[1] if loss.quadratic else 0.0), ends[0]


@on_one_thread
def lambda_pmin(B: Problem | ArrayLike) -> float:
    """Smallest non-zero eigenvalue of B'B, or of B'WB with sample weights.

    Parameters
    ----------
    B : Problem, or array_like (n_samples, n_learners)
        The weak learners; columns of a matrix are scaled to unit length, and not centred.

    Returns
    -------
    float
        At most n_learners / rank; inf where all columns are 0.

    Raises
    ------
    ValueError
        For learners that are found one by one, such as trees, and a matrix that is empty or not
        finite.

    Notes
    -----
    *Cost*: one thin SVD. *Source*: Freund, Grigas, Mazumder, (8) and (9).

    Examples
    --------
    Two unit columns with inner product c have the eigenvalues 1 - c and 1 + c, here c = 1 /
    sqrt(2):

    >>> import coordboost as cb
    >>> round(cb.theory.lambda_pmin([[1.0, 1], [0, 1]]), 3)
    0.293
    """
    return Spectrum.of(as_problem(B)).lambda_pmin


@on_one_thread
def kappa(B: Problem | ArrayLike) -> float:
    """n_learners / lambda_pmin, a condition number of the weak learners.

    Parameters
    ----------
    B : Problem, or array_like (n_samples, n_learners)
        The weak learners; columns of a matrix are scaled to unit length, and not centred.

    Returns
    -------
    float
        At least 1 for unit columns; 1 for orthogonal ones. LS-Boost with eps = 1 is guaranteed to
        reduce its gap by a fraction of at least 1 / (4 kappa) in each step.

    Raises
    ------
    ValueError
        As ``lambda_pmin``.

    Notes
    -----
    *Cost*: one thin SVD. *Source*: Freund, Grigas, Mazumder, Theorem 2.1.

    Examples
    --------
    Two unit columns with inner product 1 / sqrt(2) have kappa = 2 / (1 - 1 / sqrt(2)):

    >>> import coordboost as cb
    >>> round(cb.theory.kappa([[1.0, 1], [0, 1]]), 3)
    6.828
    """
    return Spectrum.of(as_problem(B)).kappa
