"""Weights on the learners that prove lower ends: optimal designs, found by a semidefinite program."""

import warnings

import numpy as np

from coordboost.geometry.interval import floor_of

#: Largest rank and number of learners given to the semidefinite solver; most sums of largest masses written down.
MAX_RANK, MAX_LEARNERS, MAX_SUMS = 60, 400, 24


def even(learners):
    """Every group the same mass, spread evenly over its learners, (n_learners,)."""
    norm = learners.greedy
    return 1.0 / (len(norm.gamma) * norm.sizes[norm.label])


def best_weights(learners):
    r"""The weights (n_learners,) with the best lower end among even ones and the solutions of two semidefinite programs.

    Maximise :math:`\lambda_{\min}(C\,\mathrm{diag}(\lambda)\,C^T)` over :math:`\lambda \ge 0` with :math:`S_i \le \Gamma_i^q`,
    q = 1 for the second moment, q = 2 for the first (see ``floor_of``, which re-checks whatever the solver says).
    """
    found = [even(learners)]
    if learners.rank <= MAX_RANK and learners.n_learners <= MAX_LEARNERS:
        powers = (1, 2) if learners.norm is learners.greedy and len(learners.greedy.gamma) > 1 else (1,)
        found += [weights for power in powers if (weights := _program(learners, power)) is not None]
    return max(found, key=lambda weights: floor_of(learners, weights))


def _program(learners, power):
    """The solution of one program, or None where the solver fails."""
    import cvxpy as cp

    norm, C = learners.greedy, learners.columns
    groups = len(norm.gamma)
    belongs = (norm.label == np.arange(groups)[:, None]).astype(float)
    weights = cp.Variable(learners.n_learners, nonneg=True)
    masses, top = belongs @ weights, np.cumsum(norm.gamma) ** power
    few = np.unique(np.round(np.geomspace(1, groups, MAX_SUMS)).astype(int)) if groups > MAX_SUMS else np.arange(1, groups + 1)
    limits = [masses <= top[0], *[cp.sum_largest(masses, int(i)) <= top[i - 1] for i in few[1:]]]
    model = cp.Problem(cp.Maximize(cp.lambda_min(C @ cp.diag(weights) @ C.T)), limits)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "may be inaccurate": floor_of judges that
            model.solve(solver=cp.CLARABEL)
    except cp.error.SolverError:
        return None
    return None if weights.value is None else np.maximum(weights.value, 0.0)
