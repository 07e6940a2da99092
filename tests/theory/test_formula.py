"""Formulas of claims: every function, in floats and in Fractions, against plain Python."""

from fractions import Fraction as F
from types import SimpleNamespace as Case

import numpy as np
import pytest

from coordboost.theory.bounds import formula

X = np.array([F(3), F(1), F(2), F(1)], dtype=object)


def value(text, **known):
    return formula.value(formula.parsed(text), formula.Scope(Case(**known)))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("smallest(x)", [3, 1, 1, 1]),
        ("smallest(x, 2)", [2, 2, 2, 1]),
        ("total(x)", [3, 4, 6, 7]),
        ("mean(x)", [3, 2, 2, F(7, 4)]),
        ("spent(x)", [0, 3, 4, 6]),
        ("before(x)", [0, 3, 1, 2]),
        ("later(x)", [1, 2, 1, 1]),
        ("at(best(x), x)", [3, 1, 1, 1]),
        ("root(x**2 * 4)", [6, 2, 4, 2]),
        ("where(x > 1, x, -x)", [3, -1, 2, -1]),
        ("largest(x, 2) - least(x, 2)", [1, 1, 0, 1]),
        ("decay(1 / x, 2) * x**2", [4, 0, 1, 0]),
        ("x @ x - ceil(x[-1] / 3) + abs(-x[0])", 17),
    ],
)
def test_functions(text, expected):
    np.testing.assert_array_equal(value(text, x=X), np.array(expected, dtype=object))
    np.testing.assert_allclose(value(text, x=X.astype(float)), np.array(expected, dtype=float))


@pytest.mark.parametrize("n", [0, F(1, 2), 1, F(5, 2), 40])
@pytest.mark.parametrize("x", [F(0), F(1, 10**9), F(3, 4), F(1)])
def test_powers_are_exact_on_fractions_and_accurate_in_floats(x, n):
    """(1 - x)^n and its complement, to the digits of a root; no digits are lost for small x."""
    precise = formula.root(1 - x) ** int(2 * n)
    assert abs(formula.decayed(x, n) - precise) < F(1, 10**30)
    assert formula.fall(x, n) == 1 - formula.decayed(x, n)
    for function, expected in ((formula.decayed, precise), (formula.fall, 1 - precise)):
        np.testing.assert_allclose(function(float(x), float(n)), float(expected), rtol=1e-14)


def test_definitions_come_before_quantities_and_refer_to_each_other():
    where = {"a": "b + 1", "b": "2 * c"}
    scope = formula.Scope(Case(c=F(3), b=F(0)), where)
    assert formula.value(formula.parsed("a - b"), scope) == 1


@pytest.mark.parametrize("text", ["__import__('os')", "x.dtype", "[y for y in x]", "lambda: x"])
def test_what_is_no_formula_is_refused(text):
    with pytest.raises((ValueError, AttributeError)):
        value(text, x=X)
