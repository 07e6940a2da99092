"""What the figures of Freund, Grigas, Mazumder show of a run: errors and norms, profiles, and the exact Lasso beside them."""

import numpy as np

import coordboost as cb
from coordboost.engine.following import Follower


def steps_of(n_steps, n=200):
    """0, 1, ..., n_steps: half of them evenly spaced, half growing."""
    return np.unique(np.append(np.geomspace(1, n_steps, n // 2), np.linspace(0, n_steps, n // 2)).astype(int))


def errors(run):
    """The training error after every step in parts of that at the start, (n_steps + 1,)."""
    problem, path = run.problem, run.path
    sums = Follower(run.method, problem.dictionary).losses(path, len(path), problem.loss, problem.y, problem.weight, problem.base)
    return np.append(1.0, sums / problem.start_loss)


def norms(run):
    """The l1 norm after every step of FS or LS-Boost, (n_steps + 1,)."""
    order = np.argsort(run.path.learner, kind="stable")
    theta, first = run.path.theta[order], np.diff(run.path.learner[order], prepend=-1) > 0
    sums = np.cumsum(theta)
    before = np.where(first, sums - theta, 0)[first]
    size = np.abs(sums - before[np.cumsum(first) - 1])
    grown = np.empty(len(theta))
    grown[order] = size - np.where(first, 0.0, np.append(0.0, size[:-1]))
    return np.append(0.0, np.cumsum(grown) * run.method.unit)


def reached(values, level):
    """The first step after which a value is at most `level`; the number of steps and one where none is."""
    below = np.flatnonzero(values <= level)
    return int(below[0]) if len(below) else len(values)


def profile(run, at):
    """Norms (k,), relative errors (k,) and coefficients (k, n_learners) after the steps `at`."""
    states = list(run.replay(at))
    return _seen(run.problem, np.array([state.beta for state in states]))


class Lasso:
    """The exact path of the Lasso: ``l1`` (n_knots,), coefficients ``beta`` (n_knots, n_learners), ``end``, the last l1 norm."""

    def __init__(self, problem):
        path = cb.exact_path(problem)
        self.problem, self.beta, self.l1 = problem, path.beta.toarray(), np.maximum.accumulate(path.l1)
        self.end = float(self.l1[-1])

    def at(self, l1):
        """Coefficients of the Lasso with these l1 norms, (k, n_learners); those of least squares beyond the end."""
        return np.column_stack([np.interp(l1, self.l1, one) for one in self.beta.T])

    def profile(self, n=200):
        """As that of a run, at the knots and between."""
        return _seen(self.problem, self.at(np.union1d(self.l1, np.linspace(0, self.end, n))))

    def off(self, beta):
        """The largest distance of a coefficient from the Lasso with the same norm, for each model (k, n_learners)."""
        return np.abs(beta - self.at(np.abs(beta).sum(axis=1))).max(axis=1)

    def monotone(self):
        """Whether no coefficient turns back on the way, up to rounding."""
        size = np.abs(self.beta)
        return bool((np.diff(size, axis=0) >= -1e-9 * size.max()).all())


def _seen(problem, beta):
    error = np.array([problem.value(problem.combine(one)) for one in beta]) / problem.start_loss
    return np.abs(beta).sum(axis=1), error, beta
