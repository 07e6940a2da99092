"""Quantities that the remarks of Lu and Mazumder compare: differences of losses, longer learners,
rules as special cases of others.
"""

from fractions import Fraction
from math import comb

import numpy as np


class Relatives:
    """Properties of an instance with learners `B`, residual `y`, gradient and `label`."""

    @property
    def slopes(self):
        """Central differences of the loss along each learner."""
        up, down = (
            np.array([((self.y + sign * b) ** 2).sum() for b in self.B.T]) for sign in (-1, 1)
        )
        return (up - down) / 4

    @property
    def long_step(self):
        """As `one_step`, with learner j of length j + 1: chosen by direction, the step divided by
        the square of the length.
        """
        learners = [(j + 1) * b for j, b in enumerate(self.B.T)]
        return np.array([((self.y - (self.y @ b) / (b @ b) * b) ** 2).sum() for b in learners]) / 2

    def _norm_with(self, places, drawn):
        """Return the norm of the gradient for a rule that draws `drawn` of these places."""
        sizes = -np.sort([-np.abs(self.gradient[place]).max() for place in places])
        n = len(places)
        return sum(
            Fraction(comb(n - j, drawn - 1), comb(n, drawn)) * size
            for j, size in enumerate(sizes, 1)
        )

    @property
    def norm_of_one(self):
        """The norm of Type 3 with one group drawn."""
        return self._norm_with(self.groups, 1)

    @property
    def norm_of_type_2(self):
        """The norm of Type 2: the mean over groups of the largest absolute derivative."""
        return sum(np.abs(self.gradient[group]).max() for group in self.groups) / len(self.groups)

    @property
    def norm_of_all(self):
        """The norm of Type 3 with all groups drawn."""
        return self._norm_with(self.groups, len(self.groups))

    @property
    def norm_of_type_0(self):
        """The norm of Type 0: the largest absolute derivative."""
        return np.abs(self.gradient).max()

    @property
    def groups(self):
        """The groups as arrays of learners."""
        return [np.flatnonzero(np.array(self.label) == g) for g in sorted(set(self.label))]
