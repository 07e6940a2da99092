"""The estimators with trees: scikit-learn's checks, losses, classes, weights, early stopping, warm
starts and refusals.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import coordboost as cb

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 4)).round(1)
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=120)
NAMES = np.array(["blue", "green", "red"])[np.digitize(Y, [-0.5, 0.5])]
WEIGHT = RNG.integers(1, 4, size=120).astype(float)
KINDS = [
    cb.RandomizedGBMRegressor,
    cb.AcceleratedGBMRegressor,
    cb.RandomizedGBMClassifier,
    cb.AcceleratedGBMClassifier,
]
#: Few trees: the checks run without compilation, too.
QUICK = {"n_estimators": 6, "learning_rate": 0.5, "max_depth": 2, "min_samples_leaf": 1}
each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def labels(kind, y=Y, names=NAMES):
    return names if kind.__name__.endswith("Classifier") else y


#: A check gives class weights of 1000 and 1e-4, and wants the lighter class to be predicted rarely,
#: even where single rows are leaves: six Newton steps at this rate reach it.
MEANS = {cb.RandomizedGBMClassifier: {"newton": False}}


@parametrize_with_checks([kind(**QUICK, **MEANS.get(kind, {})) for kind in KINDS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_learning_rate_is_relative_to_the_step_that_smoothness_allows():
    model = cb.RandomizedGBMClassifier(max_features=2, newton=False, random_state=3, **QUICK).fit(
        X, NAMES == "red"
    )
    run = model.run_
    again = cb.solve(
        run.problem,
        cb.rtgcd(select=cb.rules.Groups(2), step=cb.rules.FittedStep(0.5 / 0.25)),
        6,
        rng=run.seed,
    )
    assert (again.path.theta == run.path.theta).all() and run.problem.loss.sigma == 0.25


@pytest.mark.parametrize(
    "loss", [cb.losses.Huber(0.5), cb.losses.Poisson()], ids=lambda loss: type(loss).__name__
)
def test_losses_by_object(loss):
    y = np.abs(Y) + 0.1
    model = cb.RandomizedGBMRegressor(loss=loss, max_features=None, **QUICK).fit(X, y)
    raw = model.run_.predict(X)
    np.testing.assert_array_equal(
        model.predict(X), np.exp(raw) if isinstance(loss, cb.losses.Poisson) else raw
    )
    assert (np.diff(model.train_score_) >= 0).all() and clone(model).loss == loss


@pytest.mark.slow  # compiles another loop
def test_exponential_loss_has_probabilities_too():
    model = cb.RandomizedGBMClassifier(
        loss=cb.losses.Exponential(), max_features=None, **QUICK
    ).fit(X, NAMES == "red")
    odds = np.exp(2 * model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], odds / (1 + odds), rtol=1e-12)


def test_three_classes_are_one_run_each():
    model = cb.RandomizedGBMClassifier(random_state=0, multinomial=False, **QUICK).fit(
        X, NAMES, WEIGHT
    )
    raw = np.column_stack(
        [
            cb.RandomizedGBMClassifier(random_state=0, **QUICK)
            .fit(X, name == NAMES, WEIGHT)
            .decision_function(X)
            for name in ("blue", "green", "red")
        ]
    )
    assert (model.decision_function(X) == raw).all() and (
        model.predict(X) == model.classes_[raw.argmax(axis=1)]
    ).all()
    shares = 1 / (1 + np.exp(-raw))
    np.testing.assert_allclose(
        model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), rtol=1e-12
    )
    assert len(model.runs_) == 3
    with pytest.raises(AttributeError, match="there are 3 runs, one for each class"):
        model.run_  # noqa: B018


@each
def test_frames_with_categories_and_missing_values(kind):
    town = np.array(["Oslo", "Bern", "Rome"])[RNG.integers(3, size=120)]
    size = np.where(RNG.random(120) < 0.2, np.nan, X[:, 1])
    frame = pd.DataFrame({"size": size, "town": pd.Categorical(town), "age": X[:, 2]})
    y = labels(kind, np.where(town == "Oslo", 2.0, 0.0), np.where(town == "Oslo", "north", "south"))
    model = kind(**QUICK).set_params(
        learning_rate=1.0, **({"max_features": None} if "Rand" in kind.__name__ else {})
    )
    model.fit(frame, y)
    assert (
        model.feature_names_in_.tolist() == ["size", "town", "age"] and model.score(frame, y) > 0.9
    )
    unseen = frame.assign(town=pd.Categorical(["Paris"] * 120), size=np.nan)
    assert len(model.predict(unseen)) == 120
    numbers = frame.assign(town=np.unique(town, return_inverse=True)[1]).to_numpy()
    for way in ([False, True, False], [1]):
        other = clone(model).set_params(categorical_features=way).fit(numbers, y)
        assert (other.predict(numbers) == model.predict(frame)).all()


@each
def test_what_scikit_learn_does_with_estimators(kind):
    y = labels(kind)
    model = kind(random_state=1, **QUICK).fit(X, y, WEIGHT)
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(X) == model.predict(X)).all() and (
        copy.train_score_ == model.train_score_
    ).all()
    assert (clone(model).fit(X, y, WEIGHT).predict(X) == model.predict(X)).all()
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_iter_ == 6
    for n, stage in enumerate(stages, 1):
        if n in (1, 4, 6):
            shorter = clone(model).set_params(n_estimators=n).fit(X, y, WEIGHT).predict(X)
            np.testing.assert_allclose(
                stage, shorter, rtol=1e-12
            ) if stage.dtype.kind == "f" else None
            assert stage.dtype.kind == "f" or (stage == shorter).mean() > 0.98
    assert len(model.train_score_) == 7 and model.train_score_[-1] > model.train_score_[0]


@each
def test_sample_weights_are_repetitions(kind):
    """A weight counts the copies of its row; a row of weight 0 is left out, also when the bins are
    made.
    """
    weight = WEIGHT * (np.arange(120) % 5 > 0)
    y = labels(kind)
    times = weight.astype(int)
    one = kind(random_state=0, **QUICK).fit(X, y, weight)
    other = kind(random_state=0, **QUICK).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    for ours, theirs in zip(one._raw_predict(X).T, other._raw_predict(X).T, strict=True):
        # targets are rounded relative to their size, see histogram.py
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert (
        one.run_.problem.n_samples == np.count_nonzero(weight)
        if kind.__name__.endswith("Regressor")
        else True
    )


@each
def test_early_stopping_keeps_the_best_iteration(kind):
    settings = {**QUICK, "n_estimators": 80, "n_iter_no_change": 5, "random_state": 2}
    y = labels(kind, names=NAMES == "red")
    fit = np.arange(80)
    held = np.arange(80, 120)
    model = kind(**settings).fit(X[fit], y[fit], X_val=X[held], y_val=y[held])
    ends = range(0, model.run_.n_steps + 1, model._steps_per_iteration)
    raw = [state.problem.predict(state.beta, X[held]) for state in model.run_.replay(ends)]
    signs = np.where(y[held], 1.0, -1.0) if y.dtype == bool else y[held]
    losses = [
        np.mean([model.run_.problem.loss.value(a, b) for a, b in zip(signs, one, strict=True)])
        for one in raw
    ]
    np.testing.assert_allclose(-model.validation_score_, losses, rtol=1e-10)
    stop = next(
        n
        for n in range(5, len(losses))
        if min(losses[n - 4 : n + 1]) >= losses[n - 5] - 1e-7 * losses[0]
    )
    best = int(np.argmin(losses))
    end = model.run_.n_steps // model._steps_per_iteration
    assert model.n_iter_ == best < end and stop <= end < min(80, stop + 2)
    np.testing.assert_allclose(model._raw_predict(X[held])[:, 0], raw[best], rtol=1e-12)
    assert len(list(model.staged_predict(X))) == best
    shorter = kind(**{**settings, "n_estimators": best}).fit(X[fit], y[fit])
    np.testing.assert_allclose(model._raw_predict(X), shorter._raw_predict(X), rtol=1e-9)


@each
def test_a_warm_start_is_one_longer_fit(kind):
    y = labels(kind)
    whole = kind(random_state=4, **QUICK).fit(X, y)
    model = kind(random_state=4, **{**QUICK, "n_estimators": 2}, warm_start=True).fit(X, y)
    seen = model.predict(X)
    model.set_params(n_estimators=6).fit(X, y)
    assert not np.array_equal(seen, model.predict(X))
    for ours, theirs in zip(model.runs_, whole.runs_, strict=True):
        assert (ours.beta == theirs.beta).all() and (ours.path.theta == theirs.path.theta).all()
    assert (model.predict(X) == whole.predict(X)).all()
    for change, words in [
        ({"max_depth": 3}, "max_depth has changed"),
        ({"n_estimators": 3}, "less than the 6 iterations made"),
    ]:
        with pytest.raises(ValueError, match=words):
            clone(model).fit(X, y).set_params(**change).fit(X, y)
    for table, target, weight in [(X + 1, y, None), (X, y[::-1], None), (X, y, WEIGHT)]:
        with pytest.raises(ValueError, match="X, y, sample_weight or offset have changed"):
            model.fit(table, target, weight)


def test_importances_are_gains():
    """The gain of a split on a centred residual is the squared norm of the fit; trees after the
    best iteration do not count.
    """
    settings = {**QUICK, "max_depth": 1, "max_features": None}
    model = cb.RandomizedGBMRegressor(**settings).fit(
        X, Y, X_val=X[:30], y_val=Y.mean() - 100 * (Y[:30] - Y.mean())
    )
    assert model.n_iter_ == 0 and (model.feature_importances_ == 0).all()
    model = cb.RandomizedGBMRegressor(**settings).fit(X, Y)
    root = model.run_.problem.dictionary.trees.feature[:, 0]
    gains = np.bincount(root, model.run_.path.theta**2, 4)
    # targets are rounded, see histogram.py
    np.testing.assert_allclose(model.feature_importances_, gains / gains.sum(), rtol=1e-9)


def test_a_warm_start_goes_on_after_early_stopping_on_the_same_rows():
    settings = {**QUICK, "random_state": 0, "early_stopping": True, "validation_fraction": 0.3}
    whole = cb.RandomizedGBMRegressor(**{**settings, "n_estimators": 9}, n_iter_no_change=50).fit(
        X, Y
    )
    part = cb.RandomizedGBMRegressor(**settings, n_iter_no_change=50, warm_start=True).fit(X, Y)
    part.set_params(n_estimators=9).fit(X, Y)
    assert (
        part.validation_score_ == whole.validation_score_
    ).all() and part.n_iter_ == whole.n_iter_


@pytest.mark.parametrize("held", [{}, {"X_val": X, "y_val": Y}], ids=["plain", "early"])
def test_a_diverging_run_keeps_its_finite_steps_and_warns(held, monkeypatch):
    # a false smoothness constant: steps are far too long
    monkeypatch.setattr(cb.losses.Squared, "sigma", 0.001)
    with pytest.warns(ConvergenceWarning, match="left the range of float64"):
        model = cb.RandomizedGBMRegressor(
            **{**QUICK, "n_estimators": 150, "n_iter_no_change": 150}
        ).fit(X, Y, **held)
    assert np.isfinite(model.predict(X)).all() and 0 <= model.n_iter_ <= model.run_.n_steps < 150
    assert not held or len(model.validation_score_) == model.run_.n_steps + 1


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"max_features": 0}, "max_features must be a number of features from 1 to 4"),
        ({"max_features": "log2"}, "max_features must be"),
        ({"max_features": True}, "max_features must be"),
        ({"max_features": 1.5}, "max_features must be"),
        ({"learning_rate": 0}, "learning_rate must be between 0 and 2"),
        ({"n_estimators": 0}, "n_estimators must be"),
        ({"loss": "squared"}, "loss must be a loss object"),
        ({"newton": "yes"}, "newton must be"),
        ({"early_stopping": "yes"}, "early_stopping must be"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst must be a number for each"),
    ],
)
def test_bad_parameters_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        cb.RandomizedGBMRegressor(**settings).fit(X, Y)


def test_wrong_losses_and_classes_are_refused():
    with pytest.raises(ValueError, match="Squared is not a loss for classes"):
        cb.RandomizedGBMClassifier(loss=cb.losses.Squared()).fit(X, NAMES)
    with pytest.raises(
        ValueError,
        match="Poisson declares no smoothness constant sigma, which accelerated boosting needs",
    ):
        cb.AcceleratedGBMRegressor(loss=cb.losses.Poisson()).fit(X, np.abs(Y))
    with pytest.raises(ValueError, match="y_val holds the class 'pink', which was not in the fit"):
        cb.RandomizedGBMClassifier(**QUICK).fit(X, NAMES, X_val=X[:2], y_val=["pink", "red"])
    with pytest.raises(ValueError, match=r"non-zero|0 for every row"):
        cb.RandomizedGBMRegressor().fit(X, Y, np.zeros(120))
