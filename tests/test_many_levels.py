"""Columns with more categories than bins: rare categories share a bin, also used for categories that only new rows have."""

import json

import numpy as np
import pandas as pd
import pytest

import coordboost as cb
from coordboost.data import bin_columns

RNG = np.random.default_rng(2)
FEW = pytest.warns(UserWarning, match="share one bin")
#: 400 towns: 40 with 40 rows each, 360 with one or two rows.
TOWN = np.array([f"t{k:03}" for k in np.concatenate([np.repeat(np.arange(40), 40), np.arange(40, 400), np.arange(40, 300)])])
TABLE = pd.DataFrame({"size": RNG.normal(size=len(TOWN)), "town": pd.Categorical(TOWN)})
EFFECT = np.where(np.char.replace(TOWN, "t", "").astype(int) < 40, np.char.replace(TOWN, "t", "").astype(int) % 7, -3.0)
Y = TABLE["size"].to_numpy() + EFFECT


def test_the_most_frequent_have_bins_of_their_own():
    with FEW:
        binned, binning = bin_columns(TABLE)
    count = TABLE["town"].value_counts()
    kept, others = binning.labels[1][:-1], set(TOWN) - set(binning.labels[1])
    assert len(kept) == 254 and kept == sorted(kept) and count[kept].min() >= count[list(others)].max()
    assert set(TOWN[binned.codes[1] == 254]) == others and binned.missing[1] == -1
    assert all(TOWN[i] == kept[code] for i, code in enumerate(binned.codes[1]) if code < 254)


def test_new_levels_are_treated_as_rare_ones_and_missing_values_are_not():
    gone = TABLE.assign(town=TABLE["town"].where(np.arange(len(TOWN)) % 9 > 0))
    with FEW:
        binned, binning = bin_columns(gone)
    assert binned.missing[1] == 255
    new = pd.DataFrame({"size": [0.0] * 4, "town": pd.Categorical(["t001", "elsewhere", None, "t399"])})
    assert binning.bin(new).codes[1].tolist() == [binning.labels[1].index("t001"), 254, 255, 254]
    with FEW:
        _, whole = bin_columns(TABLE)
    assert whole.bin(new).codes[1, 2] == 255  # a code that no training row has


@pytest.mark.parametrize("as_numbers", [False, True])
def test_models_learn_them_and_are_saved(tmp_path, as_numbers):
    X = np.column_stack([TABLE["size"], np.char.replace(TOWN, "t", "").astype(float)]) if as_numbers else TABLE
    model = cb.RandomizedGBMRegressor(max_features=None, categorical_features=[1], n_estimators=200, min_samples_leaf=5, random_state=0)
    with FEW:
        model.fit(X, Y)
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
    assert shape(["nowhere"])[0] == shape(["t399"])[0] != shape([None])[0]
    columns = {"size": TABLE["size"], "town": TOWN.tolist()}
    total = problem.constant + sum(one(columns[name]) for name, one in run.shape_functions().items())
    np.testing.assert_allclose(total, run.predict(TABLE), atol=1e-10)


def test_as_many_levels_as_bins_share_no_bin():
    column = np.arange(255)[:, None]
    binned, binning = bin_columns(column, categorical=[0])
    assert binned.codes[0].tolist() == binning.labels[0] == list(range(255))
    assert binning.bin([[999]]).codes.tolist() == [[255]]
