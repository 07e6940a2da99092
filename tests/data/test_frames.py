"""Data frames of other libraries than pandas: the same problems, bins, predictions and names."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import coordboost as cb

RNG = np.random.default_rng(4)
PANDAS = pd.DataFrame(
    {"a": RNG.normal(size=60), "b": RNG.integers(0, 9, 60), "c": RNG.normal(size=60)}
)
Y = PANDAS["a"].to_numpy() + PANDAS["b"].to_numpy() + RNG.normal(size=60)
KINDS = np.array(["left", "right", "up"])[RNG.integers(0, 3, 60)]


class Column:
    """A column with the interface of polars."""

    def __init__(self, series, dtype):
        self.series, self.dtype = series, dtype

    def to_numpy(self):
        return self.series.to_numpy()

    def to_list(self):
        return self.series.tolist()


class Frame:
    """A frame with the interface of polars, and nothing that only pandas has."""

    def __init__(self, frame):
        self.frame = frame
        self.columns = list(frame.columns)
        self.shape = frame.shape

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, name):
        series = self.frame[name]
        return Column(series, "Categorical" if series.dtype == "category" else "Float64")

    def to_numpy(self):
        return self.frame.to_numpy()

    def __array__(self, dtype=None, copy=None):
        return self.frame.to_numpy(dtype=dtype)


def polars(frame):
    """Return the frame as a frame of polars."""
    kinds = {name: pl.Categorical for name in frame if frame[name].dtype == "category"}
    return pl.DataFrame({name: frame[name].tolist() for name in frame}, schema_overrides=kinds)


@pytest.mark.parametrize("made", [Frame, polars], ids=["a frame like those of polars", "polars"])
def test_other_frames_are_as_those_of_pandas(made):
    other = made(PANDAS)
    problem = cb.Problem(PANDAS, Y)
    again = cb.Problem(other, Y)
    assert again.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(again.dictionary.rows, problem.dictionary.rows)
    run = cb.solve(problem, cb.ls_boost(0.1), 20)
    np.testing.assert_array_equal(run.predict(made(PANDAS[["c", "a", "b"]])), run.predict(PANDAS))
    scores = [
        cb.cross_validate(
            lambda X, y, w: cb.solve(cb.Problem(X, y), cb.ls_boost(0.1), 9), X, Y
        ).mean
        for X in (PANDAS, other)
    ]
    np.testing.assert_array_equal(*scores)


def test_columns_in_another_order_give_the_same_bits():
    """Predictions of a run and of a grid add the columns in the order of the fit, however a frame
    is stored.
    """
    X = pd.DataFrame(np.random.default_rng(5).normal(size=(400, 12)), columns=list("abcdefghijkl"))
    y = X.to_numpy() @ np.arange(12.0)
    models = cb.solve(cb.Problem(X, y), cb.ls_boost(0.1), 60), cb.lasso_path(X, y, n_alphas=4)
    by_rows = pd.DataFrame(np.ascontiguousarray(X.to_numpy()), columns=X.columns, copy=False)
    for other in (X.iloc[:, ::-1], X[list("clajbkidhegf")], by_rows):
        for model in models:
            np.testing.assert_array_equal(model.predict(other), model.predict(X))


@pytest.mark.parametrize("made", [Frame, polars], ids=["a frame like those of polars", "polars"])
def test_categories_of_other_frames_are_categories(made):
    frame = PANDAS.assign(kind=pd.Categorical(KINDS))
    families = [cb.data.trees(X, max_depth=2, min_samples=2) for X in (frame, made(frame))]
    for ours, theirs in zip(*(family.binned for family in families), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert families[1].binning.labels[3] == ["left", "right", "up"]


def test_frames_of_polars_that_hold_no_numbers_are_refused_in_words():
    """A lazy frame, a column of records, and dates: in fits, in a prediction and in
    cross-validation.
    """
    plain = pl.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0) ** 2})
    y = np.arange(9.0) % 4
    lasso = cb.CertifiedLasso()
    trees = cb.RandomizedGBMRegressor(n_estimators=2)
    cases = [
        (plain.lazy(), r"X is a LazyFrame, which is lazy: call collect\(\) first"),
        (
            plain.with_columns(c=pl.Series([{"u": 1, "v": 2}] * 9)),
            "(encode or drop the columns c|column 'c' must hold real numbers)",
        ),
    ]
    run = cb.solve(cb.Problem(plain, y), cb.ls_boost(0.1), 3)
    for X, sentence in cases:
        for fit in (
            cb.Problem,
            lasso.fit,
            trees.fit,
            lambda X, y: cb.cross_validate(cb.lasso_path, X, y),
        ):
            with warnings.catch_warnings(), pytest.raises(ValueError, match=sentence):
                # polars warns that scikit-learn asks a lazy frame for its names
                warnings.simplefilter("ignore")
                fit(X, y)
    with pytest.raises(ValueError, match="X is a LazyFrame"):
        run.predict(plain.lazy())
    days = plain.with_columns(d=pl.Series(np.arange(9)).cast(pl.Date))
    for fit in (cb.Problem, lasso.fit):
        with pytest.raises(
            ValueError, match="encode or drop the columns d first: convert times to numbers of days"
        ):
            fit(days, y)


@pytest.mark.parametrize("dtype", ["category", str])
def test_text_in_a_frame_is_refused_with_the_names_of_its_columns(dtype):
    frame = pd.DataFrame(
        {"size": [1.0, 2.0, 4.0] * 4, "town": pd.Series(["Ulm", "Jena", "Kiel"] * 4).astype(dtype)}
    )
    sentence = (
        "^X must hold real numbers; encode or drop the columns town first: table = "
        'read_table.X.assign.y=y., "y", impute="median". does so; then fit.table.frame'
    )
    for fit in (cb.CertifiedLasso().fit, cb.Problem):
        with pytest.raises(ValueError, match=sentence):
            fit(frame, frame["size"])
    with pytest.raises(ValueError, match="contains NaN"):
        cb.CertifiedLasso().fit(frame[["size"]].replace(2.0, np.nan), frame["size"])


@pytest.mark.parametrize("kind", ["pandas", "strings", "polars"])
def test_trees_take_text_as_categories(kind):
    rng = np.random.default_rng(4)
    town = rng.choice(["Ulm", "Jena", "Kiel", None], 600)
    size = rng.normal(size=600)
    y = size + 3.0 * (town == "Jena")
    frame = pd.DataFrame({"size": size, "town": town})
    coded = frame.astype({"town": "category"})
    if kind == "polars":
        frame = pl.DataFrame({"size": size, "town": town.tolist()})
    elif kind == "strings":
        frame = frame.astype({"town": "string"})
    model = cb.RandomizedGBMRegressor(n_estimators=40, random_state=0)
    expected = model.fit(coded, y).predict(coded)
    assert model.fit(frame, y).predict(frame).tobytes() == expected.tobytes()
    assert model.predict(coded).tobytes() == expected.tobytes()
    assert model.score(frame, y) > 0.5


@pytest.mark.parametrize("dtype", ["object", "category"])
def test_codes_in_place_of_the_text_of_the_fit_are_refused(dtype):
    """Each code would silently be a category that the fit has not seen."""
    town = np.array(["Bern", "Basel", "Chur", "Bern"] * 9)
    frame = pd.DataFrame({"size": np.arange(36.0), "town": pd.Series(town, dtype=dtype)})
    model = cb.RandomizedGBMRegressor(n_estimators=5).fit(frame, frame["size"] + (town == "Chur"))
    codes = frame["town"].astype("category").cat.codes
    with pytest.raises(ValueError, match=r"column 'town' must hold text as in the fit.*codes"):
        model.predict(frame.assign(town=codes))
    with pytest.raises(ValueError, match="must hold text"):
        model.predict(frame.assign(town=codes.astype("category")))
    unseen = model.predict(frame.assign(town="Genf"))
    absent = model.predict(frame.assign(town=np.nan))  # a column of float, all of it missing
    assert np.isfinite(unseen).all() and np.isfinite(absent).all()


def test_text_with_numbers_in_it_is_no_guess_of_trees():
    """It may be numbers with a word for missing values: the refusal says what to do."""
    frame = pd.DataFrame({"age": ["39", "41", "?", "17"] * 9, "size": np.arange(36.0)})
    with pytest.raises(
        ValueError,
        match=r"column 'age' must hold real numbers, got '\?'; name it in categorical .*estimator",
    ):
        cb.RandomizedGBMRegressor().fit(frame, frame["size"])
    numbers = frame.replace("?", None)
    assert cb.data.bin_columns(numbers)[1].labels == [None, None]
    named = cb.RandomizedGBMRegressor(n_estimators=1, categorical_features=["age"])
    assert named.fit(frame, frame["size"]).n_iter_ == 1
