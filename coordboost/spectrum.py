"""Singular values of the weak-learner matrix, with the rank decided by a rule and not by luck."""

import math
from typing import NamedTuple

import numpy as np
import scipy  # its linalg is loaded where it is used

#: Largest number of entries of B that is factored as a dense matrix, and of the smaller side for a Gram matrix.
MAX_ENTRIES, MAX_SIDE = 4_000_000, 4_000


class Spectrum(NamedTuple):
    r"""Thin SVD of :math:`\tilde B = W^{1/2} B` cut at its numerical rank.

    left : (n_samples, rank); singular : (rank,), decreasing; n_learners : int; cut : relative tolerance used
    beyond : first singular value below the cut relative to the largest, 0 if there is none (an ambiguous rank shows here)

    *Source*: Freund et al., Section 1.3 (rank = number of singular values above max(n, p) u times the largest).
    """

    left: np.ndarray
    singular: np.ndarray
    n_learners: int
    cut: float
    beyond: float

    @classmethod
    def of(cls, problem):
        """The spectrum of the problem's dictionary.

        *Cost*: O(n p min(n, p)).

        Raises
        ------
        ValueError
            If both sides are larger than the limits of this module.
        """
        m, n = problem.n_samples, problem.n_learners
        root = np.sqrt(problem.weight)
        if m * n <= MAX_ENTRIES:
            tilde = root[:, None] * problem.gather(np.arange(n))
            left, singular, _ = scipy.linalg.svd(tilde, full_matrices=False, check_finite=False)
        elif min(m, n) <= MAX_SIDE:
            left, singular = _through_gram(problem, root)
        else:
            raise ValueError(
                f"B is {m} x {n}: too large for its spectrum; certify against Ball or Penalty, which need one scan."
            )
        cut = max(m, n) * np.finfo(float).eps
        rank = int((singular > cut * singular[0]).sum())
        beyond = float(singular[rank] / singular[0]) if 0 < rank < len(singular) else 0.0
        return cls(left[:, :rank], singular[:rank], n, float(cut), beyond)

    @property
    def rank(self):
        return len(self.singular)

    @property
    def lambda_pmin(self):
        """Smallest non-zero eigenvalue of B'WB, inf where there is none."""
        return float(self.singular[-1] ** 2) if self.rank else math.inf

    @property
    def lambda_max(self):
        """Largest eigenvalue of B'WB."""
        return float(self.singular[0] ** 2) if self.rank else 0.0

    @property
    def kappa(self):
        """n_learners / lambda_pmin >= 1."""
        return self.n_learners / self.lambda_pmin

    def project(self, problem, resid):
        """Coordinates (rank,) of the projection of ``W^{-1/2} resid`` on the columns; weights of 0 carry no residual."""
        return self.left.T @ unweighted(problem, resid)

    def solution(self, problem, resid):
        """The coefficients of smallest norm, (n_learners,), that fit ``W^{-1} resid`` best. *Cost*: one scan."""
        inside = self.project(problem, resid)
        return problem.scan(np.sqrt(problem.weight) * (self.left @ (inside / self.singular**2)))

    def least_squares(self, problem):
        """The least-squares solution of smallest norm, (n_learners,). *Cost*: one scan."""
        return self.solution(problem, problem.resid(np.zeros(problem.n_samples)))


def unweighted(problem, resid):
    """``W^{-1/2} resid``, (n_samples,)."""
    root = np.sqrt(problem.weight)
    return np.divide(resid, root, out=np.zeros_like(resid), where=root > 0)


def _through_gram(problem, root):
    """Left vectors and singular values from the Gram matrix of the smaller side of W^{1/2} B.

    Squaring hides singular values below 1e-8 of the largest, so the span of the small ones is factored once more, unsquared.
    """
    dictionary, m, n = problem.dictionary, problem.n_samples, problem.n_learners
    wide = m < n
    if wide:
        pieces = (root[:, None] * problem.gather(np.arange(k, min(k + 1024, n))) for k in range(0, n, 1024))
        side = sum(piece @ piece.T for piece in pieces)
    else:
        side = dictionary.gram(problem.weight)
    values, vectors = scipy.linalg.eigh(side)
    singular, vectors = np.sqrt(np.maximum(values[::-1], 0)), vectors[:, ::-1]
    large = singular > 1e-5 * singular[0]
    left = vectors[:, large] if wide else _images(problem, root, vectors[:, large]) / singular[large]
    if large.all():
        return left, singular
    rest = vectors[:, ~large]
    outer, small, inner = scipy.linalg.svd(_images(problem, root, rest), full_matrices=False)
    return np.column_stack([left, rest @ inner.T if wide else outer]), np.concatenate([singular[large], small])


def _images(problem, root, vectors):
    """What W^{1/2} B makes of `vectors` (n_learners, k), or its transpose of (n_samples, k); one product where columns are stored."""
    rows, wide = problem.dictionary.rows, problem.n_samples < problem.n_learners
    if rows is not None:
        return rows @ (root[:, None] * vectors) if wide else root[:, None] * (rows.T @ vectors)
    combine = problem.dictionary.combine
    return np.column_stack([problem.scan(root * v) if wide else root * combine(v) for v in vectors.T])
