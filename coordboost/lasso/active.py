"""The Lasso in Gram form by an active set: exact solves for fixed signs, one learner in or out at a time.

The active learners have a Cholesky factor of their Gram matrix. For their present signs it gives the minimiser; on the way there the
first coefficient that reaches 0 leaves the set, and where none does, the learner whose correlation exceeds the penalty most comes in.
Every move lowers the objective, so no set comes back. Solves are corrections of the present point: what is left of the rounding of one
is taken out by the next, also where columns nearly depend on each other.

Source: Osborne, Presnell, Turlach, *A new approach to variable selection in least squares problems*; Lee, Battle, Raina, Ng,
*Efficient sparse coding algorithms*.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf

from coordboost._generic import compiled, kernel
from coordboost.exact.corners import backward, drop, extend, forward

#: In the combination that a dependent column is, what is below this part of the largest coefficient counts as 0; and a slope of the
#: objective along it below that part of the penalty.
NONE, LEVEL = 1e-9, 1e-6
#: The factor is made anew where more than this share of it changed.
ANEW = 0.1
#: Squared pivots above this part of the diagonal are no rounding: LAPACK's factor is taken.
SURE = 1e-11
#: Part of the gap asked for that one correlation may cost.
PART = 0.25
#: A correction that leaves more than this part of what was off is the last: the rest is rounding.
LEFT = 0.5


class Active(NamedTuple):
    """The active learners of a working set of m.

    member : (m,), the active ones in the order of the factor, ``size[0]`` of them;  place : (m,), where each stands, -1 for the others
    factor : (m, m), upper triangle;  way : (m,), a direction, in the order of `member`
    """

    member: np.ndarray
    place: np.ndarray
    size: np.ndarray
    factor: np.ndarray
    way: np.ndarray


def nobody(m):
    """No active learner, room for m."""
    ids = np.zeros(m, dtype=np.int64)
    return Active(ids, np.full(m, -1), np.zeros(1, dtype=np.int64), np.empty((m, m)), np.empty(m))


@kernel
def let_in(gram, active, j):
    """Make learner j active; False, with way = its part along the others, where it depends on them."""
    k, member, way = active.size[0], active.member, active.way
    for i in range(k):
        way[i] = gram[j, member[i]]
    if not extend(active.factor, k, way, gram[j, j]):
        backward(active.factor, k, way)
        return False
    member[k], active.place[j] = j, k
    active.size[0] = k + 1
    return True


@kernel
def let_out(active, j):
    """Take learner j out."""
    at, k = active.place[j], active.size[0]
    drop(active.factor, k, at)
    active.place[j], active.size[0] = -1, k - 1
    for i in range(at, k - 1):
        active.member[i] = active.member[i + 1]
        active.place[active.member[i]] = i


@kernel
def go(gram, active, now, gamma, j, by):
    """Move along ``way`` on the active learners and by `by` on learner j (or -1), until a coefficient is 0; who that is, or -1."""
    k, member, way, share, leaving = active.size[0], active.member, active.way, 1.0, -1
    for i in range(k):
        value = gamma[member[i]]
        if value * way[i] < 0.0 and abs(value) < share * abs(way[i]):
            share, leaving = abs(value) / abs(way[i]), member[i]
    if j >= 0 and gamma[j] * by < 0.0 and abs(gamma[j]) < share * abs(by):
        share, leaving = abs(gamma[j]) / abs(by), j
    for i in range(k + 1 if j >= 0 else k):
        to, move = (member[i], share * way[i]) if i < k else (j, share * by)
        gamma[to] = 0.0 if to == leaving else gamma[to] + move
        row = gram[to]
        for q in range(len(now)):
            now[q] -= move * row[q]
    return leaving


@kernel
def nearest_zero(active, gamma, j, by):
    """The step at which the first coefficient is 0 where learner j moves by `by` and the active ones by -by times `way`."""
    first = abs(gamma[j]) if gamma[j] * by < 0.0 else math.inf
    for i in range(active.size[0]):
        value, move = gamma[active.member[i]], -by * active.way[i]
        if value * move < 0.0:
            first = min(first, abs(value / move))
    return first


@kernel
def slide(gram, active, now, gamma, j, lam):
    """Learner j depends on the active ones: along that null direction, where the objective falls, to the first 0, if there is one."""
    k, member, way = active.size[0], active.member, active.way
    sign = gamma[j] if gamma[j] != 0.0 else now[j]
    slope = now[j] - lam if sign > 0.0 else now[j] + lam
    size = 1.0
    for i in range(k):
        size = max(size, abs(way[i]))
    for i in range(k):
        if abs(way[i]) <= NONE * size:
            way[i] = 0.0
        slope -= way[i] * (now[member[i]] - (lam if gamma[member[i]] > 0.0 else -lam))
    by = 1.0 if slope > 0.0 else -1.0
    first = nearest_zero(active, gamma, j, by)
    if first == math.inf and abs(slope) <= LEVEL * lam * size:
        by = -by
        first = nearest_zero(active, gamma, j, by)
    if first == math.inf:
        return False
    for i in range(k):
        way[i] *= -2.0 * first * by
    by *= 2.0 * first
    leaving = go(gram, active, now, gamma, j, by)
    if leaving < 0:
        return False
    if leaving != j:
        let_out(active, leaving)
    return True


@kernel
def join(gram, active, now, gamma, j, lam):
    """Make learner j active, others making room where it depends on them; whether it is, or need not be."""
    for _ in range(len(now)):
        if let_in(gram, active, j):
            return True
        if not slide(gram, active, now, gamma, j, lam):
            return False
        if active.place[j] < 0 and gamma[j] == 0.0 and abs(now[j]) <= lam:
            return True
    return False


def optimise(gram, active, now, gamma, lam, goal, extra, most):
    """To the optimum on the working set, at most `most` exact solves; whether it was reached.

    now : (m,), correlations at the coefficients `gamma` (m,);  goal, extra : no correlation may exceed lam by more than a part of
    goal / (extra + l1 norm)
    """
    member, place, way = active.member, active.place, active.way
    for j in range(len(gamma)):
        if place[j] >= 0 and gamma[j] == 0.0:
            let_out(active, j)
    for j in range(len(gamma)):
        if gamma[j] != 0.0 and place[j] < 0 and not join(gram, active, now, gamma, j, lam):
            return False
    before = math.inf
    for _ in range(most):
        k, l1, entering = active.size[0], 0.0, -1
        for i in range(k):
            j = member[i]
            sign = gamma[j] if gamma[j] != 0.0 else now[j]
            way[i] = now[j] - (lam if sign > 0.0 else -lam)
        forward(active.factor, k, way)
        backward(active.factor, k, way)
        leaving = go(gram, active, now, gamma, -1, 0.0)
        if leaving >= 0:
            let_out(active, leaving)
            continue
        worst, off = lam, 0.0
        for j in range(len(gamma)):
            l1 += abs(gamma[j])
            if place[j] < 0:
                if abs(now[j]) > worst:
                    worst, entering = abs(now[j]), j
            else:
                off = max(off, abs(now[j] - (lam if gamma[j] > 0.0 else -lam)))
        allowed = PART * goal / (extra + l1) if extra + l1 > 0.0 else 0.0
        if allowed < off <= LEFT * before:
            before = off  # rounding: a correction
            continue
        if worst - lam <= max(allowed, off):
            return off <= allowed
        if not join(gram, active, now, gamma, entering, lam):
            return False
        before = math.inf
    return False


class ExactSolves:
    """`optimise` for a working set in Gram form, the factor kept from one penalty to the next as long as it serves."""

    def __init__(self):
        self.run, self.gram, self.active = compiled(optimise, ()), None, nobody(0)

    def __call__(self, gram, now, gamma, lam, goal, extra=0.0, most=1000):
        """Move `gamma` (m,) and `now` (m,) to the optimum on the set; whether it was reached."""
        m, support = len(gamma), np.flatnonzero(gamma)
        if len(self.active.member) != m or self.gram is not gram:
            self.active, self.gram = nobody(m), gram
        known = self.active.member[: self.active.size[0]]
        changed = np.count_nonzero(self.active.place[support] < 0) + np.count_nonzero(gamma[known] == 0)
        if changed > ANEW * len(support):
            self._factor(gram, support)
        return self.run(gram, self.active, now, gamma, lam, goal, extra, most)

    def forget(self):
        """The Gram matrix has changed."""
        self.gram = None

    def _factor(self, gram, support):
        """The factor of the learners `support`, by LAPACK; nobody is active where they depend on each other."""
        active, k = self.active, len(support)
        active.place[:], active.size[0] = -1, 0
        factor, failed = dpotrf(gram[np.ix_(support, support)].T, lower=1, overwrite_a=1)
        if not failed and (factor.diagonal() ** 2 > SURE * gram[support, support]).all():
            active.factor[:k, :k] = factor.T
            active.member[:k], active.place[support], active.size[0] = support, np.arange(k), k
