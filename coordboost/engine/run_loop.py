"""The run loop of ``solve``, ``iterate`` and ``resume``: it advances a stepper, tests the stop
rules, and ends the run.

When stop rules are tested, and at which step a run ends:

A test costs work: a certificate takes a scan. A rule is tested at the start and at the end. In
between it is tested after each step at first, then at step numbers that grow by a sixteenth, as
long as the tests cost at most a tenth of the run (or some hundredths of a second). The cost is
counted in multiplications, never measured by a clock. When a rule holds, the steps since the last
test that failed are searched by replay: one after another where that is cheap, else by bisection.
The step found is one at which the rule *begins to hold*: it holds there, and did not hold one step
before. For a rule that holds from then on, this is the first step at which it holds. A rule with
``every`` is tested at each multiple of that number instead, and the first success counts. So the
step depends on problem, method, model state, seed and rule alone: not on blocks, threads or the
speed of the machine.
"""

import math
import time

import numpy as np

from coordboost._numba.sums import surely_finite
from coordboost._utils.checks import function, shown
from coordboost._utils.interrupt import InterruptedWarning, interruptible
from coordboost._utils.warned import warn
from coordboost.data import validation
from coordboost.engine.loop import Stepper
from coordboost.engine.result import Outcome, Replay, State, Status, loss_rise

#: Seconds between two checks of a run that no stop rule requires: for progress bars, time limits,
#: and to detect divergence.
LOOK = 0.05
#: A run that left the range of float64 is cut before the first move larger than this.
LARGEST = 1e150


class Course:
    """A stepper that makes `n_steps` more steps, and the marks: steps that it can return to."""

    def __init__(self, stepper, n_steps, seconds=0.0):
        self.stepper = stepper
        self.goal = stepper.k + n_steps
        horizon = stepper.method.step.horizon
        if horizon is not None and self.goal > horizon:
            raise ValueError(
                f"{stepper.method.name} has a sequence for {horizon} steps, but the run has "
                f"{self.goal}; make it as long as the "
                "run, or use a number if it is the same in every step."
            )
        self.began = time.perf_counter() - seconds
        self.marks = [self._mark()]

    def _mark(self):
        return self.stepper.k, self.stepper.anchor, self.stepper.recorded

    def mark(self, since):
        """Mark the present step.

        Keep the first mark, and the marks needed to make the steps after `since` again; drop the
        others.
        """
        self.marks.append(self._mark())
        needed = [i for i, mark in enumerate(self.marks) if mark[0] <= since]
        self.marks = self.marks[:1] + self.marks[max(1, needed[-1] if needed else 1) :]

    def seconds(self):
        """Wall time so far."""
        return time.perf_counter() - self.began

    def state(self):
        """The ``State`` at the present step."""
        stepper = self.stepper
        target = stepper.method.target_at(stepper.k)
        return State(stepper.problem, target, stepper.k, stepper.beta, self.seconds(), stepper.path)

    def sound(self, state):
        """Whether the loss is finite.

        Uses the prediction of the model state if there is one: computing it from beta costs more.
        """
        pred = self.stepper.model_state.pred
        if pred is None:
            return math.isfinite(state.loss)
        problem = state.problem
        return surely_finite(
            problem.loss, problem.y, problem.weight, problem.base, pred
        ) or math.isfinite(problem.value(pred))

    def pauses(self, due):
        """Make the steps.

        Yield after every block, and at the step numbers that ``due()`` returns.
        """
        while self.stepper.k < self.goal:
            for _ in self.stepper.blocks(min(due(), self.goal) - self.stepper.k):
                yield

    def earlier(self):
        """A ``Replay`` of the steps so far."""
        return Replay(self.stepper.problem, self.stepper.method, self.stepper.path, self.seconds())

    def back(self, k):
        """Go back to step k: the stepper is then as if it had made no further step."""
        stepper = self.stepper
        if k == stepper.k:
            return
        at, anchor, counts = [mark for mark in self.marks if mark[0] <= k][-1]
        stepper.restore(stepper.path.cut(0, at), at, anchor)
        stepper.recount(counts)
        for _ in stepper.blocks(k - at):
            pass

    def back_to_numbers(self):
        """Go back to the step before the first move that was not finite or too large, or after
        which the loss is not finite.
        """
        good = self.marks[0][0]
        theta = self.stepper.path.theta[good:]
        bad = ~np.isfinite(theta) | (np.abs(theta) > LARGEST)
        past = good + int(np.argmax(bad)) if bad.any() else self.stepper.k
        replay = self.earlier()
        if not math.isfinite(replay.state(past).loss):
            while past - good > 1:
                middle = (good + past) // 2
                good, past = (
                    (middle, past) if math.isfinite(replay.state(middle).loss) else (good, middle)
                )
            past = good
        self.back(past)

    def losses(self):
        """The losses at the start of the run and at the present step."""
        problem = self.stepper.problem
        pred = self.stepper.model_state.pred
        return problem.start_loss, self.state().loss if pred is None else problem.value(pred)

    def outcome(self, status, message=None, losses=None):
        """The ``Outcome`` of the stepper at the present step.

        losses : the losses at the start and at the end, if not those of the problem
        """
        stepper = self.stepper
        sentences = [message or status.value, stepper.model_state.remark]
        rise = 0.0
        descends = stepper.method.noise is None  # a chain with noise samples models, good and bad
        if stepper.k and descends and status is not Status.DIVERGED:
            start, loss = losses or self.losses()
            rise = loss_rise(start, loss)
            if rise:
                sentences.append(
                    f"the loss ends above its start, {loss:.6g} instead of {start:.6g}"
                )
        return Outcome(
            stepper.problem,
            stepper.method,
            stepper.kind,
            stepper.seed,
            stepper.compile,
            stepper.path,
            stepper.beta,
            stepper.anchor,
            stepper.recorded,
            status,
            "; ".join(filter(None, sentences)),
            self.seconds(),
            rise=rise,
        )


