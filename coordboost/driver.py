"""The one driver behind ``solve``, ``iterate`` and ``resume``: a stepper is advanced, looked at, and stopped."""

import math
import time
import warnings

import numpy as np

from coordboost._checks import function
from coordboost._numba.sums import surely_finite
from coordboost.asking import Asking, rules_of
from coordboost.data import validation
from coordboost.engine.stepper import Stepper
from coordboost.interrupt import InterruptedWarning, interruptible
from coordboost.outcome import Outcome, Replay, Status
from coordboost.state import State

#: Seconds between two looks at a run that nobody asked for: for progress bars, time limits, and to notice divergence.
LOOK = 0.05
#: A move beyond this is where a run that left the range of float64 is cut.
LARGEST = 1e150


class Course:
    """A stepper on its way to `n_steps` more steps, and the steps that it can go back to."""

    def __init__(self, stepper, n_steps, seconds=0.0):
        self.stepper, self.goal = stepper, stepper.k + n_steps
        horizon = stepper.method.step.horizon
        if horizon is not None and self.goal > horizon:
            raise ValueError(
                f"{stepper.method.name} has a sequence for {horizon} steps, {self.goal} were asked for; make it as long as the "
                "run, or use a number where it is the same in every step."
            )
        self.began = time.perf_counter() - seconds
        self.marks = [self._mark()]

    def _mark(self):
        return self.stepper.k, self.stepper.anchor, self.stepper.recorded

    def mark(self, since):
        """Be able to go back here, and to where the steps after `since` can be made from; the other marks are let go."""
        self.marks.append(self._mark())
        needed = [i for i, mark in enumerate(self.marks) if mark[0] <= since]
        self.marks = self.marks[:1] + self.marks[max(1, needed[-1] if needed else 1) :]

    def seconds(self):
        """Wall time so far."""
        return time.perf_counter() - self.began

    def state(self):
        """Where the stepper is."""
        stepper = self.stepper
        target = stepper.method.target_at(stepper.k)
        return State(stepper.problem, target, stepper.k, stepper.beta, self.seconds(), stepper.path)

    def sound(self, state):
        """Whether the loss is a number: at the prediction that the view holds, where it holds one; to sum up a model costs more."""
        pred = self.stepper.view.pred
        if pred is None:
            return math.isfinite(state.loss)
        problem = state.problem
        return surely_finite(problem.loss, problem.y, problem.weight, problem.base, pred) or math.isfinite(problem.value(pred))

    def pauses(self, due):
        """Make the steps; pause after every block, and at the step numbers that ``due()`` gives."""
        while self.stepper.k < self.goal:
            for _ in self.stepper.blocks(min(due(), self.goal) - self.stepper.k):
                yield

    def earlier(self):
        """The states up to here, by replay."""
        return Replay(self.stepper.problem, self.stepper.method, self.stepper.path, self.seconds())

    def back(self, k):
        """Go back to step k: the stepper is then as if it had never gone further."""
        stepper = self.stepper
        if k == stepper.k:
            return
        at, anchor, counts = [mark for mark in self.marks if mark[0] <= k][-1]
        stepper.restore(stepper.path.cut(0, at), at, anchor)
        stepper.recount(counts)
        for _ in stepper.blocks(k - at):
            pass

    def back_to_numbers(self):
        """Go back to before the first move, of those made here, that was no ordinary number, or that led to a loss which is none."""
        good = self.marks[0][0]
        theta = self.stepper.path.theta[good:]
        bad = ~np.isfinite(theta) | (np.abs(theta) > LARGEST)
        past = good + int(np.argmax(bad)) if bad.any() else self.stepper.k
        replay = self.earlier()
        if not math.isfinite(replay.state(past).loss):
            while past - good > 1:
                middle = (good + past) // 2
                good, past = (middle, past) if math.isfinite(replay.state(middle).loss) else (good, middle)
            past = good
        self.back(past)

    def outcome(self, status, message=None):
        """The record of the stepper as it is."""
        stepper = self.stepper
        words = "; ".join(filter(None, (message or status.value, stepper.view.remark)))
        return Outcome(
            stepper.problem, stepper.method, stepper.kind, stepper.seed, stepper.compile, stepper.path, stepper.beta, stepper.anchor,
            stepper.recorded,
            status, words, self.seconds(),
        )  # fmt: skip


