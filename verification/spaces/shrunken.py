"""Means of Langevin boosting on blocks of columns, squared loss: the chain, its limit, and the
smoother of the targets.
"""

import functools
from dataclasses import dataclass
from fractions import Fraction as F

import numpy as np

from verification.space import Space
from verification.spaces.blocks import BLOCKS, Blocks, exact_blocks, independent
from verification.spaces.linear import exact, solved


@dataclass(frozen=True, eq=False)
class Chain:
    """Blocks, targets, eps and a number of steps.

    The least squares fit and the limit of the mean.
    """

    law: Blocks
    y: np.ndarray
    eps: object
    steps: int

    @functools.cached_property
    def P(self):
        """The mean projector."""
        return self.law.mean()

    def plus_gamma(self):
        """Return P + gamma I."""
        out = self.P.copy()
        for i in range(len(out)):
            out[i, i] += self.law.gamma
        return out

    @functools.cached_property
    def smoother(self):
        """P (P + gamma)^-1, which maps targets to the mean of the limit."""
        return solved(self.plus_gamma(), self.P).T

    @functools.cached_property
    def best(self):
        """F*, the projection of the targets."""
        basis = independent(self.law.H)
        return basis @ solved(basis.T @ basis, basis.T @ self.y).ravel()

    def is_regular(self):
        """Return whether floats can invert P on the span of the columns."""
        basis = independent(self.law.H)
        return solved(basis.T @ self.P @ basis, basis.T) is not None

    def penalty(self):
        """Return F*'P^+F*."""
        basis = independent(self.law.H)
        return self.best @ (basis @ solved(basis.T @ self.P @ basis, basis.T @ self.best).ravel())

    def mean(self):
        """Return the mean of the chain after all steps."""
        at = 0 * self.y
        for _ in range(self.steps):
            at = (1 - self.law.gamma * self.eps) * at + self.eps * (self.P @ (self.y - at))
        return at


def _draw(rng):
    shape, numbers = BLOCKS.draw(rng)
    remaining = np.concatenate([rng.normal(size=shape[0]), [rng.choice((0.5, 0.2, 0.05))]])
    return (int(rng.integers(1, 12)), *shape), np.concatenate([numbers, remaining])


def _make(shape, numbers):
    n = shape[1]
    law = BLOCKS.make(shape[1:], numbers[: -n - 1]) if len(numbers) > n + 1 else None
    eps = numbers[-1]
    if not (law and law.rank and 0 < eps * (law.gamma + 1) <= 1):
        return None
    chain = Chain(law, numbers[-n - 1 : -1], eps, shape[0])
    return chain if chain.is_regular() else None


def _make_rough(shape, numbers):
    """Return a chain, or None if the columns of a block are nearly dependent: ``cb.data.blocks``
    treats those as dependent.
    """
    chain = _make(shape, numbers)
    sizes = (
        [np.linalg.svd(block.astype(float), compute_uv=False) for block in chain.law.blocks]
        if chain
        else []
    )
    return (
        None
        if any(((size < 1e-4 * size[0]) & (size > 1e-12 * size[0])).any() for size in sizes)
        else chain
    )


def _is_chain(case):
    return isinstance(case, Chain)


def gamma_of(case):
    """Return the shrinkage gamma of a chain, as a label of points."""
    return float(case.law.gamma)


def _two_columns(gamma, eps):
    law = exact_blocks([(1, 1, 0)], [(0, 1, 2)], chance=(1, 1), gamma=gamma)
    return Chain(law, y=exact([3, 1, -1]), eps=eps, steps=4)


CHAINS = Space("a chain on blocks", _draw, _make, has=_is_chain)
CHAIN_CASES = {
    "two blocks": lambda: Chain(
        exact_blocks([(1, 2, 0), (0, 1, 1)], [(1, -1, 2)], chance=(2, 1), gamma=F(1, 4)),
        y=exact([1, -2, 3]),
        eps=F(1, 5),
        steps=3,
    ),
    "more columns than samples": lambda: Chain(
        exact_blocks([(1, 0), (1, 1)], [(2, -1)], chance=(1, 3), gamma=F(1, 10)),
        y=exact([1, 2]),
        eps=F(1, 2),
        steps=8,
    ),
    "little shrinkage": lambda: _two_columns(gamma=F(1, 1000), eps=F(1, 10)),
    "much shrinkage": lambda: _two_columns(gamma=50, eps=F(1, 100)),
    "one column, small steps": lambda: Chain(
        exact_blocks([(1, 1)], chance=[1], gamma=F(1, 10)),
        y=exact([1, 2]),
        eps=F(1, 100),
        steps=20,
    ),
}
ROUGH = Space("a chain on blocks, in floats", _draw, _make_rough, exact=False, has=_is_chain)
