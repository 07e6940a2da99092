"""One-dimensional searches: the step along a learner, the intercept beside a model, the best constant, against an independent solver."""

import math

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import coordboost as cb
from coordboost._numba.linesearch import safeguarded_newton
from coordboost.paths.intercept import best_shift

LOSSES = {
    "logistic": cb.Logistic(), "ridge": cb.Logistic(0.1), "exponential": cb.Exponential(), "poisson": cb.Poisson(),
    "huber": cb.Huber(0.5), "huber of dust": cb.Huber(1e-6),
}  # fmt: skip


def targets(loss, n, rng):
    if getattr(loss, "two_class", False):
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        return y
    return rng.poisson(3.0, n) + 1.0 * (np.arange(n) == 0) if isinstance(loss, cb.Poisson) else rng.standard_t(2, n)


def fall(loss, y, weight, f, direction, t):
    """Minus the derivative along `direction`, of exactly added terms, and the sum of their sizes."""
    samples = zip(y.tolist(), weight.tolist(), f.tolist(), direction.tolist(), strict=True)
    terms = [min(max(loss.residual(a, b + t * d) * w * d, -1e300), 1e300) for a, w, b, d in samples]
    return math.fsum(terms), math.fsum(map(abs, terms))


def turns_at(loss, y, weight, f, direction, t, near):
    """Whether the derivative along `direction` is 0 at t, or turns within `near` of it, but for rounding of predictions and sums."""
    before, small = fall(loss, y, weight, f, direction, t - near)
    after, large = fall(loss, y, weight, f, direction, t + near)
    return before >= -1e-14 * small and after <= 1e-14 * large


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), power=st.integers(0, 4), heavy=st.booleans())
def test_intercepts_beside_heavy_tailed_models_are_the_best(name, seed, power, heavy):
    loss, rng = LOSSES[name], np.random.default_rng(seed)
    y, weight = targets(loss, 25, rng), rng.integers(1, 5, 25).astype(float)
    pred = (rng.standard_cauchy(25) if heavy else rng.normal(size=25)) * 10.0**power
    if loss in (cb.Poisson(), cb.Exponential()):
        pred = np.clip(pred, -200, 200)
    problem = cb.Problem(rng.normal(size=(25, 2)), y, loss, sample_weight=weight)
    found = best_shift(problem, pred)
    near = 1e-13 * (1 + abs(found) + np.abs(pred).max() + np.abs(y).max())
    assert turns_at(loss, problem.y, weight, problem.base + pred, np.ones(25), found, near)


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.0, 1.0, 30.0, 300.0]), tail=st.sampled_from([1.0, 1e3, 1e7]))
def test_steps_along_heavy_tailed_learners_are_the_best(name, seed, spread, tail):
    """One sample may move `tail` times as far as others, and be at rest long before them."""
    loss, rng = LOSSES[name], np.random.default_rng(seed)
    y, weight, direction = targets(loss, 12, rng), rng.integers(1, 5, 12).astype(float), rng.normal(size=12)
    direction[0] *= tail
    spread = min(spread, 30.0) if isinstance(loss, cb.Exponential) else spread  # it ends at e^700
    f = spread * rng.normal(size=12)
    with np.errstate(over="ignore"):
        t = float(safeguarded_newton(loss, y, weight, f, direction))
    sign = 1.0 if fall(loss, y, weight, f, direction, 0.0)[0] > 0 else -1.0
    ends = sign * fall(loss, y, weight, f, direction, sign * 1e12)[0]
    if ends < 0 or getattr(loss, "location", False):
        # the prediction that moves most is rounded, and so is t
        near = 1e-13 * (abs(t) + (np.abs(f) + np.abs(y)).max() / np.abs(direction).max()) + 1e-300
        assert turns_at(loss, y, weight, f, direction, t, near)
    else:
        assert abs(t * direction).max() >= 50.0 * (1 - 1e-12)