def begin(problem, method, seed, view, compile):
    """A function that makes the stepper at step 0."""
    return lambda: Stepper(problem, method, view=view, seed=seed, compile=compile)


def again(outcome):
    """A function that makes the stepper which `outcome` is the record of."""

    def make():
        stepper = Stepper(outcome.problem, outcome.method, view=outcome.view, seed=outcome.seed, compile=outcome.compile)
        stepper.restore(outcome.path, len(outcome.path), outcome.anchor)
        stepper.recount(outcome.counts)
        return stepper

    return make


def drive(make, n_steps, stop, watch, seconds=0.0):
    """Advance the stepper that ``make()`` gives until all steps are made or something ends them; its outcome. `seconds`: spent before."""
    n_steps, rules = validation.whole("n_steps", n_steps), rules_of(stop)
    if watch is not None:
        function("watch", watch, "a function of a State")
    with interruptible() as interrupted:
        course = Course(make(), n_steps, seconds)
        status, words = _advance(course, Asking(rules, course.stepper.k), watch, interrupted)
    if status is Status.INTERRUPTED:
        warnings.warn(f"{status.value}: {course.stepper.k:,} of {course.goal:,}.", InterruptedWarning, stacklevel=3)
    return course.outcome(status, words)


def _advance(course, asking, watch, interrupted):
    """Make the steps, or those up to what ends them: a status, and a sentence where it has one of its own."""
    stepper, looked = course.stepper, time.perf_counter()
    if stepper.k and not course.sound(course.state()):
        raise ValueError(f"the loss after the {stepper.k:,} steps of this run is not finite: no step can be made from there.")
    if words := _stopped(course, asking, asking.ripe(stepper, timely=False, last=False), course.state()):
        return Status.STOPPED, words
    for _ in course.pauses(asking.due):
        last = stepper.k == course.goal
        timely = last or time.perf_counter() - looked > LOOK
        ripe = asking.ripe(stepper, timely, last)
        if timely or ripe:
            state = course.state()
            if not course.sound(state):
                course.back_to_numbers()
                words = _stopped(course, asking, asking.ripe(stepper, timely=False, last=True), course.state())
                return Status.STOPPED if words else Status.DIVERGED, words
            words = _stopped(course, asking, ripe, state)
            if watch is not None and (timely or words):
                watch(course.state() if words else state)
            if words:
                return Status.STOPPED, words
            looked = time.perf_counter() if timely else looked
        if interrupted():
            if not course.sound(course.state()):
                course.back_to_numbers()
            return Status.INTERRUPTED, None
    return Status.COMPLETED, None


def _stopped(course, asking, ripe, state):
    """Ask the rules that are `ripe`; if one holds, go back to where it begins to, and return what it says."""
    reached = asking.reached(ripe, course.stepper, state, course.earlier)
    if reached is None:
        if ripe:
            course.mark(asking.no())
        return None
    k, words = reached
    course.back(k)
    return words


def states(make, n_steps, every):
    """The state at the start of the stepper that ``make()`` gives and after every `every` steps, up to where the loss leaves float64."""
    n_steps, every = validation.whole("n_steps", n_steps), validation.whole("every", every, 1)
    course = Course(make(), n_steps)
    stepper = course.stepper
    yield course.state()
    for _ in course.pauses(lambda: stepper.k - stepper.k % every + every):
        if stepper.k % every == 0 or stepper.k == course.goal:
            state = course.state()
            if not math.isfinite(state.loss):
                return
            yield state
