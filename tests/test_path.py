"""The record of a run: rows written in any portions are one path, and room is made in large pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordboost.engine import path as path_module
from coordboost.engine.path import Path, Record


def write(record, values, ahead):
    rows = record.room(len(values) + 2, ahead)  # two rows more than are kept
    rows.learner[: len(values)] = values
    rows.theta[: len(values)] = np.negative(values)
    record.keep(len(values))


@given(st.lists(st.tuples(st.lists(st.integers(1, 99), max_size=9), st.booleans()), max_size=12), st.integers(1, 40))
def test_portions_are_one_path(portions, room):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_module, "ROOM", room)
        record, expected = Record(), []
        for values, read in portions:
            write(record, values, 5)
            expected += values
            if read:  # reading in between changes nothing
                assert record.path.learner.tolist() == expected
    path = record.path
    assert path.learner.tolist() == expected and path.theta.tolist() == [-v for v in expected]
    assert len(path.shrink) == len(expected) and not path.shrink.any()


def test_starts_from_a_path():
    old = Path(np.array([3]), np.zeros(1), np.ones(1))
    record = Record(old)
    assert record.path is old
    write(record, [4, 5], 2)
    assert record.path.learner.tolist() == [3, 4, 5]


def test_one_piece_is_not_copied():
    record = Record()
    rows = record.room(10, 1000)
    record.keep(10)
    assert np.shares_memory(record.path.learner, rows.learner)
    assert np.shares_memory(record.room(990, 990).learner.base, rows.learner.base)


def test_an_empty_path_has_no_rows():
    assert len(Path.empty()) == 0 and len(Path.empty(3)) == 3
