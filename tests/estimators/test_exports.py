"""Models in the text format of LightGBM, which predicts the same from them."""

import numpy as np
import pandas as pd
import pytest
from lightgbm_file import predicted

import coordboost as cb

RNG = np.random.default_rng(2)
X = RNG.standard_normal((300, 4))
X[:, 3] = RNG.integers(0, 70, 300)
X[RNG.random((300, 4)) < [0.2, 0, 0, 0]] = np.nan
Y = (
    np.where(np.isnan(X[:, 0]), 2.0, X[:, 0])
    + (X[:, 3] % 7 > 3) * X[:, 1]
    + 0.1 * RNG.standard_normal(300)
    + 5
)
NEW = np.vstack([X, np.where(RNG.random(X.shape) < 0.3, np.nan, X + 0.01), np.full((1, 4), 1e9)])
NEW[:, 3] = np.where(np.isnan(NEW[:, 3]), 999, np.round(NEW[:, 3]))


def runs():
    yield "squared", cb.solve(cb.Problem(cb.data.trees(X, max_depth=3), Y), cb.gbm(0.3), 20)
    yield (
        "categories",
        cb.solve(cb.Problem(cb.data.trees(X, max_depth=3, categorical=[3]), Y), cb.gbm(0.3), 20),
    )
    signs = np.where(np.median(Y) < Y, 1.0, -1.0)
    yield (
        "logistic",
        cb.solve(
            cb.Problem(cb.data.trees(X, max_depth=2, newton=True), signs, cb.losses.Logistic()),
            cb.gbm(0.3),
            20,
        ),
    )
    yield "no tree", cb.solve(cb.Problem(cb.data.trees(X), Y), cb.gbm(0.3), 0)
    yield (
        "accelerated",
        cb.solve(cb.Problem(cb.data.trees(X, max_leaves=5), Y), cb.agbm(0.3, 0.1), 20),
    )


@pytest.mark.peers
def test_lightgbm_predicts_the_same():
    lgb = pytest.importorskip("lightgbm")
    for name, run in runs():
        booster = lgb.Booster(model_str=cb.estimators.lightgbm_text(run))
        want = run.predict(NEW)
        np.testing.assert_allclose(
            booster.predict(NEW, raw_score=True), want, rtol=1e-12, err_msg=name
        )
        if name == "logistic":
            np.testing.assert_allclose(booster.predict(NEW), 1 / (1 + np.exp(-want)), rtol=1e-12)
        parts = booster.predict(X, pred_contrib=True)
        np.testing.assert_allclose(parts.sum(axis=1), run.predict(X), rtol=1e-9)
        trees = run.problem.dictionary.trees
        assert booster.num_trees() == max(1, np.count_nonzero(run.beta))
        if name == "squared":
            np.testing.assert_allclose(booster.feature_importance("gain"), gains(trees, 4))


@pytest.mark.peers
def test_the_model_at_an_earlier_step():
    lgb = pytest.importorskip("lightgbm")
    run = cb.solve(cb.Problem(cb.data.trees(X, max_depth=2), Y), cb.gbm(0.3), 12)
    early = cb.solve(cb.Problem(cb.data.trees(X, max_depth=2), Y), cb.gbm(0.3), 5)
    booster = lgb.Booster(model_str=cb.estimators.lightgbm_text(run, early.beta))
    np.testing.assert_allclose(booster.predict(NEW), early.predict(NEW), rtol=1e-12)


