"""Plans and bounds on an orthonormal basis, compared with their formulas: A = 2, four learners,
lambda = 1, so kappa = 4.
"""

import math

import numpy as np
import pytest

import coordboost as cb

BASIS = cb.Problem(np.eye(4), np.ones(4), center=False)
BUDGETS = (0, 1, 3, 8, 99)


def planned(maker, n_steps, **options):
    """Parameters of the method, gap and l1 norm of a plan for a given number of steps."""
    one = cb.theory.plan(BASIS, maker, n_steps=n_steps, **options)
    assert one.n_steps == n_steps
    return one.method.parameters, one.gap, one.l1


@pytest.mark.parametrize("k", BUDGETS)
@pytest.mark.parametrize("eps", [1.0, 0.1, 1.5])
def test_ls_boost(k, eps):
    x = eps * (2 - eps) / 4
    norms = (
        2 * math.sqrt(k * eps / (2 - eps)),
        2 * eps * (1 - (1 - x) ** (k / 2)) / (1 - math.sqrt(1 - x)),
    )
    parameters, gap, l1 = planned(cb.ls_boost, k, eps=eps)
    assert parameters == {"eps": eps} and (gap, l1) == pytest.approx(
        (2 * (1 - x) ** k, min(norms)), rel=1e-12
    )


@pytest.mark.parametrize("k", BUDGETS)
def test_forward_stagewise(k):
    """With the best eps both terms of D_k are A / sqrt(k + 1); the gap is kappa / 8 D_k^2."""
    best = 2 / math.sqrt(k + 1)
    parameters, gap, l1 = planned(cb.forward_stagewise, k)
    assert (parameters["eps"], gap, l1) == pytest.approx((best, 8 / (k + 1), k * best), rel=1e-12)
    parameters, gap, l1 = planned(cb.forward_stagewise, k, eps=0.1)
    assert (parameters["eps"], gap, l1) == pytest.approx(
        (0.1, (40 / (k + 1) + 0.1) ** 2 / 2, k / 10), rel=1e-12
    )


@pytest.mark.parametrize("delta", [0.25, 3.0])
@pytest.mark.parametrize("k", BUDGETS)
def test_regularized_forward_stagewise(k, delta):
    """The best eps makes A^2 / (2 eps (k + 1)) and 2 eps equal; it is at most delta."""
    eps = min(delta, 1 / math.sqrt(k + 1))
    parameters, gap, l1 = planned(cb.regularized_forward_stagewise, k, delta=delta)
    assert parameters == pytest.approx({"eps": eps, "delta": delta}, rel=1e-12)
    assert gap == pytest.approx(delta * (2 / (eps * (k + 1)) + 2 * eps), rel=1e-12)
    assert l1 == pytest.approx(delta * (1 - (1 - eps / delta) ** k), rel=1e-12)


@pytest.mark.parametrize("k", BUDGETS)
def test_frank_wolfe(k):
    """Before the first step only the bound A^2 / 2 is known, and the model is 0."""
    _, gap, l1 = planned(cb.methods.frank_wolfe, k, delta=1.5)
    assert (gap, l1) == pytest.approx((18 / (k + 2), 1.5) if k else (2, 0), rel=1e-12)


@pytest.mark.parametrize("k", BUDGETS)
def test_the_fewest_steps(k):
    """k steps reach the gap, k - 1 do not."""
    nearly = 1 + 1e-9
    assert cb.theory.plan(BASIS, cb.ls_boost, 2 * 0.75**k * nearly, eps=1.0).n_steps == k
    assert cb.theory.plan(BASIS, cb.forward_stagewise, 8 / (k + 1) * nearly).n_steps == k
    assert (
        cb.theory.plan(
            BASIS, cb.regularized_forward_stagewise, 12 / math.sqrt(k + 1) * nearly, delta=3.0
        ).n_steps
        == k
    )
    fewest = k if k > 7 else 0  # a gap of 2 is reached at the start
    assert (
        cb.theory.plan(BASIS, cb.methods.frank_wolfe, 18 / (k + 2) * nearly, delta=1.5).n_steps
        == fewest
    )


def test_promises_of_greedy_methods():
    """The gap is a fiftieth of A^2 / 2 = 2. Each row equals its formula; away steps have half the
    rate, as a step may be truncated.
    """
    rows = cb.theory.plan(BASIS, gap=0.04, n_steps=1, eps=0.04, delta=2.0)

    def by_rate(rate):
        return math.ceil(math.log(0.02) / math.log(1 - rate))

    boost, slow, stagewise, shrunk, ball, away, swaps = rows[:7]
    assert (boost.printed, boost.sharpened) == (by_rate(1 / 16), by_rate(1 / 4))
    assert (slow.printed, slow.sharpened) == (by_rate(0.19 / 16), by_rate(0.19 / 4))
    # kappa / 2 D^2 <= 0.04 requires D <= sqrt(0.02); the sharpened bound twice that: D = 100 / (k +
    # 1) + 0.04

    def steps(width):
        return math.ceil(100 / (width - 0.04)) - 1

    assert (stagewise.printed, stagewise.sharpened) == (
        steps(math.sqrt(0.02)),
        steps(2 * math.sqrt(0.02)),
    )
    assert shrunk.method.parameters == {"eps": 0.01, "delta": 2.0}
    assert shrunk.printed == math.inf  # 2 delta eps alone is the gap
    assert ball.printed == ball.sharpened == 32 / 0.04 - 2
    assert away.printed == away.sharpened == math.ceil(2 * math.log(0.02) / math.log(1 - 1 / 64))
    assert swaps.printed == swaps.sharpened == math.inf
