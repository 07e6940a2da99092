"""The theorems of accelerated boosting in the package: formulas, gaps measured along a run, and the
runs that they apply to.
"""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from refusal import refused

import coordboost as cb
from coordboost.theory.bounds import accelerated

ETA, GAMMA = 0.5, 0.02


def a_problem(loss=None, n=12, p=3):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, p))
    y = rng.normal(size=n)
    return cb.Problem(X, np.sign(y) if isinstance(loss, cb.losses.Logistic) else y, loss)


def ran(problem, method, n_steps=41):
    return cb.solve(problem, method, n_steps, compile=False)


def names(run):
    return [one.name for one in accelerated.STATEMENTS if one.variants(run)]


def test_formulas_in_fractions():
    assert (
        accelerated.excess(variant="corrected", radius2=F(9), eta=F(1, 2), gamma=F(1, 4), k=3) == 9
        and accelerated.excess(variant="corrected", radius2=F(1), eta=F(1), gamma=F(1), k=0) == 2
    )
    assert (
        accelerated.period(F(1, 2), F(1, 4), F(1)) == 8
        and accelerated.period(F(1, 2), F(1, 4), F(1, 4)) == 16
    )
    assert accelerated.period(1.0, 1.0, 1.0) == 3
    assert list(accelerated.halved(gap=8, length=5, k=np.array([0, 4, 5, 9, 10]))) == [
        8,
        8,
        4,
        4,
        2,
    ]


def test_gaps_and_bound_of_a_run_by_hand():
    """Algorithm 2 in ten lines; after 41 steps, the first step of round 21 has moved f, so that 21
    gaps follow the first.
    """
    problem = a_problem()
    B = problem.gather(np.arange(3))
    y = problem.resid(np.zeros(12))
    f = h = left = 0 * y
    best = B @ np.linalg.lstsq(B, y)[0]
    gaps = []
    for m in range(22):
        gaps.append(np.sum((f - best) ** 2) / 2)
        theta = 2 / (m + 2)
        g = (1 - theta) * f + theta * h
        c = (y - g) + (m + 1) / (m + 2) * left
        one, two = (B[:, np.argmax(np.abs(B.T @ v))] for v in (y - g, c))
        f = g + ETA * (one @ (y - g)) * one
        h = h + GAMMA * ETA / theta * (two @ c) * two
        left = c - (two @ c) * two
    (found,) = cb.theory.check(ran(problem, cb.agbm(ETA, GAMMA)))
    assert (found.name, found.variant, found.holds, found.at[-1]) == (
        "AGBM, Theorem 4.1",
        "sharpened",
        True,
        21,
    )
    np.testing.assert_allclose(found.measured, np.array(gaps)[found.at], atol=1e-13)
    np.testing.assert_allclose(
        found.bound, 4 * gaps[0] / (ETA * GAMMA * (found.at + 1.0) ** 2), rtol=1e-12
    )


@pytest.mark.parametrize("loss", [cb.losses.Logistic(0.1), cb.losses.Huber(0.5)], ids=repr)
def test_other_losses_are_checked(loss):
    (found,) = cb.theory.check(ran(a_problem(loss), cb.agbm(1 / loss.sigma, GAMMA)))
    assert found.holds and found.measured[0] < found.bound[0]


def test_restarts_are_checked_at_the_ends_of_their_periods():
    problem = a_problem()
    length = accelerated.period(1.0, GAMMA, 1.0)  # 20
    (found,) = cb.theory.check(ran(problem, cb.agbmr(1.0, GAMMA, length), 6 * length))
    assert (
        found.name == "AGBM, Theorem 4.2"
        and found.holds
        and found.at.tolist() == [0, length, 2 * length, 3 * length]
    )
    np.testing.assert_allclose(found.bound, found.measured[0] / 2.0 ** np.arange(4), rtol=1e-12)


def test_which_runs_the_theorems_apply_to():
    """The angle allows gamma up to slightly more than GAMMA; a 12 x 2,000 table is too large for a
    certified angle.
    """
    problem = a_problem()
    wide = a_problem(p=2000)
    limit = cb.theory.momentum_limit(problem)
    assert GAMMA <= limit < 2 * GAMMA and cb.theory.momentum_limit(wide) is None
    assert (
        names(ran(problem, cb.agbm(1.0, "auto"), 2))
        == names(ran(problem, cb.agbm(1.0, limit), 2))
        == ["AGBM, Theorem 4.1"]
    )
    outside = [
        cb.agbm(1.0, 1.001 * limit),
        cb.agbm(1.001, GAMMA),
        cb.agbm(1.0, GAMMA, correction=-1),
        cb.agbm(1.0, GAMMA, correction=0),
        cb.vagbm(1.0, GAMMA),
        cb.agbmr(1.0, GAMMA),
        cb.agbmr(1.0, GAMMA, accelerated.period(1.0, GAMMA, 1.0) - 1),
        cb.methods.gcd(),
    ]
    assert [names(ran(problem, method, 2)) for method in outside] == [[]] * len(outside)
    assert (
        names(ran(wide, cb.agbm(1.0, "auto"), 2))
        == names(ran(a_problem(cb.losses.Logistic()), cb.agbm(1.0, GAMMA), 2))
        == []
    )
    assert names(ran(a_problem(cb.losses.Huber(0.5)), cb.agbmr(1.0, GAMMA, 10**6), 2)) == []


