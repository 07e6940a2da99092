"""Paths of the logistic, Poisson, exponential and gamma loss: an independent judge of their gaps,
their form, their last resort, Ctrl-C.
"""

import os
import signal
import threading

import numpy as np
import pytest
from glm_judge import LOSSES, drawn, judged

import coordboost as cb

pytestmark = pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")


def false_gaps(seeds):
    """The seeds of paths with a gap below that of the judge, rounding apart."""
    false = []
    for seed in seeds:
        for own, gap, path in judged(seed):
            if not gap <= own * (1 + 1e-6) + 1e-11 or path.message != "complete":
                false.append((seed, own, gap, path.message))
    return false


def test_an_independent_judge_finds_no_smaller_gap():
    assert not false_gaps(range(12))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 3000, 500))
def test_an_independent_judge_finds_no_smaller_gap_in_many_fits(first):
    assert not false_gaps(range(first, first + 500))


@pytest.mark.parametrize("kind", LOSSES)
def test_certificates_are_as_sharp_as_the_gaps_of_the_path(kind):
    seed = next(seed for seed in range(100) if drawn(seed)[0] == kind)
    _, _, _, problem, options = drawn(seed)
    path = cb.lasso_path(problem, **options)
    excess = problem.start_excess
    for k, gap in enumerate(path.gaps):
        assert path.certificate(k).gap <= excess * (gap * (1 + 1e-6) + 1e-10)


def test_a_curvature_gives_a_sharper_certificate_than_convexity():
    """With all correlations 1e-4 above the penalty a bound of first order loses 1e-4 of the loss,
    one of second order 1e-8.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.where(rng.random(200) < 1 / (1 + np.exp(-X[:, 0])), 1.0, -1.0)
    problem = cb.Problem(X, y, cb.losses.Logistic())
    alpha = 0.002
    path = cb.lasso_path(problem, alphas=[alpha], tol=1e-12)
    lam = alpha * 200 / (1 + 1e-4)
    made = cb.certify(problem, problem.unit(path.coefs[:, 0]), cb.certificates.L1Penalty(lam))
    assert made.gap <= 1e-5 * problem.start_loss
    cruder = cb.certify(
        cb.Problem(X, y, WithoutForm()),
        problem.unit(path.coefs[:, 0]),
        cb.certificates.L1Penalty(lam),
    )
    assert cruder.gap > 2 * made.gap and abs(cruder.upper - made.upper) <= 1e-9 * made.upper


class WithoutForm(cb.losses.Logistic):
    """A loss of one's own is not taken for the one that it inherits from."""

    __slots__ = ()


@pytest.mark.parametrize("free", [True, False])
def test_a_loss_of_ones_own_takes_the_road_of_any_loss(free):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 12))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0.5, 1.0, -1.0)
    paths = [
        cb.lasso_path(X, y, loss=loss, n_alphas=6, eps=0.05, tol=1e-10, refit_intercept=free)
        for loss in (cb.losses.Logistic(), WithoutForm())
    ]
    np.testing.assert_allclose(paths[0].coefs, paths[1].coefs, atol=1e-4)
    np.testing.assert_allclose(paths[0].intercepts, paths[1].intercepts, atol=1e-4)


def test_ctrl_c_keeps_the_alphas_that_are_done():
    """The signal comes while the compiled path is at work: it ends between two of its calls."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 1500))
    y = np.where(X[:, :40].sum(axis=1) + rng.normal(size=3000) > 0, 1.0, -1.0)
    problem = cb.Problem(X, y, cb.losses.Logistic())
    small = cb.Problem(X[:50, :5], y[:50], cb.losses.Logistic())
    cb.lasso_path(small, n_alphas=3, refit_intercept=True)  # compiled before
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.warns(cb.engine.InterruptedWarning, match="lasso_path was interrupted after"):
            timer.start()
            path = cb.lasso_path(problem, n_alphas=2000, eps=1e-3, tol=1e-9, refit_intercept=True)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert 1 <= len(path.alphas) < 2000
    assert path.message.startswith(f"interrupted after {len(path.alphas)} of 2000 alphas")
    assert (path.gaps[:-1] <= 1e-9).all()
