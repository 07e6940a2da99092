"""Proofs by a chain of inequalities, for a complete class (Theta = 1) and step lengths that are
known before the run.

The points are x_k = -sum_j H_kj g_j with the gradients g_j. Let X_k = sum_j H_kj, c = 1 / (2 X_n +
1) and

    mu_{k+1} = (H_n0 + ... + H_nk) / (2 X_n - X_k),    mu_0 = 0, mu_{n+1} = 1.

The interpolation inequality of x_{k-1} and x_k gets the multiplier mu_k, the one of x* and x_k gets
mu_{k+1} - mu_k. In their sum all function values cancel. L(x_n) - c / 2 is then at most a quadratic
form of x* and the gradients. It is 0 where all gradients are -c x*; if it is nowhere positive, c /
2 is a bound. See docs/worst-cases.md; for gradient steps the multipliers are those of Drori,
Teboulle (2014).
"""

import itertools
from fractions import Fraction

from coordboost.theory.performance import Form, is_negative_definite


def weights(model):
    """Return (c, [mu_0, ..., mu_{n+1}]) of a model with the points x*, x_0, ..., x_n."""
    rows = [_steps(model, point) for point in model.points[1:]]
    sums = [sum(row) for row in rows]
    last = rows[-1]
    mu = [Fraction(sum(last[: k + 1])) / (2 * sums[-1] - total) for k, total in enumerate(sums)]
    return 1 / (2 * sums[-1] + 1), [Fraction(0), *mu]


def _steps(model, point):
    """Return H_k0, ..., H_kn of a point."""
    names = [next(iter(point.gradient.parts)) for point in model.points[1:]]
    return [-point.x.parts.get(name, Fraction(0)) for name in names]


def remainder(model, c, mu):
    """Return the ``Form`` objective + sum of multiplier times inequality + c / 2 (1 - |x*|^2).

    Its constant is c / 2.
    """
    star, *points = model.points
    total = model.programme.objective.plus(1 - star.x @ star.x, c / 2)
    for k, point in enumerate(points):
        total = total.plus(_interpolated(star, point), mu[k + 1] - mu[k])
        if k:
            total = total.plus(_interpolated(points[k - 1], point), mu[k])
    return total


def _interpolated(one, other):
    """Return the form of two points that is at least 0 for every convex, 1-smooth function."""
    g = one.gradient - other.gradient
    return one.value - other.value - other.gradient @ (one.x - other.x) - Fraction(1, 2) * (g @ g)


def proved(model):
    """Return an upper bound of L(x_n) for |x*| <= 1, a Fraction, or None where the chain proves
    nothing.
    """
    c, mu = weights(model)
    if any(after < before for before, after in itertools.pairwise(mu)) or mu[-1] != 1:
        return None
    total = remainder(model, c, mu)
    return total.constant if not total.numbers and _nowhere_above(model, total, c) else None


def _nowhere_above(model, form, c):
    """Return whether a form of x* and the gradients is nowhere positive: constant along (x* = 1, g
    = -c), negative definite for x* = 0.
    """
    star, *points = (
        next(iter(part.parts))
        for part in (model.points[0].x, *(point.gradient for point in model.points[1:]))
    )
    way = {star: Fraction(1), **dict.fromkeys(points, -c)}
    for name in way:
        slope = sum(
            (2 if i == j else 1) * value * way[j if i == name else i]
            for (i, j), value in form.gram.items()
            if name in (i, j)
        )
        if slope != 0:
            return False
    place = {name: k for k, name in enumerate(points)}
    beside = {
        (place[i], place[j]): value for (i, j), value in form.gram.items() if star not in (i, j)
    }
    ordered = {(min(key), max(key)): value for key, value in beside.items()}
    return is_negative_definite(len(points), Form(ordered, {}, Fraction(0)))
