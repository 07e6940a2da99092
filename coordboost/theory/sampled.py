"""An upper bound of the minimal cosine angle of an implicit dictionary.

Such as trees, from many vectors.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import shown
from coordboost._utils.interrupt import uncut
from coordboost.angles.interval import Interval
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem
from coordboost.engine.run import solve
from coordboost.losses.standard import Squared
from coordboost.methods.named import ls_boost

#: Residuals shorter than this fraction of their start are treated as rounding.
GONE = 1e-6


def sampled_mca(
    problem: Problem, *, starts: int | ArrayLike = 16, n_steps: int = 25, rng: int = 0
) -> Interval:
    r"""Bound the minimal cosine angle of an implicit dictionary from above.

    The bound is the smallest cosine at many vectors.

    For a vector c let B(c) be the learner that a greedy step selects for the residual c. For trees
    it is the tree that is grown, which need not be the best of all trees. The angle is
    :math:`\Theta = \inf_c |\cos(B(c), c)|` over the range of the learners. Here c runs through the
    residuals of boosting with full steps; each start is the target of one such run.

    Parameters
    ----------
    problem : Problem
        With trees or any other learners. Its loss and its target are not used, its sample weights
        are.
    starts : int or array_like, (n_starts, n_samples), default 16
        Number of targets to draw: normal numbers, random signs and single samples in turn. Each is
        replaced by its fit in `n_steps` steps, so that it is in the range. Vectors given here are
        used as they are, and must be in the range.
    n_steps : int, default 25
        Number of residuals examined for each start.
    rng : int, default 0
        Seed of the drawn targets.

    Returns
    -------
    Interval
        ``lower`` is 0: nothing is proved from below. ``upper`` is attained at
        ``witness["direction"]``, so no theorem with Theta can promise more than with this value.
        Other vectors may have a smaller cosine. ``witness["method"]`` has the number of vectors.

    Raises
    ------
    ValueError
        For starts of another length or not finite, and where every start is 0 or no learner fits
        it.

    Notes
    -----
    *Cost*: `n_steps` searches for each start, and as many again for drawn starts. *Source*: Lu and
    Mazumder, Definition 4.2; ours for implicit dictionaries, where the angle depends on the search.

    Examples
    --------
    The angle of two orthogonal columns is 1 / sqrt(2) = 0.7071; some vectors come near to it:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> angle = cb.theory.sampled_mca(problem)
    >>> round(angle.upper, 4), angle.witness["method"]
    (0.7166, 'the smallest cosine of 29 vectors; no lower bound is proved')
    """
    n_steps = validation.whole("n_steps", n_steps, 1)
    root = np.sqrt(checked_problem(problem).weight)
    upper = math.inf
    direction = None
    n_seen = 0
    for target in _targets(problem, starts, n_steps, rng):
        for cosine, vector in _met(problem, target, n_steps):
            n_seen += 1
            if cosine < upper:
                upper = cosine
                direction = root * vector
    if direction is None:
        raise ValueError(
            "every start is 0, or no learner fits it: give starts in the range of the learners."
        )
    method = f"the smallest cosine of {n_seen:,} vectors; no lower bound is proved"
    return Interval(
        0.0,
        upper,
        {"direction": direction / np.linalg.norm(direction), "weights": None, "method": method},
    )


def _targets(problem, starts, n_steps, rng):
    """Yield the vectors to start from, in the range of the learners."""
    if not isinstance(starts, int | np.integer):
        targets = validation.numeric("starts", np.atleast_2d(starts), 2)
        if targets.shape[1] != problem.n_samples:
            raise ValueError(
                f"starts must be a number or finite vectors (n_starts, {problem.n_samples}), got "
                f"{shown(starts)}."
            )
        yield from targets
        return
    rng = np.random.default_rng(rng)
    n = problem.n_samples
    for k in range(validation.whole("starts", starts, 1)):
        drawn = (
            rng.standard_normal(n),
            rng.choice([-1.0, 1.0], n),
            np.where(np.arange(n) == rng.integers(n), 1.0, 0.0),
        )[k % 3]
        yield _boosted(problem, drawn, n_steps).pred


@uncut()
def _boosted(problem, target, n_steps):
    """Run boosting with full steps and the squared loss towards a target."""
    return solve(
        problem.replace(loss=Squared(), y=target, constant=0.0, base=0.0, offset=None),
        ls_boost(1.0),
        n_steps,
    )


def _met(problem, target, n_steps):
    """Yield (cosine with the selected learner, residual).

    For each residual on the way to the target.
    """
    run = _boosted(problem, target, n_steps)
    smallest = GONE * math.sqrt(problem.weight @ target**2)
    for state in run.replay(range(run.n_steps)):
        vector = target - state.pred
        size = math.sqrt(problem.weight @ vector**2)
        if not size > smallest or not math.isfinite(run.path.theta[state.k]):
            return
        yield abs(float(run.path.theta[state.k])) / size, vector
