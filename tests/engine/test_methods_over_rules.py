"""Methods over all rules of a table with weights, categories and missing values: the steps and the
intervals are those on the matrix of every rule.
"""

from itertools import combinations

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
    cb.path_forward_stagewise(eps=0.05, deltas=np.linspace(0.1, 3.0, 40)),
    cb.methods.frank_wolfe(3.0),
    cb.methods.gcd(),
]
OPTIONS = {"depth": 2, "min_support": 0.05, "categorical": [1]}


def every_column(tests):
    """The learners of all rules of up to two of these tests."""
    return unit_columns(every_cover(tests, WEIGHT, 2, 0.05), WEIGHT)


@pytest.fixture(scope="module")
def matrix():
    return cb.learners.Dense(np.ascontiguousarray(every_column(literals_of(X, [1])).T))


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


@pytest.mark.parametrize("t", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_rule_of_drawn_columns_is_that_of_an_enumeration(t, seed):
    table = np.column_stack([X, RNG.permutation(X[:, 1])])
    problem = cb.Problem(cb.data.rules(table, **OPTIONS), NUMBERS, sample_weight=WEIGHT)
    run = cb.solve(problem, cb.rtgcd(t), 12, rng=seed)
    tests = literals_of(table, [1])
    best_of_columns = [
        every_column({text: tests[text] for text in tests if int(text[1]) in columns})
        for columns in combinations(range(3), t)
    ]
    chosen = set()
    for k, state in enumerate(run.replay(range(12))):
        resid = WEIGHT * (problem.y - state.pred)
        name = run.problem.feature_names[run.path.learner[k]]
        column = run.problem.gather([run.path.learner[k]])[:, 0]
        sizes = [np.abs(columns.T @ resid).max() for columns in best_of_columns]
        assert np.isclose(sizes, abs(column @ resid), rtol=1e-9).any()
        tested = {int(test[1]) for test in name.split(" and ")}
        assert len(tested) <= t
        chosen |= tested
    assert chosen == {0, 1, 2}
    interval = run.certificate()
    assert interval.lower <= interval.upper == pytest.approx(run.losses[-1])


def test_all_columns_drawn_is_the_best_of_all_rules():
    drawn, best = (
        cb.solve(cb.Problem(cb.data.rules(X, **OPTIONS), NUMBERS), method, 10)
        for method in (cb.rtgcd(2), cb.methods.gcd())
    )
    assert drawn.problem.feature_names == best.problem.feature_names
    np.testing.assert_array_equal(drawn.beta, best.beta)


def test_a_drawn_column_without_rules_makes_no_step():
    table = np.column_stack([X[:, 0], np.eye(N)[0]])  # no rule on the second has enough support
    run = cb.solve(cb.Problem(cb.data.rules(table, **OPTIONS), NUMBERS), cb.rtgcd(1), 8)
    moved = run.path.theta != 0
    assert 0 < moved.sum() < 8 and np.isfinite(run.losses).all()
    assert not any("x1" in name for name in run.problem.feature_names)


@pytest.mark.parametrize(
    ("method", "instead"),
    [
        (cb.methods.frank_wolfe_away(3.0), r"Use frank_wolfe\(delta\)"),
        (cb.methods.frank_wolfe_pairwise(3.0), r"Use frank_wolfe\(delta\)"),
        (cb.methods.lasso_cd(1.0), "Use lasso_path"),
        (cb.methods.lasso_cd(1.0, cb.rules.Greedy()), "Use lasso_path"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_methods_that_need_all_columns_say_what_to_use(method, instead):
    problem = cb.Problem(cb.data.rules(X, **OPTIONS), NUMBERS)
    with pytest.raises(ValueError, match=f"needs an explicit dictionary.*{instead}"):
        cb.solve(problem, method, 2)
