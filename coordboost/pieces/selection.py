r"""Selection rules: which learners are looked at in a step.

All rules let the learner with the largest score win, ties (to within rounding) to the lowest index; the score is
``abs(correlation)`` unless the step rule says otherwise. A rule also carries the norm under which its expected progress is measured.

======================  ===============================================  ==========================================
rule                    looks at                                         Lu and Mazumder
======================  ===============================================  ==========================================
``Full()``              all learners                                     Type 0 (greedy)
``Subset(t)``           t learners, uniform without replacement          Type 1; t = 1: random coordinate descent
``Groups(t)``           all learners of t groups                         Type 2 (t = 1) and Type 3
``Cyclic()``            learner k mod n                                  (not in the paper)
======================  ===============================================  ==========================================

Randomness is data: ``draw`` fills an array before the block of steps runs, from a generator that belongs to these steps.
"""

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from coordboost._numba import verb
from coordboost._subsets import check_count, draw_subsets, subsets_in_parts
from coordboost._winner import best, best_among, best_in
from coordboost.pieces.base import SelectionRule

correlations = verb("correlations")


def subset_weights(t, n):
    r"""Law of the rank of the winner among n when t are drawn: :math:`\gamma_t^n(j) = \binom{n-j}{t-1} / \binom{n}{t}`, shape (n,).

    Source: Lu and Mazumder, eq. (10); computed by a recursion that does not overflow.
    """
    j = np.arange(1, n)
    ratio = np.maximum(n - j - t + 1, 0) / (n - j)
    return t / n * np.concatenate([[1.0], np.cumprod(ratio)])


def _ordered(values, weights):
    return float(weights @ np.sort(values)[::-1])


def _ordered_dual(values, weights):
    return float(np.max(np.cumsum(np.sort(values)[::-1]) / np.cumsum(weights)))


class Full(namedtuple("Full", ""), SelectionRule):
    """Type 0: every learner, every step. Norm: the largest size; dual: the sum."""

    width = 0
    greedy = True

    def pick(self, view, step, beta, drawn, k):
        return best(view, step, beta)

    def norm(self, a):
        return float(np.abs(a).max())

    def dual_norm(self, b):
        return float(np.abs(b).sum())

    def weights(self, n):
        return np.eye(1, n)[0]

    def chances(self, corr, square, rng):
        return np.eye(corr.shape[1])[np.abs(corr).argmax(axis=1)], False


class _Subset(NamedTuple):
    t: int


class Subset(_Subset, SelectionRule):
    """Type 1: t learners, uniform without replacement. Norm: ordered l1 with ``subset_weights(t, n)`` (Definition 3.2)."""

    @property
    def width(self):
        return self.t

    def bind(self, problem):
        check_count("Subset", self.t, problem.n_learners, "learners")
        return self

    def draw(self, rng, n_rows, n_learners):
        return draw_subsets(rng, n_rows, self.t, n_learners)

    def draw_in_parts(self, rng, n_rows, n_learners):
        return subsets_in_parts(rng, n_rows, self.t, n_learners)

    def pick(self, view, step, beta, drawn, k):
        return best_among(view, step, beta, drawn)

    def norm(self, a):
        return _ordered(np.abs(a), self.weights(len(a)))

    def dual_norm(self, b):
        return _ordered_dual(np.abs(b), self.weights(len(b)))

    def weights(self, n):
        return subset_weights(self.t, n)

    @property
    def blind(self):
        return self.t == 1

    def chances(self, corr, square, rng):
        out, order = np.empty_like(corr), np.argsort(-np.abs(corr), axis=1)
        np.put_along_axis(out, order, np.broadcast_to(self.weights(corr.shape[1]), corr.shape), axis=1)
        return out, self.blind


class _Groups(NamedTuple):
    t: int = 1
    member: np.ndarray = np.zeros(0, dtype=np.int64)
    start: np.ndarray = np.zeros(1, dtype=np.int64)


class Groups(_Groups, SelectionRule):
    """Types 2 (t = 1) and 3: all learners of t groups, drawn uniformly without replacement.

    `member` lists the learners group by group, group g being ``member[start[g]:start[g + 1]]``; both are filled from the problem.
    Norm: ordered mixed norm (Definitions 3.3 and 3.4).
    """

    grouped = True

    @property
    def width(self):
        return self.t

    def bind(self, problem):
        searched = problem.dictionary.n_groups
        labels = problem.groups if searched is None else np.arange(searched)
        if labels is None:
            raise ValueError(
                "Groups needs to know the groups: pass Problem(..., groups=labels) with one label per column of X."
            )
        member = np.argsort(labels, kind="stable").astype(np.int64)
        start = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)
        check_count("Groups", self.t, len(start) - 1, "groups")
        return self._replace(member=member, start=start)

    @property
    def draws_below(self):
        return len(self.start) - 1

    def draw(self, rng, n_rows, n_learners):
        return draw_subsets(rng, n_rows, self.t, len(self.start) - 1)

    def draw_in_parts(self, rng, n_rows, n_learners):
        return subsets_in_parts(rng, n_rows, self.t, len(self.start) - 1)

    def pick(self, view, step, beta, drawn, k):
        return best_in(view, step, beta, drawn, self.member, self.start)

    def chances(self, corr, square, rng):
        size = np.abs(corr)[:, self.member]
        most = np.maximum.reduceat(size, self.start[:-1], axis=1)
        place, out = np.argsort(np.argsort(-most, axis=1), axis=1), np.zeros_like(corr)
        for g, chance in enumerate(self.weights(len(self.start) - 1)[place].T):
            at = size[:, self.start[g] : self.start[g + 1]].argmax(axis=1)
            out[np.arange(len(out)), self.member[self.start[g] + at]] = chance
        return out, False

    def _by_group(self, values, reduce):
        return reduce.reduceat(np.abs(values)[self.member], self.start[:-1])

    def norm(self, a):
        return _ordered(self._by_group(a, np.maximum), self.weights(len(self.start) - 1))

    def dual_norm(self, b):
        return _ordered_dual(self._by_group(b, np.add), self.weights(len(self.start) - 1))

    def weights(self, n):
        return subset_weights(self.t, n)


class Cyclic(namedtuple("Cyclic", ""), SelectionRule):
    """Learner ``k mod n`` at step k; no choice, no norm."""

    width = 0

    def pick(self, view, step, beta, drawn, k):
        j = k % len(beta.values)
        return j, correlations(view, np.full(1, j))[0]


class _RecordedPicks(NamedTuple):
    learner: np.ndarray


class RecordedPicks(_RecordedPicks, SelectionRule):
    """The learners of a path already run: replays it without a single scan."""

    width = 0

    def pick(self, view, step, beta, drawn, k):
        return self.learner[k], 0.0
