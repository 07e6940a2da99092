"""Importance of features as bars; scikit-learn's partial dependence of all estimators of trees."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from all_estimators import ESTIMATORS, of_trees, quick
from matplotlib.figure import Figure
from refusal import refused
from sklearn.base import is_classifier
from sklearn.inspection import PartialDependenceDisplay, permutation_importance

import coordboost as cb

plt.switch_backend("Agg")
RNG = np.random.default_rng(7)
N = 200
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, N),
        "town": pd.Categorical(RNG.choice(["Oslo", "Bern", "Rome"], N)),
        "gaps": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "kind": pd.Categorical(RNG.choice([3, 5, 9], N)),
    }
)
Y = (
    0.1 * TABLE["age"]
    + 2.0 * (TABLE["town"] == "Bern")
    + TABLE["gaps"].fillna(1.0)
    + (TABLE["kind"] == 5)
)
TREES = [kind for kind in ESTIMATORS if of_trees(kind)]
Display = cb.plots.ImportanceDisplay


def drawn(model, *rows, **options):
    """The names and lengths of the bars, from top to bottom, and the display."""
    display = Display.from_estimator(model, *rows, ax=Figure().subplots(), **options)
    display.figure_.draw_without_rendering()
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    return names, [bar.get_width() for bar in display.bars_], display


def sorted_by(importances):
    order = np.argsort(-importances, kind="stable")
    return TABLE.columns[order].tolist(), importances[order].tolist()


def test_bars_are_the_importances():
    model = cb.RandomizedGBMRegressor(n_estimators=20, random_state=0).fit(TABLE, Y)
    assert drawn(model)[:2] == sorted_by(model.feature_importances_)
    trees = model.run_.problem.dictionary.trees
    counts = np.bincount(trees.feature[trees.feature >= 0], minlength=4)
    assert drawn(model, kind="splits")[:2] == sorted_by(counts)
    size = np.abs(model.contributions(TABLE).values).mean(axis=0)
    assert drawn(model, TABLE, kind="contributions")[:2] == sorted_by(size)
    options = {"n_repeats": 3, "random_state": 0}
    want = permutation_importance(model, TABLE, Y, **options)
    names, lengths, display = drawn(
        model, TABLE, Y, kind="permutation", permutation_options=options
    )
    assert (names, lengths) == sorted_by(want.importances_mean)
    np.testing.assert_array_equal(display.errors, want.importances_std)
    assert display.bars_.errorbar is not None


def test_linear_models_and_several_classes():
    table = TABLE[["age", "gaps"]].fillna(0.0)
    linear = cb.CertifiedLasso(alpha=0.01).fit(table, Y)
    names, lengths, _ = drawn(linear, table, kind="contributions")
    size = np.abs(linear.coef_ * (table - table.mean())).mean().to_numpy()
    assert names == table.columns[np.argsort(-size)].tolist()
    np.testing.assert_allclose(lengths, -np.sort(-size))
    refused(lambda: Display.from_estimator(linear), "CertifiedLasso has no trees: kind='gain' is")
    refused(lambda: Display.from_estimator(linear, kind="cover"), "kind must be one of 'gain', 's")
    refused(lambda: Display.from_estimator(linear, kind="permutation"), "needs rows: pass X and y")
    refused(lambda: Display.from_estimator(linear, kind="contributions"), "needs rows: pass X")
    model = quick(cb.RandomizedGBMClassifier, max_features=0.5).fit(TABLE, np.digitize(Y, [4, 6]))
    size = np.abs(model.contributions(TABLE).values).mean(axis=0).sum(axis=1)
    assert drawn(model, TABLE, kind="contributions")[:2] == sorted_by(size)


def test_few_bars_and_a_word_about_the_others():
    _, lengths, display = drawn(
        quick(cb.AcceleratedGBMRegressor, n_estimators=40).fit(TABLE, Y),
        n_bars=2,
        title="two",
        color="red",
    )
    assert len(lengths) == 2 and display.ax_.get_title() == "two"
    assert display.ax_.get_xlabel().startswith("share of the gain; ")


def test_a_tree_of_an_estimator_has_its_iteration_as_title():
    model = quick(cb.AcceleratedGBMRegressor, correction=1).fit(TABLE, Y)
    display = cb.plots.TreeDisplay.from_estimator(model, 3, ax=Figure().subplots())
    assert display.ax_.get_title() == "iteration 3"


def test_the_learners_of_a_run_over_trees_are_not_counted():
    model = quick(cb.RandomizedGBMRegressor).fit(TABLE, Y)
    refused(lambda: cb.plots.SelectionDisplay.from_estimator(model), "each step finds a new one: ")


@pytest.mark.parametrize("kind", TREES, ids=lambda kind: kind.__name__)
def test_partial_dependence_of_scikit_learn(kind):
    """On a data frame, with categories and missing values, one feature and two."""
    y = np.digitize(Y, [4.5]) if is_classifier(kind()) else Y
    model = quick(kind).fit(TABLE, y)
    features = ["age", "town", "kind", ("age", "gaps"), ("town", "kind")]
    categories = ["town", "kind"]
    display = PartialDependenceDisplay.from_estimator(
        model, TABLE, features[:3], categorical_features=categories, grid_resolution=4
    )
    found = display.pd_results[1]
    for level, mean in zip(found["grid_values"][0], found["average"][0], strict=True):
        rows = TABLE.assign(town=pd.Categorical([level] * N))
        at = model.predict_proba(rows)[:, 1] if is_classifier(model) else model.predict(rows)
        np.testing.assert_allclose(mean, at.mean())
    PartialDependenceDisplay.from_estimator(model, TABLE, features[3:4], grid_resolution=3)
    PartialDependenceDisplay.from_estimator(
        model, TABLE, features[4:], categorical_features=categories
    )
    plt.close("all")
