"""Heavy and light rows in one table: each group gets its own value, or trees refuse the weights in
a sentence.
"""

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(0)
TREES = [cb.RandomizedGBMRegressor, cb.AcceleratedGBMRegressor, cb.RegularizedGBMRegressor]
LINEAR = {
    cb.LSBoostRegressor: {"eps": 0.5},
    cb.ForwardStagewiseRegressor: {"n_steps": 5000, "eps": 0.05},
    cb.CertifiedLasso: {"alpha": 1e-30},
}
KINDS = {
    kind: {"n_estimators": 80, "learning_rate": 0.3, "min_samples_leaf": 1} for kind in TREES
} | LINEAR


@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_light_rows_get_their_own_value(kind, n):
    x = (np.arange(n) < n // 2)[:, None] + 0.0
    y = np.where(x[:, 0] > 0, 3.0, -1.0) + 0.1 * RNG.normal(size=n)
    fitted = 0
    for heavy in (1e3, 1e8, 1e12, 1e14, 1e15, 1e18, 1e30):
        weight = np.where(x[:, 0] > 0, heavy, 1.0)
        if kind in LINEAR and heavy == 1e30:  # the column varies only in rows of no weight
            with pytest.warns(cb.data.ConstantColumnWarning, match="no column of X varies"):
                kind(**KINDS[kind]).fit(x, y, weight)
            continue
        try:
            pred = kind(**KINDS[kind]).fit(x, y, weight).predict([[0.0], [1.0]])
        except ValueError as error:
            assert kind in TREES and "sample_weight" in str(error) and heavy >= 1e12
            continue
        fitted += 1
        np.testing.assert_allclose(pred, [y[n // 2 :].mean(), y[: n // 2].mean()], atol=0.02)
    assert fitted == 6 if kind in LINEAR else fitted >= 2


def test_refusals():
    X = np.arange(200.0)[:, None]
    y = np.arange(200.0)
    weight = np.r_[np.full(100, 1e14), np.ones(100)]
    refused(
        lambda: cb.Problem(cb.data.trees(X), y, sample_weight=weight),
        "100 rows weigh between 0 and",
    )
    refused(lambda: cb.RandomizedGBMRegressor().fit(X, y, weight), "set these weights to 0")
    cb.Problem(cb.data.trees(X), y, sample_weight=np.where(weight > 1, 1e14, 0))
    cb.Problem(X, y, sample_weight=np.where(weight > 1, 1e30, 1.0))


@pytest.mark.parametrize("n", [1000, 1_000_000])
def test_weights_at_random_are_taken(n):
    """A few rows by chance much lighter than the others are no group: their leaf holds other
    rows.
    """
    x = np.arange(n)[:, None] % 7.0
    for weight in (RNG.uniform(size=n), RNG.exponential(size=n)):
        cb.Problem(cb.data.trees(x, min_samples=20), x[:, 0], sample_weight=weight)
