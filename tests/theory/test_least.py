"""The distance from the start to the minimisers: correct where descent is slow, refused where a
minimiser may be at infinity.
"""

import math

import numpy as np
import pytest
from refusal import refused

import coordboost as cb
from coordboost.theory.distances import start_distance

SQUARED = cb.losses.Squared()


def nearly_equal(t, loss=SQUARED, y=(1.0, 1.0)):
    """Two columns at an angle of about 2 t."""
    return cb.Problem(np.array([[1.0, 1.0], [t, -t]]), np.array(y), loss, center=False)


@pytest.mark.parametrize("t", [1e-2, 1e-3, 1e-5])
def test_start_distance_where_descent_is_slow(t):
    """C = ||y||, as the columns span everything, and Theta = t / sqrt(1 + t^2): descent itself
    makes almost no progress here.
    """
    size = math.sqrt(2) * math.sqrt(1 + t * t) / t
    assert start_distance(nearly_equal(t)) == pytest.approx((size, size), rel=1e-5)


def test_of_other_losses_nothing_is_claimed_from_below():
    """A target near 0: the start is almost the minimiser, and the level set is small."""
    for loss in (cb.losses.Huber(0.5), cb.losses.Logistic(0.1)):
        y = (1.0, -1.0) if isinstance(loss, cb.losses.Logistic) else (1e-6, 0.0)
        assert (
            start_distance(nearly_equal(0.1, loss, y))[0]
            == 0
            < start_distance(nearly_equal(0.1, loss, y))[1]
        )


def test_no_least_loss_is_claimed_where_the_minimiser_may_be_at_infinity():
    separable = nearly_equal(0.1, cb.losses.Logistic())
    run = cb.solve(separable, cb.rtgcd(1), 3, compile=False)
    refused(lambda: cb.theory.check(run), "no bound applies to")
    refused(lambda: cb.theory.plan(separable, cb.rtgcd(1), 0.1), "not known to be bounded")
