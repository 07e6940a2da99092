"""When stop rules are asked, and which step is the first that satisfies one.

Asking costs: a certificate takes a scan. A rule is asked at the start and at the end, and in between after each step at first, then at
step numbers that grow by a sixteenth, as long as that costs no more than a tenth of the run (or than some hundredths of a second). The
cost is counted in multiplications, never measured by a clock. Where the answer is yes, the steps since the last no are searched by replay:
one after another where that is cheap, else by halving. The step found is one at which the rule *begins to hold*: it holds there, and
did not one step before. For a rule that goes on holding, this is the first step of all. A rule with ``every`` is asked at each multiple
of that number instead, and the first yes counts. So the step depends on problem, method, view, seed and rule alone: not on blocks,
threads or the speed of the machine.
"""

import math

from coordboost._checks import shown
from coordboost.data import validation

#: Multiplications that a step of the compiled loop is taken for, and what it costs to stop the loop and to ask, beside the rule itself.
STEP_WORK, PAUSE_WORK = 500, 100_000
#: Asking may take one part in so many of the work of the run; steps between two questions, one part in so many of those made.
SHARE, GROWTH = 10, 16
#: So much may be spent on asking at any stage of the run, and on trying all steps of an interval (some hundredths of a second).
FREE_WORK = 20_000_000


def scan_cost(problem):
    """Multiplications in a scan."""
    return problem.dictionary.scan_cost or problem.n_samples * problem.n_learners


def work(stepper):
    """Multiplications that the run has taken so far: scans, Gram columns (made in blocks, four for a scan) and steps, counted."""
    return (stepper.n_scans + sum(stepper.recorded[2:]) / 4) * scan_cost(stepper.problem) + stepper.k * STEP_WORK


def rules_of(stop):
    """`stop` as a list of rules, each a function of a State."""
    rules = [stop] if callable(stop) else stop
    if not (isinstance(rules, list | tuple) and all(callable(one) and not isinstance(one, type) for one in rules)):
        raise ValueError(f"stop must be a stop rule such as TimeLimit(60), or a list of them, got {shown(stop)}.")
    return list(rules)


class Asker:
    """One stop rule: the last step at which it did not hold, and the step at which the run pauses for it next."""

    def __init__(self, rule, k):
        self.rule, self.clock = rule, getattr(rule, "clock", False)
        every = getattr(rule, "every", None)
        self.every = None if every is None else validation.whole("every", every, 1)
        self.no, self.price, self.spent, self.begun = k - 1, 0, 0, None
        self.due = math.inf if self.clock else -(-k // self.every) * self.every if self.every else k

    def ripe(self, stepper):
        """Whether the rule is to be asked at this pause; if not, the next one is set."""
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
        """Whether the rule may be asked at step k."""
        return self.every is None or k % self.every == 0

    def holds(self, state):
        """The answer of the rule; `price` becomes the multiplications that it took, those for the state included."""
        before = "point" in vars(state)
        answer, problem = bool(self.rule(state)), state.problem
        self.price = PAUSE_WORK + problem.n_learners + problem.n_samples * (20 + len(state.support))
        if "point" in vars(state) and not before:
            self.price += 2 * scan_cost(problem)
        return answer

    def refused(self, stepper):
        """Note that the rule does not hold where the stepper is."""
        if self.clock:
            return
        self.no = stepper.k
        self.spent += self.price
        self._pause_after(stepper.k)

    def begins(self, replay, last, effort):
        """The step up to `last`, where it holds, at which it begins to hold; `effort` may be spent on trying all since the last no."""
        if self.clock or self.every:
            return last
        no, one_by_one = self.no, (last - self.no) * self.price <= effort
        while last - no > 1:
            k = no + 1 if one_by_one else (no + last) // 2
            no, last = (no, k) if self.holds(replay.state(k)) else (k, last)
        return last

    def words(self, k):
        """Which rule it was, and what it says."""
        name = getattr(self.rule, "__name__", type(self.rule).__name__)
        says = "" if type(self.rule).__str__ is object.__str__ or hasattr(self.rule, "__name__") else f": {self.rule}"
        return f"{name} ended the run at step {k:,}{says}"


class Asking:
    """All stop rules of a run."""

    def __init__(self, rules, k):
        self.askers = [Asker(rule, k) for rule in rules]

    def due(self):
        """The next step number at which the run is to pause."""
        return min((asker.due for asker in self.askers), default=math.inf)

    def no(self):
        """The last step at which every rule has been refused."""
        return min((asker.no for asker in self.askers if not asker.clock), default=math.inf)

    def ripe(self, stepper, timely, last):
        """The rules to be asked at this pause; those with a clock where it is `timely`, and all at the `last` step."""
        return [
            asker
            for asker in self.askers
            if (timely if asker.clock else (last and asker.fits(stepper.k) and asker.no < stepper.k) or asker.ripe(stepper))
        ]

    def reached(self, ripe, stepper, state, earlier):
        """(step, words) of the first rule that holds, None if none does; ``earlier()`` gives the replay of the steps so far.

        When one holds, the others are asked at its step, too: one of them may have begun to hold before.
        """
        held = [asker for asker in ripe if asker.holds(state)]
        if not held:
            for asker in ripe:
                asker.refused(stepper)
            return None
        replay = earlier()
        winner, first, effort = None, stepper.k, max(FREE_WORK, work(stepper) / SHARE)
        for asker in self.askers:
            if first == stepper.k and asker in ripe:
                holds = asker in held
            else:
                holds = not asker.clock and asker.no < first and asker.fits(first) and asker.holds(replay.state(first))
            if holds:
                k = asker.begins(replay, first, effort)
                if winner is None or k < first:
                    winner, first = asker, k
        return first, winner.words(first)
