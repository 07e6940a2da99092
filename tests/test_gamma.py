"""Gamma and Tweedie regression: scikit-learn's optimum is reached and certified, targets are checked, trees are grown."""

import decimal
import math
from functools import partial

import numpy as np
import pytest
from designs import columns, seeded
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from sklearn.linear_model import GammaRegressor, TweedieRegressor

import coordboost as cb

U = np.finfo(float).eps
RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 6))
MEAN = np.exp(0.7 + X @ [0.5, -0.4, 0.3, 0.0, 0.0, 0.0])
SIZES = RNG.gamma(2.0, MEAN)
CLAIMS = np.array([RNG.gamma(2.0, 1.0, n).sum() for n in RNG.poisson(MEAN)])  # some are 0
LOSSES = {
    "Gamma": (cb.losses.Gamma(), SIZES, GammaRegressor),
    "Tweedie": (cb.losses.Tweedie(1.4), CLAIMS, partial(TweedieRegressor, power=1.4)),
}
each = pytest.mark.parametrize("name", LOSSES)
WEIGHT = RNG.integers(1, 4, 120).astype(float)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@each
def test_the_optimum_is_that_of_scikit_learn(name, weight):
    """Its Newton solver, without a penalty and with a column of ones for the intercept; ours by line searches until they stand still."""
    loss, y, regressor = LOSSES[name]
    table = np.column_stack([np.ones(120), X])
    problem = cb.Problem(table, y, loss, sample_weight=weight, center=False)
    peer = regressor(alpha=0, fit_intercept=False, solver="newton-cholesky", tol=1e-10).fit(table, y, weight)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 600)
    theirs = problem.value(columns(problem) @ problem.unit(peer.coef_))
    assert run.final.loss <= theirs + 1e-12 * problem.start_excess
    np.testing.assert_allclose(run.coef, peer.coef_, atol=1e-5)
    assert cb.certify(problem, run.beta, cb.certificates.L1Ball(run.final.l1)).gap <= 1e-5 * problem.start_excess


@pytest.mark.parametrize("target", [cb.certificates.L1Ball(0.5), cb.certificates.L1Penalty(4.0)], ids=repr)
@each
def test_the_independent_optimum_is_inside(name, target):
    loss, y, _ = LOSSES[name]
    problem = cb.Problem(X, y, loss)
    judged = cb.certify(problem, np.zeros(6), target, independent=True)
    assert judged.agree and judged.independent.gap <= 1e-3 * problem.start_excess


@each
def test_paths_and_trees(name, tmp_path):
    """The Lasso path is certified; trees lower the deviance, and predict means; a run is loaded as it was."""
    loss, y, _ = LOSSES[name]
    path = cb.lasso_path(X, y, loss=loss, n_alphas=6, tol=1e-8, refit_intercept=True)
    assert (path.gaps <= 1e-8).all()
    model = cb.RandomizedGBMRegressor(loss=loss, n_estimators=40).fit(X, y)
    assert (model.predict(X) > 0).all() and model.run_.final.loss < model.run_.problem.start_loss
    model.run_.save(tmp_path / "sizes.run", data=True)
    assert cb.load(tmp_path / "sizes.run").problem.loss == loss


def test_what_is_refused():
    refused(lambda: cb.Problem(X, SIZES - SIZES.min(), cb.losses.Gamma()), "Gamma loss expects targets y > 0, got 0")
    refused(lambda: cb.Problem(X, CLAIMS - 1, cb.losses.Tweedie()), "Tweedie loss expects counts or rates y >= 0, got -1")
    refused(lambda: cb.Problem(X, 0 * CLAIMS, cb.losses.Tweedie()), "every y is 0")
    refused(lambda: cb.Problem(X, CLAIMS, cb.losses.Tweedie(2.0)), "Tweedie(power): power must be between 1 and 2, got 2")


@seeded
@given(y=st.floats(0, 1e12), power=st.floats(1.01, 1.99))
def test_the_infimum_of_tweedie_is_below_what_is_reached(y, power):
    """y^(2 - p) / ((p - 1)(2 - p)) in 50 digits, and the value at f = log y."""
    decimal.getcontext().prec = 50
    loss, p = cb.losses.Tweedie(power), decimal.Decimal(power)
    exact = decimal.Decimal(y) ** (2 - p) / ((p - 1) * (2 - p)) if y else decimal.Decimal(0)
    least = decimal.Decimal(float(loss.infimum(np.array([y]))[0]))
    assert exact * (1 - decimal.Decimal(40 * U)) <= least <= exact
    assert y < 1e-100 or loss.value(y, math.log(y)) >= least


@seeded
@given(y=st.floats(1e-12, 1e12))
def test_the_infimum_is_below_the_exact_one_by_a_few_roundings(y):
    """1 + log y in 50 digits."""
    decimal.getcontext().prec = 50
    exact = 1 + decimal.Decimal(y).ln()
    least = float(cb.losses.Gamma().infimum(np.array([y]))[0])
    assert exact - decimal.Decimal(8 * U * (1 + abs(math.log(y)))) <= decimal.Decimal(least) <= exact
