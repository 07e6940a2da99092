"""A fit of trees that is watched: sets of rows that are scored in every iteration, with or without
early stopping, and what ``verbose`` prints about them.
"""

import re

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(11)
X = RNG.normal(size=(240, 3)).round(2)
Y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.3 * RNG.normal(size=240)
KINDS = np.array(["lily", "oak", "rose"])[np.digitize(Y, [-0.6, 0.6])]
FIT, ONE, OTHER = slice(0, 140), slice(140, 190), slice(190, 240)
WEIGHT = 1.0 + np.arange(240) % 3
REGRESSORS = [
    cb.RandomizedGBMRegressor,
    cb.AcceleratedGBMRegressor,
    cb.RegularizedGBMRegressor,
    cb.LangevinGBMRegressor,
]


def small(kind=cb.RandomizedGBMRegressor, **settings):
    usual = {"n_estimators": 9, "min_samples_leaf": 5, "random_state": 0}
    return kind(**usual | settings)


def sets_of(y):
    return {"north": (X[ONE], y[ONE]), "south": (X[OTHER], y[OTHER])}


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_sets_are_scored_without_stopping(kind):
    model = small(kind, early_stopping=False).fit(X[FIT], Y[FIT], eval_set=sets_of(Y))
    plain = small(kind).fit(X[FIT], Y[FIT])
    assert model.n_iter_ == model.run_.n_steps // model._steps_per_iteration == 9
    assert model.run_.beta.tobytes() == plain.run_.beta.tobytes()
    assert not hasattr(model, "validation_score_") and not hasattr(plain, "evals_result_")
    assert list(model.evals_result_) == ["north", "south"]
    for name, rows in (("north", ONE), ("south", OTHER)):
        losses = model.evals_result_[name]["loss"]
        assert losses.shape == (10,)
        if kind is not cb.LangevinGBMRegressor:  # which predicts by the mean of a chain
            along = [
                ((Y[rows] - staged) ** 2).mean() / 2 for staged in model.staged_predict(X[rows])
            ]
            np.testing.assert_allclose(losses[1:], along, rtol=1e-10)


def test_the_training_rows_may_be_a_set():
    model = small(early_stopping=False).fit(X, Y, WEIGHT, eval_set=(X, Y), sample_weight_val=WEIGHT)
    np.testing.assert_allclose(
        model.evals_result_["validation"]["loss"], -model.train_score_, rtol=1e-12
    )


@pytest.mark.parametrize("joint", [True, False])
def test_the_last_set_stops_the_fit(joint):
    kind = cb.RandomizedGBMClassifier
    settings = {"multinomial": joint, "n_iter_no_change": 3, "n_estimators": 120}
    pairs = [*sets_of(KINDS).values()]
    weights = [None, WEIGHT[OTHER]]
    several = small(kind, **settings)
    several.fit(X[FIT], KINDS[FIT], eval_set=pairs, sample_weight_val=weights)
    alone = small(kind, **settings)
    alone.fit(X[FIT], KINDS[FIT], eval_set=[pairs[1]], sample_weight_val=[weights[1]])
    assert list(several.evals_result_) == ["validation_0", "validation_1"]
    assert list(alone.evals_result_) == ["validation"]
    last = several.evals_result_["validation_1"]["loss"]
    assert several.n_iter_ == alone.n_iter_ == last.argmin() < 120
    np.testing.assert_array_equal(last, -several.validation_score_)
    np.testing.assert_array_equal(last, alone.evals_result_["validation"]["loss"])
    first = several.evals_result_["validation_0"]["loss"]
    assert first.shape == last.shape
    chosen = several.predict_proba(X[ONE])[np.arange(50), several.classes_.searchsorted(KINDS[ONE])]
    if joint:
        assert first[several.n_iter_] == pytest.approx(-np.log(chosen).mean(), rel=1e-10)


def test_names_are_those_given():
    pairs = [*sets_of(Y).values()]
    model = small(early_stopping=False).fit(X, Y, eval_set=pairs, eval_names=["a", "b"])
    assert list(model.evals_result_) == ["a", "b"]
    model.fit(X, Y, X_val=X[ONE], y_val=Y[ONE])
    assert list(model.evals_result_) == ["validation"]
    held = small(early_stopping=True).fit(X, Y)
    losses = held.evals_result_["validation"]["loss"]
    np.testing.assert_array_equal(losses, -held.validation_score_)
    assert not hasattr(small(early_stopping=False).fit(X, Y), "evals_result_")


