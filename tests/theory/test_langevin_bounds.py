"""The exact distribution of Langevin boosting after a number of steps, and `check`, which compares
runs with it.
"""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

import coordboost as cb
from coordboost.theory.bounds.langevin import expected_loss
from coordboost.theory.langevin import after_steps, stationary

RNG = np.random.default_rng(3)
X = RNG.normal(size=(25, 4))
X[:, 1] += X[:, 0]
Y = X @ [2.0, -1.0, 0.0, 0.5] + RNG.normal(size=25)
PROBLEM = cb.Problem(X, Y)
METHOD = cb.sglb(0.3, 50.0, 0.1, select=cb.rules.RandomSubset(1))

#: Unit columns with rational entries, selection probabilities, target.
B = np.array(
    [[F(3, 5), F(0), F(5, 13)], [F(4, 5), F(3, 5), F(0)], [F(0), F(4, 5), F(12, 13)], [F(0)] * 3]
)
CHANCE = [F(1, 2), F(1, 3), F(1, 6)]
TARGET = np.array([F(3), F(1), F(-2), F(1)])
EPS = F(1, 4)
BETA = F(8)
GAMMA = F(1, 5)


def by_all_choices(n_steps):
    """Mean, covariance and expected loss after `n_steps` steps, in Fractions, over all sequences of
    choices; each gives a normal law.
    """
    mean = np.zeros(3, dtype=object)
    second = np.zeros((3, 3), dtype=object)
    n = len(TARGET)
    for sequence in product(range(3), repeat=n_steps):
        p = F(1)
        m = np.array([F(0)] * 3)
        cov = np.array([[F(0)] * 3] * 3)
        for j in sequence:
            e = np.array([F(int(i == j)) for i in range(3)])
            moves = (1 - GAMMA * EPS) * np.diag([F(1)] * 3) - EPS * np.outer(e, B[:, j] @ B)
            p = p * CHANCE[j]
            m = moves @ m + EPS * (B[:, j] @ TARGET) * e
            cov = moves @ cov @ moves.T + 2 * n * EPS / BETA * np.outer(e, e)
        mean = mean + p * m
        second = second + p * (cov + np.outer(m, m))
    loss = TARGET @ TARGET - 2 * (B.T @ TARGET) @ mean + np.sum((B.T @ B) * second)
    return mean, second - np.outer(mean, mean), loss / 2


def test_the_law_after_some_steps_equals_the_enumeration_of_all_choices():
    problem = cb.Problem(B.astype(float), TARGET.astype(float), center=False, scale=False)
    method = cb.sglb(
        float(EPS),
        float(BETA),
        float(GAMMA),
        select=cb.rules.Weighted(np.array(CHANCE, dtype=float)),
    )
    laws = after_steps(problem, method, [0, 3, 1, 4])
    for law, loss, k in zip(
        laws, expected_loss(problem, method, [0, 3, 1, 4]), (0, 3, 1, 4), strict=True
    ):
        mean, cov, right = by_all_choices(k)
        np.testing.assert_allclose(law.mean, mean.astype(float), rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(law.cov, cov.astype(float), rtol=1e-12, atol=1e-15)
        assert loss == pytest.approx(float(right), rel=1e-13)


@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 2, 25)])
@pytest.mark.parametrize(
    "select", [cb.rules.RandomSubset(1), cb.rules.Weighted([0.4, 0.3, 0.2, 0.1])]
)
def test_after_many_steps_it_is_the_stationary_law(select, weight):
    problem = cb.Problem(X, Y, sample_weight=weight)
    method = cb.sglb(0.3, 50.0, 0.1, select=select)
    (late,), law = after_steps(problem, method, [2000]), stationary(problem, method)
    np.testing.assert_allclose(late.mean, law.mean, rtol=1e-10)
    np.testing.assert_allclose(late.cov, law.cov, rtol=1e-9, atol=1e-12 * law.cov.max())


def test_the_law_holds_for_blocks():
    problem = cb.Problem(cb.data.blocks(X, [[0, 1], [2, 3]]), Y)
    method = cb.sglb(0.3, 50.0, 0.1, select=cb.rules.RandomMask(0.5))
    np.testing.assert_allclose(
        after_steps(problem, method, [2000])[0].cov, stationary(problem, method).cov, rtol=1e-8
    )


@pytest.mark.parametrize("changed", [{"subsample": 0.5}, {"shrink_first": True}])
def test_the_exact_law_is_not_claimed_for_other_variants(changed):
    variant = cb.sglb(0.3, 50.0, 0.1, select=cb.rules.RandomSubset(1), **changed)
    for law in (stationary, lambda problem, method: after_steps(problem, method, [3])):
        with pytest.raises(ValueError, match="subsample=1, shrink_first=False"):
            law(PROBLEM, variant)


@pytest.mark.parametrize("structure", [0, 1, 2])
def test_runs_match_the_mean_loss_of_their_law_and_no_other(structure):
    method = cb.sglb(0.3, 50.0, 0.1, select=cb.rules.RandomSubset(1), structure=structure)
    run = cb.solve(PROBLEM, method, 300, compile=False)
    (one,) = cb.theory.check(run)
    assert (one.name, one.variant, one.verdict) == ("SGLB, the mean loss", "sharpened", "verified")
    assert one.at[-1] == 300 and (one.slack < 0.5 * one.measured).all()
    for other in ((0.3, 15.0, 0.1), (0.3, 50.0, 1.5), (0.15, 50.0, 0.1)):
        off = np.abs(
            one.measured
            - expected_loss(
                PROBLEM, cb.sglb(*other, select=cb.rules.RandomSubset(1)), one.at.tolist()
            )
        )
        assert (off > one.slack).any(), other


OTHER = {
    "a choice that looks": (PROBLEM, cb.sglb(0.3, 50.0, 0.1)),
    "another loss": (cb.Problem(X, Y, cb.losses.Huber()), METHOD),
    "a part of the rows": (
        PROBLEM,
        cb.sglb(0.3, 50.0, 0.1, subsample=0.5, select=cb.rules.RandomSubset(1)),
    ),
    "shrunken first": (
        PROBLEM,
        cb.sglb(0.3, 50.0, 0.1, select=cb.rules.RandomSubset(1), shrink_first=True),
    ),
    "annealed": (PROBLEM, cb.sglb(0.3, [10.0, 50.0], 0.1, select=cb.rules.RandomSubset(1))),
    "no shrinkage": (PROBLEM, cb.sglb(0.3, 50.0, 0.0, select=cb.rules.RandomSubset(1))),
    "trees": (cb.Problem(cb.data.trees(X), Y), cb.sglb(0.3, 50.0, 0.1, select=cb.rules.Groups(1))),
    "blocks": (
        cb.Problem(cb.data.blocks(X, [[0, 1], [2, 3]]), Y),
        cb.sglb(0.3, 50.0, 0.1, select=cb.rules.RandomMask(0.5)),
    ),
    "many columns": (cb.Problem(RNG.normal(size=(40, 25)), RNG.normal(size=40)), METHOD),
}


@pytest.mark.parametrize("name", OTHER)
def test_check_refuses_runs_without_the_law(name):
    problem, method = OTHER[name]
    with pytest.raises(ValueError, match="no bound applies to sglb"):
        cb.theory.check(cb.solve(problem, method, 5, compile=False))
