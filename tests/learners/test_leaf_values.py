"""Leaf values of trees: no leaf raises the loss of its rows, whatever the loss, its weights,
offsets and rare groups.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import coordboost as cb
from coordboost.engine.rounds import solve_rounds
from coordboost.losses import (
    Exponential,
    Gamma,
    Huber,
    Logistic,
    Poisson,
    Quantile,
    Squared,
    Tweedie,
)

N = 240
GROUP = np.zeros((5000, 1))
GROUP[:20] = 1


class LogCosh(NamedTuple("_LogCosh", []), cb.losses.Loss):
    """A smooth loss of a user's own, with second derivatives and without a bound of its third
    ones.
    """

    location = True

    def value(self, y, f):
        return abs(y - f) + math.log1p(math.exp(-2 * abs(y - f)))

    def residual(self, y, f):
        return math.tanh(y - f)

    def curvature(self, y, f):
        return 1 - math.tanh(y - f) ** 2


class Steep(NamedTuple("_Steep", []), cb.losses.Loss):
    """The squared loss times 50: a step of the mean residual is 50 times too long."""

    location = True
    sigma = 50.0

    def value(self, y, f):
        return 25 * (y - f) ** 2

    def residual(self, y, f):
        return 50 * (y - f)


LOSSES = {
    "squared": (Squared(), "numbers"),
    "huber": (Huber(0.1), "numbers"),
    "quantile": (Quantile(0.9), "numbers"),
    "logistic": (Logistic(), "labels"),
    "ridge": (Logistic(0.1), "labels"),
    "exponential": (Exponential(), "labels"),
    "poisson": (Poisson(), "counts"),
    "gamma": (Gamma(), "amounts"),
    "tweedie": (Tweedie(1.9), "counts"),
    "own": (LogCosh(), "numbers"),
    "steep": (Steep(), "numbers"),
}


def drawn(kind, seed):
    """A table with a rare group, weights over six orders of magnitude and offsets; targets of this
    kind.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3)).round(1)
    X[:, 2] = np.arange(N) < 8
    rare = X[:, 2] == 1
    y = {
        "numbers": np.where(rare, 1e3, X[:, 0]) + rng.standard_t(1.5, N),
        "labels": np.where(rng.random(N) < np.where(rare, 0.5, 0.02), 1.0, -1.0),
        "counts": rng.poisson(np.where(rare, 200.0, 0.02)) * 1.0,
        "amounts": rng.gamma(0.5, size=N) * np.where(rare, 1e-3, 1.0) + 1e-9,
    }[kind]
    y[:2] = {"labels": (1.0, -1.0), "counts": (1.0, 0.0)}.get(kind, y[:2])
    return X, y, 10.0 ** rng.uniform(-3, 3, N), 3 * rng.normal(size=N)


def newton_of(loss):
    return (False, True) if loss.curvature else (False,)


@pytest.mark.parametrize("name", LOSSES)
def test_no_step_raises_the_loss(name):
    """Steps of a rate of 1 over plain and Newton trees, with and without weights, offset and
    monotone constraints.
    """
    loss, kind = LOSSES[name]
    for seed, newton in itertools.product(range(2), newton_of(loss)):
        X, y, weight, offset = drawn(kind, seed)
        for given, limits in itertools.product(
            ({}, {"sample_weight": weight, "offset": offset}),
            ({"max_leaves": 8}, {"max_depth": 2, "monotone": [1, -1, -1]}),
        ):
            problem = cb.Problem(cb.data.trees(X, newton=newton, **limits), y, loss, **given)
            run = cb.solve(problem, cb.gbm(1.0), 12, compile=False)
            losses = run.losses
            assert (np.diff(losses) <= 1e-12 * abs(losses[:-1])).all(), (
                newton,
                given.keys(),
                limits,
            )
            assert losses[-1] < losses[0], (newton, given.keys(), limits)


@pytest.mark.parametrize(
    "name", [name for name, (loss, _) in LOSSES.items() if loss.curvature and name != "own"]
)
def test_no_leaf_raises_the_loss_of_its_rows(name):
    loss, kind = LOSSES[name]
    X, y, weight, offset = drawn(kind, 2)
    for newton in newton_of(loss):
        problem = cb.Problem(
            cb.data.trees(X, newton=newton), y, loss, sample_weight=weight, offset=offset
        )
        rate = 1.0 if newton or loss.sigma is None else 1 / loss.sigma
        run = cb.solve(problem, cb.methods.gcd(cb.rules.FittedStep(rate)), 5, compile=False)
        before = None
        for state in run.replay(range(6)):
            pred = state.pred
            if before is not None:
                tree = run.problem.dictionary.tree(state.k - 1)
                leaf = tree.apply(run.problem.dictionary.binned.codes)
                losses = [
                    [loss.value(*pair) for pair in zip(problem.y, problem.base + at, strict=True)]
                    for at in (before, pred)
                ]
                terms = weight * np.diff(losses, axis=0)[0]
                rises = np.bincount(leaf, terms)
                assert (
                    rises <= 1e-12 * np.bincount(leaf, np.abs(terms)) + 1e-12 * abs(state.loss)
                ).all()
            before = pred


