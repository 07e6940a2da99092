"""The quadratic model of a loss on a working set, and its minimiser with the l1 penalty: in Gram form, or on stored entries.

In Gram form a step costs the size m of the set, and the model once m^2 times the samples. On stored entries a step costs the entries of
its column, and the model one pass over all of them: for large sets of short columns.
"""

import numpy as np

from coordboost._generic import compiled, kernel
from coordboost.lasso.active import ExactSolves
from coordboost.lasso.conjugate import descend_on_support
from coordboost.lasso.entries import drift, gap_sums
from coordboost.lasso.gaps import LEAST, convex_gap
from coordboost.lasso.sparse import descend_by_entries
from coordboost.lasso.sweeps import go_round

#: Rounds of sweeps before an exact solve, or before conjugate gradients; turns of both; turns in a row that
#: leave more than this part of the gap, at most.
ROUNDS, TURNS, STUCK, LITTLE = 5, 40, 4, 0.999


@kernel
def gap_of_loss(loss, now, gamma, lam, infimum):
    """Duality gap from the working set alone."""
    worst, l1, along = 0.0, 0.0, 0.0
    for j in range(len(now)):
        worst = max(worst, abs(now[j]))
        l1 += abs(gamma[j])
        along += gamma[j] * now[j]
    return convex_gap(loss, along, l1, worst, lam, infimum)


def settle(gram, now, gamma, everything, support, lam, loss, infimum, goal, rounds):
    """Rounds of sweeps, until the gap of the model is at most `goal`; whether it is."""
    for _ in range(rounds):
        go_round(gram, now, gamma, everything, support, lam, goal)
        if gap_of_loss(loss, now, gamma, lam, infimum) <= goal:
            return True
    return False


class GramModel:
    """By sweeps and exact solves; gram : (m, m), of the columns in the metric of the curvatures."""

    def __init__(self):
        self.settle, self.gap_of_loss, self.exact = compiled(settle, ()), compiled(gap_of_loss, ()), ExactSolves()

    def made(self, held, curved):
        self.gram = held.dictionary.gram(curved)
        return self

    def minimiser(self, gamma, now, resid, lam, loss, infimum, goal):
        """Coefficients (m,), where the model's gap is `goal`, from `gamma` on.

        now : (m,), correlations there;  resid : (n_samples,), the pseudo-residual;  loss, infimum : of the loss itself
        """
        there, model = now.copy(), gamma.copy()
        everything, support = np.arange(len(gamma)), np.empty(len(gamma), dtype=np.int64)
        stuck, best = 0, np.inf
        for _ in range(TURNS):
            if self.settle(self.gram, there, model, everything, support, lam, loss, infimum, goal, ROUNDS):
                break
            gap = self.gap_of_loss(loss, there, model, lam, infimum)
            stuck, best = (0, gap) if gap < LITTLE * best else (stuck + 1, min(gap, best))
            if stuck == STUCK:
                break  # rounding
            self.exact(self.gram, there, model, lam, goal, (loss - infimum) / lam)
        return model


class EntriesModel:
    """By sweeps and conjugate gradients, for columns stored sparsely: a square with the roots of the curvatures as scale of the rows."""

    def __init__(self):
        self.descend, self.conjugate, self.gap_sums = (
            compiled(run, ()) for run in (descend_by_entries, descend_on_support, gap_sums)
        )

    def made(self, held, curved):
        self.held, self.columns = held, held.entries(curved)
        return self

    def minimiser(self, gamma, now, resid, lam, loss, infimum, goal):
        """As that of ``GramModel``. Sweeps measure the gap of the square: a correlation above lam may cost the loss far more."""
        root, m = self.columns.one, len(gamma)
        rest, model = resid / root, gamma.copy()
        state, aside = (rest, drift(rest, root)), drift(rest, root)
        y = rest + root * self.held.dictionary.combine(gamma)
        everything, support = np.arange(m), np.empty(m, dtype=np.int64)
        room = np.empty(m), np.empty(m), np.empty(len(resid))
        least = LEAST * float(y @ y) / 2
        own = max(goal, least)
        for _ in range(TURNS):
            k = self.descend(self.columns, everything, support, *state, y, model, lam, own, ROUNDS)
            if k >= 0:
                self.conjugate(self.columns, support, k, *state, model, lam, own, *room, aside)
            elif own == least or convex_gap(loss, *self.gap_sums(self.columns, model, y, *state)[1:], lam, infimum) <= goal:
                break
            else:
                own = max(0.1 * own, least)
        return model
