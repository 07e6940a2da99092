"""Columns of categories with more levels than a feature has bins: their pages are features."""

import pickle
from itertools import pairwise

import lightgbm_file
import numpy as np
import pandas as pd
import pytest
from reference_trees import naive_tree

import coordboost as cb
from coordboost.data import bin_columns
from coordboost.reporting.pages import judged

RNG = np.random.default_rng(66)
RULE = {"min_samples_category": 3, "max_split_categories": 4, "category_smoothing": 2.0}


def levels_of(n_levels, n):
    """The levels of n rows: each at least twice, most of them more often."""
    drawn = RNG.integers(0, n_levels, n - 2 * n_levels) * RNG.integers(0, 2, n - 2 * n_levels)
    return RNG.permutation(np.concatenate([np.arange(n_levels), np.arange(n_levels), drawn]))


def by_hand(level, min_samples):
    """The pages of a column: 254 levels each, the most frequent ones first, and all others."""
    count = np.bincount(level)
    order = np.argsort(-count, kind="stable")
    n_pages = -(-np.sum(count >= min_samples) // 254)
    pages = []
    for k in range(n_pages):
        own = np.sort(order[254 * k : 254 * (k + 1)])
        pages.append(np.where(np.isin(level, own), np.searchsorted(own, level), len(own)))
    return np.array(pages, dtype=float).T


@pytest.mark.parametrize("n_levels", [256, 400, 508, 1000])
def test_each_level_has_a_bin_of_its_own_on_one_page(n_levels):
    level = levels_of(n_levels, 3 * n_levels)
    frame = pd.DataFrame({"town": level, "size": RNG.normal(size=len(level))})
    binned, binning = bin_columns(frame, categorical=["town"], min_samples_category=1)
    pages = binned.codes[:-1]
    assert binning.column.tolist() == [0] * len(pages) + [1]
    assert binning.column_names == ["town", "size"]
    assert len(pages) == -(-n_levels // 254)
    others = binned.n_bins[:-1, None] - 1
    assert (np.sum(pages != others, axis=0) == 1).all()
    for g, labels in enumerate(binning.labels[:-1]):
        own = pages[g] != others[g]
        assert level[own].tolist() == [labels[code] for code in pages[g][own]]
    new = binning.bin(pd.DataFrame({"size": [0.0, 1.0], "town": [n_levels + 5, None]}))
    assert (new.codes[:-1] == others).all()


def test_rare_levels_have_no_page_of_their_own():
    """They are not chosen in a split, so there is nothing to warn of."""
    level = np.concatenate([np.repeat(np.arange(300), 5), np.arange(300, 900)])
    binned, _ = bin_columns(level[:, None], categorical=[0], min_samples_category=5)
    assert binned.n_features == 2
    shared = (binned.codes == binned.n_bins[:, None] - 1).all(axis=0)
    assert (np.flatnonzero(shared) >= 1500).all()


def test_more_levels_than_pages_share_a_bin_with_a_warning():
    level = np.arange(16 * 254 + 9)
    with pytest.warns(UserWarning, match=r"more than 4,064 categories: .* 0.22 % of the rows"):
        binned, _ = bin_columns(level[:, None], categorical=[0], min_samples_category=1)
    assert binned.n_features == 16


@pytest.mark.parametrize("logistic", [False, True])
@pytest.mark.parametrize("n_levels", [400, 1000])
def test_trees_are_those_of_a_search_on_the_samples(n_levels, logistic):
    level = levels_of(n_levels, 6 * n_levels)
    n = len(level)
    X = np.column_stack([level, RNG.integers(0, 9, n)]).astype(float)
    effect = RNG.normal(size=n_levels)
    effect[np.argsort(-np.bincount(level), kind="stable")[:254]] *= 0.05  # the first page
    score = effect[level] + 0.05 * X[:, 1]
    y = np.where(score > 0.3, 1.0, -1.0) if logistic else score
    loss = cb.losses.Logistic() if logistic else cb.losses.Squared()
    limits = {"max_depth": 5, "l2": 0.5, **RULE}
    family = cb.data.trees(X, newton=logistic, min_weight=0.0, categorical=[0], **limits)
    run = cb.solve(cb.Problem(family, y, loss), cb.gbm(1.0), 1)
    start = run.problem.constant
    p = 1 / (1 + np.exp(-start))
    target = (y > 0) - p if logistic else y - start
    weight = np.full(n, p * (1 - p)) if logistic else np.ones(n)
    pages = by_hand(level, 3)
    table = np.column_stack([pages, X[:, 1]])
    d = table.shape[1]
    known = limits | {"max_leaves": None, "min_samples": 1, "min_weight": 0.0, "min_gain": 0.0}
    numbers = range(d - 1), [0] * d, [0] * d
    features, leaves = naive_tree(table, target, weight, *numbers, known)
    tree = run.problem.dictionary.tree(0)
    assert tree.feature.tolist() == features
    assert max(set(features) - {d - 1}) > 0  # not only the first page
    for rows, value in leaves:
        value = np.sign(value) * np.log1p(abs(value)) if logistic else value
        np.testing.assert_allclose(run.pred[rows], value, rtol=1e-9)


def town_table(n=3000, n_levels=600):
    level = levels_of(n_levels, n)
    town = np.char.add("t", level.astype(str)).astype(object)
    town[::50] = None
    kind = RNG.integers(0, 5, n)
    frame = pd.DataFrame(
        {"size": RNG.normal(size=n), "town": pd.Categorical(town), "kind": pd.Categorical(kind)}
    )
    y = RNG.normal(size=n_levels)[level] * (1 + (kind == 2)) + frame["size"].to_numpy()
    return frame, y


FRAME, Y = town_table()
NEW = FRAME.iloc[:60].assign(town=pd.Categorical(["nowhere", None, *FRAME["town"].iloc[2:60]]))
GIVEN = {"n_estimators": 30, "min_samples_leaf": 5, "random_state": 0, **RULE}


def fitted(**options):
    return cb.RandomizedGBMRegressor(**GIVEN | options).fit(FRAME, Y)


def test_models_speak_of_the_columns_of_the_table():
    model = fitted(max_depth=None)
    binning = model.run_.problem.binning
    assert binning.n_features == 4
    assert model.feature_importances_.shape == (3,) and model.feature_importances_[1] > 0.4
    assert model.contributions(NEW).values.shape == (60, 3)
    assert cb.plots.ImportanceDisplay.from_estimator(model).names.count("town") == 1
    one = fitted(max_features=1)
    trees = one.run_.problem.dictionary.trees
    columns = [set(binning.column[row[row >= 0]].tolist()) for row in trees.feature]
    assert all(len(some) <= 1 for some in columns)
    several = [row for row in trees.feature if len(set(row[row >= 0])) > 1]
    assert several  # all pages of a column are drawn together
    with pytest.raises(ValueError, match="a number of features from 1 to 3"):
        fitted(max_features=4)
    fitted(monotonic_cst=[1, 0, 0], interaction_cst=[[0, 1], [2]])
    with pytest.raises(ValueError, match="monotonic_cst"):
        fitted(monotonic_cst=[1, 0, 0, 0, 0])


@pytest.mark.parametrize("kind", [cb.RandomizedGBMRegressor, cb.RandomizedGBMClassifier])
def test_files_exports_and_threads_have_the_same_predictions(tmp_path, kind):
    frame = FRAME.assign(town=FRAME["town"].cat.add_categories(["none"]).fillna("none"))
    new = NEW.assign(town=NEW["town"].cat.add_categories(["none"]).fillna("none"))
    y = Y if kind is cb.RandomizedGBMRegressor else (Y > 0).astype(int)
    models = [kind(**GIVEN, n_jobs=n).fit(frame, y) for n in (1, 2)]
    models[0].run_.save(tmp_path / "the.run")
    runs = [models[0].run_, models[1].run_, cb.load(tmp_path / "the.run")]
    assert len({run.predict(new).tobytes() for run in runs}) == 1
    again = pickle.loads(pickle.dumps(models[0]))
    assert again.predict(new).tobytes() == models[0].predict(new).tobytes()
    score = runs[0].predict(new)
    text = models[0].lightgbm_text()
    np.testing.assert_allclose(lightgbm_file.predicted(text, new)[:, 0], score, rtol=1e-9)


def test_columns_larger_than_memory_have_the_same_bits(tmp_path):
    level = levels_of(700, 2500)
    X = np.column_stack([level, RNG.normal(size=2500)])
    y = RNG.normal(size=700)[level] + X[:, 1]
    np.save(tmp_path / "x.npy", np.asfortranarray(X))
    stored = cb.data.open_columns(tmp_path / "x.npy")
    given = {"categorical": [0], "max_depth": 4, **RULE}
    families = cb.data.trees(X, **given), cb.data.trees(stored, file=tmp_path / "c.npy", **given)
    runs = [cb.solve(cb.Problem(family, y), cb.gbm(0.3), 10) for family in families]
    assert runs[0].predict(X).tobytes() == runs[1].predict(X).tobytes()


def test_contributions_are_those_of_columns_by_brute_force():
    """With a background a set of columns is worth the mean prediction of mixed rows."""
    model = fitted(n_estimators=10)
    rows, there = NEW[:6], FRAME[100:108]

    def worth(row, known):
        mixed = there.copy()
        for name in known:
            mixed[name] = pd.Categorical([row[name]] * 8) if name != "size" else row[name]
        return model.predict(mixed).mean()

    found = model.contributions(rows, background=there)
    for i in range(6):
        row = rows.iloc[i]
        want = dict.fromkeys(FRAME.columns, 0.0)
        for order in (
            ("size", "town", "kind"),
            ("size", "kind", "town"),
            ("town", "size", "kind"),
            ("town", "kind", "size"),
            ("kind", "size", "town"),
            ("kind", "town", "size"),
        ):
            known = [order[:k] for k in range(4)]
            for (_, before), (name, after) in pairwise(zip(["", *order], known, strict=True)):
                want[name] += (worth(row, after) - worth(row, before)) / 6
        np.testing.assert_allclose(found.values[i], list(want.values()), rtol=1e-9, atol=1e-12)


def test_shape_functions_and_partial_dependence_are_those_of_columns():
    model = fitted(max_depth=1)
    shapes = model.run_.shape_functions()
    total = model.run_.problem.constant + sum(
        shape(NEW[name].to_numpy(dtype=object)) for name, shape in shapes.items()
    )
    np.testing.assert_allclose(total, model.predict(NEW), rtol=1e-9)
    view, _ = judged.of_estimator(fitted())
    town = next(one for one in view.dependences(view_rows(view)) if one.name == "town")
    assert "other levels" not in town.at
    some = FRAME.iloc[np.unique(np.linspace(0, len(FRAME) - 1, judged.ROWS).astype(int))]
    for name, mean in list(zip(town.at, town.mean, strict=True))[::5]:
        changed = some.assign(town=pd.Categorical([name] * len(some)))
        assert mean == pytest.approx(fitted().predict(changed).mean(), rel=1e-9)


def view_rows(view):
    return view.binning.bin(FRAME)


def test_a_fit_goes_on_after_a_pause():
    model = fitted(warm_start=True, n_estimators=5)
    model.set_params(n_estimators=30).fit(FRAME, Y)
    assert model.predict(NEW).tobytes() == fitted().predict(NEW).tobytes()
