"""Data frames as tables: encoded as a file of the same content; linear estimators say how."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusal import refused

import coordboost as cb

HOUSES = pd.DataFrame(
    {
        "size": [80.5, 120, 65, None, 95, 70.5, 88, 101],
        "garden": [True, False, False, True, True, False, True, False],
        "built": pd.to_datetime(["1990-05-01", "2004-01-01", "1971-07-01", "1999-01-01"] * 2),
        "town": pd.Categorical(["Ulm", "Jena", "Ulm", "Kiel", "Jena", "Kiel", None, "Ulm"]),
        "price": [200.0, 310, 160, 240, 255, 190, 220, 260],
    }
)
IMPUTE = pytest.mark.parametrize("impute", ["median", "indicator", "drop"])


def as_polars(frame):
    """Do ``polars.from_pandas``, which needs pyarrow for columns of categories."""

    def series(name):
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            words = column.astype(object).where(column.notna(), None)
            return pl.Series(name, words.tolist(), dtype=pl.Categorical)
        return pl.Series(name, column.to_numpy(), nan_to_null=True)

    return pl.DataFrame([series(name) for name in frame])


LIBRARY = pytest.mark.parametrize("made", [pd.DataFrame, as_polars], ids=["pandas", "polars"])


def typed(recipe):
    """Return the recipe of a text file without what text alone has: marks, formats of dates."""
    variables = (
        one._replace(levels=("",)) if one.kind == "date" else one for one in recipe.variables
    )
    return recipe._replace(marks=(), variables=tuple(variables))


@IMPUTE
@LIBRARY
def test_a_frame_is_read_as_a_file(impute, made, tmp_path):
    """As a text file everywhere; where pyarrow is installed, as a Parquet file too."""
    before = HOUSES.copy()
    table = cb.read_table(made(HOUSES), "price", impute=impute)
    HOUSES.to_csv(tmp_path / "houses.csv", index=False)
    of_text = cb.read_table(tmp_path / "houses.csv", "price", impute=impute)
    recipes = [(of_text, typed(of_text.recipe))]
    if find_spec("pyarrow") is not None:
        HOUSES.to_parquet(tmp_path / "houses.parquet")
        of_parquet = cb.read_table(tmp_path / "houses.parquet", "price", impute=impute)
        recipes.append((of_parquet, of_parquet.recipe))
    for of_file, recipe in recipes:
        assert table.said == of_file.said and table.recipe == recipe
        np.testing.assert_array_equal(table.X, of_file.X)
        np.testing.assert_array_equal(table.y, of_file.y)
    pd.testing.assert_frame_equal(HOUSES, before)
    if impute != "drop":
        new = HOUSES.drop(columns="price").iloc[[3, 0]]
        np.testing.assert_array_equal(table.frame(made(new)).to_numpy(), table.X[[3, 0]])


def test_options_of_files_are_refused_for_a_frame():
    table = cb.read_table(HOUSES, "price", impute="median")
    for rows in (HOUSES.drop(columns="price"), None):
        with pytest.raises(ValueError, match="unknown, sep: options of files"):
            table.frame(rows, unknown="none", sep=";")


def test_options_of_tables():
    weighted = HOUSES.assign(weight=2.0)
    table = cb.read_table(
        weighted, "price", impute="drop", drop="built", weights="weight", na="Kiel"
    )
    assert table.recipe.dropped == ("built",) and table.weight.tolist() == [2.0] * 5
    assert table.feature_names == ("size", "garden", "town=Ulm")
    trees = cb.read_table(HOUSES, "price", one_hot=False)
    assert (
        isinstance(trees.X["town"].dtype, pd.CategoricalDtype) and trees.X.isna().sum().sum() == 2
    )
    numbered = HOUSES[["size", "price"]].dropna().set_axis([0, 1], axis=1)
    assert cb.read_table(numbered, "1").feature_names == ("0",)


@pytest.mark.parametrize(
    ("frame", "options", "says"),
    [
        (HOUSES, {}, "the data frame: row 3 (counted from 0): no value in column 'size'"),
        (HOUSES, {"sep": ","}, "the data frame: sep=',' is for text files"),
        (HOUSES.rename(columns={"size": "town"}), {}, "the data frame: two columns are called"),
        (HOUSES.drop(columns="price"), {}, "the data frame: no column 'price': choose the target"),
        (HOUSES.iloc[:0], {}, "the data frame: "),
    ],
    ids=["gaps", "separator", "names", "target", "no rows"],
)
def test_refused_frames(frame, options, says):
    with pytest.raises(ValueError) as caught:
        cb.read_table(frame, "price", **options)
    assert str(caught.value).startswith(says)


@LIBRARY
@pytest.mark.parametrize("kind", [cb.CertifiedLassoCV, cb.LSBoostRegressor])
def test_linear_estimators_name_these_lines(made, kind):
    lines = 'table = read_table(X.assign(y=y), "y", impute="median") does so; then fit(table.frame('
    X, y = HOUSES.drop(columns="price"), HOUSES["price"]
    refused(lambda: kind().fit(made(X), y), f"the columns built, town first: {lines}")
    refused(lambda: kind().fit(made(X[["size"]]), y), f"in the columns size; fill them in: {lines}")
    gone = X[["size"]].to_numpy()
    refused(lambda: kind().fit(gone, y), "in row 3 and column 0: impute or drop them")
    table = cb.read_table(X.assign(y=y), "y", impute="median")
    params = {"cv": 2} if kind is cb.CertifiedLassoCV else {"n_steps": 5}
    model = kind(**params).fit(table.frame(), table.y)
    assert model.predict(table.frame(made(X.head(3)))).shape == (3,)
    assert "garden" in model.feature_names_in_
