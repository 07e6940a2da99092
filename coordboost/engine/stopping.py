"""Stop rules end a run early.

Of the rules here only ``TimeLimit`` depends on the speed of the machine.

A stop rule is any callable of a ``State``. It may have the attribute ``every`` (it is tested at
multiples of this step number) and the attribute ``clock`` (True if it uses ``state.seconds``; then
it depends on the machine, too). See ``coordboost.engine.run_loop`` for when rules are tested.
"""

from dataclasses import dataclass

from coordboost._utils.checks import real
from coordboost._utils.kinds import examples
from coordboost.certificates.objectives import Unconstrained, known_target


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
        Test at multiples of this step number. Default: as often as possible at a cost of at most a
        tenth of the run. *Cost* of a test: a scan (the correlations of all learners).

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
    'NoProgress ended the run at step 20: the largest correlation fell to 0.001 of its start'
    """

    tolerance: float = 1e-12
    every: int | None = None

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
