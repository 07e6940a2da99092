"""Blocks of columns that are fitted at once: distributions of the chosen blocks, and of Langevin
boosting on them.
"""

import numpy as np
import pytest
from reference_blocks import BETA, BLOCKS, GAMMA, RULES, N, P, X, Y
from reference_sets import needs_compiler

import coordboost as cb
from coordboost.theory.langevin import chain, gibbs, limit_of, stationary

RNG = np.random.default_rng(6)
PROBLEM = cb.Problem(cb.data.blocks(X, BLOCKS), Y)


def relative(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("name", RULES)
def test_the_preconditioner_is_the_mean_of_the_fits(name):
    """Each P_s is a projector, the trace of their mean is the mean rank, and the Gibbs distribution
    solves its Lyapunov equation.
    """
    limit = limit_of(PROBLEM, RULES[name], draws=300)
    B = limit.columns
    bar = 0.0
    ranks = 0.0
    for p, fit in limit.fits():
        projector = B @ fit @ B.T
        assert (
            np.abs(projector @ projector - projector).max() < 1e-12
            and np.abs(projector - projector.T).max() < 1e-12
        )
        bar = bar + p * projector
        ranks = ranks + p * np.linalg.matrix_rank(projector)
    assert np.abs(bar - limit.mean_projector).max() < 1e-12 and np.trace(bar) == pytest.approx(
        ranks, rel=1e-12
    )
    law = gibbs(PROBLEM, cb.sglb(0.1, BETA, GAMMA, select=RULES[name]), limit)
    M = limit.preconditioner
    drift = GAMMA * np.eye(P) + M @ B.T @ B
    assert relative(drift @ law.cov + law.cov @ drift.T, 2 * N / BETA * M) < 1e-12
    seen = law.of_predictions(B)
    assert (
        relative(seen.mean, np.linalg.solve(bar + GAMMA * np.eye(N), bar @ (Y - Y.mean()))) < 1e-10
    )


def test_subsets_of_orthonormal_columns_have_known_laws():
    """The diagonal is k / m for k of m columns, and q for a mask."""
    Q = cb.Problem(cb.data.blocks(np.linalg.qr(X[:, :5])[0]), Y)
    assert (
        np.abs(limit_of(Q, cb.rules.JointSubset(2)).preconditioner - 2 / 5 * np.eye(5)).max()
        < 1e-12
    )
    assert (
        np.abs(limit_of(Q, cb.rules.RandomMask(0.3)).preconditioner - 0.3 * np.eye(5)).max() < 1e-12
    )
    # fewer draws than the 32 masks: masks are drawn
    some = limit_of(Q, cb.rules.RandomMask(0.3), draws=20)
    assert len(some.p) == 20 and some.p.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("draws, n", [(6, 6), (7, 6), (5, 5)])
def test_all_subsets_are_taken_where_there_are_no_more_than_draws(draws, n):
    masks, p = cb.rules.JointSubset(2, 4).unions(draws, np.random.default_rng(0))
    assert len(masks) == n and (masks.sum(axis=1) == 2).all() and (p == 1 / n).all()
    assert (len({tuple(mask) for mask in masks}) == 6) == (draws >= 6)


def test_a_mask_takes_each_block_with_its_probability():
    """Means of 20,000 draws and of products of two blocks, within 5.2 standard errors: 10 figures,
    false alarm 2e-7 for each.
    """
    drawn = cb.rules.RandomMask(0.3, 4).draw(np.random.default_rng(0), 20_000, None)
    both = drawn.T @ drawn / len(drawn)
    p = np.where(np.eye(4, dtype=bool), 0.3, 0.09)
    assert (np.abs(both - p) < 5.2 * np.sqrt(p * (1 - p) / len(drawn))).all()


def test_chances_of_groups_are_the_mean_over_all_draws():
    """Two of three groups of 1, 2 and 3 columns: average over all pairs of groups the learner
    selected from the pair.
    """
    labels = np.array([2, 0, 1, 2, 1, 2])
    rule = cb.rules.Groups(2).bind(cb.Problem(RNG.normal(size=(20, 6)), Y[:20], groups=labels))
    corr = RNG.normal(size=(9, 6))
    expected = np.zeros((9, 6))
    for out in range(3):
        winner = np.where(labels == out, -1.0, np.abs(corr)).argmax(axis=1)
        expected[np.arange(9), winner] += 1 / 3
    found, known = rule.chances(corr, None, None)
    assert np.abs(found - expected).max() < 1e-15 and known is False


def test_noise_chooses_each_of_two_blocks_with_probability_one_half():
    two = cb.Problem(cb.data.blocks(X[:, :4], [[0, 1], [2, 3]]), Y)
    for select in (cb.rules.Greedy(), cb.rules.Groups(2), cb.rules.Softmax(3.0)):
        limit = limit_of(two, select, draws=4000)
        assert np.abs(limit.p - 0.5).max() < 5 * limit.error.max()  # 5 standard errors: 6e-7
    assert limit_of(two, cb.rules.Groups(1), draws=100).p == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("name", ["fixed", "subsets", "mask"])
def test_the_stationary_law_of_blocks_is_that_of_the_step(name):
    eps = 0.1
    select = RULES[name]
    law = stationary(PROBLEM, cb.sglb(eps, BETA, GAMMA, select=select))
    limit = limit_of(PROBLEM, select)
    again = 0.0
    B = limit.columns
    left = Y - Y.mean() - B @ law.mean
    for p, K in limit.fits():
        A = (1 - GAMMA * eps) * np.eye(P) - eps * K @ B.T @ B
        jump = -GAMMA * eps * law.mean + eps * K @ B.T @ left
        again = again + p * (A @ law.cov @ A.T + np.outer(jump, jump) + 2 * N * eps / BETA * K)
    assert relative(again, law.cov) < 1e-10


def test_ridge_fits_keep_the_law_if_their_noise_does():
    """Drift and noise have the same mean fit (B'B + l2)^-1, so the distribution is Gibbs; noise
    sent through the fit would change it.
    """
    problem = cb.Problem(cb.data.blocks(X, BLOCKS, l2=10.0), Y)
    method = cb.sglb(0.1, BETA, GAMMA, select=RULES["fixed"])
    law = gibbs(problem, method)
    B = X
    M = np.zeros((P, P))
    wrong = np.zeros((P, P))
    for p, S in zip(RULES["fixed"].p, BLOCKS, strict=True):
        inverse = np.linalg.inv(B[:, S].T @ B[:, S] + 10.0 * np.eye(len(S)))
        M[np.ix_(S, S)] += p * inverse
        wrong[np.ix_(S, S)] += p * inverse @ B[:, S].T @ B[:, S] @ inverse
    drift = GAMMA * np.eye(P) + M @ B.T @ B
    assert relative(drift @ law.cov + law.cov @ drift.T, 2 * N / BETA * M) < 1e-12
    assert relative(wrong, M) > 0.2


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("name", ["fixed", "subsets", "mask"])
def test_runs_on_blocks_meet_their_law(name):
    """Six means within 5 standard errors (false alarm 4e-6); the trace within 0.35, 5 standard
    errors of 400 effective draws.
    """
    method = cb.sglb(0.1, BETA, GAMMA, select=RULES[name])
    sample = chain(cb.solve(PROBLEM, method, 200_000, rng=1), 4_000, every=40)
    law = stationary(PROBLEM, method)
    assert (np.abs(sample.mean - law.mean) < 5 * sample.error).all() and sample.rhat.max() < 1.05
    assert abs(np.trace(sample.cov) / np.trace(law.cov) - 1) < 0.35
