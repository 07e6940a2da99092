"""What fills the gaps of a column of numbers: its median."""

import numpy as np
import pytest

from coordboost.data.encode import fill_of
from coordboost.data.kinds import NUMBER, Column


def columns_to_fill():
    """Columns by name: many values and few, gaps, ties, an order that a sample by strides is blind to."""
    rng = np.random.default_rng(3)
    many = rng.standard_normal(20_001)
    yield "many", many
    yield "even", many[1:]
    yield "gaps", np.where(rng.random(20_001) < 0.3, np.nan, many)
    yield "gaps wherever the sample looks", np.where(np.arange(20_000) % 4 == 0, np.nan, many[1:])
    yield "small wherever the sample looks", np.where(np.arange(20_000) % 4 == 0, -9.0, many[1:])
    yield "large wherever the sample looks", np.where(np.arange(20_000) % 4 == 0, 9.0, many[1:])
    for seen in (1.0, 0.0):  # and half of all, up to the middle or from there on, is the other number
        values = np.full(20_000, seen)
        values[np.flatnonzero(np.arange(20_000) % 4)[:10_000]] = 1 - seen
        yield f"the sample sees only {seen}", values
    yield "whole numbers", rng.integers(0, 3, 20_000)
    yield "all the same", np.full(20_000, 7.0)
    for n in range(1, 12):
        yield f"{n}", many[:n]
        yield f"{n} and a gap", np.append(many[:n], np.nan)


@pytest.mark.parametrize(("name", "values"), list(columns_to_fill()), ids=lambda one: one if isinstance(one, str) else "")
def test_gaps_are_filled_by_the_median(name, values):
    assert fill_of(Column(NUMBER, values)) == np.nanmedian(values)
    assert fill_of(Column(NUMBER, values[::-1])) == np.nanmedian(values)
