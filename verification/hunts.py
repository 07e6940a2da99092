"""Statements to be attacked by ``verification.adversary``: two sides each, and a way to draw instances.

The sides are functions of any number type; each gives a list of pairs (left, right) with the claim left <= right, right > 0. Unit columns
are stereographic images of free numbers, so that rational numbers give rational columns of length one.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from verification.theorems.rgbm_remark_4_4 import gap


@dataclass(frozen=True)
class Hunt:
    """A statement to be attacked.

    claim : in words;  false : whether a violation is expected;  draw : ``draw(rng) -> (shape, numbers)``;
    sides : ``sides(shape, numbers) -> [(left, right), ...]``;  again : the second look, in rationals where that is possible
    """

    claim: str
    false: bool
    draw: Callable
    sides: Callable
    again: Callable | None = None


# Forward stagewise and LS-Boost: numbers are eps, y and the columns. -----------------------------------------------------


def _regression(rng):
    m, p, n_steps = int(rng.integers(2, 4)), int(rng.integers(2, 5)), int(rng.integers(2, 13))
    return (m, p, n_steps), np.concatenate([rng.uniform(0.1, 1.5, 1), rng.normal(size=m), rng.normal(size=p * (m - 1))])


def _boost(shape, numbers, step):
    """eps, |y|^2, and along the run: largest correlation, |resid|^2 and l1 norm, for theta = step(eps, correlation)."""
    m, p, n_steps = shape
    eps, y, free = abs(numbers[0]), list(numbers[1 : m + 1]), np.array(numbers[m + 1 :]).reshape(p, m - 1)
    columns = [[*(2 * t / (1 + t @ t)), (t @ t - 1) / (1 + t @ t)] for t in free]
    resid, beta, out = np.array(y), [0 * eps] * p, []
    for _ in range(n_steps + 1):
        corr = [np.array(column) @ resid for column in columns]
        j = max(range(p), key=lambda i: abs(corr[i]))
        out.append((abs(corr[j]), resid @ resid, sum(abs(b) for b in beta)))
        theta = step(eps, corr[j])
        beta[j] += theta
        resid = resid - theta * np.array(columns[j])
    return eps, np.array(y) @ np.array(y), out


def _sign_step(eps, corr):
    return eps if corr > 0 else -eps if corr < 0 else 0 * eps


def _gradients(shape, numbers, running):
    """Theorem 3.1 (iv). |y| stands for A, the part that the columns explain: this makes the right side larger, if anything."""
    eps, size2, path = _boost(shape, numbers, _sign_step)
    if eps == 0:
        return []
    values = [largest for largest, _, _ in path]
    left = [min(values[: k + 1]) for k in range(len(values))] if running else values
    return [(c, size2 / (2 * eps * (k + 1)) + eps / 2) for k, c in enumerate(left)]


def _falling(shape, numbers, only):
    eps, _, path = _boost(shape, numbers, _sign_step)
    return [(path[k + 1][1], path[k][1]) for k in range(len(path) - 1) if not only or path[k][0] > eps / 2]


def _l1(shape, numbers):
    """Theorem 2.1 (v), first term, squared."""
    eps, size2, path = _boost(shape, numbers, lambda eps, corr: eps * corr)
    if not 0 < eps <= 1:
        return []
    return [(l1 * l1, k * eps / (2 - eps) * (size2 - fit2)) for k, (_, fit2, l1) in enumerate(path)]


# Random-then-greedy boosting over orthonormal learners: numbers are a direction. ----------------------------------------


def _direction(rng):
    p = int(rng.integers(2, 7))
    return (p, int(rng.integers(1, p + 1))), rng.normal(size=p)


def _sums(shape):
    """gamma_1 + ... + gamma_i = 1 - C(p - i, t) / C(p, t), and the square of the angle, min(t^2 / p^2, 1 / p)."""
    p, t = shape
    top = [1 - Fraction(math.comb(p - i, t), math.comb(p, t)) for i in range(1, p + 1)]
    return top, min(Fraction(t * t, p * p), Fraction(1, p))


def _bregman(shape, d, power):
    """Proposition 4.5 with the squared loss: Theta^2 / 2 Dist(d)^power <= |d|^2 / 2, where Dist is the dual norm."""
    top, square = _sums(shape)
    sizes = sorted((abs(x) for x in d), reverse=True)
    far = max(sum(sizes[: i + 1]) / top[i] for i in range(len(sizes)))
    return [(square * far**power, sum(x * x for x in d))]


def _decrease(shape, d, sharpened):
    """One step from the residual d: rate |d|^2 <= E d_j^2, rate = Theta^2, or 1 / p as the second moment has it."""
    top, square = _sums(shape)
    squares = sorted((x * x for x in d), reverse=True)
    gained = sum((high - low) * x for high, low, x in zip(top, [0, *top], squares, strict=False))
    return [((Fraction(1, shape[0]) if sharpened else square) * sum(squares), gained)]


def _epochs(rng):
    root = int(rng.integers(2, 8))
    return (root * root, int(rng.integers(1, 3))), rng.normal(size=1)


def _advice(shape, _):
    """Remark 4.4: the expected gap after some epochs of t = sqrt p, equal coordinates, is not above that of t = 1."""
    p, epochs = shape
    root = math.isqrt(p)
    return [(gap(p, root, epochs * p // root), gap(p, 1, epochs * p))]


# Numbers of steps, and random matrices. ----------------------------------------------------------------------------------


def _kappa_tau(rng):
    return (), np.array([rng.exponential(2), rng.normal()])


def _steps(_, numbers, whole):
    """Remark A.1 (42): k_LS / k_FS <= 1 / e, kappa = 1 + x^2, tau = 1 / (1 + z^2); in 60 digits, 1 / e rounded up."""
    kappa, tau = 1 + Decimal(float(numbers[0])) ** 2, 1 / (1 + Decimal(float(numbers[1])) ** 2)
    with localcontext(prec=60):
        ls, fs = 4 * kappa * (1 / tau**2).ln(), 4 * kappa / tau**2
        if whole:
            ls, fs = Decimal(math.ceil(ls)), Decimal(math.ceil(fs) - 1)
        return [(ls / fs, Decimal(-1).exp() + Decimal(10) ** -50)] if fs > 0 else []


@functools.cache
def _eigenvalues(n, p, seed):
    """lambda_pmin of X'X for 600 Gaussian n x p matrices with variance 1 / n."""
    X = np.random.default_rng([n, p, seed]).standard_normal((600, n, p))
    return np.linalg.svd(X, compute_uv=False)[:, -1] ** 2 / n


