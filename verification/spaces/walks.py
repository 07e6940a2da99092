"""Spaces of small instances of boosting, with the methods implemented independently of the
package.
"""

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

import coordboost as cb
from verification.space import Space
from verification.spaces.linear import exact, least_eigenvalue, unit_columns
from verification.spaces.walk import Walk, sign


def _correlated(k, corr, eps, delta):
    return eps * corr, 0 * corr


def _signed(k, corr, eps, delta):
    return (eps if np.ndim(eps) == 0 else eps[k]) * sign(corr), 0 * corr


def _shrunken(k, corr, eps, delta):
    return eps * sign(corr), eps / delta[k]


def _to_vertex(k, corr, eps, delta):
    share = 2 / (k + 2 + 0 * corr)
    return share * delta[k] * sign(corr), share


class Method(NamedTuple):
    """A method on small instances.

    step : function of (k, corr, eps, delta), (theta, shrink) of a step, independent of the package
    count : function of n_steps, how many numbers describe the steps and the radii
    of_package : function of (eps, delta), the method of the package
    radii : function of (eps, the other numbers), the radius or the radii; None without a ball
    """

    step: Callable
    count: Callable
    of_package: Callable
    radii: Callable | None = None


#: The methods of exact walks: LS-Boost, FS, FS with steps of its own, R-FS, PATH-R-FS, Frank-Wolfe.
METHODS = {
    "ls": Method(_correlated, lambda n_steps: 1, lambda eps, delta: cb.ls_boost(eps)),
    "fs": Method(_signed, lambda n_steps: 1, lambda eps, delta: cb.forward_stagewise(eps)),
    "varying": Method(
        _signed, lambda n_steps: n_steps + 1, lambda eps, delta: cb.forward_stagewise(eps)
    ),
    "rfs": Method(
        _shrunken,
        lambda n_steps: 2,
        lambda eps, delta: cb.regularized_forward_stagewise(eps, delta[0]),
        lambda eps, numbers: eps + numbers[0],
    ),
    "path": Method(
        _shrunken,
        lambda n_steps: n_steps + 2,
        cb.path_forward_stagewise,
        lambda eps, numbers: eps + np.cumsum(numbers),
    ),
    "fw": Method(
        _to_vertex,
        lambda n_steps: 1,
        lambda eps, delta: cb.methods.frank_wolfe(delta[0]),
        lambda eps, numbers: eps,
    ),
}


def method_named(kind):
    """Return the ``Method`` of a kind of walk."""
    if kind not in METHODS:
        raise ValueError(
            f"there are no exact walks of the method {kind!r}: add a line to METHODS in "
            f"verification/spaces/walks.py, which has {', '.join(METHODS)}."
        )
    return METHODS[kind]


def walk(kind, X, y, n_steps, eps, delta=None, outside=0):
    """Run one of ``METHODS``, such as LS-Boost ("ls")."""
    step = method_named(kind).step
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
        theta, shrink = step(k, corr[j], eps, delta)
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


def _draw(rng, most, kind):
    m = int(rng.integers(1, most[0] + 1))
    p = int(rng.integers(m, most[1] + 1))
    n_steps = int(rng.integers(1, most[2] + 1))
    free = rng.standard_normal(p * (m - 1)) * rng.choice([1.0, 0.2, 3.0])
    lengths = rng.exponential(0.7, METHODS[kind].count(n_steps))
    if kind == "path":
        lengths[1:] *= rng.random(n_steps + 1) < rng.choice([0.0, 0.1, 1.0])
        lengths[-1] *= 1 + 2 * rng.integers(0, 2)
    outside = rng.standard_normal(1) * rng.integers(0, 2)
    return (m, p, n_steps), np.concatenate([outside, 2 * rng.standard_normal(m), free, lengths])


def _make(shape, numbers, kind):
    """numbers: the part of y outside, y, those that determine the columns; eps, or the steps.

    The radius minus eps, or its increments.
    """
    m, p, n_steps = shape
    lengths = np.abs(numbers[1 + m + p * (m - 1) :])
    if len(lengths) != METHODS[kind].count(n_steps) or p < m:
        return None
    y = numbers[1 : 1 + m]
    free = numbers[1 + m : 1 + m + p * (m - 1)].reshape(p, m - 1)
    X = unit_columns(free) if m > 1 else 0 * y + np.ones((1, p), dtype=int)
    eps = lengths if kind == "varying" else lengths[0]
    if (
        not np.all(eps > 0)
        or (kind == "ls" and not Fraction(1, 20) <= eps < 2)
        or not y @ y > 0
        or least_eigenvalue(X @ X.T) is None
    ):
        return None
    if METHODS[kind].radii is None:
        return walk(kind, X, y, n_steps, eps, outside=numbers[0])
    radii = METHODS[kind].radii(eps, lengths[1:]) + np.array([0 * eps] * (n_steps + 1))
    return walk(kind, X, y, n_steps, eps, radii, numbers[0])


def _smaller(shape, numbers, kind):
    """Yield instances without the last coordinate, with fewer steps, without one of the columns."""
    m, p, n_steps = shape
    cut = 1 + m + p * (m - 1)
    if m > 1:
        free = numbers[1 + m : cut].reshape(p, m - 1)[: p - 1, : m - 2]
        yield (m - 1, p - 1, n_steps), np.concatenate([numbers[:m], free.ravel(), numbers[cut:]])
    for fewer in range(1, n_steps):
        yield (m, p, fewer), numbers[: cut + METHODS[kind].count(fewer)]
    for column in range(p if p > m else 0):
        first = 1 + m + column * (m - 1)
        yield (m, p - 1, n_steps), np.concatenate([numbers[:first], numbers[first + m - 1 :]])


def walks(kind, words, most=(3, 4, 12)):
    """Return the space of one method; most : largest numbers of coordinates, columns and steps."""
    method_named(kind)
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