def begin(problem, method, seed, model_state, compile):
    """Return a function that makes the stepper at step 0."""
    return lambda: Stepper(problem, method, model_state=model_state, seed=seed, compile=compile)


def again(outcome):
    """Return a function that makes a stepper at the last step of the recorded run `outcome`."""

    def make():
        stepper = Stepper(
            outcome.problem,
            outcome.method,
            model_state=outcome.model_state,
            seed=outcome.seed,
            compile=outcome.compile,
        )
        stepper.restore(outcome.path, len(outcome.path), outcome.anchor)
        stepper.recount(outcome.counts)
        return stepper

    return make


def drive(make, n_steps, stop, watch, seconds=0.0):
    """Advance the stepper that ``make()`` returns until the run ends; return its ``Outcome``.

    `seconds` is the time spent before.
    """
    n_steps = validation.whole("n_steps", n_steps)
    rules = rules_of(stop)
    if watch is not None:
        function("watch", watch, "a function of a State")
    course = None

    def nothing_made():
        return course is None or course.stepper.k == course.marks[0][0]

    with interruptible(nothing_made) as interrupted:
        course = Course(make(), n_steps, seconds)
        status, words = _advance(course, Asking(rules, course.stepper.k), watch, interrupted)
    if status is Status.INTERRUPTED:
        warn(f"{status.value}: {course.stepper.k:,} of {course.goal:,}.", InterruptedWarning)
    return course.outcome(status, words)


def _advance(course, asking, watch, interrupted):
    """Make the steps until the run ends. Return the status, and a message or None."""
    stepper = course.stepper
    looked = time.perf_counter()
    if stepper.k and not course.sound(course.state()):
        raise ValueError(
            f"the loss after the {stepper.k:,} steps of this run is not finite: no step can be "
            "made from there."
        )
    if words := _stopped(
        course, asking, asking.ripe(stepper, timely=False, last=False), course.state()
    ):
        return Status.STOPPED, words
    for _ in course.pauses(asking.due):
        last = stepper.k == course.goal
        timely = last or time.perf_counter() - looked > LOOK
        ripe = asking.ripe(stepper, timely, last)
        if timely or ripe:
            state = course.state()
            if not course.sound(state):
                course.back_to_numbers()
                words = _stopped(
                    course, asking, asking.ripe(stepper, timely=False, last=True), course.state()
                )
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
    """Test the rules that are `ripe`.

    If one holds, go back to the step where it begins to hold, and return its message.
    """
    reached = asking.reached(ripe, course.stepper, state, course.earlier)
    if reached is None:
        if ripe:
            course.mark(asking.no())
        return None
    k, words = reached
    course.back(k)
    return words


def states(make, n_steps, every):
    """Yield the state of the stepper that ``make()`` returns, at its start and after every `every`
    steps, while the loss is finite.
    """
    n_steps = validation.whole("n_steps", n_steps)
    every = validation.whole("every", every, 1)
    course = Course(make(), n_steps)
    stepper = course.stepper
    yield course.state()
    for _ in course.pauses(lambda: stepper.k - stepper.k % every + every):
        if stepper.k % every == 0 or stepper.k == course.goal:
            state = course.state()
            if not math.isfinite(state.loss):
                return
            yield state


#: Assumed costs in multiplications: of a step of the compiled loop, and of a pause of the loop to
#: test a rule, without the rule itself.
STEP_WORK, PAUSE_WORK = 500, 100_000
#: Tests may take 1 / SHARE of the work of the run; between two tests there are 1 / GROWTH of the
#: steps made so far.
SHARE, GROWTH = 10, 16
#: Work that tests may take at any stage of the run, and that trying all steps of an interval may
#: take (some hundredths of a second).
FREE_WORK = 20_000_000


def scan_cost(problem):
    """Multiplications in a scan."""
    return problem.dictionary.scan_cost or problem.n_samples * problem.n_learners


