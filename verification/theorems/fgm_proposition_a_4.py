r"""The elementary sequence process (Proposition A.4).

Problem: none: any vectors.

Method: x_{i+1} = x_i - a_i g_i with any g_i, ||g_i|| <= G, and steps a_i >= 0 that are not all 0.

Assumptions: G is the length of the longest g_i.

Claim: upper, (35): sum a_i <g_i, x_i - x> / sum a_i <= (||x_0 - x||^2 + G^2 sum a_i^2) / (2 sum
a_i) for all k and all x; (36) for constant steps.

Constants: none.

Measured: in rationals, for random g_i and several x.

Reference: Freund, Grigas, Mazumder, Proposition A.4, (35), (36).
"""

from fractions import Fraction

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.statement import claim


def _vectors(rng, count, length):
    return np.array(
        [[Fraction(int(v), 5) for v in row] for row in rng.integers(-9, 10, (count, length))],
        dtype=object,
    )


class Process:
    """Given steps along random vectors in dimension 5, or along `vectors`, and the inner products
    <g_i, x_i - x> for some x.
    """

    def __init__(self, seed, steps, vectors=None):
        rng = np.random.default_rng(seed)
        g, start, other = vectors or (
            _vectors(rng, len(steps), 5),
            _vectors(rng, 1, 5)[0],
            _vectors(rng, 2, 5),
        )
        self.steps = np.array(steps)
        self.length2 = max((g**2).sum(axis=1))
        x = np.array([start, *(start - np.cumsum(self.steps[:, None] * g, axis=0)[:-1])])
        points = [start, x[-1], *other]
        self.products = [(g * (x - point)).sum(axis=1) for point in points]
        self.distances2 = [((start - point) ** 2).sum() for point in points]

    def sides(self, factor):
        """Yield both sides of (35) for each x, with G^2 multiplied by `factor`."""
        total = np.cumsum(self.steps)
        squares = np.cumsum(self.steps**2)
        for products, distance2 in zip(self.products, self.distances2, strict=True):
            yield (
                np.cumsum(self.steps * products) / total,
                (distance2 + factor * self.length2 * squares) / (2 * total),
            )


def _process(shape, numbers):
    """numbers: the steps, or one step for all; then the start, a point x, and the g_i."""
    dim, n_steps, constant = shape
    count = 1 if constant else n_steps
    steps = np.abs(numbers[:count])
    remaining = numbers[count:].reshape(-1, dim)
    if len(remaining) != n_steps + 2 or not steps[0] > 0 or not (remaining[2:] != 0).any():
        return None
    return Process(
        0, list(steps) * (n_steps if constant else 1), (remaining[2:], remaining[0], remaining[1:2])
    )


def _draw(rng):
    dim = int(rng.integers(1, 4))
    n_steps = int(rng.integers(1, 7))
    constant = int(rng.integers(0, 2))
    return (dim, n_steps, constant), rng.standard_normal(
        (1 if constant else n_steps) + dim * (n_steps + 2)
    )


PROCESSES = Space("sequence processes", _draw, _process, has=lambda case: isinstance(case, Process))


def _checks(case, name, factor=1):
    exact = case.steps.dtype == object
    rounding = (0, "exact") if exact else (1e-9, "float")
    return [
        BoundCheck(name, "printed", "upper", left, right, *rounding)
        for left, right in case.sides(factor)
    ]


@claim("Proposition A.4 (35)", PROCESSES, printed="verified")
def check_process(case, variant):
    """Sum a_i <g_i, x_i - x> / sum a_i <= (||x_0 - x||^2 + G^2 sum a_i^2) / (2 sum a_i)."""
    return _checks(case, check_process.statement)


@claim("Proposition A.4 (36)", PROCESSES, printed="verified")
def check_constant(case, variant):
    """The mean of <g_i, x_i - x> is at most ||x_0 - x||^2 / (2 (k+1) a) + G^2 a / 2."""
    return _checks(case, check_constant.statement) if len(set(case.steps)) == 1 else None


CASES = {
    "constant steps": lambda: Process(0, [Fraction(1, 3)] * 60),
    "falling steps": lambda: Process(1, [Fraction(1, k + 1) for k in range(60)]),
    "steps that may be 0": lambda: Process(
        2, [Fraction(1 + k % 3 * (k % 2), 4) if k % 4 != 1 else Fraction(0) for k in range(60)]
    ),
}
SABOTAGE = {
    check: {"G a third of its value": lambda case: _checks(case, "short", Fraction(1, 9))}
    for check in (check_process, check_constant)
}
