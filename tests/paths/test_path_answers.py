"""Methods common to all paths: losses, score, coef_path, points by name, plots against lam,
attributes of a CV estimator.
"""

import numpy as np
import pytest
from matplotlib.figure import Figure
from refusal import refused
from sklearn.datasets import load_diabetes

import coordboost as cb

X, Y = load_diabetes(return_X_y=True)
LABELS = np.where(Y > 140, 1, -1)
PROBLEM = cb.Problem(X, Y)


def stumps():
    return cb.solve(cb.Problem(cb.data.trees(X, max_depth=1), Y), cb.gbm(rate=0.3), 20)


PATHS = {
    "run": lambda: cb.solve(PROBLEM, cb.ls_boost(0.1), 60),
    "shrunken": lambda: cb.solve(PROBLEM, cb.regularized_forward_stagewise(1.0, 500.0), 60),
    "momentum": lambda: cb.solve(PROBLEM, cb.agbm(0.3, 0.5), 30),
    "trees": stumps,
    "logistic": lambda: cb.solve(cb.Problem(X, LABELS, cb.losses.Logistic()), cb.gbm(0.5), 30),
    "refitted": lambda: cb.solve(
        cb.Problem(X, LABELS, cb.losses.Logistic()), cb.gbm(0.5), 30
    ).refit_intercept(),
    "grid": lambda: cb.lasso_path(X, Y, n_alphas=12),
    "exact": lambda: cb.exact_path(X, Y),
}
every_path = pytest.mark.parametrize("name", PATHS)


@every_path
def test_losses_and_scores(name):
    """`losses` are sums over the training rows, at every point; `score` is minus the mean over the
    given rows.
    """
    path = PATHS[name]()
    y = LABELS if name in ("logistic", "refitted") else Y
    assert len(path.losses) == path.n_points
    np.testing.assert_allclose(path.losses, -path.score_path(X, y) * len(y), rtol=1e-9)
    assert path.score(X, y) == pytest.approx(path.score_path(X, y)[-1], rel=1e-12)
    third = cb.lasso.PathPoint(step=3)
    assert path.score(X, y, at=third) == path.score_at(X, y, at=[third])[0]


@every_path
def test_places_by_name(name):
    """`predict` takes the name of a point, as `coef_at` does, or a PathPoint, but not both."""
    path = PATHS[name]()
    place = cb.lasso.PathPoint(step=2)
    np.testing.assert_array_equal(path.predict(X, step=2), path.predict(X, place))
    np.testing.assert_array_equal(path.predict(X), path.predict(X, step=path.n_points - 1))
    refused(
        lambda: path.predict(X, place, step=2),
        "`at` already names a point on the path: leave step out",
    )
    refused(
        lambda: path.predict(X, step=2, l1=1.0),
        "exactly one of step, l1, lam, alpha and fraction, got step, l1",
    )


@pytest.mark.parametrize("name", [name for name in PATHS if name != "trees"])
def test_coefficients_of_a_whole_path(name):
    """Row k is the model at point k; those of unit columns are for norm 1."""
    path = PATHS[name]()
    whole = path.coef_path()
    assert whole.shape == (path.n_points, X.shape[1])
    for k in (0, 3, path.n_points - 1):
        np.testing.assert_array_equal(whole[k], path.coef_at(step=k))
    norms = np.linalg.norm(X - X.mean(axis=0), axis=0)
    np.testing.assert_allclose(path.coef_path(unit_columns=True), whole * norms, rtol=1e-12)
    places = [cb.lasso.PathPoint(step=5), cb.lasso.PathPoint(step=2)]  # in any order
    np.testing.assert_array_equal(path.coef_path(places), whole[[5, 2]])


def test_an_implicit_dictionary_has_no_matrix_of_coefficients():
    refused(lambda: stumps().coef_path(), "coef_path")


def test_states_have_a_repr():
    run = PATHS["run"]()
    said = (
        f"l1 {run.final.l1:.6g}, loss {run.final.loss:.6g}, {np.count_nonzero(run.beta)} "
        "coefficients not 0"
    )
    assert repr(run.final) == f"<State after 60 steps: {said}>"


def test_a_picture_against_lam():
    """lam is alpha times the number of rows."""
    grid = PATHS["grid"]()
    one, other = (grid.plot(against=way, ax=Figure().subplots()) for way in ("lam", "alpha"))
    np.testing.assert_allclose(one.x_, other.x_ * len(Y), rtol=1e-12)
    assert one.ax_.get_xlabel() == "lam (sum of losses, unit columns)"


def test_what_cross_validation_chose():
    """The number of steps or the penalty, and the norm there; None where the path has none."""
    steps = cb.LSBoostRegressorCV(n_steps=60, cv=3, random_state=0).fit(X, Y)
    at = {"step": steps.n_steps_}
    np.testing.assert_array_equal(steps.coef_, steps.path_.coef_at(**at))
    assert steps.alpha_ is None and steps.l1_ == next(steps.path_.replay([steps.n_steps_])).l1
    grid = cb.CertifiedLassoCV(n_alphas=12, cv=3, random_state=0).fit(X, Y)
    assert grid.n_steps_ is None and grid.alpha_ == grid.path_.alphas[int(grid.place_.step)]
    assert grid.l1_ == pytest.approx(np.abs(grid.coef_).sum(), rel=1e-12)


@pytest.mark.parametrize("name", ["run", "refitted", "trees"])
def test_the_model_at_the_end_of_a_run_is_not_replayed(name, monkeypatch):
    path = PATHS[name]()
    by_replay = next(path.replay([path.n_steps]))
    expected = by_replay.problem.predict(by_replay.beta, X)
    path.final  # noqa: B018  # of a refitted run it is made once
    monkeypatch.setattr(type(path), "replay", None)
    np.testing.assert_array_equal(path.predict(X), expected)


def test_an_empty_list_of_points_gives_no_rows():
    assert PATHS["run"]().coef_path([]).shape == (0, X.shape[1])
