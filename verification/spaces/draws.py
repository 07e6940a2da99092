"""Spaces of small instances of random-then-greedy boosting."""

import numpy as np

from verification.space import Space
from verification.spaces.draw import Draw
from verification.spaces.linear import least_eigenvalue, unit_columns


def _shape(rng, r, K):
    kind = int(rng.integers(0, 4))
    label = np.sort(np.unique(rng.integers(0, K, K), return_inverse=True)[1])
    places = K if kind < 2 else label.max() + 1
    return (r, kind, int(rng.integers(1, places + 1)), *map(int, label))


def _draw(rng):
    r = int(rng.integers(1, 4))
    K = int(rng.integers(r, 5))
    return _shape(rng, r, K), rng.standard_normal(K * (r - 1) + r + K)


def _make(shape, numbers):
    """numbers: those that determine the unit learners, y, another vector."""
    r, kind, t, *label = shape
    K = len(label)
    free = numbers[: K * (r - 1)].reshape(K, r - 1)
    remaining = numbers[K * (r - 1) :]
    B = unit_columns(free) if r > 1 else np.array([[1 + 0 * remaining[0]] * K])
    y = remaining[:r]
    other = remaining[r:]
    if (
        len(other) != K
        or least_eigenvalue(B @ B.T) is None
        or not (y @ y > 0 and other @ other > 0)
    ):
        return None
    made = Draw(B, tuple(label), kind, t, y, other)
    return made if (made._ray_norms > 1e-9).all() else None


def _draw_basis(rng):
    K = int(rng.integers(1, 6))
    return _shape(rng, K, K), rng.standard_normal(2 * K)


def _make_basis(shape, numbers):
    """numbers: y, another vector."""
    K = len(shape) - 3
    y = numbers[:K]
    other = numbers[K:]
    return (
        Draw(np.eye(K, dtype=int), shape[3:], *shape[1:3], y, other)
        if y @ y > 0 and other @ other > 0
        else None
    )


DRAWS = Space(
    "up to 4 learners in 3 dimensions, all rules",
    _draw,
    _make,
    has=lambda case: isinstance(case, Draw) and not case.basis,
)
BASIS = Space(
    "up to 5 orthonormal learners, all rules",
    _draw_basis,
    _make_basis,
    has=lambda case: isinstance(case, Draw) and case.basis,
)
