"""Standardisation in the memory of X, and at the limits of rounding: exact means, columns that vary
only by rounding.
"""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from test_standardize import M, N, U, X, Y, columns, over_kinds, over_weights

import coordboost as cb
from coordboost import Problem


@over_kinds
def test_columns_that_vary_only_by_rounding_are_dropped(kind):
    """A variation of one unit in the last place, around 1, is rounding in any format; 64 units are
    not.
    """
    steps = U * (np.arange(M) % 2)
    with pytest.warns(cb.data.ConstantColumnWarning):
        problem = Problem(kind(np.column_stack([X[:, 0], 1.0 + steps, 1.0 + 64 * steps])), Y)
    assert problem.dropped == ["x1"] and len(problem.feature_names) == 2


def test_means_are_those_of_exact_sums():
    """The error of a mean is one rounding of its own, without the rounding of the sum."""
    table = 1e6 + np.random.default_rng(1).normal(size=(1000, 20))
    exact = np.array([float(sum(map(Fraction, column)) / 1000) for column in table.T])
    assert (
        np.abs(Problem(table, np.arange(1000.0)).standardization.mean - exact)
        <= 0.51 * np.spacing(1e6)
    ).all()


ALMOST = np.column_stack([X, np.full(M, 0.1), 1.0 + U * (np.arange(M) % 2)])


@over_weights
@pytest.mark.parametrize("given", [X, ALMOST], ids=["all kept", "two set aside"])
def test_without_a_copy_the_same_columns_lie_in_the_memory_of_x(given, weight):
    lent = np.asfortranarray(given)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        expected = columns(Problem(lent, Y, sample_weight=weight))
        assert (lent == given).all()
        problem = Problem(lent, Y, sample_weight=weight, copy=False)
    assert (columns(problem) == expected).all() and (lent[:, :N] == expected).all()
    assert np.shares_memory(problem.dictionary.rows, lent) == (given is X)
    half = len(said) // 2
    assert [str(warning.message) for warning in said[:half]] == [
        str(warning.message) for warning in said[half:]
    ]
    assert half == (0 if given is X else 2)


def test_unit_columns_are_not_touched_without_a_copy():
    unit = np.asfortranarray(X / np.linalg.norm(X, axis=0))
    before = unit.copy()
    assert np.shares_memory(
        Problem(unit, Y, center=False, scale=False, copy=False).dictionary.rows, unit
    )
    assert (unit == before).all()


@pytest.mark.parametrize("kind", ["C order", "read-only", "integer", "data frame"])
def test_unsuitable_memory_is_copied(kind):
    table = np.array(
        np.arange(12).reshape(4, 3) ** 2 if kind == "integer" else X,
        order="C" if kind == "C order" else "F",
    )
    table.flags.writeable = kind != "read-only"
    before = table.copy()
    problem = Problem(
        pd.DataFrame(table, copy=False) if kind == "data frame" else table,
        Y[: len(table)],
        copy=False,
    )
    assert (table == before).all() and problem.dictionary.rows.flags.writeable
