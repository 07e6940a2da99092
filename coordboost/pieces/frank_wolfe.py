r"""Frank-Wolfe steps on the l1 ball: plain ones, and those that also move away from what the model is made of.

A model in the ball of radius :math:`\delta` is read as a mean of its *vertices* :math:`\mathrm{sign}(\beta_j)\, \delta e_j`, one for each
coefficient, with the weights :math:`|\beta_j| / \delta`, and of the origin with the weight that is left. The plain step moves towards the
best vertex. An away step moves from the worst vertex of the model, as far as its weight reaches; a pairwise step, a swap, carries weight
from the worst vertex to the best one. The view knows both vertices and says whose turn it is.

Source: Guelat, Marcotte, *Some comments on Wolfe's away step*, 1986; Lacoste-Julien, Jaggi, *On the global linear convergence of
Frank-Wolfe optimization variants*, 2015.
"""

from typing import NamedTuple

import numpy as np

from coordboost._checks import positive
from coordboost._numba import verb
from coordboost._numba.linesearch import NO_SEARCH, sign
from coordboost._scaled import shrink_all
from coordboost.pieces.base import CoefficientRule, StepRule

#: Whose turn it is: a step towards a vertex, one away from a vertex, the first row of a swap, its second row.
FORWARD, AWAY, SWAP, SWAPPED = 0, 1, 2, 3
#: A weight that is no more than this is what rounding has left of none.
NOTHING = 1e-14

search = verb("search")
search_pair = verb("search_pair")
turn = verb("turn")


class _Vertices(NamedTuple):
    values: np.ndarray = np.zeros(0)
    scale: np.ndarray = np.ones(1)


class Vertices(_Vertices, CoefficientRule):
    """Coefficients unit * scale * values, moved as the row says; a weight that steps away have used up is 0 exactly."""

    corrective = True

    def start(self, problem):
        return Vertices(np.zeros(problem.n_learners), np.ones(1))

    def beta(self, unit):
        return unit * self.scale[0] * self.values

    def coefficient(self, j):
        return self.scale[0] * self.values[j]

    def accumulate(self, j, shrink, theta):
        shrink_all(self.values, self.scale, shrink)
        if theta != 0:
            before = self.values[j]
            self.values[j] = before + theta / self.scale[0]
            if abs(self.values[j] * self.scale[0]) <= NOTHING and before * theta < 0:
                self.values[j] = 0 * before


#: What a rule on the l1 ball declares by another name.
RADIUS = property(lambda rule: rule.radius)


def on_ball(rule, problem):
    """`rule`, with a radius that is checked."""
    return rule._replace(radius=positive("radius", rule.radius))


class _OpenLoop(NamedTuple):
    radius: float


class OpenLoop(_OpenLoop, StepRule):
    """Frank-Wolfe on the l1 ball with the step gamma = 2 / (k + 2)."""

    unit = frank_wolfe = RADIUS
    bind = on_ball

    def move(self, k, view, j, corr, beta_j):
        gamma = 2 / (k + 2)
        return gamma, gamma * sign(corr)


class _BallSearch(NamedTuple):
    radius: float


class BallSearch(_BallSearch, StepRule):
    """Frank-Wolfe on the l1 ball with the gamma in [0, 1] that minimises the loss."""

    unit = frank_wolfe = RADIUS
    needs_convex = NO_SEARCH
    bind = on_ball

    def move(self, k, view, j, corr, beta_j):
        s = sign(corr)
        gamma = min(max(search(view, j, self.radius * s, 1), 0), 1)
        return gamma, gamma * s


class _Away(NamedTuple):
    radius: float


class Away(_Away, StepRule):
    """Towards the best vertex or away from the worst one, whichever goes down faster; exact line search."""

    unit = corrective = RADIUS
    needs_convex = NO_SEARCH
    bind = on_ball

    def move(self, k, view, j, corr, beta_j):
        kind, s, _, _, most = turn(view)
        if kind == AWAY:
            gamma = min(max(search(view, j, -self.radius * s, -1), 0), most)
            return -gamma, -gamma * s
        gamma = min(max(search(view, j, self.radius * s, 1), 0), 1)
        return gamma, gamma * s


class _Pairwise(NamedTuple):
    radius: float


class Pairwise(_Pairwise, StepRule):
    """From the worst vertex to the best one: two rows, the first takes weight away, the second puts it down; exact line search."""

    unit = corrective = RADIUS
    needs_convex = NO_SEARCH
    bind = on_ball

    def swaps(self):
        """That weight goes from vertex to vertex."""
        return True

    def move(self, k, view, j, corr, beta_j):
        kind, s, other, other_s, most = turn(view)
        if kind == SWAPPED:
            return 0, most / self.radius * s
        if kind == SWAP:
            return 0, -s * min(max(search_pair(view, j, -self.radius * s, other, self.radius * other_s), 0), most)
        return 0, s * min(max(search(view, j, self.radius * s, 0), 0), most)