def work(stepper):
    """Multiplications of the run so far: scans, Gram columns (computed in blocks, four at the cost
    of a scan) and steps.
    """
    return (stepper.n_scans + sum(stepper.recorded[2:]) / 4) * scan_cost(
        stepper.problem
    ) + stepper.k * STEP_WORK


def rules_of(stop):
    """`stop` as a list of rules, each a function of a State."""
    rules = [stop] if callable(stop) else stop
    if not (
        isinstance(rules, list | tuple)
        and all(callable(one) and not isinstance(one, type) for one in rules)
    ):
        raise ValueError(
            f"stop must be a stop rule such as TimeLimit(60), or a list of them, got {shown(stop)}."
        )
    return list(rules)


class Asker:
    """One stop rule, with the last step at which it did not hold, and the step at which it is due
    to be tested next.
    """

    def __init__(self, rule, k):
        self.rule = rule
        self.clock = getattr(rule, "clock", False)
        every = getattr(rule, "every", None)
        self.every = None if every is None else validation.whole("every", every, 1)
        self.no = k - 1
        self.price = 0
        self.spent = 0
        self.begun = None
        self.due = math.inf if self.clock else -(-k // self.every) * self.every if self.every else k

    def ripe(self, stepper):
        """Whether the rule is to be tested at this pause.

        If a test would cost too much now, set the next one.
        """
        if stepper.k < self.due or self.every:
            return stepper.k == self.due
        if self.begun is None:
            self.begun = work(stepper)
        ripe = self.spent + self.price <= max(FREE_WORK, (work(stepper) - self.begun) / SHARE)
        if not ripe:
            self._pause_after(stepper.k)
        return ripe

    def _pause_after(self, k):
        self.due = k - k % self.every + self.every if self.every else k + max(1, k // GROWTH)

    def fits(self, k):
        """Whether the rule may be tested at step k."""
        return self.every is None or k % self.every == 0

    def holds(self, state):
        """Test the rule, and set `price` to the multiplications that this took, those for the state
        included.
        """
        before = "point" in vars(state)
        answer = bool(self.rule(state))
        problem = state.problem
        self.price = PAUSE_WORK + problem.n_learners + problem.n_samples * (20 + len(state.support))
        if "point" in vars(state) and not before:
            self.price += 2 * scan_cost(problem)
        return answer

    def refused(self, stepper):
        """Note that the rule does not hold at the present step."""
        if self.clock:
            return
        self.no = stepper.k
        self.spent += self.price
        self._pause_after(stepper.k)

    def begins(self, replay, last, effort):
        """The step at which the rule, which holds at `last`, begins to hold.

        Bisection, unless trying all steps costs at most `effort`.
        """
        if self.clock or self.every:
            return last
        no = self.no
        one_by_one = (last - self.no) * self.price <= effort
        while last - no > 1:
            k = no + 1 if one_by_one else (no + last) // 2
            no, last = (no, k) if self.holds(replay.state(k)) else (k, last)
        return last

    def words(self, k):
        """The message of the run: the name of the rule, the step, and the rule's own text."""
        name = getattr(self.rule, "__name__", type(self.rule).__name__)
        says = (
            ""
            if type(self.rule).__str__ is object.__str__ or hasattr(self.rule, "__name__")
            else f": {self.rule}"
        )
        return f"{name} ended the run at step {k:,}{says}"


class Asking:
    """All stop rules of a run."""

    def __init__(self, rules, k):
        self.askers = [Asker(rule, k) for rule in rules]

    def due(self):
        """The next step number at which the run must pause."""
        return min((asker.due for asker in self.askers), default=math.inf)

    def no(self):
        """The earliest of the steps at which the rules last failed, those with a clock left out."""
        return min((asker.no for asker in self.askers if not asker.clock), default=math.inf)

    def ripe(self, stepper, timely, last):
        """The rules to be tested at this pause: those with a clock if it is `timely`, and all that
        may be tested at the `last` step.
        """
        return [
            asker
            for asker in self.askers
            if (
                timely
                if asker.clock
                else (last and asker.fits(stepper.k) and asker.no < stepper.k)
                or asker.ripe(stepper)
            )
        ]

    def reached(self, ripe, stepper, state, earlier):
        """(step, message) of the rule that begins to hold first, None if none holds.

        ``earlier()`` returns a replay of the steps so far.

        When one holds, the others are tested at its step, too: one of them may have begun to hold
        earlier.
        """
        held = [asker for asker in ripe if asker.holds(state)]
        if not held:
            for asker in ripe:
                asker.refused(stepper)
            return None
        replay = earlier()
        winner = None
        first = stepper.k
        effort = max(FREE_WORK, work(stepper) / SHARE)
        for asker in self.askers:
            if first == stepper.k and asker in ripe:
                holds = asker in held
            else:
                holds = (
                    not asker.clock
                    and asker.no < first
                    and asker.fits(first)
                    and asker.holds(replay.state(first))
                )
            if holds:
                k = asker.begins(replay, first, effort)
                if winner is None or k < first:
                    winner, first = asker, k
        return first, winner.words(first)
