"""Columns with more categories than bins: rare categories share a bin, also used for categories
that only new rows have.
"""

import json
import time

import numpy as np
import pandas as pd
import pytest

import coordboost as cb
from coordboost.data import bin_columns

RNG = np.random.default_rng(2)
FEW = pytest.warns(UserWarning, match="share one bin")
#: 400 towns: 40 with 40 rows each, 360 with one or two rows.
TOWN = np.array(
    [
        f"t{k:03}"
        for k in np.concatenate(
            [np.repeat(np.arange(40), 40), np.arange(40, 400), np.arange(40, 300)]
        )
    ]
)
TABLE = pd.DataFrame({"size": RNG.normal(size=len(TOWN)), "town": pd.Categorical(TOWN)})
EFFECT = np.where(
    np.char.replace(TOWN, "t", "").astype(int) < 40,
    np.char.replace(TOWN, "t", "").astype(int) % 7,
    -3.0,
)
Y = TABLE["size"].to_numpy() + EFFECT


def test_the_most_frequent_have_bins_of_their_own():
    with FEW:
        binned, binning = bin_columns(TABLE)
    count = TABLE["town"].value_counts()
    kept = binning.labels[1][:-1]
    others = set(TOWN) - set(binning.labels[1])
    assert (
        len(kept) == 254 and kept == sorted(kept) and count[kept].min() >= count[list(others)].max()
    )
    assert set(TOWN[binned.codes[1] == 254]) == others and binned.missing[1] == -1
    assert all(TOWN[i] == kept[code] for i, code in enumerate(binned.codes[1]) if code < 254)


def test_new_levels_are_treated_as_rare_ones_and_missing_values_are_not_if_the_fit_had_some():
    gone = TABLE.assign(town=TABLE["town"].where(np.arange(len(TOWN)) % 9 > 0))
    with FEW:
        binned, binning = bin_columns(gone)
    assert binned.missing[1] == 255
    new = pd.DataFrame(
        {"size": [0.0] * 4, "town": pd.Categorical(["t001", "elsewhere", None, "t399"])}
    )
    assert binning.bin(new).codes[1].tolist() == [binning.labels[1].index("t001"), 254, 255, 254]
    with FEW:
        _, whole = bin_columns(TABLE)
    assert whole.bin(new).codes[1, 2] == 254  # without missing values in the fit: an unseen level


@pytest.mark.parametrize("as_numbers", [False, True])
def test_models_learn_them_and_are_saved(tmp_path, as_numbers):
    X = (
        np.column_stack([TABLE["size"], np.char.replace(TOWN, "t", "").astype(float)])
        if as_numbers
        else TABLE
    )
    model = cb.RandomizedGBMRegressor(
        max_features=None,
        categorical_features=[1],
        n_estimators=200,
        min_samples_leaf=5,
        random_state=0,
    )
    model.fit(X, Y)  # no warning: towns that share a bin have too few rows to be chosen
    assert model.score(X, Y) > 0.95
    model.run_.save(tmp_path / "the.run")
    assert cb.load(tmp_path / "the.run").predict(X).tobytes() == model.run_.predict(X).tobytes()
    strange = X[:1].copy() if as_numbers else X.iloc[:1].assign(town=["nowhere"])
    if as_numbers:
        strange[0, 1] = 1e6
    assert abs(model.predict(strange)[0] - (TABLE["size"][0] - 3.0)) < 1.0
    assert json.dumps(model.run_.problem.binning.labels[1][-1]) == '"other levels"'


def test_a_new_level_has_the_shape_value_of_rare_ones():
    with FEW:
        problem = cb.Problem(cb.data.leaf_stumps(TABLE), Y)
    run = cb.solve(problem, cb.ls_boost(0.5), 100)
    shape = run.shape_functions()["town"]
    assert shape(["nowhere"])[0] == shape(["t399"])[0] == shape([None])[0] != shape(["t001"])[0]
    columns = {"size": TABLE["size"], "town": TOWN.tolist()}
    total = problem.constant + sum(
        one(columns[name]) for name, one in run.shape_functions().items()
    )
    np.testing.assert_allclose(total, run.predict(TABLE), atol=1e-10)


def test_as_many_levels_as_bins_share_no_bin():
    column = np.arange(255)[:, None]
    binned, binning = bin_columns(column, categorical=[0])
    assert binned.codes[0].tolist() == binning.labels[0] == list(range(255))
    assert binning.bin([[999]]).codes.tolist() == [[255]]


LEVELS = RNG.integers(0, 200, 3000)
#: 200 levels with effects of mean 0; the 40 levels from 160 on occur in new rows only.
SIZES = RNG.normal(size=200)
SIZES -= SIZES.mean()
NOISY = SIZES[LEVELS] + 0.5 * RNG.normal(size=3000)


