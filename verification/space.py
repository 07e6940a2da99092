"""A space of instances: how they are drawn at random, and made of numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Space:
    """Instances that a statement speaks about, made of a shape and some numbers.

    Parameters
    ----------
    name : str
        In words.
    draw : callable
        ``draw(rng) -> (shape, numbers)``: a tuple of whole numbers, and floats.
    make : callable
        ``make(shape, numbers)``: the instance, or None where the numbers make none. Numbers are floats, or Fractions if `exact`.
    exact : bool
        Whether Fractions make an instance that is compared without rounding.
    has : callable
        Whether an object is an instance of this space.
    smaller : callable, optional
        ``smaller(shape, numbers)`` yields (shape, numbers) of simpler instances, for a search to go on with.
    """

    name: str
    draw: Callable
    make: Callable
    exact: bool = True
    has: Callable = lambda case: True
    smaller: Callable = lambda shape, numbers: ()

    def at(self, shape, text):
        """The instance with numbers given as a text such as "1/2 -3 0"; Fractions where the space is exact."""
        return self.of(tuple(shape), [Fraction(word) for word in text.split()])

    def of(self, shape, fractions):
        """The instance of these Fractions, or of the floats nearest to them where the space is not exact."""
        if self.exact:
            return self.make(shape, np.array([*fractions, None], dtype=object)[:-1])
        return self.make(shape, np.array([float(x) for x in fractions]))
