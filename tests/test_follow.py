"""A model on other rows along a path; what looking at a run over trees costs."""

import numpy as np
import pytest

import coordboost as cb
from coordboost.dictionaries.trees.bank import TreeBank
from coordboost.engine.follow import Follower

RNG = np.random.default_rng(8)
X, OTHER = RNG.normal(size=(60, 3)).round(1), RNG.normal(size=(25, 3)).round(1)
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
LABELS = np.where(OTHER[:, 0] > 0, 1.0, -1.0)
METHODS = [cb.gbm(0.3), cb.regularized_forward_stagewise(0.05, 2.0), cb.agbm(0.5, 0.1), cb.vagbm(0.3, 0.1)]
ANEW = [cb.agbmr(0.5, 0.1, 3), cb.agbmr(1.0, 0.9)]


@pytest.mark.parametrize("method", METHODS + ANEW, ids=lambda method: method.name)
def test_following_is_replaying(method):
    run = cb.solve(cb.Problem(cb.trees(X, max_depth=2), Y), method, 20)
    assert method not in ANEW or (run.path.shrink < 0).any()  # momentum began anew
    rows = run.problem.binning.bin(OTHER)
    standing = run.problem.dictionary.standing(rows)
    follower, weight, loss = Follower(run.method, standing), np.arange(25.0), cb.Logistic()
    losses = follower.losses(run.path, 12, loss, LABELS, weight, 0.5)
    follower.move(run.path, 20)
    again = Follower(run.method, standing)
    for state in run.replay(range(1, 21)):
        again.move(run.path, state.k)
        naive = run.problem.dictionary.at(rows).combine(state.beta)
        # each step adds a rounding of the largest prediction, at most 20 of them on either side
        np.testing.assert_allclose(again.pred, naive, rtol=0, atol=40 * np.finfo(float).eps * np.abs(state.beta).sum())
        if state.k <= 12:
            expected = weight @ np.logaddexp(0, -LABELS * (0.5 + naive))
            np.testing.assert_allclose(losses[state.k - 1], expected, rtol=1e-13)
    assert (follower.pred == again.pred).all() and follower.k == 20


def test_states_know_their_path():
    run = cb.solve(cb.Problem(X, Y), cb.ls_boost(0.1), 10)
    lengths = []
    cb.solve(cb.Problem(X, Y), cb.ls_boost(0.1), 6, stop=lambda state: lengths.append((state.k, len(state.path))))
    assert lengths and all(k == n for k, n in lengths)
    assert [len(state.path) for state in run.replay([0, 4, 10])] == [0, 4, 10] and len(run.final.path) == 10


@pytest.mark.parametrize("method", [cb.gbm(0.1), cb.agbm(0.5, 0.1)], ids=lambda method: method.name)
def test_looking_at_a_run_sums_no_trees(method, monkeypatch):
    """Stop rules, looks of the driver and the end of a run cost no prediction of the whole model: its trees grow in number."""
    summed = []
    combine = TreeBank.combine
    monkeypatch.setattr(TreeBank, "combine", lambda bank, beta: summed.append(1) or combine(bank, beta))
    asked = []
    run = cb.solve(cb.Problem(cb.trees(X, max_depth=1), Y), method, 40, stop=lambda state: asked.append(state.k))
    assert len(asked) > 20 and summed == [] and run.n_steps == 40


def test_a_run_of_trees_that_leaves_float64_is_cut_where_it_did():
    problem = cb.Problem(cb.trees(X, max_depth=1), Y)
    run = cb.solve(problem, cb.gcd(cb.Fitted(40.0)), 400)
    assert run.status is cb.Status.DIVERGED and np.isfinite(run.final.loss) and 50 < run.n_steps < 400


def test_early_stopping_follows_a_run_that_goes_back():
    """The guard of accelerated boosting takes steps back that were followed already: the losses are those of the steps that stay."""
    wild = {
        "max_depth": 2,
        "min_samples_leaf": 1,
        "n_estimators": 60,
        "learning_rate": 1.5,
        "gamma": 1.0,
        "correction": 1,
        "n_iter_no_change": 20,
    }
    model = cb.AcceleratedGBMRegressor(**wild).fit(X[:40], Y[:40], X_val=X[40:], y_val=Y[40:])
    run = model.run_
    ends = range(0, run.n_steps + 1, 2)
    assert "went back" in run.message and len(model.validation_score_) == len(ends)
    losses = [np.mean((Y[40:] - run.problem.predict(state.beta, X[40:])) ** 2) / 2 for state in run.replay(ends)]
    np.testing.assert_allclose(-model.validation_score_, losses, rtol=1e-9)