@pytest.mark.parametrize(
    "kind", [cb.RandomizedGBMRegressor, cb.AcceleratedGBMRegressor, cb.LangevinGBMRegressor]
)
def test_levels_without_rows_in_a_small_part_of_the_rows_are_not_predicted_high(kind):
    frame = pd.DataFrame({"level": pd.Categorical(LEVELS)})
    model = kind(n_estimators=40, subsample=0.1, random_state=0)
    # a level has two of the rows drawn
    model.set_params(min_samples_category=1, max_split_categories=None)
    model.fit(frame, NOISY)
    assert abs(model.predict(frame).mean() - NOISY.mean()) < 0.04


@pytest.mark.parametrize(
    "kind",
    [
        cb.RandomizedGBMRegressor,
        cb.AcceleratedGBMRegressor,
        cb.RegularizedGBMRegressor,
        cb.LangevinGBMRegressor,
    ],
)
def test_unseen_levels_go_with_the_larger_child(kind):
    """In one split of one level against the rest, every new level, and a missing value, is one of
    the rest.
    """
    y = np.where(LEVELS % 8 == 3, 5.0, 0.0)
    model = kind(n_estimators=1, random_state=0)
    frame = pd.DataFrame({"level": pd.Categorical(LEVELS % 8)})
    model.fit(frame, y)
    one, three, new, gone = model.predict(pd.DataFrame({"level": pd.Categorical([1, 3, 99, None])}))
    assert one == new == gone != three


@pytest.mark.parametrize("as_objects", [False, True])
def test_rows_with_missing_or_unseen_levels_cost_no_more_than_others(as_objects):
    """The levels of a column are looked up once each, not once a row."""
    town = RNG.choice(["a", "b", None], 60_000)
    _, binning = bin_columns(pd.DataFrame({"town": ["a", "b"] * 5}), categorical=["town"])
    new = pd.DataFrame({"town": town if as_objects else pd.Categorical(town)})
    start = time.process_time()
    codes = binning.bin(new).codes[0]
    assert time.process_time() - start < 1
    assert codes.tolist() == [{"a": 0, "b": 1, None: 2}[one] for one in town]


def test_dates_intervals_and_pairs_are_levels_by_their_text(tmp_path):
    """Any unit of time is the same level, and a saved run knows them."""
    day = pd.to_datetime(RNG.choice(["2020-02-01", "2021-03-01", "2022-04-01"], 120))
    frame = pd.DataFrame(
        {"day": pd.Categorical(day), "when": day, "size": pd.cut(RNG.normal(size=120), 3)}
    )
    frame["pair"] = pd.Categorical([(1, int(k)) for k in RNG.integers(0, 3, 120)])
    y = frame["day"].cat.codes + 3 * frame["size"].cat.codes + RNG.normal(size=120)
    model = cb.RandomizedGBMRegressor(
        n_estimators=20, max_features=None, min_samples_leaf=5, categorical_features=["when"]
    ).fit(frame, y)
    assert model.run_.problem.binning.labels[0] == [
        "2020-02-01 00:00:00",
        "2021-03-01 00:00:00",
        "2022-04-01 00:00:00",
    ]
    model.run_.save(tmp_path / "the.run")
    for unit in ("s", "us", "ns"):
        rows = frame.astype({"when": f"datetime64[{unit}]"})
        np.testing.assert_array_equal(
            cb.load(tmp_path / "the.run").predict(rows), model.predict(frame)
        )
    with pytest.raises(
        ValueError, match=r"categories must be text, numbers, booleans or dates, got \[1\]"
    ):
        bin_columns(pd.DataFrame({"a": [[1], [2]]}), categorical=["a"])


def test_tens_of_thousands_of_levels_of_a_recipe_are_looked_up_once_each(tmp_path):
    """Work that grows with the square of their number would take more than a second."""
    n = 15_000
    frame = pd.DataFrame({"town": [f"t{k}" for k in range(n)] * 2, "y": RNG.normal(size=2 * n)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    recipe = cb.data.read_table(tmp_path / "t.csv", target="y").recipe
    start = time.process_time()
    X = recipe.numbers(frame)
    assert time.process_time() - start < 0.5
    assert X.shape == (2 * n, n) and X.sum() == 2 * n


@pytest.mark.parametrize(
    "categories",
    [
        [f"c{k}" for k in range(500)],
        list(range(500)),
        [0.5, True, "x", *range(2, 499)],
        list(pd.date_range("2020", periods=500)),
        list(pd.interval_range(0, 500)),
    ],
    ids=["text", "whole numbers", "mixed", "dates", "intervals"],
)
def test_declared_categories_without_rows_change_no_bin(categories):
    code = RNG.integers(0, 60, 400) * 8
    code[::9] = -1
    column = pd.Series(pd.Categorical.from_codes(code, categories))
    binned, binning = bin_columns(pd.DataFrame({"c": column}))
    few, few_binning = bin_columns(pd.DataFrame({"c": column.cat.remove_unused_categories()}))
    assert np.array_equal(binned.codes, few.codes)
    assert (binning.labels, binning.of_objects) == (few_binning.labels, few_binning.of_objects)
    new = pd.DataFrame({"c": pd.Categorical.from_codes([8, 16, 1, -1], categories)})
    assert np.array_equal(binning.bin(new).codes, few_binning.bin(new).codes)
