"""How far correlations with columns of few entries can have moved."""

import numpy as np
from designs import seeded
from hypothesis import given, settings
from hypothesis import strategies as st

from coordboost.screening.sphere import few_entries


@settings(seeded, max_examples=100)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=12))
def test_few_entries_is_a_bound(move):
    """Of the norm of any q entries; of all of them it is the norm."""
    moved = np.array(move, dtype=float)
    largest = np.sqrt(np.cumsum(np.concatenate([[0.0], np.sort(moved**2)[::-1]])))
    bound = few_entries(moved, len(moved))
    assert (bound >= largest).all() and bound[-1] <= np.linalg.norm(moved) * (1 + 1e-7) + 1e-300
