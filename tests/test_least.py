"""The least loss as an interval: right where descent is slow, and refused where a minimiser may lie at infinity."""

import math

import numpy as np
import pytest
import scipy.optimize
from refusal import refused

import coordboost as cb
from coordboost.geometry import start_distance
from coordboost.geometry.distance import reach
from coordboost.geometry.least import away, least_loss
from coordboost.targets import At

SQUARED = cb.Squared()


def nearly_equal(t, loss=SQUARED, y=(1.0, 1.0)):
    """Two columns an angle of about 2 t apart."""
    return cb.Problem(np.array([[1.0, 1.0], [t, -t]]), np.array(y), loss, center=False)


@pytest.mark.parametrize("t", [1e-2, 1e-3, 1e-5])
def test_start_distance_where_descent_is_slow(t):
    """C = ||y|| as the columns span everything, Theta = t / sqrt(1 + t^2): descent has hardly begun after its last step."""
    size = math.sqrt(2) * math.sqrt(1 + t * t) / t
    assert start_distance(nearly_equal(t)) == pytest.approx((size, size), rel=1e-5)


@pytest.mark.parametrize("loss", [cb.Squared(), cb.Logistic(0.01), cb.Huber(0.5)], ids=repr)
def test_the_least_loss_of_columns_that_span_everything(loss):
    """It is a sum of least losses of single samples."""
    each = scipy.optimize.minimize_scalar(lambda f: loss.value(1.0, f), bracket=(0, 1), tol=1e-12).fun
    for t in (1e-1, 1e-3, 1e-5):
        lower, upper = least_loss(nearly_equal(t, loss))
        assert lower <= 2 * each + 1e-15 and 2 * each <= upper + 1e-15 and upper - lower < 1e-9


def test_how_far_the_minimiser_is():
    """With the target in the direction in which the columns differ nothing is given away: it is at (1, -1) sqrt(1 + t^2) / (2 t)."""
    for t in (1e-1, 1e-3):
        far = math.sqrt(1 + t * t) / t
        problem = nearly_equal(t, y=(0.0, 1.0))
        assert away(problem, At.point(problem, np.zeros(2))) == pytest.approx(far, rel=1e-9)
        assert away(problem, At.point(problem, [far / 4, -far / 4])) == pytest.approx(far / 2, rel=1e-9)
        flat = nearly_equal(t, cb.Huber(0.1), y=(0.0, 1.0))
        assert away(flat, At.point(flat, np.zeros(2))) >= far
        soft = nearly_equal(t, cb.Logistic(0.5), y=(1.0, 1.0))
        best = cb.solve(soft, cb.gcd(), 3000).beta
        assert away(soft, At.point(soft, np.zeros(2))) >= np.abs(best).sum()


def test_rounding_is_a_part_of_how_far_the_minimiser_is():
    """At the floats nearest to the minimiser nothing is left but rounding, and it is not left out."""
    for y in ((0.0, 1.0), (0.3, 0.7)):
        problem = nearly_equal(0.1, y=y)
        B = problem.gather(np.arange(2))
        best = cb.solve(problem, cb.gcd(cb.LineSearch()), 5000).beta
        off = np.linalg.solve(B, problem.y - B @ best)
        assert 0 < away(problem, At.point(problem, best)) < 1e-11 and np.abs(off).sum() <= away(
            problem, At.point(problem, best)
        )


def test_the_way_in_predictions_takes_both_ends_of_the_least_loss():
    """A loss of 1 at the start: to a least loss of 1/2 it is sqrt(2 (1 - 1/2) / mu), to one of 7/8 half of that."""
    assert reach(nearly_equal(0.1), (0.5, 0.875)) == (0.5, 1.0)
    loss = cb.Logistic(0.25)
    soft = nearly_equal(0.1, loss)
    start, far = soft.value(np.zeros(2)), math.sqrt(2 / loss.mu)
    assert reach(soft, (start - 1, start - 0.25)) == pytest.approx((0.0, far), rel=1e-15)


def test_a_minimiser_may_be_farther_than_the_longest_residual():
    """Slopes are nearly those of lines: all of the loss goes from one sample to the other, a way of root 2 times that length."""
    d, slope = 0.01, 1.01
    problem = cb.Problem([[slope], [-1.0]], [1.0, 0.0], cb.Huber(d), center=False)
    best = (1 - d / slope) / slope * math.hypot(slope, 1)  # where the slopes of both samples cancel
    start = At.point(problem, np.zeros(1))
    assert 1.3 * problem.loss.level_radius(start.loss) < best <= away(problem, start)


def test_of_other_losses_nothing_is_claimed_from_below():
    """A target that is nearly 0: the start is nearly the minimiser, and the level set is small."""
    for loss in (cb.Huber(0.5), cb.Logistic(0.1)):
        y = (1.0, -1.0) if isinstance(loss, cb.Logistic) else (1e-6, 0.0)
        assert start_distance(nearly_equal(0.1, loss, y))[0] == 0 < start_distance(nearly_equal(0.1, loss, y))[1]


def test_no_least_loss_is_claimed_where_the_minimiser_may_be_at_infinity():
    separable = nearly_equal(0.1, cb.Logistic())
    refused(lambda: least_loss(separable), "not known to be bounded")
    run = cb.solve(separable, cb.rtgcd(1), 3, compile=False)
    refused(lambda: cb.check(run), "no bound speaks about")
    refused(lambda: cb.plan(separable, cb.rtgcd(1), 0.1), "not known to be bounded")
