"""Sums over very many samples, many of them equal: their rounding errors add up, and certificates
and steps must allow for that.
"""

from fractions import Fraction as F

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb


@pytest.mark.parametrize("n", [1_000, 20_000, 200_000])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stored", [scipy.sparse.csc_array, np.asarray], ids=["sparse", "dense"])
def test_an_interval_holds_the_optimum_of_equal_samples(n, seed, stored):
    """Two groups, two targets in each; the optimum in fractions. Width at most 20 roundings of the
    loss at 0 for each sample.
    """
    rng = np.random.default_rng(seed)
    row = np.arange(n)
    X = scipy.sparse.csc_array((np.full(n, rng.random()), (row, row % 2)), shape=(n, 2))
    target = rng.random(4)
    apart = [F(target[group]) - F(target[group + 2]) for group in (0, 1)]
    optimum = F(n // 4) * sum(d * d for d in apart) / 4
    X = stored(X.toarray()) if stored is np.asarray else X
    found = cb.solve(
        cb.Problem(X, target[row % 4], center=False), cb.ls_boost(1.0), 3
    ).certificate()
    assert F(found.lower) <= optimum <= F(found.upper)
    null = 0.5 * n / 4 * float(target @ target)
    assert found.upper - found.lower <= 20 * n * np.finfo(float).eps * null


@pytest.mark.parametrize(
    "loss",
    [cb.losses.Squared(), cb.losses.Logistic(), cb.losses.Huber(0.1), cb.losses.Exponential()],
)
def test_the_loss_of_equal_samples(loss):
    """The loss differs from n times the loss of one sample by one rounding, not by n; a loss that
    overflows is infinite.
    """
    one = cb.Problem([[1.0]], [1.0], loss, center=False)
    n = 300_001
    many = cb.Problem(np.ones((n, 1)), np.ones(n), loss, center=False)
    pred = 0.7 * np.ones(n)
    assert many.value(pred) == pytest.approx(n * one.value(pred[:1]), rel=4e-16)
    with np.errstate(over="ignore"):
        assert many.value(-1e308 * np.ones(n)) == np.inf


def test_many_samples_reach_a_fine_gap():
    """A large sum of losses: the last steps gain only 1e-14 of it."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((5_000, 8)) * (rng.random((5_000, 8)) < 0.02)
    y = np.where(3 * X[:, :3] @ np.array([1, -1, 0.5]) + rng.standard_normal(5_000) > 0, 1.0, -1.0)
    assert (
        cb.lasso_path(X, y, loss=cb.losses.Logistic(), eps=0.1, n_alphas=40, tol=1e-8).gaps <= 1e-8
    ).all()
