"""Weak learners in coordinates of their range, and the greedy norm of a selection rule.

The coordinates are those of an orthonormal basis of the range of B.

The norms of all rules have one form: groups of learners, and non-increasing weights gamma on the
ranks of the groups. With ``b_g`` the largest abs(a_j) in group g and ``b_(1) >= b_(2) >= ...``:
norm(a) = sum_i gamma_i b_(i). ``Greedy()`` has one group and gamma = (1); ``RandomSubset(t)`` has
one group for each learner; ``Groups(t)`` has its own groups.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.sparse import issparse

from coordboost._utils.checks import nothing_varies, shown
from coordboost.data import validation
from coordboost.data.problem import Problem
from coordboost.rules.selection import Greedy, Groups, RandomSubset

#: For each rule, bound to its problem: (member, start, gamma) of ``GreedyNorm``.
_SHAPES = {
    Greedy: lambda rule, n: (np.arange(n), np.zeros(1, dtype=np.int64), np.ones(1)),
    RandomSubset: lambda rule, n: (np.arange(n), np.arange(n), rule.weights(n)),
    Groups: lambda rule, n: (rule.member, rule.start[:-1], rule.weights(len(rule.start) - 1)),
}


class GreedyNorm(NamedTuple):
    r"""``norm(a) = sum_i gamma_i b_(i)`` for many vectors at once, with subgradients.

    For one vector there are ``rule.norm`` and ``rule.dual_norm``.

    rule : the rule, bound to its problem
    member : (n_learners,) learners, group by group
    start : (n_groups,) where groups begin
    gamma : (n_groups,) non-increasing, sum 1

    *Source*: Lu and Mazumder, Definitions 3.1-3.4, Proposition 3.1.
    """

    rule: object
    member: np.ndarray
    start: np.ndarray
    gamma: np.ndarray

    @classmethod
    def of(cls, rule, problem):
        """Return the norm of `rule` for a problem.

        Raise ValueError for a rule without a norm, a bad t, or unknown groups.
        """
        if type(rule) not in _SHAPES:
            raise ValueError(
                "rule must be Greedy(), RandomSubset(t) or Groups(t), which define a norm, got "
                f"{shown(rule)}."
            )
        bound = rule.bind(problem)
        return cls(bound, *_SHAPES[type(rule)](bound, problem.n_learners))

    @property
    def sizes(self):
        """Number of learners in each group, (n_groups,)."""
        return np.diff(np.append(self.start, len(self.member)))

    @property
    def label(self):
        """Group of each learner, (n_learners,)."""
        label = np.empty(len(self.member), dtype=np.int64)
        label[self.member] = np.repeat(np.arange(len(self.start)), self.sizes)
        return label

    def values(self, rows):
        """Norms (N,) of the rows of an (N, n_learners) array."""
        return -np.sort(-self._largest(np.abs(rows)[:, self.member]), axis=1) @ self.gamma

    def subgradients(self, rows):
        """W (N, n_learners): <W_i, rows_i> = norm(rows_i) and dual_norm(W_i) = 1.

        Ties go to the lowest index.
        """
        sorted_rows = rows[:, self.member]
        sizes = np.abs(sorted_rows)
        largest = self._largest(sizes)
        hit = sizes == np.repeat(largest, self.sizes, axis=1)
        winner = np.minimum.reduceat(
            np.where(hit, np.arange(sizes.shape[1]), sizes.shape[1]), self.start, axis=1
        )
        weight = np.empty_like(largest)
        np.put_along_axis(
            weight,
            np.argsort(-largest, axis=1, kind="stable"),
            np.tile(self.gamma, (len(rows), 1)),
            axis=1,
        )
        sign = np.where(np.take_along_axis(sorted_rows, winner, axis=1) < 0, -1.0, 1.0)
        gradients = np.zeros_like(rows)
        np.put_along_axis(gradients, self.member[winner], sign * weight, axis=1)
        return gradients

    def masses(self, weights):
        """Sums of the i largest group sums of `weights` (n_learners,), for i = 1..n_groups."""
        return np.cumsum(-np.sort(-np.add.reduceat(weights[self.member], self.start)))

    def _largest(self, sizes):
        return np.maximum.reduceat(sizes, self.start, axis=1)


class SecondMoment(NamedTuple):
    r"""The norm :math:`\sqrt{\|[a_j^2]\|_F}`, with the methods of ``GreedyNorm``.

    It gives the expected decrease of a step.
    """

    first: GreedyNorm

    def values(self, rows):
        return np.sqrt(self.first.values(rows * rows))

    def subgradients(self, rows):
        weighted = self.first.subgradients(rows * rows) * rows
        return weighted / np.maximum(self.values(rows), np.finfo(float).tiny)[:, None]


#: Singular values below this fraction of the largest count as 0; most entries of B; most cosines
#: held at once.
CUT, MAX_ENTRIES, BLOCK = 1e-10, 20_000_000, 2_000_000


def as_problem(B, groups=None, *, scale=True):
    """Return `B` if it is a ``Problem``, else the problem of a matrix.

    Its learners are the columns of the matrix `B` (n_samples, n_learners).

    Raises
    ------
    ValueError
        For a matrix that ``Problem`` refuses, for groups given together with a problem (which has
        its own), and for too many entries.
    """
    if isinstance(B, Problem):
        if groups is not None:
            raise ValueError(
                f"a Problem carries its own groups: leave groups out, got {shown(groups)}."
            )
        problem = validation.countable("the geometry of learners", B)
    else:
        if not (issparse(B) or validation.is_frame(B)):
            B = validation.numeric("B", B, 2)
        if len(B.shape) != 2 or 0 in B.shape:
            raise ValueError(
                f"B must be a Problem or a matrix with one column per learner, got {shown(B)}."
            )
        problem = Problem(B, np.zeros(B.shape[0]), center=False, scale=scale, groups=groups)
    if problem.n_samples * problem.n_learners > MAX_ENTRIES:
        size = f"{problem.n_samples} x {problem.n_learners}"
        raise ValueError(f"B is {size}: too large to compute angles (limit {MAX_ENTRIES} entries).")
    return problem


class ReducedLearners(NamedTuple):
    r"""Unit columns ``B = basis @ columns`` and a norm.

    The norm is :math:`h(c) = \|C^T c\|_F` for c in the coordinates of the basis.

    norm : GreedyNorm or SecondMoment
    basis : (n_samples, rank), orthonormal (in the metric of the sample weights)
    columns : C (rank, n_learners), unit columns
    """

    norm: object
    basis: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, B, rule, groups=None, *, scale=True):
        """Reduce a problem or a matrix. *Cost*: one thin SVD."""
        problem = as_problem(B, groups, scale=scale)
        norm = GreedyNorm.of(rule, problem)
        matrix = np.sqrt(problem.weight)[:, None] * problem.gather(np.arange(problem.n_learners))
        left, singular, _ = scipy.linalg.svd(matrix, full_matrices=False, check_finite=False)
        basis = left[:, singular > CUT * singular[0]]
        if not basis.size:
            raise nothing_varies("learners that are 0 have no angles")
        columns = basis.T @ matrix
        return cls(norm, basis, columns / np.linalg.norm(columns, axis=0))

    @property
    def rank(self):
        return self.columns.shape[0]

    @property
    def n_learners(self):
        return self.columns.shape[1]

    @property
    def greedy(self):
        """The ``GreedyNorm`` of the rule, also where `norm` is its second moment."""
        return self.norm.first if isinstance(self.norm, SecondMoment) else self.norm

    @property
    def stretch(self):
        """(C C')^{-1/2}, (rank, rank).

        The map to coordinates in which the unit ball of h is rounder.
        """
        values, vectors = np.linalg.eigh(self.columns @ self.columns.T)
        return (vectors / np.sqrt(values)) @ vectors.T

    def second_moment(self):
        """The same learners under the norm of the second moment."""
        return self._replace(norm=SecondMoment(self.greedy))

    def values(self, directions):
        """H at the rows of (N, rank)."""
        return np.concatenate(
            [self.norm.values(rows @ self.columns) for rows in self._blocks(directions)]
        )

    def slopes(self, directions):
        """Subgradients of h at the rows of (N, rank), (N, rank)."""
        return np.concatenate(
            [
                self.norm.subgradients(rows @ self.columns) @ self.columns.T
                for rows in self._blocks(directions)
            ]
        )

    def _blocks(self, directions):
        size = max(1, BLOCK // self.n_learners)
        return [directions[i : i + size] for i in range(0, max(1, len(directions)), size)]

    def value(self, direction):
        """H at one direction (rank,)."""
        return float(self.values(direction[None])[0])

    def cosine(self, direction):
        """H of the direction, scaled to length one."""
        return self.value(direction) / float(np.linalg.norm(direction))
