r"""Duality of the Lasso and of the regularised largest correlation (Propositions A.5 and A.6).

Problem: least squares in the l1 ball of radius delta, and min f_delta(r) = ||X'r||_inf + ||r -
y||^2 / (2 delta) over residuals r.

Method: none.

Assumptions: delta > 0. The print allows delta = 0, where f_delta is not defined.

Claim: tight, (44) at r = y - X beta, and upper elsewhere; tight, (47), the largest <r, X beta> over
the ball; tight, (48) for all beta and all r, in the span or not; upper, weak duality for feasible
beta; tight, strong duality; upper, L(beta) - L*_delta <= delta omega_delta(beta), omega >= 0 on the
ball and 0 at solutions.

Constants: L*_delta by trying all signs of a solution, in rationals.

Measured: in rationals, in sums over samples, at random points of the ball.

Reference: Freund, Grigas, Mazumder, Propositions A.5, A.6, (44), (45), (47), (48).
"""

import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from verification.space import Space
from verification.spaces.linear import exact, least_eigenvalue, solutions, unit_columns
from verification.spaces.walks import GOLDEN
from verification.statement import stated


@dataclass(frozen=True, eq=False)
class Pair:
    """Columns, y, a radius, coefficients beta in the ball and any vector r."""

    X: np.ndarray
    y: np.ndarray
    delta: Any
    beta: np.ndarray
    r: np.ndarray

    @functools.cached_property
    def solution(self):
        """A solution of the Lasso."""
        return solutions(self.X, self.y, np.array([self.delta]))[1][0]

    def loss_of(self, beta):
        """||y - X beta||^2 / 2."""
        return ((self.y - self.X @ beta) ** 2).sum() / 2

    def top(self, r):
        """||X'r||_inf."""
        return np.abs(r @ self.X).max()

    def f(self, r):
        """f_delta(r)."""
        return self.top(r) + ((r - self.y) ** 2).sum() / (2 * self.delta)

    def omega(self, beta):
        """omega_delta(beta), (45)."""
        r = self.y - self.X @ beta
        return self.top(r) - r @ (self.X @ beta) / self.delta

    def inner(self, beta, r):
        """The function of r whose maximum is L(beta), in (44)."""
        return -r @ (self.X @ beta) - ((r - self.y) ** 2).sum() / 2 + self.half

    @property
    def half(self):
        """||y||^2 / 2."""
        return self.y @ self.y / 2

    @property
    def resid(self):
        """Y - X beta."""
        return self.y - self.X @ self.beta

    @property
    def corner(self):
        """The largest <r, X v> over the vertices v of the ball, by enumeration."""
        return max(
            self.r @ (self.X @ (sign * self.delta * e))
            for e in np.eye(len(self.beta), dtype=int)
            for sign in (1, -1)
        )

    @property
    def apart(self):
        """||y - X beta - r||^2."""
        return ((self.resid - self.r) ** 2).sum()


def _draw(rng):
    m = int(rng.integers(1, 4))
    p = int(rng.integers(m, 4))
    return (m, p), np.concatenate(
        [
            rng.exponential(1, 1),
            2 * rng.standard_normal(m),
            rng.standard_normal(p * (m - 1) + p + m),
        ]
    )


def _make(shape, numbers):
    """numbers: delta, y, the columns, beta (scaled into the ball), r."""
    m, p = shape
    delta = abs(numbers[0])
    y = numbers[1 : 1 + m]
    remaining = numbers[1 + m :]
    X = (
        unit_columns(remaining[: p * (m - 1)].reshape(p, m - 1))
        if m > 1
        else 0 * remaining[:1] + np.ones((1, p), dtype=int)
    )
    beta = remaining[p * (m - 1) : -m]
    r = remaining[-m:]
    if not delta > 0 or len(beta) != p or least_eigenvalue(X @ X.T) is None:
        return None
    return Pair(X, y, delta, into_ball(beta, delta), r)


def into_ball(beta, delta):
    """Return beta, or the multiple of it with l1 norm delta if its norm is larger."""
    return delta * beta / max(np.abs(beta).sum(), delta)


PAIRS = Space(
    "up to 3 unit columns, a ball and a vector",
    _draw,
    _make,
    has=lambda case: isinstance(case, Pair),
)

check_conjugate = stated(
    "Proposition A.5 (44)",
    PAIRS,
    "The loss is a maximum over r, attained at the residual.",
    printed="inner(beta, resid) == loss_of(beta) and inner(beta, r) <= loss_of(beta)",
)
check_linear = stated(
    "(47)", PAIRS, "The largest <r, X beta> over the ball.", printed="corner == delta * top(r)"
)
check_identity = stated(
    "Proposition A.6, (48)",
    PAIRS,
    "The identity behind the certificate, for all beta and r.",
    printed="loss_of(beta) + delta * f(r) == half + apart / 2 + delta * (top(r) - r @ (X @ beta) "
    "/ delta)",
)
check_weak = stated(
    "Proposition A.6 (i)", PAIRS, "Weak duality.", printed="half <= loss_of(beta) + delta * f(r)"
)
check_strong = stated(
    "Proposition A.6 (ii)",
    PAIRS,
    "Strong duality: the residual of the Lasso is the solution r.",
    printed="loss_of(solution) + delta * f(y - X @ solution) == half and f(y - X @ "
    "solution) <= f(r)",
)
check_gap = stated(
    "Proposition A.6 (iii)",
    PAIRS,
    "The certificate bounds the gap, and is 0 at a solution.",
    printed="0 * delta <= loss_of(beta) - loss_of(solution) <= delta * omega(beta) and "
    "omega(solution) == 0 * delta",
)

#: Radii for the golden instance; each is checked with random beta and r.
RADII = tuple(map(Fraction, ("1/2", "4/5", "1", "2", "3", "322/65", "13/2")))


def _golden(delta, seed):
    def make():
        beta, r = exact(np.random.default_rng(seed).integers(-9, 10, (2, 3))) / 3
        return Pair(GOLDEN, exact([3, 1, 2]), delta, into_ball(beta, delta), r)

    return make


CASES = {f"delta = {delta}, {seed}": _golden(delta, seed) for delta in RADII for seed in range(6)}
QUICK = tuple(CASES)[::4]
SABOTAGE = {
    check_conjugate: {
        "without ||y||^2 / 2": check_conjugate.instead("inner(beta, resid) - half == loss_of(beta)")
    },
    check_linear: {"without delta": check_linear.instead("corner == top(r)")},
    check_identity: {
        "the square without its half": check_identity.instead(
            "loss_of(beta) + delta * f(r) == half + apart + delta * (top(r) - r @ (X @ beta) "
            "/ delta)"
        )
    },
    check_weak: {"half of f": check_weak.instead("half <= loss_of(beta) + delta * f(r) / 2")},
    check_strong: {
        "half of f": check_strong.instead(
            "loss_of(solution) + delta * f(y - X @ solution) / 2 == half"
        )
    },
    check_gap: {
        "half of omega": check_gap.instead(
            "loss_of(beta) - loss_of(solution) <= delta * omega(beta) / 2"
        )
    },
}
