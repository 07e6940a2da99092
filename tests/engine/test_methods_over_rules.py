"""Methods over all rules of a table with weights, categories and missing values: the steps and the
intervals are those on the matrix of every rule.
"""

import numpy as np
import pytest
from reference_rules import every_cover, literals_of, unit_columns

import coordboost as cb

RNG = np.random.default_rng(12)
N = 50
X = RNG.integers(0, 4, (N, 2)).astype(float)
X[RNG.random((N, 2)) < 0.1] = np.nan
WEIGHT = RNG.integers(1, 4, N).astype(float)
SIGNAL = 1.5 * (X[:, 0] > 1) - (X[:, 1] == 2)
NUMBERS = SIGNAL + 0.3 * RNG.standard_normal(N)
LOSSES = [
    (cb.losses.Squared(), NUMBERS),
    (cb.losses.Huber(0.5), NUMBERS),
    (cb.losses.Logistic(), np.where(NUMBERS > 0, 1.0, -1.0)),
    (cb.losses.Poisson(), RNG.poisson(np.exp(SIGNAL / 2)).astype(float)),
]
METHODS = [
    cb.forward_stagewise(eps=0.05),
    cb.ls_boost(0.1),
    cb.regularized_forward_stagewise(eps=0.05, delta=3.0),
    cb.methods.frank_wolfe(3.0),
    cb.methods.gcd(),
]
OPTIONS = {"depth": 2, "min_support": 0.05, "categorical": [1]}


@pytest.fixture(scope="module")
def matrix():
    covers = every_cover(literals_of(X, [1]), WEIGHT, 2, 0.05)
    return cb.learners.Dense(np.ascontiguousarray(unit_columns(covers, WEIGHT).T))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize(("loss", "y"), LOSSES, ids=lambda value: type(value).__name__)
def test_steps_and_intervals_are_those_on_the_matrix_of_every_rule(method, loss, y, matrix):
    if loss.sigma is None and method.name in ("ls_boost", "gcd"):
        method = cb.forward_stagewise(eps=0.02)  # those two need a smooth loss
    ours, truth = (
        cb.solve(cb.Problem(learners, y, loss, sample_weight=WEIGHT), method, 40)
        for learners in (cb.data.rules(X, **OPTIONS), matrix)
    )
    np.testing.assert_allclose(ours.losses, truth.losses, rtol=1e-8)
    ball = cb.certificates.L1Ball(3.0)
    inside = min(1.0, 3.0 / np.abs(ours.beta).sum())
    interval = cb.certify(ours.problem, inside * ours.beta, ball)
    explicit = cb.certify(truth.problem, inside * truth.beta, ball)
    assert interval.lower == pytest.approx(explicit.lower, rel=1e-7, abs=1e-7)
    assert interval.upper == pytest.approx(explicit.upper, rel=1e-7)
    assert ours.certificate().upper == pytest.approx(ours.losses[-1])


@pytest.mark.parametrize("method", [cb.rtgcd(2), cb.methods.frank_wolfe_away(3.0)], ids=str)
def test_methods_that_need_all_columns_say_so(method):
    problem = cb.Problem(cb.data.rules(X, **OPTIONS), NUMBERS)
    with pytest.raises(ValueError, match="needs an explicit dictionary"):
        cb.solve(problem, method, 2)
