"""Statements and rules of one's own: what is false of a run is refuted, and nothing else."""

import warnings
from collections import namedtuple

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import coordboost as cb
from coordboost.certificates import L1Ball

PROBLEM = cb.Problem(*load_diabetes(return_X_y=True, scaled=False))
RADIUS = 1000.0
Statement = cb.theory.bounds.Statement


class FrankWolfe(namedtuple("FrankWolfe", "delta, power"), cb.rules.StepRule):
    """Steps (2 / (k + 2))^power towards a vertex, declared as those of Frank-Wolfe."""

    frank_wolfe = RADIUS

    def move(self, k, state, j, corr, beta_j):
        gamma = (2.0 / (k + 2)) ** self.power
        return gamma, gamma * self.delta * np.sign(corr)


class Shrunken(namedtuple("Shrunken", "rate"), cb.rules.StepRule):
    """Steps of half the correlation, declared as LS-Boost with another rate."""

    @property
    def ls_boost_rate(self):
        return self.rate

    def move(self, k, state, j, corr, beta_j):
        return 0.0, 0.5 * corr


class Stagewise(namedtuple("Stagewise", "eps"), cb.rules.StepRule):
    """Steps of length 2, declared as forward stagewise with another length."""

    @property
    def stagewise(self):
        return self.eps, np.inf

    def move(self, k, state, j, corr, beta_j):
        return 0.0, 2.0 * np.sign(corr)


def solved(step, n_steps=300, target=None):
    target = cb.certificates.Unconstrained() if target is None else target
    method = cb.rules.Method("own", cb.rules.Greedy(), step, target=target)
    return cb.solve(PROBLEM, method, n_steps, compile=False)


def claim(text, **options):
    return Statement("mine", "a claim", printed=text, applies=lambda run: True, **options)


@pytest.mark.parametrize(
    "honest, other, name",
    [
        (FrankWolfe(RADIUS, 1.0), FrankWolfe(RADIUS, 1.5), "Frank-Wolfe, error"),
        (FrankWolfe(RADIUS, 1.0), FrankWolfe(RADIUS / 2, 1.0), "Frank-Wolfe, error"),
        (Shrunken(0.5), Shrunken(1.0), "Theorem 2.1 (i)"),
        (Stagewise(2.0), Stagewise(1.0), "Theorem 3.1 (i)"),
    ],
)
def test_a_theorem_is_compared_with_the_steps_that_it_is_about(honest, other, name):
    """A rule that declares steps that it does not make: the theorem does not apply."""
    target = L1Ball(RADIUS) if isinstance(honest, FrankWolfe) else None
    checks = cb.theory.check(solved(honest, target=target), name)
    assert all(check.holds for check in checks)
    with pytest.raises(ValueError, match="does not apply"):
        cb.theory.check(solved(other, target=target), name)


def test_a_claim_on_a_ball_needs_a_ball():
    run = solved(FrankWolfe(RADIUS, 1.0))
    gap = claim("frank_wolfe_gap <= 8 * delta**2 / (k + 2)", points="k >= 1")
    with warnings.catch_warnings(), pytest.raises(ValueError, match=r"L1Ball\(.*radius_at"):
        warnings.simplefilter("error")
        cb.theory.check(run, gap)
    with pytest.raises(ValueError, match="does not apply"):
        cb.theory.check(run, "Frank-Wolfe, gap")
    in_ball = solved(FrankWolfe(RADIUS, 1.0), target=L1Ball(RADIUS))
    assert cb.theory.check(in_ball, gap)[0].verdict in ("verified", "refuted")


@pytest.mark.parametrize(
    "text, words",
    [
        ("exces <= A**2", "exces.*excess"),
        ("excess <= A**2 / log(k + 2)", r"log.*functions.*\bln\b"),
    ],
)
def test_unknown_names_are_listed(text, words):
    run = cb.solve(PROBLEM, cb.ls_boost(0.5), 20)
    with pytest.raises(ValueError, match=words):
        claim(text).check(run)


@pytest.mark.parametrize("text", ["A**2 / (k + 1)", "excess <= ", "excess < = A", "excess != A"])
def test_what_is_no_claim_is_refused_at_once(text):
    with pytest.raises(ValueError, match="mine"):
        claim(text)


def test_a_statement_that_applies_to_no_run_says_so():
    run = cb.solve(PROBLEM, cb.ls_boost(0.5), 20)
    mine = Statement("mine", "a claim", printed="excess <= A**2")
    for call in (lambda: mine.check(run), lambda: cb.theory.check(run, mine)):
        with pytest.raises(ValueError, match="applies=lambda run: True"):
            call()


def test_the_error_over_a_ball_is_measured_from_a_close_lower_end():
    """The error of Frank-Wolfe falls on, where the gap of its own models levels off."""
    run = cb.solve(PROBLEM, cb.methods.frank_wolfe(RADIUS), 3000)
    exact = cb.exact_path(PROBLEM)
    optimum = PROBLEM.value(PROBLEM.combine(exact.beta_at(l1=RADIUS)))
    check = cb.theory.check(run, "Frank-Wolfe, error")[0]
    assert check.holds
    true = run.final.loss - optimum
    assert 0.999 * true <= check.measured[-1] <= 1.01 * true
