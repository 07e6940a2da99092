r"""The sum of the fitting errors over all rounds (Lemma C.6), and the limit of gamma that follows.

Problem: sequences a_j, c_j >= 0 with sqrt(a_{j+1}) <= kappa (sqrt(a_j) + sqrt(c_{j+1})), a_0 <=
kappa^2 c_0, kappa = sqrt(1 - Theta^2).

Method: the largest such sequence, with equality everywhere; c = 1 or random; for the limit of gamma
a grid of Theta.

Assumptions: a_0 <= kappa^2 c_0 is used in the proof but not printed; 0 < Theta < 1.

Claim: upper: a_0 + ... + a_m <= C (c_0 + ... + c_m), printed C = 2 (2 - Theta^2) (1 - Theta^2) /
Theta^4, sharpened C = (kappa / (1 - kappa))^2, which a constant c attains in the limit. Upper: C <=
(1 - s)^2 / (4 s^2), s = gamma / Theta^2, printed for gamma = Theta^4 / (4 + Theta^2) and C = 4 /
Theta^4, sharpened for gamma = (1 - kappa)^2 and the sharper C.

Constants: none.

Measured: sums of the sequence; both sides of the second claim.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Appendix C, Lemma C.6; the sharper constant is
ours, from Minkowski's inequality for the vectors over all rounds: ||sqrt(a)|| <= kappa (||sqrt(a)||
+ ||sqrt(c)||).
"""

import itertools

import numpy as np

from verification.space import Space
from verification.statement import stated


class Sequence:
    """The largest possible a_0, ..., a_m; `roots` are the square roots of c_0, ..., c_m."""

    def __init__(self, angle, roots):
        self.angle2 = angle**2
        kappa = np.sqrt(1 - self.angle2)
        left = itertools.accumulate(roots, lambda a, c: kappa * (a + c), initial=0.0)
        self.left = np.square(list(left)[1:])
        self.given = np.square(roots)
        self.slack = 1e-12 * (kappa / (1 - kappa)) ** 2 * np.cumsum(self.given)


class Angles:
    """Values of Theta."""

    along = "theta"

    def __init__(self, theta):
        self.theta = np.atleast_1d(theta)
        self.angle2 = np.atleast_1d(theta) ** 2

    def slack(self, measured):
        """Return a bound of the rounding error: 1 - kappa, about Theta^2 / 2, loses digits by
        cancellation, and is squared twice.
        """
        return measured * 16 * np.finfo(float).eps / self.angle2


def _sequence(_, numbers):
    """numbers: 1 / Theta - 1, roots of c_0, c_1, ..."""
    return (
        Sequence(1 / (1 + abs(numbers[0])), np.abs(numbers[1:]))
        if 1e-3 < abs(numbers[0]) < 1e3
        else None
    )


def _draw(rng):
    return (), np.append(
        rng.exponential(1), 1 + rng.standard_normal(rng.integers(1, 60)) * rng.choice([0.1, 1])
    )


SEQUENCES = Space(
    "a value of Theta and up to 60 numbers",
    _draw,
    _sequence,
    exact=False,
    has=lambda case: isinstance(case, Sequence),
)
ANGLES = Space(
    "a value of Theta",
    lambda rng: ((), rng.exponential(1, 1)),
    lambda _, x: Angles(1 / (1 + abs(x))) if 1e-3 < abs(x[0]) < 1e3 else None,
    exact=False,
    has=lambda case: isinstance(case, Angles),
)


check_sequence = stated(
    "AGBM, Lemma C.6",
    SEQUENCES,
    "The total size of the residuals that are left over, relative to that of the targets.",
    printed="total(left) <= 2 * (2 - angle2) * (1 - angle2) / angle2**2 * total(given)",
    sharpened="total(left) <= (kappa / (1 - kappa))**2 * total(given)",
    where={"kappa": "root(1 - angle2)"},
)


check_limit = stated(
    "AGBM, Lemma C.6, the limit of gamma",
    ANGLES,
    "The condition on gamma / Theta^2: s as printed and t sharpened attain it.",
    printed="4 / angle2**2 <= (1 - s)**2 / (4 * s**2)",
    sharpened="(kappa / (1 - kappa))**2 <= (1 - t)**2 / (4 * t**2)",
    where={
        "s": "angle2 / (4 + angle2)",
        "t": "(1 - kappa)**2 / angle2",
        "kappa": "root(1 - angle2)",
    },
)


CASES = {
    **{
        f"Theta = {angle}": (lambda angle=angle: Sequence(angle, np.ones(4000)))
        for angle in (0.1, 0.3, 0.7, 0.95)
    },
    "a grid of Theta": lambda: Angles(np.linspace(0.001, 0.999, 999)),
}

SABOTAGE = {
    check_sequence: {
        "a tenth less": check_sequence.instead(
            "11 * total(left) <= 10 * (kappa / (1 - kappa))**2 * total(given)"
        ),
        "a tenth less than printed": check_sequence.instead(
            "11 * total(left) <= 20 * (2 - angle2) * (1 - angle2) / angle2**2 * total(given)"
        ),
    },
    check_limit: {
        "gamma a hundredth larger than printed": check_limit.instead(
            "4 / angle2**2 <= (1 - 1.01 * s)**2 / (4 * (1.01 * s)**2)"
        ),
        "gamma a hundredth larger": check_limit.instead(
            "(kappa / (1 - kappa))**2 <= (1 - 1.01 * t)**2 / (4 * (1.01 * t)**2)"
        ),
    },
}