@pytest.mark.parametrize("newton", [None, False])
def test_a_rare_group_of_counts_reaches_its_mean(newton):
    y = GROUP[:, 0].copy()
    y[-1] = 1
    model = cb.RandomizedGBMRegressor(loss=Poisson(), newton=newton).fit(GROUP, y)
    assert (np.diff(model.train_score_) >= 0).all()
    np.testing.assert_allclose(model.predict([[1.0]]), 1.0, rtol=0.02)


def test_a_rare_class_keeps_its_rate_and_early_stopping_its_trees():
    rng = np.random.default_rng(1)
    x = np.zeros((20_060, 1))
    x[:60] = 1
    y = rng.random(len(x)) < np.where(x[:, 0] == 1, 0.5, 0.001)
    model = cb.RandomizedGBMClassifier(newton=True, early_stopping=True, random_state=0).fit(x, y)
    assert model.n_iter_ > 0
    np.testing.assert_allclose(model.predict_proba([[1.0]])[0, 1], y[:60].mean(), atol=0.1)
    assert model.predict_proba([[0.0]])[0, 1] < 0.002


def test_amounts_in_two_units_stay_in_range():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 3))
    y = rng.gamma(2.0, size=2000) * np.where(X[:, 0] > 0, 1.0, 1e-3)
    model = cb.RandomizedGBMRegressor(loss=Gamma(), random_state=0, learning_rate=0.5).fit(X, y)
    assert (np.diff(model.train_score_) >= -1e-12).all()
    assert model.predict(X).min() > 1e-4 and model.predict(X).max() < 10


@pytest.mark.parametrize("factor", [1e-6, 1 / 300, 2.0**40])
@pytest.mark.parametrize(
    "kind",
    [
        lambda: cb.RandomizedGBMClassifier(newton=True, random_state=0, n_estimators=20),
        lambda: cb.RandomizedGBMClassifier(random_state=0, n_estimators=20),
        lambda: cb.AcceleratedGBMClassifier(random_state=0, n_estimators=20),
        lambda: cb.RegularizedGBMClassifier(random_state=0, n_estimators=20),
        lambda: cb.RandomizedGBMRegressor(loss=Poisson(), random_state=0, n_estimators=20),
    ],
    ids=["newton", "randomized", "accelerated", "regularized", "poisson"],
)
def test_defaults_have_no_unit_of_the_weights(kind, factor):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=300) > 0) * 1
    predicted = [
        getattr(model, "predict_proba", model.predict)(X)
        for model in (kind().fit(X, y), kind().fit(X, y, np.full(300, factor)))
    ]
    assert np.ptp(predicted[0], axis=0).max() > 0.1
    np.testing.assert_allclose(predicted[1], predicted[0], rtol=1e-6)


def test_counts_per_million_are_split():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 2))
    counts = rng.poisson(np.exp(X[:, 0]))
    one, other = (
        cb.RandomizedGBMRegressor(loss=Poisson(), random_state=0).fit(X, y)
        for y in (counts, counts * 1e-6)
    )
    np.testing.assert_allclose(other.predict(X), 1e-6 * one.predict(X), rtol=1e-6)


def test_twice_the_weight_is_a_row_twice():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2)).round(1)
    twice = rng.integers(1, 3, 200)
    y = (X[:, 0] + rng.normal(size=200) > 0) * 1
    weighted = cb.RandomizedGBMClassifier(newton=True, random_state=0, min_samples_leaf=1).fit(
        X, y, twice
    )
    copied = cb.RandomizedGBMClassifier(newton=True, random_state=0, min_samples_leaf=1).fit(
        np.repeat(X, twice, 0), np.repeat(y, twice)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-6)


def test_a_tree_without_a_split_is_a_bounded_step_of_the_intercept():
    """Nothing can be split: each step moves all rows alike, and not past the minimum."""
    X = np.zeros((400, 2))
    y = np.zeros(400)
    y[:3] = 1
    for newton in (False, True):
        problem = cb.Problem(
            cb.data.trees(X, newton=newton), np.where(y, 1, -1), Logistic(), center=False
        )
        run = cb.solve(problem, cb.gbm(1.0), 60)
        assert (np.diff(run.losses) <= 0).all() and np.ptp(run.pred) == 0
    rare = np.repeat([0, 1, 2], [200, 197, 3])
    noise = np.random.default_rng(0).normal(size=(400, 2))
    model = cb.RandomizedGBMClassifier(newton=True, min_samples_leaf=150, random_state=0).fit(
        noise, rare
    )
    assert np.abs(model.decision_function(X)).max() < 20
    assert (np.diff(model.train_score_) >= -1e-12).all()


