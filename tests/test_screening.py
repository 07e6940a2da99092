"""Screening: columns taken a part at a time are all looked at, with weights and scales too; against one NumPy product."""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb
from coordboost.screening.columns import FEW, ScaledColumns
from coordboost.screening.sphere import few_entries

N_SAMPLES, N_LEARNERS = 12, 2 * FEW + 7
RNG = np.random.default_rng(31)
X, Y = RNG.normal(size=(N_SAMPLES, N_LEARNERS)), RNG.normal(size=N_SAMPLES)
SCALE = RNG.uniform(0.2, 1.0, N_LEARNERS)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, N_SAMPLES)], ids=["plain", "weighted"])
@pytest.mark.parametrize("scale", [None, SCALE], ids=["unit", "scaled"])
def test_levels_look_at_every_column(kind, weight, scale):
    """The residuals are columns themselves, those at the ends of the parts among them: one skipped and its level is too small."""
    problem = cb.Problem(kind(X), Y, sample_weight=weight)
    columns = ScaledColumns(problem, scale)
    assert (columns.root is None) == (weight is None)
    all_columns = np.empty((N_LEARNERS, N_SAMPLES))
    columns.gather(np.arange(N_LEARNERS), all_columns)
    w = np.ones(N_SAMPLES) if weight is None else weight
    by_hand = problem.dictionary.gather(np.arange(N_LEARNERS)).T * np.sqrt(w) * (1 if scale is None else scale[:, None])
    np.testing.assert_allclose(all_columns, by_hand, rtol=1e-15)
    resids = np.vstack([sign * all_columns[[0, 1, FEW - 1, FEW, 2 * FEW - 1, 2 * FEW, -1]] for sign in (1, -1)])
    expected = np.abs(resids @ all_columns.T).max(axis=1)
    # sums of so many products of numbers of size one, taken in another order
    np.testing.assert_allclose(columns.levels(resids), expected, rtol=0, atol=4 * N_SAMPLES * np.finfo(float).eps)
    np.testing.assert_allclose([np.abs(columns.scan(resid)).max() for resid in resids], expected, rtol=0, atol=1e-14)


def test_few_entries_is_exact_at_every_level():
    """Squares that fall as the levels do, two of each: between two equal ones no other level cuts where it should."""
    squares = np.repeat([1, 1 / 2, 1 / 4, 1 / 16, 1 / 256, 0], 2)
    np.testing.assert_allclose(few_entries(3 * np.sqrt(squares), 12) ** 2, 9 * np.append(0, np.cumsum(squares)), rtol=1e-7)
