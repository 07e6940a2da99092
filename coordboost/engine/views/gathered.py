r"""Exact lookahead for any smooth loss: the explicit view on a few gathered columns, and the same test as for the squared loss.

Between scans the winner is sought among the candidates only, as long as its correlation beats ``outside`` plus the distance of the
residual from that of the last scan, :math:`\|W^{-1/2}(r - r_0)\|_2`: no other learner of unit (weighted) norm can then be larger.
*Cost* of a step: O(candidates x n_samples).
"""

from typing import NamedTuple

import numpy as np

from coordboost._generic import generic, record
from coordboost._protocol import VIEW
from coordboost._winner import best_of_all
from coordboost.dictionaries import Dense
from coordboost.engine.views.candidates import held_columns
from coordboost.engine.views.explicit import Explicit, room_for_a_line
from coordboost.screening.best import top_learners
from coordboost.screening.columns import HeldColumns
from coordboost.screening.sphere import SLACK

push = generic("push")
search = generic("search")


@VIEW.own
class Gathered(NamedTuple):
    """`inner` steps on the columns of the candidates `learner` (increasing, (s,)); `anchor` is the residual at the last scan.

    outside : largest abs correlation of the others then;  state : no step since the scan (fresh), position of the last winner
    """

    inner: Explicit
    learner: np.ndarray
    anchor: np.ndarray
    outside: float
    state: np.record
    greedy = True

    def tie(self):
        return self.inner.rounding

    def best(self, step, beta):
        """The winner among all learners, or (-1, 0) where only a scan can tell."""
        local, corr = best_of_all(self.inner, step, beta)
        if self.state.fresh == 0:
            moved, unit = 0.0, self.inner.rounding if self.inner.rounding > 0.0 else 1.0
            for i in range(len(self.anchor)):
                if self.inner.weight[i] > 0.0:
                    change = (self.inner.resid[i] - self.anchor[i]) / unit
                    moved += change * change / self.inner.weight[i]
            # in units of the rounding of a correlation: the winner's, the outsiders' and the distance's own
            room = (abs(corr) - self.outside) / unit - 3.0
            if not (room > 0.0 and room * room > (1.0 + SLACK) * moved):
                return -1, 0.0
        self.state.fresh = 0
        self.state.winner = local
        return self.learner[local], corr

    def search(self, j, a, b):
        """The t that minimises the loss at pred + t (a B_j - b pred), j the learner that `best` returned."""
        return search(self.inner, self.state.winner, a, b)

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j, j the learner that `best` returned."""
        push(self.inner, self.state.winner, shrink, theta)


class GatheredCandidates(NamedTuple):
    """What a scan chose: the learners, the columns of all that were candidates once, and the view that steps on them."""

    learner: np.ndarray
    held: HeldColumns
    view: Gathered

    def price(self, prices, gained):
        """What the scan and the `gained` steps since have cost, in multiplications."""
        size, n_samples = len(self.learner), len(self.view.anchor)
        return prices.candidates(size) + gained * (prices.residual + (n_samples + 100) * size)


def gathered_candidates(problem, beta, n_candidates, previous=None):
    """Candidates at the coefficients `beta`: one scan, and the columns that `previous` does not hold."""
    pred = problem.combine(beta)
    resid = problem.resid(pred)
    corr = problem.scan(resid)
    learner, outside = top_learners(corr, problem.tie, n_candidates)
    held = held_columns(problem) if previous is None else previous.held
    slot = held.at(learner)
    rows = held.rows[slot]
    rest = (problem.tie, room_for_a_line(problem.y))
    inner = Explicit(problem.loss, Dense(rows), problem.y, problem.weight, problem.base, pred, resid, *rest)
    return GatheredCandidates(learner, held, Gathered(inner, learner, resid.copy(), outside, record(fresh=1, winner=0)))
