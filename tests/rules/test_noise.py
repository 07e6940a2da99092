"""The noise of Langevin boosting is normal and independent from step to step; row subsampling keeps
samples with its probability.
"""

import math

import numpy as np
import pytest
from reference_sets import needs_compiler
from scipy import stats

import coordboost as cb

#: One sample and one learner: a step is determined by the noise of its leaf.
ALONE = cb.Problem([[1.0]], [0.0], center=False, scale=False)


def numbers(n, seed):
    """The standard normal numbers of n steps, from theta = eps (resid + sd z), sd = sqrt(2 N / (eps
    beta)) = 2.
    """
    run = cb.solve(ALONE, cb.sglb(0.5, beta=1.0, gamma=0.0), n, rng=seed)
    pred = np.concatenate([[0.0], np.cumsum(run.path.theta)[:-1]])
    return (run.path.theta / 0.5 + pred) / 2.0


@needs_compiler
@pytest.mark.parametrize("seed", [1, 2])
def test_numbers_are_normal(seed):
    """Counts in 40 cells, tails, four moments and lagged products, each within 5.2 standard errors:
    2e-7 for each of 60 numbers.
    """
    n = 1 << 19
    z = numbers(n, seed)
    edges = np.concatenate([np.arange(-3.6, 3.61, 0.2), [4.0, 4.5, math.inf]])
    found = np.histogram(z, edges)[0]
    p = np.diff(stats.norm.cdf(edges))
    assert (np.abs(found - n * p) <= 5.2 * np.sqrt(n * p) + 5).all()
    for power, mean, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(np.mean(z**power) - mean) < 5.2 * math.sqrt(variance / n)
    for lag in (1, 2, 3, 64, 4096):
        assert abs(np.mean(z[lag:] * z[:-lag])) < 5.2 / math.sqrt(n - lag)


def test_a_number_depends_on_its_address_alone():
    whole = numbers(100, 3)
    np.testing.assert_allclose(numbers(7, 3), whole[:7], rtol=0, atol=1e-13)
    assert np.abs(whole[:, None] - numbers(100, 4)).min() > 1e-9


@needs_compiler
def test_subsampling_keeps_a_share_and_scales_it_up():
    """Each sample is kept with the given probability, independently of its previous step, within
    5.2 standard errors.
    """
    n = 1 << 17
    share = 0.3
    run = cb.solve(
        cb.Problem([[1.0]], [1.0], center=False, scale=False),
        cb.sgb(1e-9, subsample=share),
        n,
        rng=11,
    )
    kept = run.path.theta != 0
    # the residual falls by 1e-9 a step
    np.testing.assert_allclose(run.path.theta[kept] * share, 1e-9, rtol=1e-3)
    assert abs(kept.mean() - share) < 5.2 * math.sqrt(share * (1 - share) / n)
    assert abs(np.mean(kept[1:] & kept[:-1]) - share**2) < 5.2 * share / math.sqrt(n)
