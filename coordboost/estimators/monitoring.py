"""Following a run with trees: its model after any iteration, early stopping on rows held back, and scikit-learn's callbacks."""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba.sums import total_of
from coordboost._numba.threads import on_one_thread
from coordboost.engine.following import Follower
from coordboost.engine.result import Replay
from coordboost.losses.multinomial import multinomial_losses
from coordboost.paths.scoring import least_mean

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """An estimator of a version without callbacks."""

    def with_callbacks(method):
        """`method` as it is: there are no callbacks."""
        return method


class StagedModel:
    """The model of `run` after its first `n_iter` iterations, each of `steps` steps.

    Coefficients are those at that step, never a part of later ones: momentum changes all of them in every iteration.
    """

    def __init__(self, run, n_iter, steps):
        self.run, self.n_iter, self.steps = run, n_iter, steps
        self.beta = next(run.replay([n_iter * steps])).beta

    def _follower(self, binned):
        return Follower(self.run.method, self.run.problem.dictionary.standing(binned))

    @on_one_thread
    def raw(self, binned):
        """constant + B beta, (n_samples,)."""
        problem = self.run.problem
        return problem.constant + problem.dictionary.at(binned).combine(self.beta)

    def staged(self, binned):
        """The same after 1, 2, ... iterations. *Cost*: each tree once."""
        follower = self._follower(binned)
        for k in range(self.steps, self.n_iter * self.steps + 1, self.steps):
            follower.move(self.run.path, k)
            yield self.run.problem.constant + follower.pred

    def losses(self):
        """Mean losses on the rows of the fit after 0, 1, ... iterations of the whole run."""
        run, problem = self.run, self.run.problem
        n = run.n_steps - run.n_steps % self.steps
        sums = self._follower(problem.dictionary.binned).losses(run.path, n, problem.loss, problem.y, problem.weight, 0.0, problem.base)
        return np.concatenate([[problem.start_loss], sums[self.steps - 1 :: self.steps]]) / problem.weight.sum()

    def gains(self):
        """What the splits by each feature gained, in the trees with a coefficient, (n_features,)."""
        dictionary = self.run.problem.dictionary
        used = np.flatnonzero(self.beta)
        feature, gain = dictionary.trees.feature[used], dictionary.trees.gain[used]
        return np.bincount(feature[feature >= 0], gain[feature >= 0], dictionary.n_groups)


def add_losses(losses):
    """The losses of several runs added up, (longest,); one that is shorter stays where it ended."""
    longest = max(map(len, losses))
    return np.sum([np.pad(one, (0, longest - len(one)), mode="edge") for one in losses], axis=0)


