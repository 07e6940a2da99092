"""Gamma regression: scikit-learn's optimum is reached and certified, targets are checked, trees and LightGBM agree."""

import decimal
import math

import numpy as np
import pytest
from designs import columns, seeded
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from sklearn.linear_model import GammaRegressor

import coordboost as cb

U = np.finfo(float).eps
RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 6))
SIZES = RNG.gamma(2.0, np.exp(0.7 + X @ [0.5, -0.4, 0.3, 0.0, 0.0, 0.0]))
WEIGHT = RNG.integers(1, 4, 120).astype(float)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_the_optimum_is_that_of_scikit_learn(weight):
    """Its Newton solver, without a penalty and with a column of ones for the intercept; ours by line searches until they stand still."""
    table = np.column_stack([np.ones(120), X])
    problem = cb.Problem(table, SIZES, cb.losses.Gamma(), sample_weight=weight, center=False)
    peer = GammaRegressor(alpha=0, fit_intercept=False, solver="newton-cholesky", tol=1e-10).fit(table, SIZES, weight)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 600)
    theirs = problem.value(columns(problem) @ problem.unit(peer.coef_))
    assert run.final.loss <= theirs + 1e-12 * problem.start_excess
    np.testing.assert_allclose(run.coef, peer.coef_, atol=1e-5)
    assert cb.certify(problem, run.beta, cb.certificates.L1Ball(run.final.l1)).gap <= 1e-5 * problem.start_excess


@pytest.mark.parametrize("target", [cb.certificates.L1Ball(0.5), cb.certificates.L1Penalty(4.0)], ids=repr)
def test_the_independent_optimum_is_inside(target):
    problem = cb.Problem(X, SIZES, cb.losses.Gamma())
    judged = cb.certify(problem, np.zeros(6), target, independent=True)
    assert judged.agree and judged.independent.gap <= 1e-3 * problem.start_excess


def test_paths_and_trees(tmp_path):
    """The Lasso path is certified; trees lower the deviance, and predict means; a run is loaded as it was."""
    path = cb.lasso_path(X, SIZES, loss=cb.losses.Gamma(), n_alphas=6, tol=1e-8, refit_intercept=True)
    assert (path.gaps <= 1e-8).all()
    model = cb.RandomizedGBMRegressor(loss=cb.losses.Gamma(), n_estimators=40).fit(X, SIZES)
    assert (model.predict(X) > 0).all() and model.run_.final.loss < model.run_.problem.start_loss
    model.run_.save(tmp_path / "sizes.run", data=True)
    assert isinstance(cb.load(tmp_path / "sizes.run").problem.loss, cb.losses.Gamma)


def test_targets_that_are_not_positive_are_refused():
    refused(lambda: cb.Problem(X, SIZES - SIZES.min(), cb.losses.Gamma()), "Gamma loss expects targets y > 0, got 0")


@seeded
@given(y=st.floats(1e-12, 1e12))
def test_the_infimum_is_below_the_exact_one_by_a_few_roundings(y):
    """1 + log y in 50 digits."""
    decimal.getcontext().prec = 50
    exact = 1 + decimal.Decimal(y).ln()
    least = float(cb.losses.Gamma().infimum(np.array([y]))[0])
    assert exact - decimal.Decimal(8 * U * (1 + abs(math.log(y)))) <= decimal.Decimal(least) <= exact
