"""Limits of run files: numbers that must fit each other, lengths, names, and arrays that are large."""

import contextlib

import numpy as np
import pytest

import coordboost as cb
from coordboost.dictionaries.binned import MOST_BINS
from coordboost.dictionaries.trees.stored import SET
from coordboost.storage import schema
from coordboost.storage.archive import Member


@pytest.mark.parametrize("wrong", [{"*": 5}, {"c": 3 * MOST_BINS + 1}, {"o": 4}, {"m": 3}, {"p": 8}, {"b": SET + 1}])
def test_numbers_of_bins_and_leaves_that_do_not_fit(wrong):
    """Three features, four leaves: no other array would contradict them."""
    good = {"d": 3, "*": 4, "c": 3 * MOST_BINS, "o": 3, "m": 4, "l": 4, "p": 7, "b": SET}
    schema._check_bins(good)
    with pytest.raises(ValueError, match="the numbers of features, thresholds or leaves do not fit each other"):
        schema._check_bins(good | wrong)


def test_a_parameter_of_an_old_file_is_not_far_longer_than_its_run(monkeypatch):
    """Ten times the steps, or as many as there are learners, are allowed."""
    monkeypatch.setattr(schema, "LONGEST", 0)
    for k, n, most in ((3, 5, 30), (1, 40, 40)):
        shapes = {"path.learner": k, "path.shrink": k, "path.theta": k, "beta": n}
        members = {name: Member(schema.ARRAYS[name][0], "C", (size,)) for name, size in shapes.items()}
        header = {"version": 1, "problem": None, "method": {"array": "method.eps"}, "anchor": [0, []]}
        for length in (most, most + 1):
            with contextlib.ExitStack() as stack:
                if length > most:
                    stack.enter_context(pytest.raises(ValueError, match="a parameter of the method is far longer than the run"))
                schema.check_arrays(header, {**members, "method.eps": Member("<f8", "C", (length,))})


def test_arrays_that_are_called_by_no_text_are_refused():
    for name in (7, None):
        with pytest.raises(ValueError, match="the arrays are not those that the header refers to"):
            schema.check_arrays({"problem": None, "method": {"array": name}}, {name: None, **dict.fromkeys(schema.ALWAYS)})


def test_arrays_larger_than_two_gibibytes_are_written(tmp_path, monkeypatch):
    """What the format needs for them is asked for beforehand; here so much is large."""
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 100)
    X = np.random.default_rng(5).normal(size=(8, 4))
    first = cb.solve(cb.Problem(X, X[:, 0]), cb.ccd(), 3)
    first.save(tmp_path / "run")
    assert (cb.load(tmp_path / "run").beta == first.beta).all()
