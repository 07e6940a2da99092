r"""The rate of randomised coordinate descent on a fixed dictionary (eq. (11)), in expectation over
all draws.

Problem: L(a) = (1/2) a' H a - b' a with a positive definite H of one to three coordinates, C_j =
H_jj.

Method: a_j <- a_j - L'_j / C_j, one coordinate a step, drawn with p_j = C_j / sum C.

Assumptions: fixed learners, a smooth convex objective with one minimiser, exactly these
probabilities. Algorithm 1, which takes the best of several families and grows new trees, is not
covered.

Claim: in expectation: E L(a_t) - L* <= 2 (sum C) R_0^2 / (t + 1); sharpened 2 (sum C) R_0^2 / (t +
4).

Constants: R_0, the largest distance to the minimiser in the level set of a_0: sqrt(2 (L(a_0) - L*)
/ lambda_min(H)).

Measured: the mean over all draws of t <= 6 coordinates, by its second moments, step by step.

Reference: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, eq. (11), after Nesterov
(2012); the sharper constant is ours: the gap at the start is at most (sum C) R_0^2 / 2, and each
step lowers it by its square over 2 (sum C) R_0^2 in expectation.
"""

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.statement import claim

LONGEST = 6


class Quadratic:
    """The expected gaps after 0, 1, ..., LONGEST steps from 0, with the Hessian H and the minimiser
    `best`.
    """

    def __init__(self, H, best):
        self.H = H
        self.C = np.diag(H)
        self.radius = np.sqrt(2 * self.gap(-best) / np.linalg.eigvalsh(H)[0])
        self.gaps = np.array([self.mean(-best, t) for t in range(LONGEST + 1)])

    def gap(self, e):
        """Return L - L* at the minimiser plus e."""
        return float(e @ self.H @ e) / 2

    def mean(self, e, t):
        """Return the mean gap over all draws of t coordinates, tr(H E[e e']) / 2.

        Each step averages over the coordinates.
        """
        moment = np.outer(e, e)
        chance = self.C / self.C.sum()
        eye = np.eye(len(e))
        for _ in range(t):
            moves = [eye - np.outer(eye[j], self.H[j] / self.C[j]) for j in range(len(e))]
            moment = sum(p * A @ moment @ A.T for p, A in zip(chance, moves, strict=True))
        return float(np.trace(self.H @ moment)) / 2


def some(seed, spread):
    """Return a quadratic with a random Hessian and a random minimiser."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3)) * np.array([1.0, spread, spread**2])
    return Quadratic(A.T @ A + 0.05 * np.eye(3), rng.normal(size=3))


def _made(shape, numbers):
    """numbers: A, for the Hessian A'A + I / 20; the minimiser."""
    d = shape[0]
    if len(numbers) != d * d + d or np.abs(numbers).max() > 20 or not numbers[d * d :].any():
        return None
    A = numbers[: d * d].reshape(d, d)
    return Quadratic(A.T @ A + 0.05 * np.eye(d), numbers[d * d :])


QUADRATICS = Space(
    "a quadratic",
    lambda rng: ((d := int(rng.integers(1, 4)),), rng.normal(size=d * d + d)),
    _made,
    exact=False,
    has=lambda case: isinstance(case, Quadratic),
)


def _rate(case, shift, factor=1.0):
    t = np.arange(LONGEST + 1)
    bound = factor * 2 * case.C.sum() * case.radius**2 / (t + shift)
    return BoundCheck(
        "(11)",
        "printed" if shift == 1 else "sharpened",
        "expectation",
        case.gaps,
        bound,
        1e-12 * bound,
        level="enumerated",
    )


@claim("RGB, eq. (11)", QUADRATICS, printed="verified", sharpened="verified")
def check_rate(case, variant):
    """E L(a_t) - L* <= 2 (sum C) R_0^2 / (t + 1)."""
    return _rate(case, 1 if variant == "printed" else 4)


CASES = {
    f"spread {spread:g}, {seed}": (lambda seed=seed, spread=spread: some(seed, spread))
    for seed in range(3)
    for spread in (1.0, 3.0)
}
CASES["one scale"] = lambda: Quadratic(np.eye(3), np.ones(3))

SABOTAGE = {
    check_rate: {"a quarter of the sum of the constants": lambda case: _rate(case, 4, 0.25)}
}
