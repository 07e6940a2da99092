"""Pictures show the numbers of the runs: limits are shared, names are legible, and what is drawn is what replay gives."""

import json

import numpy as np
import pytest

from coordboost import (
    Problem,
    Unconstrained,
    forward_stagewise,
    lasso_cd,
    ls_boost,
    regularized_forward_stagewise,
    report,
    solve,
)
from coordboost.plots import path as plots


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 16)) + rng.standard_normal((40, 1))
    return Problem(X, X[:, :5].sum(axis=1) - 2 * X[:, 5] + rng.standard_normal(40), feature_names=[f"f{j}" for j in range(16)])


@pytest.fixture(scope="module")
def runs(problem):
    free = solve(problem, forward_stagewise(0.5), 400)
    methods = ls_boost(0.1), regularized_forward_stagewise(0.5, free.final.l1 / 2)
    return [free, *(solve(problem, method, 600) for method in methods)]


@pytest.fixture(scope="module")
def lasso(problem):
    top = np.abs(problem.dictionary.scan(problem.y)).max()
    return plots.trace([solve(problem, lasso_cd(lam), 3000).final for lam in top * np.array([1, 0.5, 0.2, 0.05, 0.01])])


def curves(ax):
    """Label to data of the lines drawn in `ax` that have a name."""
    return {line.get_label(): line.get_xydata() for line in ax.get_lines() if not line.get_label().startswith("_")}


def boxes_of_texts(ax):
    return [text.get_window_extent() for text in ax.texts]


def test_profiles_share_one_scale_and_hold_the_replayed_coefficients(runs):
    figure = plots.profiles(runs)
    assert len(figure.axes) == len(runs)
    assert len({ax.get_xlim() for ax in figure.axes}) == len({ax.get_ylim() for ax in figure.axes}) == 1
    for ax, run in zip(figure.axes, runs, strict=True):
        states = list(run.replay(plots.spaced(run.n_steps).tolist()))
        drawn = curves(ax)
        assert len(drawn) == 12
        for name, data in drawn.items():
            j = run.problem.feature_names.index(name)
            assert data[:, 0].tolist() == [state.l1 for state in states]
            assert data[:, 1].tolist() == [state.beta[j] for state in states]
        assert ax.get_xlim()[1] >= max(state.l1 for state in states)


def test_names_do_not_overlap_and_lie_inside_the_picture(runs, lasso):
    figure = plots.figure(runs, lasso, "a title")
    figure.draw_without_rendering()
    for ax in figure.axes:
        boxes = boxes_of_texts(ax)
        assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes)
    assert sum(len(ax.texts) for ax in figure.axes) == 12 * len(runs)


def test_shrinkage_draws_relative_training_error_over_the_lasso(runs, lasso):
    optimum = runs[0].certificate(Unconstrained()).lower
    ax = plots.shrinkage(runs, lasso, optimum).axes[0]
    drawn = curves(ax)
    null = runs[0].problem.value(np.zeros(40))
    for run in runs:
        data = drawn[report.caption(run).replace("\n", ", ")]
        assert data[0].tolist() == [0.0, 1.0]
        assert data[-1].tolist() == [run.final.l1, run.final.loss / null]
    assert drawn["Lasso (grey in every panel)"][:, 0].tolist() == lasso.l1.tolist()
    assert set(drawn["no error is smaller"][:, 1]) == {optimum / null}
    assert {text.get_text() for text in ax.get_legend().get_texts()} == set(drawn)
    assert "l1 norm" in ax.get_xlabel() and "training error" in ax.get_ylabel()


def test_runs_of_different_problems_are_refused(runs):
    other = Problem(np.eye(5)[:, :3], np.arange(5.0))
    with pytest.raises(ValueError, match="same learners"):
        plots.profiles([runs[0], solve(other, ls_boost(0.1), 3)])
    with pytest.raises(ValueError, match="at least one run"):
        plots.shrinkage([])


def test_summary_recomputes_the_numbers_of_a_run(runs):
    run = runs[2]
    optimum = report.optimum(run)
    row = report.summary(run, optimum)
    beta, problem = run.beta, run.problem
    B = problem.dictionary.gather(np.arange(problem.n_learners))
    resid = problem.y - B @ beta
    least = np.linalg.lstsq(B, problem.y)[0]
    best = np.sum((problem.y - B @ least) ** 2) / 2
    null = np.sum(problem.y**2) / 2
    gap = run.method.target.radius * np.abs(B.T @ resid).max() - resid @ (B @ beta)
    assert row["training_error"] == pytest.approx(np.sum(resid**2) / 80, rel=1e-12)
    assert row["excess_percent"] == pytest.approx(100 * (np.sum(resid**2) / 2 - best) / null, rel=1e-9)
    assert row["gap"] == pytest.approx(gap / null, rel=1e-9)
    assert row["l1"] == pytest.approx(np.abs(beta).sum(), rel=1e-12) and row["nonzeros"] == np.count_nonzero(beta)
    assert row["method"] == "regularized_forward_stagewise" and row["parameters"].startswith("eps = 0.5, delta = ")
    assert json.loads(json.dumps(row, allow_nan=False)) == row
