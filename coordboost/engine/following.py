"""Predictions of a run on other rows, updated along the path: each step adds its one learner, and
no step is repeated.
"""

import numpy as np
import scipy.sparse

from coordboost._numba import compiled, interpreted, is_piece, verb
from coordboost._numba.sums import (
    first_rows,
    sum_of_blocks,
    sum_of_losses,
    totals_of,
    write_losses,
)
from coordboost._numba.threads import on_one_thread
from coordboost.data.problem import columns_as_in, numbers_as_in
from coordboost.engine.kernel import Path, retrace, stretches
from coordboost.learners import Dense
from coordboost.learners.binned import Binned
from coordboost.learners.parts.engine import KEYS, numbers_of_all, with_rows
from coordboost.learners.trees.forest import Forest, Nodes
from coordboost.learners.trees.tree import Trees
from coordboost.paths.scoring import losses_of

accumulate = verb("accumulate")

#: Maximum number of entries of columns on the new rows that are in memory at a time.
BLOCK = 1 << 23


def follow_losses(model, loss, y, weight, constant, offset, learner, shrink, theta, out):
    """Apply the recorded steps to `model`, and write the sum of the losses after each of them into
    `out`.

    constant : (n_steps,), the constant prediction added to the model after each step
    offset : (n_rows,), or a number
    """
    for k in range(len(out)):
        accumulate(model, learner[k], shrink[k], theta[k])
        out[k] = sum_of_losses(loss, y, weight, constant[k] + offset, model.pred)


class Follower:
    """The model of a method after `k` steps of a path, k = 0 at first, on the samples of
    `dictionary`, a piece.

    ``use`` replaces the dictionary by one with more learners on the same samples.
    """

    def __init__(self, method, dictionary):
        self.k = 0
        self.model = method.coefficients.follow(dictionary, method.unit)

    @property
    def pred(self):
        """B beta after k steps, (n_samples,): the array that the steps update, not a copy."""
        return self.model.pred

    def use(self, dictionary):
        """Take the learners of later steps from this dictionary."""
        self.model = self.model._replace(dictionary=dictionary)

    def move(self, path, k):
        """Go on to step k >= self.k of the path."""
        retrace(self.model, path, self.k, k)
        self.k = k

    def losses(self, path, k, loss, y, weight, constant, offset=0.0):
        """Go on to step k.

        Return the weighted sums of the losses after each of the steps, (k - self.k,).

        constant : the constant prediction, a number or one for each of the steps
        offset : (n_samples,), or a number
        """
        added = path.cut(self.k, k)
        values = np.empty(k - self.k)
        pieces = (self.model, loss)
        constants = np.full(len(values), constant, dtype=np.float64)
        run = (
            compiled(follow_losses, pieces)
            if all(map(is_piece, pieces))
            else interpreted(follow_losses)
        )
        for begin, last in stretches(0, len(values)):
            at = slice(begin, last)
            run(
                *pieces,
                y,
                weight,
                constants[at],
                offset,
                added.learner[at],
                added.shrink[at],
                added.theta[at],
                values[at],
            )
        self.k = k
        return values


def follow_blocks(model, loss, y, weight, base, learner, shrink, theta, sums):
    """Apply the recorded steps to `model`; write the losses of blocks of rows after each of them.

    sums : (n_steps, n_blocks)
    """
    for k in range(len(sums)):
        accumulate(model, learner[k], shrink[k], theta[k])
        write_losses(loss, y, weight, base, model.pred, sums[k])


class FollowerOfPart:
    """The model of a ``FollowerOnParts`` on the rows of one part."""

    def __init__(self, part, coefficients, unit, loss, y, weight, base):
        self.binned = Binned(part.codes, *part.bins)
        self.trees = Trees.empty(0, 1)
        self.model = coefficients.follow(self._forest(), unit)
        self.fit = loss, y, weight, base
        self.state = self  # for ``JointRows``

    def _forest(self):
        return Forest(self.binned, self.trees, Nodes.of(self.trees, 0, len(self.trees.n_leaves)))

    @property
    def pred(self):
        return self.model.pred

    def move(self, trees, *path):
        """Take further trees, and make the steps of a path: (learner, shrink, theta)."""
        known = len(self.trees.n_leaves) > 0
        pairs = zip(self.trees, trees, strict=True)
        self.trees = Trees(*map(np.concatenate, pairs)) if known else trees
        self.model = self.model._replace(dictionary=self._forest())
        retrace(self.model, Path(*path), 0, len(path[0]))

    def losses(self, trees, *path):
        """Move; return the losses after each step, (n_blocks, n_steps)."""
        self.move(trees, *(steps[:0] for steps in path))
        sums = np.empty((len(path[0]), len(first_rows(len(self.pred)))))
        compiled(follow_blocks, (self.model, self.fit[0]))(self.model, *self.fit, *path, sums)
        return None, sums.T.copy()


