"""Learners in bytes: a look is off by less than it says, whatever the entries, the vector and the shapes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as extra

from coordboost.screening.coarse import DEPTH, STEPS, CoarseColumns

RNG = np.random.default_rng(17)


def off_by(rows, v):
    """How far the look is off, and how far it says that it may be; in longer numbers."""
    corr, off = CoarseColumns(rows).scan(v)
    return np.abs(corr - rows.astype(np.longdouble) @ v.astype(np.longdouble)), off


@pytest.mark.parametrize("size", [1.0, 1e150, 1e-150])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (4, 2), (9, DEPTH), (6, DEPTH + 1), (5, 3 * DEPTH - 5), (4101, 3)])
def test_a_look_is_off_by_less_than_it_says(shape, size):
    """And by more than nothing, about as much as chance makes it: a step is 1 / 127 of the largest entry."""
    rows, v = RNG.standard_normal(shape), size * RNG.standard_normal(shape[1])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    off, said = off_by(rows, v)
    assert (off <= said).all()
    assert said.max() <= 0.6 / STEPS * np.linalg.norm(v) * max(1.0, np.sqrt(shape[1]) * np.abs(rows).max())


NUMBERS = st.floats(-1e3, 1e3, allow_subnormal=False)


@given(extra.arrays(float, (6, 5), elements=NUMBERS), extra.arrays(float, 5, elements=NUMBERS))
def test_of_any_entries(rows, v):
    off, said = off_by(rows, v)
    assert (off <= said + 1e-300).all()  # what is smaller than any normal number is not looked after


def test_the_bound_is_reached_along_what_was_left_over():
    rows = RNG.standard_normal((5, 50))
    coarse = CoarseColumns(rows)
    left = rows - coarse.step[:, None] * coarse.codes
    assert (np.abs(coarse.codes).max(axis=1) == STEPS).all() and (np.abs(left) <= coarse.step[:, None] * 0.5000001).all()
    for j in range(5):
        off, said = off_by(rows, left[j])
        assert off[j] == pytest.approx(said[j], rel=0.1)


def test_single_precision_counts():
    """Entries that bytes hold without a rest: what is off is the rounding of the sums alone."""
    rows = np.tile(RNG.integers(-STEPS, STEPS, (4, 2 * DEPTH)) / STEPS, 1)
    rows[:, 0] = 1.0
    off, said = off_by(rows, RNG.standard_normal(2 * DEPTH))
    assert (off > 0).any() and (off <= said).all()


def test_nothing_and_zeros():
    """Of a vector of zeros, and of a learner of zeros."""
    corr, off = CoarseColumns(np.array([[0.0, 0.0], [1.0, 2.0]])).scan(np.array([3.0, 1.0]))
    assert corr[0] == off[0] == 0 and corr[1] == pytest.approx(5.0, rel=0.01)
    corr, off = CoarseColumns(np.ones((3, 2))).scan(np.zeros(2))
    assert not corr.any() and not off.any()


def test_the_same_bits_on_any_number_of_threads(monkeypatch):
    rows, v = RNG.standard_normal((4100, 20)), RNG.standard_normal(20)
    one = CoarseColumns(rows)
    monkeypatch.setattr("coordboost.screening.scan.LITTLE", 0)
    two = CoarseColumns(rows)
    for a, b in zip((one.codes, one.step, one.error, *one.scan(v)), (two.codes, two.step, two.error, *two.scan(v)), strict=True):
        assert np.array_equal(a, b)
