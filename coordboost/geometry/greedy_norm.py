"""The greedy norm of a selection rule, seen as one family: groups of learners and non-increasing weights on the ranks of the groups.

With ``b_g`` the largest abs(a_j) in group g and ``b_(1) >= b_(2) >= ...``: norm(a) = sum_i gamma_i b_(i). ``Full()`` is one group with
gamma = (1); ``Subset(t)`` is one group for every learner; ``Groups(t)`` is itself.
"""

from typing import NamedTuple

import numpy as np

from coordboost._checks import shown
from coordboost.pieces.selection import Full, Groups, Subset

#: Group of every learner and weights of the ranks, for a rule that knows its problem.
_SHAPES = {
    Full: lambda rule, n: (np.arange(n), np.zeros(1, dtype=np.int64), np.ones(1)),
    Subset: lambda rule, n: (np.arange(n), np.arange(n), rule.weights(n)),
    Groups: lambda rule, n: (rule.member, rule.start[:-1], rule.weights(len(rule.start) - 1)),
}


class GreedyNorm(NamedTuple):
    r"""``norm(a) = sum_i gamma_i b_(i)`` for many vectors at once, with subgradients; one vector: ``rule.norm``, ``rule.dual_norm``.

    rule : the rule, bound to its problem; member : (n_learners,) learners group by group; start : (n_groups,) where groups begin;
    gamma : (n_groups,) non-increasing, sum 1

    *Source*: Lu and Mazumder, Definitions 3.1-3.4, Proposition 3.1.
    """

    rule: object
    member: np.ndarray
    start: np.ndarray
    gamma: np.ndarray

    @classmethod
    def of(cls, rule, problem):
        """The norm of `rule` for a problem; ValueError for a rule without a norm, a bad t, or unknown groups."""
        if type(rule) not in _SHAPES:
            raise ValueError(f"rule must be Full(), Subset(t) or Groups(t), which have a norm, got {shown(rule)}.")
        bind = rule.bind
        bound = rule if bind is None else bind(problem)
        return cls(bound, *_SHAPES[type(rule)](bound, problem.n_learners))

    @property
    def sizes(self):
        """Learners in every group, (n_groups,)."""
        return np.diff(np.append(self.start, len(self.member)))

    @property
    def label(self):
        """Group of every learner, (n_learners,)."""
        label = np.empty(len(self.member), dtype=np.int64)
        label[self.member] = np.repeat(np.arange(len(self.start)), self.sizes)
        return label

    def values(self, rows):
        """Norms (N,) of the rows of an (N, n_learners) array."""
        return -np.sort(-self._largest(np.abs(rows)[:, self.member]), axis=1) @ self.gamma

    def subgradients(self, rows):
        """W (N, n_learners): <W_i, rows_i> = norm(rows_i) and dual_norm(W_i) = 1; ties to the lowest index."""
        sorted_rows = rows[:, self.member]
        sizes = np.abs(sorted_rows)
        largest = self._largest(sizes)
        hit = sizes == np.repeat(largest, self.sizes, axis=1)
        winner = np.minimum.reduceat(np.where(hit, np.arange(sizes.shape[1]), sizes.shape[1]), self.start, axis=1)
        weight = np.empty_like(largest)
        np.put_along_axis(weight, np.argsort(-largest, axis=1, kind="stable"), np.tile(self.gamma, (len(rows), 1)), axis=1)
        sign = np.where(np.take_along_axis(sorted_rows, winner, axis=1) < 0, -1.0, 1.0)
        out = np.zeros_like(rows)
        np.put_along_axis(out, self.member[winner], sign * weight, axis=1)
        return out

    def masses(self, weights):
        """Sums of the i largest group sums of `weights` (n_learners,), for i = 1..n_groups."""
        return np.cumsum(-np.sort(-np.add.reduceat(weights[self.member], self.start)))

    def _largest(self, sizes):
        return np.maximum.reduceat(sizes, self.start, axis=1)


class SecondMoment(NamedTuple):
    r"""The norm :math:`\sqrt{\|[a_j^2]\|_F}`, with the verbs of ``GreedyNorm``: what the expected decrease of a step really is."""

    first: GreedyNorm

    def values(self, rows):
        return np.sqrt(self.first.values(rows * rows))

    def subgradients(self, rows):
        weighted = self.first.subgradients(rows * rows) * rows
        return weighted / np.maximum(self.values(rows), np.finfo(float).tiny)[:, None]