def _gaussian(rng):
    n = int(rng.integers(2, 9))
    return (n, n + int(rng.integers(1, 9))), rng.normal(size=1)


def _probability(shape, numbers, positive_part, seed):
    """Proposition A.3: 1 - 2 exp(-t^2 / 2) <= P(...), the frequency in 600 draws raised by what chance exceeds once in 10^9."""
    n, p = shape
    t = abs(float(numbers[0]))
    edge = math.sqrt(p) - math.sqrt(n) - t
    level = (max(edge, 0.0) if positive_part else edge) ** 2 / n
    often = float((_eigenvalues(n, p, seed) >= level).mean())
    return [(1 - 2 * math.exp(-t * t / 2), often + math.sqrt(math.log(1e9) / 1200))]


def _made(function, **fixed):
    return functools.partial(function, **fixed)


def _twice(positive_part):
    first, second = (_made(_probability, positive_part=positive_part, seed=seed) for seed in (0, 1))
    return {"sides": first, "again": second}


#: Statements by name; those with `false` are violated as printed, or as one may misread them.
HUNTS = {
    "fgm-3.1-iv-last": Hunt("FS: the gradient bound at the last iterate", True, _regression, _made(_gradients, running=False)),
    "fgm-3.1-iv": Hunt("FS: the gradient bound at the best iterate", False, _regression, _made(_gradients, running=True)),
    "fgm-falls": Hunt("FS: the training error falls in every step", True, _regression, _made(_falling, only=False)),
    "fgm-falls-corrected": Hunt(
        "FS: it falls while the largest correlation exceeds eps / 2", False, _regression, _made(_falling, only=True)
    ),
    "fgm-2.1-v": Hunt("LS-Boost: the l1 norm by its steps", False, _regression, _l1),
    "fgm-a.1": Hunt("k_LS / k_FS <= 1 / e for whole numbers of steps", True, _kappa_tau, _made(_steps, whole=True),
    _made(_steps, whole=True)),
    "fgm-a.1-corrected": Hunt("k_LS / k_FS <= 1 / e", False, _kappa_tau, _made(_steps, whole=False), _made(_steps, whole=False)),
    "fgm-a.3": Hunt("Random matrices: the tail for every t", True, _gaussian, **_twice(False)),
    "fgm-a.3-corrected": Hunt("Random matrices: the tail with the positive part", False, _gaussian, **_twice(True)),
    "rgbm-4.5": Hunt("Proposition 4.5 without the square", True, _direction, _made(_bregman, power=1)),
    "rgbm-4.5-corrected": Hunt("Proposition 4.5 with the square", False, _direction, _made(_bregman, power=2)),
    "rgbm-4.1": Hunt("One step of Theorem 4.1, orthonormal learners", False, _direction, _made(_decrease, sharpened=False)),
    "rgbm-4.1-sharpened": Hunt("The same with the second moment", False, _direction, _made(_decrease, sharpened=True)),
    "rgbm-4.4": Hunt("Drawing sqrt p learners is best per epoch", True, _epochs, _advice),
}  # fmt: skip
