"""Spaces of small instances of accelerated boosting."""

import functools
from fractions import Fraction

import numpy as np

from coordboost.theory.bounds.formula import DIGITS, root
from verification import agbm
from verification.space import Space
from verification.spaces.draw import Draw
from verification.spaces.linear import least_eigenvalue, unit_columns


def sharp(theta2):
    """Return the sharper limit of gamma, (1 - sqrt(1 - Theta^2))^2.

    For a Fraction, a Fraction just below it.
    """
    above = root(1 - theta2) + (Fraction(2, DIGITS) if isinstance(theta2, Fraction) else 0)
    return max(1 - above, 0 * above) ** 2


def _gamma(rng):
    """Draw gamma, relative to its sharper limit: below it, at it, or often far beyond it."""
    return [rng.random(), 1.0, rng.exponential(10)][rng.integers(0, 3)]


def _draw(rng):
    r = int(rng.integers(1, 4))
    K = int(rng.integers(r, 5))
    rounds = int(rng.integers(1, 11))
    weights = rng.exponential(2, r) * rng.integers(0, 2)
    remaining = [rng.exponential(1) * rng.integers(0, 2), _gamma(rng)]
    return (r, K, rounds), np.concatenate(
        [rng.standard_normal(K * (r - 1) + r), weights, remaining]
    )


def _make(shape, numbers):
    """numbers: those that determine the unit learners, y; 1 / weight - 1, 1 / eta - 1.

    Gamma divided by its sharper limit.
    """
    r, K, rounds = shape
    free = numbers[: K * (r - 1)].reshape(K, r - 1)
    remaining = numbers[K * (r - 1) :]
    D = unit_columns(free) if r > 1 else np.array([[1 + 0 * remaining[0]] * K])
    y = remaining[:r]
    tail = np.abs(remaining[r:])
    if len(tail) != r + 2 or least_eigenvalue(D @ D.T) is None or not (y @ y > 0 and tail[-1] > 0):
        return None
    theta2 = Draw(D, tuple(range(K)), 0, 1, y, y).angle2
    gamma = min(tail[-1] * sharp(theta2), 1 + 0 * theta2)
    if not gamma > 1e-9:
        return None
    return agbm.walk(D, y, 1 / (1 + tail[r]), gamma, rounds, theta2=theta2, w=1 / (1 + tail[:r]))


def _fewer(shape, numbers):
    """Yield the instance with fewer rounds."""
    yield from (((*shape[:-1], rounds), numbers) for rounds in range(1, shape[-1]))


def _draw_line(rng):
    remaining = [
        rng.uniform(0, 5) * rng.integers(0, 2),
        rng.random() * rng.choice([0.2, 1]),
        rng.uniform(0, 30),
    ]
    return (int(rng.integers(1, 60)),), np.array(remaining[: rng.integers(2, 4)])


def _make_line(shape, numbers):
    """numbers: the fourth root of 1 / eta - 1, gamma.

    If there is a cap, the root of 1 / cap - 1.
    """
    eta = 1 / (1 + numbers[0] ** 4)
    gamma = min(abs(numbers[1]), 1 + 0 * numbers[1])
    one = 1 + 0 * eta
    cap = 1 / (1 + numbers[2] ** 2) if len(numbers) > 2 else None
    return (
        agbm.walk(np.array([[one]]), np.array([one]), eta, gamma, shape[0], theta2=one, cap=cap)
        if gamma > 1e-9
        else None
    )


def _make_capped(shape, numbers):
    """numbers: gamma."""
    gamma = min(abs(numbers[0]), 1 + 0 * numbers[0])
    return agbm.capped(gamma, shape[0]) if gamma > 1e-9 else None


def _draw_coordinates(rng, one):
    n = int(rng.integers(2, 8))
    y = 1 + rng.standard_normal(n) * rng.choice([0.1, 1])
    remaining = rng.exponential([0.2] if one else [0.2, 1])
    return (n, int(rng.integers(1, 45))), np.append(y, remaining)


def _make_coordinates(shape, numbers, one):
    """numbers: y, 1 / eta - 1; with the correction also gamma / (1 - gamma).

    Without it (`one`) gamma is 1.
    """
    n, rounds = shape
    y = numbers[:n]
    eta = 1 / (1 + abs(numbers[n]))
    gamma = 1 + 0 * eta if one else abs(numbers[n + 1]) / (1 + abs(numbers[n + 1]))
    D = np.eye(n, dtype=int) + 0 * eta
    return (
        agbm.walk(D, y, eta, gamma, rounds, theta2=(1 + 0 * eta) / n, one=one)
        if y @ y > 0 and gamma > 1e-9
        else None
    )


def _coordinates(name, one):
    draw, make = (
        functools.partial(part, one=one) for part in (_draw_coordinates, _make_coordinates)
    )
    return Space(f"{name} over up to 7 coordinates", draw, make, has=_has, smaller=_fewer)


def _has(case):
    return isinstance(case, agbm.Walk)


AGBM = Space(
    "AGBM over up to 4 unit columns in 3 dimensions", _draw, _make, has=_has, smaller=_fewer
)
LINE = Space("AGBM in one dimension", _draw_line, _make_line, has=_has, smaller=_fewer)
CAPPED = Space(
    "AGBM on the capped loss that it leaves last",
    lambda rng: ((int(rng.integers(1, 60)),), rng.random(1)),
    _make_capped,
    has=_has,
    smaller=_fewer,
)
COORDINATES = _coordinates("AGBM", one=False)
VAGBM = _coordinates("VAGBM", one=True)
