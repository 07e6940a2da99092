"""The stationary distributions of Langevin boosting: identities of the closed forms, and runs that
reach them or demonstrably do not.
"""

import math

import numpy as np
import pytest
from reference_sets import needs_compiler

import coordboost as cb
from coordboost.theory.langevin import (
    chain,
    ess,
    gibbs,
    limit_of,
    quadrature,
    regime,
    split_rhat,
    stationary,
    transient,
)

N, P = 40, 8
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, P))
X[:, 7] = X[:, 0] - X[:, 1]  # more learners than dimensions
Y = X[:, :3] @ [3.0, -2.0, 1.0] + RNG.normal(size=N)
PROBLEM = cb.Problem(X, Y)
B = PROBLEM.gather(np.arange(P))
D = 7
CHANCE = np.array([0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05])
BETA, GAMMA = 200.0, 0.05


def method(eps, select=None, beta=BETA, gamma=GAMMA, **given):
    return cb.sglb(
        eps, beta, gamma, select=cb.rules.Weighted(CHANCE) if select is None else select, **given
    )


def relative(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def test_the_gibbs_law_solves_its_equations():
    """Lyapunov's equation; predictions as kernel ridge regression and as a Gaussian process;
    equipartition, d / (2 beta).
    """
    law = gibbs(PROBLEM, method(0.1))
    limit = limit_of(PROBLEM, cb.rules.Weighted(CHANCE))
    M = np.diag(CHANCE)
    G = B.T @ B
    bar = limit.mean_projector
    drift = GAMMA * np.eye(P) + M @ G
    assert relative(drift @ law.cov + law.cov @ drift.T, 2 * N / BETA * M) < 1e-12
    seen = law.of_predictions(B)
    assert (
        relative(seen.mean, np.linalg.solve(bar + GAMMA * np.eye(N), bar @ (Y - Y.mean()))) < 1e-10
    )
    prior = N / (BETA * GAMMA) * M
    assert (
        relative(
            law.cov,
            prior
            - prior @ B.T @ np.linalg.solve(B @ prior @ B.T + N / BETA * np.eye(N), B @ prior),
        )
        < 1e-10
    )
    energy = (G + GAMMA * np.linalg.inv(M)) / N
    # here d = P, the number of coefficients
    assert np.trace(energy @ law.cov) / 2 == pytest.approx(P / (2 * BETA), rel=1e-10)
    assert np.linalg.matrix_rank(bar) == D and np.trace(bar) == pytest.approx(1.0)


def test_at_a_given_eps_the_mean_is_exact_and_the_covariance_has_slope_one():
    law = gibbs(PROBLEM, method(0.1))
    bias = []
    for eps in (0.02, 0.01, 0.005):
        at = stationary(PROBLEM, method(eps))
        assert relative(at.mean, law.mean) < 1e-12
        bias.append(relative(at.cov, law.cov))
    assert 0.9 < math.log2(bias[0] / bias[1]) < 1.1 and 0.95 < math.log2(bias[1] / bias[2]) < 1.05


def test_the_stationary_covariance_is_that_of_the_step():
    """Compare it with the expectation over the learners, computed one by one."""
    eps = 0.1
    at = stationary(PROBLEM, method(0.1))
    again = np.zeros((P, P))
    left = Y - Y.mean() - B @ at.mean
    for j, p in enumerate(CHANCE):
        E = np.zeros((P, P))
        E[j] = B[:, j] @ B
        A = (1 - GAMMA * eps) * np.eye(P) - eps * E
        e = np.eye(P)[j]
        jump = -GAMMA * eps * at.mean + eps * (B[:, j] @ left) * e
        again += p * (
            A @ at.cov @ A.T + np.outer(jump, jump) + eps**2 * 2 * N / (eps * BETA) * np.outer(e, e)
        )
    assert relative(again, at.cov) < 1e-12


def test_the_transient_mean_has_an_error_of_order_eps():
    limit = gibbs(PROBLEM, method(0.1)).mean
    errors = []
    A = GAMMA * np.eye(P) + CHANCE[:, None] * (B.T @ B)
    for eps in (0.1, 0.05, 0.025):
        steps = round(8 / eps)
        chain_mean = limit - np.linalg.matrix_power(np.eye(P) - eps * A, steps) @ limit
        errors.append(np.linalg.norm(transient(PROBLEM, method(eps), steps).mean - chain_mean))
    assert 1.8 < errors[0] / errors[1] < 2.2 and 1.8 < errors[1] / errors[2] < 2.2
    far = transient(PROBLEM, method(0.1), 10_000)
    assert relative(far.cov, gibbs(PROBLEM, method(0.1)).cov) < 1e-9


def test_weights_are_copies_of_rows():
    """The law of a weighted problem equals the law of the problem with each row repeated as often
    as its weight.
    """
    weight = RNG.integers(1, 4, N)
    one = cb.Problem(X, Y, sample_weight=weight.astype(float))
    many = cb.Problem(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    first = gibbs(one, method(0.1))
    second = gibbs(many, method(0.1))
    assert relative(first.mean, second.mean) < 1e-10 and relative(first.cov, second.cov) < 1e-10


def test_limiting_selection_probabilities():
    """Of two learners each has probability 1/2. Sampled probabilities lie within 5 standard errors:
    1e-6 for each number.
    """
    two = cb.Problem(X[:, :2], Y)
    for select in (cb.rules.Greedy(), cb.rules.RandomSubset(2), cb.rules.Softmax(3.0)):
        limit = limit_of(two, select)
        assert np.abs(
            limit.p - 0.5
        ).max() < 5 * limit.error.max() and limit.p.sum() == pytest.approx(1.0)
    assert limit_of(two, cb.rules.RandomSubset(1)).p.tolist() == [0.5, 0.5]
    subset = limit_of(PROBLEM, cb.rules.RandomSubset(P))
    greedy = limit_of(PROBLEM, cb.rules.Greedy(), rng=1)
    assert (np.abs(subset.p - greedy.p) < 5 * np.hypot(subset.error, greedy.error)).all()
    with pytest.raises(
        ValueError, match="select must be Greedy, RandomSubset, Groups, Weighted or Softmax"
    ):
        limit_of(PROBLEM, cb.rules.Cyclic())


def test_quadrature_agrees_with_the_closed_form():
    two = cb.Problem(X[:, :2], Y)
    at = cb.sglb(0.1, 20.0, 0.1, select=cb.rules.Weighted([0.7, 0.3]))
    law = gibbs(two, at)
    grid = quadrature(two, at, width=40.0, n_points=301)
    assert np.abs(grid.mean - law.mean).max() < 1e-6 and relative(grid.cov, law.cov) < 1e-6
    assert (
        grid.distance(np.random.default_rng(0).multivariate_normal(law.mean, law.cov, 20_000)).max()
        < 0.05
    )
    with pytest.raises(ValueError, match="ls_boost has no limit law"):
        quadrature(two, cb.ls_boost(0.1), width=40.0)
    with pytest.raises(ValueError, match="larger width"):
        quadrature(two, at, width=5.0)


def test_effective_sizes_and_agreement_of_known_chains():
    """AR(1) with a = 0.9 has n (1 - a) / (1 + a) effective draws; chains in disagreement have an
    R-hat above 1.01.
    """
    rng = np.random.default_rng(1)
    n = 20_000
    x = np.zeros((4, n))
    for i in range(1, n):
        x[:, i] = 0.9 * x[:, i - 1] + rng.normal(size=4)
    # the estimate has a standard error near 5 %
    assert ess(x) == pytest.approx(4 * n * 0.1 / 1.9, rel=0.25)
    assert split_rhat(x) < 1.01
    assert split_rhat(x + np.array([0, 0, 0, 3.0])[:, None]) > 1.05
    assert split_rhat(np.linspace(0, 1, 100)) > 1.5 and ess(np.ones((1, 50))) == 50


@needs_compiler
def test_a_run_reaches_the_stationary_law_of_its_eps():
    """Mean: 8 coefficients within 5 standard errors, 5e-6. Traces: 0.3, six standard errors of a
    variance from 700 draws.
    """
    run = cb.solve(PROBLEM, method(0.1), 200_000, rng=1)
    sample = chain(run, 10_000, every=40)
    law = stationary(PROBLEM, method(0.1))
    assert (np.abs(sample.mean - law.mean) < 5 * sample.error).all() and sample.rhat.max() < 1.05
    assert abs(np.trace(sample.cov) / np.trace(law.cov) - 1) < 0.3
    # at this eps the two laws differ
    assert relative(gibbs(PROBLEM, method(0.1)).cov, law.cov) > 0.4
    assert "the gradient affects the selection" in str(regime(run))
    assert "depends on its start" in str(regime(cb.solve(PROBLEM, method(1e-5), 10)))
    assert str(regime(cb.solve(PROBLEM, method(1e-5, gamma=1e4), 100))).startswith("in the regime")


def test_runs_without_a_law_are_refused():
    with pytest.raises(ValueError, match="has no noise"):
        regime(cb.solve(PROBLEM, cb.sgb(), 3))
    with pytest.raises(ValueError, match="without shrinkage there is no limit law"):
        gibbs(PROBLEM, cb.sglb(0.1, BETA, 0.0))
    with pytest.raises(ValueError, match="closed-form laws need the squared loss"):
        gibbs(cb.Problem(X, Y, cb.losses.Huber()), method(0.1))
    with pytest.raises(ValueError, match="rules that ignore the residual"):
        stationary(PROBLEM, cb.sglb(0.1, BETA, GAMMA))
    with pytest.raises(ValueError, match="leaves 1 draw"):
        chain(cb.solve(PROBLEM, method(0.1), 10), 10)


# Greedy choice: noise is needed in the search and in the leaves.
# ----------------------------------------------------------

RNG4 = np.random.default_rng(4)
FOUR = RNG4.normal(size=(20, 4))
FOUR += RNG4.normal(size=(20, 1))
GREEDY = cb.Problem(FOUR, FOUR @ [2.0, -1, 1, 0] + RNG4.normal(size=20), center=False)


def against_gibbs(eps, n_steps, structure):
    """Relative deviations of mean and covariance of the predictions from the Gibbs law, and the
    ratio of the traces.
    """
    at = cb.sglb(eps, 60.0, 0.1, structure=structure)
    unit = GREEDY.gather(np.arange(4))
    law = gibbs(GREEDY, at, limit_of(GREEDY, cb.rules.Greedy(), draws=100_000)).of_predictions(unit)
    draws = (
        chain(
            cb.solve(GREEDY, at, n_steps, rng=3), int(50 / eps), every=max(1, int(0.5 / eps))
        ).pooled
        @ unit.T
    )
    cov = np.cov(draws.T)
    return (
        relative(draws.mean(axis=0), law.mean),
        relative(cov, law.cov),
        np.trace(cov) / np.trace(law.cov),
    )


@needs_compiler
def test_noise_in_the_leaves_alone_misses_the_law():
    """From 600 effective draws a trace is off by 0.3 = 5 standard errors with probability 6e-7; the
    leaf-only chain has a third of it.
    """
    assert abs(against_gibbs(0.05, 150_000, cb.rules.Structure.OWN)[2] - 1) < 0.3
    assert against_gibbs(0.05, 150_000, cb.rules.Structure.NONE)[2] < 0.55


@pytest.mark.slow
@needs_compiler
def test_only_two_noises_approach_the_law():
    """As eps falls, only the chain with two independent noises approaches the law. 800 effective
    draws: standard error 0.035 in the mean, five of them 0.12; measured .09 .05 .02 (both noises),
    .18 .18 .18 (leaf only), .19 .19 .19 (one shared noise).
    """
    both = [
        against_gibbs(eps, n, cb.rules.Structure.OWN)
        for eps, n in ((0.1, 200_000), (0.03, 400_000), (0.01, 1_000_000))
    ]
    leaf, shared = (
        against_gibbs(0.01, 1_000_000, kind)
        for kind in (cb.rules.Structure.NONE, cb.rules.Structure.SAME)
    )
    assert (
        both[2][0] < 0.1
        and both[2][1] < 0.15
        and both[2][1] < both[0][1]
        and abs(both[2][2] - 1) < 0.2
    )
    assert leaf[0] > 0.12 and leaf[1] > 0.6 and leaf[2] < 0.5
    assert shared[0] > 0.12 and shared[1] > 0.16


# Two wells.
# --------------------------------------------------------------------------------------------------

WELLS = cb.Problem(
    np.ones((100, 1)) / 10,
    np.r_[-np.ones(40), 3 * np.ones(60)],
    cb.losses.Welsch(),
    center=False,
    scale=False,
)


def test_the_law_on_two_wells():
    """By quadrature, P(f > 1) and the mean loss equal the published table; gradient boosting stays
    in the wrong well.
    """
    for beta, right, loss in (
        (5, 0.613, 0.620),
        (10, 0.792, 0.504),
        (20, 0.952, 0.437),
        (40, 0.998, 0.414),
    ):
        grid = quadrature(WELLS, cb.sglb(0.1, float(beta), 0.01), width=250.0, n_points=5001)
        assert grid.probability(lambda at: at[:, 0] > 10) == pytest.approx(right, abs=6e-4)
        assert grid.mean_loss == pytest.approx(loss, abs=6e-4)
    stuck = cb.solve(WELLS, cb.sgb(0.2), 500, compile=False)
    assert stuck.beta[0] / 10 == pytest.approx(
        -0.998, abs=1e-3
    ) and stuck.final.loss / 100 == pytest.approx(0.5998, abs=1e-4)


@pytest.mark.slow
@needs_compiler
def test_langevin_boosting_leaves_the_wrong_well():
    """Half of the draws of 60 chains, beta = 10: at least 250 visits, so the occupancy has standard
    error .03; 5 of them, 6e-7. At beta = 20 the chains do not mix in this time, and R-hat shows it:
    a known limitation.
    """
    at = cb.sglb(0.05, 10.0, 0.01)
    sample = chain([cb.solve(WELLS, at, 40_000, rng=seed) for seed in range(60)], 20_000, every=100)
    grid = quadrature(WELLS, at, width=250.0, n_points=5001)
    assert (
        abs((sample.pooled[:, 0] > 10).mean() - 0.792) < 0.15
        and grid.distance(sample.pooled)[0] < 0.15
    )
    cold = chain(
        [cb.solve(WELLS, cb.sglb(0.05, 20.0, 0.01), 40_000, rng=seed) for seed in range(20)],
        20_000,
        every=100,
    )
    assert (cold.pooled[:, 0] > 10).mean() < 0.75 and cold.rhat[0] > 1.5


def test_a_chain_is_drawn_beside_its_law():
    """The curve at the right edge is the density of the law; the bars show the sample."""
    from coordboost.reporting.plots import ChainDisplay

    sample = chain(cb.solve(PROBLEM, method(0.1), 500, rng=1), 100, every=2)
    law = gibbs(PROBLEM, method(0.1))
    display = ChainDisplay.from_chain(sample, 2, law)
    (trace,), side = display.ax_.lines, display.ax_.child_axes[0]
    assert np.array_equal(trace.get_ydata(), sample.values[0, :, 2])
    width, at = side.lines[0].get_data()
    assert (
        width.max() == pytest.approx(1 / (law.sd()[2] * math.sqrt(2 * math.pi)), rel=1e-3)
        and abs(at.mean() - law.mean[2]) < 1e-9
    )
