"""The witness of a certificate: the largest correlation at its point."""

import numpy as np
import pytest

import coordboost as cb


def test_the_witness_is_the_largest_size_whatever_its_sign():
    """Also for a loss that is not strongly convex."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3))
    for sign in (1.0, -1.0):
        y = np.where(sign * X[:, 0] + 0.1 * rng.normal(size=30) > 0, 1.0, -1.0)
        for problem in (cb.Problem(X, y), cb.Problem(X, y, cb.losses.Logistic())):
            run = cb.solve(problem, cb.methods.gcd(), 0)
            worst = np.abs(problem.scan(problem.resid(np.zeros(30)))).max()
            assert run.certificate().witness["max_abs_corr"] == pytest.approx(worst, rel=1e-12)
