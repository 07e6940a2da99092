r"""How many learners accelerated and plain gradient boosting need (Remarks 4.1 and 4.2), with
constants.

Problem: a convex, 1-smooth loss, L* = 0, over the multiples of unit columns that span R^n; for
Remark 4.2 weighted parabolas, mu = min w.

Method: AGBM (Algorithm 2) with gamma between Theta^4 / 5 and Theta^4 / (4 + Theta^2), the printed
limit; AGBM with restarts (Algorithm 3); gradient boosting with a fixed step eta.

Assumptions: exact best fits; eta <= 1; checked.

Claim: the paper gives orders; the constants are ours. Upper: with R = ||f* - f^0||, AGBM has a gap
of at most 10 R^2 / (eta Theta^4 (M + 1)^2) after M rounds, so a gap e takes R sqrt(10 / (eta e)) /
Theta^2 rounds at most, of order 1 / (Theta^2 sqrt e). Gradient boosting has at most 2 R^2 / (eta
Theta^2 M), R the radius of the level set of the start: of order 1 / (Theta^2 e). For strongly
convex losses periods of sqrt(40 / (eta mu)) / Theta^2 rounds halve the gap, so that e takes log2(1
/ e) periods; gradient boosting multiplies it by at most 1 - eta mu Theta^2 a round.

Constants: Theta in closed form; L* = 0 and f* = y, as the columns span the space.

Measured: gaps after rounds and periods, in Fractions on coordinates.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Remarks 4.1 and 4.2. A round of AGBM makes two
learners. Remark 4.2 says that restarts are better for sigma / mu >= 1; by these numbers they are
only where sigma / mu is large.
"""

import functools
from dataclasses import dataclass

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification import agbm
from verification.spaces.momentum import AGBM, CAPPED
from verification.statement import claim, stated
from verification.theorems.agbm_theorem_4_1 import PRINTED

#: gamma at the printed limit, or up to the factor (4 + Theta^2) / 5 below it.
NEAR_LIMIT = f"{PRINTED} and 5 * gamma >= theta2 * theta2"

check_accelerated = stated(
    "AGBM, Remark 4.1, accelerated",
    (AGBM, CAPPED),
    "Rounds of order 1 / (Theta^2 sqrt e).",
    sharpened="later(gaps) <= 10 * radius2 / (eta * theta2 * theta2 * (k + 2)**2)",
    assuming=NEAR_LIMIT,
    compare="neither",
)


@dataclass(frozen=True, eq=False)
class Race:
    """Weighted parabolas over unit columns, for gradient boosting and for restarts.

    D : (n, N) unit columns
    y, w : (n,) targets and weights
    theta2 : the squared angle
    rounds : of gradient boosting
    periods : of AGBM with restarts
    """

    D: np.ndarray
    y: np.ndarray
    w: np.ndarray
    eta: object
    theta2: object
    rounds: int
    periods: int = 0

    @property
    def level(self):
        """The level of evidence."""
        return "exact" if self.y.dtype == object else "float"

    @property
    def slack(self):
        """Bound of the rounding error of a gap."""
        return 0 * self.eta if self.level == "exact" else 1e-12 * float(self.y @ self.y)

    def gap(self, f):
        """L(f); the optimum is 0."""
        return (self.w * (f - self.y) ** 2).sum() / 2

    @functools.cached_property
    def plain(self):
        """The gaps of gradient boosting after 0, 1, ... rounds."""
        f = 0 * self.y
        found = [self.gap(f)]
        for _ in range(self.rounds):
            f = f + self.eta * agbm.fitted(self.D, self.w * (self.y - f))
            found.append(self.gap(f))
        return np.array(found)

    @property
    def radius2(self):
        """The squared radius of the level set of the start."""
        return (self.w * self.y**2).sum() / min(self.w)

    def restarted(self, length):
        """Return the gaps of AGBM after 0, 1, ...

        periods of `length` rounds, gamma at its limit.
        """
        left = self.y
        found = [self.gap(0 * self.y)]
        gamma = agbm.limit(self.theta2)
        for _ in range(self.periods):
            walk = agbm.walk(self.D, left, self.eta, gamma, length, theta2=self.theta2, w=self.w)
            left = left - walk.f[-1]
            found.append(self.gap(self.y - left))
        return np.array(found)


