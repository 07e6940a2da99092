"""The Lasso of a loss that is a sum over very many samples: what rounding takes from the sum does not matter."""

import math

import numpy as np
import pytest

import coordboost as cb
from coordboost._generic import compiled
from coordboost.lasso.newton import Newton, terms


@pytest.mark.parametrize("order", [1, -1], ids=["growing", "falling"])
def test_the_loss_of_many_samples_is_not_rounded_term_by_term(order):
    """As near to the exact sum of its terms as one rounding: near an optimum steps gain less than a plain sum rounds off."""
    y = np.concatenate([np.logspace(-9, 1, 101), np.full(100_000, 0.1)])[::order]
    zeros, resid = np.zeros(len(y)), np.empty(len(y))
    found = compiled(terms, (cb.Squared(),))(cb.Squared(), y, zeros + 0.7, 0.0, zeros, zeros, 0.0, resid)
    exact = math.fsum(0.7 * (0.5 * (v * v)) for v in y.tolist())
    assert abs(found - exact) <= 2 * np.finfo(float).eps * exact
    assert abs(float(np.add.accumulate(0.35 * y * y)[-1]) - exact) > 20 * np.finfo(float).eps * exact  # what a plain sum says


def test_many_samples_reach_a_fine_gap():
    """A large sum of losses, of which the last steps gain 1e-14: they are full steps, not ever shorter ones."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20_000, 8)) * (rng.random((20_000, 8)) < 0.02)
    y = np.where(3 * X[:, :3] @ np.array([1, -1, 0.5]) + rng.standard_normal(20_000) > 0, 1.0, -1.0)
    steps, search = [], Newton._search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Newton, "_search", lambda *given: (steps.append(search(*given)), steps[-1])[1])
        path = cb.lasso_path(X, y, loss=cb.Logistic(), eps=0.1, n_alphas=40, tol=1e-8)
    assert (path.gaps <= 1e-8).all() and np.mean(np.array(steps) == 1) > 0.9
