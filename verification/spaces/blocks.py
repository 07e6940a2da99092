"""Blocks of columns, drawn with fixed probabilities: the learners of Langevin boosting, in
Fractions or floats.
"""

import functools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verification.space import Space
from verification.spaces.linear import exact, solved


def independent(H):
    """Return the columns of H that are not linear combinations of earlier ones."""
    left_of = []
    kept = []
    for j, column in enumerate(H.T):
        left = column.copy()
        for one, pivot in left_of:
            left = left - left[pivot] / one[pivot] * one
        where = np.flatnonzero(abs(left) > (0 if left.dtype == object else 1e-9))
        if len(where):
            left_of.append((left, where[0]))
            kept.append(j)
    return H[:, kept]


def projector(H, ridge=0):
    """Return H (H'H + ridge)^+ H'."""
    basis = H if ridge else independent(H)
    if basis.shape[1] == 0:
        return 0 * (H[:, :1] @ H[:, :1].T)
    gram = basis.T @ basis
    for i in range(len(gram)):
        gram[i, i] += ridge
    return basis @ solved(gram, basis.T).reshape(basis.shape[1], -1)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of columns (n, m_s); chance, their probabilities (n_blocks,), positive with sum 1.

    Gamma, the shrinkage.
    """

    blocks: tuple
    chance: np.ndarray
    gamma: object

    @property
    def H(self):
        """All columns, (n, sum of the m_s)."""
        return np.concatenate(self.blocks, axis=1)

    @property
    def n(self):
        """Number of samples."""
        return len(self.blocks[0])

    @functools.cached_property
    def projectors(self):
        """P_s of each block."""
        return [projector(block) for block in self.blocks]

    def mean(self, chance=None):
        """Return the mean projector."""
        return sum(
            p * P
            for p, P in zip(self.chance if chance is None else chance, self.projectors, strict=True)
        )

    @property
    def rank(self):
        """The dimension d of the span of all columns."""
        return independent(self.H).shape[1]

    def are_told_apart(self):
        """Return whether floats can tell the independent columns of blocks from dependent ones."""
        bases = [independent(block) for block in (*self.blocks, self.H)]
        return all(
            basis.shape[1] == 0 or solved(basis.T @ basis, basis.T) is not None for basis in bases
        )


def exact_blocks(*blocks, chance, gamma):
    """Return ``Blocks`` in Fractions, each block given as a list of columns.

    The numbers `chance` are divided by their sum.
    """
    columns = tuple(exact(block).T for block in blocks)
    return Blocks(columns, exact(chance) / Fraction(sum(chance)), Fraction(gamma))


def _draw(rng):
    n = int(rng.integers(2, 5))
    sizes = rng.integers(1, 3, size=rng.integers(2, 4))
    size = int(sizes.sum()) * n
    numbers = rng.integers(-3, 4, size) / rng.choice((1, 2, 3)) * (rng.random(size) < 0.8)
    return (n, *map(int, sizes)), np.concatenate(
        [numbers, rng.random(len(sizes)) + 0.05, [rng.exponential() + 0.01]]
    )


def _make(shape, numbers):
    n, *sizes = shape
    k = len(sizes)
    if len(numbers) != n * sum(sizes) + k + 1 or not (numbers[-k - 1 :] > 0).all():
        return None
    columns = numbers[: n * sum(sizes)].reshape(-1, n).T
    ends = np.cumsum(sizes)
    chance = numbers[-k - 1 : -1]
    law = Blocks(
        tuple(columns[:, e - s : e] for s, e in zip(sizes, ends, strict=True)),
        chance / chance.sum(),
        numbers[-1],
    )
    return law if law.are_told_apart() else None


BLOCKS = Space("blocks of columns", _draw, _make, has=lambda case: isinstance(case, Blocks))
