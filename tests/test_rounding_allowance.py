"""What certificates allow for rounding: sums over all samples are rounded, however few coefficients there are."""

import numpy as np
import pytest

import coordboost as cb
from coordboost.targets import At


@pytest.mark.parametrize("n_samples", [50, 5000])
def test_few_coefficients_leave_the_sums_over_samples(n_samples):
    """4 u sqrt(n) |r| at least, at 0, and growing with the residual; u is half of eps."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_samples, 3)), rng.normal(size=n_samples)
    for scale in (1.0, 1024.0):
        problem = cb.Problem(X, scale * y)
        at = At.point(problem, np.zeros(3))
        least = 2 * np.finfo(float).eps * np.sqrt(n_samples) * np.linalg.norm(problem.y)
        assert least * (1 - 1e-12) <= at.doubt(problem) <= 100 * least
