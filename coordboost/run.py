"""The run as an object: resumable, replayable, saved and loaded; and the driver that makes it."""

import enum
import math
import time
from functools import cached_property

import numpy as np

from coordboost._checks import shown
from coordboost._protocol import STEP
from coordboost.data import validation
from coordboost.engine.loop import follow
from coordboost.engine.walk import Walk
from coordboost.interrupt import interruptible
from coordboost.state import State
from coordboost.targets import Certificate


class Status(enum.Enum):
    """Why a run ended."""

    COMPLETED = "all steps were made"
    STOPPED = "a stop rule ended the run"
    INTERRUPTED = "the run was interrupted; the steps made are kept"
    DIVERGED = "the predictions left the range of float64; the steps before are kept"


class Run:
    """The steps made, and everything that follows from them.

    Attributes
    ----------
    problem, method : what was run;  path : the steps;  status : ``Status``;  message : the status in a sentence
    seconds : wall time of the steps;  n_scans : correlations of residuals computed from the data, in units of a full scan
    """

    def __init__(self, walk, status, message, seconds):
        self._walk = walk
        self.problem, self.method, self.seed = walk.problem, walk.method, walk.seed
        self.path = walk.path
        self.n_steps = walk.k
        self.beta = walk.beta
        self.status, self.message, self.seconds = status, message, seconds
        self.n_scans = walk.n_scans

    def __repr__(self):
        return f"<Run {self.method.name}: {self.n_steps} steps, l1 {self.final.l1:.6g}, loss {self.final.loss:.6g}; {self.message}>"

    @property
    def view(self):
        """The class of the engine's view that was used."""
        return self._walk.kind

    @cached_property
    def final(self):
        """The last state."""
        return State(self.problem, self.method.target_at(self.n_steps), self.n_steps, self.beta, self.seconds)

    @property
    def pred(self):
        """B beta at the end, (n_samples,), offset not included."""
        return self.final.pred

    @property
    def coef(self):
        """Coefficients on the raw scale, (n_columns,)."""
        return self.problem.raw(self.beta)[0]

    @property
    def intercept(self):
        """Intercept on the raw scale."""
        return self.problem.raw(self.beta)[1]

    def predict(self, X):
        """Predictions (offset included) for new rows."""
        return self.problem.predict(self.beta, X)

    def replay(self, at):
        """The states after `at` steps each (non-decreasing), bit for bit as they were. *Cost*: no scans."""
        coefficients, now = self.method.coefficients.start(self.problem), 0
        if not hasattr(at, "__iter__"):
            raise ValueError(f"at must be a sequence of step numbers, got {shown(at)}.")
        for k in at:
            if not now <= validation.whole("at", k) <= self.n_steps:
                raise ValueError(f"at must not decrease and not pass the {self.n_steps} steps of the run, got {k} after {now}.")
            follow(coefficients, self.path, now, k)
            now = k
            yield State(self.problem, self.method.target_at(k), k, coefficients.beta(self.method.unit))

    def certificate(self, target=None, at=()):
        """Certificate of the last model; the models `at` earlier steps may raise its lower end."""
        last = self.final.certificate(target)
        lower = max([last.lower, *(state.certificate(target).lower for state in self.replay(at))])
        return Certificate(last.target, lower, last.upper, last.witness)

    def resume(self, n_steps, *, stop=(), watch=None):
        """A new run of `n_steps` more steps, the same as if it had never stopped."""
        old = self._walk

        def begin():
            walk = Walk(self.problem, self.method, view=old.kind, seed=self.seed, compile=old.compile)
            walk.restore(self.path, self.n_steps, old.anchor)
            walk.recount(old.recorded)
            return walk

        return drive(begin, n_steps, stop, watch, self.seconds)

    def save(self, file, *, data=True):
        """Write the run to one file; see ``coordboost.storage``."""
        from coordboost.storage import save

        save(self, file, data=data)


def check_horizon(walk, n_steps):
    """Refuse more steps than a sequence has entries."""
    horizon = STEP.of(walk.method.step, "horizon")
    if horizon is not None and walk.k + n_steps > horizon:
        raise ValueError(f"{walk.method.name} has a sequence for {horizon} steps, {walk.k + n_steps} were asked for.")


def drive(begin, n_steps, stop, watch, seconds=0.0):
    """Advance the walk that ``begin()`` makes until the steps are made or something ends them; `seconds` were spent before."""
    n_steps = validation.whole("n_steps", n_steps)
    rules = [stop] if callable(stop) else stop
    if not (isinstance(rules, list | tuple) and all(map(callable, rules))):
        raise ValueError(f"stop must be a stop rule such as TimeLimit(60), or a list of them, got {shown(stop)}.")
    if not (watch is None or callable(watch)):
        raise ValueError(f"watch must be a function of a State, got {shown(watch)}.")
    status = Status.COMPLETED
    message = status.value
    began = time.perf_counter() - seconds
    with interruptible() as interrupted:
        walk = begin()
        check_horizon(walk, n_steps)
        for _ in walk.blocks(n_steps):
            state = State(walk.problem, walk.method.target_at(walk.k), walk.k, walk.beta, time.perf_counter() - began)
            if not math.isfinite(state.loss):
                return _last_finite(walk, state.seconds)
            if watch is not None:
                watch(state)
            reached = next((rule for rule in rules if rule(state)), None)
            if interrupted():
                status = Status.INTERRUPTED
                message = status.value
            elif reached is not None:
                status, message = Status.STOPPED, str(reached)
            if status is not Status.COMPLETED:
                break
    return Run(walk, status, message, time.perf_counter() - began)


def _last_finite(walk, seconds):
    """The run up to the last step whose move was an ordinary number."""
    path = walk.path
    bad = ~np.isfinite(path.theta) | (np.abs(path.theta) > 1e150)
    good = Walk(walk.problem, walk.method, view=walk.kind, seed=walk.seed, compile=walk.compile)
    for _ in good.blocks(int(np.argmax(bad)) if bad.any() else 0):
        pass
    return Run(good, Status.DIVERGED, Status.DIVERGED.value, seconds)
