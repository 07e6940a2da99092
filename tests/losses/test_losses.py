"""Properties of every loss in ``coordboost.losses.standard``; the allowed rounding is a few ulp of
the compared terms.
"""

import math

import numpy as np
import pytest
from designs import ROUNDOFF, seeded
from hypothesis import given
from hypothesis import strategies as st

import coordboost as cb

LOSSES = [
    cb.losses.Squared(),
    cb.losses.Huber(),
    cb.losses.Huber(0.5),
    cb.losses.Logistic(),
    cb.losses.Logistic(0.5),
    cb.losses.Exponential(),
    cb.losses.Poisson(),
    cb.losses.Gamma(),
    cb.losses.Tweedie(1.5),
]
LOG_MEAN = (cb.losses.Poisson, cb.losses.Gamma, cb.losses.Tweedie)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)

# Targets are labels, predictions multiples of 1/8: values of polynomial losses are then exact.
targets = st.sampled_from([-1.0, 1.0])
predictions = st.integers(-64, 64).map(lambda i: i / 8)
vectors = st.lists(st.integers(-16, 16).map(lambda i: i / 8), min_size=5, max_size=5).map(np.array)
labels = st.lists(targets, min_size=5, max_size=5).map(np.array)
weights = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=5, max_size=5).map(np.array)


def fitting(loss, y):
    """Turn labels -1, +1 into targets that the loss accepts: counts 0 and 3 for Poisson and
    Tweedie, sizes 1/8 and 3 for Gamma.
    """
    least = {cb.losses.Poisson: 0.0, cb.losses.Gamma: 0.125, cb.losses.Tweedie: 0.0}.get(type(loss))
    return y if least is None else np.where(np.asarray(y) > 0, 3.0, least)[()]


def ulps(*terms):
    """Rounding of a short formula with these terms."""
    return 16 * ROUNDOFF * sum(map(abs, terms))


@every_loss
def test_constants_are_the_best(loss):
    """sigma and mu are attained: a smaller sigma or a larger mu would be wrong somewhere."""
    curvatures = [
        loss.curvature(fitting(loss, y), f) for y in (-1.0, 1.0) for f in np.linspace(-80, 80, 321)
    ]
    if loss.sigma is None:
        assert max(curvatures) > 1e16
    else:
        assert max(curvatures) == loss.sigma
    # curvatures that decrease to 0 are below exp(-40) at the end of the grid
    assert min(curvatures) - (loss.mu or 0.0) <= math.exp(-40)


@every_loss
@pytest.mark.parametrize("margin", [0.0, 1e-300, 30.0, 710.0, 1e6])
def test_no_overflow(loss, margin):
    """Predictions of up to a million in size give finite numbers, in kernels and in sums; warnings
    are errors.
    """
    for y in fitting(loss, [-1.0, 1.0]):
        for f in (-margin, margin):
            numbers = [loss.value(y, f), loss.residual(y, f), loss.curvature(y, f)]
            least = loss.infimum(np.array([y]))[0] if callable(loss.infimum) else loss.infimum
            assert all(map(math.isfinite, numbers)) and numbers[0] >= least
            signed = not (getattr(loss, "location", False) or loss.mu or isinstance(loss, LOG_MEAN))
            assert y * loss.residual(y, f) >= 0 or not signed
    problem = cb.Problem([[1.0], [0.0], [-2.0]], fitting(loss, [1.0, -1.0, 1.0]), loss)
    pred = np.array([margin, -margin, margin])
    assert np.isfinite(problem.value(pred)) and np.isfinite(problem.resid(-pred)).all()


@every_loss
@seeded
@given(y=labels, w=weights)
def test_best_constant(loss, y, w):
    """The derivative at constant(y, weight) is zero up to rounding; a problem uses this constant as
    its start.
    """
    if not (w[y > 0].any() and w[y < 0].any()):
        return
    y = fitting(loss, y)
    c = loss.constant(y, w)
    terms = [w[i] * loss.residual(y[i], c) for i in range(5)]
    assert abs(sum(terms)) <= ulps(*terms, *w) * (1 + abs(c))
    w = w + (w == 0)
    assert cb.Problem(np.eye(5), y, loss, sample_weight=w).constant == loss.constant(y, w)


@every_loss
def test_sums_and_weights(loss):
    """`value` and `resid` of a problem are weighted sums of the kernels, compiled, at the constant
    plus the prediction.
    """
    y = fitting(loss, np.array([1.0, -1.0, 1.0]))
    w = np.array([0.5, 2.0, 1.0])
    pred = np.array([0.25, 3.0, -1.0])
    problem = cb.Problem([[1.0], [0.0], [-2.0]], y, loss, sample_weight=w)
    at = problem.constant + pred
    values = [w[i] * loss.value(y[i], at[i]) for i in range(3)]
    np.testing.assert_allclose(problem.value(pred), sum(values), rtol=0, atol=ulps(*values))
    np.testing.assert_allclose(
        problem.resid(pred),
        [w[i] * loss.residual(y[i], at[i]) for i in range(3)],
        rtol=0,
        atol=ulps(*values),
    )
