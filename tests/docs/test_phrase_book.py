"""The phrase book: run the code of this package in all of its tables."""

import re
from pathlib import Path

import matplotlib
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "phrase-book.md").read_text(encoding="utf-8")
SETUP, *SECTIONS = re.split(r"^## ", PAGE, flags=re.M)
SETUP = re.search(r"```python\n(.*?)```", SETUP, re.S)[1]


def rows_of(section):
    """Return pairs (code of the other program, our code), one for each row of the table."""
    rows = re.findall(r"^\| (.*) \| (.*) \|$", section, re.M)[1:]
    assert all(ours == "none" or re.fullmatch(r"`[^`]+`", ours) for _, ours in rows), (
        "a cell of ours is one piece of code, or none"
    )
    return [(theirs, ours.strip("`")) for theirs, ours in rows]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda one: one.split("\n")[0])
def test_every_row_runs(section, capsys):
    names = {}
    exec(SETUP, names)
    assert len(rows_of(section)) > 5
    for theirs, ours in rows_of(section):
        try:
            if ours != "none":
                exec(ours, names)
        except Exception as error:
            pytest.fail(f"{theirs}: {ours}: {error!r}")
    matplotlib.pyplot.close("all") if hasattr(matplotlib, "pyplot") else None


def test_estimators_that_are_named_whole_have_the_shape_of_their_trees():
    """Where a row names a whole estimator of scikit-learn or LightGBM, ours has trees of the size
    that theirs has by default.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    names = {}
    tried = 0
    exec(SETUP, names)
    shape = ("max_leaf_nodes", "max_depth", "min_samples_leaf", "learning_rate")
    theirs = {name: HistGradientBoostingClassifier().get_params()[name] for name in shape}
    for section in SECTIONS:
        for call, ours in rows_of(section):
            if ours.startswith("trees = "):
                exec(ours, names)
            if re.match(r"`(HistGradientBoosting|LGBM)\w+\(", call):
                model = eval(ours.removeprefix("model = ").partition(".fit(")[0], names)
                assert {name: model.get_params()[name] for name in shape} == theirs, call
                assert (
                    model.get_params()["n_estimators"] == 100
                    and model.get_params()["max_features"] is None
                ), call
                tried += 1
    assert tried == 6
