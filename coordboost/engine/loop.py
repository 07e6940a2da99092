"""The loop of ``solve``, ``resume`` and ``iterate``: advance a block of steps, look at the state,
stop.
"""

import bisect
import math
import time
from dataclasses import replace

import numpy as np

from coordboost._numba.sums import surely_finite
from coordboost._numba.threads import one_thread
from coordboost._utils.checks import function
from coordboost._utils.interrupt import InterruptedWarning, interruptible
from coordboost._utils.warned import warn
from coordboost.data import validation
from coordboost.engine.alternation import states_of_run
from coordboost.engine.kernel import make_steps, retrace
from coordboost.engine.result import State, Status, loss_rise
from coordboost.engine.stopping import stop_tests
from coordboost.engine.streams import picks
from coordboost.rules.selection import RecordedPicks
from coordboost.rules.steps import RecordedMoves

#: Seconds between two looks at a run that no stop rule requires: for progress bars, time limits,
#: and to detect divergence. A block of steps takes a fourth of it.
LOOK = 0.05
#: Number of steps of the first block; of a block at most; how many times longer than the block
#: before it is at most.
FIRST, LONGEST, LARGER = 16, 1 << 16, 64
#: Multiplications of the first block, where a compiled step only updates all correlations.
FIRST_WORK = 1 << 20
#: Rows of a path for which memory is reserved at most.
ROOM = 1 << 22
#: A run that left the range of float64 is cut before the first move larger than this.
LARGEST = 1e150


def proceed(run, n_steps, stop=(), watch=None):
    """The run that has made `n_steps` more steps than `run`, or fewer if it ends before."""
    n_steps = validation.whole("n_steps", n_steps)
    goal = run.n_steps + n_steps
    tests = stop_tests(stop, run.n_steps)
    if watch is not None:
        function("watch", watch, "a function of a State")
    solver = None

    def nothing_made():
        return solver is None or solver.k == run.n_steps

    with interruptible(nothing_made) as interrupted:
        solver = Solver(run, n_steps)
        status = None
        message = None
        next_look = time.perf_counter() + LOOK
        while status is None:
            at_end = solver.k == goal
            timely = at_end or time.perf_counter() >= next_look
            due = [test for test in tests if test.is_due(solver.k, timely, at_end)]
            if due or timely or interrupted():
                state = solver.state()
                if not solver.is_finite(state):
                    lost = solver
                    solver = last_finite(run, lost)
                    state = solver.state()
                    status = Status.DIVERGED
                    message = lost.no_number(solver.k)
                elif holding := next((test for test in due if test.holds(state)), None):
                    status = Status.STOPPED
                    message = holding.message(solver.k)
                elif at_end:
                    status = Status.COMPLETED
                if watch is not None and (timely or status):
                    watch(state)
                    solver.present = None  # the user's function may have written into it
                    state = solver.state()
                if timely:
                    next_look = time.perf_counter() + LOOK
                if status is None and interrupted():
                    status = Status.INTERRUPTED
            if status is None:
                solver.advance(min([goal, *(test.due for test in tests)]))
    if status is Status.INTERRUPTED:
        warn(f"{status.value}: {solver.k:,} of {goal:,}.", InterruptedWarning)
    return solver.result(status, message, state=state)


def states(run, n_steps, every):
    """Yield the states of the next `n_steps` steps of `run`, at its end and at multiples of
    `every`, while the loss is finite.
    """
    n_steps = validation.whole("n_steps", n_steps)
    every = validation.whole("every", every, 1)
    goal = run.n_steps + n_steps
    solver = Solver(run, n_steps)
    state = solver.state()
    while math.isfinite(state.loss):
        yield state
        if solver.k == goal:
            return
        solver.reach(min(goal, solver.k - solver.k % every + every))
        state = solver.state()