def test_a_search_is_as_good_as_an_independent_one():
    rng = np.random.default_rng(2)
    for loss in (cb.Logistic(), cb.Logistic(0.1), cb.Huber(0.5), cb.Poisson(), cb.Exponential()):
        y, f, direction = targets(loss, 30, rng), rng.normal(size=30), rng.standard_t(2, 30)

        def value(t, loss=loss, y=y, f=f, direction=direction):
            return math.fsum(float(loss.value(a, float(b + t * d))) for a, b, d in zip(y, f, direction, strict=True))

        found = scipy.optimize.minimize_scalar(value, bounds=(-10, 10), method="bounded", options={"xatol": 1e-10})
        t = float(safeguarded_newton(loss, y, np.ones(30), f, direction))
        assert value(t) <= found.fun * (1 + 1e-14) + 1e-300


def test_steps_of_an_exponential_are_found_from_far_away():
    """Newton steps from the far side have the length 1 there."""
    ones = np.ones(1)
    assert safeguarded_newton(cb.Poisson(), ones, ones, -600.0 * ones, ones) == pytest.approx(600.0, abs=1e-12)
    assert safeguarded_newton(cb.Poisson(), ones, ones, 590.0 * ones, ones) == pytest.approx(-590.0, abs=1e-12)


class Plain(cb.Loss):
    """A loss as a user writes it: two functions, and nothing else but what is asked for by name."""

    value = residual = None

    def __init__(self, value, residual, **declared):
        self.value, self.residual = value, residual
        vars(self).update(declared)


OWN = {
    "log-cosh": (lambda y, f: math.log(math.cosh(min(abs(y - f), 700.0))), lambda y, f: math.tanh(y - f), {"location": True}),
    "expectile": (
        lambda y, f: (0.9 if y > f else 0.1) * (y - f) ** 2, lambda y, f: (1.8 if y > f else 0.2) * (y - f), {"location": True}
    ),
    "gamma": (lambda y, f: f + y * math.exp(-f), lambda y, f: y * math.exp(-f) - 1, {}),
    "naive poisson": (lambda y, f: math.exp(f) - y * f, lambda y, f: y - math.exp(f), {}),
    "absolute": (lambda y, f: abs(y - f), lambda y, f: math.copysign(1.0, y - f), {"location": True}),
}  # fmt: skip


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3, 1e8])
@pytest.mark.parametrize("name", OWN)
def test_value_and_residual_are_enough(name, unit):
    """The start of a run is the best constant, found where the loss does not bring it."""
    value, residual, declared = OWN[name]
    rng = np.random.default_rng(1)
    y, weight = unit * rng.gamma(2.0, size=31), rng.integers(1, 4, 31).astype(float)
    loss = Plain(value, residual, **declared)
    offset = cb.Problem(rng.normal(size=(31, 2)), y, loss, sample_weight=weight).offset
    assert turns_at(loss, y, weight, np.zeros(31), np.ones(31), offset, 1e-13 * (unit if declared else 1 + abs(offset)))


def test_a_constant_that_is_infinite_is_refused_in_a_sentence():
    loss = Plain(lambda y, f: math.log1p(math.exp(-y * f)), lambda y, f: y / (1 + math.exp(y * f)))
    X = np.random.default_rng(0).normal(size=(9, 2))
    with pytest.raises(ValueError, match=r"the best constant prediction of Plain is infinite for these y; pass center=False"):
        cb.Problem(X, np.ones(9), loss)
    assert cb.Problem(X, np.ones(9), loss, center=False).offset == 0.0


def test_an_own_logistic_loss_has_the_model_of_ours():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] + rng.normal(size=50) > 0.5, 1.0, -1.0)
    loss = Plain(lambda y, f: math.log1p(math.exp(-y * f)), lambda y, f: y / (1 + math.exp(y * f)), sigma=0.25)
    own, ours = (cb.solve(cb.Problem(X, y, one), cb.gcd(), 30) for one in (loss, cb.Logistic()))
    np.testing.assert_allclose(own.coef, ours.coef, atol=1e-12)
    assert own.problem.offset == pytest.approx(ours.problem.offset, abs=1e-14)
