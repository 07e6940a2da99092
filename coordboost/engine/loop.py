"""The loop (pick a learner, move, push, record), the recorded path with one row per step, and a run
in progress.
"""

import time
from dataclasses import dataclass, fields

import numpy as np

from coordboost._numba import compiled, interpreted, is_piece, verb
from coordboost._numba.threads import one_thread
from coordboost._utils.interrupt import heed
from coordboost.engine.choice import checked_model_state, choose_model_state, states_of_run
from coordboost.engine.states.naive import perturb, stopped
from coordboost.engine.states.python_learners import Called, Kept
from coordboost.engine.streams import picks
from coordboost.rules.coefficients import Growing
from coordboost.rules.selection import RecordedPicks
from coordboost.rules.steps import RecordedMoves

pick = verb("pick")
move = verb("move")
push = verb("push")
coefficient = verb("coefficient")


accumulate = verb("accumulate")


def advance(state, select, step, unit, beta, drawn, k, learner, shrink, theta):
    """Make and record up to ``len(learner)`` steps from step k on.

    Return their number: fewer if the state needs a scan or has stopped.
    """
    for i in range(len(learner)):
        if stopped(state):
            return i
        perturb(state, k + i)
        j, corr = pick(select, state, step, beta, drawn[i], k + i)
        if j < 0:
            return i
        s, t = move(step, k + i, state, j, corr, coefficient(beta, j))
        push(state, j, s, unit * t)
        accumulate(beta, j, s, t)
        learner[i] = j
        if s != 0:  # the array begins as zeros: without shrinkage its memory is never touched
            shrink[i] = s
        theta[i] = t
    return len(learner)


def accumulate_steps(coefficients, learner, shrink, theta, start, stop):
    """Apply the recorded steps start, ..., stop - 1 to the coefficients."""
    for k in range(start, stop):
        accumulate(coefficients, learner[k], shrink[k], theta[k])


#: Longest time, in seconds, that one call of compiled code should take.
SOON = 0.1


def stretches(start, stop):
    """Yield consecutive ranges (first, last) from `start` to `stop` that take about ``SOON``
    seconds each; check Ctrl-C between them.
    """
    length = 16
    while start < stop:
        heed()
        began = time.perf_counter()
        last = min(start + length, stop)
        yield start, last
        took = time.perf_counter() - began
        start = last
        length = max(1, int(length * min(SOON / max(took, 1e-9), 16)))


#: For an implicit dictionary, at most this many steps are applied to the coefficients in plain
#: Python: compiling takes a second.
FEW = 1 << 12


def retrace(coefficients, path, start, stop):
    """Apply steps start, ..., stop - 1 of a ``Path`` to a store of coefficients, compiled if
    possible; return it (grown if needed).
    """
    if coefficients.room is not None:
        coefficients = coefficients.room(int(path.learner[start:stop].max(initial=-1)) + 1)
    few = isinstance(coefficients, Growing) and coefficients.kept.plain and stop - start <= FEW
    run = (
        compiled(accumulate_steps, (coefficients,))
        if is_piece(coefficients) and not few
        else interpreted(accumulate_steps)
    )
    for first, last in stretches(start, stop):
        run(coefficients, path.learner, path.shrink, path.theta, first, last)
    return coefficients


_in_python = interpreted(advance)


def runner(state, select, step, beta, *, compile=True):
    """Return the loop for these pieces, compiled.

    Or, if only the learners cannot be compiled, a Python loop over compiled verbs.

    Otherwise all is plain Python. ``Called`` and ``Kept`` wrap a model state and its coefficients:
    Python can call their compiled verbs.
    """
    pieces = (state, select, step, beta)
    if compile and all(map(is_piece, pieces)):
        return compiled(advance, pieces)
    if not state.countable:
        state.compile = compile
        kept = beta.kept if not compile or beta.kept.plain else Kept(beta.kept)

        def run(state, select, step, unit, beta, drawn, k, learner, *rest):
            done = _in_python(state, select, step, unit, kept, drawn, k, learner, *rest)
            beta.used[0] = max(beta.used[0], learner[:done].max(initial=-1) + 1)
            return done

        return run
    if compile and state.dictionary is not None and not is_piece(state.dictionary):
        return lambda state, select, step, unit, beta, *rest: _in_python(
            Called(state), select, step, unit, Kept(beta), *rest
        )
    return _in_python


