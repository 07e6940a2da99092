"""The quickstart: the numbers that it shows are recomputed in other ways."""

import json

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from coordboost import lasso_path
from coordboost.reporting.plots import path as plots
from coordboost.reporting.quickstart import diabetes, lasso_states, quickstart


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("quick") / "new" / "folder"


@pytest.fixture(scope="module")
def done(folder):
    return quickstart(folder)


@pytest.fixture(scope="module")
def lasso():
    return lasso_states(lasso_path(diabetes(), eps=1e-5, tol=1e-8, solver="cd"))


def test_rows_are_the_methods_and_their_certified_gaps(done):
    rows = {row["method"]: row for row in done.rows}
    assert list(rows) == [
        "ls_boost",
        "forward_stagewise",
        "regularized_forward_stagewise",
        "lasso_cd",
        "forward_stepwise",
    ]
    assert all(0 <= row["gap"] < 2e-3 and row["excess_percent"] >= 0 for row in done.rows)
    assert json.loads(json.dumps(done.rows, allow_nan=False)) == done.rows


def test_forward_stepwise_ends_at_least_squares(done):
    problem = done.runs["forward_stepwise"].problem
    B = problem.dictionary.gather(np.arange(problem.n_learners))
    least = np.linalg.lstsq(B, problem.y)[0]
    np.testing.assert_allclose(done.runs["forward_stepwise"].beta, least, rtol=1e-9)
    assert max(row["excess_percent"] for row in done.rows[:2]) < 1e-3
    assert done.rows[0]["l1"] > 0.97 * np.abs(least).sum() < done.rows[1]["l1"]


def test_regularised_stagewise_ends_clearly_inside_and_near_the_lasso(done):
    regular, lasso, least = done.rows[2:]
    assert (
        0.5 * least["l1"]
        < regular["l1"]
        <= done.runs["regularized_forward_stagewise"].method.target.radius
    )
    assert regular["l1"] < 0.7 * least["l1"]
    assert abs(regular["training_error"] - lasso["training_error"]) < 1e-5 * regular["null_error"]


def test_lasso_states_agree_with_scikit_learn(lasso):
    problem = lasso[0].problem
    B = problem.dictionary.gather(np.arange(problem.n_learners))
    for state in lasso[1::12]:
        alpha = state.target.lam / problem.n_samples
        other = Lasso(alpha=alpha, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(B, problem.y)
        np.testing.assert_allclose(state.beta, other.coef_, atol=0.05)


def test_no_model_beats_the_certified_lasso(done, lasso):
    # Every certificate gives a lower bound: L(beta) >= lower - lam * ||beta||_1 for all beta.
    lower = np.array([state.certificate().lower for state in lasso])
    lam = np.array([state.target.lam for state in lasso])
    for run in done.runs.values():
        for state in run.replay(plots.spaced(run.n_steps).tolist()):
            assert state.loss >= (lower - lam * state.l1).max() - 1e-9 * lower[0]


def test_figure_is_three_profiles_and_the_training_error(done):
    assert len(done.figure.axes) == 4
    names = diabetes().feature_names
    assert [sorted(text.get_text() for text in ax.texts) for ax in done.figure.axes].count(
        sorted(names)
    ) == 3
