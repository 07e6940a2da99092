"""Plots of trees: splits and values equal those of the text, samples arrive at the leaf that the
labels give, boxes do not overlap.
"""

import itertools
import re
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from refusal import case, refusals, refused

import coordboost as cb

plt.switch_backend("Agg")
RNG = np.random.default_rng(11)
TABLE = pd.DataFrame(
    {
        "a": RNG.normal(size=400),
        "WIDE NAME OF A COLUMN IN CAPITALS, MORE THAN A LINE": RNG.normal(size=400),
        "kind $x": pd.Categorical(
            RNG.choice(["red and long", "green and long", "blue and long", "grey and long"], 400)
        ),
        "gaps": np.where(RNG.random(400) < 0.3, np.nan, RNG.normal(size=400)),
    }
)
SHIFT = {"red and long": 0.0, "green and long": 9.0, "blue and long": -9.0, "grey and long": 5.0}
Y = (
    TABLE["kind $x"].map(SHIFT).astype(float) * np.sign(TABLE["a"])
    + RNG.normal(size=400) * 5
    + 3 * TABLE["gaps"].isna()
)
DEPTHS = (1, 2, 3, 4, 5)
Display = cb.plots.TreeDisplay


@cache
def run_of(depth):
    """Computed on first use: otherwise every process that imports the tests would compile."""
    return cb.solve(
        cb.Problem(cb.data.trees(TABLE, max_depth=depth, min_samples=2), Y), cb.gbm(rate=0.1), 4
    )


def told(text):
    """Splits, marked by a star where missing values go left, and leaves, in the order of the
    text.
    """
    lines = [line.strip() for line in text.splitlines()]
    splits = [line[3:-1].replace(" or missing", "*") for line in lines if line.startswith("if")]
    return splits, [line.split(": ")[1] for line in lines if line.startswith("leaf")]


def drawn(display):
    """The same, read from the boxes and edges of a plot."""
    splits = []
    leaves = []
    for place, (box, node) in enumerate(zip(display.boxes_, display.nodes, strict=True)):
        words = box.get_text().split("\n")
        if node.leaf:
            leaves.append(f"{words[0]} ({words[1].replace(',', '')})")
        else:
            (yes,) = (
                child for child in display.nodes if (child.parent, child.edge) == (place, "yes")
            )
            splits.append(
                " ".join(words[:-2]) + "*" * (yes.missing and " in " not in " ".join(words))
            )
    return splits, leaves


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_picture_agrees_with_the_text(depth):
    run = run_of(depth)
    for j in range(4):
        display = Display.from_run(run, j, ax=Figure().subplots())
        (splits, leaves), (theirs, there) = (
            drawn(display),
            told(run.problem.dictionary.text(j, run.beta[j])),
        )
        assert leaves == there and len(splits) == len(theirs)
        for ours, other in zip(splits, theirs, strict=True):
            # long lists of categories may be shortened, thresholds not
            assert " in {" in other or not ours.endswith(" ...")
            assert re.fullmatch(".*".join(map(re.escape, ours.split(" ..."))), other)


def test_names_that_look_like_splits():
    """Columns and categories may have names that look like parts of the text."""
    kinds = pd.Categorical(RNG.choice([" or missing", "b:", "if c <= 1 or missing"], 400))
    table = pd.DataFrame({"if a or missing": RNG.normal(size=400), "else:": kinds})
    run = cb.solve(
        cb.Problem(
            cb.data.trees(table, max_depth=2), 9 * table["else:"].cat.codes + table.iloc[:, 0]
        ),
        cb.gbm(rate=0.1),
        1,
    )
    display = Display.from_run(run, 0, ax=Figure().subplots())
    bank = run.problem.dictionary
    splits = [split for split in bank.splits(0) if split is not None]
    inner = [node for node in display.nodes if not node.leaf]
    assert {split.name for split in splits} == set(table) and len(inner) == len(splits)
    for node, split in zip(inner, splits, strict=True):
        assert node.words[0].startswith(split.name) and (split.threshold is None) == (
            split.name == "else:"
        )
        assert f"if {split}:" in bank.text(0)


@pytest.mark.parametrize("depth", DEPTHS)
def test_missing_values_follow_the_edges(depth):
    run = run_of(depth)
    total = 0.0
    gone = pd.DataFrame({name: TABLE[name].iloc[:1].where([False]) for name in TABLE})
    for j in range(4):
        nodes = Display.from_run(run, j, ax=Figure().subplots()).nodes
        at = 0
        while not nodes[at].leaf:
            (at,) = (k for k, node in enumerate(nodes) if node.parent == at and node.missing)
        total += float(nodes[at].words[0])
    # six digits for each leaf
    assert run.predict(gone)[0] - run.problem.constant == pytest.approx(total, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("panel", [None, (4.4, 3.6), (12, 3)], ids=["own", "small", "flat"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_boxes_lie_apart_and_inside(depth, panel):
    ax = None if panel is None else Figure(figsize=panel, layout="constrained").subplots()
    display = Display.from_run(run_of(depth), 1, ax=ax)
    display.figure_.draw_without_rendering()
    inside = display.ax_.get_window_extent().padded(1)
    boxes = [text.get_bbox_patch().get_window_extent() for text in display.boxes_]
    assert all(inside.contains(*corner) for box in boxes for corner in (box.min, box.max))
    edges = [
        text.get_window_extent()
        for text in display.ax_.texts
        if text not in display.boxes_ and text.get_text()
    ]
    assert len(boxes) == len(display.nodes) and len(edges) >= len(boxes) - 1
    # half a pixel of tolerance, as text extents are whole pixels
    assert not any(
        one.padded(-0.5).overlaps(other.padded(-0.5))
        for one, other in itertools.combinations(boxes + edges, 2)
    )
    plt.close("all")


def test_the_tree_of_an_iteration_has_its_values_in_the_model():
    model = cb.RandomizedGBMRegressor(n_estimators=4, max_depth=2, max_features=None).fit(
        TABLE[["a", "gaps"]], Y
    )
    display = Display.from_estimator(model, 2, ax=Figure().subplots(), title="the second")
    j = model.run_.path.learner[1]
    assert drawn(display)[1] == told(model.run_.problem.dictionary.text(j, model.run_.beta[j]))[1]
    assert display.ax_.get_title() == "the second"
    refused(lambda: Display.from_estimator(model, 5), "iteration must be from 1 to 4")


LINES = cb.solve(
    cb.Problem(RNG.normal(size=(20, 2)), np.arange(20.0)),
    cb.forward_stagewise(0.25),
    3,
    compile=False,
)


test_what_is_refused = refusals(
    case("columns", lambda: Display.from_run(LINES), "are not trees"),
    case("too many", lambda: Display.from_run(run_of(1), 4), "from 0 to 3, got 4"),
    case("before", lambda: Display.from_run(run_of(1), -1), "from 0 to 3, got -1"),
)
