"""Stop rules end a run early.

A stop rule is any callable of a ``State``. It is tested at step numbers that are fixed before the
run, whatever happens in it: after every step at first, then at intervals of a sixteenth of the step
number, and at the last step; the run ends at the first of them at which a rule holds. So the step
at which a run ends depends on problem, method, model state, seed and rule alone: not on blocks,
threads, interruptions or the speed of the machine. A rule may declare

- ``scans = True``: a test costs a scan of the data, so the intervals are a fourth;
- ``every``: it is tested at the multiples of this step number, and nowhere else;
- ``clock = True``: it uses ``state.seconds``. It is tested about every 0.05 s, and the step at
  which it ends a run depends on the machine. ``TimeLimit`` is the only such rule here.
"""

import math
from dataclasses import dataclass

from coordboost._utils.checks import real, shown
from coordboost._utils.kinds import examples
from coordboost.certificates.objectives import Unconstrained, known_target
from coordboost.data import validation

#: Tests are k // SHARE steps apart, and k // SHARE_OF_SCANS if each of them needs a scan.
SHARE = 16
SHARE_OF_SCANS = 4


def grid(start, every, share):
    """Yield the step numbers from `start` on at which a rule is tested.

    Multiples of `every`; if it is None, numbers that grow from 0 by 1 / `share`.
    """
    k = 0 if every is None else -(-start // every) * every
    while True:
        if k >= start:
            yield k
        k += every or max(1, k // share)


class StopTest:
    """A stop rule of a run, and the step number `due` at which it is tested next."""

    def __init__(self, rule, k):
        self.rule = rule
        self.clock = getattr(rule, "clock", False)
        every = getattr(rule, "every", None)
        self.every = None if every is None else validation.whole("every", every, 1)
        share = SHARE_OF_SCANS if getattr(rule, "scans", False) else SHARE
        self._grid = grid(k, self.every, share)
        self.due = math.inf if self.clock else next(self._grid)

    def is_due(self, k, timely, at_end):
        """Whether the rule is tested at step k; at the end of a run all are that have no `every`.

        timely : whether rules with a clock are tested now
        """
        return k == self.due or (timely if self.clock else at_end and self.every is None)

    def holds(self, state):
        """Test the rule."""
        if state.k == self.due:
            self.due = next(self._grid)
        return bool(self.rule(state))

    def message(self, k):
        """The name of the rule, the step, and the rule's own text."""
        is_function = hasattr(self.rule, "__name__")
        name = self.rule.__name__ if is_function else type(self.rule).__name__
        sentence = f"{name} ended the run at step {k:,}"
        if is_function or type(self.rule).__str__ is object.__str__:
            return sentence
        return f"{sentence}: {self.rule}"


def stop_tests(stop, k):
    """A ``StopTest`` from step k on for each of the rules `stop`, a rule or a list of rules."""
    rules = [stop] if callable(stop) else stop
    if not (
        isinstance(rules, list | tuple)
        and all(callable(rule) and not isinstance(rule, type) for rule in rules)
    ):
        raise ValueError(
            f"stop must be a stop rule such as TimeLimit(60), or a list of them, got {shown(stop)}."
        )
    return [StopTest(rule, k) for rule in rules]


def _checked(name, number):
    """The threshold of a rule as a float."""
    return real(name, number, lambda number: number >= 0, "a number >= 0")


@examples({"tolerance": 0.5})
@dataclass(frozen=True)
class GapBelow:
    """Stop once the certified gap to `target` is small, relative to the loss at beta = 0.

    The gap is at most `tolerance` times (the loss at beta = 0, minus the infimum).

    Parameters
    ----------
    tolerance : float
        Without unit.
    target : Unconstrained, L1Ball or L1Penalty, optional
        By default what the method approaches.
    every : int, optional
        Test at multiples of this step number; 1 finds the first step at which the gap is small.
        Default: at intervals of a fourth of the step number. *Cost* of a test: a scan (the
        correlations of all learners).

    Raises
    ------
    ValueError
        If this rule can never end the run, as the certificate has no lower end.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 1000, stop=cb.engine.GapBelow(1e-3))
    >>> run.n_steps < 100
    True
    >>> run.message
    'GapBelow ended the run at step 10: the certified gap is at most 0.001 of the loss at zero'
    """

    tolerance: float
    target: object = None
    every: int | None = None
    scans = True

    def __post_init__(self):
        vars(self)["tolerance"] = _checked("GapBelow: tolerance", self.tolerance)
        if self.target is not None:
            known_target(self.target)

    def __call__(self, state):
        certificate = state.certificate(self.target)
        if not certificate.known:
            name = type(state.problem.loss).__name__
            reason = certificate.reason
            cure = (
                "use another rule"
                if certificate.refuted
                else f"give {name} an `infimum`, or use another rule or target=L1Ball(radius)"
            )
            raise ValueError(f"GapBelow: {reason}; {cure}.")
        return certificate.gap <= self.tolerance * state.problem.start_excess

    def __str__(self):
        return f"the certified gap is at most {self.tolerance:g} of the loss at zero"


@examples({}, {"tolerance": 0.5})
@dataclass(frozen=True)
class NoProgress:
    """Stop once the largest abs correlation is at most `tolerance` times its value at beta = 0.

    Only for methods without an l1 bound or penalty: it never stops others.

    Parameters
    ----------
    tolerance : float, default 1e-12
        Without unit.
    every : int, optional
        As for ``GapBelow``. *Cost*: a scan.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 1000, stop=cb.engine.NoProgress(1e-3))
    >>> run.n_steps < 100
    True
    >>> run.message
    'NoProgress ended the run at step 22: the largest correlation fell to 0.001 of its start'
    """

    tolerance: float = 1e-12
    every: int | None = None
    scans = True

    def __post_init__(self):
        vars(self)["tolerance"] = _checked("NoProgress: tolerance", self.tolerance)

    def __call__(self, state):
        if not isinstance(state.target, Unconstrained):
            return False
        return abs(state.corr).max() <= self.tolerance * state.problem.start_size

    def __str__(self):
        return f"the largest correlation fell to {self.tolerance:g} of its start"


@examples({"seconds": 512.0})
@dataclass(frozen=True)
class TimeLimit:
    """Stop after `seconds`; the step at which the run ends depends on the speed of the machine.

    The clock is read about every 0.05 s.

    Parameters
    ----------
    seconds : float
        Wall time.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.solve(problem, cb.ls_boost(0.5), 20, stop=cb.engine.TimeLimit(60)).message
    'all steps were made'
    """

    seconds: float
    clock = True

    def __post_init__(self):
        vars(self)["seconds"] = _checked("TimeLimit: seconds", self.seconds)

    def __call__(self, state):
        return state.seconds >= self.seconds

    def __str__(self):
        return f"the time limit of {self.seconds:g} s was reached"
