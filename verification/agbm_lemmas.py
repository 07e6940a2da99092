"""Quantities in the lemmas on accelerated boosting, a number for each round, under the names used
in formulas.
"""

import numpy as np


def _rounds(numbers):
    """Extend numbers of the rounds 0, ..., M - 1 to the length of those of the models 0, ..., M.

    The last entry is a filler.
    """
    return np.concatenate([numbers, numbers[-1:]])


def _dot(one, two):
    return (one * two).sum(axis=-1)


class Lemmas:
    """Quantities of a run (``agbm.Walk``).

    Those in ``moves`` belong to the round from k to k + 1.
    """

    moves = (
        "alpha_m",
        "left_along",
        "at_mix",
        "residual2",
        "learner2",
        "to_star",
        "to_near",
        "to_beyond",
        "near",
        "beyond",
        "gain",
        "left2",
    )

    def _along(self, vectors):
        """Return inner products with (1, 2, ..., n)."""
        return vectors @ np.array([self.eta**0 * (i + 1) for i in range(len(self.y))])

    def _toward(self, part):
        """Return the points h + part (f* - h)."""
        return self.h[:-1] + part * self.eta**0 * (self.y - self.h[:-1])

    def _tilt(self, part):
        """Return <r, h - f> at f = h + part (f* - h)."""
        return _rounds(_dot(self.r, self.h[:-1] - self._toward(part)))

    def potential_of(self, f, late=0):
        """Return V^0, ..., V^M of Lemma C.4 for f.

        Wrong variants take the weight of `late` rounds later.
        """
        weight = self.eta * self.gamma * (self.m + 2 + late) ** 2 / 4
        gaps = (self.loss(self.f) - self.loss(f)) * np.concatenate([[0 * self.eta], weight])
        return gaps + ((f - self.hat) ** 2).sum(axis=1) / 2

    hat_along = property(lambda self: self._along(self.hat))
    h_along = property(lambda self: self._along(self.h))
    left_along = property(lambda self: _rounds(self._along(self.e)))
    alpha_m = property(lambda self: _rounds(self.alpha))
    at_mix = property(lambda self: _rounds(self.loss(self.g)))
    residual2 = property(lambda self: _rounds(_dot(self.r, self.r)))
    learner2 = property(lambda self: _rounds(_dot(self.b, self.b)))
    left2 = property(lambda self: _rounds(_dot(self.e, self.e)))
    to_star = property(lambda self: self._tilt(1))
    to_near = property(lambda self: self._tilt(self.eta**0 / 100))
    to_beyond = property(lambda self: self._tilt(-(self.eta**0) / 100))
    near = property(lambda self: _rounds(self.loss(self._toward(self.eta**0 / 100))))
    beyond = property(lambda self: _rounds(self.loss(self._toward(-(self.eta**0) / 100))))
    gain = property(lambda self: _rounds(self.delta()))
    potential = property(lambda self: self.potential_of(self.y))
    above = property(lambda self: self.potential_of(-self.y / 10))
