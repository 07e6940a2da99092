"""Losses that are not convex: their constants, and the functions that refuse them."""

import math

import numpy as np
import pytest

import coordboost as cb
from coordboost.rules import DampedLineSearch

X = np.random.default_rng(0).normal(size=(20, 3))
Y = np.where(X[:, 0] > 0.2, 1.0, -1.0)


def test_constants_of_the_smooth_zero_one_loss():
    """The slope is at most 1 / (4 s), the second derivative 1 / (6 sqrt(3) s^2), both attained;
    errors cost more than correct signs.
    """
    loss = cb.losses.SmoothZeroOne(0.2)
    f = np.linspace(-3, 3, 20001)
    slope = np.array([loss.residual(1.0, x) for x in f])
    assert slope.min() > 0 and slope.max() == pytest.approx(1 / (4 * 0.2), rel=1e-9)
    second = np.abs(np.diff(slope) / np.diff(f)).max()
    assert 0.999 * loss.sigma < second <= loss.sigma
    assert (
        loss.value(1.0, -1.0) > 0.99
        and loss.value(1.0, 1.0) < 0.01
        and loss.value(-1.0, 0.0) == 0.5
    )
    assert loss.value(1.0, 800.0) == 0.0 and loss.residual(1.0, -800.0) == 0.0


@pytest.mark.parametrize(
    "loss", [cb.losses.SmoothZeroOne(0.3), cb.losses.Welsch()], ids=["SLA", "Welsch"]
)
def test_what_needs_convexity_refuses_in_a_sentence(loss):
    problem = cb.Problem(X, Y, loss)
    assert problem.constant == 0
    run = cb.solve(problem, cb.methods.gcd(cb.rules.ShrunkenStep(0.05)), 20, compile=False)
    certificate = run.certificate()
    assert certificate.lower == 0.0 and certificate.upper == pytest.approx(run.final.loss)
    for target in (cb.certificates.L1Ball(1.0), cb.certificates.L1Penalty(1.0)):
        with pytest.raises(ValueError, match=r"not convex: there is no certificate for"):
            run.certificate(target)
    with pytest.raises(ValueError, match="not convex"):
        cb.solve(problem, cb.agbm(0.01, 0.1), 5)
    with pytest.raises(ValueError, match="not convex: there is no certificate for a Lasso path"):
        cb.lasso_path(problem)
    assert cb.testing.check_piece(loss)


def test_random_rules_have_their_probabilities():
    """Frequencies of 2,000 draws lie within 5.2 standard errors of the probabilities: 2e-7 for each
    of 6 numbers.
    """
    problem = cb.Problem(X, np.arange(20.0) % 7)
    p = np.array([0.5, 0.2, 0.3])
    n = 2000
    drawn = cb.solve(
        problem,
        cb.rules.Method("a", cb.rules.Weighted(10 * p), cb.rules.FittedStep(1e-9)),
        n,
        compile=False,
    ).path
    assert (
        np.abs(np.bincount(drawn.learner, minlength=3) / n - p) < 5.2 * np.sqrt(p * (1 - p) / n)
    ).all()
    corr = problem.scan(problem.resid(0 * problem.y))
    size = np.linalg.norm(problem.resid(0 * problem.y))
    law = np.exp(4.0 * corr**2 / size**2)
    law /= law.sum()
    np.testing.assert_allclose(
        cb.rules.Softmax(4.0).chances(corr[None], np.array([size**2]), None)[0],
        law[None],
        rtol=1e-13,
    )
    soft = cb.solve(
        problem,
        cb.rules.Method("b", cb.rules.Softmax(4.0), cb.rules.FittedStep(1e-9)),
        n,
        compile=False,
    ).path
    assert (
        np.abs(np.bincount(soft.learner, minlength=3) / n - law)
        < 5.2 * np.sqrt(law * (1 - law) / n)
    ).all()
    assert math.isclose(law.sum(), 1.0)


def test_random_rules_refuse_bad_probabilities():
    problem = cb.Problem(X, Y)
    for p in ([1.0, 1.0], [-1.0, 1.0, 1.0], [0.0, 0.0, 0.0]):
        with pytest.raises(ValueError, match="Weighted: p must be 3 numbers"):
            cb.solve(problem, cb.rtgcd(select=cb.rules.Weighted(p)), 1)
    with pytest.raises(ValueError, match="kappa"):
        cb.solve(problem, cb.rtgcd(select=cb.rules.Softmax(-1.0)), 1)
    with pytest.raises(ValueError, match="needs an explicit dictionary"):
        cb.solve(cb.Problem(cb.data.trees(X), Y), cb.rtgcd(select=cb.rules.Softmax(1.0)), 1)


def test_every_rule_that_searches_along_a_line_refuses():
    damped = cb.rules.Method("damped", cb.rules.Greedy(), DampedLineSearch(0.1))
    methods = (
        cb.methods.gcd(cb.rules.LineSearch()),
        cb.methods.frank_wolfe(1.0, cb.rules.SegmentSearch(1.0)),
        cb.methods.frank_wolfe_away(1.0),
        cb.methods.frank_wolfe_pairwise(1.0),
        damped,
    )
    for method in methods:
        with pytest.raises(ValueError, match="not convex: line searches need a convex loss"):
            cb.solve(cb.Problem(X, Y, cb.losses.Welsch()), method, 5)


def test_a_large_kappa_is_greedy():
    """Also where the exponentials of the probabilities overflow before they are normalised."""
    rng = np.random.default_rng(3)
    problem = cb.Problem(rng.normal(size=(400, 6)), rng.normal(size=400))
    square = np.sort(1e6 * problem.scan(problem.y) ** 2 / (problem.y @ problem.y))
    assert square[-1] > 710 and square[-1] - square[-2] > 40
    for compile in (False, True):
        run = cb.solve(
            problem,
            cb.rules.Method("soft", cb.rules.Softmax(1e6), cb.rules.FittedStep(1e-9)),
            20,
            compile=compile,
        )
        assert set(run.path.learner) == {int(np.argmax(np.abs(problem.scan(problem.y))))}


def test_probabilities_follow_the_scale():
    """Probabilities of the smoothed zero-one loss are 1 - loss: they depend on the margin in units
    of the scale.
    """
    for scale in (0.1, 0.5, 3.0):
        loss = cb.losses.SmoothZeroOne(scale)
        for f in (-2.0, 0.0, 0.3):
            assert loss.mean(f) == pytest.approx(1 - loss.value(1.0, f), rel=1e-12)
