"""Tied learners: the lowest index wins for every model state, whatever the order of scanning and
although others are larger by rounding.
"""

import numpy as np
import pytest
from designs import STATES

import coordboost as cb


@pytest.mark.parametrize("model_state", [cb.engine.NaiveState, cb.engine.CovarianceState])
def test_groups_scanned_in_another_order(model_state):
    """Labels that do not increase: all groups are drawn, in the order of their labels; the columns
    are copies.
    """
    x = np.array([3.0, -1.0, 2.0, 0.5])
    problem = cb.Problem(
        np.column_stack([x, -x, 2 * x, x]), [1.0, 0.0, 3.0, -1.0], groups=["c", "b", "a", "b"]
    )
    run = cb.solve(problem, cb.rtgcd(select=cb.rules.Groups(3)), 4, model_state=model_state)
    assert (run.path.learner == 0).all()


@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Huber(1.0)], ids=["squared", "Huber"]
)
def test_a_tied_learner_that_is_no_candidate_by_its_size(loss):
    """150 learners tie up to rounding; the first is the smallest of them, and lookahead takes fewer
    than 150 candidates.
    """
    rng = np.random.default_rng(0)
    n_tied, n_samples = 150, 400
    Q = np.linalg.qr(rng.normal(size=(n_samples, n_tied + 2)))[0]
    y = Q[:, 0]
    others = Q[:, 1:-1]
    # a tie is 2 n u |y| = 2^-43.4
    size = 0.6 - np.append(2.0**-45, np.arange(n_tied - 1) * 2.0**-53)
    tied = y[:, None] * size + others * np.sqrt(1 - size**2)
    X = np.column_stack([tied, Q[:, 1:-1]])
    problem = cb.Problem(X, y, loss, center=False, scale=False)
    assert problem.tie > 2.0**-45 + 4e-15
    look = (
        cb.engine.LookaheadState
        if isinstance(loss, cb.losses.Squared)
        else cb.engine.WorkingSetState
    )
    runs = [
        cb.solve(problem, cb.forward_stagewise(1e-3), 1, model_state=model_state)
        for model_state in (look, cb.engine.NaiveState)
    ]
    assert [run.path.learner.tolist() for run in runs] == [[0], [0]]


@pytest.mark.parametrize("model_state", STATES.values(), ids=STATES)
def test_a_winner_has_half_the_largest_correlation(model_state):
    """Even where the largest correlation is within the rounding of the one at the start."""
    problem = cb.Problem(np.eye(4), [1.0, 0.0, 1e-17, 0.0], center=False, scale=False)
    run = cb.solve(problem, cb.ls_boost(1.0), 2, model_state=model_state)
    assert problem.tie > 1e-17 and run.path.learner.tolist() == [0, 2]
