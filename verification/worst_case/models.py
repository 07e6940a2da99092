"""A programme together with the vectors from which the runs build an instance."""

from dataclasses import dataclass, field
from fractions import Fraction

from coordboost.theory.performance import Programme, Vector


@dataclass
class Model:
    """A programme, and the vectors that turn its solution into an instance.

    points : points of the function, the minimiser first
    mu : its strong convexity
    columns : multiples of the learners; ties go to the first
    inside : `radius` times vectors in the convex hull of the learners and their opposites; each
        becomes the mean of two further learners
    targets : the vectors that were fitted, with an angle of at least `theta`
    target : y of least-squares problems
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
