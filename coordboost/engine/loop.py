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
    allocates = False

    def coefficient(self, j):
        return self.scale[0] * self.values[j]

    def accumulate(self, j, shrink, theta):
        """beta <- (1 - shrink) beta, then beta_j <- beta_j + theta."""
        if shrink == 1:
            for i in range(len(self.values)):
                self.values[i] = 0 * self.values[i]
            self.scale[0] = 1 + 0 * self.scale[0]
        elif shrink != 0:
            self.scale[0] = (1 - shrink) * self.scale[0]
            if self.scale[0] < 1e-100:
                for i in range(len(self.values)):
                    self.values[i] = self.scale[0] * self.values[i]
                self.scale[0] = 1 + 0 * self.scale[0]
        if theta != 0:
            self.values[j] += theta / self.scale[0]


def advance(view, select, step, unit, beta, drawn, k, learner, shrink, theta):
    """Run ``len(learner)`` steps from step k on, recording each; fewer where the view needs a new scan. Returns their number."""
    for i in range(len(learner)):
        j, corr = pick(select, view, step, beta, drawn[i], k + i)
        if j < 0:
            return i
        s, t = move(step, k + i, view, j, corr, coefficient(beta, j))
        push(view, j, s, unit * t)
        accumulate(beta, j, s, t)
        learner[i] = j
        if s != 0:  # the record begins as zeros: without shrinkage its memory is never touched
            shrink[i] = s
        theta[i] = t
    return len(learner)


def trace(beta, learner, shrink, theta, start, stop):
    """Bring the coefficients `beta` through the recorded steps start, ..., stop - 1."""
    for k in range(start, stop):
        accumulate(beta, learner[k], shrink[k], theta[k])


def runner(view, select, step, beta, *, compile=True):
    """The loop for these pieces: compiled where all of them can be, plain Python otherwise."""
    pieces = (view, select, step, beta)
    compile = compile and all(map(is_piece, pieces))
    return compiled(advance, pieces) if compile else advance
