"""Spaces of small instances of boosting, with the methods implemented independently of the
package.
"""

import functools
from fractions import Fraction

import numpy as np

from verification.space import Space
from verification.spaces.linear import exact, least_eigenvalue, unit_columns
from verification.spaces.walk import Walk, sign


def _step(kind, k, corr, beta, eps, delta, X):
    """Return (theta, shrink) of one step."""
    if kind == "ls":
        return eps * corr, 0 * corr
    if kind in ("fs", "varying"):
        return (eps if np.ndim(eps) == 0 else eps[k]) * sign(corr), 0 * corr
    if kind in ("rfs", "path"):
        return eps * sign(corr), eps / delta[k]
    share = 2 / (k + 2 + 0 * corr) if kind == "fw" else None
    return share * delta[k] * sign(corr), share


def walk(kind, X, y, n_steps, eps, delta=None, outside=0):
    """Run LS-Boost ("ls"), FS ("fs"), FS with steps ("varying"), R-FS ("rfs"), PATH-R-FS ("path")
    or Frank-Wolfe ("fw").
    """
    zero = 0 * y[0]
    beta = np.array([zero] * X.shape[1])
    betas = []
    chosen = []
    thetas = []
    shrinks = []
    G = X.T @ X
    c = X.T @ y
    for k in range(n_steps + 1):
        corr = c - G @ beta
        j = int(np.argmax(np.abs(corr)))
        theta, shrink = _step(kind, k, corr[j], beta, eps, delta, X)
        betas.append(beta)
        chosen.append(j)
        thetas.append(theta)
        shrinks.append(shrink)
        beta = beta * (1 - shrink) if shrink else beta.copy()
        beta[j] += theta
    return Walk(kind, X, y, outside, eps, delta, *map(np.array, (betas, chosen, thetas, shrinks)))


#: Three unit columns of rank 3.
GOLDEN = exact([[1, "3/5", 0], [0, "4/5", "3/5"], [0, 0, "4/5"]])


def exact_walk(kind, *, y, n_steps, eps=None, delta=None, X=((1,),), outside=0):
    """Run a method of ``walk`` in Fractions, on one column of one sample by default.

    Parameters
    ----------
    delta : number or sequence, optional
        The radius, or that of each of the models 0, ..., n_steps.
    eps : number, optional
        Default: `delta`, for Frank-Wolfe.
    """
    radii = None if delta is None else exact(np.broadcast_to(delta, n_steps + 1))
    eps = Fraction(delta if eps is None else eps)
    return walk(kind, exact(X), exact(y), n_steps, eps, radii, Fraction(outside))


def _count(kind, n_steps):
    """Return how many numbers describe the steps and the radii of an instance."""
    return {"ls": 1, "fs": 1, "varying": n_steps + 1, "rfs": 2, "fw": 1, "path": n_steps + 2}[kind]


def _draw(rng, most, kind):
    m = int(rng.integers(1, most[0] + 1))
    p = int(rng.integers(m, most[1] + 1))
    n_steps = int(rng.integers(1, most[2] + 1))
    free = rng.standard_normal(p * (m - 1)) * rng.choice([1.0, 0.2, 3.0])
    rest = rng.exponential(0.7, _count(kind, n_steps))
    if kind == "path":
        rest[1:] *= rng.random(n_steps + 1) < rng.choice([0.0, 0.1, 1.0])
        rest[-1] *= 1 + 2 * rng.integers(0, 2)
    outside = rng.standard_normal(1) * rng.integers(0, 2)
    return (m, p, n_steps), np.concatenate([outside, 2 * rng.standard_normal(m), free, rest])


def _make(shape, numbers, kind):
    """numbers: the part of y outside, y, those that determine the columns; eps, or the steps.

    The radius minus eps, or its increments.
    """
    m, p, n_steps = shape
    rest = np.abs(numbers[1 + m + p * (m - 1) :])
    if len(rest) != _count(kind, n_steps) or p < m:
        return None
    y = numbers[1 : 1 + m]
    free = numbers[1 + m : 1 + m + p * (m - 1)].reshape(p, m - 1)
    X = unit_columns(free) if m > 1 else 0 * y + np.ones((1, p), dtype=int)
    eps = rest if kind == "varying" else rest[0]
    if (
        not np.all(eps > 0)
        or (kind == "ls" and not Fraction(1, 20) <= eps < 2)
        or not y @ y > 0
        or least_eigenvalue(X @ X.T) is None
    ):
        return None
    if kind in ("ls", "fs", "varying"):
        return walk(kind, X, y, n_steps, eps, outside=numbers[0])
    radii = {
        "rfs": lambda: eps + rest[1] + 0 * zeros,
        "fw": lambda: eps + 0 * zeros,
        "path": lambda: eps + np.cumsum(rest[1:]),
    }
    zeros = np.array([0 * eps] * (n_steps + 1))
    return walk(kind, X, y, n_steps, eps, radii[kind](), numbers[0])


def _smaller(shape, numbers, kind):
    """Yield instances without the last coordinate, with fewer steps, without one of the columns."""
    m, p, n_steps = shape
    cut = 1 + m + p * (m - 1)
    if m > 1:
        free = numbers[1 + m : cut].reshape(p, m - 1)[: p - 1, : m - 2]
        yield (m - 1, p - 1, n_steps), np.concatenate([numbers[:m], free.ravel(), numbers[cut:]])
    for fewer in range(1, n_steps):
        yield (m, p, fewer), numbers[: cut + _count(kind, fewer)]
    for column in range(p if p > m else 0):
        first = 1 + m + column * (m - 1)
        yield (m, p - 1, n_steps), np.concatenate([numbers[:first], numbers[first + m - 1 :]])


def walks(kind, words, most=(3, 4, 12)):
    """Return the space of one method; most : largest numbers of coordinates, columns and steps."""
    return Space(
        words,
        functools.partial(_draw, most=most, kind=kind),
        functools.partial(_make, kind=kind),
        has=lambda case: isinstance(case, Walk) and case.kind == kind,
        smaller=functools.partial(_smaller, kind=kind),
    )


LS = walks("ls", "LS-Boost with 1/20 <= eps < 2 over up to 4 unit columns")
FS = walks("fs", "FS over up to 4 unit columns")
LS3 = walks("ls", "LS-Boost over up to 3 unit columns", (3, 3, 8))
FS3 = walks("fs", "FS over up to 3 unit columns", (3, 3, 8))
VARYING = walks("varying", "FS with its own steps over up to 4 unit columns")
RFS = walks("rfs", "R-FS over up to 3 unit columns", (3, 3, 12))
PATH = walks("path", "PATH-R-FS over up to 2 unit columns", (2, 2, 80))


def _jump(shape, numbers):
    """Return a path of two radii, the second only at the last step.

    The last numbers are eps, the first radius minus eps, the jump.
    """
    return PATH.make(
        shape,
        np.concatenate(
            [numbers[:-2], numbers[-2:-1], 0 * numbers[:1].repeat(shape[2] - 1), numbers[-1:]]
        ),
    )


JUMP = Space(
    "PATH-R-FS with two radii over one column",
    lambda rng: (
        (1, 1, int(rng.integers(2, 150))),
        np.append(rng.standard_normal(2), rng.exponential(0.5, 3)),
    ),
    _jump,
    has=PATH.has,
    smaller=lambda shape, numbers: [((1, 1, n), numbers) for n in range(2, shape[2])],
)
FRANK_WOLFE = walks("fw", "Frank-Wolfe over up to 3 unit columns", (3, 3, 12))
