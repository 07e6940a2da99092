"""``solve`` and ``iterate`` run any method on any problem.

A ``Run`` can be resumed, replayed, saved and loaded.
"""

import importlib
import math
import os
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from coordboost._utils.checks import checked_names, function, items_of, typed
from coordboost._utils.warned import LongStepWarning, warn
from coordboost.certificates.objectives import Certificate
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem
from coordboost.engine import storage
from coordboost.engine.choice import checked_model_state, choose_model_state
from coordboost.engine.kernel import Path, retrace
from coordboost.engine.loop import proceed, states
from coordboost.engine.refitted import RefittedRun
from coordboost.engine.result import State, Status, StepPath, spaced, states_along
from coordboost.engine.shape import ShapeFunction, shape_functions
from coordboost.paths.freedom import hat_trace
from coordboost.paths.places import PathPoint, checked_place, unrounded
from coordboost.rules.method import Method, checked_method

__all__ = ["Run", "Status", "load"]

#: Most steps of a run whose coefficients are kept to find points on its path.
LANDMARKS = 64


@dataclass(frozen=True, eq=False, repr=False)
class Run(StepPath):
    """The steps made, and everything that follows from them; a path, whose points are the steps.

    ``solve`` makes runs. A run holds plain numbers and no part of the engine: it is saved,
    resumed and replayed bit for bit.

    Parameters
    ----------
    problem : Problem
        What was minimised.
    method : Method
        What was run, bound to the problem.
    model_state : class
        How residuals were kept up to date.
    seed : int
        Seed of the random numbers.
    compile : bool
        Whether the steps were compiled.
    path : Path
        The steps, a row (learner, shrink, theta) each.
    beta : ndarray, (n_learners,)
        Coefficients of the unit columns after them.
    anchor : tuple, optional
        (step, memory): the last step at which the model state was built from the coefficients, and
        what else was needed to build it.
    counts : list of int
        Full scans, single correlations and Gram columns computed from the data.
    status : Status
        Why the run ended.
    message : str
        The status in a sentence.
    seconds : float
        Wall time of the steps.
    validation : dict, optional
        Validation losses, if the number of steps was chosen by them.
    rise : float
        By how much the loss ends above the one of the constant model, 0 if it does not.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 20)
    >>> print(run)
    <Run ls_boost: 20 steps on unit columns, l1 4.16313, loss 0.210531; all steps were made>
    """

    problem: Problem
    method: Method
    model_state: type
    seed: int
    compile: bool
    path: Path
    beta: np.ndarray
    anchor: tuple | None = None
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])
    status: Status = Status.COMPLETED
    message: str = Status.COMPLETED.value
    seconds: float = 0.0
    validation: dict | None = None
    rise: float = 0.0

    def __reduce__(self):
        return Run, tuple(getattr(self, column.name) for column in fields(self))

    def __repr__(self):
        l1 = f"l1 {self.final.l1:.6g}"
        loss = f"loss {self.final.loss:.6g}" if self.problem.has_data else "training data left out"
        messages = getattr(self.problem.dictionary, "messages", "")
        return (
            f"<Run {self.method.name}: {self.n_steps} steps on {self.penalty_units}, {l1}, "
            f"{loss}; {self.message}{messages and '; ' + messages}>"
        )

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.path)

    @property
    def n_scans(self) -> float:
        """Correlations of residuals computed from the data, in scans: passes over all columns."""
        return self.counts[0] + self.counts[1] / max(1, self.problem.n_learners)

    @property
    def n_gram_columns(self) -> int:
        """Gram columns B'W B_j computed from the data.

        They are used instead of scans once the fit is nearly exact.
        """
        return self.counts[2]

    @property
    def run(self) -> "Run":
        """The run itself (``RefittedRun.run`` returns the original run)."""
        return self

    @cached_property
    def final(self) -> State:
        """The last state."""
        target = self.method.target_at(self.n_steps)
        return State(self.problem, target, self.n_steps, self.beta, self.seconds, self.path)

    @property
    def pred(self) -> np.ndarray:
        """B beta at the end, (n_samples,), the constant not included."""
        return self.final.pred

    @property
    def coef(self) -> np.ndarray:
        """Coefficients on the scale of X, (n_columns,)."""
        return self.problem.raw(self.beta)[0]

    @property
    def intercept(self) -> float:
        """Intercept of the model on the scale of X."""
        return self.problem.raw(self.beta)[1]

    def step_at(self, place: PathPoint) -> int:
        """The number of steps after which a ``PathPoint`` is reached.

        Norms and penalties need not be monotone along the path. The place *begins* to be reached at
        the returned step: it is reached after this step, and was not reached one step before.
        *Cost*: a replay of the run, once, and for a penalty log2(n_steps) scans.

        Parameters
        ----------
        place : PathPoint
            The point on the path.

        Returns
        -------
        int
            Number of steps.

        Raises
        ------
        ValueError
            If the last step has not reached it.
        """
        if checked_place(place, "place").fraction == 1:
            return self.n_steps
        kind, value = place.among(self.problem.total_weight, lambda: self.final.l1)
        if kind == "step":
            if value > self.n_steps or value != int(value):
                raise ValueError(
                    f"step must be a whole number from 0 to {self.n_steps}, the steps of the run, "
                    f"got {value:g}."
                )
            return int(value)
        value = unrounded(value, self.final.l1, self.problem) if kind == "l1" else value
        far = {
            "l1": lambda k: self._state_after(k).l1 >= value,
            "lam": lambda k: float(np.abs(self._state_after(k).corr).max()) <= value,
        }[kind]
        if not far(self.n_steps):
            ends = self.final.l1 if kind == "l1" else float(np.abs(self.final.corr).max())
            name, unit = place.named_as(kind, self.problem.total_weight)
            raise ValueError(
                f"the run ends at {name} = {ends / unit:.6g}, before {value / unit:.6g}; make more "
                "steps: run.resume(n_steps)."
            )
        no = -1
        yes = self.n_steps
        while yes - no > 1:
            k = (no + yes) // 2
            no, yes = (no, k) if far(k) else (k, yes)
        return yes

    @cached_property
    def _landmarks(self):
        """The store of coefficients after 0, s, 2 s, ... steps, and s, which is so large that they
        take no more memory than the path.
        """
        spacing = max(1, self.problem.n_learners, -(-self.n_steps // LANDMARKS))
        coefficients = self.method.coefficients.start(self.problem)
        stores = [deepcopy(coefficients)]
        for k in range(spacing, self.n_steps + 1, spacing):
            coefficients = retrace(coefficients, self.path, k - spacing, k)
            stores.append(deepcopy(coefficients))
        return stores, spacing

    def _state_after(self, k):
        """The state that ``replay`` gives after k steps, from the landmark before it."""
        stores, spacing = self._landmarks
        store = deepcopy(stores[k // spacing])
        start = k - k % spacing
        along = states_along(self.problem, self.method, self.path, [k], k=start, coefficients=store)
        return next(along)

    def order_of_entry(self) -> np.ndarray:
        """Columns of X in the order in which steps first moved them, (n_entered,).

        Learners found by a search, such as trees, take the place of columns.

        Returns
        -------
        ndarray of int, (n_entered,)
            Indices of columns or learners.
        """
        learners, entry = np.unique(self.path.learner[self.path.theta != 0], return_index=True)
        learners = learners[np.argsort(entry)]
        return (
            learners if not self.problem.countable else self.problem.standardization.kept[learners]
        )

    def profile(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The numbers of ``to_frame`` at no more than 200 steps.

        Half of the steps are evenly spaced, half geometrically.

        Returns
        -------
        numbers : dict
            Name to array, one entry for each step that is shown.
        coefs : ndarray, (n_shown, n_columns)
            Coefficients on the scale of X.
        """
        at = spaced(self.n_steps)
        states = list(self.replay(at.tolist()))
        raw = [self.problem.raw(state.beta) for state in states]
        n = len(self._names())
        l1 = np.array([state.l1 for state in states])
        top = [float(np.abs(state.corr).max()) for state in states]
        numbers = {
            "step": at,
            "l1": l1,
            "fraction": l1 / (self.final.l1 or 1.0),
            "alpha": top / self.problem.weight.sum(),
        }
        numbers |= self._deviance(np.array([state.loss for state in states]))
        coefs = np.array([np.pad(coef[:n], (0, max(0, n - len(coef)))) for coef, _ in raw])
        return {**numbers, "intercept": np.array([intercept for _, intercept in raw])}, coefs

    def shape_functions(self) -> dict[str, ShapeFunction]:
        """The shape function of each feature, for stumps or trees of depth 1.

        See ``shape_functions``.

        Returns
        -------
        dict
            Name of the feature to ``ShapeFunction``.
        """
        return shape_functions(self.problem, self.beta)

    def replay(self, at: Iterable[int]) -> Iterator[State]:
        """The states after `at` steps each (non-decreasing), bit for bit as they were.

        *Cost*: no scans.

        Parameters
        ----------
        at : sequence of int
            Numbers of steps, non-decreasing.

        Yields
        ------
        State
            One for each.
        """
        steps = self._checked_steps(items_of("at", at, "a sequence of step numbers"))
        yield from states_along(self.problem, self.method, self.path, steps)

    def _checked_steps(self, at):
        before = 0
        for k in at:
            if not before <= validation.whole("at", k) <= self.n_steps:
                raise ValueError(
                    f"at must not decrease and not pass the {self.n_steps} steps of the run, got "
                    f"{k} after {before}."
                )
            yield k
            before = k

    @property
    def n_points(self) -> int:
        """Number of models of the path: one before the first step, one after each."""
        return self.n_steps + 1

    def degrees_of_freedom(self) -> np.ndarray:
        """The trace of the hat operator after each number of steps, for LS-Boost, (n_steps + 1,).

        The intercept is not counted.

        The chosen learners are taken as given, so the degrees of freedom of the search are ignored:
        see ``coordboost.paths.freedom``.

        Returns
        -------
        ndarray, (n_steps + 1,)
            One number for each model.
        """
        return hat_trace(self)

    def certificate(self, target: Any = None, at: Iterable[int] = ()) -> Certificate:
        """Certificate of the last model.

        The models after `at` earlier steps may raise its lower end.

        Parameters
        ----------
        target : Unconstrained, L1Ball or L1Penalty, optional
            Default: what the method approaches.
        at : sequence of int, optional
            Earlier steps.

        Returns
        -------
        Certificate
            An interval around the optimum.
        """
        last = self.final.certificate(target)
        earlier = [state.certificate(target) for state in self.replay(at)]
        if refuted := next(
            (interval.refuted for interval in [last, *earlier] if interval.refuted), ""
        ):
            return replace(last, lower=-math.inf, refuted=refuted)
        return last.moved(max(interval.lower for interval in [last, *earlier]))

    def refit_intercept(self) -> RefittedRun:
        """The same coefficients with the best intercept at every step, a ``RefittedRun``.

        For losses other than the squared loss: their runs keep the intercept of the start.

        Returns
        -------
        RefittedRun
            A new path; the run is unchanged.
        """
        return RefittedRun(self)

    def resume(
        self,
        n_steps: int,
        *,
        stop: Any = (),
        watch: Callable[[State], Any] | None = None,
        progress: bool = False,
    ) -> "Run":
        """A new run with `n_steps` more steps, the same as if the run had never stopped.

        Parameters
        ----------
        n_steps : int
            Number of further steps.
        stop : stop rule or sequence of them, optional
            As for ``solve``.
        watch : callable, optional
            As for ``solve``.
        progress : bool, default False
            As for ``solve``.

        Returns
        -------
        Run
            All steps, the earlier ones included.
        """
        if not validation.flag("progress", progress):
            return proceed(self, n_steps, stop, watch)
        n_steps = validation.whole("n_steps", n_steps)
        if watch is not None:
            function("watch", watch, "a function of a State")
        # in a higher layer: loaded by name, and only when needed
        shown = importlib.import_module("coordboost.reporting.progress")
        with shown.bar_or_lines(self.method.name, n_steps, since=self.n_steps) as move:

            def look(state):
                move(state)
                if watch is not None:
                    watch(state)

            return proceed(self, n_steps, stop, look)

    def without_data(self) -> "Run":
        """The same run without the training data, as pickles of estimators hold it.

        It predicts at every step. What needs the data, such as ``resume``, raises a ValueError.

        Returns
        -------
        Run
            A new run.
        """
        return replace(self, problem=self.problem.without_data(), anchor=None)

    def save(self, file: str | os.PathLike[str], *, data: bool = True) -> None:
        """Write the run to one file: a new one, which then replaces an old one.

        Parameters
        ----------
        file : path
            The file to write.
        data : bool, default True
            Whether the problem is written, too, so that the file alone can be certified and
            resumed.

        Raises
        ------
        ValueError
            If `file` is a folder; if `data` is True and the learners or the loss are your own; if
            `data` is False and the learners were found by a search.
        OSError
            If the file cannot be written; an old file stays unchanged.
        """
        storage.write_run(self, file, data=data)


def load(
    file: str | os.PathLike[str], problem: Problem | None = None, method: Method | None = None
) -> Run:
    """The run saved in `file` by ``run.save``.

    Parameters
    ----------
    file : path
        A file that ``run.save`` wrote.
    problem : Problem, optional
        The problem of the run, if the file does not hold it.
    method : Method, optional
        The method, if it has rules of your own.

    Returns
    -------
    Run
        The same run, bit for bit.

    Raises
    ------
    ValueError
        If `file` is not a run, is damaged or of another version, or if a problem or method is
        needed and missing or does not fit.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cb.solve(problem, cb.ls_boost(0.5), 20).save(folder + "/the.run")
    ...     cb.load(folder + "/the.run").n_steps
    20
    """
    return Run(**storage.read_run(file, problem, method))


def too_long(run):
    """Return a warning with an eps to try if the first step of a stagewise run raises the loss,
    else an empty string.
    """
    problem = run.problem
    eps = run.method.parameters.get("eps")
    if not (
        "stagewise" in run.method.name and isinstance(eps, float) and run.n_steps
    ):  # a sequence may begin with long ones
        return ""
    if problem.countable and problem.unit_norm and problem.loss.sigma:
        column = problem.gather(run.path.learner[:1])[:, 0]
        slope = abs(column @ problem.start_resid)
        if problem.loss.sigma * run.method.unit * abs(run.path.theta[0]) <= slope:
            return ""  # it lowers the loss; twice the length would leave it as it is
    after_one_step = next(run.replay([1])).loss
    if not after_one_step > problem.start_loss + 1e-9 * abs(problem.start_loss):
        return ""
    best = problem.start_size / (problem.loss.sigma or 1.0) if problem.countable else 0.0
    what = "the first step raises the loss, and the path oscillates"
    if problem.loss.quadratic and best:
        what = (
            "no step of that length lowers the loss, as the best first step has at most "
            f"length {best:.3g}; the path oscillates"
        )
    return f"eps = {eps:g} is too long: {what}. Try eps={typed(best / 100 or eps / 100)}."


def seed_of(rng):
    """A whole number from an int, a NumPy Generator or None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(validation.generator(rng).integers(1 << 62))
    return validation.whole("rng", rng, below=None)


def at_zero(problem, method, seed=0, model_state=None, compile=True):
    """The run that has made no step; resumed, it makes the first ones."""
    method = method.bind(problem)
    state = checked_model_state(problem, method, model_state)
    if state is None:
        state = choose_model_state(problem, method, compile)
    beta = np.zeros(problem.n_learners)
    return Run(problem, method, state, seed, compile, Path.empty(), beta)


def _checked_start(problem, method, rng, model_state, compile):
    """The run of no steps, from the arguments of ``solve``."""
    checked_problem(problem)
    checked_method(method)
    if method.coefficients.follow_angle:
        from coordboost.angles.angle import settled

        method = settled(method, problem)
    compile = validation.flag("compile", compile)
    return at_zero(problem, method, seed_of(rng), model_state, compile)


@checked_names("{name}(Problem(X, y), ...)")
def solve(
    problem: Problem,
    method: Method,
    n_steps: int,
    *,
    rng: int | np.random.Generator | None = 0,
    stop: Any = (),
    watch: Callable[[State], Any] | None = None,
    progress: bool = False,
    model_state: type | None = None,
    compile: bool = True,
) -> Run:
    """Run `method` on `problem` for `n_steps` steps.

    Parameters
    ----------
    problem : Problem
    method : Method
        A named method such as ``ls_boost(0.1)``, or any ``Method(name, select, step)``.
    n_steps : int >= 0
    rng : int, numpy Generator or None, default 0
        Seed of all random numbers. The same seed gives the same run; None draws a fresh seed (kept
        in ``run.seed``).
    stop : stop rule or sequence of them, optional
        ``GapBelow``, ``NoProgress``, ``TimeLimit`` (all in ``coordboost.engine``), or a function of
        a ``State`` that returns True to stop. A rule is tested after each of the first 32 steps,
        then at intervals of a sixteenth of the step number (``GapBelow`` and ``NoProgress``, whose
        tests cost a scan, after 8 steps and a fourth), and at the last step; the run ends at the
        first of these steps at which the rule holds. With an attribute ``every`` it is tested at
        the multiples of that step number instead. Unless the rule uses the time, the step does not
        depend on the machine.
    watch : callable, optional
        Called with a ``State`` about twenty times a second and at the end, for logs and pictures;
        it cannot stop the run.
    progress : bool, default False
        Show on stderr how many steps are made, the time left and the loss: a bar on a terminal, and
        in a notebook that has ipywidgets; elsewhere at most ten lines. The steps are the same.
    model_state : class, optional
        For testing: how residuals and correlations are kept up to date.
        ``coordboost.engine.NaiveState`` recomputes all correlations from the data in every step.
        Default: the fastest way for the size of the problem; the steps are the same.
    compile : bool, default True
        False runs the same source in plain Python.

    Returns
    -------
    Run
        The run; after Ctrl-C with the steps made so far.

    Raises
    ------
    ValueError
        If the method does not fit the problem, or a sequence of steps is too short.

    Warns
    -----
    InterruptedWarning
        After Ctrl-C. A second Ctrl-C raises ``KeyboardInterrupt`` at once.
    LongStepWarning
        If eps of a stagewise method is so large that the first step increases the loss; the message
        proposes a smaller eps.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 20)
    >>> run.n_steps, run.beta.round(2)
    (20, array([1.41, 2.75]))
    >>> run.predict([[1.0, 1.0]]).round(2)
    array([2.68])
    """
    start = _checked_start(problem, method, rng, model_state, compile)
    run = start.resume(n_steps, stop=stop, watch=watch, progress=progress)
    if words := too_long(run):
        warn(words, LongStepWarning)
    return run


@checked_names("{name}(Problem(X, y), ...)")
def iterate(
    problem: Problem,
    method: Method,
    n_steps: int,
    *,
    every: int = 1,
    rng: int | np.random.Generator | None = 0,
    model_state: type | None = None,
    compile: bool = True,
) -> Iterator[State]:
    """Yield the ``State`` at step 0 and after every `every` steps, n_steps in all.

    Ends early where the loss leaves float64.

    Parameters
    ----------
    problem : Problem
        What is minimised.
    method : Method
        A named method such as ``ls_boost(0.1)``, or any ``Method(name, select, step)``.
    n_steps : int
        How many steps at most.
    every : int, default 1
        Steps between two states.
    rng : int, numpy Generator or None, default 0
        Seed of all random numbers, as for ``solve``.
    model_state : class, optional
        For testing, as for ``solve``.
    compile : bool, default True
        False runs the same source in plain Python.

    Yields
    ------
    State
        The model after 0, `every`, ... steps.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> for state in cb.iterate(problem, cb.ls_boost(0.5), 6, every=3):
    ...     print(state.k, round(state.loss, 3))
    0 5.0
    3 0.697
    6 0.285
    """
    yield from states(_checked_start(problem, method, rng, model_state, compile), n_steps, every)
