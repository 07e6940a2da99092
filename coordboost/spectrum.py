"""Singular values of the weak-learner matrix, with the rank decided by a rule and not by luck."""

from typing import NamedTuple

import numpy as np
import scipy.linalg

#: Largest number of entries of B that is factored as a dense matrix, and of the smaller side for a Gram matrix.
MAX_ENTRIES, MAX_SIDE = 60_000_000, 4_000


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

        *Cost*: O(n p min(n, p)). *Numerics*: a matrix too large to be factored densely goes through the Gram matrix of its
        smaller side, which resolves singular values down to 1e-8 of the largest only.

        Raises
        ------
        ValueError
            If both sides are larger than the limits of this module.
        """
        m, n = problem.n_samples, problem.n_learners
        root = np.sqrt(problem.weight)
        if m * n <= MAX_ENTRIES:
            tilde = root[:, None] * problem.dictionary.gather(np.arange(n))
            left, singular, _ = scipy.linalg.svd(tilde, full_matrices=False, check_finite=False)
            cut = max(m, n) * np.finfo(float).eps
        elif min(m, n) <= MAX_SIDE:
            left, singular = _through_gram(problem, root)
            cut = np.sqrt(max(m, n) * np.finfo(float).eps)
        else:
            raise ValueError(
                f"B is {m} x {n}: too large for its spectrum; certify against Ball or Penalty, which need one scan."
            )
        rank = int((singular > cut * singular[0]).sum())
        beyond = float(singular[rank] / singular[0]) if rank < len(singular) else 0.0
        return cls(left[:, :rank], singular[:rank], n, float(cut), beyond)

    @property
    def rank(self):
        return len(self.singular)

    @property
    def lambda_pmin(self):
        """Smallest non-zero eigenvalue of B'WB."""
        return float(self.singular[-1] ** 2)

    @property
    def lambda_max(self):
        """Largest eigenvalue of B'WB."""
        return float(self.singular[0] ** 2)

    @property
    def kappa(self):
        """n_learners / lambda_pmin >= 1."""
        return self.n_learners / self.lambda_pmin

    def project(self, problem, resid):
        """Coordinates (rank,) of the projection of ``W^{-1/2} resid`` on the columns; weights of 0 carry no residual."""
        root = np.sqrt(problem.weight)
        return self.left.T @ np.divide(resid, root, out=np.zeros_like(resid), where=root > 0)


def _through_gram(problem, root):
    dictionary = problem.dictionary
    m, n = problem.n_samples, problem.n_learners
    if n <= m:
        values, vectors = scipy.linalg.eigh(dictionary.gram(problem.weight))
        singular = np.sqrt(np.maximum(values[::-1], 0))
        safe = np.where(singular > 0, singular, 1.0)
        image = np.column_stack([dictionary.combine(vector) for vector in vectors.T[::-1]])
        return root[:, None] * image / safe, singular
    outer = np.zeros((m, m))
    for first in range(0, n, 1024):
        tilde = root[:, None] * dictionary.gather(np.arange(first, min(first + 1024, n)))
        outer += tilde @ tilde.T
    values, vectors = scipy.linalg.eigh(outer)
    return vectors[:, ::-1], np.sqrt(np.maximum(values[::-1], 0))
