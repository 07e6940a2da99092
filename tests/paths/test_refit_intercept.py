"""Refitted intercepts: cross-validation must score, at each step, the model that a fit with so many
steps gives.
"""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import coordboost as cb

RNG = np.random.default_rng(8)
X = RNG.normal(size=(90, 6)) * [1, 2, 1, 5, 1, 1] + [0, 1, 0, 0, 3, 0]
Y = X @ [2.0, 0, 0, -0.5, 0, 0] + RNG.normal(size=90) + 4
SIGNS = np.where(np.median(Y) + 2 < Y, 1.0, -1.0)
WEIGHT = RNG.integers(1, 4, size=90).astype(float)
STEPS = {"n_steps": 150, "eps": 0.02}


def logistic(y, pred, weight):
    return np.average(np.log1p(np.exp(-y * pred)), weights=weight)


def test_cross_validation_scores_the_models_of_shorter_fits():
    folds = [
        (np.flatnonzero(np.arange(90) % 3 != k), np.flatnonzero(np.arange(90) % 3 == k))
        for k in range(3)
    ]
    chosen = cb.ForwardStagewiseClassifierCV(**STEPS, cv=folds).fit(X, SIGNS, WEIGHT)
    losses = chosen.cross_validation_.losses
    for steps in (1, 60, int(chosen.place_.step)):
        for k, (fit, held) in enumerate(folds):
            one = cb.ForwardStagewiseClassifier(**(STEPS | {"n_steps": steps})).fit(
                X[fit], SIGNS[fit], WEIGHT[fit]
            )
            expected = logistic(SIGNS[held], one.decision_function(X[held]), WEIGHT[held])
            assert losses[k, steps] == pytest.approx(expected, rel=1e-12)
            held_fixed = one.run_.score_path(X[held], SIGNS[held], WEIGHT[held])[steps]
        # with the intercept of the start it would be another model
        assert steps == 1 or abs(held_fixed + expected) > 1e-6
    assert chosen.path_.score_path(X, SIGNS, WEIGHT)[int(chosen.place_.step)] == pytest.approx(
        -logistic(SIGNS, chosen.decision_function(X), WEIGHT), rel=1e-12
    )


@pytest.mark.parametrize(
    "loss", [cb.losses.Logistic(), cb.losses.Huber(1.0)], ids=["logistic", "huber"]
)
@pytest.mark.parametrize("sparse", [False, True])
def test_every_model_of_the_path_has_its_best_intercept(loss, sparse):
    y = SIGNS if isinstance(loss, cb.losses.Logistic) else Y
    table = scipy.sparse.csc_array(X) if sparse else X
    problem = cb.Problem(table, y, loss, sample_weight=WEIGHT)
    run = cb.solve(
        problem, cb.forward_stagewise(0.1), 80, compile=loss == cb.losses.Logistic() and not sparse
    )
    path = run.refit_intercept()
    scores = path.score_path(table, y, WEIGHT)
    frame = path.to_frame()
    for k in (0, 7, 80):
        beta = next(run.replay([k])).beta
        pred = problem.combine(beta)
        found = scipy.optimize.minimize_scalar(
            lambda b, pred=pred: problem.value(pred + b), bracket=(-1, 1), tol=1e-12
        )
        at = cb.lasso.PathPoint(step=k)
        # the minimum of a smooth function is known to half the digits only
        assert path.intercept_at(step=k) - run.intercept_at(step=k) == pytest.approx(
            found.x, abs=1e-6
        )
        assert path.shifts[k] == pytest.approx(found.x, abs=1e-6)
        assert -scores[k] * WEIGHT.sum() == pytest.approx(found.fun, rel=1e-12)
        assert np.array_equal(path.coef_at(step=k), run.coef_at(step=k))
        np.testing.assert_allclose(
            path.predict(table, at), run.predict(table, at) + path.shifts[k], atol=1e-12
        )
        upper = path.certificate_at(at).upper
        assert found.fun <= upper < found.fun * (1 + 1e-12)
        row = frame[frame["step"] == k].iloc[0]
        assert row["intercept"] == pytest.approx(path.intercept_at(step=k)) and row[
            "loss"
        ] == pytest.approx(-scores[k])
    assert abs(path.shifts).max() > 0.01 and path.predict(table).shape == (90,)
    assert (
        "best intercept at every step" in repr(path)
        and path.order_of_entry().tolist() == run.order_of_entry().tolist()
    )


@pytest.mark.parametrize("unit", [1e-6, 1e5])
def test_the_intercept_scales_with_the_target(unit):
    """For losses of y - f: a target in thousands gives an intercept in thousands."""
    start = cb.solve(
        cb.Problem(X, Y, cb.losses.Huber(0.5)), cb.forward_stagewise(0.5), 60, compile=False
    )
    other = cb.solve(
        cb.Problem(X, unit * Y, cb.losses.Huber(0.5 * unit)),
        cb.forward_stagewise(0.5 * unit),
        60,
        compile=False,
    )
    one = start.refit_intercept()
    two = other.refit_intercept()
    assert abs(one.shifts).max() > 0.01
    # roots are found to 1e-15, or to four roundings if that is more
    np.testing.assert_allclose(two.shifts, unit * one.shifts, rtol=1e-9, atol=unit * 1e-8)
    assert two.intercept_at(step=60) == pytest.approx(unit * one.intercept_at(step=60), rel=1e-9)


def test_a_ball_with_a_free_intercept_is_certified():
    """The interval at the best intercept contains the optimum over both, found by a path with a
    free intercept.
    """
    problem = cb.Problem(X, SIGNS, cb.losses.Logistic())
    delta = 12.0
    path = cb.solve(
        problem, cb.regularized_forward_stagewise(0.1, delta), 600, compile=False
    ).refit_intercept()
    certificate = path.certificate_at(cb.lasso.PathPoint(step=600))
    best = cb.lasso_path(problem, n_alphas=60, eps=1e-3, tol=1e-10, refit_intercept=True)
    inside = best._model(cb.lasso.PathPoint(l1=delta))
    value = np.log1p(np.exp(-SIGNS * (X @ inside[0] + inside[1]))).sum()
    assert certificate.lower <= value and certificate.gap < 0.1 * (problem.start_loss - value)
    fixed = path.run.certificate_at(cb.lasso.PathPoint(step=600))
    assert fixed.lower > certificate.lower


def test_a_run_without_steps_is_a_path_of_one_model():
    path = cb.solve(
        cb.Problem(X, SIGNS, cb.losses.Logistic()), cb.forward_stagewise(0.02), 0
    ).refit_intercept()
    assert path.n_points == 1 and path.score_path(X, SIGNS)[0] == pytest.approx(
        -logistic(SIGNS, path.predict(X), None)
    )


@pytest.mark.parametrize("size", [1e-2, 1e-5, 1e-7])
@pytest.mark.parametrize("n, p, level", [(50, 5, 0.0), (40, 60, 0.0), (40, 60, 100.0)])
def test_gaps_of_a_loss_of_small_slope_are_those_of_the_certificates(n, p, level, size):
    """Rounding of predictions is then large beside the residuals, and their sum cannot be 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X[:, 0] + rng.normal(size=n) + level
    path = cb.lasso_path(
        X, y, loss=cb.losses.Huber(size), refit_intercept=True, n_alphas=6, tol=1e-8
    )
    for k, gap in enumerate(path.gaps):
        assert path.certificate(k).witness["relative_gap"] <= 1.5 * gap + 1e-13
    assert (path.message == "complete") == (path.gaps.max() <= 1e-8)
