"""scikit-learn's callbacks: told of every iteration of a fit, and asked whether it is enough. They exist from its version 1.9 on."""

from typing import NamedTuple

from coordboost.estimators.model import Model
from coordboost.outcome import Replay

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """An estimator of a version without callbacks."""

    def with_callbacks(method):
        """`method` as it is: there are no callbacks."""
        return method


class UnderWay(NamedTuple):
    """A run as far as it has come: what a ``Model`` asks of it."""

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


class Watched:
    """A stop rule that tells callbacks of every iteration of a run; it holds where one of them returns True.

    fit : the ``Watching`` of the fit;  task : the context of the run, its iterations are the subtasks
    method : that of the run;  n_iter : most iterations;  per_iteration : steps of an iteration
    """

    def __init__(self, fit, task, method, n_iter, per_iteration):
        self.fit, self.task, self.method, self.left, self.every = fit, task, method, n_iter, per_iteration
        self.told, self.iteration = None, None

    def __call__(self, state):
        k = state.k // self.every
        if self.told is not None and k <= self.told:  # the run went back
            return False
        enough = self.told is not None and self.fit.ended(self.iteration, self._fitted(state))
        self.told, self.iteration = k, None
        if self.left and not enough:
            self.left -= 1
            self.iteration = self.fit.begun(self.task.subcontext(task_name="iteration"))
        return enough

    def _fitted(self, state):
        """A function that says what an estimator has that is fitted up to here, where this run is all of it."""
        if self.task is not self.fit.task:
            return None
        n_iter, run = state.k // self.every, UnderWay(state.problem, self.method, state.path)
        return lambda: {"runs_": [run], "_models": [Model(run, n_iter, self.every)], "n_iter_": n_iter}

    def close(self):
        """The run has ended, and with it the iteration that was to come."""
        if self.iteration is not None:
            self.fit.ended(self.iteration)
        if self.task is not self.fit.task:
            self.fit.ended(self.task)

    def __str__(self):
        return "a callback asked for no more"


class Watching:
    """What the callbacks of `estimator` are told of one fit. Its runs are the subtasks where there are several, else their iterations.

    data : X, y and sample_weight as they were given
    """

    def __init__(self, estimator, data, n_runs, n_iter):
        X, y, weight = data
        self.estimator, self.n_runs = estimator, n_runs
        self.data = {"X": X, "y": y, "metadata": None if weight is None else {"sample_weight": weight}}
        begin = getattr(estimator, "_init_callback_context", None)
        self.task = begin and self.begun(begin(max_subtasks=n_iter if n_runs == 1 else n_runs))

    def begun(self, task):
        """The context `task`; callbacks know that it has begun."""
        return task.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def ended(self, task, fitted=None):
        """Whether a callback, told that `task` has ended, wants no more."""
        return task.call_on_fit_task_end(estimator=self.estimator, reconstruction_attributes=fitted, **self.data)

    def rule(self, method, n_iter, per_iteration):
        """The stop rule for the next run; None where there are no callbacks."""
        if not getattr(self.estimator, "_skl_callbacks", None):
            return None
        alone = self.n_runs == 1
        task = self.task if alone else self.begun(self.task.subcontext(task_name="class", max_subtasks=n_iter))
        return Watched(self, task, method, n_iter, per_iteration)

    def close(self):
        """The estimator is fitted."""
        if self.task:
            self.ended(self.task, {})
