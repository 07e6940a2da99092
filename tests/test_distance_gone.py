"""The distance from an anchor that is followed in O(1) a step is that of the vectors, in exact arithmetic."""

from types import SimpleNamespace

import numpy as np
import reference_exact as exact
from designs import seeded
from hypothesis import given
from hypothesis import strategies as st

from coordboost.engine.views import distance

whole = st.integers(-4, 4)
vectors = st.lists(whole, min_size=3, max_size=3)


@seeded
@given(vectors, st.lists(st.tuples(vectors, whole, st.integers(0, 4)), min_size=1, max_size=5))
def test_followed_distance_is_the_distance(anchor, steps):
    """Any columns, whatever their norm; shrinkages of 0 to 1 in quarters."""
    start = exact.fractions(np.array(anchor, dtype=float))
    pred, level = start.copy(), SimpleNamespace()
    distance.restart(level, 2, start @ start)
    for column, theta, quarters in steps:
        column, shrink = exact.fractions(np.array(column, dtype=float)), exact.fractions(np.array([quarters / 4]))[0]
        distance.follow(level, shrink, theta, column @ column, column @ (pred - start), column @ start)
        pred = (1 - shrink) * pred + theta * column
        assert level.distance == (pred - start) @ (pred - start) and level.along == (pred - start) @ start
        assert distance.pred_square(level) == pred @ pred
    assert level.kept == np.prod([1 - quarters / 4 for _, _, quarters in steps])
    assert level.length == sum(abs(theta) + quarters / 4 for _, theta, quarters in steps) and level.steps == len(steps)


def test_what_beats_the_others():
    """Size 1 against 0.5 outside: certain while the way, its rounding included, is shorter than the difference."""
    level = distance.level(0.5, 1.0)
    assert (level.distance, level.along, level.kept, level.length, level.steps) == (0, 0, 1, 0, 0)
    assert distance.beats(level, 1.0, 0.0) and not distance.beats(level, 0.5, 0.0) and not distance.beats(level, 1.0, 0.5)
    for way, certain in ((0.25, False), (0.249, True)):  # 0.5^2 = 0.25
        level.distance = way
        assert distance.beats(level, 1.0, 0.0) == certain
    level.length = 1.0
    assert not distance.beats(level, 1.0, 1e-3) and distance.beats(level, 1.0, 1e-4)
    level.outside = 2.0
    assert not distance.beats(level, 1.0, 0.0)
