"""Times and words are not numbers: unnoticed, times would become nanoseconds, and a missing time
the smallest integer.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusal import refused

import coordboost as cb

Y = np.arange(30.0) ** 2
DAYS = pd.Series(pd.date_range("2024-02-03", periods=30), name="day")
FRAME = pd.DataFrame({"size": np.arange(30.0), "day": DAYS})
TIMES = {
    "days": DAYS,
    "days of a time zone": DAYS.dt.tz_localize("UTC"),
    "durations": DAYS - DAYS[0],
    "array": DAYS.to_numpy(),
    "polars": pl.Series(DAYS.to_numpy()),
}
LEARN = {
    "linear": cb.CertifiedLasso,
    "chosen": lambda: cb.LSBoostRegressorCV(n_steps=5),
    "trees": cb.RandomizedGBMRegressor,
}


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("model", LEARN)
def test_times_are_refused_as_target(model, times):
    refused(lambda: LEARN[model]().fit(FRAME[["size"]], TIMES[times]), "y holds times")


@pytest.mark.parametrize("model", LEARN)
@pytest.mark.parametrize(
    "table",
    [
        FRAME,
        FRAME[["day"]],
        FRAME[["day"]].to_numpy(),
        FRAME.assign(day=DAYS - DAYS[0]),
        pl.from_pandas(FRAME),
    ],
    ids=["among numbers", "alone", "array", "durations", "polars"],
)
def test_times_are_refused_as_columns(model, table):
    named = hasattr(table, "columns")
    assert ("day" if named else "X") in refused(
        lambda: LEARN[model]().fit(table, Y), "to numbers of days"
    )


def test_binning_refuses_times_unless_categorical():
    refused(lambda: cb.data.bin_columns(FRAME), "column 'day' holds times (datetime64")
    assert cb.data.bin_columns(
        FRAME.assign(day=DAYS.where(DAYS.index > 26, DAYS[0])), categorical=["day"]
    )[0].n_bins.tolist() == [30, 4]


@pytest.mark.parametrize("model", [cb.CertifiedLasso, cb.RandomizedGBMRegressor])
@pytest.mark.parametrize(
    "kind", [list, np.array, pd.Series, lambda y: pd.Series(y, dtype="category")]
)
def test_a_regressor_refuses_words_as_target(model, kind):
    assert "'left'" in refused(
        lambda: model().fit(FRAME[["size"]], kind(["left", "right"] * 15)), "y must hold numbers"
    )
    # as in scikit-learn
    numbers = (
        model().fit(FRAME[["size"]], kind([str(number) for number in Y])).predict(FRAME[["size"]])
    )
    np.testing.assert_array_equal(numbers, model().fit(FRAME[["size"]], Y).predict(FRAME[["size"]]))


def test_a_missing_target_among_objects_is_named():
    refused(
        lambda: cb.CertifiedLasso().fit(FRAME[["size"]], [1.0, 2.0, pd.NA] * 10),
        "y must hold numbers, got <NA>; drop or fix its row",
    )