@pytest.mark.peers
@pytest.mark.parametrize(
    "model",
    [
        cb.AcceleratedGBMRegressor(
            n_estimators=60, early_stopping=True, random_state=0, learning_rate=0.5
        ),
        cb.AcceleratedGBMRegressor(
            n_estimators=60,
            early_stopping=True,
            random_state=0,
            learning_rate=0.5,
            gamma=0.5,
            correction=1,
        ),
        cb.RandomizedGBMRegressor(
            n_estimators=200, early_stopping=True, random_state=0, learning_rate=1.0
        ),
        cb.AcceleratedGBMClassifier(n_estimators=20),
    ],
    ids=["momentum", "corrected", "randomized", "classes"],
)
def test_an_estimator_at_its_best_iteration(model):
    """Momentum changes all coefficients in every iteration: the exported model is that of the best
    iteration, not of the last.
    """
    lgb = pytest.importorskip("lightgbm")
    classes = isinstance(model, cb.AcceleratedGBMClassifier)
    model.fit(X, np.where(np.median(Y) < Y, "yes", "no") if classes else Y)
    found = lgb.Booster(model_str=model.lightgbm_text()).predict(NEW)
    np.testing.assert_allclose(
        found, model.predict_proba(NEW)[:, 1] if classes else model.predict(NEW), rtol=1e-11
    )
    if not classes:
        steps = model.run_.n_steps // (1 + (getattr(model, "correction", 0) == 1))
        last = lgb.Booster(model_str=cb.estimators.lightgbm_text(model.run_)).predict(NEW)
        assert model.n_iter_ < steps and np.abs(last - found).max() > 1e-6


def test_separate_models_of_classes_are_not_exported_as_one():
    model = cb.RandomizedGBMClassifier(n_estimators=2, multinomial=False).fit(
        X, np.digitize(Y, [4, 6])
    )
    with pytest.raises(ValueError, match="there are 3 models, one for each class"):
        model.lightgbm_text()


@pytest.mark.peers
@pytest.mark.parametrize(
    "given",
    [
        {"early_stopping": True, "learning_rate": 1.0},
        {"categorical_features": [3]},
        {"min_samples_leaf": 200},
    ],
    ids=str,
)
def test_one_model_of_several_classes(given):
    lgb = pytest.importorskip("lightgbm")
    model = cb.RandomizedGBMClassifier(**{"n_estimators": 30, "random_state": 0, **given}).fit(
        X, np.digitize(Y, [4, 6])
    )
    booster = lgb.Booster(model_str=model.lightgbm_text())
    np.testing.assert_allclose(booster.predict(NEW), model.predict_proba(NEW), rtol=1e-9)
    parts = booster.predict(X, pred_contrib=True).reshape(len(X), 3, 5)
    np.testing.assert_allclose(parts.sum(axis=2), model.decision_function(X), rtol=1e-9, atol=1e-12)


@pytest.mark.peers
def test_text_and_other_categories_of_a_data_frame():
    lgb = pytest.importorskip("lightgbm")
    pd = pytest.importorskip("pandas")
    town = RNG.choice(["Oslo", "Bern", "Rome", "Lima"], 300)
    size = RNG.choice([3, 5, 9], 300)
    frame = pd.DataFrame({"x": X[:, 1], "town": pd.Categorical(town), "size": pd.Categorical(size)})
    y = X[:, 1] + 2 * (town == "Bern") - (town == "Rome") + (size == 5)
    model = cb.RandomizedGBMRegressor(n_estimators=30, random_state=0, max_features=None).fit(
        frame, y
    )
    booster = lgb.Booster(model_str=model.lightgbm_text())
    np.testing.assert_allclose(booster.predict(frame), model.predict(frame), rtol=1e-12)
    parts = booster.predict(frame, pred_contrib=True)
    np.testing.assert_allclose(parts.sum(axis=1), model.predict(frame), rtol=1e-9)
    assert np.abs(parts[:, 1]).mean() > np.abs(parts[:, 2]).mean() > 0.1


def gains(trees, d):
    """The gains of all splits by feature."""
    inner = trees.feature >= 0
    return np.bincount(trees.feature[inner], trees.gain[inner], d)


def test_gains_add_up_to_the_decrease_of_the_squared_residual():
    """Without a penalty, the gains of one tree add up to the decrease of the sum of squares."""
    run = cb.solve(cb.Problem(cb.data.trees(X, max_depth=3), Y), cb.gbm(1.0), 1)
    start = ((Y - Y.mean()) ** 2).sum()
    assert gains(run.problem.dictionary.trees, 4).sum() == pytest.approx(
        start - ((Y - run.predict(X)) ** 2).sum(), rel=1e-9
    )
    assert (
        run.problem.dictionary.trees.n_samples[0, 0],
        run.problem.dictionary.tree(0).n_leaves,
    ) == (300, 8)


