"""When a run ends before its number of steps: rules asked at block ends, never a record."""

from dataclasses import dataclass

from coordboost.targets import Unconstrained


@dataclass(frozen=True)
class GapBelow:
    """Stop once the certified gap to `target` is at most `tolerance` times the loss at beta = 0. *Cost*: a certificate per block."""

    tolerance: float
    target: object = None

    def __call__(self, state):
        target = self.target or state.target
        return state.certificate(target).gap <= self.tolerance * state.problem.start_loss

    def __str__(self):
        return f"the certified gap fell below {self.tolerance:g} of the loss at zero"


@dataclass(frozen=True)
class NoProgress:
    """Stop once the largest abs correlation is at most `tolerance` times its value at beta = 0, relative (unconstrained optimum)."""

    tolerance: float = 1e-12

    def __call__(self, state):
        if not isinstance(state.target, Unconstrained):
            return False
        return abs(state.corr).max() <= self.tolerance * state.problem.start_size

    def __str__(self):
        return f"the largest correlation fell to {self.tolerance:g} of its start"


@dataclass(frozen=True)
class TimeLimit:
    """Stop at the first block end after `seconds`."""

    seconds: float

    def __call__(self, state):
        return state.seconds >= self.seconds

    def __str__(self):
        return f"the time limit of {self.seconds:g} s was reached"
