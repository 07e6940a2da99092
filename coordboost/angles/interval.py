"""A minimal cosine angle as an interval with witnesses."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from coordboost.angles.learners import ReducedLearners
from coordboost.certificates.objectives import outwards
from coordboost.data.problem import Problem
from coordboost.rules.base import SelectionRule

#: Rounding errors allowed for an exact method: a relative and an absolute one.
ROUNDING, BESIDES = 1e-10, 1e-11


def floor_of(learners, weights):
    r"""Return the lower end that `weights` (n_learners,), >= 0, prove, for the norm of `learners`.

    With :math:`v = \lambda_{\min}(C\,\mathrm{diag}(\lambda)\,C^T)`, :math:`S_i` the sum of the i
    largest group sums of the weights and :math:`\Gamma_i = \gamma_1 + \dots + \gamma_i`, for all
    unit c and :math:`a = C^T c`:

    :math:`\|a \circ a\|_F \ge v / \max_i (S_i / \Gamma_i)` and
    :math:`\|a\|_F^2 \ge v / \max_i (S_i / \Gamma_i^2)`.

    *Cost*: O(rank^2 n_learners). *Source*: ours, proved in docs/geometry.md.
    """
    greedy = learners.greedy
    columns = learners.columns
    weights = np.maximum(weights, 0.0)
    values = np.linalg.eigvalsh((columns * weights) @ columns.T)
    smallest = float(values[0]) - 8 * learners.n_learners * np.finfo(float).eps * float(values[-1])
    if not smallest > 0:
        return 0.0
    sums = greedy.masses(weights)
    top = np.cumsum(greedy.gamma)
    square = smallest / float((sums / top).max())
    if learners.norm is not greedy:
        return math.sqrt(square)
    return max(square, math.sqrt(smallest / float((sums / top**2).max())))


@dataclass(frozen=True)
class Interval:
    """``lower <= Theta <= upper``: a minimal cosine angle with its witnesses.

    Parameters
    ----------
    lower, upper : float
        The ends, cosines from 0 to 1.
    witness : dict
        ``direction`` (n_samples,): a vector in the range of B at which the upper end is attained
        (its entries are multiplied by the roots of the sample weights, where there are some).
        ``weights`` (n_learners,), or None: they prove the lower end, see ``floor_of``. ``method``:
        how the ends were found; without weights, the enumeration that proves the lower end.

    Notes
    -----
    *Source*: Lu and Mazumder, Definition 4.2, for the angle; the lower end by weights is ours
    (docs/geometry.md).

    Examples
    --------
    For two orthogonal learners the worst residual is at 45 degrees to both:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> angle = cb.theory.mca(problem)
    >>> round(angle.upper, 4), angle.width < 1e-9, angle.verify(problem, cb.rules.Greedy())
    (0.7071, True, True)
    """

    lower: float
    upper: float
    witness: dict = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        learners: ReducedLearners,
        direction: np.ndarray,
        *,
        method: str,
        weights: np.ndarray | None = None,
        enumerated: float = 0.0,
    ) -> "Interval":
        """Make the interval that the witnesses prove.

        Parameters
        ----------
        learners : ReducedLearners
            The learners in coordinates of their range, and the norm of the rule.
        direction : ndarray, (rank,)
            A vector in these coordinates, not 0: its cosine is the upper end.
        method : str
            How the lower end was found.
        weights : ndarray, (n_learners,), optional
            Weights that prove a lower end, see ``floor_of``.
        enumerated : float, default 0
            A lower end proved by the enumeration `method`. The larger of the two lower ends is
            used.

        Returns
        -------
        Interval
            The interval with its witnesses.

        Notes
        -----
        *Cost*: O(rank n_learners); with weights O(rank^2 n_learners).
        """
        direction = direction / np.linalg.norm(direction)
        proved = 0.0 if weights is None else floor_of(learners, weights)
        upper = learners.cosine(direction)
        lower = max(proved, enumerated)
        keep = weights if proved >= enumerated else None
        witness = {"direction": learners.basis @ direction, "weights": keep, "method": method}
        return cls(float(min(lower, upper)), upper, witness)

    @classmethod
    def exact(cls, learners: ReducedLearners, direction: np.ndarray, method: str) -> "Interval":
        """Make the interval of an exact method, around the value at its minimiser.

        The lower end allows for rounding.

        Parameters
        ----------
        learners : ReducedLearners
            The learners in coordinates of their range, and the norm of the rule.
        direction : ndarray, (rank,)
            The minimiser in these coordinates.
        method : str
            The name of the method.

        Returns
        -------
        Interval
            Its upper end is the value; its lower end is smaller by 1e-10 of the value plus 1e-11.
        """
        upper = learners.cosine(direction)
        return cls.of(
            learners, direction, method=method, enumerated=upper * (1 - ROUNDING) - BESIDES
        )

    @property
    def width(self) -> float:
        """(upper - lower) / upper."""
        return (self.upper - self.lower) / self.upper

    def verify(
        self,
        B: Problem | ArrayLike,
        rule: SelectionRule,
        groups: ArrayLike | None = None,
        *,
        second_moment: bool = False,
    ) -> bool:
        """Recompute both ends from the data and the witnesses.

        Parameters
        ----------
        B : Problem, or array_like (n_samples, n_learners)
            The weak learners; columns of a matrix are scaled to unit length.
        rule : SelectionRule
            ``Greedy()``, ``RandomSubset(t)`` or ``Groups(t)``, the rule of the angle.
        groups : array_like, (n_learners,), optional
            Labels for ``Groups``, where B is a matrix.
        second_moment : bool, default False
            Whether it is a second-moment angle (docs/geometry.md).

        Returns
        -------
        bool
            True if the direction attains the upper end, and the weights prove the lower one.
            Without weights the lower end rests on an enumeration, which is not repeated: only
            ``lower <= upper`` is checked.

        Notes
        -----
        *Cost*: one thin SVD, and with weights an eigenvalue decomposition, O(rank^2 n_learners).
        """
        learners = ReducedLearners.of(B, rule, groups)
        learners = learners.second_moment() if second_moment else learners
        inside = learners.basis.T @ self.witness["direction"]
        outside = np.linalg.norm(self.witness["direction"] - learners.basis @ inside)
        attained = outside < 1e-9 and math.isclose(
            learners.cosine(inside), self.upper, rel_tol=1e-9
        )
        weights = self.witness["weights"]
        proved = weights is None or floor_of(learners, weights) >= self.lower * (1 - 1e-9)
        return bool(attained and proved and self.lower <= self.upper)

    def __str__(self):
        return "[{}, {}] by {}".format(
            *outwards(self.lower, self.upper, 10), self.witness["method"]
        )