@pytest.mark.parametrize("rate", [1.0, 6.0])
def test_newton_rounds_of_several_classes_lower_the_joint_loss(rate):
    """A rate of 6 is far too long for one class; then all classes take the same part of their
    steps.
    """
    rng = np.random.default_rng(6)
    X = rng.normal(size=(90, 3))
    y = rng.integers(0, 4, 90)
    problems = [
        cb.Problem(cb.data.trees(X, newton=True), np.where(y == k, 1.0, -1.0), Logistic())
        for k in range(4)
    ]
    losses = []

    def note(state):
        losses.append(state.loss)

    runs = solve_rounds(problems, cb.methods.gcd(cb.rules.FittedStep(rate)), 12, stop=[note])
    assert (np.diff(losses) <= 0).all() and losses[-1] < losses[0]
    again = [run.problem.combine(run.beta) for run in runs]
    joint = np.array([run.problem.constant + pred for run, pred in zip(runs, again, strict=True)])
    np.testing.assert_allclose(
        np.log(np.exp(joint).sum(0)).sum() - joint[y, np.arange(90)].sum(), losses[-1], rtol=1e-10
    )


def test_a_leaf_of_quantile_loss_is_the_weighted_quantile_of_its_residuals():
    X, y, weight, _ = drawn("numbers", 7)
    run = cb.solve(
        cb.Problem(cb.data.trees(X, max_depth=2), y, Quantile(0.8), sample_weight=weight),
        cb.rules.Method("quantiles", cb.rules.Greedy(), cb.rules.LeafSearch(1.0)),
        1,
    )
    leaf = run.problem.dictionary.tree(0).apply(run.problem.dictionary.binned.codes)
    for one in np.unique(leaf):
        rows = leaf == one
        order = np.argsort(y[rows])
        share = np.cumsum(weight[rows][order]) / weight[rows].sum()
        assert run.predict(X)[rows][0] == pytest.approx(y[rows][order][np.searchsorted(share, 0.8)])


def test_a_run_that_ends_above_its_start_says_so(tmp_path):
    X, y, _, _ = drawn("numbers", 8)
    with pytest.warns(UserWarning, match="is too long"):
        long = cb.solve(cb.Problem(X, y), cb.forward_stagewise(1e6), 3)
    assert "the loss ends above its start, " in long.message
    assert long.rise == pytest.approx(long.final.loss - long.problem.start_loss, rel=1e-9)
    long.save(tmp_path / "long.run")
    assert cb.load(tmp_path / "long.run").rise == long.rise
    short = cb.solve(cb.Problem(X, y), cb.forward_stagewise(1.0), 3)
    assert short.rise == 0
    assert "above" not in short.message
    problems = [
        cb.Problem(cb.data.trees(X), np.where(np.arange(N) % 3 == k, 1.0, -1.0), Logistic())
        for k in range(3)
    ]
    runs = solve_rounds(problems, cb.methods.gcd(cb.rules.FittedStep(500.0)), 1)
    assert len({run.rise for run in runs}) == 1, "the rise of the joint loss"
    assert runs[0].rise > 0
    assert all(run.message.count("the loss ends above its start") == 1 for run in runs)


def test_estimators_warn_of_a_loss_above_its_start():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(60, 2))
    model = cb.RegularizedGBMRegressor(power=1, bounds=(50.0,), n_estimators=3, min_samples_leaf=5)
    with pytest.warns(ConvergenceWarning, match="the loss ends above its start"):
        model.fit(X, X[:, 0])


@pytest.mark.parametrize(
    "given",
    [
        {"loss": Poisson()},
        {"loss": Huber(0.5)},
        {"loss": Quantile(0.7)},
        {"newton": True},
        {"monotonic_cst": [1, 0, 0]},
    ],
    ids=str,
)
def test_max_delta_step_bounds_the_change_of_a_prediction(given):
    """A tree changes predictions on the link scale by at most learning_rate * max_delta_step, and
    the largest change is that.
    """
    X, y, _, _ = drawn("counts" if given.get("loss") == Poisson() else "numbers", 10)
    model = cb.RandomizedGBMRegressor(
        max_delta_step=0.2, learning_rate=0.5, n_estimators=6, random_state=0, **given
    ).fit(X, y)
    along = np.array([state.pred for state in model.run_.replay(range(7))])
    largest = np.abs(np.diff(along, axis=0)).max()
    assert largest <= 0.1 * (1 + 1e-9) and largest > 0.05
    with pytest.raises(ValueError, match="max_delta_step must be a positive"):
        cb.RandomizedGBMRegressor(max_delta_step=0).fit(X, y)