def begin_follower(part, key, stale, coefficients, unit, loss, numbers, *rows):
    """Begin a ``FollowerOfPart``; `numbers` and `rows` are y, weight and base."""
    part.drop(stale)
    y, weight, base = with_rows(numbers, rows, part.n_rows)
    part.models[key] = FollowerOfPart(part, coefficients, unit, loss, y, weight, base)


class FollowerOnParts:
    """As ``Follower``, of trees on rows that lie in parts.

    learners : a ``ForestOnParts``
    """

    trees = None  # a part that is made again gets them by what it was told

    def __init__(self, method, learners):
        self.k = 0
        self.method = method
        self.learners = learners
        self.parts = learners.parts
        self.key = next(KEYS)
        self.begun = None
        self.n_known = 0

    def use(self, learners):
        """Take the trees of later steps from these."""
        self.learners = learners

    def _begin(self, loss=None, *rows):
        numbers, by_row = numbers_of_all(rows or np.zeros(3))
        given = self.method.coefficients, self.method.unit, loss, numbers
        self.parts.begin(self, begin_follower, *given, by_row=by_row)

    def _added(self, path, k):
        """Return what the parts need to make the steps up to step k."""
        added = path.cut(self.k, k)
        trees = self.learners.further(self.n_known)
        self.n_known += len(trees.n_leaves)
        self.k = k
        return trees, added.learner.copy(), added.shrink.copy(), added.theta.copy()

    def move(self, path, k):
        """Go on to step k >= self.k of the path."""
        if self.begun is None:
            self._begin()
        self.parts.tell(self.key, "move", *self._added(path, k))

    def losses(self, path, k, loss, y, weight, constant, offset=0.0):
        """Do the same as ``Follower.losses``."""
        if self.begun is None:
            self._begin(loss, y, weight, constant + offset)
        n_steps = k - self.k
        steps = self._added(path, k)
        again = "move", steps
        sums = self.parts.ask(self.key, "losses", *steps, begins=True, again=again)[1]
        return np.array([sum_of_blocks(sums, i) for i in range(n_steps)])


def follower_on(method, learners):
    """Return the follower of a method on some rows, whose learners are given."""
    in_parts = getattr(learners, "parts", None) is not None
    return (FollowerOnParts if in_parts else Follower)(method, learners)


@on_one_thread
def run_losses(run, X, y, weight, offset=0.0, shifts=0.0):
    """Sums of the losses on the rows X after 0, 1, ..., n_steps steps of a run, (n_steps + 1,).

    offset : (n_rows,), or a number
    shifts : (n_steps + 1,), added to the constant prediction of each of these models, or a number
        for all
    """
    problem = run.problem
    if not followed(run):
        return losses_of(problem, staged(run, X, shifts), y, weight, offset)
    return _followed_losses(
        followers(run, X, len(y)), run, y, weight, problem.constant + shifts, offset
    )


def staged(run, X, shifts=0.0):
    """Iterator of the predictions for the rows X, the constant included, after 0, 1, ..., n_steps
    steps of a run: arrays (len(X),).
    """
    if followed(run):
        parts = list(followers(run, X, X.shape[0] if hasattr(X, "shape") else len(X)))
        return _shifted(
            (_predictions_at(parts, k) for k in range(run.n_steps + 1)),
            run,
            run.problem.constant + shifts,
        )
    return _shifted(
        (run.problem.predict(state.beta, X) for state in run.replay(range(run.n_steps + 1))),
        run,
        shifts,
    )


def _predictions_at(parts, k):
    """Move the followers of all parts of the rows on to step k; return B beta there, (n_rows,)."""
    for _, path, follower in parts:
        follower.move(path, k)
    return np.concatenate([follower.pred for *_, follower in parts])


