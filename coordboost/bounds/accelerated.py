r"""Bounds of accelerated boosting: Theorem 4.1 of Lu, Karimireddy, Ponomareva and Mirrokni with the constant that its proof gives.

They hold for best fits, eta <= 1 / sigma and gamma <= (1 - sqrt(1 - Theta^2))^2, Theta the minimal cosine angle; in sums over samples.
The constant 1/2 that the paper prints in the place of 2 is refuted (docs/ledger.md).
"""

import math


def excess(size, eta, gamma, rounds):
    """L(f^M) - L* <= 2 ||f* - f^0||^2 / (eta gamma (M + 1)^2), size = ||f* - f^0||."""
    return 2 * size**2 / (eta * gamma * (rounds + 1) ** 2)


def period(eta, gamma, mu):
    """The rounds ceil(sqrt(8 / (eta gamma mu))) after which the error has halved: Theorem 4.2, corrected."""
    return math.ceil(math.sqrt(8 / (eta * gamma * mu)))
