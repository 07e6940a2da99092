"""The sign of the correction in AGBM: as in the paper, as in its authors' program, or no
correction; and gamma from angles.

Source: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*;
docs/accelerated.md.
"""

import math

import numpy as np
import pytest
import reference as ref
from designs import as_it_is, betas, columns

import coordboost as cb
from coordboost.theory import momentum_limit
from verification.experiments.data import load, split
from verification.sets import Absent

#: Values in the shrink column of a path where momentum restarts, where a move is undone, and where
#: gamma is quartered.
RESTART = -1.0
UNDO = -2.0
SLOWER = -3.0
RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 4)).round(1)
Y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.2 * RNG.normal(size=60)
SIGNS = np.where(Y > 0, 1.0, -1.0)
WIDE = np.random.default_rng(4).normal(size=(60, 40)) @ (np.eye(40) + 0.7 * np.eye(40, k=1))
each_sign = pytest.mark.parametrize("correction", [1, -1, 0])
LOSSES = {
    cb.losses.Squared(): ref.SQUARED,
    cb.losses.Logistic(): ref.logistic(),
    cb.losses.Huber(0.5): ref.huber(0.5),
}
each_loss = pytest.mark.parametrize(
    "loss, y",
    [(cb.losses.Squared(), Y), (cb.losses.Logistic(), SIGNS)],
    ids=["squared", "logistic"],
)
FIVE = as_it_is(np.eye(5), np.array([5.0, 4.0, 3.0, 2.0, 1.0]))


@each_sign
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
@pytest.mark.parametrize("learners", ["columns", "stumps"])
def test_every_sign_agrees_with_the_naive_loop(learners, loss, correction):
    """On columns, compiled with one of the losses; on stumps, interpreted."""
    B = columns(cb.Problem(WIDE if learners == "columns" else cb.data.stumps(X), Y))
    y = SIGNS if hasattr(loss, "labels") else Y
    n_rounds = 200 if learners == "columns" else 40
    problem = (
        as_it_is(B, y, loss)
        if learners == "columns"
        else cb.Problem(cb.data.stumps(X), y, loss, center=False)
    )
    compile = learners == "columns" and loss == cb.losses.Squared()
    run = cb.solve(
        problem,
        cb.agbm(0.5, 0.02, False, correction),
        n_rounds * (2 if correction else 1),
        compile=compile,
    )
    expected, picks = ref.accelerated(B, y, 0.5, 0.02, n_rounds, LOSSES[loss], correction)
    assert run.path.learner.tolist() == np.ravel(picks).tolist()
    found = betas(run)[1::2] if correction else betas(run)[1:]
    np.testing.assert_allclose(
        found @ B.T, expected[1:] @ B.T, rtol=0, atol=1e-12 * np.abs(expected @ B.T).max()
    )
    if correction:
        assert (found == betas(run)[2::2]).all()  # an h-step does not change f


def projected(v, weight, leaf):
    """Return the weighted best constant on each leaf; `v` has been multiplied by the weights."""
    return (np.bincount(leaf, v) / np.maximum(np.bincount(leaf, weight), 1e-300))[leaf]


def followed(problem, bank, eta, gamma, n_rounds, correction, follow=False):
    """Return f^1, f^2, ... and the gammas of a naive AGBM with the trees that a run has grown."""
    f = h = left = 0 * problem.y
    out = []
    gammas = [gamma]
    worst = 1.0
    leaves = [bank.tree(j).apply(bank.binned.codes) for j in range(len(bank.trees.n_leaves))]

    def cosine(v, fit):
        return math.sqrt(v @ fit / (v @ (v / problem.weight)))

    for m in range(n_rounds):
        mix = 2 / (m + 2)
        j = 2 * m if correction else m
        g = (1 - mix) * f + mix * h
        r = problem.resid(g)
        f = g + eta * (fit := projected(r, problem.weight, leaves[j]))
        if correction:
            if follow and m == 0:
                worst = cosine(r, fit)
            gammas.append((1 - math.sqrt(1 - worst**2)) ** 2 if follow else gamma)
            c = r + (correction * (m + 1) / (m + 2) * gammas[-2] / gammas[-1] * left if m else 0)
            fit = projected(c, problem.weight, leaves[j + 1])
            left = c - problem.weight * fit
            worst = min(worst, cosine(c, fit))
        h = h + gammas[-1] * eta / mix * fit
        out.append(f)
    return out, gammas[1:]