@dataclass(frozen=True, eq=False)
class Path:
    """The recorded steps: step k is the row (learner[k], shrink[k], theta[k]).

    The method's store of coefficients defines its effect.

    learner : int64 (n_steps,);  shrink, theta : float64 (n_steps,)
    """

    learner: np.ndarray
    shrink: np.ndarray
    theta: np.ndarray

    def __len__(self):
        return self.learner.shape[0]

    @classmethod
    def empty(cls, n_steps=0, dtype=np.float64):
        """Room for `n_steps` steps."""
        return cls(
            np.zeros(n_steps, dtype=np.int64),
            np.zeros(n_steps, dtype=dtype),
            np.zeros(n_steps, dtype=dtype),
        )

    @classmethod
    def join(cls, parts):
        """One path from its consecutive parts; a single part is returned as it is."""
        parts = list(parts) or [cls.empty()]
        names = [field.name for field in fields(cls)]
        return (
            parts[0]
            if len(parts) == 1
            else cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
        )

    def cut(self, start, stop):
        """Steps start, ..., stop - 1."""
        return Path(self.learner[start:stop], self.shrink[start:stop], self.theta[start:stop])


#: Maximum number of steps that a record makes room for at once.
ROOM = 1 << 22


class Record:
    """A path being written.

    Memory is allocated for many steps at once: the system gives large arrays large pages, and only
    when filled.
    """

    def __init__(self, path=None):
        self._parts = [path] if path is not None else []
        self._open = Path.empty()
        self._filled = 0

    def room(self, n_steps, ahead):
        """Empty rows for the next `n_steps` of the `ahead` steps to come.

        Call `keep` after filling them.
        """
        if self._filled + n_steps > len(self._open):
            held = self._filled
            self._parts = [*self._parts, self._open.cut(0, self._filled)]
            self._open = Path.empty(max(n_steps, min(ROOM, max(held, ahead))))
            self._filled = 0
        return self._open.cut(self._filled, self._filled + n_steps)

    def keep(self, n_steps):
        """Add the first `n_steps` of the rows that `room` gave to the path."""
        self._filled += n_steps

    @property
    def path(self):
        """The steps so far."""
        parts = [part for part in [*self._parts, self._open.cut(0, self._filled)] if len(part)]
        if len(parts) > 1:
            self._parts = [Path.join(parts)]
            self._open = Path.empty()
            self._filled = 0
            return self._parts[0]
        return Path.join(parts)


#: Maximum number of steps in one call of the compiled loop.
LONGEST = 1 << 16
#: A block is at most this many times as long as the block before.
LARGER = 64


