"""A method: a selection rule, a step rule, and a coefficient rule."""

import inspect
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
    """Return `method`; raise ValueError unless it is a Method."""
    if not isinstance(method, Method):
        hint = f" Call it: {method.__name__}(...)." if inspect.isfunction(method) else ""
        raise ValueError(
            f"method must be a Method such as ls_boost(0.1), got {shown(method)}.{hint}"
        )
    return method


@dataclass(frozen=True)
class Method:
    """A boosting method: its rules, and the optimum that it approaches.

    The rules are a selection rule, a step rule and a coefficient rule.

    Parameters
    ----------
    name : str
        Name of the method in tables.
    select : SelectionRule
        Which learners are candidates, and which is selected.
    step : StepRule
        Length of the step.
    source : str
        Paper that describes the method.
    target : Unconstrained, L1Ball or L1Penalty
        The optimum that certificates refer to.
    parameters : dict
        Arguments of the named method; saved with a run.
    coefficients : piece, default ``Single()``
        How a step changes the coefficients.
    noise : piece, optional
        Noise in the gradient, and subsampling; None for neither.

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
            raise ValueError(
                f"name must be a string, the name of the method, got {shown(self.name)}."
            )
        if not isinstance(self.parameters, dict):
            raise ValueError(
                "parameters must be a dict of the arguments of the method, got "
                f"{shown(self.parameters)}."
            )
        checked_piece(SelectionRule, "select", self.select)
        checked_piece(StepRule, "step", self.step)
        checked_piece(CoefficientRule, "coefficients", self.coefficients)
        if self.noise is not None:
            if not isinstance(self.noise, Noise):
                raise ValueError(
                    "noise must be a perturbation such as Noise(0.1, beta=1e4), or None, got "
                    f"{shown(self.noise)}."
                )
            if not self.coefficients.plain:
                raise ValueError(
                    f"{self.name}: noise needs a single sequence of coefficients; use "
                    "coefficients=Single()."
                )
        moved = self.step.sequences
        kept = self.coefficients.sequences
        if moved != kept:
            raise ValueError(
                f"{self.name}: {type(self.step).__name__} moves {moved} sequence(s) of "
                f"coefficients, {type(self.coefficients).__name__} keeps {kept}; use a step and a "
                "store that match, such as TwoPhase and TwoSequences."
            )

        if (self.step.corrective is not None) is not self.coefficients.corrective:
            raise ValueError(
                f"{self.name}: away steps and the store Vertices need each other, got "
                f"{type(self.step).__name__} and {type(self.coefficients).__name__}."
            )

    @property
    def unit(self) -> float:
        """The unit of theta: a coefficient is `unit` times the sum of its thetas on the path."""
        return self.step.unit

    @property
    def greedy(self) -> bool:
        """Whether every step takes the learner with the largest absolute correlation.

        And moves the model by that learner alone.
        """
        return (
            self.coefficients.plain
            and self.noise is None
            and self.select.greedy
            and self.step.score is None
        )

    def bind(self, problem: Problem) -> "Method":
        """Check the rules against the problem, and fill in the fields that depend on it.

        Parameters
        ----------
        problem : Problem
            The problem to solve.

        Returns
        -------
        Method
            A copy with bound rules.
        """
        dictionary = problem.dictionary
        by_groups = self.select.by_groups
        if by_groups is not None and not dictionary.countable and dictionary.n_groups is not None:
            return replace(self, select=by_groups()).bind(problem)
        if not (dictionary.countable or self._searches(dictionary)):
            raise ValueError(
                f"{self.name} needs an explicit dictionary: here the dictionary is implicit, "
                f"and a search finds the best learner.{self._instead(dictionary)}"
            )
        reason = self.step.needs_convex
        if reason and not problem.loss.convex:
            raise ValueError(f"{type(problem.loss).__name__} is not convex: {reason}.")
        return replace(
            self,
            select=with_floats(self.select.bind(problem)),
            step=with_floats(self.step.bind(problem)),
            noise=None if self.noise is None else with_floats(self.noise.bind(problem)),
        )

    def _instead(self, dictionary):
        """What an implicit dictionary has instead of this method, as a sentence; or nothing."""
        if replace(self, select=Groups())._searches(dictionary):
            name = self.name if "select" in self.parameters else "rtgcd"
            return (
                f" Use {name}(select=Groups(t)), which searches t groups: features of "
                "trees and rules, or blocks."
            )
        if self.step.corrective is not None:
            return " Use frank_wolfe(delta), whose steps need nothing but the best learner."
        if dictionary.search is not None:
            return " Use lasso_path, which searches the learners that its optimum needs."
        return ""

    def _searches(self, dictionary):
        """Whether a search in the implicit dictionary finds the learner of every step."""
        select = self.select
        if select.foresees:
            return dictionary.families is not None
        by_group = select.grouped and dictionary.n_groups is not None
        by_block = select.of_blocks and dictionary.n_columns is not None
        grows = self.coefficients.room is not None
        return grows and (select.greedy or by_group or by_block) and self.step.score is None

    def target_at(self, k: int) -> Any:
        """Return the objective after k steps.

        It is `target`, except for methods whose l1 ball grows during the run.

        Parameters
        ----------
        k : int
            Number of steps.

        Returns
        -------
        Unconstrained, L1Ball or L1Penalty
            The optimum that the model after k steps is compared with.
        """
        radius_at = self.step.radius_at
        return self.target if radius_at is None else L1Ball(radius_at(k))
