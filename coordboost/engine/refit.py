"""The view behind forward stepwise: least squares on the learners chosen so far."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import generic

scan = generic("scan")
column = generic("column")


class Refit(NamedTuple):
    """`pred` is the projection of y on the chosen learners; `basis[:size]` spans them orthonormally.

    A step moves along the part of B_j that is orthogonal to the basis, so the exact line search along it refits all coefficients.
    *Cost* of step k: one scan and O(k n_samples). *Numerics*: orthogonalised twice.
    """

    dictionary: object
    y: np.ndarray
    weight: np.ndarray
    pred: np.ndarray
    resid: np.ndarray
    basis: np.ndarray
    size: np.ndarray
    order: np.ndarray
    chosen: np.ndarray
    tolerance: float

    @classmethod
    def start(cls, problem):
        """The view at beta = 0."""
        if not (getattr(problem.loss, "mu", None) == 1.0 and getattr(problem.loss, "location", False)):
            raise ValueError(f"forward stepwise refits by least squares: it needs the squared loss, got {problem.loss!r}.")
        m, n = problem.n_samples, problem.n_learners
        scale = float(np.sqrt(problem.weight @ problem.y**2))
        return cls(
            problem.dictionary, problem.y, problem.weight, np.zeros(m), problem.weight * problem.y,
            np.zeros((min(m, n), m)), np.zeros(1, dtype=np.int64), np.zeros(min(m, n), dtype=np.int64), np.zeros(n, dtype=np.bool_),
            8 * m * np.finfo(float).eps * scale,
        )  # fmt: skip

    def looks(self, width, n_learners):
        """How many correlations with the data a step takes."""
        return width if width else n_learners

    def renew(self, beta):
        """Nothing piles up: the basis is orthonormal to rounding."""

    def solution(self, problem):
        """Least squares on the chosen learners, (n_learners,)."""
        beta = np.zeros(problem.n_learners)
        chosen = self.order[: self.size[0]]
        root = np.sqrt(self.weight)
        beta[chosen] = np.linalg.lstsq(root[:, None] * problem.dictionary.gather(chosen), root * self.y)[0]
        return beta

    def scan(self):
        corr = scan(self.dictionary, self.resid)
        for j in range(len(corr)):
            if self.chosen[j] or abs(corr[j]) <= self.tolerance:
                corr[j] = 0.0
        return corr

    def slack(self):
        return 0.0

    def settle(self, j, corr):
        return corr

    def search(self, j, a, b):
        """The length of the step along the new direction, which is put behind the basis."""
        count = self.size[0]
        if self.chosen[j] or count == len(self.basis):
            return 0.0
        direction = self.basis[count]
        direction[:] = column(self.dictionary, j)
        for _ in range(2):
            for i in range(count):
                direction -= np.sum(self.weight * self.basis[i] * direction) * self.basis[i]
        length = np.sqrt(np.sum(self.weight * direction * direction))
        self.chosen[j] = True
        if length <= 1e-10:
            return 0.0
        direction /= length
        return np.sum(direction * self.resid)

    def push(self, j, shrink, theta):
        """Add the direction that `search` prepared."""
        if theta != 0:
            self.pred[:] += theta * self.basis[self.size[0]]
            self.resid[:] = self.weight * (self.y - self.pred)
            self.order[self.size[0]] = j
            self.size[0] += 1
