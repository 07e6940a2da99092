"""One-dimensional searches compared with an independent solver: step along a learner, intercept of
a model, best constant.
"""

import math

import numpy as np
import pytest

import coordboost as cb

LOSSES = {
    "logistic": cb.losses.Logistic(),
    "ridge": cb.losses.Logistic(0.1),
    "exponential": cb.losses.Exponential(),
    "poisson": cb.losses.Poisson(),
    "huber": cb.losses.Huber(0.5),
    "huber of dust": cb.losses.Huber(1e-6),
}


def targets(loss, n, rng):
    if getattr(loss, "two_class", False):
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        return y
    return (
        rng.poisson(3.0, n) + 1.0 * (np.arange(n) == 0)
        if isinstance(loss, cb.losses.Poisson)
        else rng.standard_t(2, n)
    )


def fall(loss, y, weight, f, direction, t):
    """Minus the derivative along `direction`, with its terms added exactly, and the sum of their
    absolute values.
    """
    samples = zip(y.tolist(), weight.tolist(), f.tolist(), direction.tolist(), strict=True)
    terms = [min(max(loss.residual(a, b + t * d) * w * d, -1e300), 1e300) for a, w, b, d in samples]
    return math.fsum(terms), math.fsum(map(abs, terms))


def turns_at(loss, y, weight, f, direction, t, near):
    """Whether the derivative along `direction` is 0 at t, or changes sign within `near` of it, up
    to rounding of predictions and sums.
    """
    before, small = fall(loss, y, weight, f, direction, t - near)
    after, large = fall(loss, y, weight, f, direction, t + near)
    return before >= -1e-14 * small and after <= 1e-14 * large


class Plain(cb.losses.Loss):
    """A loss as users write it: two functions, and only the attributes passed by name."""

    value = residual = None

    def __init__(self, value, residual, **declared):
        self.value, self.residual = value, residual
        vars(self).update(declared)


OWN = {
    "log-cosh": (
        lambda y, f: math.log(math.cosh(min(abs(y - f), 700.0))),
        lambda y, f: math.tanh(y - f),
        {"location": True},
    ),
    "expectile": (
        lambda y, f: (0.9 if y > f else 0.1) * (y - f) ** 2,
        lambda y, f: (1.8 if y > f else 0.2) * (y - f),
        {"location": True},
    ),
    "gamma": (lambda y, f: f + y * math.exp(-f), lambda y, f: y * math.exp(-f) - 1, {}),
    "naive poisson": (lambda y, f: math.exp(f) - y * f, lambda y, f: y - math.exp(f), {}),
    "absolute": (
        lambda y, f: abs(y - f),
        lambda y, f: math.copysign(1.0, y - f),
        {"location": True},
    ),
}


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3, 1e8])
@pytest.mark.parametrize("name", OWN)
def test_value_and_residual_are_enough(name, unit):
    """A run starts at the best constant, which is searched for if the loss has no formula for
    it.
    """
    value, residual, declared = OWN[name]
    rng = np.random.default_rng(1)
    y = unit * rng.gamma(2.0, size=31)
    weight = rng.integers(1, 4, 31).astype(float)
    loss = Plain(value, residual, **declared)
    offset = cb.Problem(rng.normal(size=(31, 2)), y, loss, sample_weight=weight).constant
    assert turns_at(
        loss,
        y,
        weight,
        np.zeros(31),
        np.ones(31),
        offset,
        1e-13 * (unit if declared else 1 + abs(offset)),
    )


def test_a_constant_that_is_infinite_is_refused_in_a_sentence():
    loss = Plain(lambda y, f: math.log1p(math.exp(-y * f)), lambda y, f: y / (1 + math.exp(y * f)))
    X = np.random.default_rng(0).normal(size=(9, 2))
    with pytest.raises(
        ValueError,
        match=r"the best constant prediction of Plain is infinite for these y; pass center=False",
    ):
        cb.Problem(X, np.ones(9), loss)
    assert cb.Problem(X, np.ones(9), loss, center=False).constant == 0.0


def test_an_own_logistic_loss_has_the_model_of_ours():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] + rng.normal(size=50) > 0.5, 1.0, -1.0)
    loss = Plain(
        lambda y, f: math.log1p(math.exp(-y * f)),
        lambda y, f: y / (1 + math.exp(y * f)),
        sigma=0.25,
    )
    own, ours = (
        cb.solve(cb.Problem(X, y, one), cb.methods.gcd(), 30)
        for one in (loss, cb.losses.Logistic())
    )
    np.testing.assert_allclose(own.coef, ours.coef, atol=1e-12)
    assert own.problem.constant == pytest.approx(ours.problem.constant, abs=1e-14)
