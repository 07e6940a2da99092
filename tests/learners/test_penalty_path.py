"""A path over penalties: each run equals the run with its penalty alone, and the picture shows all
of them.
"""

import numpy as np
import pytest
from test_tree_families import GRID, X, Y

import coordboost as cb
from coordboost.reporting.plots.complexity import complexity


def path_problem():
    return cb.Problem(cb.data.tree_families(X[:60], **GRID), Y[:60], cb.losses.Logistic())


@pytest.fixture(scope="module")
def path():
    return cb.engine.penalty_path(
        path_problem(), [1.0, 0.0, 0.05], 15, X_val=X[60:], y_val=Y[60:], rng=3
    )


def test_each_run_equals_the_run_with_its_penalty_alone(path):
    assert path.penalties.tolist() == [0.0, 0.05, 1.0]
    for penalty, run, held, account in zip(
        path.penalties, path.runs, path.validation, path.summaries, strict=True
    ):
        alone = cb.solve(path_problem(), cb.rgb(float(penalty)), 15, rng=3)
        assert (alone.beta == run.beta).all() and str(account) == str(
            cb.engine.family_summary(alone)
        )
        np.testing.assert_allclose(
            held, np.logaddexp(0, -Y[60:] * run.predict(X[60:])).mean(), rtol=1e-12
        )
        np.testing.assert_allclose(
            account.objective - account.loss, account.charge.sum(), atol=1e-12
        )
    assert path.best == np.flatnonzero(path.validation == path.validation.min())[-1]
    assert len(str(path).splitlines()) == 4


def test_without_validation_rows_there_is_no_best_penalty(path):
    bare = cb.engine.penalty_path(path_problem(), [0.1], 2)
    with pytest.raises(ValueError, match="pass X_val and y_val"):
        bare.best  # noqa: B018


def test_the_picture(path):
    upper, lower = complexity(path).axes
    assert len(upper.lines) == 2 and [
        text.get_text() for text in lower.get_legend().get_texts()
    ] == ["1", "3", "8"]
    assert sum(bar.get_height() for bar in lower.patches) == pytest.approx(3)