def test_plans_by_hand():
    """Four unit vectors, y = 1: the angle is 1/2, the distance to the minimiser 2, the initial gap
    2; a round is two steps.
    """
    problem = cb.Problem(np.eye(4), np.ones(4), center=False)
    gamma = cb.theory.momentum_limit(problem)
    plan = cb.theory.plan(problem, cb.agbm(1.0, "auto"), 0.02)
    assert (
        plan.method.parameters["gamma"]
        == gamma
        == pytest.approx((1 - np.sqrt(3 / 4)) ** 2, rel=1e-9)
    )
    rounds = int(np.ceil(np.sqrt(2 * 4 / (gamma * 0.02)))) - 1
    assert plan.n_steps == 2 * rounds and plan.gap == pytest.approx(
        8 / (gamma * (rounds + 1) ** 2), rel=1e-12
    )
    assert plan.statement == "AGBM, Theorem 4.1, corrected" and plan.l1 == np.inf
    assert cb.theory.plan(problem, cb.agbm(0.5, gamma), n_steps=10).gap == pytest.approx(
        16 / (gamma * 36), rel=1e-12
    )
    length = accelerated.period(1.0, gamma, 1.0)
    again = cb.theory.plan(problem, cb.agbmr(1.0, gamma, length), 0.02)
    assert again.n_steps == 2 * 7 * length and again.gap == pytest.approx(2 / 128, rel=1e-12)
    assert again.statement == "AGBM, Theorem 4.2, corrected"


@pytest.mark.parametrize("loss", [None, cb.losses.Logistic(0.1), cb.losses.Huber(0.5)], ids=repr)
def test_plans_keep_their_promise(loss):
    """The bound checked on the planned run holds too, and equals the promised gap at the last
    round.
    """
    problem = a_problem(loss)
    sigma = 1.0 if loss is None else loss.sigma
    plan = cb.theory.plan(problem, cb.agbm(1 / sigma, GAMMA), n_steps=60)
    (found,) = cb.theory.check(ran(problem, plan.method, plan.n_steps))
    assert (
        found.holds
        and found.at[-1] == 30
        and found.measured[-1] <= plan.gap == pytest.approx(found.bound[-1], rel=1e-6)
    )
    assert cb.theory.plan(problem, plan.method, plan.gap).n_steps == plan.n_steps


def test_plans_that_no_theorem_allows():
    problem = a_problem()
    limit = cb.theory.momentum_limit(problem)
    methods = (
        cb.agbm(1.0, 1.001 * limit),
        cb.agbm(1.001, GAMMA),
        cb.agbm(1.0, GAMMA, correction=-1),
        cb.agbmr(1.0, GAMMA),
    )
    for method in methods:
        refused(
            lambda method=method: cb.theory.plan(problem, method, 0.1),
            "with these parameters here: it needs correction=1",
        )
    refused(
        lambda: cb.theory.plan(a_problem(p=2000), cb.agbm(1.0, "auto"), 0.1),
        "momentum_limit(problem), which is None",
    )
    refused(
        lambda: cb.theory.plan(a_problem(cb.losses.Logistic()), cb.agbm(1.0, GAMMA), 0.1),
        "a loss with a minimiser",
    )
    refused(lambda: cb.theory.plan(problem, cb.agbm(1.0, GAMMA)), "either gap")
    refused(lambda: cb.theory.plan(problem, cb.vagbm(1.0, GAMMA), 0.1), "method must be")


def test_gaps_that_are_too_large_refute():
    run = ran(a_problem(), cb.agbm(ETA, GAMMA))
    found = accelerated.Rounds.of(run)
    far = replace(found, gaps=found.gaps + found.radius2 / (ETA * GAMMA))
    (wrong,), (right,) = (accelerated.excess.compare(each, "sharpened") for each in (far, found))
    assert right.holds and not wrong.holds
