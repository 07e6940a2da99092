"""The theorems of random-then-greedy boosting in the package: the formulas, a run judged by repeated ones, and plans."""

import sys
from fractions import Fraction

import numpy as np
import pytest

import coordboost as cb
from coordboost import geometry
from coordboost.bounds import randomized


def a_problem(loss, seed=0):
    """Five learners: the exact angle of six takes seconds."""
    rng = np.random.default_rng(seed)
    B, y = rng.standard_normal((20, 5)), rng.standard_normal(20)
    y = np.sign(y) if isinstance(loss, cb.Logistic) else y
    return cb.Problem(B, y, loss, groups=[0, 0, 1, 1, 2])


def test_formulas_in_fractions():
    pace = randomized.Pace(Fraction(3), Fraction(2), Fraction(1), Fraction(1, 2), Fraction(4))
    steps = np.array([Fraction(0), Fraction(1), Fraction(6)], dtype=object)
    assert list(randomized.linear(pace, [0, 1, 2])) == [3, 3 * Fraction(7, 8), 3 * Fraction(49, 64)]
    assert list(randomized.sublinear(pace, steps)) == [
        3,
        1 / (Fraction(1, 3) + Fraction(1, 64)),
        1 / (Fraction(1, 3) + Fraction(6, 64)),
    ]
    assert list(randomized.sublinear_simple(pace, steps[1:])) == [64, Fraction(64, 6)]


@pytest.mark.parametrize("loss", [cb.Squared(), cb.Logistic(0.1)], ids=["squared", "logistic"])
def test_a_random_run_is_judged(loss):
    run = cb.solve(a_problem(loss), cb.rtgcd(select=cb.Groups(2)), 12, rng=3, compile=False)
    checks = {one.name: one for one in cb.check(run)}
    assert set(checks) == {"RGBM, Theorem 4.1", "RGBM, Theorem 4.2", "RGBM, Theorem 4.2, simple"}
    assert all(one.holds and one.level == "sampled" for one in checks.values())
    first = checks["RGBM, Theorem 4.1"]
    assert first.measured[0] < first.bound[0] < run.problem.value(np.zeros(20))


def test_gaps_that_are_too_large_refute():
    run = cb.solve(a_problem(cb.Squared()), cb.rtgcd(2), 8, rng=3, compile=False)
    found = randomized.Repeats.of(run)
    assert len(found.gaps) == randomized.REPEATS and found.gaps.std(axis=0).max() > 0
    worse = found._replace(gaps=found.gaps + found.pace.gap)
    assert not any(one.check(worse).holds for one in randomized.STATEMENTS[:2])


def test_who_is_judged():
    problem = a_problem(cb.Squared())
    greedy = cb.solve(problem, cb.gcd(), 3, compile=False)
    slow = cb.solve(problem, cb.rtgcd(2, step=cb.Proportional(0.5)), 3, compile=False)
    assert not any(one.applies(greedy) or one.applies(slow) for one in randomized.STATEMENTS)
    flat = cb.solve(a_problem(cb.Huber(0.5)), cb.rtgcd(2), 3, compile=False)
    assert [one.applies(flat) for one in randomized.STATEMENTS] == [False, True, True]  # Theorem 4.1 needs strong convexity


def test_a_plan_for_a_random_method():
    problem = a_problem(cb.Logistic(0.1))
    plan = cb.plan(problem, cb.rtgcd(2), gap=1.0)
    pace, name = randomized.expected(problem, plan.method)
    assert plan.statement == name == "RGBM, Theorem 4.1"
    assert randomized.gap_after(pace, plan.n_steps) <= 1.0 < randomized.gap_after(pace, plan.n_steps - 1)
    budget = cb.plan(problem, cb.rtgcd(2), n_steps=plan.n_steps)
    assert (budget.gap, budget.n_steps) == (plan.gap, plan.n_steps)
    run = cb.solve(problem, cb.rtgcd(2), 30, rng=0, compile=False)
    assert np.abs(run.beta).sum() <= randomized.length(pace, 30)


def test_the_angle_that_a_run_meets():
    run = cb.solve(a_problem(cb.Squared()), cb.rtgcd(2), 3, rng=0, compile=False)
    cosines = [np.abs(run.problem.scan(one.resid)) / np.linalg.norm(one.resid) for one in run.replay(range(4))]
    weights = cb.Subset(2).weights(5)
    assert randomized._met(run) == pytest.approx(min(float(weights @ -np.sort(-cosine)) for cosine in cosines), rel=1e-12)


def test_a_plan_without_strong_convexity():
    problem = a_problem(cb.Huber(0.5))
    plan = cb.plan(problem, cb.rtgcd(3), gap=0.5)
    assert plan.statement == "RGBM, Theorem 4.2" and plan.gap <= 0.5
    with pytest.raises(ValueError, match="no theorem speaks about"):
        cb.plan(problem, cb.rtgcd(3, step=cb.Proportional(0.1)), gap=0.5)


def test_the_length_of_a_run_by_hand():
    assert randomized.length(randomized.Pace(3.0, 4.0, 1.0, 1.0), 6) == 3.0


@pytest.mark.parametrize("size", [1, 4])
def test_the_length_of_a_run_is_attained_on_a_basis(size):
    problem = cb.Problem(np.eye(size), np.ones(size), center=False)
    run = cb.solve(problem, cb.gcd(), size, compile=False)
    assert randomized.length(randomized.Pace(size / 2, 1.0, 1.0, 1.0), size) == np.abs(run.beta).sum() == size


def test_promises_take_the_end_that_is_on_the_safe_side(monkeypatch):
    """Intervals as wide as one likes: L* in [1, 1.5], Theta in [.2, .3], Dist_0 in [2, 5]; a judge takes the sharper angle."""
    monkeypatch.setattr(geometry, "mca", lambda *given, **more: geometry.Interval(0.2, 0.3))
    monkeypatch.setattr(geometry, "start_distance", lambda *given, **more: (2.0, 5.0))
    monkeypatch.setattr("coordboost.geometry.least.least_loss", lambda *given: (1.0, 1.5))
    squared, huber = a_problem(cb.Squared()), a_problem(cb.Huber(0.5))
    start = [problem.value(np.zeros(20)) for problem in (squared, huber)]
    assert randomized.expected(squared, cb.rtgcd(2))[0] == (start[0] - 1, 1, 1, 0.2, np.inf)
    assert randomized.expected(huber, cb.rtgcd(2))[0] == (start[1] - 1, 1, None, 0.0, 5.0)
    run = cb.solve(huber, cb.rtgcd(2), 2, compile=False)
    lengths = {(1.0, 1.5): (0.4, 1.0)}
    monkeypatch.setattr(sys.modules["coordboost.geometry.distance"], "reach", lambda problem, least: lengths[least])
    assert randomized._pace(run, (1.0, 1.5)) == (start[1] - 1, 1, None, 0.3, 1.0 / 0.2)
