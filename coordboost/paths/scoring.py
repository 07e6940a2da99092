"""Losses on other rows along a path."""

import numpy as np
import scipy.sparse

from coordboost._numba.sums import totals_of
from coordboost._numba.threads import on_one_thread
from coordboost.data import validation
from coordboost.data.inmemory import columns_as_in
from coordboost.dictionaries import Dense
from coordboost.engine.follow import Follower
from coordboost.engine.path import Path

#: Entries of columns of the new rows that are held at a time.
BLOCK = 1 << 23


def rows_of(problem, X, y, sample_weight):
    """Targets of new rows as the loss takes them, and their weights, (len(X),) each."""
    shape = X.shape if isinstance(getattr(X, "shape", None), tuple) else validation.as_array("X", X).shape
    if len(shape) != 2:
        raise ValueError(f"X must have 2 dimensions, got shape {shape}.")
    n = shape[0]
    y = validation.target(y, n)
    return problem.loss.labels(y) if problem.loss.labels else y, validation.sample_weight(sample_weight, n)


def least_mean(loss, y, weight):
    """The mean over rows of what their losses are never below, as the loss declares it; 0 where it declares nothing."""
    least = float(validation.infimum(loss, y) @ weight / weight.sum())
    return least if least > -np.inf else 0.0


def losses_of(problem, preds, y, weight):
    """Sums of the losses at several predictions (offset included), an iterable of (n,)."""
    return np.array(totals_of(problem.loss, y, weight, 0.0, map(np.asarray, preds)))


@on_one_thread
def run_losses(run, X, y, weight, shifts=0.0):
    """Sums of the losses on the rows X after 0, 1, ..., n_steps steps of a run, (n_steps + 1,).

    shifts : (n_steps + 1,), what is added to the constant prediction of each of these models, or a number for all
    """
    problem, shifts = run.problem, np.full(run.n_steps + 1, shifts, dtype=np.float64)
    if not followed(run):
        states = run.replay(range(run.n_steps + 1))
        models = (problem.predict(state.beta, X) + shift for state, shift in zip(states, shifts, strict=True))
        return losses_of(problem, models, y, weight)
    offsets = problem.offset + shifts
    total = np.zeros(run.n_steps + 1)
    total[:1] = losses_of(problem, [np.full(len(y), offsets[0])], y, weight)
    if run.n_steps:
        for part, path, follower in followers(run, X, len(y)):
            total[1:] += follower.losses(path, len(path), problem.loss, y[part], weight[part], offsets[1:])
    return total


def predictions(run):
    """B beta on the rows of the fit after 0, 1, ... steps, an iterator of one array (n_samples,) that moves."""
    if not followed(run):
        return (state.pred for state in run.replay(range(run.n_steps + 1)))
    return _moving(Follower(run.method, run.problem.dictionary), run.path)


def _moving(follower, path):
    for k in range(len(path) + 1):
        follower.move(path, k)
        yield follower.pred


def followed(run):
    """Whether predictions can be brought along the path of a run, column by column."""
    problem = run.problem
    return problem.dictionary.at is None and run.method.coefficients.follow is not None


def followers(run, X, n_rows):
    """Models at beta = 0 on new rows, part by part: a slice, the path in the numbers of the learners used, the follower."""
    used = np.bincount(run.path.learner) > 0  # no sort, which takes seconds for ten million steps
    learners, place = np.flatnonzero(used), np.cumsum(used) - 1
    path, columns = Path(place[run.path.learner], run.path.shrink, run.path.theta), NewColumns(run.problem, X, learners)
    step = max(1, BLOCK // max(1, len(learners)))
    for first in range(0, n_rows, step):
        part = slice(first, first + step)
        yield part, path, Follower(run.method, Dense(columns.rows(part)))


class NewColumns:
    """The columns of some learners on new rows, standardised as in the fit."""

    def __init__(self, problem, X, learners):
        way = problem.standardization
        self.columns, self.places = columns_as_in(X, problem), way.kept[learners]
        self.mean, self.norm = way.mean[learners, None], way.norm[learners, None]

    def rows(self, part):
        """The learners on the rows `part`, (n_learners, n_rows), C order."""
        raw = self.columns.part(self.places, part)
        raw = raw.toarray() if scipy.sparse.issparse(raw) else raw
        return np.ascontiguousarray((raw.T - self.mean) / self.norm)
