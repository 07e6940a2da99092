"""Models along a path: states and their paths, runs of trees that diverge, early stopping of a run
that goes back.
"""

import numpy as np

import coordboost as cb

RNG = np.random.default_rng(8)
X = RNG.normal(size=(60, 3)).round(1)
OTHER = RNG.normal(size=(25, 3)).round(1)
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
LABELS = np.where(OTHER[:, 0] > 0, 1.0, -1.0)


def test_states_have_the_path_up_to_them():
    run = cb.solve(cb.Problem(X, Y), cb.ls_boost(0.1), 10)
    lengths = []
    cb.solve(
        cb.Problem(X, Y),
        cb.ls_boost(0.1),
        6,
        stop=lambda state: lengths.append((state.k, len(state.path))),
    )
    assert lengths and all(k == n for k, n in lengths)
    assert [len(state.path) for state in run.replay([0, 4, 10])] == [0, 4, 10] and len(
        run.final.path
    ) == 10


def test_a_run_of_trees_that_leaves_float64_is_cut_there():
    problem = cb.Problem(cb.data.trees(X, max_depth=1), Y)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.FittedStep(40.0)), 400)
    assert (
        run.status is cb.engine.Status.DIVERGED
        and np.isfinite(run.final.loss)
        and 50 < run.n_steps < 400
    )


def test_early_stopping_follows_a_run_that_goes_back():
    """The guard of accelerated boosting undoes steps that were scored already: validation losses
    are those of the remaining steps.
    """
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
    assert "returned to its best model" in run.message and len(model.validation_score_) == len(ends)
    losses = [
        np.mean((Y[40:] - run.problem.predict(state.beta, X[40:])) ** 2) / 2
        for state in run.replay(ends)
    ]
    np.testing.assert_allclose(-model.validation_score_, losses, rtol=1e-9)
