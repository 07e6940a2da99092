"""The model state of Frank-Wolfe with away steps and swaps: an inner model state, and the worst
vertex of the model.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost._numba.linesearch import sign
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.covariance import CovarianceState
from coordboost.engine.states.naive import NaiveState
from coordboost.rules.coefficients import ZERO_WEIGHT, Vertices
from coordboost.rules.selection import strongest
from coordboost.rules.steps import AWAY, FORWARD, SWAP, SWAPPED, search_pair

coefficient = verb("coefficient")
correlations = verb("correlations")
push = verb("push")
scan = verb("scan")
search = verb("search")
tie = verb("tie")
decide = verb("decide")
waiting = verb("waiting")


@kernel
def no_swaps(step):
    """Default: a step rule that makes no swaps."""
    return False


swaps = verb("swaps", no_swaps)


@kernel
def worst_vertex(corr, beta, tie):
    """(learner, sign, weight, sign * correlation) of the worst vertex of the model, and <model,
    resid> / radius.

    The origin is (-1, 0, weight, 0). Ties (to within `tie`) go to it, then to the lowest index: a
    line search often ends in a tie.
    """
    zero = 0 * corr[0]
    inner = zero
    left = 1 + zero
    least = zero
    last = -1
    for j in range(len(corr)):
        a = coefficient(beta, j)
        if a != 0:
            inner += a * corr[j]
            left -= abs(a)
            if last < 0 or sign(a) * corr[j] < least:
                least = sign(a) * corr[j]
                last = j
    if last < 0 or (left > ZERO_WEIGHT and least >= -tie):
        return -1, 0, left, zero, inner
    at = 0
    a = coefficient(beta, 0)
    while a == 0 or sign(a) * corr[at] > least + tie:
        at += 1
        a = coefficient(beta, at)
    return at, sign(a), abs(a), sign(a) * corr[at], inner


class _AwayStepState(NamedTuple):
    inner: object
    dictionary: object
    turns: np.ndarray
    most: np.ndarray


class AwayStepState(_AwayStepState, ModelState):
    """The model state `inner`, a ``NaiveState``, and the kind of the next row: ``FORWARD``,
    ``AWAY``, ``SWAP`` or ``SWAPPED``.

    turns : the kind of the row, the sign of its vertex, and for a swap the learner and the sign of
        the vertex of its second row
    most : (1,), the largest step allowed; for the second row of a swap, how far the first row moved
        the coefficient

    *Cost* of a step: one scan, O(n_samples) and O(n_learners); of a second row O(n_samples).
    """

    carries = (Vertices,)
    follows = False

    @classmethod
    def start(cls, problem, coefficients):
        """The model state at beta = 0."""
        return cls(
            NaiveState.start(problem),
            problem.dictionary,
            np.zeros(4, dtype=np.int64),
            np.array([0 * problem.y[0]]),
        )

    @property
    def pred(self):
        """The prediction of the model."""
        return self.inner.pred

    from_data = True

    def scan(self):
        return scan(self.inner)

    def correlations(self, index):
        return correlations(self.inner, index)

    def tie(self):
        return tie(self.inner)

    def search(self, j, a, b):
        return search(self.inner, j, a, b)

    def turn(self):
        """The kind of the row, its sign, the learner and sign of the second row of a swap, and the
        largest step allowed.
        """
        return self.turns[0], self.turns[1], self.turns[2], self.turns[3], self.most[0]

    def waiting(self):
        """The learner of the second row of a swap, after its first row; else -1."""
        return self.turns[2] if self.turns[0] == SWAPPED else -1

    def best(self, step, beta):
        j = waiting(self)
        return (j, 0 * self.most[0]) if j >= 0 else decide(self, step, beta, scan(self))

    def decide(self, step, beta, corr):
        """Choose the next row from all correlations: write its kind into `turns`, return its
        learner and correlation.
        """
        turns = self.turns
        most = self.most
        forward, top = strongest(corr, tie(self), step, beta)
        at, toward, weight, least, inner = worst_vertex(corr, beta, tie(self))
        turns[0], turns[1], turns[2], turns[3], most[0] = (
            FORWARD,
            sign(top),
            forward,
            sign(top),
            weight,
        )
        if swaps(step):
            if at < 0:
                return forward, top
            turns[0], turns[1] = SWAP, toward
            return at, corr[at]
        if inner - least > abs(top) - inner + tie(self):
            turns[0], turns[1], most[0] = AWAY, toward, weight / (1 - weight)
            return max(at, 0), least
        return forward, top

    def search_pair(self, i, a, j, b):
        return search_pair(self.inner, i, a, j, b)

    def push(self, j, shrink, theta):
        """Pred <- (1 - shrink) pred + theta B_j.

        Then note whether the second row of a swap comes next.
        """
        turns = self.turns
        push(self.inner, j, shrink, theta)
        if turns[0] == SWAP:
            turns[0], turns[1], self.most[0] = SWAPPED, turns[3], abs(theta)
        else:
            turns[0] = FORWARD


class AwayStepCovariance(AwayStepState):
    """``AwayStepState`` for the squared loss, on the Gram matrix of few learners: the model state
    `inner` is a ``CovarianceState``.

    *Cost* of a step: O(n_learners), whatever the number of samples.
    """

    quadratic = True
    from_gram = True
    from_data = False

    @classmethod
    def start(cls, problem, coefficients):
        """The model state at beta = 0."""
        return super().start(problem, coefficients)._replace(inner=CovarianceState.start(problem))