@claim("AGBM, Remark 4.1, gradient boosting", of=Race, sharpened="verified")
def check_plain(case, variant):
    """L(f^M) - L* <= 2 R^2 / (eta Theta^2 M): rounds of order 1 / (Theta^2 e)."""
    return _plain(case, 1)


def _plain(case, power):
    m = np.arange(1, case.rounds + 1)
    bound = 2 * case.radius2 / (case.eta * case.theta2) / (0 * case.eta + m) ** power
    return BoundCheck(
        "gap", "sharpened", "upper", case.plain[1:], bound, case.slack, case.level, at=m
    )


@claim("AGBM, Remark 4.2, restarts", of=Race, sharpened="verified")
def check_restarts(case, variant):
    """After p periods of sqrt(40 / (eta mu)) / Theta^2 rounds the gap is at most 2^-p of the
    first.
    """
    return _restarts(case, 40)


def _restarts(case, number):
    if not case.periods:
        return None
    length = number / (float(case.eta) * float(min(case.w)) * float(case.theta2) ** 2)
    gaps = case.restarted(int(np.ceil(np.sqrt(length))))
    p = np.arange(1, len(gaps))
    bound = gaps[0] / 2.0**p
    return BoundCheck(
        "gap", "sharpened", "upper", gaps[1:], bound, case.slack, "float", at=p, along="periods"
    )


@claim("AGBM, Remark 4.2, gradient boosting", of=Race, sharpened="verified")
def check_linear(case, variant):
    """L(f^M) - L* <= (1 - eta mu Theta^2)^M (L(f^0) - L*)."""
    return _linear(case, 1)


def _linear(case, factor):
    m = np.arange(1, case.rounds + 1)
    rate = 1 - factor * case.eta * min(case.w) * case.theta2
    bound = np.array([case.plain[0] * rate**k for k in m.tolist()])
    return BoundCheck(
        "gap", "sharpened", "upper", case.plain[1:], bound, case.slack, case.level, at=m
    )


def coordinates(y, w, eta, rounds):
    """Return a race over the coordinates, in Fractions."""
    n = len(y)
    F = agbm.F
    D = np.array([[F(int(i == j)) for j in range(n)] for i in range(n)], dtype=object)
    given = (np.array([F(one) for one in values], dtype=object) for values in (y, w))
    return Race(D, *given, F(eta), F(1, n), rounds)


def directions(eta):
    """Return a race over three directions in the plane, 60 degrees apart, with one light weight."""
    angle = np.pi / 3 * np.arange(3)
    D = np.array([np.cos(angle), np.sin(angle)])
    return Race(D, np.array([2.0, 1.0]), np.array([0.05, 1.0]), eta, 0.75, 200, 4)


F = agbm.F
CASES = {
    **{f"capped, {n} rounds": (lambda n=n: agbm.capped(F(1, 5), n)) for n in (1, 6, 150)},
    "five coordinates, AGBM": lambda: agbm.eye((5, 4, 3, 2, 1), agbm.limit(F(1, 5)), 40),
    "five coordinates": lambda: coordinates((1, 1, 1, 1, 1), (1, 1, 1, 1, 1), 1, 30),
    "a light coordinate": lambda: coordinates((1, 2), (F(1, 50), 1), 1, 60),
    "three directions": lambda: directions(1.0),
    "one dimension": lambda: Race(np.ones((1, 1)), np.ones(1), np.ones(1), 1e-3, 1.0, 2000, 3),
}

SABOTAGE = {
    check_accelerated: {
        "9 in the place of 10": check_accelerated.instead(
            "later(gaps) <= 9 * radius2 / (eta * theta2 * theta2 * (k + 2)**2)", NEAR_LIMIT
        ),
        "the cube of M + 1": check_accelerated.instead(
            "later(gaps) <= 10 * radius2 / (eta * theta2 * theta2 * (k + 2)**3)", NEAR_LIMIT
        ),
    },
    check_plain: {
        "the square of M": lambda case: _plain(case, 2) if isinstance(case, Race) else None
    },
    check_restarts: {
        "periods of half the length": lambda case: (
            _restarts(case, 10) if isinstance(case, Race) else None
        ),
    },
    check_linear: {
        "a tenth faster": lambda case: (
            _linear(case, F(11, 10)) if isinstance(case, Race) and case.level == "exact" else None
        ),
    },
}
