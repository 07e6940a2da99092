r"""Convex quadratics: distance and gradient against the error (Proposition A.1).

Problem: h(x) = x'Qx / 2 + q'x + c, Q positive semidefinite and not 0, bounded below.

Method: none.

Assumptions: Q = P D P' with D the non-zero eigenvalues, q in the span of P.

Claim: upper, some optimal x* has ||x - x*|| <= sqrt(2 (h(x) - h*) / lambda_pmin) (tight along an
eigenvector of lambda_pmin); upper, sqrt(lambda_pmin (h(x) - h*) / 2) <= ||grad h(x)||. Sharpened:
sqrt(2 lambda_pmin (h(x) - h*)) <= ||grad h(x)||, which is tight; any larger constant is refuted.

Constants: eigenvalues by construction: Q is diagonal in an orthonormal basis of multiples of 1/2,
so everything is rational; the squares of both sides are compared.

Measured: at random rational points, at the optimum, and along each eigenvector.

Reference: Freund, Grigas, Mazumder, Proposition A.1; the sharp constant of the second inequality is
ours.
"""

from fractions import Fraction

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.statement import claim

#: An orthonormal basis with entries +-1/2.
BASIS = np.array(
    [(1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1)], dtype=object
) * Fraction(1, 2)


class Quadratic:
    """h in rationals, and points to try: each with its error, its gradient squared, and its
    distance squared from the optimal set.
    """

    def __init__(self, eigenvalues, q, seed=0, points=None):
        number = (lambda e: e) if isinstance(eigenvalues[-2], float) else Fraction
        D, q = (np.array([number(e) for e in row]) for row in (eigenvalues, q))
        positive = D > 0
        self.smallest = min(D[positive])
        linear = np.where(positive, q, 0 * q)
        best = np.array([-a / b if b > 0 else 0 * a for a, b in zip(linear, D, strict=True)])
        rng = np.random.default_rng(seed)
        if points is None:
            points = [
                np.array([Fraction(int(v), 7) for v in rng.integers(-30, 31, 4)], dtype=object)
                for _ in range(40)
            ]
        points = [BASIS @ point for point in points]
        along = [BASIS @ (best + 3 * np.eye(4, dtype=int)[i]) for i in np.flatnonzero(positive)]
        Q = BASIS @ np.diag(D) @ BASIS.T
        q = BASIS @ linear
        least = self._value(Q, q, BASIS @ best)
        points = [BASIS @ best, *along, *points]
        self.error = np.array([self._value(Q, q, x) - least for x in points])
        self.gradient2 = np.array([((Q @ x + q) ** 2).sum() for x in points])
        self.distance2 = np.array([(((BASIS.T @ x) - best)[positive] ** 2).sum() for x in points])

    @property
    def rounding(self):
        """Slack and level."""
        return (
            (0, "exact")
            if self.error.dtype == object
            else (1e-9 * (1 + float(self.gradient2.max())), "float")
        )

    @staticmethod
    def _value(Q, q, x):
        return x @ Q @ x / 2 + q @ x


def _quadratic(shape, numbers):
    """numbers: three eigenvalues, q, and a point; shape: how many of the eigenvalues are 0."""
    values = np.where(np.arange(3) < shape[0], 0 * numbers[:3], np.abs(numbers[:3]))
    return (
        Quadratic(
            (*values, 0), (*numbers[3:6], 0), points=[np.append(numbers[6:9], numbers[0] * 0)]
        )
        if values[2] > 0
        else None
    )


QUADRATICS = Space(
    "convex quadratics in four variables",
    lambda rng: ((int(rng.integers(0, 3)),), rng.standard_normal(9)),
    _quadratic,
    has=lambda case: isinstance(case, Quadratic),
)


@claim("Proposition A.1, distance", QUADRATICS, printed="verified")
def check_distance(case, variant):
    """||x - x*||^2 <= 2 (h(x) - h*) / lambda_pmin."""
    return BoundCheck(
        check_distance.statement,
        variant,
        "upper",
        case.distance2,
        2 * case.error / case.smallest,
        *case.rounding,
    )


def _gradient(case, name, variant, factor):
    return BoundCheck(
        name, variant, "upper", factor * case.smallest * case.error, case.gradient2, *case.rounding
    )


@claim("Proposition A.1, gradient", QUADRATICS, printed="verified", sharpened="verified")
def check_gradient(case, variant):
    """lambda_pmin (h(x) - h*) / 2 <= ||grad h(x)||^2; sharpened: with 2 in place of 1/2."""
    return _gradient(
        case,
        check_gradient.statement,
        variant,
        Fraction(1, 2) if variant == "printed" else Fraction(2),
    )


CASES = {
    "full rank": lambda: Quadratic((3, 1, "1/2", 2), (1, 2, -1, 3)),
    "rank 2": lambda: Quadratic((0, "1/3", 4, 0), (0, 1, 1, 0), 1),
    "rank 1": lambda: Quadratic((0, 0, 0, 5), (0, 0, 0, 2), 2),
}
SABOTAGE = {
    check_distance: {
        "a constant smaller by one percent": lambda case: BoundCheck(
            "smaller",
            "printed",
            "upper",
            case.distance2,
            Fraction(198, 100) * case.error / case.smallest,
            level="exact",
        )
    },
    check_gradient: {
        "a constant larger by one percent": lambda case: _gradient(
            case, "larger", "sharpened", Fraction(202, 100)
        )
    },
}
