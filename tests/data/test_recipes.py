"""The recipe of a model: stored in the run file as plain data, applied to new tables by column
names.
"""

import numpy as np
import pandas as pd
import pytest
from refusal import case, refused
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from test_tables import lines, write

import coordboost as cb
from coordboost import read_table

RNG = np.random.default_rng(11)
FRAME = pd.DataFrame(
    {
        "size": np.where(np.arange(30) % 7 == 3, np.nan, RNG.normal(size=30).round(3)),
        "town": RNG.choice(["Ulm", "Jena", "Kiel"], 30),
        "pool": np.where(np.arange(30) % 5 == 1, None, RNG.choice(["yes", "no"], 30)),
        "built": pd.date_range("2020-01-01", periods=30).strftime("%d.%m.%Y"),
        "price": RNG.normal(size=30).round(3),
    }
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder with the table file and the run file; the table; the run."""
    folder = tmp_path_factory.mktemp("recipes")
    FRAME.to_csv(folder / "t.csv", index=False, sep=";", decimal=",")
    table = read_table(folder / "t.csv", "price", impute="indicator")
    run = cb.solve(table.problem(), cb.ls_boost(0.1), 200)
    run.save(folder / "r.run")
    return folder, table, run


def test_columns_are_those_of_scikit_learns_transformers(made):
    _, table, _ = made
    numbers = ColumnTransformer(
        [
            ("size", SimpleImputer(strategy="median", add_indicator=True), ["size"]),
            ("town", OneHotEncoder(sparse_output=False), ["town"]),
        ]
    ).fit_transform(FRAME)
    assert table.feature_names == (
        "size",
        "size (missing)",
        "town=Jena",
        "town=Kiel",
        "town=Ulm",
        "pool=yes",
        "pool (missing)",
        "built",
    )
    assert table.groups == ("size", "size", "town", "town", "town", "pool", "pool", "built")
    np.testing.assert_array_equal(table.X[:, :5], numbers[:, :5].astype(float))
    np.testing.assert_array_equal(table.X[:, 5], (FRAME["pool"] == "yes").astype(float))
    np.testing.assert_array_equal(table.X[:, 6], FRAME["pool"].isna().astype(float))
    assert (table.X[:, 7] == 18262 + np.arange(30)).all()


def test_a_run_file_predicts_for_new_tables_by_name(made):
    folder, table, run = made
    again = cb.load(folder / "r.run")
    expected = run.predict(table.X)
    # dates are large numbers, which the intercept subtracts again
    terms = np.abs(table.X) @ np.abs(run.coef) + abs(run.intercept)
    near = {"rtol": 0, "atol": 10 * np.finfo(float).eps * terms.max()}
    assert (
        again.problem.recipe == table.recipe
        and again.problem.groups.tolist() == run.problem.groups.tolist()
    )
    np.testing.assert_allclose(again.predict(FRAME), expected, **near)
    other = FRAME.iloc[::-1][["built", "town", "pool", "size"]].assign(more="x")
    np.testing.assert_allclose(again.predict(other), expected[::-1], **near)
    other.to_csv(folder / "new.csv", index=False)
    np.testing.assert_allclose(
        again.predict(table.frame(folder / "new.csv").to_numpy()), expected[::-1], **near
    )


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".xlsx"])
def test_files_with_types_give_the_same_table(made, suffix):
    folder, table, _ = made
    path = folder / f"typed{suffix}"
    typed = FRAME.assign(
        built=pd.to_datetime(FRAME["built"], format="%d.%m.%Y"),
        town=FRAME["town"].astype("category"),
    )
    pytest.importorskip("openpyxl" if suffix == ".xlsx" else "pyarrow")
    {".parquet": typed.to_parquet, ".xlsx": typed.to_excel}.get(suffix, typed.to_feather)(path)
    options = {"drop": "Unnamed: 0"} if suffix == ".xlsx" else {}
    found = read_table(path, "price", impute="indicator", **options)
    assert found.feature_names == table.feature_names
    np.testing.assert_allclose(found.X, table.X, rtol=1e-15)


def test_many_categories_are_kept_sparse(tmp_path, monkeypatch):
    monkeypatch.setattr("coordboost.data.recipe.DENSE", 100)
    frame = pd.DataFrame(
        {"t": [f"w{i % 9}" for i in range(40)], "x": np.arange(40.0), "y": np.arange(40.0) ** 2}
    )
    frame.assign(x=frame.x.where(frame.x > 2), t=frame.t.where(frame.x > 0)).to_csv(
        tmp_path / "t.csv", index=False
    )
    sparse = read_table(tmp_path / "t.csv", impute="indicator")
    monkeypatch.undo()
    dense = read_table(tmp_path / "t.csv", impute="indicator").X
    assert (sparse.X.toarray() == dense).all() and sparse.X.format == "csc"
    assert sparse.X.nnz == len(sparse.X.data) == np.count_nonzero(dense)


def changed(**columns):
    return FRAME.assign(**columns)


@pytest.mark.parametrize(
    "frame, fragment",
    [
        case(
            "missing",
            FRAME.drop(columns="town"),
            "the table lacks 'town', which the model was fitted with: add the column(s)",
        ),
        case(
            "unknown",
            changed(town="Bonn"),
            "row 0 (counted from 0), column 'town' holds 'Bonn', which the model was not "
            "fitted with",
        ),
        case("text", changed(size="big"), "column 'size' holds 'big' where numbers belong"),
        case("no date", changed(built="soon"), "column 'built' holds 'soon' where dates belong"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_in_one_sentence(made, frame, fragment):
    refused(lambda: made[2].predict(frame), fragment)


def test_an_unexpected_missing_value_is_refused(tmp_path):
    FRAME.dropna().to_csv(tmp_path / "t.csv", index=False)
    recipe = read_table(tmp_path / "t.csv", "price").recipe
    refused(
        lambda: recipe.numbers(FRAME),
        "row 3 (counted from 0): no value in column 'size': fill it in",
    )


def test_an_unknown_category_may_count_as_none_of_the_known_ones(made):
    recipe = made[1].recipe
    found = recipe.numbers(changed(town="Bonn"), unknown_as_none=True)
    assert not found[:, 2:5].any()


COMMAS = lines("a;y", "1,5;3", "-2,75;6", "10,125;9")
POINTS = lines("a,y", "1.5,3", "-2.75,6", "10.125,9")
#: name: (training table, new rows, options, the numbers in them)
MARKS = {
    "a point as in the fit": (POINTS, lines("a,b", "1.362,x"), {}, [1.362]),
    "a comma as in the fit": (COMMAS, lines("a;b", "1,362;x"), {}, [1.362]),
    "a mark that only one way explains": (COMMAS, lines("a", "1.362", "0.5"), {}, [1.362, 0.5]),
    "the other mark": (POINTS, lines("a;b", "1,5;x"), {}, [1.5]),
    "no mark": (COMMAS, lines("a", "7"), {}, [7]),
    "nothing known": (lines("a;y", "1;3", "2;6"), lines("a;b", "1,362;x"), {}, [1.362]),
    "thousands": (
        lines("a;y", "1.234,5;3", "2;6"),
        lines("a", "1.362"),
        {"thousands": "."},
        [1362],
    ),
    "spaces": (
        lines("a;y", "1 234,5;3", "2;6"),
        lines("a", "1 362"),
        {"thousands": " ", "decimal": ",", "sep": ";"},
        [1362],
    ),
}


@pytest.mark.parametrize("name", MARKS)
def test_ambiguous_new_rows_are_read_as_in_the_fit(tmp_path, name):
    fit, new, options, expected = MARKS[name]
    table = read_table(write(tmp_path / "fit.csv", fit), **options)
    sep = {name: given for name, given in options.items() if name == "sep"}
    assert table.frame(write(tmp_path / "new.csv", new), **sep).iloc[:, 0].tolist() == expected


def test_an_ambiguous_decimal_mark_is_refused(tmp_path):
    """With decimal commas, 1.362 may mean 1362: it is refused unless the thousands mark is
    given.
    """
    for fit, new in (
        (COMMAS, lines("a", "1.362", "2.450")),
        (POINTS, lines("a;b", "1,362;x", "2,450;x")),
    ):
        table = read_table(write(tmp_path / "fit.csv", fit))
        refused(
            lambda table=table, new=new: table.frame(write(tmp_path / "new.csv", new)),
            "where numbers belong",
        )
        assert table.frame(tmp_path / "new.csv", thousands={COMMAS: ".", POINTS: ","}[fit])[
            "a"
        ].tolist() == [1362, 2450]


def test_a_grid_scores_the_table_as_it_was(made):
    """All alphas in one product; the scores equal those computed point by point."""
    path = cb.lasso_path(made[1].problem(), n_alphas=3)
    places = [cb.lasso.PathPoint(step=k) for k in range(3)]
    together = path.score_path(FRAME, FRAME["price"])
    one_by_one = path.score_at(FRAME, FRAME["price"], at=places)
    np.testing.assert_allclose(together, one_by_one, rtol=1e-12)


def test_gaps_are_filled_by_the_median(tmp_path):
    """With many and few values, with ties, and in an order that would mislead a strided sample."""
    rng = np.random.default_rng(3)
    n = 20_000
    many = rng.standard_normal(n)
    strides = np.arange(n) % 4 == 0
    columns = {
        "many": many,
        "gaps": np.where(strides, np.nan, many),
        "small": np.where(strides, -9.0, many),
        "large": np.where(strides, 9.0, many),
        "whole": rng.integers(0, 3, n),
        "half": np.where(np.cumsum(~strides) <= n / 2, 0.0, 1.0),
        "same": np.full(n, 7.0),
        **{f"first {k}": np.where(np.arange(n) < k, many, np.nan) for k in range(2, 9)},
    }
    frame = pd.DataFrame({"y": many, **columns})
    frame.loc[n] = [1.0] + [np.nan] * len(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", impute="median")
    assert dict(zip(table.feature_names, table.X[n], strict=True)) == {
        name: np.nanmedian(values) for name, values in columns.items()
    }
