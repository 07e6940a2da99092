r"""Minimal cosine angles in closed form (Examples 1-3, (18), (20), Remark 4.2, Figure 3).

Problem: orthonormal, ternary and sign dictionaries, lines in the plane, stumps on one feature.

Method: none.

Assumptions: the zero vector is left out of the ternary dictionary (the print counts it).

Claim: tight: Example 1, 1 / sqrt p; Example 2, (18), the smallest (gamma_1 + ... + gamma_i) / sqrt
i; Example 3, (20); Remark 4.2 as sharpened: exactly min(t / p, 1 / sqrt p) (printed: of that
order); Figure 3: cos^2 of half the widest gap. Ours: sizes of groups in (18), sign vectors 1 / sqrt
p, stumps on n values 1 / n (n odd) or 1 / sqrt(n (n - 1)) (n even).

Constants: none.

Measured: the angle by enumeration of facets, rays or sign vectors, or by cones, without the closed
forms; for Remark 4.2 the formula
(18) in rationals, for all t <= p < 60.

Reference: Lu, Mazumder, Examples 1-3, (18), (20), Remark 4.2, Figure 3.
"""

import functools
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, cos, radians, sqrt
from typing import Any

import numpy as np

import coordboost as cb
from coordboost.angles import exact
from coordboost.angles.angle import mca
from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.spaces.draws import BASIS
from verification.statement import claim, stated


@dataclass(frozen=True, eq=False)
class Known:
    """A dictionary, the rule, the groups, and the claimed angle."""

    statement: str
    B: np.ndarray
    rule: Any
    value: float
    groups: Any = None


def _rotated(p):
    """Return an orthonormal basis with one learner repeated: the angle of Type 0 is the same, but
    its closed form does not apply.
    """
    return np.column_stack([np.eye(p), np.eye(p)[:, 0]])


def _ternary(p):
    return np.array([v for v in product((-1, 0, 1), repeat=p) if any(v)], dtype=float).T


def ternary(p):
    r"""Return Theta of Type 0 over all 3^p - 1 normalised vectors of -1, 0, 1:
    :math:`(\sum_i (\sqrt i - \sqrt{i-1})^2)^{-1/2}`, (20).
    """
    return sum((sqrt(i) - sqrt(i - 1)) ** 2 for i in range(1, p + 1)) ** -0.5


def _lines(*degrees):
    return np.array([[cos(radians(d)), cos(radians(90 - d))] for d in degrees]).T


@functools.cache
def _all():
    orthonormal = [
        Known("Example 1", _rotated(p), cb.rules.Greedy(), 1 / sqrt(p)) for p in (2, 3, 4, 5)
    ]
    ordered = [
        Known(
            "Example 2 (18)",
            np.eye(p),
            cb.rules.RandomSubset(t),
            exact.orthonormal(cb.rules.RandomSubset(t).weights(p)),
        )
        for p in (2, 3, 4)
        for t in range(1, p + 1)
    ]
    grouped = [
        Known(
            "Example 2 (18)",
            np.eye(4),
            cb.rules.Groups(t),
            exact.orthonormal(cb.rules.RandomSubset(t).weights(3), [2, 1, 1]),
            [0, 0, 1, 2],
        )
        for t in (1, 2, 3)
    ]
    vectors = [Known("Example 3 (20)", _ternary(p), cb.rules.Greedy(), ternary(p)) for p in (3, 4)]
    plane = [
        Known("Figure 3", _lines(*degrees), cb.rules.Greedy(), sqrt(square))
        for degrees, square in [
            ((0, 90), 0.5),
            (range(0, 180, 30), 0.9330127018922193),
            ((0, 1), 1 - cos(radians(0.5)) ** 2),
        ]
    ]
    signs = [
        Known(
            "Sign vectors",
            np.array(list(product((-1.0, 1), repeat=p))).T,
            cb.rules.Greedy(),
            1 / sqrt(p),
        )
        for p in (2, 3, 4)
    ]
    stumps = [
        Known(
            "Stumps on one feature",
            np.where(np.arange(n)[:, None] <= np.arange(n), 1.0, -1.0),
            cb.rules.Greedy(),
            1 / n if n % 2 else 1 / sqrt(n * (n - 1)),  # the constant included
        )
        for n in range(2, 8)
    ]
    return [*orthonormal, *ordered, *grouped, *vectors, *plane, *signs, *stumps]


