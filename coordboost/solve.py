"""Running a method on a problem: one driver for every combination, and the run as an object."""

import enum
import signal
import threading
import time
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from coordboost import validation
from coordboost.engine.walk import Walk
from coordboost.targets import At, Certificate


class Status(enum.Enum):
    """Why a run ended."""

    COMPLETED = "all steps were made"
    STOPPED = "a stop rule ended the run"
    INTERRUPTED = "the run was interrupted; the steps made are kept"
    DIVERGED = "the predictions left the range of float64; the steps before are kept"


class State:
    """A model along a run: step `k`, coefficients `beta` (n_learners,) of the unit columns. Everything else is derived from it."""

    def __init__(self, problem, target, k, beta, seconds=0.0):
        self.problem, self.target = problem, target
        self.k, self.beta, self.seconds = k, beta, seconds

    @cached_property
    def point(self):
        """Prediction, residual and correlations, recomputed from `beta`. *Cost*: one scan."""
        return At.point(self.problem, self.beta)

    @cached_property
    def pred(self):
        """B beta, (n_samples,)."""
        return self.problem.dictionary.combine(self.beta)

    @cached_property
    def loss(self):
        """Sum of the losses."""
        return self.problem.value(self.pred)

    @property
    def resid(self):
        """-dloss/dpred, (n_samples,)."""
        return self.point.resid

    @property
    def corr(self):
        """<B_j, resid> for every learner, (n_learners,)."""
        return self.point.corr

    @property
    def start_size(self):
        """The largest abs correlation at beta = 0."""
        return float(np.abs(self.problem.dictionary.scan(self.problem.resid(0.0 * self.pred))).max())

    @property
    def l1(self):
        """Sum of abs(beta)."""
        return float(np.abs(self.beta).sum())

    @property
    def support(self):
        """Indices of the non-zero coefficients."""
        return np.flatnonzero(self.beta)

    def certificate(self, target=None):
        """The interval of the optimum of `target` that this model certifies (default: what the method approaches)."""
        return (self.target if target is None else target).certificate(self.problem, self.point)


class Run:
    """The steps made, and everything that follows from them.

    Attributes
    ----------
    problem, method : what was run;  path : the steps;  status : ``Status``;  message : the status in a sentence
    seconds : wall time of the steps;  n_scans : correlations computed from the data, in units of a full scan
    """

    def __init__(self, walk, status, message, seconds):
        self._walk = walk
        self.problem, self.method, self.seed = walk.problem, walk.method, walk.seed
        self.path = walk.path
        self.n_steps = walk.k
        self.beta = walk.beta
        self.status, self.message, self.seconds = status, message, seconds
        self.n_scans = walk.looks / walk.problem.n_learners

    def __repr__(self):
        return f"<Run {self.method.name}: {self.n_steps} steps, l1 {self.final.l1:.6g}, loss {self.final.loss:.6g}; {self.message}>"

    @property
    def view(self):
        """The class of the engine's view that was used."""
        return type(self._walk.view)

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
        walk = Walk(self.problem, self.method, view=self.view, seed=self.seed, compile=self._walk.compile)
        for k in at:
            if not walk.k <= validation.whole("at", k) <= self.n_steps:
                raise ValueError(f"at must not decrease and not pass the {self.n_steps} steps of the run, got {k} after {walk.k}.")
            walk.follow(self.path, k - walk.k)
            yield State(self.problem, self.method.target_at(k), k, walk.beta)

    def certificate(self, target=None, at=()):
        """Certificate of the last model; the models `at` earlier steps may raise its lower end."""
        last = self.final.certificate(target)
        lower = max([last.lower, *(state.certificate(target).lower for state in self.replay(at))])
        return Certificate(last.target, lower, last.upper, last.witness)

    def resume(self, n_steps, *, stop=(), watch=None):
        """A new run of `n_steps` more steps, the same as if it had never stopped."""
        walk = Walk(self.problem, self.method, view=self.view, seed=self.seed, compile=self._walk.compile)
        walk.follow(self.path, self.n_steps)
        walk.looks = self._walk.looks
        return _drive(walk, n_steps, stop, watch, self.seconds)

    def save(self, file, *, data=True):
        """Write the run to one file; see ``coordboost.storage``."""
        from coordboost.storage import save

        save(self, file, data=data)


