"""A minimal cosine angle as an interval with witnesses."""

import math
from dataclasses import dataclass, field

import numpy as np

from coordboost.angles.learners import ReducedLearners
from coordboost.certificates.objectives import outwards

#: What an exact method may lose to rounding: relative to the value, and besides.
ROUNDING, BESIDES = 1e-10, 1e-11


def floor_of(learners, weights):
    r"""The lower end that `weights` (n_learners,), >= 0, prove, for the norm that `learners` carry.

    With :math:`v = \lambda_{\min}(C\,\mathrm{diag}(\lambda)\,C^T)`, :math:`S_i` the sum of the i largest group sums of the weights and
    :math:`\Gamma_i = \gamma_1 + \dots + \gamma_i`, for all unit c and :math:`a = C^T c`:

    :math:`\|a \circ a\|_F \ge v / \max_i (S_i / \Gamma_i)` and :math:`\|a\|_F^2 \ge v / \max_i (S_i / \Gamma_i^2)`.

    *Cost*: O(rank^2 n_learners). *Source*: ours, proved in docs/geometry.md.
    """
    greedy, columns = learners.greedy, learners.columns
    weights = np.maximum(weights, 0.0)
    values = np.linalg.eigvalsh((columns * weights) @ columns.T)
    least = float(values[0]) - 8 * learners.n_learners * np.finfo(float).eps * float(values[-1])
    if not least > 0:
        return 0.0
    sums, top = greedy.masses(weights), np.cumsum(greedy.gamma)
    square = least / float((sums / top).max())
    if learners.norm is not greedy:
        return math.sqrt(square)
    return max(square, math.sqrt(least / float((sums / top**2).max())))


@dataclass(frozen=True)
class Interval:
    """``lower <= Theta <= upper``.

    Attributes
    ----------
    lower, upper : float
    witness : dict
        ``direction`` (n_samples,): a vector in the range of B at which the upper end is attained (entries times the roots of the sample
        weights, where there are some). ``weights`` (n_learners,), or None: what proves the lower end, see ``floor_of``. ``method``: the
        enumeration that proves the lower end where there are no weights.
    """

    lower: float
    upper: float
    witness: dict = field(default_factory=dict)

    @classmethod
    def of(cls, learners, direction, *, method, weights=None, enumerated=0.0):
        """The interval that the witnesses prove; `enumerated` is a lower end proved by the enumeration called `method`."""
        direction = direction / np.linalg.norm(direction)
        proved = 0.0 if weights is None else floor_of(learners, weights)
        upper = learners.cosine(direction)
        lower = max(proved, enumerated)
        keep = weights if proved >= enumerated else None
        return cls(
            float(min(lower, upper)), upper, {"direction": learners.basis @ direction, "weights": keep, "method": method}
        )

    @classmethod
    def exact(cls, learners, direction, method):
        """The value at the minimiser that an exact method found; the lower end allows for its rounding."""
        upper = learners.cosine(direction)
        return cls.of(learners, direction, method=method, enumerated=upper * (1 - ROUNDING) - BESIDES)

    @property
    def width(self):
        """(upper - lower) / upper."""
        return (self.upper - self.lower) / self.upper

    def verify(self, B, rule, groups=None, *, second_moment=False):
        """Recompute both ends from the data and the witnesses.

        Returns
        -------
        bool
            True if the direction attains the upper end, and the weights prove the lower one. Without weights the lower end stands on an
            enumeration, and only ``lower <= upper`` can be said about it.
        """
        learners = ReducedLearners.of(B, rule, groups)
        learners = learners.second_moment() if second_moment else learners
        inside = learners.basis.T @ self.witness["direction"]
        outside = np.linalg.norm(self.witness["direction"] - learners.basis @ inside)
        attained = outside < 1e-9 and math.isclose(learners.cosine(inside), self.upper, rel_tol=1e-9)
        weights = self.witness["weights"]
        proved = weights is None or floor_of(learners, weights) >= self.lower * (1 - 1e-9)
        return bool(attained and proved and self.lower <= self.upper)

    def __str__(self):
        return "[{}, {}] by {}".format(*outwards(self.lower, self.upper, 10), self.witness["method"])