def test_the_text_of_a_tree_of_a_bank():
    table = np.column_stack([np.array([1.0, 1, 2, 2]), [0, 1, 0, 2]])
    run = cb.solve(
        cb.Problem(cb.data.trees(table, max_depth=1, categorical=[1]), [0.0, 4, 0, 4]),
        cb.gbm(1.0),
        1,
    )
    assert run.problem.dictionary.text(0, by=4.0).splitlines() == [
        "if x1 in {0.0, missing}:",
        "    leaf 0: -2 (2 samples)",
        "else:",
        "    leaf 1: 2 (2 samples)",
    ]


def test_what_cannot_be_exported_is_refused():
    with pytest.raises(ValueError, match="other learners have no leaves"):
        cb.estimators.lightgbm_text(
            cb.solve(cb.Problem(np.eye(3), [1.0, 2, 3]), cb.methods.gcd(), 1)
        )
    y = [1.0, 2, 3, 1]
    for sentence, column in {
        "a column of numbers, got .0.5, 1.5, 2.5. in 'x0'": [0.5, 1.5, 2.5, 0.5],
        "whole numbers from 0 to 16,777,215": [0, -1, 3, 0],
        "give it the dtype category": [0, 2**24, 1, 0],
    }.items():
        run = cb.solve(
            cb.Problem(cb.data.trees(np.transpose([column]), categorical=[0]), y), cb.gbm(1.0), 1
        )
        with pytest.raises(ValueError, match=sentence):
            cb.estimators.lightgbm_text(run)
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-01"])
    for levels in (pd.Categorical(days), pd.cut([1, 2, 3, 1], 3)):
        run = cb.solve(cb.Problem(cb.data.trees(pd.DataFrame({"day": levels})), y), cb.gbm(1.0), 1)
        with pytest.raises(
            ValueError, match="in 'day', which are not text, numbers or booleans: conv"
        ):
            cb.estimators.lightgbm_text(run)


N_ROWS = 400
LEVELS = {
    "year": [2015, 2016, 2019, 2021],
    "one to six": [1, 2, 3, 4, 5, 6],
    "from zero": [0, 1, 2, 3],
    "negative": [-3, -1, 7],
    "fractions": [0.25, 1.5, 2.75],
    "booleans": [True, False],
    "text": ["b", "a", "d", "c"],
    "text of numbers": ["10", "9", "8"],
    "mixed": ["x", 3, 0.5],
}


def levels_table(name, gaps, ordered=False):
    """Return a frame with a column of these levels, new rows with all kinds of levels, and a
    target.
    """
    rng = np.random.default_rng(len(name))
    levels = LEVELS[name]
    codes = rng.integers(0, len(levels), N_ROWS)
    codes = np.where(rng.random(N_ROWS) < 0.1 * gaps, -1, codes)
    unused = [99, *levels] if name != "booleans" else levels
    there = pd.Categorical.from_codes(
        np.where(codes < 0, -1, codes + len(unused) - len(levels)), unused, ordered=ordered
    )
    frame = pd.DataFrame({"size": rng.normal(size=N_ROWS), "level": there})
    effect = np.append(rng.normal(size=len(levels)), 2.0)
    y = effect[codes] + 0.3 * np.where(effect[codes] > 0, frame["size"], 0)
    other = [*levels[::-1], 1234, None, 99]
    new = pd.DataFrame({"size": 0.5, "level": pd.Categorical(other)})
    return frame, new, y


READERS = [
    pytest.param(lambda text, X: predicted(text, X)[:, 0], id="reader"),
    pytest.param(
        lambda text, X: booster_of(text).predict(X, raw_score=True),
        id="LightGBM",
        marks=pytest.mark.peers,
    ),
]


def booster_of(text):
    """Return LightGBM's model of a file."""
    return pytest.importorskip("lightgbm").Booster(model_str=text)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("gaps", [False, True], ids=["no gaps", "gaps"])
