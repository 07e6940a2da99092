"""Tools of the ledger and the experiments: a spectral gap, the list of all trees on a tiny table,
early stopping.
"""

from itertools import product

import numpy as np
import pytest

from verification.experiments.agbm_table2 import PATIENCE, stopped
from verification.theorems.rgbm_all_trees import Listed, leaves_of
from verification.theorems.sglb_nonconvex import Wells, spectral_gap


@pytest.mark.parametrize("deviation", [0.5, 1.0, 2.0])
def test_the_spectral_gap_of_a_normal_law_is_one_over_its_variance(deviation):
    """Up to the square of the cell width, in standard deviations."""
    at = np.linspace(-8 * deviation, 8 * deviation, 601)
    chance = np.exp(-((at / deviation) ** 2) / 2)
    found = spectral_gap(chance / chance.sum(), at[1] - at[0])
    assert found * deviation**2 == pytest.approx(1.0, abs=((at[1] - at[0]) / deviation) ** 2)


def test_no_function_on_the_grid_beats_the_spectral_gap():
    """Poincare's inequality for the functions in use: losses, steps between wells, random
    functions.
    """
    wells = Wells(4, 20.0, 0.2)
    law = wells.law((2, 1, 1))
    width = wells.grid[1] - wells.grid[0]
    rng = np.random.default_rng(0)
    gap = spectral_gap(law, width)
    steps = [np.tanh(3 * (wells.grid - at)) for at in (-1.0, 0.5, 1.7)]
    for f in (*wells.losses, *steps, *rng.standard_normal((5, len(law))).cumsum(axis=1)):
        energy = (law[1:] + law[:-1]) / 2 @ (np.diff(f) / width) ** 2
        assert gap * (law @ f**2 - (law @ f) ** 2) <= energy * (1 + 1e-9)


def test_all_trees_are_listed():
    """m rows in order. Depth 1: one cut, or none. Depth 2: all partitions into intervals with at
    most three cuts.
    """
    for m in (2, 3, 4, 5):
        X = np.arange(m + 0.0)[:, None]
        rows = frozenset(range(m))
        cuts = [set(one) for one in product(range(m - 1), repeat=3)] + [set()]
        assert len(leaves_of(X, rows, 1)) == m
        assert len(leaves_of(X, rows, 2)) == len({frozenset(cut) for cut in cuts})


@pytest.mark.parametrize(
    "table, depth", [("four rows in order", 1), ("five rows in order", 2), ("two features", 2)]
)
def test_no_vector_is_farther_from_all_trees_than_the_angle(table, depth):
    trees = Listed(table, depth)
    lower, upper, worst = trees.angle
    assert upper * (1 - 1e-7) <= lower <= upper and np.linalg.norm(worst) == pytest.approx(1.0)
    vectors = worst + 0.3 * np.random.default_rng(1).standard_normal((3000, len(worst)))
    cosines = np.linalg.norm(trees.best(vectors), axis=1) / np.linalg.norm(vectors, axis=1)
    assert cosines.min() >= lower


def test_a_final_fit_stops_after_rounds_without_a_lower_loss():
    """Five in a row; an equal loss is not lower; a loss that always falls is not stopped."""
    falls = np.linspace(1.0, 0.5, 8)
    assert PATIENCE == 5 and stopped(falls) == 7
    assert stopped(np.r_[falls, [0.6] * 9]) == 7 + 5
    assert stopped(np.r_[falls, [0.5] * 4, 0.4, [0.4] * 5]) == 12 + 5
    assert stopped(np.r_[falls, [0.6] * 4]) == 11
