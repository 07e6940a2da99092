"""Shape functions of runs over one-split trees: constant plus shapes equals the prediction."""

import numpy as np
import pandas as pd
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(11)
N = 300
TOWN = np.array(["Bergen", "Hamar", "Oslo", "Voss"])[RNG.integers(0, 4, N)]
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(size=N),
        "town": pd.Categorical(TOWN),
        "size": RNG.integers(0, 9, N).astype(float),
    }
)
TABLE.loc[::7, "age"] = np.nan
TABLE.loc[3::11, "town"] = None
Y = (
    np.sin(2 * np.nan_to_num(TABLE["age"].to_numpy(), nan=2.0))
    + (TOWN == "Oslo")
    - TABLE["size"].to_numpy() / 9
    + 0.1 * RNG.normal(size=N)
)
#: Missing values where the fit had none, an unseen town, values beyond the training range.
NEW = pd.DataFrame(
    {
        "age": np.append(3 * RNG.normal(size=96), [np.nan, -np.inf, np.inf, 0.0]),
        "town": [*np.append(TOWN, "Moss")[RNG.integers(0, N + 1, 98)].tolist(), None, "Moss"],
        "size": np.append(RNG.uniform(-2, 11, 98), [np.nan, 4.0]),
    }
)


def total(problem, shapes, X):
    """The constant plus the shapes at the rows of a frame."""
    return problem.constant + sum(shape(X[name].tolist()) for name, shape in shapes.items())


def run_over(method, n_steps=60, **limits):
    loss, y = (
        (cb.losses.Logistic(), np.where(Y > 0.3, 1.0, -1.0))
        if limits.pop("classes", False)
        else (None, Y)
    )
    return cb.solve(
        cb.Problem(cb.data.trees(TABLE, **{"max_depth": 1, "min_samples": 3} | limits), y, loss),
        method,
        n_steps,
    )


RUNS = {
    "squared": (cb.ls_boost(0.3), {}),
    "logistic": (cb.gbm(0.1), {"classes": True}),
    "some features": (cb.methods.rtgcd(1), {}),
    "momentum": (cb.methods.agbm(0.1, 0.1), {}),
    "bounds": (cb.ls_boost(0.3), {"monotone": {"size": -1}}),
    "some rows": (cb.methods.sgb(0.1, subsample=0.5), {}),
    "of one leaf": (cb.gbm(1.0), {"classes": True, "min_gain": 6.0}),
}


@pytest.mark.parametrize("name", RUNS)
def test_constant_plus_shapes_equals_the_prediction(name):
    method, limits = RUNS[name]
    run = run_over(method, **limits)
    shapes = run.shape_functions()
    for rows in (TABLE, NEW):
        np.testing.assert_allclose(
            total(run.problem, shapes, rows), run.predict(rows), rtol=0, atol=1e-12
        )
    assert (
        shapes["town"].labels == ["Bergen", "Hamar", "Oslo", "Voss"]
        and shapes["age"].labels is None
    )
    for shape in shapes.values():
        assert len(shape.values) == len(shape.labels or [*shape.cuts.tolist(), 0])
        assert shape.labels is not None or (
            (np.diff(shape.values) != 0).all() and (np.diff(shape.cuts) > 0).all()
        )
        np.testing.assert_array_equal(shape.coefs, run.beta[shape.learners])
    assert name != "bounds" or (np.diff(shapes["size"].values) < 0).all()
    assert name != "of one leaf" or 1 in run.problem.dictionary.trees.n_leaves[run.beta != 0]
    used = np.concatenate([shape.learners for shape in shapes.values()])
    np.testing.assert_array_equal(np.sort(used), np.flatnonzero(run.beta))


def test_one_split_by_hand():
    """A single tree with full step: the mean of each side; its cut lies midway between two rows."""
    run = cb.solve(
        cb.Problem(
            cb.data.trees([[1.0], [2.0], [4.0], [np.nan]], max_depth=1), [1.0, 1.0, 5.0, 5.0]
        ),
        cb.ls_boost(1.0),
        1,
    )
    (shape,) = run.shape_functions().values()
    assert shape.feature == "x0" and shape.cuts == [3.0] and shape.learners == [0]
    np.testing.assert_allclose([*shape.values, shape.missing], [-2.0, 2.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(shape([3.0, 3.1, np.nan]), [-2.0, 2.0, 2.0], atol=1e-12)


def test_shapes_at_an_earlier_step_of_an_estimator_and_from_a_file(tmp_path):
    X = TABLE[["age", "size"]].to_numpy()
    settings = {"max_depth": 1, "n_estimators": 40, "max_features": None, "random_state": 0}
    model = cb.RandomizedGBMRegressor(**settings).fit(X, Y)
    stopped = cb.RandomizedGBMRegressor(
        **settings, learning_rate=1.0, early_stopping=True, n_iter_no_change=5
    ).fit(X, Y)
    run = stopped.run_
    assert stopped.n_iter_ < run.n_steps
    shapes = cb.engine.shape_functions(run.problem, next(run.replay([stopped.n_iter_])).beta)
    by_hand = run.problem.constant + sum(shapes[name](X[:, int(name[1])]) for name in shapes)
    np.testing.assert_allclose(by_hand, stopped.predict(X), atol=1e-12)
    run = model.run_
    *_, last = model.staged_predict(X)
    shapes = run.shape_functions()
    np.testing.assert_allclose(
        run.problem.constant + sum(shapes[name](X[:, int(name[1])]) for name in shapes),
        last,
        atol=1e-12,
    )
    early = next(run.replay([10]))
    shapes = cb.engine.shape_functions(run.problem, early.beta)
    by_hand = run.problem.constant + sum(shapes[name](X[:, int(name[1])]) for name in shapes)
    np.testing.assert_allclose(by_hand, run.predict(X, step=10), atol=1e-12)
    run.save(tmp_path / "the.run")
    read = cb.load(tmp_path / "the.run").shape_functions()
    assert all(
        read[name].values.tobytes() == one.values.tobytes()
        for name, one in run.shape_functions().items()
    )


def test_deeper_trees_and_other_learners_are_refused():
    deep = run_over(cb.ls_boost(0.3), 3, max_depth=2)
    refused(deep.shape_functions, "max_depth=1")
    refused(
        lambda: cb.engine.shape_functions(cb.Problem(TABLE[["size"]], Y), [0.0]),
        "stumps(X), leaf_stumps(X) or trees(X, max_depth=1)",
    )