@pytest.mark.parametrize("name", LEVELS)
def test_any_levels_of_a_data_frame(name, gaps, read):
    """Known, unused, unseen and missing levels; with missing values in the fit and without."""
    frame, new, y = levels_table(name, gaps, ordered=name == "year")
    model = cb.RandomizedGBMRegressor(
        n_estimators=12, max_features=None, subsample=0.5, random_state=0
    )
    text = model.fit(frame, y).lightgbm_text()
    for X in (frame, new):
        np.testing.assert_allclose(read(text, X), model.predict(X), rtol=1e-11)


RNG_LEVELS = np.random.default_rng(8)
X_LEVELS = [
    X[:, 0],
    RNG_LEVELS.integers(0, 50, 300).astype(float),
    RNG_LEVELS.integers(0, 9, 300).astype(float),
]
for column in X_LEVELS[1:]:
    column[RNG_LEVELS.random(300) < 0.1] = np.nan


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("gaps", [False, True], ids=["no gaps", "gaps"])
def test_categories_in_columns_of_numbers(gaps, read):
    """A table without the dtype category: values are levels, also in a data frame."""
    X = np.column_stack([X_LEVELS[0], *(X_LEVELS[1:] if gaps else np.nan_to_num(X_LEVELS[1:]))])
    model = cb.RandomizedGBMRegressor(
        n_estimators=12,
        max_features=None,
        subsample=0.5,
        categorical_features=[1, 2],
        random_state=0,
    ).fit(X, Y)
    text = model.lightgbm_text()
    new = np.array(
        [[0.1, 3, 5], [0.1, 60, 1], [0.1, np.nan, np.nan], [0.1, -7, 1e9], [np.nan, 0, 0]]
    )
    for rows in (X, new):
        for table in (rows, pd.DataFrame(rows, columns=["x0", "x1", "x2"])):
            np.testing.assert_allclose(read(text, table), model.predict(rows), rtol=1e-11)


@pytest.mark.parametrize("read", READERS)
def test_rare_levels_and_text_without_a_dtype(read):
    """300 levels: the rare ones, unseen and missing ones go where rare ones go."""
    level = RNG_LEVELS.permutation(np.concatenate([np.arange(300), np.arange(250), np.arange(150)]))
    names = np.array([f"t{k}" for k in level])
    frame = pd.DataFrame({"town": names.astype(object), "size": RNG_LEVELS.normal(size=len(level))})
    y = np.where(level < 254, np.sin(level), 4.0) + 0.1 * frame["size"]
    given = {"n_estimators": 12, "max_features": None, "subsample": 0.5, "random_state": 0}
    model = cb.RandomizedGBMRegressor(categorical_features=["town"], **given).fit(frame, y)
    text = model.lightgbm_text()
    new = pd.DataFrame({"town": ["t3", "t299", "nowhere", None], "size": 0.0})
    for X in (frame[:200], new):
        typed = X.astype({"town": "category"})
        np.testing.assert_allclose(read(text, typed), model.predict(X), rtol=1e-11)
    assert len(set(model.predict(new)[1:])) == 1
    gone = frame["town"].where(np.arange(len(frame)) % 5 > 0)
    model.fit(frame.assign(town=gone), np.where(gone.isna(), -9.0, y))
    with pytest.raises(
        ValueError, match="a split by 'town' sends them to different sides: give missing"
    ):
        model.lightgbm_text()
    model.fit(frame.assign(town=gone.fillna("missing")), y)
    typed = frame.assign(town=gone.fillna("missing").astype("category"))
    np.testing.assert_allclose(read(model.lightgbm_text(), typed), model.predict(typed), rtol=1e-11)


