r"""The rate of randomised coordinate descent on a fixed dictionary (eq. (11)), in expectation over all draws.

Problem: L(a) = (1/2) a' H a - b' a with a positive definite H of three coordinates, C_j = H_jj.

Method: a_j <- a_j - L'_j / C_j, one coordinate a step, drawn with p_j = C_j / sum C.

Assumptions: fixed learners, a smooth convex objective with one minimiser, exactly these chances. Algorithm 1, which takes the best of some
families and grows new trees, is not covered.

Claim: in expectation: E L(a_t) - L* <= 2 (sum C) R_0^2 / (t + 1); sharpened 2 (sum C) R_0^2 / (t + 4).

Constants: R_0, the largest distance to the minimiser in the level set of a_0: sqrt(2 (L(a_0) - L*) / lambda_min(H)).

Measured: the mean over all 3^t draws for t <= 6, each with its probability.

Reference: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, eq. (11), after Nesterov (2012); the sharper constant is ours: the
gap at the start is at most (sum C) R_0^2 / 2, and each step lowers it by its square over 2 (sum C) R_0^2 in expectation.
"""

import itertools

import numpy as np

from coordboost.bounds import BoundCheck
from verification.statement import claim

LONGEST = 6


class Quadratic:
    """The expected gaps after 0, 1, ..., LONGEST steps."""

    def __init__(self, seed, spread):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(3, 3)) * np.array([1.0, spread, spread**2])
        self.H, best = A.T @ A + 0.05 * np.eye(3), rng.normal(size=3)
        self.C = np.diag(self.H)
        start = self.gap(-best)
        self.radius = np.sqrt(2 * start / np.linalg.eigvalsh(self.H)[0])
        self.gaps = np.array([self.mean(-best, t) for t in range(LONGEST + 1)])

    def gap(self, e):
        """L - L* at the distance e from the minimiser."""
        return float(e @ self.H @ e) / 2

    def mean(self, e, t):
        """The mean gap over all draws of t coordinates."""
        chance, total = self.C / self.C.sum(), 0.0
        for drawn in itertools.product(range(3), repeat=t):
            at, weight = e.copy(), 1.0
            for j in drawn:
                at[j] -= self.H[j] @ at / self.C[j]
                weight *= chance[j]
            total += weight * self.gap(at)
        return total


def _rate(case, shift, factor=1.0):
    t = np.arange(LONGEST + 1)
    bound = factor * 2 * case.C.sum() * case.radius**2 / (t + shift)
    return BoundCheck(
        "(11)", "printed" if shift == 1 else "sharpened", "expectation", case.gaps, bound, 1e-12 * bound, level="enumerated"
    )


@claim("RGB, eq. (11)", printed="verified", sharpened="verified")
def check_rate(case, variant):
    """E L(a_t) - L* <= 2 (sum C) R_0^2 / (t + 1)."""
    return _rate(case, 1 if variant == "printed" else 4)


CASES = {f"spread {spread:g}, {seed}": (lambda seed=seed, spread=spread: Quadratic(seed, spread)) for seed in range(3)
         for spread in (1.0, 3.0)}  # fmt: skip
CASES["one scale"] = lambda: Unit()


class Unit(Quadratic):
    """H = 1, where the gap at the start is R_0^2 / 2 and sum C = 3."""

    def __init__(self):
        self.H, self.C, best = np.eye(3), np.ones(3), np.array([1.0, 1.0, 1.0])
        self.radius = np.sqrt(2 * self.gap(best))
        self.gaps = np.array([self.mean(-best, t) for t in range(LONGEST + 1)])


SABOTAGE = {check_rate: {"a quarter of the sum of the constants": lambda case: _rate(case, 4, 0.25)}}
