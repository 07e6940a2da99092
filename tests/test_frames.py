"""Data frames at the door and at `predict`: columns are known by their names, and a bad entry is shown by row and column."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from refusal import case, refused

import coordboost as cb
from coordboost import Problem

RNG = np.random.default_rng(2)
X = pd.DataFrame(RNG.normal(size=(12, 4)) + 2.0, columns=["age", "size", "rate", "cost"])
Y = RNG.normal(size=12)
RUN = cb.solve(Problem(X, Y), cb.ls_boost(0.5), 60)


def test_columns_in_another_order_are_put_in_order():
    """The same numbers are multiplied and added, so the same bits."""
    expected = RUN.predict(X)
    for order in (["cost", "rate", "size", "age"], ["size", "age", "rate", "cost"]):
        assert RUN.predict(X[order]).tobytes() == expected.tobytes() or np.allclose(RUN.predict(X[order]), expected, rtol=1e-14)
    assert np.array_equal(RUN.predict(X.to_numpy()), expected)


def test_columns_set_aside_are_named_too():
    wide = X.assign(one=1.0)
    with pytest.warns(cb.ConstantColumnWarning, match="one"):
        run = cb.solve(Problem(wide, Y), cb.ls_boost(0.5), 60)
    np.testing.assert_allclose(run.predict(wide[["one", "cost", "rate", "size", "age"]]), RUN.predict(X), rtol=1e-13)
    refused(lambda: run.predict(X), "yet now missing: one.")


SENTENCE = "The feature names should match those that were passed during fit."


@pytest.mark.parametrize(
    "action, fragment",
    [
        case("renamed", lambda: RUN.predict(X.rename(columns={"size": "width"})), f"{SENTENCE} Feature names unseen at fit time: width."),
        case("renamed, missing", lambda: RUN.predict(X.rename(columns={"size": "width"})), "seen at fit time, yet now missing: size."),
        case("one more", lambda: RUN.predict(X.assign(y=Y)), "unseen at fit time: y."),
        case("one less", lambda: RUN.predict(X.drop(columns="rate")), "yet now missing: rate."),
        case("many", lambda: RUN.predict(X.assign(**{f"c{j}": Y for j in range(50)})), "c0, c1, c2, c3, c4, ..."),
        case("twice", lambda: RUN.predict(X[["age", "age", "size", "rate", "cost"]]), "repeat: 'age'"),
        case("array of another width", lambda: RUN.predict(X.to_numpy()[:, :3]), "X must have 4 columns as in the fit, got 3"),
        case("a row", lambda: RUN.predict(X.to_numpy()[0]), "X.reshape(1, -1)"),
        case("a series", lambda: RUN.predict(X.iloc[0]), "X.reshape(1, -1)"),
    ],
)  # fmt: skip
def test_other_names_are_refused(action, fragment):
    refused(action, fragment)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(X.to_numpy()), pd.DataFrame(X.to_numpy(), columns=[3, 2, 1, 0])], ids=["default", "numbers"]
)
def test_frames_without_names_are_taken_by_position(frame):
    assert np.array_equal(RUN.predict(frame), RUN.predict(X))
    assert np.array_equal(cb.solve(Problem(frame, Y), cb.ls_boost(0.5), 60).predict(X), RUN.predict(X))


def test_names_given_beside_an_array_are_names():
    run = cb.solve(Problem(X.to_numpy(), Y, feature_names=list(X)), cb.ls_boost(0.5), 60)
    np.testing.assert_allclose(run.predict(X[["cost", "rate", "size", "age"]]), RUN.predict(X), rtol=1e-14)
    refused(lambda: run.predict(X.rename(columns={"age": "years"})), SENTENCE)


def test_a_loaded_run_knows_the_names(tmp_path):
    with pytest.warns(cb.ConstantColumnWarning):
        cb.solve(Problem(X.assign(one=1.0)[["one", *X]], Y), cb.ls_boost(0.5), 60).save(tmp_path / "run.npz")
    run = cb.load(tmp_path / "run.npz")
    assert run.problem.column_names == ["one", *X] and run.problem.dropped == ["one"]
    np.testing.assert_allclose(run.predict(X.assign(one=1.0)), RUN.predict(X), rtol=1e-13)
    refused(lambda: run.predict(X), "yet now missing: one.")


def spoiled(row, name, value):
    frame = X.copy()
    frame.loc[row, name] = value
    return frame


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("use", [lambda X: Problem(X, Y), RUN.predict, lambda X: cb.lasso_path(X, Y), lambda X: cb.exact_path(X, Y)],
                         ids=["Problem", "predict", "lasso_path", "exact_path"])  # fmt: skip
def test_a_bad_entry_is_shown_by_row_and_column(use, value):
    refused(lambda: use(spoiled(7, "rate", value)), "row 7, column 2, 'rate'")
    refused(lambda: use(spoiled(7, "rate", value).to_numpy()), "row 7, column 2, counted from 0")
    refused(lambda: use(scipy.sparse.csr_array(spoiled(7, "rate", value))), "row 7, column 2, counted from 0")


def test_a_column_too_large_is_named():
    refused(lambda: Problem(X * [1, 1, 1e295, 1], Y), "column 2, 'rate', is")


def test_the_warning_points_to_the_line_that_makes_the_problem():
    with pytest.warns(cb.ConstantColumnWarning) as caught:
        Problem(X.assign(one=1.0), Y)
    assert caught[0].filename == __file__


BIG = 2**53


@pytest.mark.parametrize(
    "column",
    [
        np.array([BIG, BIG + 1, BIG, BIG]),
        np.array([BIG, BIG + 2, BIG + 4, BIG], dtype=float),
        np.array([1e30, 1e30 + 1.5e14, 1e30, 1e30]),
    ],
    ids=["whole numbers", "2^53", "1e30"],
)
def test_columns_that_vary_by_less_than_rounding_are_not_called_constant(column):
    other = np.array([1, 2, 4, 3], dtype=column.dtype)
    with pytest.warns(cb.ConstantColumnWarning, match=r"1 almost constant column.*: x0; .*subtract a constant from them first"):
        Problem(np.column_stack([column, other]), other)
    with pytest.warns(cb.ConstantColumnWarning, match=r"1 constant column\(s\) set aside, their coefficients are 0: x0\.$"):
        Problem(np.column_stack([column, other]), other, sample_weight=[1, 0, 0, 1])
