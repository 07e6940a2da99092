"""Theorems of random-then-greedy boosting: formulas, a run compared with its repetitions, and
plans.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import coordboost as cb
from coordboost.theory.bounds import randomized


def a_problem(loss, seed=0):
    """Five learners: with six, the exact angle takes seconds."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((20, 5))
    y = rng.standard_normal(20)
    y = np.sign(y) if isinstance(loss, cb.losses.Logistic) else y
    return cb.Problem(B, y, loss, groups=[0, 0, 1, 1, 2])


def test_formulas_in_fractions():
    pace = randomized.Pace(Fraction(3), Fraction(2), Fraction(1), Fraction(1, 4), Fraction(16))
    steps = np.array([Fraction(0), Fraction(1), Fraction(6)], dtype=object)
    assert list(randomized.linear(pace, M=[0, 1, 2])) == [
        3,
        3 * Fraction(7, 8),
        3 * Fraction(49, 64),
    ]
    assert list(randomized.sublinear(pace, M=steps)) == [
        3,
        1 / (Fraction(1, 3) + Fraction(1, 64)),
        1 / (Fraction(1, 3) + Fraction(6, 64)),
    ]
    assert list(randomized.sublinear_simple(pace, M=steps[1:])) == [64, Fraction(64, 6)]


@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Logistic(0.1)], ids=["squared", "logistic"]
)
def test_a_random_run_is_compared_with_the_bounds(loss):
    run = cb.solve(a_problem(loss), cb.rtgcd(select=cb.rules.Groups(2)), 12, rng=3, compile=False)
    checks = {one.name: one for one in cb.theory.check(run)}
    assert set(checks) == {"RGBM, Theorem 4.1", "RGBM, Theorem 4.2", "RGBM, Theorem 4.2, simple"}
    assert all(one.holds and one.level == "sampled" for one in checks.values())
    first = checks["RGBM, Theorem 4.1"]
    assert first.measured[0] < first.bound[0] < run.problem.value(np.zeros(20))


def test_gaps_that_are_too_large_refute():
    run = cb.solve(a_problem(cb.losses.Squared()), cb.rtgcd(2), 8, rng=3, compile=False)
    found = randomized.Repeats.of(run)
    assert len(found.expected) == len(found.at) and found.errors["expected"].min() > 0
    worse = replace(found, expected=found.expected + found.pace.gap)
    for statement in randomized.STATEMENTS[:2]:
        (check,) = statement.compare(worse, "printed")
        assert not check.holds


def test_who_is_judged():
    problem = a_problem(cb.losses.Squared())
    greedy = cb.solve(problem, cb.methods.gcd(), 3, compile=False)
    slow = cb.solve(problem, cb.rtgcd(2, step=cb.rules.ShrunkenStep(0.5)), 3, compile=False)
    assert not any(one.variants(greedy) or one.variants(slow) for one in randomized.STATEMENTS)
    flat = cb.solve(a_problem(cb.losses.Huber(0.5)), cb.rtgcd(2), 3, compile=False)
    # Theorem 4.1 needs strong convexity
    assert [bool(one.variants(flat)) for one in randomized.STATEMENTS] == [False, True, True]


def test_a_plan_for_a_random_method():
    problem = a_problem(cb.losses.Logistic(0.1))
    plan = cb.theory.plan(problem, cb.rtgcd(2), gap=1.0)
    pace, name = randomized.expected(problem, plan.method)
    assert plan.statement == name == "RGBM, Theorem 4.1"
    assert (
        randomized.gap_after(pace, plan.n_steps)
        <= 1.0
        < randomized.gap_after(pace, plan.n_steps - 1)
    )
    budget = cb.theory.plan(problem, cb.rtgcd(2), n_steps=plan.n_steps)
    assert (budget.gap, budget.n_steps) == (plan.gap, plan.n_steps)
    run = cb.solve(problem, cb.rtgcd(2), 30, rng=0, compile=False)
    assert np.abs(run.beta).sum() <= randomized.length(pace, 30)


def test_a_plan_without_strong_convexity():
    problem = a_problem(cb.losses.Huber(0.5))
    plan = cb.theory.plan(problem, cb.rtgcd(3), gap=0.5)
    assert plan.statement == "RGBM, Theorem 4.2" and plan.gap <= 0.5
    with pytest.raises(ValueError, match="no theorem applies to"):
        cb.theory.plan(problem, cb.rtgcd(3, step=cb.rules.ShrunkenStep(0.1)), gap=0.5)


@pytest.mark.parametrize("size", [1, 4])
def test_the_length_of_a_run_is_attained_on_a_basis(size):
    problem = cb.Problem(np.eye(size), np.ones(size), center=False)
    run = cb.solve(problem, cb.methods.gcd(), size, compile=False)
    assert (
        randomized.length(randomized.Pace(size / 2, 1.0, 1.0, 1.0), size)
        == np.abs(run.beta).sum()
        == size
    )
