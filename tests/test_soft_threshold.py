"""The one soft threshold: against its formula, as a minimum of the objective, and in exact numbers."""

from fractions import Fraction

import numpy as np
from designs import seeded
from hypothesis import given
from hypothesis import strategies as st

from coordboost._generic import compiled
from coordboost._linesearch import soft_threshold

whole, positive = st.integers(-20, 20), st.integers(0, 20)


@seeded
@given(a=whole, lam=positive, square=st.integers(1, 8))
def test_it_is_the_minimum(a, lam, square):
    """In fractions: the derivative to the left is not above 0, to the right not below. In float64 it is the rounded quotient."""
    x = soft_threshold(Fraction(a), Fraction(lam), Fraction(square))
    assert isinstance(x, Fraction)
    slope = square * x - a
    left, right = slope + (lam if x > 0 else -lam), slope + (lam if x >= 0 else -lam)
    assert left <= 0 <= right
    by_formula = np.sign(a) * np.maximum(abs(a) - lam, 0) / square
    for run in (soft_threshold, compiled(soft_threshold, ())):
        assert run(float(a), float(lam), float(square)) == by_formula == float(x)
