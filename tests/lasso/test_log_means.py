"""Poisson, Gamma and Tweedie regression: scikit-learn's optimum is reached and certified; targets
are checked; lookahead runs agree.
"""

import decimal
import math
from functools import partial

import numpy as np
import pytest
from designs import columns, seeded
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor

import coordboost as cb

decimal.getcontext().prec = 50
U = np.finfo(float).eps
RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 6))
MEAN = np.exp(0.7 + X @ [0.5, -0.4, 0.3, 0.0, 0.0, 0.0])
COUNTS = RNG.poisson(MEAN).astype(float)
WEIGHT = RNG.integers(1, 4, 120).astype(float)
SIZES = RNG.gamma(2.0, MEAN)
CLAIMS = np.array([RNG.gamma(2.0, 1.0, n).sum() for n in RNG.poisson(MEAN)])  # some are 0
LOSSES = {
    "Poisson": (cb.losses.Poisson(), COUNTS, PoissonRegressor),
    "Gamma": (cb.losses.Gamma(), SIZES, GammaRegressor),
    "Tweedie": (cb.losses.Tweedie(1.4), CLAIMS, partial(TweedieRegressor, power=1.4)),
}
each = pytest.mark.parametrize(("loss", "y", "regressor"), LOSSES.values(), ids=LOSSES)
LINE_SEARCH = cb.methods.gcd(cb.rules.LineSearch())


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@each
def test_the_optimum_is_that_of_scikit_learn(loss, y, regressor, weight):
    """Scikit-learn: its Newton solver, no penalty, a column of ones as intercept. Ours: line
    searches until nothing changes.
    """
    table = np.column_stack([np.ones(120), X])
    problem = cb.Problem(table, y, loss, sample_weight=weight, center=False)
    peer = regressor(alpha=0, fit_intercept=False, solver="newton-cholesky", tol=1e-10).fit(
        table, y, weight
    )
    run = cb.solve(problem, LINE_SEARCH, 600)
    theirs = problem.value(columns(problem) @ problem.unit(peer.coef_))
    assert run.final.loss <= theirs + 1e-12 * problem.start_excess
    np.testing.assert_allclose(run.coef, peer.coef_, atol=1e-5)
    assert (
        cb.certify(problem, run.beta, cb.certificates.L1Ball(run.final.l1)).gap
        <= 1e-5 * problem.start_excess
    )
    np.testing.assert_allclose(np.exp(run.predict(table)), peer.predict(table), rtol=1e-5)


@pytest.mark.parametrize(
    "target",
    [cb.certificates.L1Ball(0.5), cb.certificates.L1Ball(30.0), cb.certificates.L1Penalty(4.0)],
    ids=repr,
)
@each
def test_the_independent_optimum_is_inside(loss, y, regressor, target):
    """Clarabel's values have a relative error of 1e-8, so its point is off by about 1e-4; the
    certificate is of first order in that.
    """
    problem = cb.Problem(X, y, loss)
    judged = cb.certify(problem, np.zeros(6), target, independent=True)
    assert judged.agree and judged.independent.gap <= 1e-3 * problem.start_excess


@each
def test_the_path_of_the_lasso_is_certified(loss, y, regressor):
    """Each gap is relative to (loss at 0 - infimum), and agrees with the certificate; also with a
    free intercept.
    """
    problem = cb.Problem(X, y, loss)
    path = cb.lasso_path(problem, n_alphas=6, tol=1e-8)
    assert (path.gaps <= 1e-8).all()
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        own = cb.certify(problem, problem.unit(coef), cb.certificates.L1Penalty(120 * alpha))
        assert own.known and own.gap <= 2e-8 * problem.start_excess
    assert (cb.lasso_path(problem, n_alphas=6, tol=1e-8, refit_intercept=True).gaps <= 1e-8).all()


@each
def test_lookahead_changes_nothing(loss, y, regressor):
    problem = cb.Problem(X, y, loss)
    ahead = cb.solve(problem, LINE_SEARCH, 60, model_state=cb.engine.WorkingSetState)
    plain = cb.solve(problem, LINE_SEARCH, 60, model_state=cb.engine.NaiveState, compile=False)
    np.testing.assert_array_equal(ahead.path.learner, plain.path.learner)
    np.testing.assert_allclose(ahead.beta, plain.beta, rtol=0, atol=1e-9)


@each
def test_saved_and_loaded(loss, y, regressor, tmp_path):
    run = cb.solve(cb.Problem(X, y, loss, sample_weight=WEIGHT), LINE_SEARCH, 30)
    run.save(tmp_path / "a.run")
    again = cb.load(tmp_path / "a.run")
    assert again.problem.loss == loss and type(again.problem.loss) is type(loss)
    assert (again.beta == run.beta).all() and again.final.loss == run.final.loss


