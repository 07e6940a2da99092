"""The view for the squared loss that never touches the data again: correlations move by columns of B'B."""

from typing import NamedTuple

import numpy as np

from coordboost.engine.views.base import View


class _Gram(NamedTuple):
    gram: np.ndarray
    start_corr: np.ndarray
    corr: np.ndarray
    inner: np.ndarray  # <pred, pred> and <y, pred>
    rounding: float


class Gram(_Gram, View):
    r"""All correlations, and the inner products that an exact line search needs.

    With :math:`c = B'(y - B\beta)` (weights inside), a step gives
    :math:`c \leftarrow (1 - s) c + s\, c_0 - \theta\, G_{\cdot j}`. *Cost*: O(n_learners) a step, whatever the number of samples.
    """

    quadratic = True
    foresees = True

    @classmethod
    def start(cls, problem):
        """The view at beta = 0."""
        gram = np.ascontiguousarray(problem.dictionary.gram(problem.weight))
        corr = problem.scan(problem.weight * problem.y)
        return cls(gram, corr, corr.copy(), np.zeros(2, corr.dtype), problem.tie)

    def looks(self, width, n_learners):
        """How many correlations with the data a step takes: none."""
        return 0

    def renew(self, beta):
        """Recompute the state from the coefficients, to stop the rounding from piling up."""
        support = np.flatnonzero(beta)
        self.corr[:] = self.start_corr - self.gram[:, support] @ beta[support]
        self.inner[0] = beta @ (self.start_corr - self.corr)
        self.inner[1] = beta @ self.start_corr

    def scan(self):
        return self.corr

    def correlations(self, index):
        return self.corr[index]

    def tie(self):
        return self.rounding

    def search(self, j, a, b):
        """The t that minimises the loss at pred + t (a B_j - b pred)."""
        with_pred = self.start_corr[j] - self.corr[j]
        along = a * self.corr[j] - b * (self.inner[1] - self.inner[0])
        length = a * a * self.gram[j, j] - 2 * a * b * with_pred + b * b * self.inner[0]
        return along / length if length > 0 else 0 * along

    def after(self, j, theta):
        """The sum of the losses at pred + theta B_j, less that at pred."""
        return theta * theta * self.gram[j, j] / 2 - theta * self.corr[j]

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j."""
        keep = 1 - shrink
        with_pred = self.start_corr[j] - self.corr[j]
        self.inner[0] = keep * keep * self.inner[0] + 2 * keep * theta * with_pred + theta * theta * self.gram[j, j]
        self.inner[1] = keep * self.inner[1] + theta * self.start_corr[j]
        row = self.gram[j]
        if shrink != 0:
            for i in range(len(row)):
                self.corr[i] = keep * self.corr[i] + shrink * self.start_corr[i] - theta * row[i]
        else:
            for i in range(len(row)):
                self.corr[i] -= theta * row[i]