LOSSES = [
    cb.losses.Squared(),
    cb.losses.Huber(0.5),
    cb.losses.Quantile(0.3),
    cb.losses.Welsch(),
    cb.losses.Poisson(),
    cb.losses.Gamma(),
    cb.losses.Tweedie(1.4),
    cb.losses.Logistic(),
    cb.losses.Exponential(),
    cb.losses.SmoothZeroOne(0.7),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_every_loss_with_levels(loss, read):
    """Raw predictions, and those on the scale of the target."""
    frame, new, y = levels_table("year", True)
    y = np.where(y > 0, 1.0, -1.0) if loss.two_class else np.exp(y)
    problem = cb.Problem(cb.data.trees(frame, max_depth=3), y, loss)
    run = cb.solve(problem, cb.gbm(0.1), 4, compile=False)
    text = cb.estimators.lightgbm_text(run)
    for X in (frame, new):
        raw = run.predict(X)
        np.testing.assert_allclose(read(text, X), raw, rtol=1e-11, atol=1e-14)
        if read is READERS[1].values[0]:
            mean = loss.mean(raw) if loss.mean else raw
            np.testing.assert_allclose(booster_of(text).predict(X), mean, rtol=1e-11)
            parts = booster_of(text).predict(X, pred_contrib=True)
            np.testing.assert_allclose(parts.sum(axis=1), raw, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "read", [predicted, pytest.param(None, marks=pytest.mark.peers)], ids=["reader", "LightGBM"]
)
def test_several_classes_with_levels(read):
    """One tree for each class in turn."""
    frame, new, y = levels_table("text", True)
    model = cb.RandomizedGBMClassifier(n_estimators=8, max_features=None, random_state=0)
    text = model.fit(frame, np.digitize(y, [-0.3, 0.6])).lightgbm_text()
    for X in (frame, new):
        if read:
            score = np.exp(read(text, X))
            found = score / score.sum(axis=1)[:, None]
        else:
            found = booster_of(text).predict(X)
        np.testing.assert_allclose(found, model.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("read", READERS)
def test_infinities_where_missing_values_are_split_off(read):
    x = np.array([1.0, 2.0, np.inf, -np.inf, np.nan, np.nan, 3.0, np.nan])
    X = x[:, None]
    run = cb.solve(
        cb.Problem(cb.data.trees(X, max_depth=2), np.isnan(x) * 5.0 + (x > 2.5)), cb.gbm(0.5), 3
    )
    np.testing.assert_allclose(
        read(cb.estimators.lightgbm_text(run), X), run.predict(X), rtol=1e-12
    )


def test_a_loaded_run_is_exported_as_the_run_is(tmp_path):
    frame, _, y = levels_table("booleans", True)
    run = cb.solve(
        cb.Problem(cb.data.trees(frame.assign(b=frame["level"].isna())), y), cb.gbm(0.5), 3
    )
    run.save(tmp_path / "the.run")
    text = cb.estimators.lightgbm_text(cb.load(tmp_path / "the.run"))
    assert text == cb.estimators.lightgbm_text(run) and "pandas_categorical:[[true, false]]" in text


NAMES = [
    "a\nb",
    "",
    "a b",
    "a_b",
    '"',
    "{x}",
    "a:b,c",
    "[1]",
    "a\\b",
    "\u2028",
    "\ud800",
    "\x1b]0;",
    "=1+1",
    "café",
    "\t",
    " ",
    "_",
]


def test_names_that_the_format_does_not_have():
    """Each feature has a name of its own, without white space and marks."""
    rows = RNG_LEVELS.normal(size=(50, len(NAMES)))
    y = rows @ np.linspace(1, 2, len(NAMES))
    run = cb.solve(cb.Problem(cb.data.trees(rows, feature_names=NAMES), y), cb.gbm(0.5), 5)
    text = cb.estimators.lightgbm_text(run)
    np.testing.assert_allclose(predicted(text, rows)[:, 0], run.predict(rows), rtol=1e-12)
    (line,) = (line for line in text.splitlines() if line.startswith("feature_names="))
    found = line.removeprefix("feature_names=").split(" ")
    assert found[:4] == ["a_b", "Column_1", "a_b_2", "a_b_3"] and found[12:14] == ["=1+1", "café"]
    assert all(name.isprintable() and not set(name) & set('",:[]{}\\ ') for name in found)


@pytest.mark.peers
def test_lightgbm_reads_any_name():
    rows = RNG_LEVELS.normal(size=(50, len(NAMES)))
    run = cb.solve(
        cb.Problem(cb.data.trees(rows, feature_names=NAMES), rows[:, 0] * rows[:, 1]),
        cb.gbm(0.5),
        5,
    )
    booster = booster_of(cb.estimators.lightgbm_text(run))
    np.testing.assert_allclose(booster.predict(rows), run.predict(rows), rtol=1e-12)
    assert len(booster.dump_model()["feature_names"]) == len(NAMES)
