"""Three or more classes in one model of trees: rounds equal a NumPy loop, losses equal
scikit-learn's, everything uses the joint loss.
"""

import re

import numpy as np
import pytest
from plain_newton import PlainNewton
from scipy.special import log_softmax, logsumexp
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import coordboost as cb
from coordboost.engine.rounds import solve_rounds
from coordboost.losses.multinomial import multinomial_losses, offsets_beside

X, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["blue", "green", "red"])[SPECIES]
RNG = np.random.default_rng(0)
WEIGHT = RNG.integers(1, 4, len(X)).astype(float)
MIXED = RNG.permutation(len(X))
HELD = MIXED[:40]
FIT = MIXED[40:]


def small(**given):
    return cb.RandomizedGBMClassifier(
        **{"n_estimators": 12, "max_depth": 2, "min_samples_leaf": 5, "random_state": 0, **given}
    )


def mean_loss(score, y, weight=None):
    return np.average(-log_softmax(score, axis=1)[np.arange(len(y)), y], weights=weight)


def best_stump(r, weight):
    """The fit with the largest decrease of the weighted sum of squares, over all cuts with at least
    5 rows on each side.
    """
    best, gain = None, 0.0
    for x in X.T:
        values = np.unique(x)
        for cut in (values[1:] + values[:-1]) / 2:
            left = x <= cut
            if min(left.sum(), (~left).sum()) >= 5:
                fit = np.where(
                    left,
                    np.average(r[left], weights=weight[left]),
                    np.average(r[~left], weights=weight[~left]),
                )
                if weight @ fit**2 > gain * (1 + 1e-12):
                    best = fit
                    gain = weight @ fit**2
    return best


@pytest.mark.parametrize("weight", [np.ones(len(X)), WEIGHT], ids=["even", "weights"])
def test_rounds_of_stumps_equal_a_numpy_loop(weight):
    hit = (np.arange(3)[:, None] == SPECIES).astype(float)
    score = np.log(hit @ weight / weight.sum())[:, None] + np.zeros((3, len(X)))
    losses = [mean_loss(score.T, SPECIES, weight)]
    for _ in range(12):
        p = np.exp(score) / np.exp(score).sum(axis=0)
        # all three from the same predictions
        score = score + [4 * 0.3 * best_stump(one, weight) for one in hit - p]
        losses.append(mean_loss(score.T, SPECIES, weight))
    model = small(newton=False, max_depth=1, max_features=None, learning_rate=0.3)
    model.fit(X, NAMES, weight)
    np.testing.assert_allclose(model.decision_function(X), score.T, rtol=0, atol=1e-10)
    np.testing.assert_allclose(-model.train_score_, losses, rtol=1e-10)
    p = np.exp(score) / np.exp(score).sum(axis=0)
    np.testing.assert_allclose(model.predict_proba(X), p.T, atol=1e-10)
    # after the last round each run has the gradient of the joint loss for its class
    stumps = cb.Problem(cb.data.stumps(X), SPECIES * 1.0, sample_weight=weight)
    for run, away in zip(model.runs_, hit - p, strict=True):
        np.testing.assert_allclose(run.final.resid, weight * away, atol=1e-10)
        largest = max(
            abs(weight @ (away * u)) / np.sqrt(weight @ u**2)
            for x in X.T
            for cut in np.unique(x)[:-1]
            for u in [(x <= cut).astype(float), (x > cut).astype(float)]
        )
        assert np.abs(stumps.scan(run.final.resid)).max() >= largest * (1 - 1e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_held_out_losses_are_those_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    ours = []
    theirs = []
    for seed in range(3):
        fit, new, y_fit, y_new = train_test_split(
            X, y, test_size=0.3, random_state=seed, stratify=y
        )
        limits = {"max_leaf_nodes": 31, "max_depth": None, "max_features": None, "n_estimators": 40}
        like = cb.RandomizedGBMClassifier(loss=PlainNewton(), newton=True, **limits)
        ours.append(log_loss(y_new, like.fit(fit, y_fit).predict_proba(new)))
        model = HistGradientBoostingClassifier(max_iter=40, early_stopping=False).fit(fit, y_fit)
        theirs.append(log_loss(y_new, model.predict_proba(new)))
    np.testing.assert_allclose(np.mean(ours), np.mean(theirs), rtol=0.03)


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_every_round_lowers_the_joint_loss(rate):
    model = small(n_estimators=40, learning_rate=rate).fit(X, RNG.permutation(NAMES))
    assert (np.diff(model.train_score_) > 0).all()


def test_early_stopping_is_of_the_joint_loss():
    y = np.where(RNG.random(len(X)) < 0.2, RNG.permutation(SPECIES), SPECIES)
    model = small(n_estimators=200, n_iter_no_change=4, learning_rate=0.5)
    model.fit(X[FIT], y[FIT], X_val=X[HELD], y_val=y[HELD], sample_weight_val=WEIGHT[HELD])
    score = model.validation_score_
    assert model.n_iter_ == np.argmax(score) < 200 and {run.n_steps for run in model.runs_} == {
        len(score) - 1
    }
    assert "EarlyStopping ended the run" in model.runs_[0].message
    longer = small(n_estimators=len(score) - 1, learning_rate=0.5).fit(X[FIT], y[FIT])
    along = [
        -mean_loss(np.log(p), y[HELD], WEIGHT[HELD]) for p in longer.staged_predict_proba(X[HELD])
    ]
    np.testing.assert_allclose(score[1:], along, rtol=1e-10)
    np.testing.assert_array_equal(
        small(n_estimators=model.n_iter_, learning_rate=0.5).fit(X[FIT], y[FIT]).predict_proba(X),
        model.predict_proba(X),
    )


@pytest.mark.parametrize("given", [{}, {"newton": True}, {"subsample": 0.7}], ids=str)
def test_a_run_that_goes_on_is_the_same_run(given):
    model = small(n_estimators=5, warm_start=True, **given).fit(X, NAMES, WEIGHT)
    first = model.runs_[0]
    before = first.problem.base.copy(), first.final.loss
    model.set_params(n_estimators=12).fit(X, NAMES, WEIGHT)
    whole = small(**given).fit(X, NAMES, WEIGHT)
    for one, other in zip(model.runs_, whole.runs_, strict=True):
        np.testing.assert_array_equal(one.beta, other.beta)
        np.testing.assert_array_equal(one.problem.base, other.problem.base)
    np.testing.assert_array_equal(first.problem.base, before[0])
    np.testing.assert_array_equal(model.train_score_, whole.train_score_)
    *_, last = whole.staged_predict_proba(X)
    np.testing.assert_allclose(last, whole.predict_proba(X), rtol=1e-12)


def test_runs_are_saved_and_loaded(tmp_path):
    run = small().fit(X, NAMES).runs_[1]
    run.save(tmp_path / "one.npz")
    again = cb.load(tmp_path / "one.npz")
    np.testing.assert_array_equal(again.final.resid, run.final.resid)


def test_two_classes_and_other_losses_use_binary_models():
    two = NAMES[50:]
    one, other = (
        small(multinomial=flag).fit(X[50:], two).predict_proba(X) for flag in (True, False)
    )
    np.testing.assert_array_equal(one, other)
    rest = small(loss=cb.losses.Logistic(0.1)).fit(X, NAMES)
    alone = small(loss=cb.losses.Logistic(0.1), multinomial=False).fit(X, NAMES)
    np.testing.assert_array_equal(rest.predict_proba(X), alone.predict_proba(X))
    assert (
        np.abs(
            small().fit(X, NAMES).predict_proba(X)
            - small(multinomial=False).fit(X, NAMES).predict_proba(X)
        ).max()
        > 1e-3
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"multinomial": "softmax"}, "multinomial"),
        (
            {"multinomial": True, "loss": cb.losses.Exponential()},
            r"multinomial=True is for Logistic\(\)",
        ),
        ({"learning_rate": 1.5}, "learning_rate must be at most 1 where all classes step at once"),
    ],
)
def test_unsupported_arguments_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        small(**given).fit(X, NAMES)


