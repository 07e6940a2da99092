"""When a run ends before its number of steps: rules asked at block ends, never a record."""

from dataclasses import dataclass

from coordboost.targets import UNKNOWN, Unconstrained


@dataclass(frozen=True)
class GapBelow:
    """Stop once the certified gap to `target` is at most `tolerance` times the loss at beta = 0 above its infimum.

    *Cost*: a certificate per block.

    Raises
    ------
    ValueError
        Where the run could never end by this rule: the certificate has no lower end.
    """

    tolerance: float
    target: object = None

    def __call__(self, state):
        target = self.target or state.target
        certificate = state.certificate(target)
        if not certificate.known:
            name = type(state.problem.loss).__name__
            raise ValueError(f"GapBelow: {UNKNOWN}; give {name} an `infimum`, or use another rule or target=Ball(radius).")
        return certificate.gap <= self.tolerance * state.problem.start_excess

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
