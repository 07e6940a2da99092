"""The residual that a view begins with: compiled for many samples, the same numbers. What a run does not sum up."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coordboost as cb
from coordboost import _total, driver, problem
from coordboost._protocol import LOSS
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


HUGE = st.sampled_from([0.0, 1.0, -3.0, 700.0, 1e100, -1e154, 1.4e154, 1e200, -1e308, 1.7e308, math.inf, math.nan])


@settings(deadline=None)
@given(
    st.sampled_from(sorted(LOSS.pieces)), st.lists(HUGE, min_size=1, max_size=4), HUGE, HUGE, st.sampled_from([0.5, 1.0, 1e9])
)
def test_what_is_surely_finite_is(name, pred, y, base, weight):
    """Also for losses that must be summed up: of them nothing is known for sure."""
    loss, one = LOSS.pieces[name](), np.ones(len(pred))
    y = math.copysign(1.0, y) if LOSS.of(loss, "two_class") else abs(y)
    with np.errstate(all="ignore"):
        if _total.surely_finite(loss, y * one, weight * one, base, np.array(pred)):
            assert math.isfinite(_total.total_of(loss, y * one, weight * one, base, np.array(pred)))


@pytest.mark.parametrize("loss", [cb.Squared(), cb.Logistic(), cb.Huber(0.5)], ids=lambda loss: type(loss).__name__)
def test_a_run_of_ordinary_numbers_sums_up_no_losses(monkeypatch, loss):
    """Nobody asks for them: a logistic loss takes longer than the search of a stump in eight features."""
    rng, asked = np.random.default_rng(0), []
    X = rng.standard_normal((40, 3))
    y = np.where(X[:, 0] > X[:, 1], 1.0, -1.0)
    monkeypatch.setattr(problem, "total_of", lambda *args: asked.append(args) or 0.0)
    cb.solve(cb.Problem(X, y, loss), cb.rcd(), 20, view=cb.Explicit, compile=False)
    cb.solve(cb.Problem(cb.trees(X, max_depth=2), y, loss), cb.gbm(0.3), 5, compile=False)
    assert not asked


def test_what_may_not_be_a_number_is_summed_up(monkeypatch):
    asked = []
    monkeypatch.setattr(driver, "surely_finite", lambda *args: asked.append(1) or False)
    run = cb.solve(cb.Problem(np.eye(4), np.arange(4.0), cb.Huber(1.0)), cb.rcd(), 5, view=cb.Explicit)
    assert asked and run.status is cb.Status.COMPLETED