class Solver:
    """A run in memory, while its steps are made: coefficients, model state and random numbers.

    It is a function of (problem, method, model state, seed, step k) alone: not of blocks, threads
    or interruptions. The `anchor` is (step, memory): the last step at which the model state was
    built from the coefficients, and what else was needed to build it.
    """

    def __init__(self, run, n_steps):
        self.run = run
        self.problem = run.problem.for_run()
        self.method = run.method.bind(self.problem)
        self.began = time.perf_counter() - run.seconds
        horizon = self.method.step.horizon
        if horizon is not None and run.n_steps + n_steps > horizon:
            raise ValueError(
                f"{self.method.name} has a sequence for {horizon} steps, but the run has "
                f"{run.n_steps + n_steps}; make it as long as the run, or use a number if it is "
                "the same in every step."
            )
        self.k = 0
        self.present = None  # the state at step k, once it is asked for
        self.rows = run.path.extended(run.n_steps + min(n_steps, ROOM))
        self.coefficients = self.method.coefficients.start(self.problem)
        self.stream = picks(run.seed, self.method.select, self.problem.n_learners)
        self.anchor = run.anchor
        self.lengths = {}  # steps of the next block, for each kind of model state
        if run.model_state.from_gram and run.compile:
            length = FIRST_WORK // self.problem.n_learners
            self.lengths[run.model_state] = max(1, min(length, LONGEST))
        self.searches = 0  # scans by the searches of a model state
        self.looks = 0  # single correlations
        self.earlier = np.zeros(3, dtype=np.int64)  # counts of the run before it is restored here
        noise = None if self.method.noise is None else self.method.noise.seeded(run.seed)
        with one_thread():
            self.states = states_of_run(
                run.model_state, self.problem, self.method.coefficients, noise
            )
            if run.anchor is None:
                self._rebuild(None)
                return
        self.restore(run.n_steps, run.anchor)
        self.earlier = np.array(run.counts) - self.counts
        if self.k and not self.is_finite(self.state()):
            raise ValueError(
                f"the loss after the {self.k:,} steps of this run is not finite: no step can be "
                "made from there."
            )

    @property
    def model_state(self):
        return self.states.model_state

    @property
    def counts(self):
        """Work done: full scans, single correlations, Gram columns."""
        scans = self.states.n_scans + self.searches
        looks = self.looks + self.states.n_looks
        return self.earlier + np.array([scans, looks, self.states.n_columns])

    @property
    def path(self):
        """The steps so far."""
        return self.rows.cut(0, self.k)

    def state(self):
        """The ``State`` at the present step, the same object until the next step."""
        if self.present is None:
            beta = self.coefficients.beta(self.method.unit)
            target = self.method.target_at(self.k)
            seconds = time.perf_counter() - self.began
            self.present = State(self.problem, target, self.k, beta, seconds, self.path)
        return self.present

    @property
    def known_pred(self):
        """The prediction of the model state, None if it has none: from beta it costs more."""
        return getattr(self.model_state, "pred", None)

    def is_finite(self, state):
        """Whether the loss is finite."""
        change = self.model_state.change
        if change is not None and abs(change()) < LARGEST:
            return True
        problem = self.problem
        extremes = self.model_state.extremes
        known = self.known_pred if extremes is None else extremes()
        if known is None:
            return math.isfinite(state.loss)
        surely = surely_finite(problem.loss, problem.y, problem.weight, problem.base, known)
        return surely or math.isfinite(self.loss(state))

    def loss(self, state=None):
        """The loss at the present step, whose ``State`` may be given if it is at hand."""
        if self.model_state.summed_losses is not None:
            return self.model_state.summed_losses()
        if self.known_pred is None:
            return (state or self.state()).loss
        return self.problem.value(self.known_pred)

    def result(self, status, message=None, losses=None, state=None):
        """The run so far, as it is saved, replayed and resumed.

        losses : the losses at the start and at the end, if not those of the problem
        state : the present ``State``, if it is at hand
        """
        sentences = [message or status.value, self.model_state.remark]
        rise = 0.0
        descends = self.method.noise is None  # a chain with noise samples models, good and bad
        known = self.model_state.change is not None and self.model_state.change() < 0
        if self.k and descends and not known and status is not Status.DIVERGED:
            start, end = losses or (self.problem.start_loss, self.loss(state))
            rise = loss_rise(start, end)
            if rise:
                sentences.append(f"the loss ends above its start, {end:.6g} instead of {start:.6g}")
        last = self.state()
        run = replace(
            self.run,
            problem=self.problem,
            method=self.method,
            path=self.path,
            beta=last.beta,
            anchor=self.anchor,
            counts=self.counts.tolist(),
            status=status,
            message="; ".join(filter(None, sentences)),
            seconds=time.perf_counter() - self.began,
            validation=None,
            rise=rise,
        )
        last.seconds = run.seconds
        vars(run)["final"] = last  # its loss, if it is known, is not computed again
        return run

    def no_number(self, k):
        """Return a sentence on step k if its shrinkage or its length is no number, else None."""
        step = self.rows.cut(k, k + 1)
        lengths = [*step.shrink.tolist(), *step.theta.tolist()]
        if all(map(math.isfinite, lengths)):
            return None
        return (
            f"{Status.DIVERGED.value}; {type(self.method.step).__name__}.move returned shrink = "
            f"{lengths[0]:g}, theta = {lengths[1]:g} in step {k:,}"
        )

    def reach(self, k, recorded=None):
        """Make the steps up to step k."""
        while self.k < k:
            self.advance(k, recorded)

    def advance(self, limit, recorded=None):
        """Make one block of steps by one call of the compiled loop, up to step `limit` at most.

        recorded : selection and step rules that repeat recorded steps, instead of those of the
        method
        """
        self.present = None
        select, step = recorded or (self.method.select, self.method.step)
        began = time.perf_counter()
        with one_thread():
            if self.states.steps_left(self.k - self.anchor[0]) <= 0:
                self._rebuild(self.k - self.anchor[0])
            steps_left = self.states.steps_left(self.k - self.anchor[0])
            kind = type(self.model_state)
            length = self.lengths.get(kind, FIRST)
            n_steps = min(steps_left, length, limit - self.k)
            drawn = np.zeros((n_steps, 0), dtype=np.int64)
            if select.width:
                drawn = self.stream.rows(self.k, n_steps)
            rows = self._room(len(drawn))
            made = make_steps(
                self.model_state,
                select,
                step,
                self.method.unit,
                self.coefficients,
                drawn,
                self.k,
                rows,
                compile=self.run.compile,
            )
            self.k += made
            self.searches += made * self.model_state.searches
            if self.model_state.from_data:
                self.looks += int(select.looked_at(drawn[:made], self.problem.n_learners))
            best = self.model_state.best_rows
            if best is not None:  # the guard of accelerated boosting: back to the best model
                self.restore(best, self.anchor)
                self.model_state.slow_down()
            elif made < len(drawn):
                self._rebuild(self.k - self.anchor[0])
        if made == len(drawn):
            longer = min(LOOK / 4 / max(time.perf_counter() - began, 1e-9), LARGER)
            self.lengths[kind] = max(1, min(int(made * longer), LONGEST))

    def restore(self, k, anchor):
        """Go to step k of the rows: build the model state at its `anchor`, make the steps since."""
        self.present = None
        path = self.rows.cut(0, k)
        start, memory = anchor
        if not self.problem.countable:
            self.problem.dictionary.forget(int(path.learner.max(initial=-1)) + 1)
        empty = self.method.coefficients.start(self.problem)
        self.coefficients = retrace(empty, path, 0, start)
        self.rows = path.cut(0, start).extended(len(self.rows))  # states keep the rows before
        self.k = start
        self.anchor = anchor
        with one_thread():
            self.states.restore(self.coefficients.beta(self.method.unit), memory)
        recorded = None
        if self.states.follows:  # the recorded rows are enough: learners are not selected again
            recorded = RecordedPicks(path.learner), RecordedMoves(path.shrink, path.theta)
        self.reach(k, recorded)

    def _rebuild(self, steps_since_anchor):
        """Build the model state for the next steps from the coefficients."""
        if self.states.rebuild(self.coefficients.beta(self.method.unit), steps_since_anchor):
            self.anchor = (self.k, list(self.states.saved))

    def _room(self, n_steps):
        """The next rows of the path; make room for the learners that they may find."""
        if self.model_state.room is not None:
            self.states.model_state = self.model_state.room(self.problem, n_steps)
            self.coefficients = self.coefficients.room(self.problem.n_learners + n_steps)
        if self.k + n_steps > len(self.rows):
            self.rows = self.path.extended(2 * (self.k + n_steps))
        return self.rows.cut(self.k, self.k + n_steps)


def last_finite(run, diverged):
    """A solver at the last step with a finite loss: the steps of `run` up to there, made again."""
    start = run.n_steps
    safe = np.abs(diverged.path.theta[start:]) <= LARGEST
    end = diverged.k if safe.all() else start + int(np.argmin(safe))
    made = diverged.result(Status.DIVERGED)

    def is_lost(k):
        return not math.isfinite(next(made.replay([k])).loss)

    k = start + bisect.bisect_left(range(start + 1, end + 1), True, key=is_lost)
    solver = Solver(run, k - start)
    solver.reach(k)
    return solver
