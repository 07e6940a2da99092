r"""What is left unfitted, in all rounds together (Lemma C.6), and the limit of gamma that follows.

Problem: sequences a_j, c_j >= 0 with sqrt(a_{j+1}) <= kappa (sqrt(a_j) + sqrt(c_{j+1})), a_0 <= kappa^2 c_0, kappa = sqrt(1 - Theta^2).

Method: the sequence that grows fastest, all of these with equality, c = 1; for the limit of gamma a grid of Theta.

Assumptions: a_0 <= kappa^2 c_0 is used in the proof and not printed; 0 < Theta < 1.

Claim: upper: a_0 + ... + a_m <= C (c_0 + ... + c_m), printed C = 2 (2 - Theta^2) (1 - Theta^2) / Theta^4, sharpened
C = (kappa / (1 - kappa))^2, which a constant c attains in the limit. Upper: C <= (1 - s)^2 / (4 s^2), s = gamma / Theta^2, printed for
gamma = Theta^4 / (4 + Theta^2) and C = 4 / Theta^4, sharpened for gamma = (1 - kappa)^2 and the sharper C.

Constants: none.

Measured: sums of the sequence; both sides of the second claim.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Appendix C, Lemma C.6; the sharper constant is ours: (sqrt(a) over all rounds) is at most
kappa times itself and kappa times (sqrt(c)), by Minkowski's inequality.
"""

import numpy as np

from coordboost.bounds import BoundCheck
from verification.statement import claim

GRID = np.linspace(0.001, 0.999, 999)


class Sequence:
    """The fastest a_0, ..., a_m for c = 1."""

    def __init__(self, angle, n):
        self.angle, self.kappa = angle, np.sqrt(1 - angle**2)
        root = [self.kappa]
        for _ in range(n - 1):
            root.append(self.kappa * (root[-1] + 1))
        self.sums, self.at = np.cumsum(np.square(root)), np.arange(1, n + 1)

    def constant(self, variant):
        """C."""
        if variant == "sharpened":
            return (self.kappa / (1 - self.kappa)) ** 2
        return 2 * (2 - self.angle**2) * (1 - self.angle**2) / self.angle**4


def _held(case, variant, factor=1.0):
    bound = factor * case.constant(variant) * case.at
    return BoundCheck("C.6", variant, "upper", case.sums, bound, 1e-12 * bound, at=case.at)


@claim("AGBM, Lemma C.6", printed="verified", sharpened="verified")
def check_sequence(case, variant):
    """a_0 + ... + a_m <= C (c_0 + ... + c_m)."""
    return _held(case, variant) if isinstance(case, Sequence) else None


def _limit(case, variant, factor=1.0):
    kappa = np.sqrt(1 - case**2)
    gamma, left = case**4 / (4 + case**2), 4 / case**4
    if variant == "sharpened":
        gamma, left = (1 - kappa) ** 2, (kappa / (1 - kappa)) ** 2
    s = factor * gamma / case**2
    right = (1 - s) ** 2 / (4 * s**2)
    # 1 - kappa loses Theta^2 / 2 of its digits, and is squared twice
    return BoundCheck("C.6", variant, "upper", left, right, left * 16 * np.finfo(float).eps / case**2, at=case, along="Theta")


@claim("AGBM, Lemma C.6, the limit of gamma", printed="verified", sharpened="verified")
def check_limit(case, variant):
    """C <= (1 - s)^2 / (4 s^2) for s = gamma / Theta^2; with equality."""
    return None if isinstance(case, Sequence) else _limit(case, variant)


CASES = {
    **{f"Theta = {angle}": (lambda angle=angle: Sequence(angle, 4000)) for angle in (0.1, 0.3, 0.7, 0.95)},
    "a grid of Theta": lambda: GRID,
}

SABOTAGE = {
    check_sequence: {
        "a tenth less": lambda case: _held(case, "sharpened", 1 / 1.1) if isinstance(case, Sequence) else None,
        "a tenth less than printed": lambda case: _held(case, "printed", 1 / 1.1) if isinstance(case, Sequence) else None,
    },
    check_limit: {
        "gamma a hundredth larger than printed": lambda case: (
            None if isinstance(case, Sequence) else _limit(case, "printed", 1.01)
        ),
        "gamma a hundredth larger": lambda case: None if isinstance(case, Sequence) else _limit(case, "sharpened", 1.01),
    },
}
