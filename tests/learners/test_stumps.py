"""Stumps equal their definition, every dictionary method equals that of their matrix, and every run
equals the run on the matrix.
"""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import ensemble

import coordboost as cb

every_kind = pytest.mark.parametrize(
    "kind", [cb.learners.Stumps, cb.learners.LeafStumps], ids=lambda kind: kind.__name__
)


def table(n=90, seed=0, missing=0.0):
    """Whole numbers with many ties; the third column is categorical."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, size=(n, 5)).astype(float)
    X[:, 0] = rng.normal(size=n).round(1)
    X[rng.random(X.shape) < missing] = np.nan
    return X, rng.normal(size=n) + (X[:, 0] > 0) - np.where(X[:, 2] == 3, 2.0, 0.0)


def naive_parts(x, weight, categorical):
    """The distinct subsets of samples made by a threshold or a category, in the order of the
    learners, as masks.
    """
    gap = np.isnan(x)
    found = []
    keys = set()
    values = np.unique(x[~gap & (weight > 0)])
    if categorical:
        parts = [x == value for value in values] + [gap]
    else:
        parts = [x <= value for value in values] + [(x <= value) | gap for value in values]
    for part in parts:
        seen = part[weight > 0]
        key = min(seen.tobytes(), (~seen).tobytes())
        if seen.any() and not seen.all() and key not in keys:
            found.append(part)
            keys.add(key)
    return found


def naive_column(part, weight, kind):
    """Eq. (5), or the indicator of the part, centred and of unit norm."""
    if kind is cb.learners.Stumps:
        return np.where(part, 1.0, -1.0) / np.sqrt(weight.sum())
    centred = part - weight @ part / weight.sum()
    return centred / np.sqrt(weight @ centred**2)


def columns(dictionary):
    return np.column_stack([dictionary.column(j) for j in range(dictionary.n_learners)])


@every_kind
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("weights", ["ones", "real", "some zero"])
def test_all_splits_are_there_once_with_unit_norm(kind, missing, weights):
    X, _ = table(missing=missing)
    rng = np.random.default_rng(1)
    weight = {
        "ones": np.ones(90),
        "real": rng.random(90) + 0.1,
        "some zero": (rng.random(90) < 0.2) + 0.0,
    }[weights]
    dictionary = kind.of(cb.data.bin_columns(X, categorical=[2])[0], weight)
    dictionary.check()
    expected = [
        naive_column(part, weight, kind)
        for g in range(5)
        for part in naive_parts(X[:, g], weight, g == 2)
    ]
    found = columns(dictionary)
    assert found.shape == (90, len(expected))
    # a square root and a quotient of sums
    np.testing.assert_allclose(found, np.column_stack(expected), rtol=0, atol=1e-13)


@every_kind
def test_every_method_equals_that_of_the_columns(kind):
    X, _ = table(missing=0.1)
    assert cb.testing.check_piece(kind.of(cb.data.bin_columns(X, categorical=[2])[0]))


METHODS = {
    "greedy": lambda: cb.ls_boost(0.1),
    "stagewise": lambda: cb.forward_stagewise(0.05),
    "columns at random": lambda: cb.rtgcd(4),
    "groups": lambda: cb.rules.Method(
        "groups", cb.rules.Groups(2), cb.rules.ShrunkenStep(0.3), "test"
    ),
    "cyclic": lambda: cb.rules.Method(
        "cyclic", cb.rules.Cyclic(), cb.rules.ShrunkenStep(0.3), "test"
    ),
}
LOSSES = {
    "squared": cb.losses.Squared(),
    "logistic": cb.losses.Logistic(),
    "exponential": cb.losses.Exponential(),
}


#: Losses only change the residual, whatever the learners are; so all rules are compiled with one
#: loss. Compiling all takes a minute.
COMPILED = list(
    product(["greedy", "groups"], ["squared"], [cb.learners.Stumps, cb.learners.LeafStumps])
)
OTHERS = [
    case
    for case in product(METHODS, LOSSES, [cb.learners.Stumps, cb.learners.LeafStumps])
    if case not in COMPILED
]
# for other losses this equals "greedy"
OTHERS = [case for case in OTHERS if case[0] != "stagewise" or case[1] == "squared"]


def check_explicit(rule, loss, kind, n_steps, compile):
    X, y = table()
    y = y if loss == "squared" else np.where(y > 0, 1.0, -1.0)
    made = (
        cb.data.stumps(X, categorical=[2])
        if kind is cb.learners.Stumps
        else cb.data.leaf_stumps(X, categorical=[2])
    )
    problem = cb.Problem(made, y, LOSSES[loss])
    rows = np.ascontiguousarray(columns(problem.dictionary).T)
    other = cb.Problem(cb.learners.Dense(rows), y, LOSSES[loss], groups=problem.dictionary.feature)
    method = (
        METHODS[rule]()
        if loss == "squared"
        else cb.rules.Method("m", METHODS[rule]().select, cb.rules.FixedStep(0.02), "test")
    )
    one = cb.solve(problem, method, n_steps, rng=3, compile=compile)
    two = cb.solve(other, method, n_steps, model_state=cb.engine.NaiveState, rng=3, compile=False)
    np.testing.assert_array_equal(one.path.learner, two.path.learner)
    # theta is a correlation or a sign: rounding of 500 steps on sums of 90 numbers
    np.testing.assert_allclose(
        one.path.theta, two.path.theta, rtol=0, atol=1e-10 * np.abs(two.path.theta).max()
    )


@pytest.mark.parametrize(
    "rule, loss, kind",
    [*COMPILED, *(pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS)],
)
def test_runs_are_those_of_the_explicit_matrix(rule, loss, kind):
    check_explicit(rule, loss, kind, 500, True)


@pytest.mark.parametrize("rule, loss, kind", OTHERS)
def test_the_others_run_the_same_without_the_compiler(rule, loss, kind):
    check_explicit(rule, loss, kind, 120, False)


@every_kind
@pytest.mark.parametrize(
    "model_state",
    [
        cb.engine.NaiveState,
        cb.engine.CovarianceState,
        cb.engine.CovarianceColumns,
        cb.engine.LookaheadState,
    ],
    ids=lambda model_state: model_state.__name__,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_model_state_takes_the_same_steps(kind, model_state, weighted):
    X, y = table(missing=0.1)
    weight = np.random.default_rng(4).random(90) + 0.5 if weighted else None
    problem = cb.Problem(
        cb.data.stumps(X) if kind is cb.learners.Stumps else cb.data.leaf_stumps(X),
        y,
        sample_weight=weight,
    )
    rows = np.ascontiguousarray(columns(problem.dictionary).T)
    other = cb.Problem(cb.learners.Dense(rows), y, sample_weight=weight)
    one = cb.solve(
        problem,
        cb.ls_boost(0.2),
        500,
        model_state=model_state,
        compile=kind is cb.learners.LeafStumps,
    )
    two = cb.solve(other, cb.ls_boost(0.2), 500, model_state=cb.engine.NaiveState, compile=False)
    np.testing.assert_array_equal(one.path.learner, two.path.learner)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 4), min_size=4, max_size=16), st.data())
def test_ties_of_small_whole_numbers_go_to_the_first_learner(rows, data):
    X = np.array(rows, dtype=float)[:, :3]
    y = np.array(rows, dtype=float)[:, 3]
    if not np.ptp(X, axis=0).any() or (y == y[0]).all():
        return
    kind = data.draw(st.sampled_from([cb.data.stumps, cb.data.leaf_stumps]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        problem = cb.Problem(kind(X), y)
    B = columns(problem.dictionary)
    explicit = cb.solve(
        cb.Problem(cb.learners.Dense(np.ascontiguousarray(B.T)), y),
        cb.forward_stagewise(0.25),
        30,
        model_state=cb.engine.NaiveState,
    )
    sizes = (
        np.abs(B.T @ problem.resid(B @ state.beta)).max() for state in explicit.replay(range(30))
    )
    # once the optimum is reached, rounding decides
    steps = next((k for k, size in enumerate(sizes) if size <= problem.tie), 30)
    for model_state in (
        cb.engine.NaiveState,
        cb.engine.CovarianceColumns,
        cb.engine.LookaheadState,
    ):
        run = cb.solve(
            problem,
            cb.forward_stagewise(0.25),
            30,
            model_state=model_state,
            compile=model_state is not cb.engine.NaiveState,
        )
        np.testing.assert_array_equal(run.path.learner[:steps], explicit.path.learner[:steps])


def test_ls_boost_on_leaf_stumps_is_gradient_boosting_with_trees_of_depth_1():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(250, 6))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=250)
    peer = ensemble.GradientBoostingRegressor(max_depth=1, n_estimators=200, learning_rate=0.1).fit(
        X, y
    )
    problem = cb.Problem(cb.data.leaf_stumps(X, exact=True), y)
    run = cb.solve(problem, cb.ls_boost(0.1), 200)
    new = rng.normal(size=(400, 6))
    np.testing.assert_allclose(problem.predict(run.beta, X), peer.predict(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        problem.predict(run.beta, new), peer.predict(new), rtol=0, atol=1e-12
    )


def test_a_constant_feature_is_reported_and_has_no_learner():
    X, y = table()
    X[:, 1] = 4.0
    with pytest.warns(cb.data.ConstantColumnWarning, match="1 constant column"):
        problem = cb.Problem(cb.data.stumps(X), y)
    assert 1 not in problem.dictionary.feature
    with pytest.raises(ValueError, match="every column of X is constant"):
        cb.Problem(cb.data.stumps(np.ones((90, 2))), y)


def test_frames_go_by_name_and_learners_have_names():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 120),
            "town": pd.Categorical(rng.choice(["Oslo", "Rome", "Bonn"], 120)),
            "size": rng.normal(size=120),
        }
    )
    frame.loc[:20, "size"] = np.nan
    problem = cb.Problem(cb.data.leaf_stumps(frame), frame["age"] * 1.0 + (frame["town"] == "Rome"))
    names = problem.feature_names
    assert {"age <= 40.5", "town = Rome", "size is not missing"} <= set(names)
    assert any(name.startswith("size <= ") and name.endswith(" or missing") for name in names)
    run = cb.solve(problem, cb.ls_boost(0.3), 60)
    pred = problem.predict(run.beta, frame)
    np.testing.assert_allclose(pred, problem.constant + problem.combine(run.beta), rtol=1e-12)
    np.testing.assert_array_equal(problem.predict(run.beta, frame[["size", "town", "age"]]), pred)
    with pytest.raises(ValueError, match="Feature names unseen at fit time"):
        problem.predict(run.beta, frame.rename(columns={"age": "years"}))


@every_kind
def test_runs_are_saved_and_loaded(kind, tmp_path):
    X, y = table(missing=0.1)
    problem = cb.Problem(
        cb.data.stumps(X, categorical=[2])
        if kind is cb.learners.Stumps
        else cb.data.leaf_stumps(X, categorical=[2]),
        y,
    )
    run = cb.solve(problem, cb.ls_boost(0.2), 50)
    run.save(tmp_path / "run")
    back = cb.load(tmp_path / "run")
    assert back.problem.feature_names == problem.feature_names
    np.testing.assert_array_equal(back.problem.predict(back.beta, X), problem.predict(run.beta, X))
    np.testing.assert_array_equal(
        cb.solve(problem, cb.ls_boost(0.2), 80).path.learner[:50], back.path.learner
    )


@every_kind
def test_gram_columns_of_many_rows_are_those_of_the_matrix(kind):
    """Counts of the parts of a feature, starting from any part; also for weights that are
    counts.
    """
    X, y = table(3000, missing=0.1)
    weight = np.random.default_rng(2).integers(1, 4, 3000) + 0.0
    problem = cb.Problem(
        (cb.data.stumps if kind is cb.learners.Stumps else cb.data.leaf_stumps)(X, categorical=[2]),
        y,
        sample_weight=weight,
    )
    other = cb.Problem(
        cb.learners.Dense(np.ascontiguousarray(columns(problem.dictionary).T)),
        y,
        sample_weight=weight,
    )
    one = cb.solve(problem, cb.ls_boost(0.5), 150, model_state=cb.engine.CovarianceColumns)
    two = cb.solve(other, cb.ls_boost(0.5), 150, model_state=cb.engine.NaiveState, compile=False)
    np.testing.assert_array_equal(one.path.learner, two.path.learner)
    np.testing.assert_allclose(one.beta, two.beta, rtol=0, atol=1e-10 * np.abs(two.beta).max())
