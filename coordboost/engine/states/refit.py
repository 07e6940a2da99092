"""The model state behind forward stepwise: least squares on the learners chosen so far."""

import numpy as np

from coordboost.engine.states.base import ModelState
from coordboost.rules.coefficients import Refitted


class RefitState(ModelState):
    """`pred` is the projection of y on the chosen learners.

    They are spanned orthonormally by the first `size` rows of `basis`.

    A step moves along the part of B_j that is orthogonal to the basis, so the exact line search
    along it refits all coefficients. Plain Python: a run has at most min(n_samples, n_learners)
    steps. *Cost* of step k: one scan and O(k n_samples). *Numerics*: orthogonalised twice;
    correlations within rounding of 0 count as 0.
    """

    carries = (Refitted,)
    quadratic = True
    from_data = True
    follows = False

    def __init__(self, problem):
        m = problem.n_samples
        n = problem.n_learners
        self.problem = problem
        self.weight = problem.weight
        self.pred = np.zeros(m)
        self.resid = problem.weight * problem.y
        self.basis = np.zeros((min(m, n), m))
        self.size = 0
        self.closed = np.zeros(n, dtype=bool)
        self.tolerance = 4 * problem.tie

    @classmethod
    def start(cls, problem, coefficients):
        """The model state at beta = 0."""
        if not problem.loss.quadratic:
            raise ValueError(
                "forward stepwise refits by least squares: it needs the squared loss, got "
                f"{problem.loss!r}."
            )
        return cls(problem)

    def scan(self):
        corr = self.problem.scan(self.resid)
        corr[self.closed | (np.abs(corr) <= self.tolerance)] = 0.0
        return corr

    def tie(self):
        return self.problem.tie

    def search(self, j, a, b):
        """The length of the step along the new direction.

        The direction is written into the next row of the basis.
        """
        if self.closed[j] or self.size == len(self.basis):
            return 0.0
        self.closed[j] = True
        basis = self.basis[: self.size]
        direction = np.array(self.problem.dictionary.column(j))
        for _ in range(2):
            direction -= (basis @ (self.weight * direction)) @ basis
        length = np.sqrt(self.weight @ direction**2)
        if length <= 1e-10:
            return 0.0
        self.basis[self.size] = direction / length
        return float(self.basis[self.size] @ self.resid)

    def push(self, j, shrink, theta):
        """Add the direction that `search` prepared."""
        if theta != 0:
            self.pred += theta * self.basis[self.size]
            self.resid = self.weight * (self.problem.y - self.pred)
            self.size += 1
