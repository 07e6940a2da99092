"""Poisson regression: scikit-learn's optimum is reached and certified, counts are checked, runs look ahead, are saved and loaded."""

import decimal
import math

import numpy as np
import pytest
from designs import columns, seeded
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from sklearn.linear_model import PoissonRegressor

import coordboost as cb

U = np.finfo(float).eps
RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 6))
COUNTS = RNG.poisson(np.exp(0.7 + X @ [0.5, -0.4, 0.3, 0.0, 0.0, 0.0])).astype(float)
WEIGHT = RNG.integers(1, 4, 120).astype(float)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_the_optimum_is_that_of_scikit_learn(weight):
    """Its Newton solver, without a penalty and with a column of ones for the intercept; ours by line searches until they stand still."""
    table = np.column_stack([np.ones(120), X])
    problem = cb.Problem(table, COUNTS, cb.losses.Poisson(), sample_weight=weight, center=False)
    peer = PoissonRegressor(alpha=0, fit_intercept=False, solver="newton-cholesky", tol=1e-10).fit(table, COUNTS, weight)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 600)
    theirs = problem.value(columns(problem) @ problem.unit(peer.coef_))
    assert run.final.loss <= theirs + 1e-12 * problem.start_excess
    np.testing.assert_allclose(run.coef, peer.coef_, atol=1e-5)
    assert cb.certify(problem, run.beta, cb.certificates.L1Ball(run.final.l1)).gap <= 1e-5 * problem.start_excess
    np.testing.assert_allclose(np.exp(run.predict(table)), peer.predict(table), rtol=1e-5)


@pytest.mark.parametrize("target", [cb.certificates.L1Ball(0.5), cb.certificates.L1Ball(30.0), cb.certificates.L1Penalty(4.0)], ids=repr)
def test_the_independent_optimum_is_inside(target):
    """Clarabel stops at a relative 1e-8 in the values; the certificate is of first order in the distance, about the root of that."""
    problem = cb.Problem(X, COUNTS, cb.losses.Poisson())
    judged = cb.certify(problem, np.zeros(6), target, independent=True)
    assert judged.agree and judged.independent.gap <= 1e-3 * problem.start_excess


def test_the_path_of_the_lasso_is_certified():
    """Each gap is in parts of the loss at 0 above the infimum, and that of the certificate."""
    problem = cb.Problem(X, COUNTS, cb.losses.Poisson())
    path = cb.lasso_path(problem, n_alphas=6, tol=1e-8)
    assert (path.gaps <= 1e-8).all()
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        own = cb.certify(problem, problem.unit(coef), cb.certificates.L1Penalty(120 * alpha))
        assert own.known and own.gap <= 2e-8 * problem.start_excess


def test_looking_ahead_changes_nothing():
    problem = cb.Problem(X, COUNTS, cb.losses.Poisson())
    method = cb.methods.gcd(cb.rules.LineSearch())
    ahead, plain = (
        cb.solve(problem, method, 60, view=cb.engine.WorkingSetState),
        cb.solve(problem, method, 60, view=cb.engine.NaiveState, compile=False),
    )
    np.testing.assert_array_equal(ahead.path.learner, plain.path.learner)
    np.testing.assert_allclose(ahead.beta, plain.beta, rtol=0, atol=1e-9)


def test_saved_and_loaded(tmp_path):
    run = cb.solve(cb.Problem(X, COUNTS, cb.losses.Poisson(), sample_weight=WEIGHT), cb.methods.gcd(cb.rules.LineSearch()), 30)
    run.save(tmp_path / "counts.run")
    again = cb.load(tmp_path / "counts.run")
    assert isinstance(again.problem.loss, cb.losses.Poisson) and (again.beta == run.beta).all() and again.final.loss == run.final.loss


def test_targets_that_are_no_counts_are_refused():
    refused(lambda: cb.Problem(X, COUNTS - 1, cb.losses.Poisson()), "Poisson loss expects counts or rates y >= 0, got -1")
    refused(lambda: cb.Problem(X, 0 * COUNTS, cb.losses.Poisson()), "every y is 0")
    assert cb.Problem(X, 0 * COUNTS, cb.losses.Poisson(), center=False).infimum == 0
    refused(lambda: cb.solve(cb.Problem(X, COUNTS, cb.losses.Poisson()), cb.ls_boost(0.1), 3), "LineSearch()")


@seeded
@given(y=st.one_of(st.integers(0, 10**6).map(float), st.floats(1e-12, 1e12)))
def test_the_infimum_is_below_the_exact_one_by_a_few_roundings(y):
    """y - y log y in 50 digits."""
    decimal.getcontext().prec = 50
    exact = decimal.Decimal(y) * (1 - (decimal.Decimal(y).ln() if y > 0 else 0))
    least = float(cb.losses.Poisson().infimum(np.array([y]))[0])
    allowed = decimal.Decimal(8 * U * y * (1 + abs(math.log(y or 1.0))))
    assert exact - allowed <= decimal.Decimal(least) <= exact


def test_the_lower_end_is_below_an_exact_optimum():
    """One count and one column: the optimum y - y log y is known, and the loss at f = 1, y = e is 0 as a difference of equal terms."""
    for y in (1.0, math.e, 3.0, 40.0, 1e6):
        problem = cb.Problem([[1.0], [1.0]], [y, y], cb.losses.Poisson(), center=False)
        optimum = 2 * decimal.Decimal(y) * (1 - decimal.Decimal(y).ln())
        beta = problem.unit([math.log(y)])
        for target in (cb.certificates.Unconstrained(), cb.certificates.L1Ball(float(abs(beta[0])) + 1.0), cb.certificates.L1Penalty(0.0)):
            own = cb.certify(problem, beta, target)
            assert decimal.Decimal(own.lower) <= optimum and own.gap <= 1e-13 * (1 + abs(float(optimum)) + y)