@each
def test_trees_predict_means(loss, y, regressor):
    model = cb.RandomizedGBMRegressor(loss=loss, n_estimators=40).fit(X, y)
    assert (model.predict(X) > 0).all() and model.run_.final.loss < model.run_.problem.start_loss


def test_targets_and_powers_that_do_not_fit_are_refused():
    refused(
        lambda: cb.Problem(X, COUNTS - 1, cb.losses.Poisson()),
        "Poisson loss expects counts or rates y >= 0, got -1",
    )
    refused(lambda: cb.Problem(X, 0 * COUNTS, cb.losses.Poisson()), "every y is 0")
    assert cb.Problem(X, 0 * COUNTS, cb.losses.Poisson(), center=False).infimum == 0
    refused(
        lambda: cb.solve(cb.Problem(X, COUNTS, cb.losses.Poisson()), cb.ls_boost(0.1), 3),
        "LineSearch()",
    )
    refused(
        lambda: cb.Problem(X, SIZES - SIZES.min(), cb.losses.Gamma()),
        "Gamma loss expects targets y > 0, got 0",
    )
    refused(
        lambda: cb.Problem(X, CLAIMS - 1, cb.losses.Tweedie()),
        "Tweedie loss expects counts or rates y >= 0, got -1",
    )
    refused(lambda: cb.Problem(X, 0 * CLAIMS, cb.losses.Tweedie()), "every y is 0")
    refused(
        lambda: cb.Problem(X, CLAIMS, cb.losses.Tweedie(2.0)),
        "Tweedie(power): power must be between 1 and 2, got 2",
    )


def least_of(loss, y):
    """The declared infimum of the loss as a Decimal."""
    return decimal.Decimal(float(loss.infimum(np.array([y]))[0]))


@seeded
@given(y=st.one_of(st.integers(0, 10**6).map(float), st.floats(1e-12, 1e12)))
def test_the_infimum_of_poisson_is_below_the_exact_one_by_a_few_roundings(y):
    """y - y log y in 50 digits."""
    exact = decimal.Decimal(y) * (1 - (decimal.Decimal(y).ln() if y > 0 else 0))
    assert (
        exact - decimal.Decimal(8 * U * y * (1 + abs(math.log(y or 1.0))))
        <= least_of(cb.losses.Poisson(), y)
        <= exact
    )


@seeded
@given(y=st.floats(1e-12, 1e12))
def test_the_infimum_of_gamma_is_below_the_exact_one_by_a_few_roundings(y):
    """1 + log y in 50 digits."""
    exact = 1 + decimal.Decimal(y).ln()
    assert (
        exact - decimal.Decimal(8 * U * (1 + abs(math.log(y))))
        <= least_of(cb.losses.Gamma(), y)
        <= exact
    )


@seeded
@given(y=st.floats(0, 1e12), power=st.floats(1.01, 1.99))
def test_the_infimum_of_tweedie_is_below_the_exact_one_and_what_is_reached(y, power):
    """y^(2 - p) / ((p - 1)(2 - p)) in 50 digits, and the value at f = log y."""
    loss = cb.losses.Tweedie(power)
    p = decimal.Decimal(power)
    exact = decimal.Decimal(y) ** (2 - p) / ((p - 1) * (2 - p)) if y else decimal.Decimal(0)
    smallest = decimal.Decimal(2.0**-1070)  # some steps of the numbers below the normal ones
    assert exact * (1 - decimal.Decimal(40 * U)) - smallest <= least_of(loss, y) <= exact
    assert y < 1e-100 or loss.value(y, math.log(y)) >= least_of(loss, y)


def test_the_lower_end_is_below_an_exact_optimum():
    """One count and one column: the optimum y - y log y is known; at f = 1, y = e the loss is 0, a
    difference of equal terms.
    """
    for y in (1.0, math.e, 3.0, 40.0, 1e6):
        problem = cb.Problem([[1.0], [1.0]], [y, y], cb.losses.Poisson(), center=False)
        optimum = 2 * decimal.Decimal(y) * (1 - decimal.Decimal(y).ln())
        beta = problem.unit([math.log(y)])
        for target in (
            cb.certificates.Unconstrained(),
            cb.certificates.L1Ball(float(abs(beta[0])) + 1.0),
            cb.certificates.L1Penalty(0.0),
        ):
            own = cb.certify(problem, beta, target)
            assert decimal.Decimal(own.lower) <= optimum and own.gap <= 1e-13 * (
                1 + abs(float(optimum)) + y
            )