def test_progress_is_of_the_joint_loss(capsys):
    model = small(verbose=6).fit(X, NAMES)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "iteration 0",
        "iteration 6",
        "iteration 12",
        "last iteration 12",
    ]
    losses = [float(re.search(r"train ([^,]+)", line)[1]) for line in lines[:3]]
    assert losses == pytest.approx(-model.train_score_[::6], rel=1e-5)


def test_offsets_beside_large_and_equal_predictions():
    """Compared with sums written out; where one prediction is far above the others, their offsets
    stay accurate.
    """
    pred = np.concatenate(
        [RNG.normal(size=(4, 30)), 800.0 * RNG.normal(size=(4, 30)), np.zeros((4, 1))], axis=1
    )
    naive = [-logsumexp(np.delete(pred, k, axis=0), axis=0) for k in range(4)]
    np.testing.assert_allclose(offsets_beside(pred), naive, rtol=1e-14)
    y = RNG.integers(4, size=61)
    np.testing.assert_allclose(
        multinomial_losses(pred, y), -log_softmax(pred, axis=0)[y, np.arange(61)], atol=1e-12
    )


@pytest.mark.parametrize("rows", [3, 6, 9])
def test_few_rows(rows):
    at = np.arange(rows) * 150 // rows
    model = small(n_estimators=3).fit(X[at], NAMES[at])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_leaves_of_a_newton_step_that_leave_float64_end_the_run():
    """A single row of its class among rows fitted with certainty: its curvature soon becomes 0; the
    run must keep finite numbers.
    """
    x = np.arange(30.0)[:, None]
    y = np.where(x[:, 0] < 15, 0, np.where(x[:, 0] < 29, 1, 2))
    model = small(
        newton=True, min_samples_leaf=1, n_estimators=400, learning_rate=1.0, max_features=None
    )
    assert np.isfinite(model.fit(x, y).predict_proba(x)).all()


class AskedTwice:
    """A stop rule that is true at its second call."""

    asked = 0

    def __call__(self, state):
        self.asked += 1
        return self.asked > 1


def test_a_run_that_diverged_is_not_called_stopped():
    """A step of 1e308 overflows: the first model is kept, and no stop rule is called on it
    again.
    """
    family = cb.data.trees(X, max_depth=1)
    problems = [
        cb.Problem(family, np.where(k == SPECIES, 1.0, -1.0), cb.losses.Logistic())
        for k in range(3)
    ]
    runs = solve_rounds(
        problems, cb.methods.gcd(cb.rules.FittedStep(1e308)), 5, stop=[AskedTwice()]
    )
    assert {run.status for run in runs} == {cb.engine.Status.DIVERGED}
    assert {run.n_steps for run in runs} == {0}