def seed_of(rng):
    """A whole number from an int, a NumPy Generator or None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(1 << 62))
    return validation.whole("rng", rng)


@contextmanager
def _interruptible():
    """Yield a function that tells whether Ctrl-C was pressed; a second Ctrl-C interrupts at once."""
    pressed = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    previous = signal.getsignal(signal.SIGINT)

    def note(signum, frame):
        if pressed or not callable(previous):
            raise KeyboardInterrupt
        pressed.append(signum)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, previous)


def _check_horizon(walk, n_steps):
    horizon = getattr(walk.method.step, "horizon", None)
    if horizon is not None and walk.k + n_steps > horizon:
        raise ValueError(f"{walk.method.name} has a sequence for {horizon} steps, {walk.k + n_steps} were asked for.")


def _drive(walk, n_steps, stop, watch, seconds=0.0):
    n_steps = validation.whole("n_steps", n_steps)
    _check_horizon(walk, n_steps)
    rules = [stop] if callable(stop) else list(stop)
    status = Status.COMPLETED
    message = status.value
    began = time.perf_counter() - seconds
    with _interruptible() as interrupted:
        for _ in walk.blocks(n_steps):
            state = State(walk.problem, walk.method.target_at(walk.k), walk.k, walk.beta, time.perf_counter() - began)
            if not np.isfinite(state.beta).all():
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
    path = walk.path
    bad = ~np.isfinite(path.theta) | (np.abs(path.theta) > 1e150)
    good = Walk(walk.problem, walk.method, view=type(walk.view), seed=walk.seed, compile=walk.compile)
    good.follow(path, int(np.argmax(bad)) if bad.any() else 0)
    return Run(good, Status.DIVERGED, Status.DIVERGED.value, seconds)


def solve(problem, method, n_steps, *, rng=0, stop=(), watch=None, view=None, compile=True):
    """Run `method` on `problem` for `n_steps` steps.

    Parameters
    ----------
    problem : Problem
    method : Method
        A named method such as ``ls_boost(0.1)``, or any ``Method(name, select, step)``.
    n_steps : int >= 0
    rng : int, numpy Generator or None, default 0
        Seed of random selection rules. Same seed, same run; None draws a fresh one (kept in ``run.seed``).
    stop : stop rule or sequence of them, optional
        Asked with a ``State`` at the end of every block: ``GapBelow``, ``NoProgress``, ``TimeLimit`` or any callable.
    watch : callable, optional
        Called with a ``State`` at the end of every block, for progress bars and logs; it cannot stop the run.
    view : class, optional
        The engine's view: ``Explicit`` works on the data in every step and is the reference; default: chosen by the size.
    compile : bool, default True
        False runs the same source in plain Python.

    Returns
    -------
    Run
        Also after Ctrl-C, with the steps made.

    Raises
    ------
    ValueError
        If the method does not fit the problem, or a sequence of steps is too short.
    """
    walk = Walk(problem, method, view=view, seed=seed_of(rng), compile=compile)
    return _drive(walk, n_steps, stop, watch)


def iterate(problem, method, n_steps, *, every=1, rng=0, view=None, compile=True):
    """Yield the ``State`` at step 0 and after every `every` steps, n_steps in all."""
    walk = Walk(problem, method, view=view, seed=seed_of(rng), compile=compile)
    n_steps, every = validation.whole("n_steps", n_steps), validation.whole("every", every, 1)
    _check_horizon(walk, n_steps)
    began = time.perf_counter()
    yield State(problem, method.target_at(0), 0, walk.beta)
    while walk.k < n_steps:
        for _ in walk.blocks(min(every, n_steps - walk.k)):
            pass
        yield State(problem, method.target_at(walk.k), walk.k, walk.beta, time.perf_counter() - began)
