"""The semidefinite programme solved in floats, and its bound proved in fractions.

For every solution of a programme, objective + sum of multipliers times conditions is at least the objective. Where
they make the numbers vanish from this sum, and leave a form of the vectors below 0, the constant is an upper bound: *weak duality*.
The solver's multipliers do that up to rounding. They are rounded to fractions, the numbers are made to vanish exactly, and the form is
tested by its leading minors in whole numbers. So that it passes, the solver is asked for a little more than the objective: ``shift`` times
the squared lengths of all vectors on top.
"""

import contextlib
import warnings
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse

#: Tried one after the other: what is put on top of the objective, by the squared lengths of the vectors, and multipliers taken for 0.
SHIFTS, LEAST = (1e-8, 1e-7, 1e-6, 1e-5), (0, 1e-8, 1e-7, 1e-6)
#: Multipliers are rounded to multiples of this.
GRAIN = Fraction(1, 1 << 44)
SETTINGS = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10, "max_iter": 400}


@dataclass(frozen=True)
class Solution:
    """What the solver found: the value, the Gram matrix, the numbers, and the multipliers of all conditions."""

    value: float
    gram: np.ndarray
    numbers: dict
    multipliers: Any


def _rows(programme, forms):
    """The forms as a matrix on the entries of the Gram matrix, one on the numbers, and constants."""
    n, gram, numbers, place = programme.n_vectors, [], [], {name: k for k, name in enumerate(programme.names())}
    for row, form in enumerate(forms):
        gram.extend((row, i + n * j, float(value)) for (i, j), value in form.gram.items())
        numbers.extend((row, place[k], float(value)) for k, value in form.numbers.items())
    parts = []
    for entries, width in ((gram, n * n), (numbers, max(1, len(place)))):
        row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
        parts.append(scipy.sparse.csr_array((value, (row, column)), shape=(len(forms), width)))
    return *parts, np.array([float(form.constant) for form in forms])


def solve_programme(programme, shift=0.0):
    """The ``Solution`` for the objective with `shift` times the squared lengths of all vectors on top. *Cost*: 0.02 to 2 s for N <= 8."""
    gram = cp.Variable((programme.n_vectors,) * 2, PSD=True)
    names = programme.names()
    numbers = cp.Variable(max(1, len(names)))
    flat = cp.vec(gram, order="F")

    def values(forms):
        on_gram, on_numbers, constant = _rows(programme, forms)
        return on_gram @ flat + on_numbers @ numbers + constant

    conditions = [values(programme.at_least_0) >= 0]
    if programme.equal_to_0:
        conditions.append(values(programme.equal_to_0) == 0)
    if programme.squares:
        a, b, c = (values([square[i] for square in programme.squares]) for i in range(3))
        conditions.append(cp.SOC(a + c, cp.vstack([2 * b, a - c]), axis=0))
    if not names:
        conditions.append(numbers == 0)
    problem = cp.Problem(cp.Maximize(values([programme.objective])[0] + shift * cp.trace(gram)), conditions)
    problem.solve(solver="CLARABEL", **SETTINGS)
    duals = [condition.dual_value for condition in conditions]
    return Solution(
        float(values([programme.objective]).value[0]), np.array(gram.value), dict(zip(names, numbers.value, strict=False)),
        _multipliers(programme, duals),
    )  # fmt: skip


def _multipliers(programme, duals):
    """Of the conditions >= 0, = 0 and of squares, floats; squares as (u, v, w) for u (a + c) + 2 v b + w (a - c)."""
    duals = list(duals)
    above = np.atleast_1d(duals.pop(0))
    equal = -np.atleast_1d(duals.pop(0)) if programme.equal_to_0 else np.zeros(0)
    if not programme.squares:
        return above, equal, np.zeros((0, 3))
    length, inside = duals.pop(0)
    return above, equal, np.column_stack([np.ravel(length), np.reshape(inside, (2, -1), order="F").T])


def _rounded(value):
    return round(Fraction(float(value)) / GRAIN) * GRAIN


def _without_numbers(programme, total, above):
    """`total` with a little more or less of some conditions, so that no number is left; None if that cannot be.

    Conditions are taken by their multipliers, the largest first: these stay above 0.
    """
    names, chosen, reduced = programme.names(), [], []
    for i in sorted(range(len(above)), key=lambda i: -above[i]):
        rest = dict(programme.at_least_0[i].numbers)
        for pivot, row in reduced:
            rest = _eliminated(rest, pivot, row)
        if rest and len(chosen) < len(names):
            reduced.append((next(iter(rest)), rest))
            chosen.append(i)
    matrix = [[programme.at_least_0[i].numbers.get(name, Fraction(0)) for i in chosen] for name in names]
    change = solve_exactly(matrix, [-total.numbers.get(name, Fraction(0)) for name in names])
    if change is None or any(above[i] + more < 0 for i, more in zip(chosen, change, strict=True)):
        return None
    for i, more in zip(chosen, change, strict=True):
        total = total.plus(programme.at_least_0[i], more)
    return total


def _eliminated(rest, pivot, row):
    """`rest` without the number `pivot`, by a multiple of `row`."""
    factor = rest.get(pivot, Fraction(0)) / row[pivot]
    keys = set(rest) | set(row)
    out = {key: rest.get(key, Fraction(0)) - factor * row.get(key, Fraction(0)) for key in keys} if factor else rest
    return {key: value for key, value in out.items() if value != 0}


def solve_exactly(matrix, right):
    """A solution of linear equations in fractions, the columns being independent; None where there is none."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows[0]) - 1 if rows else 0
    for k in range(n):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[k] != 0:
                rows[i] = [a - row[k] * b for a, b in zip(row, rows[k], strict=True)]
    return [row[-1] for row in rows[:n]] if all(row[-1] == 0 for row in rows[n:]) else None


def solve_and_prove(programme):
    """(the ``Solution``, an upper bound of the objective as a Fraction); None for the bound where no proof was found."""
    found = None
    for shift in SHIFTS:
        with contextlib.suppress(cp.SolverError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the solver says that it may be inaccurate: the proof does not ask
            found = solve_programme(programme, shift)
            for least in LEAST:
                bound = proved_bound(programme, found.multipliers, least)
                if bound is not None:
                    return found, bound
    return found, None


def proved_bound(programme, multipliers, least=0):
    """An upper bound of the objective, a Fraction, with nothing but fractions in its proof; None where the proof fails.

    Multipliers up to `least` are taken for 0.
    """
    above, equal, squares = multipliers
    above = [_rounded(value) if value > least else Fraction(0) for value in above]
    total = programme.objective
    for value, form in zip(above, programme.at_least_0, strict=True):
        total = total.plus(form, value)
    for value, form in zip(equal, programme.equal_to_0, strict=True):
        total = total.plus(form, _rounded(value))
    for (_, v, w), (a, b, c) in zip(squares, programme.squares, strict=True):
        v, w = _rounded(v), _rounded(w)
        u = _rounded(float(v**2 + w**2) ** 0.5) + 2 * GRAIN  # so that u^2 >= v^2 + w^2
        if u**2 < v**2 + w**2:
            return None
        total = total + u * (a + c) + 2 * v * b + w * (a - c)
    total = _without_numbers(programme, total, above)
    return None if total is None or not is_negative_definite(programme.n_vectors, total) else total.constant


def is_negative_definite(n, form):
    """Whether a form of n vectors is below 0 unless all of them are: leading minors, by fraction-free elimination in whole numbers."""
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