class Stepper:
    """A run in progress: `method` on `problem`, at step `k` with coefficients ``beta``.

    The state is a function of (problem, method, model state, seed, k) alone: not of block lengths,
    threads or interruptions. The `anchor` is (step, memory): the last step at which the model state
    was built from the coefficients, and what else was needed to build it.
    """

    def __init__(self, problem, method, *, model_state=None, seed=0, compile=True):
        self.problem = problem = problem.for_run()
        self.seed, self.compile = seed, compile
        self.method = method.bind(problem)
        self.kind = checked_model_state(problem, self.method, model_state) or choose_model_state(
            problem, self.method, compile
        )
        self.coefficients = self.method.coefficients.start(problem)
        # looks: single correlations computed; extra, extra_columns: scans and Gram columns, besides
        # those that `source` counts
        self.k = 0
        self.record = Record()
        self.looks = 0
        self.extra = 0
        self.extra_columns = 0
        self.anchor = (0, [])
        self.length = 1  # of the first block: the time of a step is not known yet
        self.stream = picks(seed, self.method.select, problem.n_learners)
        with one_thread():
            noise = None if self.method.noise is None else self.method.noise.seeded(seed)
            # it makes the model states
            self.source = states_of_run(self.kind, problem, self.method.coefficients, noise)
            self._rebuild(None)

    @property
    def model_state(self):
        return self.source.model_state

    @property
    def n_scans(self):
        """Correlations computed from the data, in units of a full scan."""
        return self.recorded[0] + self.looks / max(1, self.problem.n_learners)

    @property
    def recorded(self):
        """Counts of the work done: [full scans, single correlations, Gram columns]."""
        return [
            self.source.n_scans + self.extra,
            self.looks,
            self.source.n_columns + self.extra_columns,
        ]

    def recount(self, recorded):
        """Set the counts to those of the run that this one repeats."""
        self.extra = recorded[0] - self.source.n_scans
        self.looks = recorded[1]
        self.extra_columns = sum(recorded[2:]) - self.source.n_columns

    @property
    def path(self):
        """The steps so far."""
        return self.record.path

    @property
    def beta(self):
        """Coefficients of the unit columns, a copy (n_learners,)."""
        return self.coefficients.beta(self.method.unit)

    def _rebuild(self, steps_done):
        if self.source.rebuild(self.beta, steps_done):
            self.anchor = (self.k, list(self.source.saved))

    def restore(self, path, n_steps, anchor):
        """Go to step `n_steps` of a recorded path, from any step: rebuild at its `anchor`, and make
        the steps from there.
        """
        k, memory = anchor
        if not self.problem.countable:
            self.problem.dictionary.forget(int(path.learner[:n_steps].max(initial=-1)) + 1)
        self.coefficients = retrace(self.method.coefficients.start(self.problem), path, 0, k)
        self.k = k
        self.record = Record(path.cut(0, k))
        self.anchor = (k, memory)
        with one_thread():
            self.source.restore(self.beta, memory)
        if self.source.follows:  # the recorded rows are enough: learners are not selected again
            select = RecordedPicks(path.learner)
            step = RecordedMoves(path.shrink, path.theta)
        else:
            select = self.method.select
            step = self.method.step
        for _ in self._advance(select, step, n_steps - k, 1.0):
            pass

    def blocks(self, n_steps, *, seconds=0.1):
        """Make `n_steps` steps; yield about every `seconds` and at the end."""
        yield from self._advance(self.method.select, self.method.step, n_steps, seconds)

    def _make_room(self, n):
        """Make room for `n` more learners of an implicit dictionary."""
        if self.kind.room is not None:
            self.source.model_state = self.source.model_state.room(self.problem, n)
            self.coefficients = self.coefficients.room(self.problem.n_learners + n)

    def _drawn(self, select, n_steps):
        """The random numbers of the next steps, (up to n_steps, width)."""
        if select.width == 0:
            return np.zeros((n_steps, 0), dtype=np.int64)
        return self.stream.rows(self.k, n_steps)

    def _advance(self, select, step, n_steps, seconds):
        goal = self.k + n_steps
        block = self.length
        while self.k < goal:
            began = now = time.perf_counter()
            with one_thread():
                while self.k < goal and now - began <= seconds / 2:
                    last = now
                    full = self._block(select, step, min(block, goal - self.k), goal - self.k)
                    now = time.perf_counter()
                    if full:  # the next block may take half of the time between two yields
                        block = max(
                            1,
                            min(
                                int(block * min(seconds / 2 / max(now - last, 1e-9), LARGER)),
                                LONGEST,
                            ),
                        )
                        self.length = min(block, 16)
            yield self

    def _block(self, select, step, n_steps, ahead):
        """Call the loop once, for up to `n_steps` of the `ahead` steps to come.

        Return whether it made all steps of the call.
        """
        steps_left = self.source.steps_left(self.k - self.anchor[0])
        if steps_left <= 0:
            self._rebuild(self.k - self.anchor[0])
            steps_left = self.source.steps_left(self.k - self.anchor[0])
        drawn = self._drawn(select, min(n_steps, steps_left))
        self._make_room(len(drawn))
        part = self.record.room(len(drawn), ahead)
        advance = runner(self.model_state, select, step, self.coefficients, compile=self.compile)
        done = advance(
            self.model_state,
            select,
            step,
            self.method.unit,
            self.coefficients,
            drawn,
            self.k,
            part.learner,
            part.shrink,
            part.theta,
        )
        self.k += done
        self.record.keep(done)
        self.extra += done * self.model_state.searches
        if self.model_state.from_data:
            self.looks += int(select.looked_at(drawn[:done], self.problem.n_learners))
        best = (
            self.model_state.best_rows
        )  # the guard of accelerated boosting: back to the best model
        if best is not None:
            self.restore(self.path, best, self.anchor)
            self.model_state.slow_down()
        elif done < len(drawn):
            self._rebuild(self.k - self.anchor[0])
        return done == len(drawn)
