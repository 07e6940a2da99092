"""Held-out losses with defaults: categories as each package takes them, a package that fails, the
section of the page.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from verification.benchmarks import defaults

RNG = np.random.default_rng(0)


def fails(regression, seed):
    raise ImportError("not installed")


def constant(regression, seed):
    return DummyRegressor() if regression else DummyClassifier(strategy="prior")


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(
        defaults, "MODELS", {"coordboost": constant, "LightGBM": constant, "CatBoost": fails}
    )
    X = pd.DataFrame({"number": RNG.standard_normal(60)})
    return defaults.Table("tiny", lambda: (X, np.arange(60) % 2))


def test_a_package_that_fails_is_a_note(tiny):
    ours, peer, failed = defaults.judged(tiny, n_splits=2)["rows"]
    assert ours["loss"] == peer["loss"] == pytest.approx(np.log(2), rel=1e-3)
    assert ours["of_lightgbm"] == 1 and ours["error"] == 0
    assert "loss" not in failed and "not installed" in failed["note"]


def test_the_section_has_a_line_for_each_set_and_the_geometric_means(tiny, monkeypatch):
    failed = defaults.judged(tiny, n_splits=2)
    monkeypatch.setitem(defaults.MODELS, "CatBoost", constant)
    monkeypatch.setattr(defaults, "fitted", lambda estimator, X, y, options: estimator.fit(X, y))
    text = defaults.section([failed, defaults.judged(tiny, n_splits=2)]).splitlines()
    assert text[2].startswith("| tiny | 0.693")
    assert text[2].count("1.000 ± 0.000") == 2 and "| none |" in text[2]
    assert text[4].endswith("complete rows | | 1.000 | 1.000 | 1.000 | |")


def test_a_package_that_takes_too_long_is_a_note(tiny):
    rows = defaults.judged(tiny, n_splits=2, limit=0.0)["rows"]
    assert all("takes" in row["note"] and "loss" not in row for row in rows[:2])


def test_categories_are_handed_over_as_each_package_takes_them():
    levels = pd.Series([f"level {k:03}" for k in range(300)]).astype("category")
    X = pd.DataFrame({"number": np.arange(300.0), "few": levels.str[-1:].astype("category")})
    X["many"] = levels.mask(levels == "level 000")
    assert defaults.as_taken("LightGBM", X)[0].equals(X)
    strings, options = defaults.as_taken("CatBoost", X)
    assert options == {"cat_features": ["few", "many"]} and strings["many"][0] == "missing"
    codes, _ = defaults.as_taken("HistGradientBoosting", X)
    assert codes["few"].dtype == "category" and codes["many"][2] == 1


def test_all_packages_see_the_same_rows_and_no_test_row_is_trained_on():
    y = np.arange(100) % 2
    pairs = list(defaults.splits(np.zeros((100, 1)), y, False, 3))
    assert len(pairs) == 3
    for training, test in pairs:
        assert len(test) == 30 and not set(training) & set(test)
        assert y[test].mean() == 0.5
