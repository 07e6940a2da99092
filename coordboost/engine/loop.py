"""The one loop: pick a learner, move, push, record."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled, generic, is_piece

pick = generic("pick")
move = generic("move")
push = generic("push")
coefficient = generic("coefficient")
accumulate = generic("accumulate")


class Coefficients(NamedTuple):
    """beta = unit * scale * values: a shrinkage of all coefficients costs one multiplication."""

    values: np.ndarray
    scale: np.ndarray

    def coefficient(self, j):
        return self.scale[0] * self.values[j]

    def accumulate(self, j, shrink, theta):
        """beta <- (1 - shrink) beta, then beta_j <- beta_j + theta."""
        if shrink == 1:
            self.values[:] = 0 * self.values[j]
            self.scale[0] = 1 + 0 * self.scale[0]
        elif shrink != 0:
            self.scale[0] = (1 - shrink) * self.scale[0]
            if self.scale[0] < 1e-100:
                for i in range(len(self.values)):
                    self.values[i] = self.scale[0] * self.values[i]
                self.scale[0] = 1 + 0 * self.scale[0]
        if theta != 0:
            self.values[j] += theta / self.scale[0]


def make_advance(stamp):
    """Build the loop; the stamp of all sources it calls is part of it, so that a cached copy cannot outlive them."""

    def advance(view, select, step, unit, beta, drawn, k, learner, shrink, theta):
        """Run ``len(learner)`` steps from step k on, recording each; fewer where the view needs a new scan. Returns the number."""
        _ = stamp
        for i in range(len(learner)):
            j, corr = pick(select, view, step, beta, drawn[i], k + i)
            if j < 0:
                return i
            s, t = move(step, k + i, view, j, corr, coefficient(beta, j))
            push(view, j, s, unit * t)
            accumulate(beta, j, s, t)
            learner[i] = j
            shrink[i] = s
            theta[i] = t
        return len(learner)

    return advance


interpreted = make_advance("")


def runner(view, select, step, beta, *, compile=True):
    """The loop for these pieces: compiled where all of them can be, plain Python otherwise."""
    pieces = (view, select, step, beta)
    return compiled(make_advance, pieces) if compile and all(map(is_piece, pieces)) else interpreted
