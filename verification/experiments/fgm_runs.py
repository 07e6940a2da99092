"""Errors, norms and profiles of runs, and of the exact Lasso, for the figures of Freund, Grigas,
Mazumder.
"""

import numpy as np

import coordboost as cb
from coordboost.engine.following import Follower


def steps_of(n_steps, n=200):
    """Return about `n` steps from 0 to n_steps: one half evenly spaced, the other half
    geometrically.
    """
    return np.unique(
        np.append(np.geomspace(1, n_steps, n // 2), np.linspace(0, n_steps, n // 2)).astype(int)
    )


def errors(run):
    """Return the training error after every step relative to the initial one, (n_steps + 1,)."""
    problem = run.problem
    path = run.path
    sums = Follower(run.method, problem.dictionary).losses(
        path, len(path), problem.loss, problem.y, problem.weight, problem.base
    )
    return np.append(1.0, sums / problem.start_loss)


def norms(run):
    """Return the l1 norm after every step of FS or LS-Boost, (n_steps + 1,)."""
    order = np.argsort(run.path.learner, kind="stable")
    theta = run.path.theta[order]
    first = np.diff(run.path.learner[order], prepend=-1) > 0
    sums = np.cumsum(theta)
    before = np.where(first, sums - theta, 0)[first]
    size = np.abs(sums - before[np.cumsum(first) - 1])
    grown = np.empty(len(theta))
    grown[order] = size - np.where(first, 0.0, np.append(0.0, size[:-1]))
    return np.append(0.0, np.cumsum(grown) * run.method.unit)


def reached(values, level):
    """Return the first index with a value of at most `level`.

    The length of `values` where there is none.
    """
    below = np.flatnonzero(values <= level)
    return int(below[0]) if len(below) else len(values)


def profile(run, at):
    """Return l1 norms (k,), relative errors (k,) and coefficients (k, n_learners) after the steps
    `at`.
    """
    states = list(run.replay(at))
    return _seen(run.problem, np.array([state.beta for state in states]))


class Lasso:
    """The exact path of the Lasso: ``l1`` (n_knots,), coefficients ``beta`` (n_knots, n_learners),
    ``end``, the last l1 norm.
    """

    def __init__(self, problem):
        path = cb.exact_path(problem)
        self.problem = problem
        self.beta = path.beta.toarray()
        self.l1 = np.maximum.accumulate(path.l1)
        self.end = float(self.l1[-1])

    def at(self, l1):
        """Return the coefficients (k, n_learners) of the Lasso with these l1 norms.

        Beyond the end, those of least squares.
        """
        return np.column_stack([np.interp(l1, self.l1, one) for one in self.beta.T])

    def profile(self, n=200):
        """Return the profile of the path, as ``profile`` of a run, at the knots and between
        them.
        """
        return _seen(self.problem, self.at(np.union1d(self.l1, np.linspace(0, self.end, n))))

    def off(self, beta):
        """Return, for each model in beta (k, n_learners), the largest distance of a coefficient
        from the Lasso of the same l1 norm.
        """
        return np.abs(beta - self.at(np.abs(beta).sum(axis=1))).max(axis=1)

    def monotone(self):
        """Return whether no coefficient shrinks along the path, up to rounding."""
        size = np.abs(self.beta)
        return bool((np.diff(size, axis=0) >= -1e-9 * size.max()).all())


def _seen(problem, beta):
    error = np.array([problem.value(problem.combine(one)) for one in beta]) / problem.start_loss
    return np.abs(beta).sum(axis=1), error, beta
