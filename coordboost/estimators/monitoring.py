"""Monitoring of runs with trees: the model after any iteration, early stopping on held-out rows,
and scikit-learn's callbacks.
"""

import copy
import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from coordboost._numba.sums import total_of
from coordboost._numba.threads import on_one_thread
from coordboost.engine.following import Follower
from coordboost.engine.result import states_along
from coordboost.losses.multinomial import multinomial_losses
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
        self.beta = next(run.replay([n_iter * steps])).beta

    def without_data(self):
        """Return the same model on a run without the training data."""
        model = copy.copy(self)
        model.run = self.run.without_data()
        return model

    def _follower(self, binned):
        return Follower(self.run.method, self.run.problem.dictionary.standing(binned))

    @on_one_thread
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

    def losses(self):
        """Return the mean losses on the training rows after 0, 1, ...

        iterations of the whole run.
        """
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
        dictionary = self.run.problem.dictionary
        used = np.flatnonzero(self.beta)
        feature = dictionary.trees.feature[used]
        gain = dictionary.trees.gain[used]
        return np.bincount(feature[feature >= 0], gain[feature >= 0], dictionary.n_groups)


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


class Patience:
    """Abstract base of stop rules: stop if `patience` successive iterations do not lower the mean
    validation loss by more than `tol`.

    `tol` is a fraction of (mean validation loss of the constant model - `least`, the smallest
    possible): so the unit of y does not matter. The run evaluates the rule only every
    ``patience // 2`` iterations, as a pause costs more than a small tree. So it makes some
    iterations after the one at which the rule first holds, and the best one may be among them.

    losses : mean losses after 0, 1, ... iterations
    end : the first iteration at which the rule holds, or None
    """

    def __init__(self, patience, tol, least, per_iteration):
        self.patience = patience
        self.tol = tol
        self.least = least
        self.losses = []
        self.end = None
        self.per_iteration = per_iteration
        self.every = per_iteration * max(1, patience // 2)

    def _keep(self, losses):
        for loss in losses:
            self.losses.append(float(loss) if loss == loss else math.inf)
            last = len(self.losses) - 1
            if self.end is None and last >= self.patience:
                before = self.losses[last - self.patience]
                recent = self.losses[last - self.patience + 1 :]
                if not min(recent) < before - self.tol * abs(self.losses[0] - self.least):
                    self.end = last

    @property
    def best(self):
        """The iteration with the smallest loss; ties go to the first."""
        return int(np.argmin(self.losses))

    def __str__(self):
        return f"no improvement on the validation rows for {self.patience} iterations"


class EarlyStopping(Patience):
    """Early stopping of one run.

    Every new learner is added to the predictions on the validation rows once. So the decision
    depends on the path alone, and `losses` has an entry for every iteration.

    binned, y, weight, offset : the validation rows, in the bins of the fit
    problem, method : those of the run
    per_iteration : number of steps of an iteration
    """

    def __init__(self, binned, y, weight, offset, problem, method, patience, tol, per_iteration):
        self.loss = problem.loss
        self.constant = problem.constant
        self.offset = 0.0 if offset is None else offset
        self.y = self.loss.labels(y) if self.loss.labels else y
        self.weight = np.ones(len(y)) if weight is None else weight
        self.binned, self.method, self.follower, self.total = (
            binned,
            method,
            None,
            float(self.weight.sum()),
        )
        super().__init__(patience, tol, least_mean(self.loss, self.y, self.weight), per_iteration)

    def __call__(self, state):
        """Return whether the rule first held at or before this step."""
        self._follow(state.problem, state.path, state.k)
        return self.end is not None and self.end * self.per_iteration <= state.k

    def finish(self, run):
        """Extend or cut `losses` to exactly the iterations of the run."""
        self._follow(run.problem, run.path, run.n_steps)
        self.losses = self.losses[: run.n_steps // self.per_iteration + 1]

    def _follow(self, problem, path, k):
        learners = problem.dictionary.standing(self.binned)
        if self.follower is None or not self._begins_like(
            path
        ):  # the first call, or the run has returned to an earlier step
            self.follower = Follower(self.method, learners)
            self.seen = path.cut(0, 0)
            self.losses = []
            self.end = None
            self._keep(
                [
                    total_of(
                        self.loss,
                        self.y,
                        self.weight,
                        self.constant + self.offset,
                        self.follower.pred,
                    )
                    / self.total
                ]
            )
        k -= k % self.per_iteration
        if k > self.follower.k:
            self.follower.use(learners)
            losses = self.follower.losses(
                path, k, self.loss, self.y, self.weight, self.constant, self.offset
            )
            self._keep(losses[self.per_iteration - 1 :: self.per_iteration] / self.total)
            self.seen = path.cut(0, k)

    def _begins_like(self, path):
        """Return whether the path agrees with the steps followed so far, up to the shorter
        length.
        """
        ours = self.seen.cut(0, len(path))
        theirs = path.cut(0, len(self.seen))
        return np.array_equal(ours.shrink, theirs.shrink) and np.array_equal(
            ours.theta, theirs.theta
        )


class JointLosses:
    """Mean multinomial losses on some rows, in the bins of the fit, after 0, 1, ...

    rounds. *Cost*: each tree once.

    class_index : the class of each row, (n_samples,)
    """

    def __init__(self, binned, class_index, weight):
        self.binned = binned
        self.class_index = class_index
        self.followers = None
        self.k = 0
        self.weight = np.ones(len(class_index)) if weight is None else weight

    def up_to(self, runs):
        """Yield the losses of the rounds since the last call; `runs` has one run for each class."""
        paths = [run.path for run in runs]
        learners = [run.problem.dictionary.standing(self.binned) for run in runs]
        self.followers = self.followers or [
            Follower(run.method, one) for run, one in zip(runs, learners, strict=True)
        ]
        while self.k <= len(paths[0]):
            for follower, path, one in zip(self.followers, paths, learners, strict=True):
                follower.use(one)
                follower.move(path, self.k)
            pred = np.array(
                [
                    run.problem.constant + follower.pred
                    for run, follower in zip(runs, self.followers, strict=True)
                ]
            )
            self.k += 1
            yield self.weight @ multinomial_losses(pred, self.class_index) / self.weight.sum()


class JointStopping(Patience):
    """Early stopping by the joint multinomial loss, called with a ``Round``.

    Parameters as in ``Patience`` and ``JointLosses``.
    """

    def __init__(self, binned, class_index, weight, patience, tol):
        self.joint = JointLosses(binned, class_index, weight)
        super().__init__(patience, tol, 0.0, 1)

    def __call__(self, state):
        self.finish(state.solvers)
        return self.end is not None and self.end <= state.k

    def finish(self, runs):
        """Extend `losses` to all rounds; `runs` has one run for each class."""
        self._keep(self.joint.up_to(runs))


class Progress:
    """A stop rule that never holds and prints a line every `every` iterations.

    early : the early-stopping rule of the run, or None; model : the index of the model, None if
    there is only one
    """

    def __init__(self, every, per_iteration, early, model):
        self.every = every * per_iteration
        self.per_iteration = per_iteration
        self.early = early
        self.head = "" if model is None else f"class {model}, "

    def __call__(self, state):
        """Print a line; return False, so that the run goes on."""
        n_iter = state.k // self.per_iteration
        losses = [] if self.early is None else self.early.losses
        summary = (
            f"{self.head}iteration {n_iter}: mean loss "
            f"{state.loss / state.problem.weight.sum():.6g}"
        )
        print(
            summary
            + (f", on validation rows {losses[n_iter]:.6g}" if n_iter < len(losses) else ""),
            flush=True,
        )
        return False


def best_iterations(rules):
    """Return the best iteration of each run, and minus the mean losses after 0, 1, ...

    iterations, summed over the runs.

    `rules` has the stop rule of each run. Runs that share one rule have the same best iteration,
    and its losses are not summed. Otherwise each run keeps the loss of its best iteration from
    there on: the sum is then best at the last of these iterations.
    """
    if len(set(rules)) == 1:
        return [rules[0].best] * len(rules), -np.array(rules[0].losses)
    score = -add_losses([rule.losses[: rule.best + 1] for rule in rules])
    return [min(rule.best, int(np.argmax(score))) for rule in rules], score


class PartialRun(NamedTuple):
    """The part of an unfinished run that ``StagedModel`` needs."""

    problem: object
    method: object
    path: object

    @property
    def n_steps(self):
        return len(self.path)

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
        all_ = getattr(state, "solvers", [state])
        runs = [PartialRun(one.problem, self.method, one.path) for one in all_]
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
