"""A method: a selection rule, a step rule, and a store of coefficients."""

from dataclasses import dataclass, field, replace
from typing import Any

from coordboost._utils.checks import shown, with_floats
from coordboost._utils.kinds import checked_piece
from coordboost.certificates.objectives import L1Ball, Unconstrained
from coordboost.data.problem import Problem
from coordboost.rules.base import CoefficientRule, SelectionRule, StepRule
from coordboost.rules.coefficients import Single
from coordboost.rules.noise import Noise
from coordboost.rules.selection import Groups


def checked_method(method):
    """`method`; raises unless it is a Method."""
    if not isinstance(method, Method):
        raise ValueError(f"method must be a Method such as ls_boost(0.1), got {shown(method)}.")
    return method


@dataclass(frozen=True)
class Method:
    """A selection rule, a step rule, the coefficients that they move, and what they approach.

    Parameters
    ----------
    name : str
        What the method is called in tables.
    select : SelectionRule
        Which learners are looked at, and which wins.
    step : StepRule
        How far to go.
    source : str
        Where the method is described.
    target : Unconstrained, L1Ball or L1Penalty
        The optimum that certificates refer to.
    parameters : dict
        What the named method was called with; saved with a run.
    coefficients : piece, default ``Single()``
        What a step does to the coefficients.
    noise : piece, optional
        Noise in the gradient, and a part of the samples that it is estimated from; None: neither.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> mine = cb.rules.Method("mine", cb.rules.RandomSubset(1), cb.rules.LineSearch())
    >>> run = cb.solve(problem, mine, 5, rng=0)
    >>> run.final.loss < problem.start_loss
    True
    """

    name: str
    select: SelectionRule
    step: Any
    source: str = ""
    target: Any = field(default=Unconstrained())
    parameters: dict = field(default_factory=dict)
    coefficients: CoefficientRule = field(default=Single())
    noise: Noise | None = None

    def __post_init__(self):
        if not isinstance(self.name, str):
            raise ValueError(f"name must be a word for the method, got {shown(self.name)}.")
        if not isinstance(self.parameters, dict):
            raise ValueError(f"parameters must be a dict of what the method was called with, got {shown(self.parameters)}.")
        checked_piece(SelectionRule, "select", self.select)
        checked_piece(StepRule, "step", self.step)
        checked_piece(CoefficientRule, "coefficients", self.coefficients)
        if self.noise is not None:
            if not isinstance(self.noise, Noise):
                raise ValueError(
                    f"noise must be a perturbation such as Noise(0.1, beta=1e4), or None, got {shown(self.noise)}."
                )
            if not self.coefficients.plain:
                raise ValueError(f"{self.name}: noise goes with one sequence of coefficients; take coefficients=Single().")
        moved, kept = self.step.sequences, self.coefficients.sequences
        if moved != kept:
            raise ValueError(
                f"{self.name}: {type(self.step).__name__} moves {moved} sequence(s) of coefficients, {type(self.coefficients).__name__} "
                f"keeps {kept}; take a step and a store that go together, such as TwoPhase and TwoSequences."
            )

        if (self.step.corrective is not None) is not self.coefficients.corrective:
            raise ValueError(
                f"{self.name}: steps away from vertices and the store Vertices go together, got {type(self.step).__name__} and "
                f"{type(self.coefficients).__name__}."
            )

    @property
    def unit(self) -> float:
        """Coefficients are this times what the thetas of the path add up to."""
        return self.step.unit

    @property
    def greedy(self) -> bool:
        """Whether every step takes the learner with the largest correlation of all, and moves the model by that learner alone."""
        return self.coefficients.plain and self.noise is None and self.select.greedy and self.step.score is None

    def bind(self, problem: Problem) -> "Method":
        """The method with its rules checked against the problem and filled in from it.

        Parameters
        ----------
        problem : Problem
            What the method is for.

        Returns
        -------
        Method
            A copy with bound rules.
        """
        own = self.select.by_groups
        if own is not None and not problem.dictionary.countable and problem.dictionary.n_groups is not None:
            return replace(self, select=own()).bind(problem)
        if not (problem.dictionary.countable or self._searches(problem.dictionary)):
            said = f"{self.name} needs learners that can be counted: those of this problem are found by a search for the best of all."
            if replace(self, select=Groups())._searches(problem.dictionary):
                name = self.name if "select" in self.parameters else "rtgcd"
                said += f" {name}(select=Groups(t)) searches t groups: features of trees, or blocks."
            raise ValueError(said)
        reason = self.step.needs_convex
        if reason and not problem.loss.convex:
            raise ValueError(f"{type(problem.loss).__name__} is not convex: {reason}.")
        bound: dict[str, Any] = {}
        for name, piece in (("select", self.select), ("step", self.step), ("noise", self.noise)):
            bound[name] = None if piece is None else with_floats(piece.bind(problem))
        return replace(self, **bound)

    def _searches(self, dictionary):
        """Whether the winner of every step is what a search in the dictionary finds."""
        if self.select.foresees:
            return dictionary.families is not None
        grouped = self.select.grouped and dictionary.n_groups is not None
        grouped = grouped or (self.select.of_blocks and dictionary.n_columns is not None)
        grows = self.coefficients.room is not None
        return grows and (self.select.greedy or grouped) and self.step.score is None

    def target_at(self, k: int) -> Any:
        """What the model after k steps is compared with: `target`, but for methods whose ball grows on the way.

        Parameters
        ----------
        k : int
            Number of steps made.

        Returns
        -------
        Unconstrained, L1Ball or L1Penalty
            The optimum that the model after k steps is compared with.
        """
        radius_at = self.step.radius_at
        return self.target if radius_at is None else L1Ball(radius_at(k))