@on_one_thread
def training_losses(run, shifts=0.0):
    """As `run_losses`, on the training rows, whose columns are in memory."""
    problem = run.problem
    if not followed(run):
        models = (state.pred for state in run.replay(range(run.n_steps + 1)))
        return np.array(
            totals_of(
                problem.loss, problem.y, problem.weight, problem.base, _shifted(models, run, shifts)
            )
        )
    whole = [(slice(None), run.path, follower_on(run.method, _of_the_fit(problem)))]
    return _followed_losses(whole, run, problem.y, problem.weight, shifts, problem.base)


def _shifted(models, run, shifts):
    """Iterator of the predictions after 0, 1, ... steps, each with its shift added."""
    return map(np.add, models, np.full(run.n_steps + 1, shifts, dtype=np.float64))


def _followed_losses(parts, run, y, weight, constants, offset):
    """Sums of the losses over all parts of the rows after each number of steps, (n_steps + 1,).

    Each part has a follower.

    constants : the constant prediction after each step, or a number for all
    offset : (n_rows,), or a number
    """
    loss = run.problem.loss
    constants = np.full(run.n_steps + 1, constants, dtype=np.float64)
    total = np.zeros(run.n_steps + 1)
    total[:1] = totals_of(loss, y, weight, constants[0] + offset, [np.zeros(len(y))])
    if run.n_steps:
        for segment, path, follower in parts:
            known = offset[segment] if isinstance(offset, np.ndarray) else offset
            total[1:] += follower.losses(
                path, len(path), loss, y[segment], weight[segment], constants[1:], known
            )
    return total


def predictions(run):
    """Iterator of B beta on the training rows after each number of steps, (n_samples,).

    It may be one array, updated in place: copy to keep.
    """
    if not followed(run) or run.problem.dictionary.parts is not None:
        return (state.pred for state in run.replay(range(run.n_steps + 1)))
    return _moving(Follower(run.method, _of_the_fit(run.problem)), run.path)


def _of_the_fit(problem):
    """The learners on the training rows, those of a bank as a piece."""
    bank = problem.dictionary
    return bank if problem.binning is None else _on_rows(problem, bank.binned)


def _on_rows(problem, binned):
    """The learners on other rows, given as features in bins."""
    return (problem.dictionary.standing or problem.dictionary.at)(binned)


def _moving(follower, path):
    for k in range(len(path) + 1):
        follower.move(path, k)
        yield follower.pred


def followed(run):
    """Whether predictions can be updated along the path of a run, learner by learner."""
    problem = run.problem
    return run.method.coefficients.follow is not None and (
        problem.dictionary.at is None or problem.binning is not None
    )


def followers(run, X, n_rows):
    """Yield (slice, path, follower) for each part of the new rows: a model at beta = 0, and the
    path in the follower's learner numbers.
    """
    if run.problem.binning is not None:
        rows = run.problem.binning.bin(numbers_as_in(X, run.problem))
        yield slice(0, n_rows), run.path, Follower(run.method, _on_rows(run.problem, rows))
        return
    used = (
        np.bincount(run.path.learner) > 0
    )  # not by sorting, which takes seconds for ten million steps
    learners = np.flatnonzero(used)
    place = np.cumsum(used) - 1
    path = Path(place[run.path.learner], run.path.shrink, run.path.theta)
    columns = NewColumns(run.problem, X, learners)
    step = max(1, BLOCK // max(1, len(learners)))
    for begin in range(0, n_rows, step):
        block = slice(begin, begin + step)
        yield block, path, Follower(run.method, Dense(columns.rows(block)))


class NewColumns:
    """The columns of some learners on new rows, standardised as in the fit."""

    def __init__(self, problem, X, learners):
        standardization = problem.standardization
        self.columns = columns_as_in(X, problem)
        self.places = standardization.kept[learners]
        self.mean = standardization.mean[learners, None]
        self.norm = standardization.norm[learners, None]

    def rows(self, part):
        """The learners on the rows `part`, (n_learners, n_rows), C order."""
        raw = self.columns.part(self.places, part)
        raw = raw.toarray() if scipy.sparse.issparse(raw) else raw
        return np.ascontiguousarray((raw.T - self.mean) / self.norm)
