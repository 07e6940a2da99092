r"""Subgradient descent: the best of k + 1 iterates (Proposition 3.1).

Problem: minimise a convex function with subgradients of length at most G; here the largest
correlation over the residuals (G = 1), and
||x - c||_1 (G^2 = dimension) in rationals.

Method: x <- x - a_k g_k with positive steps; FS_eps, FS_{eps_k}, and LS-Boost with its own steps
eps C_k.

Assumptions: unit columns, so that G = 1.

Claim: upper, (20) for constant steps and (37): min over i <= k of f(x_i) - f* <= (||x_0 - x*||^2 +
G^2 sum a_i^2) / (2 sum a_i).

Constants: A = ||x_0 - x*|| from the thin SVD, rounded against the claim; exact in rationals.

Measured: the running minimum over k + 1 iterates.

Reference: Freund, Grigas, Mazumder, Proposition 3.1 and (37). The printed proof drops "- f*" in its
last line.
"""

from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, stagewise
from verification.cases import lab
from verification.space import Space
from verification.spaces.walk import sign
from verification.spaces.walks import FS, LS, VARYING
from verification.statement import Check, claim


class Descent:
    """Subgradient descent on ||x - c||_1 from 0 in rationals."""

    def __init__(self, steps, c=(Fraction(3), Fraction(-2), Fraction(1), Fraction(5))):
        self.steps = np.array(steps)
        c = np.array(c)
        x = c * 0
        values = []
        for step in steps:
            values.append(np.abs(x - c).sum())
            x = x - step * np.array([sign(entry) for entry in x - c])
        self.values = np.array(values)
        self.distance2 = c @ c
        self.length2 = len(c)


def _descent(shape, numbers):
    """numbers: c, then the steps, or one step for all."""
    dim, n_steps, constant = shape
    steps = np.abs(numbers[dim:])
    if len(steps) != (1 if constant else n_steps) or not np.all(steps > 0):
        return None
    return Descent(list(steps) * (n_steps if constant else 1), numbers[:dim])


def _draw(rng):
    dim, n_steps, constant = (int(rng.integers(1, end)) for end in (4, 9, 3))
    count = dim + (1 if constant == 1 else n_steps)
    return (dim, n_steps, int(constant == 1)), rng.standard_normal(count)


DESCENTS = Space(
    "subgradient descent on ||x - c||_1",
    _draw,
    _descent,
    has=lambda case: isinstance(case, Descent),
)


def _bound(case, length2):
    total = np.cumsum(case.steps)
    squares = np.cumsum(case.steps**2)
    return (case.distance2 + length2 * squares) / (2 * total)


def _pair(case, length2):
    return np.minimum.accumulate(case.values), _bound(case, length2)


check_general = Check(stagewise.subgradient, (VARYING, FS, LS))


@claim("Proposition 3.1 (37), any function", DESCENTS, printed="verified")
def check_any(case, variant):
    """The same for subgradient descent on ||x - c||_1, in rationals."""
    return BoundCheck(
        check_any.statement, variant, "upper", *_pair(case, case.length2), level="exact"
    )


@claim("Proposition 3.1 (20)", DESCENTS, printed="verified")
def check_constant(case, variant):
    """min_{i<=k} f(x_i) - f* <= ||x_0 - x*||^2 / (2 (k+1) a) + a G^2 / 2, constant a."""
    if len(set(case.steps)) > 1:
        return None
    k = np.arange(len(case.steps))
    a = case.steps[0]
    bound = case.distance2 / (2 * (k + 1) * a) + a * case.length2 / 2
    return BoundCheck(
        check_constant.statement,
        variant,
        "upper",
        np.minimum.accumulate(case.values),
        bound,
        level="exact",
    )


@claim("Proposition 3.1, last line of the proof", DESCENTS, printed="refuted", corrected="verified")
def check_proof(case, variant):
    """Min f(x_i) <= (||x_0 - x*||^2 + G^2 sum a_i^2) / (2 sum a_i), f = 10 + ||x - c||_1.

    Corrected: min f(x_i) - f* on the left.
    """
    smallest, bound = _pair(case, case.length2)
    least = Fraction(10)
    measured = smallest + least - (least if variant == "corrected" else 0)
    return BoundCheck(check_proof.statement, variant, "upper", measured, bound, level="exact")


def _short(case):
    """(20) and (37) with subgradients claimed to be shorter than they are."""
    return BoundCheck("too short", "printed", "upper", *_pair(case, Fraction(1, 4)), level="exact")


def _varying(steps):
    return lambda size: cb.forward_stagewise(size * steps)


_COUNT = np.arange(1, 3001)
CASES = {
    "constant steps, in rationals": lambda: Descent([Fraction(1, 8)] * 60),
    "long constant steps, in rationals": lambda: Descent([Fraction(3)] * 40),
    "falling steps, in rationals": lambda: Descent([Fraction(2, k + 2) for k in range(40)]),
    "60 x 20, 1 / sqrt(k + 1)": lab("60 x 20", _varying(1 / np.sqrt(_COUNT))),
    "60 x 20, 2 / (k + 1)": lab("60 x 20", _varying(2 / (_COUNT + 1))),
    "30 x 80, random steps": lab(
        "30 x 80", _varying(np.random.default_rng(0).uniform(0.001, 0.1, 3000))
    ),
    "rank-deficient, constant": lab(
        "rank-deficient", lambda size: cb.forward_stagewise(0.01 * size)
    ),
    "30 x 80, LS-Boost(0.5)": lab("30 x 80", cb.ls_boost(0.5), 1000),
    "diabetes, LS-Boost(0.01)": lab("diabetes", cb.ls_boost(0.01), 20_000),
}
QUICK = tuple(CASES)[:8]
SABOTAGE = {
    check_any: {"subgradients shorter than they are": _short},
    check_proof: {"subgradients shorter than they are": _short},
    check_constant: {"subgradients shorter than they are": _short},
}
