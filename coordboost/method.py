"""A method: a selection rule, a step rule, and a store of coefficients."""

from dataclasses import dataclass, field, replace

from coordboost._checks import shown, with_floats
from coordboost._protocol import COEFFICIENTS, DICTIONARY, LOSS, PERTURBATION, SELECTION, STEP
from coordboost.pieces.coefficients import Single
from coordboost.pieces.selection import Groups
from coordboost.targets import Ball, Unconstrained


def checked_method(method):
    """`method`, refused where it is none."""
    if not isinstance(method, Method):
        raise ValueError(f"method must be a Method such as ls_boost(0.1), got {shown(method)}.")
    return method


@dataclass(frozen=True)
class Method:
    """A selection rule, a step rule, the coefficients that they move, and what they approach.

    Parameters
    ----------
    name : str
    select, step : pieces
    source : str
        Where the method is described.
    target : Unconstrained, Ball or Penalty
        The optimum that certificates refer to.
    parameters : dict
        What the named method was called with; saved with a run.
    coefficients : piece, default ``Single()``
        What a step does to the coefficients.
    noise : piece, optional
        Noise in the gradient, and a part of the samples that it is estimated from; None: neither.
    """

    name: str
    select: object
    step: object
    source: str = ""
    target: object = Unconstrained()
    parameters: dict = field(default_factory=dict)
    coefficients: object = Single()  # type: ignore[call-arg]  # mypy does not see the defaults of its fields
    noise: object = None

    def __post_init__(self):
        if not isinstance(self.name, str):
            raise ValueError(f"name must be a word for the method, got {shown(self.name)}.")
        if not isinstance(self.parameters, dict):
            raise ValueError(f"parameters must be a dict of what the method was called with, got {shown(self.parameters)}.")
        SELECTION.check("select", self.select)
        STEP.check("step", self.step)
        COEFFICIENTS.check("coefficients", self.coefficients)
        if self.noise is not None:
            PERTURBATION.check("noise", self.noise)
            if not COEFFICIENTS.of(self.coefficients, "plain"):
                raise ValueError(f"{self.name}: noise goes with one sequence of coefficients; take coefficients=Single().")
        moved, kept = STEP.of(self.step, "sequences"), COEFFICIENTS.of(self.coefficients, "sequences")
        if moved != kept:
            raise ValueError(
                f"{self.name}: {type(self.step).__name__} moves {moved} sequence(s) of coefficients, {type(self.coefficients).__name__} "
                f"keeps {kept}; take a step and a store that go together, such as TwoPhase and TwoSequences."
            )

        if (STEP.of(self.step, "corrective") is not None) is not COEFFICIENTS.of(self.coefficients, "corrective"):
            raise ValueError(
                f"{self.name}: steps away from vertices and the store Vertices go together, got {type(self.step).__name__} and "
                f"{type(self.coefficients).__name__}."
            )

    @property
    def unit(self):
        """Coefficients are this times what the thetas of the path add up to."""
        return STEP.of(self.step, "unit")

    @property
    def greedy(self):
        """Whether every step takes the learner with the largest correlation of all, and moves the model by that learner alone."""
        plain = COEFFICIENTS.of(self.coefficients, "plain")
        plain = plain and self.noise is None
        return plain and SELECTION.of(self.select, "greedy") and STEP.of(self.step, "score") is None

    def bind(self, problem):
        """The method with its rules checked against the problem and filled in from it."""
        if not (DICTIONARY.of(problem.dictionary, "countable") or self._searches(problem.dictionary)):
            said = f"{self.name} needs learners that can be counted: those of this problem are found by a search for the best of all."
            if replace(self, select=Groups())._searches(problem.dictionary):
                name = self.name if "select" in self.parameters else "rtgcd"
                said += f" {name}(select=Groups(t)) searches t groups: features of trees, or blocks."
            raise ValueError(said)
        reason = STEP.of(self.step, "needs_convex")
        if reason and not LOSS.of(problem.loss, "convex"):
            raise ValueError(f"{type(problem.loss).__name__} is not convex: {reason}.")
        bound = {}
        for kind, name in ((SELECTION, "select"), (STEP, "step"), (PERTURBATION, "noise")):
            piece = getattr(self, name)
            bind = None if piece is None else kind.of(piece, "bind")
            bound[name] = with_floats(piece if bind is None else bind(problem))
        return replace(self, **bound)

    def _searches(self, dictionary):
        """Whether the winner of every step is what a search in the dictionary finds."""
        if SELECTION.of(self.select, "foresees"):
            return DICTIONARY.of(dictionary, "families") is not None
        grouped = SELECTION.of(self.select, "grouped") and DICTIONARY.of(dictionary, "n_groups") is not None
        grouped = grouped or (SELECTION.of(self.select, "of_blocks") and DICTIONARY.of(dictionary, "n_columns") is not None)
        grows = COEFFICIENTS.of(self.coefficients, "room") is not None
        return grows and (SELECTION.of(self.select, "greedy") or grouped) and STEP.of(self.step, "score") is None

    def target_at(self, k):
        """What the model after k steps is compared with: `target`, but for methods whose ball grows on the way."""
        radius_at = STEP.of(self.step, "radius_at")
        return self.target if radius_at is None else Ball(radius_at(k))
