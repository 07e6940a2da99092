"""Spaces of instances: how to draw instances at random, and how to make them from numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Space:
    """The instances that a statement applies to, each made from a shape and some numbers.

    Parameters
    ----------
    name : str
        Its name in words.
    draw : callable
        ``draw(rng) -> (shape, numbers)``: a tuple of integers, and floats.
    make : callable
        ``make(shape, numbers)``: the instance, or None if the numbers give none. Numbers are
        floats, or Fractions if `exact`.
    exact : bool
        Whether instances made from Fractions are compared without rounding.
    has : callable
        Whether an object is an instance of this space.
    smaller : callable, optional
        ``smaller(shape, numbers)`` yields (shape, numbers) of simpler instances, for a search to
        try next.
    """

    name: str
    draw: Callable
    make: Callable
    exact: bool = True
    has: Callable = lambda case: True
    smaller: Callable = lambda shape, numbers: ()

    def at(self, shape, text):
        """Return the instance with the numbers in a text such as "1/2 -3 0".

        Fractions if the space is exact.
        """
        return self.of(tuple(shape), [Fraction(word) for word in text.split()])

    def of(self, shape, fractions):
        """Return the instance with these Fractions, or with the nearest floats if the space is not
        exact.
        """
        if self.exact:
            return self.make(shape, np.array([*fractions, None], dtype=object)[:-1])
        return self.make(shape, np.array([float(x) for x in fractions]))
