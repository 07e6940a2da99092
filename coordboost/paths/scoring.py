"""Losses on other rows along a path, and what rows held out say of a run whose length they chose."""

import numpy as np
import scipy.sparse
from scipy.stats import rankdata

from coordboost._numba.sums import totals_of
from coordboost._numba.threads import on_one_thread
from coordboost.data import validation
from coordboost.data.door import columns_as_in
from coordboost.dictionaries import Dense
from coordboost.engine.follow import Follower
from coordboost.engine.loop import Path
from coordboost.outcome import spaced

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


#: How the number of steps may have been chosen; what is measured of two classes beside the loss; most steps at which it is kept.
CHOICES, MEASURES, MOST_POINTS = ("best", "one-se"), ("accuracy", "AUC"), 1000


def held_out(found, steps, choose=None, rows=()):
    """The record of a ``CrossValidation``: a dict of plain numbers.

    steps : how many were tried;  choose : one of ``CHOICES``, or None where something else chose
    rows : (X, y) of the rows held out of each fold, for accuracy and AUC of two classes
    """
    mean, error = found.mean, found.error
    known = int(np.isfinite(mean + error).sum())
    at = np.unique([*spaced(known - 1).tolist(), min(found.best, known - 1), min(found.one_se, known - 1)])
    curves = _measures(found, at, rows) if rows and (found.paths[0].problem.loss).two_class else {}
    numbers = {"mean": mean[at], "error": error[at]}
    return {
        "choose": choose, "folds": len(found.losses), "steps": steps, "at": at.tolist(),
        **{name: values.tolist() for name, values in numbers.items()},
        "measures": {name: values.tolist() for name, values in curves.items()},
    }  # fmt: skip


def _measures(found, at, rows):
    """Accuracy and AUC on the rows held out after `at` steps, means over folds by their weights, a dict of (len(at),)."""
    total, parts = {name: np.zeros(len(at)) for name in MEASURES}, dict.fromkeys(MEASURES, 0.0)
    for path, (X, y), weight in zip(found.paths, rows, found.weights, strict=True):
        yes = np.asarray(y) > 0
        scores = [state.problem.predict(state.beta, X) for state in path.replay(at.tolist())]
        total["accuracy"] += weight * np.array([np.mean((score > 0) == yes) for score in scores])
        parts["accuracy"] += weight
        if 0 < yes.sum() < len(yes):
            total["AUC"] += weight * np.array([area(score, yes) for score in scores])
            parts["AUC"] += weight
    return {name: total[name] / parts[name] for name in MEASURES if parts[name]}


def area(score, yes):
    """The area under the ROC curve: how often a row of the second class has the larger score, ties counting half."""
    n = int(yes.sum())
    return (rankdata(score)[yes].sum() - n * (n + 1) / 2) / (n * (len(yes) - n))