class Patience:
    """Abstract base of stop rules: `patience` iterations in a row have not lowered the mean loss on validation rows by more than `tol`.

    `tol` is relative to the loss of the constant model there, above `least`, the smallest mean loss possible: so the unit of y does not
    count. As a pause costs more than a small tree, the rule is asked every half of `patience`; iterations after the one where it begins
    to hold were made, and may be the best, too.

    losses : mean losses after 0, 1, ... iterations;  end : the iteration at which the rule begins to hold, or None
    """

    def __init__(self, patience, tol, least, per_iteration):
        self.patience, self.tol, self.least, self.losses, self.end = patience, tol, least, [], None
        self.per_iteration, self.every = per_iteration, per_iteration * max(1, patience // 2)

    def _keep(self, losses):
        for loss in losses:
            self.losses.append(float(loss) if loss == loss else math.inf)
            last = len(self.losses) - 1
            if self.end is None and last >= self.patience:
                before, recent = self.losses[last - self.patience], self.losses[last - self.patience + 1 :]
                if not min(recent) < before - self.tol * abs(self.losses[0] - self.least):
                    self.end = last

    @property
    def best(self):
        """The iteration with the smallest loss, the first of equals."""
        return int(np.argmin(self.losses))

    def __str__(self):
        return f"no better on the rows held back for {self.patience} iterations"


class EarlyStopping(Patience):
    """The rule for one run.

    Every new learner is added to the predictions on the validation rows once. So an answer depends on the path alone, and the losses of
    all iterations are there in the end.

    binned, y, weight, offset : the validation rows, in the bins of the fit;  problem, method : what is run
    per_iteration : steps of an iteration
    """

    def __init__(self, binned, y, weight, offset, problem, method, patience, tol, per_iteration):
        self.loss, self.constant, self.offset = problem.loss, problem.constant, 0.0 if offset is None else offset
        self.y = self.loss.labels(y) if self.loss.labels else y
        self.weight = np.ones(len(y)) if weight is None else weight
        self.binned, self.method, self.follower, self.total = binned, method, None, float(self.weight.sum())
        super().__init__(patience, tol, least_mean(self.loss, self.y, self.weight), per_iteration)

    def __call__(self, state):
        """Whether the rule holds at or before this step."""
        self._follow(state.problem, state.path, state.k)
        return self.end is not None and self.end * self.per_iteration <= state.k

    def finish(self, run):
        """Complete `losses`: those of all iterations of the run, and of no more."""
        self._follow(run.problem, run.path, run.n_steps)
        self.losses = self.losses[: run.n_steps // self.per_iteration + 1]

    def _follow(self, problem, path, k):
        learners = problem.dictionary.standing(self.binned)
        if self.follower is None or not self._begins_like(path):  # the first question, or a run that went back
            self.follower, self.seen, self.losses, self.end = Follower(self.method, learners), path.cut(0, 0), [], None
            self._keep([total_of(self.loss, self.y, self.weight, self.constant + self.offset, self.follower.pred) / self.total])
        k -= k % self.per_iteration
        if k > self.follower.k:
            self.follower.use(learners)
            losses = self.follower.losses(path, k, self.loss, self.y, self.weight, self.constant, self.offset)
            self._keep(losses[self.per_iteration - 1 :: self.per_iteration] / self.total)
            self.seen = path.cut(0, k)

    def _begins_like(self, path):
        """Whether the path has the steps that were followed, as far as it goes."""
        ours, theirs = self.seen.cut(0, len(path)), path.cut(0, len(self.seen))
        return np.array_equal(ours.shrink, theirs.shrink) and np.array_equal(ours.theta, theirs.theta)


class JointLosses:
    """Mean multinomial losses on some rows, in the bins of the fit, after 0, 1, ... rounds. *Cost*: each tree once.

    class_index : the class of each row, (n_samples,)
    """

    def __init__(self, binned, class_index, weight):
        self.binned, self.class_index, self.followers, self.k = binned, class_index, None, 0
        self.weight = np.ones(len(class_index)) if weight is None else weight

    def up_to(self, runs):
        """Yield those of the rounds since the last call, of the `runs` of all classes."""
        paths, learners = [run.path for run in runs], [run.problem.dictionary.standing(self.binned) for run in runs]
        self.followers = self.followers or [Follower(run.method, one) for run, one in zip(runs, learners, strict=True)]
        while self.k <= len(paths[0]):
            for follower, path, one in zip(self.followers, paths, learners, strict=True):
                follower.use(one)
                follower.move(path, self.k)
            pred = np.array([run.problem.constant + follower.pred for run, follower in zip(runs, self.followers, strict=True)])
            self.k += 1
            yield self.weight @ multinomial_losses(pred, self.class_index) / self.weight.sum()


class JointStopping(Patience):
    """The rule for the multinomial loss of all classes together, asked about a ``Round``; parameters as there and in ``JointLosses``."""

    def __init__(self, binned, class_index, weight, patience, tol):
        self.joint = JointLosses(binned, class_index, weight)
        super().__init__(patience, tol, 0.0, 1)

    def __call__(self, state):
        self.finish(state.steppers)
        return self.end is not None and self.end <= state.k

    def finish(self, runs):
        """Complete `losses`: those of all rounds of the `runs` of all classes."""
        self._keep(self.joint.up_to(runs))


class Progress:
    """A stop rule that never holds, and prints a line every so many iterations.

    early : the ``EarlyStopping`` of the run, or None;  model : the number of the model, None where there is one
    """

    def __init__(self, every, per_iteration, early, model):
        self.every, self.per_iteration, self.early = every * per_iteration, per_iteration, early
        self.head = "" if model is None else f"class {model}, "

    def __call__(self, state):
        """False: the run goes on."""
        n_iter, losses = state.k // self.per_iteration, [] if self.early is None else self.early.losses
        words = f"{self.head}iteration {n_iter}: mean loss {state.loss / state.problem.weight.sum():.6g}"
        print(words + (f", on validation rows {losses[n_iter]:.6g}" if n_iter < len(losses) else ""), flush=True)
        return False


def best_iterations(rules):
    """The best iteration of each of the `rules`, and minus the mean losses after 0, 1, ... iterations, of all of them together.

    Models of one rule are at its best together. Else the sum is that of models which stay where they are best; it is best at the last of
    their best iterations.
    """
    if len(set(rules)) == 1:
        return [rules[0].best] * len(rules), -np.array(rules[0].losses)
    score = -add_losses([rule.losses[: rule.best + 1] for rule in rules])
    return [min(rule.best, int(np.argmax(score))) for rule in rules], score


class PartialRun(NamedTuple):
    """A run as far as it has come: what a ``StagedModel`` asks of it."""

    problem: object
    method: object
    path: object

    @property
    def n_steps(self):
        return len(self.path)

    def replay(self, at):
        """The states after `at` steps each."""
        replay = Replay(*self)
        return (replay.state(k) for k in at)


class CallbackTasks:
    """The tasks of a fit that scikit-learn's callbacks are told of: its iterations, or for several runs those of each run.

    data : X, y and sample_weight as they were given
    """

    def __init__(self, estimator, data, n_runs, n_iter):
        X, y, weight = data
        self.estimator, self.n_runs = estimator, n_runs
        self.data = {"X": X, "y": y, "metadata": None if weight is None else {"sample_weight": weight}}
        self.root = self.begin(estimator._init_callback_context(max_subtasks=n_iter if n_runs == 1 else n_runs))

    def begin(self, task):
        """The context `task`; callbacks are told that it begins."""
        return task.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def end(self, task, fitted=None):
        """Whether a callback, told that `task` has ended, asks for the end of the fit."""
        return task.call_on_fit_task_end(estimator=self.estimator, reconstruction_attributes=fitted, **self.data)

    def rule(self, method, n_iter, per_iteration):
        """The stop rule of the next run."""
        if self.n_runs == 1:
            return CallbackRule(self, self.root, method, n_iter, per_iteration)
        task = self.begin(self.root.subcontext(task_name="class", max_subtasks=n_iter))
        return CallbackRule(self, task, method, n_iter, per_iteration)


class CallbackRule:
    """A stop rule that tells callbacks of every iteration of a run; it holds where one of them returns True.

    tasks : the ``CallbackTasks`` of the fit;  task : the context of the run, whose subtasks are its iterations
    method : that of the run;  n_iter : most iterations;  per_iteration : steps of an iteration
    """

    def __init__(self, tasks, task, method, n_iter, per_iteration):
        self.tasks, self.task, self.method, self.left, self.every = tasks, task, method, n_iter, per_iteration
        self.seen, self.iteration = None, None

    def __call__(self, state):
        k = state.k // self.every
        if self.seen is not None and k <= self.seen:  # the run went back
            return False
        enough = self.seen is not None and self.tasks.end(self.iteration, self._fitted(state))
        self.seen, self.iteration = k, None
        if self.left and not enough:
            self.left -= 1
            self.iteration = self.tasks.begin(self.task.subcontext(task_name="iteration"))
        return enough

    def _fitted(self, state):
        """A function that gives the fitted attributes up to here, where this run is the whole fit."""
        if self.task is not self.tasks.root:
            return None
        n_iter, all_ = state.k // self.every, getattr(state, "steppers", [state])
        runs = [PartialRun(one.problem, self.method, one.path) for one in all_]
        return lambda: {"runs_": runs, "_models": [StagedModel(run, n_iter, self.every) for run in runs], "n_iter_": n_iter}

    def close(self):
        """End the iteration that was to come, and the task of the run."""
        if self.iteration is not None:
            self.tasks.end(self.iteration)
        if self.task is not self.tasks.root:
            self.tasks.end(self.task)

    def __str__(self):
        return "a callback asked for no more"
