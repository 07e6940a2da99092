"""What the runs need to know of a programme beside its conditions."""

from dataclasses import dataclass, field
from fractions import Fraction

from coordboost.theory.performance import Programme, Vector


@dataclass
class Model:
    """A programme, and the vectors that make an instance of its solution.

    points : of the function, the minimiser first;  mu : its strong convexity
    columns : multiples of the learners, in the order in which ties are broken
    inside : `radius` times vectors that are means of learners and of their opposites: two learners for each, whose mean it is
    targets : what was fitted, with an angle of at least `theta`
    """

    programme: Programme = field(default_factory=Programme)
    points: list = field(default_factory=list)
    columns: list = field(default_factory=list)
    inside: list = field(default_factory=list)
    targets: list = field(default_factory=list)
    target: Vector | None = None
    mu: Fraction = Fraction(0)
    theta: Fraction = Fraction(0)
    radius: float = 1.0
