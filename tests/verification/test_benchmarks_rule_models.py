"""Held-out errors of models of rules: what is not installed is said, sizes are counted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from verification.benchmarks import rule_models
from verification.benchmarks.defaults import Table

RNG = np.random.default_rng(0)


def constant(regression):
    return DummyClassifier(strategy="prior"), lambda model: 7


def absent(regression):
    import no_such_package  # noqa: F401


@pytest.fixture
def tiny(monkeypatch):
    frame = pd.DataFrame(
        {"number": RNG.integers(0, 4, 60), "town": pd.Categorical(["a", "b"] * 30)}
    )
    models = {"ours, best": rule_models.best, "LightGBM": constant, "EBM": absent}
    monkeypatch.setattr(rule_models, "MODELS", models)
    return Table("tiny", lambda: (frame, np.arange(60) % 2))


def test_errors_sizes_and_what_is_not_installed_are_in_the_section(tiny):
    table = rule_models.judged(tiny, n_splits=2)
    ours, peer, missing = table["rows"]
    assert ours["error"] == 0 and ours["size"] == 1
    assert peer["error"] == 50 and peer["size"] == 7
    assert missing["note"] == "no_such_package is not installed" and "error" not in missing
    lines = rule_models.section([table]).splitlines()
    assert lines[0] == "| set | ours, best | LightGBM | EBM |"
    line = "| tiny, error, % | 0 (1) | 50 (7) | no_such_package is not installed |"
    assert lines[2] == line


def test_rulefit_gets_numbers_without_gaps_and_names_that_are_words():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "town": pd.Categorical(["a", None, "b"])})
    numbers = rule_models.as_taken("RuleFit", frame)
    assert numbers.columns.tolist() == ["x0", "x1", "x2"] and not numbers.isna().any().any()
    assert rule_models.as_taken("EBM", frame) is frame