def _angle(case, factor=1.0):
    """Check the angle by enumeration where that is cheap, so that the closed forms of the package
    are not used.
    """
    from coordboost.angles.learners import ReducedLearners

    learners = ReducedLearners.of(case.B, case.rule, case.groups)
    basis = learners.rank == learners.n_learners and type(case.rule) is cb.rules.Greedy
    cost, minimiser = (
        (exact.signs_cost, exact.longest_vertex) if basis else (exact.rays_cost, exact.least_ray)
    )
    found = minimiser(learners) if cost(learners) < 2 else None
    value = (
        mca(case.B, case.rule, groups=case.groups).upper
        if found is None
        else learners.cosine(found)
    )
    return BoundCheck(
        case.statement,
        "printed",
        "tight",
        [value],
        [factor * case.value],
        1e-9,
        "float",
        at=[1],
        along="case",
    )


KNOWN = Space(
    "known dictionaries",
    lambda rng: ((int(rng.integers(len(_all()))),), np.zeros(0)),
    lambda shape, _: _all()[shape[0]],
    exact=False,
    has=lambda case: isinstance(case, Known),
)
SQUARES = Space(
    "orthonormal learners, and how many are drawn",
    lambda rng: ((int(rng.integers(1, 80)), int(rng.integers(1, 80))), np.zeros(0)),
    lambda shape, _: shape if shape[0] <= shape[1] else None,
    has=lambda case: isinstance(case, int | tuple),
)


def _check(statement, **expected):
    @claim(statement, KNOWN, **expected)
    def check(case, variant):
        if case.statement != statement:
            return None
        held = _angle(case)
        return BoundCheck(
            statement,
            variant,
            "tight",
            held.measured,
            held.bound,
            held.slack,
            "float",
            at=[1],
            along="case",
        )

    check.__doc__ = f"{statement}: the angle equals its closed form."
    return check


check_orthonormal = _check("Example 1", printed="verified")
check_ordered = _check("Example 2 (18)", printed="verified")
check_ternary = _check("Example 3 (20)", printed="verified")
check_plane = _check("Figure 3", printed="verified")
check_signs = _check("Sign vectors", sharpened="verified")
check_stumps = _check("Stumps on one feature", sharpened="verified")


def _squares(t, p):
    """Return the square of (18) with gamma = gamma_t^p, in rationals."""
    sums = [1 - Fraction(comb(p - i, t), comb(p, t)) for i in range(1, p + 1)]
    return min(total**2 / i for i, total in enumerate(sums, 1))


def _remark(case, root=True):
    pairs = (
        [(t, p) for p in range(1, case) for t in range(1, p + 1)]
        if isinstance(case, int)
        else [case]
    )
    exact = [
        min(Fraction(t * t, p * p), Fraction(1, p)) if root else Fraction(t * t, p * p)
        for t, p in pairs
    ]
    return BoundCheck(
        "Remark 4.2",
        "sharpened",
        "tight",
        [_squares(t, p) for t, p in pairs],
        exact,
        0,
        "exact",
        along="case",
    )


check_general = stated(
    "(18), any rule",
    BASIS,
    "Orthonormal learners, groups of any sizes.",
    printed="angle2 == orthonormal_angle2",
)


@claim("Remark 4.2", SQUARES, sharpened="verified")
def check_remark(case, variant):
    """Orthonormal, Type 1: Theta = min(t / p, 1 / sqrt p), exactly."""
    return _remark(case)


CASES = {
    f"{one.statement}, {one.B.shape[1]} learners, {i}": (lambda one=one: one)
    for i, one in enumerate(_all())
} | {"t <= p < 60": lambda: 60}


def _millionth(check):
    return lambda case: _angle(case, 1 + 1e-6) if case.statement == check.statement else None


SABOTAGE = {
    check_general: {
        "a hundredth more": check_general.instead("100 * angle2 == 101 * orthonormal_angle2")
    },
    **{
        check: {"a millionth more": _millionth(check)}
        for check in (
            check_orthonormal,
            check_ordered,
            check_ternary,
            check_plane,
            check_signs,
            check_stumps,
        )
    },
    check_remark: {"t / p for every p": lambda case: _remark(case, root=False)},
}
