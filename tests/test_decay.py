"""exp(-a) in arithmetic alone, against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordboost._decay import decay
from coordboost._generic import compiled


def reference(a):
    """exp(-a) of a float, to 40 digits: the series of exp(a / 1024), its reciprocal 1,024 times."""
    x, term, total = Fraction(a) / 1024, Fraction(1), Fraction(0)
    for i in range(1, 40):
        total += term
        term = round(term * x / i * 10**60) * Fraction(1, 10**60)
    for _ in range(10):
        total = round(total * total * 10**60) * Fraction(1, 10**60)
    return 1 / total


def every(values, out):
    for i in range(len(values)):
        out[i] = decay(values[i])


def compiled_decay(values):
    out = np.empty(len(values))
    compiled(every, ())(np.asarray(values, dtype=np.float64), out)
    return out


@given(st.floats(0, 745))
def test_it_is_the_exponential_to_the_last_place(a):
    exact, found = reference(a), decay(a)
    size = math.ulp(float(exact))  # of a number that is not normal it is 2^-1074
    assert abs(Fraction(found) - exact) <= Fraction(size) * (
        Fraction(11, 10) if exact >= Fraction(2) ** -1022 else Fraction(16, 10)
    )


def test_compiled_code_gives_the_same_bits():
    """Every length, so that vectors and what is left over of them are looked at, and every power of two."""
    values = np.concatenate([np.random.default_rng(0).exponential(20.0, 1000), np.arange(1100) * math.log(2)])
    np.testing.assert_array_equal(compiled_decay(values), [decay(a) for a in values])


def test_its_ends():
    np.testing.assert_array_equal(compiled_decay([0.0, 746.0, 800.0, 1e308, np.inf, np.nan]), [1, 0, 0, 0, 0, np.nan])
    assert [decay(a) for a in (0.0, 746.0, 800.0, 1e308, math.inf)] == [1, 0, 0, 0, 0] and math.isnan(decay(math.nan))


@pytest.mark.parametrize("a", [5e-324, 1e-17, 1e-10])
def test_near_nothing_it_is_one_and_never_more(a):
    assert 1 - 2 * a <= decay(a) <= 1
