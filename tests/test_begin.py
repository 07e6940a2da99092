"""The residual that a view begins with: compiled for many samples, the same numbers."""

import numpy as np
import pytest

import coordboost as cb
from coordboost.engine.views import explicit


@pytest.mark.parametrize("loss", [cb.Squared(), cb.Logistic(), cb.Poisson()], ids=lambda loss: type(loss).__name__)
def test_many_samples_begin_as_few_do(monkeypatch, loss):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(50) < 0.5, -1.0, 1.0) if type(loss) is cb.Logistic else rng.integers(0, 5, 50).astype(float)
    args = loss, y, rng.random(50), 0.3, rng.standard_normal(50)
    few, many = np.empty(50), np.empty(50)
    explicit.begin_residual(*args, few)
    monkeypatch.setattr(explicit, "MANY", 50)
    explicit.begin_residual(*args, many)
    np.testing.assert_array_max_ulp(few, many, 2)  # exponentials of two libraries
