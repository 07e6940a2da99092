"""Monitoring of runs with trees: the model after any iteration, early stopping on held-out rows,
and scikit-learn's callbacks.
"""

import copy
import importlib
import math
import time
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from coordboost._numba.sums import total_of
from coordboost.engine.following import follower_on
from coordboost.engine.result import states_along
from coordboost.engine.states.on_parts import joint_rows
from coordboost.learners.trees.contributions import contributions
from coordboost.paths.scoring import least_mean

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Empty stand-in: this version of scikit-learn has no callbacks."""

    def with_callbacks(method):
        """Return `method` unchanged."""
        return method


class StagedModel:
    """The model of `run` after its first `n_iter` iterations, each of `steps` steps.

    Coefficients are replayed up to that step. The first entries of the final ones would be wrong:
    momentum changes all in every iteration.
    """

    def __init__(self, run, n_iter, steps):
        self.run = run
        self.n_iter = n_iter
        self.steps = steps
        whole = n_iter * steps == run.n_steps
        self.beta = run.beta if whole else next(run.replay([n_iter * steps])).beta

    def without_data(self):
        """Return the same model on a run without the training data."""
        model = copy.copy(self)
        model.run = self.run.without_data()
        return model

    def _follower(self, binned):
        return follower_on(self.run.method, self.run.problem.dictionary.standing(binned))

    def raw(self, binned):
        """Return constant + B beta, (n_samples,)."""
        problem = self.run.problem
        return problem.constant + problem.dictionary.at(binned).combine(self.beta)

    def staged(self, binned):
        """Yield constant + B beta after 1, 2, ... iterations. *Cost*: each tree once."""
        follower = self._follower(binned)
        for k in range(self.steps, self.n_iter * self.steps + 1, self.steps):
            follower.move(self.run.path, k)
            yield self.run.problem.constant + follower.pred

    def contributions(self, beta, binned, background):
        """Return those to constant + B beta, (n_samples, n_features), and what they start from.

        background : a ``Binned``, or None
        """
        problem = self.run.problem
        rows = problem.dictionary.at(binned)
        there = None if background is None else problem.dictionary.at(background)
        values, base = contributions(rows, problem.binning.column, beta, there)
        return values, problem.constant + base

    def losses(self):
        """Return the mean losses on the training rows after each iteration of the whole run."""
        run = self.run
        problem = self.run.problem
        n = run.n_steps - run.n_steps % self.steps
        sums = self._follower(problem.dictionary.binned).losses(
            run.path, n, problem.loss, problem.y, problem.weight, 0.0, problem.base
        )
        return (
            np.concatenate([[problem.start_loss], sums[self.steps - 1 :: self.steps]])
            / problem.weight.sum()
        )

    def gains(self):
        """Return the sum of the gains of all splits by each feature, over trees with a non-zero
        coefficient, (n_features,).
        """
        column, gain = self._splits()
        return np.bincount(column, gain, self.run.problem.dictionary.n_groups)

    def n_splits(self):
        """Return the number of these splits by each feature, (n_features,)."""
        column, _ = self._splits()
        return np.bincount(column, minlength=self.run.problem.dictionary.n_groups)

    def _splits(self):
        """Return the columns and the gains of all splits of trees with a non-zero coefficient."""
        trees = self.run.problem.dictionary.trees
        used = np.flatnonzero(self.beta)
        inner = trees.feature[used] >= 0
        feature = trees.feature[used][inner]
        return self.run.problem.binning.column[feature], trees.gain[used][inner]


class StagedModels(list):
    """The ``StagedModel`` of each target."""

    @cached_property
    def binning(self):
        """The bins of the fit, as far as the trees tell them apart, for predictions."""
        edges = np.logical_or.reduce([model.run.problem.dictionary.edges() for model in self])
        return self[0].run.problem.binning.coarse(edges)


def add_losses(losses):
    """Return the sum of the loss curves of several runs, (longest,).

    A shorter curve is continued by its last value.
    """
    longest = max(map(len, losses))
    return np.sum([np.pad(loss, (0, longest - len(loss)), mode="edge") for loss in losses], axis=0)


class FollowedLosses:
    """Abstract base: mean losses on some rows after 0, 1, ... iterations of a run, as it grows.

    binned : the rows, in the bins of the fit
    losses : a list of floats; a loss that is not a number counts as infinite
    per_iteration : number of steps of an iteration
    """

    def __init__(self, binned, per_iteration):
        self.binned = binned
        self.per_iteration = per_iteration
        self.losses = []

    def follow(self, runs):
        """Extend `losses` to the steps of `runs`: one run, or one for each class."""
        raise NotImplementedError

    def finish(self, runs):
        """Extend or cut `losses` to exactly the iterations of finished runs."""
        self.follow(runs)
        del self.losses[len(runs[0].path) // self.per_iteration + 1 :]

    def _keep(self, losses):
        self.losses += [math.inf if math.isnan(loss) else float(loss) for loss in losses]

    @property
    def best(self):
        """The iteration with the smallest loss; ties go to the first."""
        return int(np.argmin(self.losses))


class RunLosses(FollowedLosses):
    """Mean losses of one run. Every new learner is added to the predictions once.

    So the losses depend on the path alone.

    y, weight : targets, labels of the loss if it has labels, and weights, (n_samples,)
    base : the known part of the predictions, the constant included, (n_samples,) or a number
    loss, method : those of the run
    """

    def __init__(self, binned, y, weight, base, loss, method, per_iteration):
        super().__init__(binned, per_iteration)
        self.y = y
        self.weight = np.ones(len(y)) if weight is None else weight
        self.total = float(self.weight.sum())
        self.base = base
        self.loss = loss
        self.method = method
        self.follower = None

    @property
    def least(self):
        """The smallest mean loss that any model can have."""
        return least_mean(self.loss, self.y, self.weight)

    def follow(self, runs):
        (run,) = runs
        path = run.path
        learners = run.problem.dictionary.standing(self.binned)
        if self.follower is None or not self._begins_like(path):
            self._begin(path, learners)
        k = len(path) - len(path) % self.per_iteration
        if k > self.follower.k:
            self.follower.use(learners)
            losses = self.follower.losses(path, k, self.loss, self.y, self.weight, 0.0, self.base)
            self._keep(losses[self.per_iteration - 1 :: self.per_iteration] / self.total)
            self.seen = path.cut(0, k)

    def _begin(self, path, learners):
        """Begin at the constant model: at the first call, or if the run has gone back."""
        self.follower = follower_on(self.method, learners)
        self.seen = path.cut(0, 0)
        start = total_of(self.loss, self.y, self.weight, self.base, np.zeros(len(self.y)))
        self.losses = []
        self._keep([start / self.total])

    def _begins_like(self, path):
        """Return whether the path agrees with the steps followed so far, up to the shorter
        length.
        """
        ours = self.seen.cut(0, len(path))
        theirs = path.cut(0, len(self.seen))
        return np.array_equal(ours.shrink, theirs.shrink) and np.array_equal(
            ours.theta, theirs.theta
        )


class JointLosses(FollowedLosses):
    """Mean multinomial losses of the runs of all classes. *Cost*: each tree once.

    class_index : the class of each row, (n_samples,)
    """

    #: The smallest mean loss that any model can have.
    least = 0.0

    def __init__(self, binned, class_index, weight):
        super().__init__(binned, 1)
        self.class_index = class_index
        self.followers = None
        self.rows = None
        self.weight = np.ones(len(class_index)) if weight is None else weight

    def follow(self, runs):
        learners = [run.problem.dictionary.standing(self.binned) for run in runs]
        if self.followers is None:
            self.followers = [
                follower_on(run.method, trees) for run, trees in zip(runs, learners, strict=True)
            ]
        for k in range(len(self.losses), len(runs[0].path) + 1):
            for follower, run, trees in zip(self.followers, runs, learners, strict=True):
                follower.use(trees)
                follower.move(run.path, k)
            if self.rows is None:
                constants = [run.problem.constant for run in runs]
                given = self.followers, constants, self.class_index, self.weight
                self.rows = joint_rows(*given)
            self.rows.look()
            self._keep([self.rows.loss() / self.weight.sum()])


def class_runs(state):
    """Return the runs behind the state of a run, or behind a round of several classes."""
    return getattr(state, "solvers", [state])


class EarlyStopping:
    """A stop rule: stop if `patience` successive iterations do not lower the mean validation loss
    by more than `tol`.

    `tol` is a fraction of (mean validation loss of the constant model - the smallest possible
    loss): so the unit of y does not matter. The run evaluates the rule only every
    ``patience // 2`` iterations, as a pause costs more than a small tree. So it makes some
    iterations after the one at which the rule first holds, and the best one may be among them.

    followed : the ``FollowedLosses`` on the validation rows
    """

    def __init__(self, followed, patience, tol):
        self.followed = followed
        self.patience = patience
        self.tol = tol
        self.least = followed.least
        self.every = followed.per_iteration * max(1, patience // 2)

    @property
    def end(self):
        """The first iteration at which the rule holds, or None."""
        losses = np.array(self.followed.losses)
        if len(losses) <= self.patience:
            return None
        with np.errstate(invalid="ignore"):  # of infinite losses
            goal = losses - self.tol * abs(losses[0] - self.least)
        recent = sliding_window_view(losses[1:], self.patience).min(axis=1)
        is_stuck = ~(recent < goal[: len(recent)])
        return int(np.argmax(is_stuck)) + self.patience if is_stuck.any() else None

    def __call__(self, state):
        """Return whether the rule first held at or before this step."""
        self.followed.follow(class_runs(state))
        end = self.end
        return end is not None and end * self.followed.per_iteration <= state.k

    def __str__(self):
        return f"no improvement on the validation rows for {self.patience} iterations"


class Progress:
    """A stop rule that never holds and prints a line every `every` iterations.

    losses : name -> ``FollowedLosses``, those on the training rows first; of several, the last
        one tells which iteration is the best
    began : when the fit began, as ``time.perf_counter`` tells it
    label : of the class whose model it is, None if there is one model
    """

    def __init__(self, every, losses, began, label=None):
        *_, self.last = losses.values()
        self.every = every * self.last.per_iteration
        self.losses = losses
        self.began = began
        self.head = "" if label is None else f"class {label!r}, "

    def __call__(self, state):
        """Print a line; return False, so that the run goes on."""
        self._print(class_runs(state), "iteration")
        return False

    def finish(self, runs):
        """Print a line about the last iteration of finished runs."""
        self._print(runs, "last iteration")

    def _print(self, runs, what):
        for followed in self.losses.values():
            followed.follow(runs)
        n_iter = len(runs[0].path) // self.last.per_iteration
        losses = [f"{name} {seen.losses[n_iter]:.6g}" for name, seen in self.losses.items()]
        if len(losses) > 1:
            best = int(np.argmin(self.last.losses[: n_iter + 1]))
            losses.append(f"best {self.last.losses[best]:.6g} at iteration {best}")
        seconds = time.perf_counter() - self.began
        print(
            f"{self.head}{what} {n_iter}: mean loss {', '.join(losses)}, {seconds:.3g} s",
            flush=True,
        )


class BarRule:
    """A stop rule that never holds and moves a bar, some twenty times a second.

    move : function of a state
    """

    clock = True

    def __init__(self, move):
        self.move = move

    def __call__(self, state):
        """Move the bar; return False, so that the run goes on."""
        self.move(state)
        return False


class Monitor:
    """What watches a run, or the joint runs of several classes.

    sets : name -> ``FollowedLosses`` on these rows
    early : the ``EarlyStopping`` of the run, or None
    progress : the ``Progress`` of the run, or None
    label : of the class whose model it is, None if there is one model
    """

    def __init__(self, sets, early, progress, label=None):
        self.sets = sets
        self.early = early
        self.progress = progress
        self.label = label

    @contextmanager
    def rules(self, method, n_iter, done, per_iteration):
        """Yield the stop rules for the run, a list. A bar is drawn meanwhile, if progress is shown
        and someone looks.

        method : of the run; n_iter : iterations to make after step `done`
        """
        rules = [rule for rule in (self.early, self.progress) if rule]
        if self.progress is None:
            yield rules
            return
        # in a higher layer: loaded by name, and only when needed
        shown = importlib.import_module("coordboost.reporting.progress")
        title = method.name if self.label is None else f"{method.name}, class {self.label!r}"
        with shown.bar(title, n_iter, since=done, unit=per_iteration) as move:
            yield rules if move is None else [*rules, BarRule(move)]

    def finish(self, runs):
        """Score the finished runs: one, or one for each class."""
        for followed in self.sets.values():
            followed.finish(runs)
        if self.progress:
            self.progress.finish(runs)


def best_iterations(monitors):
    """Return the best iteration of each run, or None without early stopping, and the mean losses on
    each set of rows after 0, 1, ... iterations, name -> (n_iter + 1,).

    `monitors` has the monitor of each run. Runs that share one have the same best iteration. The
    losses of other runs are summed: a run that has passed its best iteration keeps its loss from
    there on, and no run goes on after the iteration with the smallest sum.
    """
    distinct = list(dict.fromkeys(monitors))
    early = distinct[0].early
    apart = early is not None and len(distinct) > 1
    best = [monitor.early.followed.best for monitor in distinct] if early else []
    ends = [n + 1 for n in best] if apart else [None] * len(distinct)
    losses = {
        name: add_losses(
            [monitor.sets[name].losses[:end] for monitor, end in zip(distinct, ends, strict=True)]
        )
        for name in distinct[0].sets
    }
    if not early:
        return None, losses
    if apart:
        *_, stopping = losses.values()
        overall = int(np.argmin(stopping))
        return [min(n, overall) for n in best], losses
    return best * len(monitors), losses


class PartialRun(NamedTuple):
    """The part of an unfinished run that ``StagedModel`` needs."""

    problem: object
    method: object
    path: object

    @property
    def n_steps(self):
        return len(self.path)

    @property
    def beta(self):
        """The coefficients after all of it."""
        return next(self.replay([self.n_steps])).beta

    def without_data(self):
        """Return the same part of the run without the training data."""
        return self._replace(problem=self.problem.without_data())

    def replay(self, at):
        """Return an iterator over the states after each of the numbers of steps `at`."""
        return states_along(*self, at)


class CallbackTasks:
    """The tasks of a fit that are reported to scikit-learn's callbacks: iterations, grouped by run
    if there are several runs.

    data : X, y and sample_weight as passed to `fit`
    """

    def __init__(self, estimator, data, n_runs, n_iter):
        X, y, weight = data
        self.estimator, self.n_runs = estimator, n_runs
        self.data = {
            "X": X,
            "y": y,
            "metadata": None if weight is None else {"sample_weight": weight},
        }
        self.root = self.begin(
            estimator._init_callback_context(max_subtasks=n_iter if n_runs == 1 else n_runs)
        )

    def begin(self, task):
        """Report to the callbacks that `task`, a context, begins; return it."""
        return task.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def end(self, task, fitted=None):
        """Report that `task` has ended; return whether a callback requests the end of the fit."""
        return task.call_on_fit_task_end(
            estimator=self.estimator, reconstruction_attributes=fitted, **self.data
        )

    def rule(self, method, n_iter, per_iteration):
        """Return the stop rule of the next run."""
        if self.n_runs == 1:
            return CallbackRule(self, self.root, method, n_iter, per_iteration)
        task = self.begin(self.root.subcontext(task_name="class", max_subtasks=n_iter))
        return CallbackRule(self, task, method, n_iter, per_iteration)


class CallbackRule:
    """A stop rule that reports every iteration of a run to the callbacks.

    It holds if one of them returns True.

    tasks : the ``CallbackTasks`` of the fit
    task : the context of the run, whose subtasks are its iterations
    method : that of the run
    n_iter : maximum number of iterations
    per_iteration : number of steps of an iteration
    """

    def __init__(self, tasks, task, method, n_iter, per_iteration):
        self.tasks = tasks
        self.task = task
        self.method = method
        self.left = n_iter
        self.every = per_iteration
        self.seen, self.iteration = None, None

    def __call__(self, state):
        k = state.k // self.every
        if self.seen is not None and k <= self.seen:  # the run has returned to an earlier step
            return False
        enough = self.seen is not None and self.tasks.end(self.iteration, self._fitted(state))
        self.seen, self.iteration = k, None
        if self.left and not enough:
            self.left -= 1
            self.iteration = self.tasks.begin(self.task.subcontext(task_name="iteration"))
        return enough

    def _fitted(self, state):
        """Return a function that gives the fitted attributes so far, or None if the fit has other
        runs.
        """
        if self.task is not self.tasks.root:
            return None
        n_iter = state.k // self.every
        runs = [PartialRun(run.problem, self.method, run.path) for run in class_runs(state)]
        return lambda: {
            "runs_": runs,
            "_models": StagedModels(StagedModel(run, n_iter, self.every) for run in runs),
            "n_iter_": n_iter,
        }

    def close(self):
        """End the iteration that has begun, if any, and the task of the run."""
        if self.iteration is not None:
            self.tasks.end(self.iteration)
        if self.task is not self.tasks.root:
            self.tasks.end(self.task)

    def __str__(self):
        return "stopped by a callback"
