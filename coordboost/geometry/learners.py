"""Weak learners reduced to what their angles depend on: coordinates in an orthonormal basis of the range of B."""

from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.sparse import issparse

from coordboost._checks import nothing_varies, shown
from coordboost.data import validation
from coordboost.geometry.greedy_norm import GreedyNorm, SecondMoment
from coordboost.problem import Problem

#: Singular values below this part of the largest count as 0; largest number of entries of B; most cosines held at once.
CUT, MAX_ENTRIES, BLOCK = 1e-10, 20_000_000, 2_000_000


def as_problem(B, groups=None, *, scale=True):
    """`B` if it is a ``Problem``, else the problem whose learners are the columns of the matrix `B` (n_samples, n_learners).

    Raises
    ------
    ValueError
        For a matrix that ``Problem`` refuses, for groups beside a problem, which has its own, and for too many entries.
    """
    if isinstance(B, Problem):
        if groups is not None:
            raise ValueError(f"a Problem carries its own groups: leave groups out, got {shown(groups)}.")
        problem = validation.countable("the geometry of learners", B)
    else:
        if not (issparse(B) or validation.is_frame(B)):
            B = validation.numeric("B", B, 2)
        if len(B.shape) != 2 or 0 in B.shape:
            raise ValueError(f"B must be a Problem or a matrix with one column per learner, got {shown(B)}.")
        problem = Problem(B, np.zeros(B.shape[0]), center=False, scale=scale, groups=groups)
    if problem.n_samples * problem.n_learners > MAX_ENTRIES:
        raise ValueError(
            f"B is {problem.n_samples} x {problem.n_learners}: too large for its geometry (limit {MAX_ENTRIES} entries)."
        )
    return problem


class ReducedLearners(NamedTuple):
    r"""Unit columns ``B = basis @ columns`` and a norm: :math:`h(c) = \|C^T c\|_F` for c in the coordinates of the basis.

    norm : GreedyNorm or SecondMoment; basis : (n_samples, rank), orthonormal (in the metric of the sample weights);
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
        """The GreedyNorm of the rule, whatever norm is looked at."""
        return self.norm.first if isinstance(self.norm, SecondMoment) else self.norm

    @property
    def stretch(self):
        """(C C')^{-1/2}, (rank, rank): the map to coordinates in which the unit ball of h is rounder."""
        values, vectors = np.linalg.eigh(self.columns @ self.columns.T)
        return (vectors / np.sqrt(values)) @ vectors.T

    def second_moment(self):
        """The same learners under the norm of the second moment."""
        return self._replace(norm=SecondMoment(self.greedy))

    def values(self, directions):
        """h at the rows of (N, rank)."""
        return np.concatenate([self.norm.values(rows @ self.columns) for rows in self._blocks(directions)])

    def slopes(self, directions):
        """Subgradients of h at the rows of (N, rank), (N, rank)."""
        return np.concatenate(
            [self.norm.subgradients(rows @ self.columns) @ self.columns.T for rows in self._blocks(directions)]
        )

    def _blocks(self, directions):
        size = max(1, BLOCK // self.n_learners)
        return [directions[i : i + size] for i in range(0, max(1, len(directions)), size)]

    def value(self, direction):
        """h at one direction (rank,)."""
        return float(self.values(direction[None])[0])

    def cosine(self, direction):
        """h of the direction, scaled to length one."""
        return self.value(direction) / float(np.linalg.norm(direction))
