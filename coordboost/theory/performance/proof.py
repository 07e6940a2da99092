"""Solve the semidefinite programme in floats, and prove its bound in fractions.

For every feasible point of a programme, objective + sum of multipliers times conditions is at least
the objective. If the multipliers make the numbers cancel in this sum, and the remaining form of the
vectors is negative definite, then the constant is an upper bound: *weak duality*. The solver's
multipliers do that up to rounding. They are rounded to fractions, the numbers are made to cancel
exactly, and the form is tested by its leading minors in whole numbers. To leave room for rounding,
the solver maximises the objective plus ``shift`` times the squared lengths of all vectors.
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from coordboost.theory.performance.forms import added

#: Tried in this order: shifts (see above), and the size up to which multipliers are replaced by 0.
SHIFTS = (1e-8, 1e-7, 1e-6, 1e-5)
LEAST = (0, 1e-8, 1e-7, 1e-6)
#: Multipliers are rounded to multiples of this.
GRAIN = Fraction(1, 1 << 44)
SETTINGS = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10, "max_iter": 400}


@dataclass(frozen=True)
class GramSolution:
    """The solution of the solver.

    The value, the Gram matrix, the numbers, and the multipliers of all conditions.
    """

    value: float
    gram: np.ndarray
    numbers: dict
    multipliers: Any


def _table(programme, forms):
    """Return the forms as rows of coefficients.

    They are those of the entries of the Gram matrix, of the numbers, and of 1.
    """
    n = programme.n_vectors
    place = {name: k for k, name in enumerate(programme.names())}
    table = np.zeros((len(forms), n * n + len(place) + 1))
    for row, form in zip(table, forms, strict=True):
        for (i, j), value in form.gram.items():
            row[i + n * j] = value
        for name, value in form.numbers.items():
            row[n * n + place[name]] = value
        row[-1] = form.constant
    return table


def solve_programme(programme, shift=0.0):
    """Return the ``GramSolution`` for a shifted objective.

    `shift` times the squared lengths of all vectors is added. None where the solver fails.

    *Cost*: 0.02 to 2 s for up to 8 steps.
    """
    import cvxpy as cp

    gram = cp.Variable((programme.n_vectors,) * 2, PSD=True)
    names = programme.names()
    numbers = [cp.Variable(len(names))] if names else []
    unknown = cp.hstack([cp.vec(gram, order="F"), *numbers, np.ones(1)])
    objective = _table(programme, [programme.objective])[0] @ unknown
    conditions = [_table(programme, programme.at_least_0) @ unknown >= 0]
    if programme.equal_to_0:
        conditions.append(_table(programme, programme.equal_to_0) @ unknown == 0)
    if programme.squares:
        a, b, c = (
            _table(programme, [square[i] for square in programme.squares]) @ unknown
            for i in range(3)
        )
        conditions.append(cp.SOC(a + c, cp.vstack([2 * b, a - c]), axis=0))
    try:
        with warnings.catch_warnings():
            # warnings about accuracy do not matter: proofs and runs do not trust the solver
            warnings.simplefilter("ignore")
            cp.Problem(cp.Maximize(objective + shift * cp.trace(gram)), conditions).solve(
                solver="CLARABEL", **SETTINGS
            )
    except cp.SolverError:
        return None
    if gram.value is None:
        return None
    values = dict(zip(names, numbers[0].value, strict=True)) if names else {}
    multipliers = _multipliers(programme, [condition.dual_value for condition in conditions])
    return GramSolution(float(objective.value), np.array(gram.value), values, multipliers)


def _multipliers(programme, duals):
    """Return float multipliers of the conditions >= 0, = 0, and of squares.

    Those of squares are rows (u, v, w) for u (a + c) + 2 v b + w (a - c).
    """
    above = np.atleast_1d(duals.pop(0))
    equal = -np.atleast_1d(duals.pop(0)) if programme.equal_to_0 else np.zeros(0)
    if not programme.squares:
        return above, equal, np.zeros((0, 3))
    length, inside = duals.pop(0)
    return (
        above,
        equal,
        np.column_stack([np.ravel(length), np.reshape(inside, (2, -1), order="F").T]),
    )


def _without_numbers(programme, total, above):
    """Change some multipliers in `total` a little, so that no number is left in it.

    None if that is impossible.

    Conditions with the largest multipliers are preferred, because these can change and stay >= 0.
    """
    # of an elimination: the pivot number, the numbers of a sum of conditions, and that sum
    basis = []

    def reduced(numbers, of):
        for name, row, made in basis:
            factor = -numbers.get(name, 0) / row[name]
            numbers = added(numbers, row, factor)
            of = added(of, made, factor)
        return numbers, of

    for i in sorted(range(len(above)), key=lambda i: -above[i]):
        remaining, made = reduced(programme.at_least_0[i].numbers, {i: Fraction(1)})
        if remaining:
            basis.append((next(iter(remaining)), remaining, made))
    remaining, change = reduced(total.numbers, {})
    if remaining or any(above[i] + more < 0 for i, more in change.items()):
        return None
    for i, more in change.items():
        total = total.plus(programme.at_least_0[i], more)
    return total


def solve_and_prove(programme):
    """Return (the ``GramSolution``, an upper bound of the objective as a Fraction).

    Each is None where it was not found.
    """
    solution = None
    for shift in SHIFTS:
        solution = solve_programme(programme, shift) or solution
        for threshold in LEAST if solution else ():
            bound = proved_bound(programme, solution.multipliers, threshold)
            if bound is not None:
                return solution, bound
    return solution, None


def proved_bound(programme, multipliers, threshold=0):
    """Return an upper bound of the objective, a Fraction proved in exact arithmetic.

    None where the proof fails.

    Multipliers of the conditions >= 0 that are at most `threshold` are replaced by 0.
    """

    def rounded(value):
        return round(Fraction(float(value)) / GRAIN) * GRAIN

    above, equal, squares = multipliers
    above = [rounded(value) if value > threshold else Fraction(0) for value in above]
    total = programme.objective
    for value, form in zip(above, programme.at_least_0, strict=True):
        total = total.plus(form, value)
    for value, form in zip(equal, programme.equal_to_0, strict=True):
        total = total.plus(form, rounded(value))
    for (_, v, w), (a, b, c) in zip(squares, programme.squares, strict=True):
        v = rounded(v)
        w = rounded(w)
        u = rounded(float(v**2 + w**2) ** 0.5) + 2 * GRAIN  # so that u^2 >= v^2 + w^2
        if u**2 < v**2 + w**2:
            return None
        total = total + u * (a + c) + 2 * v * b + w * (a - c)
    total = _without_numbers(programme, total, above)
    return (
        None
        if total is None or not is_negative_definite(programme.n_vectors, total)
        else total.constant
    )


def is_negative_definite(n, form):
    """Whether a form of n vectors is negative definite.

    By leading minors from fraction-free elimination in whole numbers.
    """
    common = lcm(*(value.denominator for value in form.gram.values()), 1)
    m = [[0] * n for _ in range(n)]
    for (i, j), value in form.gram.items():
        whole = -int(value * common)
        m[i][j] = m[j][i] = 2 * whole if i == j else whole
    before = 1
    for k in range(n):
        if m[k][k] <= 0:
            return False
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                m[i][j] = (m[k][k] * m[i][j] - m[i][k] * m[k][j]) // before
        before = m[k][k]
    return True
