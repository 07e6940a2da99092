"""Stumps compared with the matrix of their columns on tables of small whole numbers with many ties:
any rule, loss and model state.

By default a few tables run in plain Python. Two thousand more, compiled:
``python -m pytest -m slow tests/learners/test_stump_matrix.py``.
"""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_stumps import LOSSES, METHODS, columns, table

import coordboost as cb

#: Model states of greedy rules with the squared loss; other pairs use the naive state.
MODEL_STATES = (
    cb.engine.NaiveState,
    cb.engine.CovarianceState,
    cb.engine.CovarianceColumns,
    cb.engine.LookaheadState,
)


@st.composite
def cases(draw):
    """A table with missing values and perhaps a categorical column, targets, weights, the kind of
    stumps, loss, rule and model state.
    """
    n = draw(st.integers(3, 14))
    entry = (
        st.integers(-2, 2).map(float) | st.just(np.nan)
        if draw(st.booleans())
        else st.integers(-2, 2).map(float)
    )
    X = np.array(draw(st.lists(st.lists(entry, min_size=3, max_size=3), min_size=n, max_size=n)))
    loss = draw(st.sampled_from(sorted(LOSSES)))
    rule = draw(st.sampled_from(sorted(METHODS)))
    target = st.integers(-3, 3) if loss == "squared" else st.sampled_from([-1, 1])
    y = np.array(draw(st.lists(target, min_size=n, max_size=n)), dtype=float)
    weight = draw(st.none() | st.lists(st.integers(1, 3).map(float), min_size=n, max_size=n))
    greedy = loss == "squared" and rule in ("greedy", "stagewise")
    model_state = draw(st.sampled_from(MODEL_STATES)) if greedy else cb.engine.NaiveState
    return (
        X,
        y,
        weight,
        draw(st.sampled_from([cb.data.stumps, cb.data.leaf_stumps])),
        loss,
        rule,
        model_state,
        draw(st.booleans()),
    )


def same_steps(case, n_steps, compile):
    """Compare a run over stumps with a run over their columns."""
    X, y, weight, kind, loss, rule, model_state, categories = case
    assume(len(np.unique(y)) > 1)
    method = (
        METHODS[rule]()
        if loss == "squared"
        else cb.rules.Method("m", METHODS[rule]().select, cb.rules.FixedStep(0.125), "test")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        try:
            problem = cb.Problem(
                kind(X, categorical=[2] if categories else ()),
                y,
                LOSSES[loss],
                sample_weight=weight,
            )
        except ValueError as error:
            assert "every column of X is constant" in str(error)
            return
    B = columns(problem.dictionary)
    groups = np.unique(problem.dictionary.feature, return_inverse=True)[1]
    assume(problem.n_learners >= 4 and groups.max() >= 1)
    other = cb.Problem(
        cb.learners.Dense(np.ascontiguousarray(B.T)),
        y,
        LOSSES[loss],
        sample_weight=weight,
        groups=groups,
    )
    one = cb.solve(problem, method, n_steps, model_state=model_state, rng=3, compile=compile)
    two = cb.solve(other, method, n_steps, model_state=cb.engine.NaiveState, rng=3, compile=compile)
    k = told(two, B)
    np.testing.assert_array_equal(one.path.learner[:k], two.path.learner[:k])
    # theta is a sign, or a correlation with the rounding of a few steps on sums of at most 14
    # numbers
    np.testing.assert_allclose(
        one.path.theta[:k], two.path.theta[:k], rtol=0, atol=1e-12 * max(1.0, np.abs(y).sum())
    )


def told(run, B):
    """The number of steps that are determined beyond rounding: before the first whose learner has
    correlation 0.
    """
    pred = np.zeros(len(B))
    path = run.path
    for k in range(len(path)):
        j = path.learner[k]
        if abs(B[:, j] @ run.problem.resid(pred)) <= 1e-12:
            return k
        pred = (1 - path.shrink[k]) * pred + run.method.unit * path.theta[k] * B[:, j]
    return len(path)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_a_run_equals_the_run_on_the_columns(case):
    same_steps(case, 12, compile=False)


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(cases())
def test_many_compiled_runs_equal_the_runs_on_the_columns(case):
    same_steps(case, 60, compile=True)


#: More rules than METHODS: for every loss, for smooth losses, and for the squared loss.
FAMILIES = cb.learners.Families([1.0, 2.0, 4.0, 8.0, 16.0], [0.1, 0.2, 0.3, 0.4, 0.5])
RULES = {
    "squared logistic exponential": [
        cb.gbm(0.3),
        cb.forward_stagewise(0.05),
        cb.methods.gcd(cb.rules.LineSearch()),
        cb.rules.Method("softmax", cb.rules.Softmax(5.0), cb.rules.FixedStep(0.02), "test"),
        cb.rgb(1e-3, 2, cb.rules.LineSearch(), FAMILIES),
        cb.methods.frank_wolfe(2.0),
        cb.methods.frank_wolfe_away(2.0),
        cb.methods.frank_wolfe_pairwise(2.0),
    ],
    "squared logistic": [
        cb.rgb(1e-3, 2, families=FAMILIES),
        cb.agbm(0.3, 0.1),
        cb.agbmr(0.3, 0.1),
        cb.vagbm(0.3, 0.1),
        cb.sgb(0.1, subsample=0.5),
        cb.sglb(0.1, beta=100.0, gamma=0.01),
    ],
    "squared": [
        cb.regularized_forward_stagewise(0.05, 2.0),
        cb.methods.lasso_cd(0.5),
        cb.forward_stepwise(),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [cb.data.stumps, cb.data.leaf_stumps], ids=lambda kind: kind.__name__
)
@pytest.mark.parametrize(
    "loss, method",
    [
        pytest.param(loss, method, id=f"{method.name}, {loss}")
        for losses, some in RULES.items()
        for loss in losses.split()
        for method in some
    ],
)
def test_every_rule_takes_the_steps_of_the_matrix(kind, loss, method):
    """500 steps on a table with ties and with rows that no stump separates, on the model state that
    a run chooses.
    """
    X, y = table(40, seed=2)
    X[::7] = X[1::7][: len(X[::7])]
    y = y if loss == "squared" else np.where(y > 0, 1.0, -1.0)
    problem = cb.Problem(kind(X, categorical=[2]), y, LOSSES[loss])
    rows = np.ascontiguousarray(columns(problem.dictionary).T)
    other = cb.Problem(cb.learners.Dense(rows), y, LOSSES[loss], groups=problem.dictionary.feature)
    n_steps = 12 if method.name == "forward_stepwise" else 500
    one, two = (cb.solve(each, method, n_steps, rng=3, compile=False) for each in (problem, other))
    np.testing.assert_array_equal(one.path.learner, two.path.learner)
    for found, expected in zip(
        (one.path.shrink, one.path.theta), (two.path.shrink, two.path.theta), strict=True
    ):
        # rounding of 500 steps on sums of 40 numbers
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=1e-10 * max(1.0, np.abs(expected).max())
        )