def test_a_fit_that_goes_on_is_scored_as_one():
    whole = small(n_estimators=14, early_stopping=False).fit(X, Y, eval_set=sets_of(Y))
    part = small(n_estimators=6, early_stopping=False, warm_start=True)
    part.fit(X, Y, eval_set=sets_of(Y))
    part.set_params(n_estimators=14).fit(X, Y, eval_set=sets_of(Y))
    for name, seen in whole.evals_result_.items():
        np.testing.assert_array_equal(part.evals_result_[name]["loss"], seen["loss"])


def test_verbose_prints_the_losses(capsys):
    model = small(verbose=4, early_stopping=False).fit(X, Y, eval_set=sets_of(Y))
    lines = capsys.readouterr().out.splitlines()
    found = [
        re.fullmatch(
            r"(last )?iteration (\d+): mean loss train (\S+), north (\S+), south (\S+), "
            r"best (\S+) at iteration (\d+), \S+ s",
            line,
        )
        for line in lines
    ]
    assert [line[2] for line in found] == ["0", "4", "8", "9"]
    assert [bool(line[1]) for line in found] == [False, False, False, True]
    curves = [-model.train_score_, *(seen["loss"] for seen in model.evals_result_.values())]
    for line in found:
        k = int(line[2])
        shown = [float(line[i]) for i in (3, 4, 5, 6)]
        expected = [curve[k] for curve in curves] + [curves[-1][: k + 1].min()]
        assert shown == pytest.approx(expected, rel=1e-5)
        assert int(line[7]) == curves[-1][: k + 1].argmin()
    same = small(early_stopping=False).fit(X, Y, eval_set=sets_of(Y))
    assert capsys.readouterr().out == "" and same.run_.beta.tobytes() == model.run_.beta.tobytes()
    refused(lambda: small(verbose=-1).fit(X, Y), "verbose")


def test_verbose_names_classes(capsys):
    model = small(cb.RandomizedGBMClassifier, verbose=9, multinomial=False)
    model.fit(X, KINDS)
    lines = capsys.readouterr().out.splitlines()
    heads = [f"class {name!r}, {what}" for name in ("lily", "oak", "rose") for what in WHAT]
    assert [line.partition(":")[0] for line in lines] == heads
    assert re.fullmatch(r".*: mean loss train \S+, \S+ s", lines[0])
    model.set_params(multinomial=True).fit(X, KINDS, eval_set=(X[ONE], KINDS[ONE]))
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == list(WHAT)


WHAT = ("iteration 0", "iteration 9", "last iteration 9")
PAIR = X[ONE], Y[ONE]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"eval_set": []}, r"must be a pair \(X, y\), a list of pairs, or a dict"),
        ({"eval_set": X}, r"must be a pair \(X, y\), a list of pairs, or a dict"),
        ({"eval_set": [PAIR, (X,)]}, r"must be a pair \(X, y\), a list of pairs, or a dict"),
        ({"eval_set": [PAIR], "eval_names": ["a", "b"]}, "must be 1 different name"),
        ({"eval_set": [PAIR, PAIR], "eval_names": ["a", "a"]}, "must be 2 different name"),
        ({"eval_set": {1: PAIR}}, "must be 1 different name"),
        ({"eval_set": {"a": PAIR}, "eval_names": ["a"]}, "has names already"),
        ({"eval_names": ["a"]}, "there is no eval_set"),
        (
            {"eval_set": [PAIR, PAIR], "sample_weight_val": np.ones(50)},
            "sample_weight_val must be a list with an array for each of the 2 sets",
        ),
        (
            {"eval_set": {"a": PAIR}, "offset_val": {"b": np.ones(50)}},
            "offset_val has an entry for 'b', which is no eval_set",
        ),
        (
            {"eval_set": {"a": PAIR, "b": (X, Y[:3])}},
            "y_val of 'b' must have one entry per row of X_val of 'b': expected 240, got 3",
        ),
        ({"eval_set": {"a": (X[:, :2], Y)}}, "X_val of 'a' has 2 features"),
        (
            {"eval_set": [PAIR, PAIR], "sample_weight_val": [None, np.zeros(50)]},
            "sample_weight_val of 'validation_1' must contain at least one non-zero",
        ),
    ],
)
def test_sets_that_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        small().fit(X, Y, **given)
