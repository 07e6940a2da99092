r"""Duality of the Lasso and of the regularised largest correlation (Propositions A.5 and A.6).

Problem: least squares in the l1 ball of radius delta, and min f_delta(r) = ||X'r||_inf + ||r - y||^2 / (2 delta) over residuals r.

Method: none.

Assumptions: delta > 0. The print allows delta = 0, where f_delta is not defined.

Claim: tight, (44) at r = y - X beta, and upper elsewhere; tight, (48) for all beta and all r, in the span or not; upper, weak duality for
feasible beta; tight, strong duality; upper, L(beta) - L*_delta <= delta omega_delta(beta), omega >= 0 on the ball and 0 at solutions.

Constants: L*_delta of the golden instance, in closed form between the knots of its Lasso path.

Measured: in rationals, in sums over samples, at random points of the ball.

Reference: Freund, Grigas, Mazumder, Propositions A.5, A.6, (44), (45), (48).
"""

from fractions import Fraction

import numpy as np

from coordboost.bounds import BoundCheck
from verification.cases import claim
from verification.exact import COLUMNS, GOLDEN, lasso, rationals

X, Y = COLUMNS, GOLDEN
#: delta: a solution of the Lasso; that it is one, A.6 (iii) itself shows.
SOLUTIONS = {Fraction(delta): lasso(Fraction(delta)) for delta in ("1/2", "4/5", "1", "2", "3", "322/65", "13/2")}


def loss(beta):
    """||y - X beta||^2 / 2."""
    return ((Y - X @ beta) ** 2).sum() / 2


def largest(r):
    """||X'r||_inf."""
    return np.abs(X.T @ r).max()


def regularised(r, delta):
    """f_delta(r)."""
    return largest(r) + ((r - Y) ** 2).sum() / (2 * delta)


def omega(beta, delta):
    """omega_delta(beta), (45)."""
    r = Y - X @ beta
    return largest(r) - r @ (X @ beta) / delta


class Points:
    """Random coefficients in the ball of radius delta, and random vectors."""

    def __init__(self, delta, seed=0):
        rng = np.random.default_rng(seed)
        self.delta, self.best = delta, SOLUTIONS[delta]
        draws = rationals(rng.integers(-9, 10, (30, 3)).tolist())
        self.betas = [delta * b / max(abs(b).sum(), 1) for b in draws] + [self.best, 0 * self.best]
        self.vectors = list(rationals(rng.integers(-9, 10, (len(self.betas), 3)).tolist()))


def _check(name, variant, kind, pairs):
    return BoundCheck(name, variant, kind, *np.array(pairs, dtype=object).T, level="exact")


def _inner(beta, r):
    """The function of r whose maximum is L(beta), in (44)."""
    return -r @ (X @ beta) - ((r - Y) ** 2).sum() / 2 + (Y @ Y) / 2


@claim("Proposition A.5 (44)", printed="verified")
def check_conjugate(case, variant):
    """L(beta) = max over r of -<r, X beta> - ||r - y||^2/2 + ||y||^2/2, attained at the residual."""
    reached = [(_inner(b, Y - X @ b), loss(b)) for b in case.betas]
    below = [(_inner(b, r), loss(b)) for b, r in zip(case.betas, case.vectors, strict=True)]
    name = check_conjugate.statement
    return [_check(name, variant, "tight", reached), _check(name, variant, "upper", below)]


@claim("Proposition A.6, (48)", printed="verified")
def check_identity(case, variant):
    """L(beta) + delta f_delta(r) = ||y||^2/2 + ||y - X beta - r||^2/2 + delta (||X'r||_inf - <r, X beta>/delta)."""
    return _check(check_identity.statement, variant, "tight", _identity(case, Fraction(1, 2)))


def _identity(case, half):
    return [
        (
            loss(b) + case.delta * regularised(r, case.delta),
            (Y @ Y) / 2 + half * ((Y - X @ b - r) ** 2).sum() + case.delta * largest(r) - r @ (X @ b),
        )
        for b, r in zip(case.betas, case.vectors, strict=True)
    ]


@claim("Proposition A.6 (i)", printed="verified")
def check_weak(case, variant):
    """||y||^2/2 <= L(beta) + delta f_delta(r), beta in the ball."""
    pairs = [
        ((Y @ Y) / 2, loss(b) + case.delta * regularised(r, case.delta)) for b, r in zip(case.betas, case.vectors, strict=True)
    ]
    return _check(check_weak.statement, variant, "upper", pairs)


@claim("Proposition A.6 (ii)", printed="verified")
def check_strong(case, variant):
    """L*_delta + delta f*_delta = ||y||^2/2, at the residual of the Lasso solution, the smallest of all."""
    r, delta = Y - X @ case.best, case.delta
    smallest = [(regularised(r, delta), regularised(v, delta)) for v in case.vectors]
    name = check_strong.statement
    return [
        _check(name, variant, "tight", [(loss(case.best) + delta * regularised(r, delta), (Y @ Y) / 2)]),
        _check(name, variant, "upper", smallest),
    ]


@claim("Proposition A.6 (iii)", printed="verified")
def check_gap(case, variant):
    """0 <= L(beta) - L*_delta <= delta omega_delta(beta), and omega = 0 at a solution."""
    name, best = check_gap.statement, loss(case.best)
    return [
        _check(name, variant, "upper", [(loss(b) - best, case.delta * omega(b, case.delta)) for b in case.betas]),
        _check(name, variant, "upper", [(best, loss(b)) for b in case.betas]),
        _check(name, variant, "tight", [(omega(case.best, case.delta), Fraction(0))]),
    ]


def _at(delta):
    return lambda: Points(delta)


CASES = {f"delta = {delta}": _at(delta) for delta in SOLUTIONS}


def _outside(case):
    """Weak duality for coefficients outside the ball, against the residual of the best one."""
    far, r = 3 * SOLUTIONS[Fraction(13, 2)] / 2, Y - X @ case.best
    return _check("outside", "printed", "upper", [((Y @ Y) / 2, loss(far / 3 * 2) + case.delta * regularised(r, case.delta))])


SABOTAGE = {
    check_conjugate: {"without ||y||^2/2": lambda case: _check("no constant", "printed", "tight",
                      [(_inner(b, Y - X @ b) - (Y @ Y) / 2, loss(b)) for b in case.betas])},
    check_identity: {"the square without its half": lambda case: _check("no half", "printed", "tight", _identity(case, Fraction(1)))},
    check_weak: {"beta outside the ball": _outside},
    check_strong: {"half of f": lambda case: _check("half", "printed", "tight", [
        (loss(case.best) + case.delta * regularised(Y - X @ case.best, case.delta) / 2, (Y @ Y) / 2)])},
    check_gap: {"half of omega": lambda case: _check("half", "printed", "upper", [
        (loss(b) - loss(case.best), case.delta * omega(b, case.delta) / 2) for b in case.betas])},
}  # fmt: skip