@each_sign
@each_loss
def test_every_sign_with_trees(loss, y, correction):
    problem = cb.Problem(
        cb.data.trees(X, max_depth=2, min_samples=3), y, loss, sample_weight=1.0 + np.arange(60) % 3
    )
    run = cb.solve(problem, cb.agbm(0.5, 0.1, True, correction), 40)
    rounds = 20 if correction else 40
    naive, _ = followed(run.problem, run.problem.dictionary, 0.5, 0.1, rounds, correction)
    for state, f in zip(run.replay(range(1, 41, 40 // rounds)), naive, strict=True):
        np.testing.assert_allclose(state.pred, f, atol=1e-10)
    np.testing.assert_allclose(run.predict(X), run.pred + problem.constant, atol=1e-10)


def test_no_correction_is_vagbm():
    """Coefficients and messages are equal, with and without the guard; momentum can also restart
    without a correction.
    """
    for guard, eta, gamma, n in [(False, 0.5, 0.3, 60), (True, 0.5, 0.3, 60), (True, 1.0, 1.0, 90)]:
        one, other = (
            cb.solve(FIVE, m, n)
            for m in (cb.agbm(eta, gamma, guard, 0), cb.vagbm(eta, gamma, guard))
        )
        assert (one.beta == other.beta).all() and one.message == other.message
        assert (SLOWER in one.path.shrink) == (eta == 1.0)
    plain = cb.solve(FIVE, cb.agbmr(1.0, 1.0, guard=False, correction=0), 60)
    kept = np.array([state.loss for state in plain.replay(range(61))])[1:][plain.path.shrink > 0]
    assert plain.final.loss < 1e-6 and (np.diff(kept)[1:] <= 0).mean() > 0.8


@pytest.mark.parametrize(
    "method", [cb.vagbm(1.0, 1.0, True), cb.agbm(1.0, 1.0, True, -1)], ids=["none", "minus"]
)
def test_the_guard_goes_back_and_reports_it(method, tmp_path):
    """Without the guard the loss exceeds the initial loss; with it the run goes back to its best
    model and continues from there.
    """
    ten = as_it_is(np.eye(10), np.sqrt(np.arange(2.0, 12.0)))
    wild = cb.solve(
        ten, cb.methods.METHODS[method.name](**{**method.parameters, "guard": False}), 200
    )
    run = cb.solve(ten, method, 200)
    first = int(np.flatnonzero(run.path.shrink == SLOWER)[0])
    losses = np.array([state.loss for state in wild.replay(range(201))])
    left = np.argmax(losses > ten.start_loss)
    assert losses.max() > 3 * ten.start_loss and losses[:left].argmin() == first > 0
    assert "returned to its best model" in run.message and run.final.loss < losses[first]
    for cut in (first, first + 1, 100):
        assert (cb.solve(ten, method, cut).resume(200 - cut).beta == run.beta).all()
    run.save(tmp_path / "run")
    loaded = cb.load(tmp_path / "run")
    assert loaded.message == run.message and (loaded.resume(30).beta == run.resume(30).beta).all()
    np.testing.assert_allclose(run.pred, ten.combine(run.beta), rtol=0, atol=1e-12)


def test_after_going_back_gamma_is_a_quarter():
    """After it goes back, the run is its best model plus VAGBM on the residual target with a
    quarter of gamma.
    """
    run = cb.solve(FIVE, cb.vagbm(1.0, 1.0, True), 60)
    falls = np.flatnonzero(run.path.shrink == SLOWER)
    start = next(run.replay([falls[0]])).pred
    rest = as_it_is(np.eye(5), FIVE.y - start)
    again = cb.solve(rest, cb.vagbm(1.0, 0.25), 8)
    np.testing.assert_allclose(
        next(run.replay([falls[0] + 8])).pred - start, again.pred, atol=1e-12
    )
    assert len(falls) == 1 or falls[1] > falls[0] + 8


@each_sign
@pytest.mark.parametrize(
    "loss", [cb.losses.Huber(0.3), cb.losses.Logistic()], ids=lambda loss: type(loss).__name__
)
def test_the_guard_does_nothing_where_learners_fit_everything(loss, correction):
    """Theta = 1: trees with a leaf for each row. All signs are then Nesterov's method, and the
    theorem holds for gamma = 1.
    """
    y = (
        np.array([3.0, -1, 2, 0.5, -4, 1, -2])
        if loss != cb.losses.Logistic()
        else np.array([1.0, -1, 1, 1, -1, 1, -1])
    )
    problem = cb.Problem(
        cb.data.trees(np.arange(7.0)[:, None], max_depth=None, max_leaves=7, min_samples=1),
        y,
        loss,
        center=False,
    )
    eta = 1 / loss.sigma
    n = 120 if correction else 60
    guarded, plain = (
        cb.solve(problem, cb.agbm(eta, 1.0, guard, correction), n, compile=False)
        for guard in (True, False)
    )
    assert (
        guarded.beta == plain.beta
    ).all() and "returned to its best model" not in guarded.message
    nesterov = cb.solve(problem, cb.vagbm(eta), 60, compile=False)
    np.testing.assert_allclose(guarded.pred, nesterov.pred, atol=1e-9)


def test_gamma_from_a_certified_angle():
    """Five orthonormal columns: Theta^2 = 1/5. The method of the run has the gamma that was
    used.
    """
    limit = (1 - math.sqrt(0.8)) ** 2
    assert momentum_limit(FIVE) == pytest.approx(limit, rel=1e-8) and momentum_limit(FIVE) <= limit
    run = cb.solve(FIVE, cb.agbm(1.0, "auto"), 100)
    assert (
        run.method.parameters["gamma"] == momentum_limit(FIVE)
        and "returned to its best model" not in run.message
    )
    assert (run.beta == cb.solve(FIVE, cb.agbm(1.0, momentum_limit(FIVE)), 100).beta).all()
    assert (
        momentum_limit(cb.Problem(cb.data.trees(X), Y)) is None
        and momentum_limit(cb.Problem(RNG.normal(size=(60, 280)), Y)) is None
    )


@each_loss
def test_gamma_that_follows_the_worst_cosine(loss, y, tmp_path):
    """Models agree with the naive loop; cut, saved, loaded and interpreted runs are equal bit for
    bit.
    """
    problem = cb.Problem(
        cb.data.trees(X, max_depth=2, min_samples=3), y, loss, sample_weight=1.0 + np.arange(60) % 3
    )
    run = cb.solve(problem, cb.agbm(0.5, "auto"), 40)
    naive, gammas = followed(run.problem, run.problem.dictionary, 0.5, 1.0, 20, 1, follow=True)
    for state, f in zip(run.replay(range(1, 41, 2)), naive, strict=True):
        np.testing.assert_allclose(state.pred, f, atol=1e-10)
    assert (np.diff(gammas) <= 0).all() and gammas[-1] < gammas[0] / 10
    run.save(tmp_path / "run")
    cut = cb.solve(problem, cb.agbm(0.5, "auto"), 13).resume(4)
    for other in (
        cut.resume(23),
        cb.load(tmp_path / "run"),
        cb.solve(problem, cb.agbm(0.5, "auto"), 40, compile=False),
    ):
        assert (other.path.theta == run.path.theta).all() and (other.beta == run.beta).all()
    assert (cb.load(tmp_path / "run").resume(9).beta == run.resume(9).beta).all()


def test_bad_parameters_are_refused():
    for call, words in [
        (lambda: cb.agbm(0.5, 0.1, correction=0.5), "correction must be 1, -1 or 0"),
        (lambda: cb.agbm(0.5, 0.1, correction="paper"), "correction must be 1, -1 or 0"),
        (lambda: cb.agbm(0.5, "auto", correction=0), "without a correction there is no 'auto'"),
        (lambda: cb.vagbm(0.5, "auto"), "without a correction there is no 'auto'"),
        (lambda: cb.agbm(0.5, "small"), "gamma must be in .0, 1., or 'auto'"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


@each_sign
def test_no_run_ends_above_its_best_without_a_message(correction):
    """The run either goes back to its best model, or its message names the step of that model."""
    problem = cb.Problem(
        cb.data.trees(X, max_depth=2, min_samples=3), Y, sample_weight=1.0 + np.arange(60) % 3
    )
    spoke = 0
    for gamma in (1.0, 0.3, 0.1):
        run = cb.solve(problem, cb.agbm(1.0, gamma, True, correction), 120)
        losses = np.array([state.loss for state in run.replay(range(121))])
        assert (
            run.final.loss <= losses.min() or f"lower after step {losses.argmin():,}" in run.message
        )
        spoke += "returned to its best model" in run.message or "lower after step" in run.message
    assert spoke > 0


def test_without_a_cheap_exact_angle_there_is_no_limit():
    """1,800 entries are few, but the facets of 60 learners in 30 dimensions are not."""
    assert (
        momentum_limit(
            cb.Problem(
                np.random.default_rng(0).standard_normal((30, 60)), np.ones(30), center=False
            )
        )
        is None
    )


def test_a1a_at_as_many_trees():
    """Training loss after 30, 50 and 100 trees of depth 3, eta = 0.1: lower than without
    momentum.
    """
    try:
        fit, _ = split(load("a1a"), 0)
    except Absent as absent:
        pytest.skip(str(absent))
    problem = cb.Problem(
        cb.data.trees(fit.X, max_depth=3, min_samples=1), fit.y, cb.losses.Logistic()
    )
    found = [
        [state.loss for state in cb.solve(problem, method, 100).replay([30, 50, 100])]
        for method in (cb.agbm(0.1, 0.5), cb.gbm(0.1))
    ]
    assert (np.array(found[0]) < np.array(found[1])).all()


def test_estimators_with_each_sign():
    """With a correction an iteration is two steps of the loop; without one, the default, it is one
    step.
    """
    weight = 1.0 + np.arange(60) % 3
    problem = cb.Problem(cb.data.trees(X, min_samples=3), Y, sample_weight=weight)
    for settings, method, steps in [
        ({"gamma": 0.2, "correction": 1}, cb.agbm(0.5, 0.2), 2),
        ({"gamma": "auto", "correction": -1}, cb.agbm(0.5, "auto", correction=-1), 2),
        ({}, cb.vagbm(0.5, 0.1, True), 1),
    ]:
        model = cb.AcceleratedGBMRegressor(
            n_estimators=10, learning_rate=0.5, min_samples_leaf=3, **settings
        ).fit(X, Y, weight)
        run = cb.solve(problem, method, 10 * steps)
        assert (model.predict(X) == run.predict(X)).all() and model.n_iter_ == 10 == len(
            list(model.staged_predict(X))
        )
        assert len(model.train_score_) == 11 and model.train_score_[-1] == pytest.approx(
            -run.final.loss / weight.sum()
        )
