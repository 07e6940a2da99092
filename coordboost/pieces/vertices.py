r"""Frank-Wolfe steps that also move away from what the model is made of: away steps and pairwise steps on the l1 ball.

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
from coordboost._generic import generic
from coordboost._protocol import COEFFICIENTS, STEP

#: Whose turn it is: a step towards a vertex, one away from a vertex, the first row of a swap, its second row.
FORWARD, AWAY, SWAP, SWAPPED = 0, 1, 2, 3
#: A weight that is no more than this is what rounding has left of none.
NOTHING = 1e-14

search = generic("search")
search_pair = generic("search_pair")
turn = generic("turn")


@COEFFICIENTS.own
class Vertices(NamedTuple):
    """Coefficients unit * scale * values, moved as the row says; a weight that steps away have used up is 0 exactly."""

    values: np.ndarray = np.zeros(0)
    scale: np.ndarray = np.ones(1)
    corrective = True

    def start(self, problem):
        return Vertices(np.zeros(problem.n_learners), np.ones(1))

    def beta(self, unit):
        return unit * self.scale[0] * self.values

    def coefficient(self, j):
        return self.scale[0] * self.values[j]

    def accumulate(self, j, shrink, theta):
        if shrink != 0:
            self.scale[0] = (1 - shrink) * self.scale[0]
            if not 1e-100 < self.scale[0] < 1e100:
                for i in range(len(self.values)):
                    self.values[i] = self.scale[0] * self.values[i]
                self.scale[0] = 1 + 0 * self.scale[0]
        if theta != 0:
            before = self.values[j]
            self.values[j] = before + theta / self.scale[0]
            if abs(self.values[j] * self.scale[0]) <= NOTHING and before * theta < 0:
                self.values[j] = 0 * before


def _bound(rule):
    return rule._replace(radius=positive("radius", rule.radius))


@STEP.own
class Away(NamedTuple):
    """Towards the best vertex or away from the worst one, whichever goes down faster; exact line search."""

    radius: float

    @property
    def unit(self):
        return self.radius

    @property
    def corrective(self):
        return self.radius

    def bind(self, problem):
        return _bound(self)

    def move(self, k, view, j, corr, beta_j):
        kind, sign, _, _, most = turn(view)
        if kind == AWAY:
            gamma = min(max(search(view, j, -self.radius * sign, -1), 0), most)
            return -gamma, -gamma * sign
        gamma = min(max(search(view, j, self.radius * sign, 1), 0), 1)
        return gamma, gamma * sign


@STEP.own
class Pairwise(NamedTuple):
    """From the worst vertex to the best one: two rows, the first takes weight away, the second puts it down; exact line search."""

    radius: float

    def swaps(self):
        """That weight goes from vertex to vertex."""
        return True

    @property
    def unit(self):
        return self.radius

    @property
    def corrective(self):
        return self.radius

    def bind(self, problem):
        return _bound(self)

    def move(self, k, view, j, corr, beta_j):
        kind, sign, other, other_sign, most = turn(view)
        if kind == SWAPPED:
            return 0, most / self.radius * sign
        if kind == SWAP:
            return 0, -sign * min(max(search_pair(view, j, -self.radius * sign, other, self.radius * other_sign), 0), most)
        return 0, sign * min(max(search(view, j, self.radius * sign, 0), 0), most)
