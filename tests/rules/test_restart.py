"""Momentum with restarts: after fixed periods, where the loss rises, and where a run violates the
bound of its theorem.

Source: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*, Algorithm
3; docs/accelerated.md.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from designs import as_it_is

import coordboost as cb

#: Codes in the shrink column of a path: momentum restarts, a move is undone, gamma is divided by
#: four.
RESTART = -1.0
UNDO = -2.0
SLOWER = -3.0
RNG = np.random.default_rng(2)


def identity(n, y):
    return as_it_is(np.eye(n), np.array(y, dtype=float))


FIVE = identity(5, [5, 4, 3, 2, 1])
TEN = identity(10, range(10, 0, -1))
WEIGHTS = np.geomspace(1e-3, 1, 4)


def best_fit(v):
    """The multiple of a unit vector that fits v best."""
    out = np.zeros_like(v)
    j = int(np.argmax(np.abs(v)))
    out[j] = v[j]
    return out


def restarted(y, eta, gamma, n_rows, period):
    """AGBM with restart on the identity, written out: f after each row, and the code of each
    row.
    """
    f = 0 * y
    h = 0 * y
    left = 0 * y
    m = 0
    out = []
    rows = []
    begin = 1.0
    while len(rows) < n_rows:
        mix = 2 / (m + 2)
        g = (1 - mix) * f + mix * h
        r = y - g
        before = f
        f = g + eta * best_fit(r)
        rows.append(begin)
        if period is None and m > 0 and np.sum((y - f) ** 2) > np.sum((y - before) ** 2):
            f = before
            out.append(f)
            h = f
            left = 0 * y
            m = 0
            begin = UNDO
            continue
        c = r + (m + 1) / (m + 2) * left
        fit = best_fit(c)
        h = h + gamma * eta / mix * fit
        left = c - fit
        out += [f, f]
        rows.append(0.0)
        m += 1
        begin = 2 / (m + 2)
        if m == period:
            h = f
            left = 0 * y
            m = 0
            begin = RESTART
    return out[:n_rows], rows[:n_rows]


@pytest.mark.parametrize("period", [1, 7, None])
@pytest.mark.parametrize("n, gamma", [(5, 0.5), (10, 0.3), (10, 0.01)])
def test_restart_is_the_algorithm_of_the_paper(n, gamma, period):
    problem = identity(n, np.sqrt(np.arange(2, n + 2)))  # all scores differ
    run = cb.solve(problem, cb.agbmr(0.7, gamma, period, guard=False), 150)
    naive, rows = restarted(problem.y, 0.7, gamma, 150, period)
    assert run.path.shrink.tolist() == rows
    after_undo = np.flatnonzero(run.path.shrink == UNDO)
    for state, f in zip(run.replay(range(1, 151)), naive, strict=True):
        if state.k not in after_undo:  # a move is taken back in the next row
            np.testing.assert_allclose(state.pred, f, atol=1e-13 * 10)


def test_moves_that_raise_the_loss_are_taken_back():
    """The loss never rises, except in the row before a move is taken back."""
    run = cb.solve(TEN, cb.agbmr(1.0, 0.3), 200)
    losses = np.array([state.loss for state in run.replay(range(201))])
    kept = np.delete(losses, np.flatnonzero(run.path.shrink == UNDO))
    assert (np.diff(kept) <= 0).all() and (run.path.shrink == UNDO).sum() > 3 and losses[-1] < 1e-20


@pytest.mark.parametrize("problem, gamma, diverged", [(FIVE, 0.5, 8.1e10), (TEN, 0.3, 1.11e7)])
def test_the_guard_acts_where_agbm_diverges(problem, gamma, diverged):
    """Expected losses without the guard are from the specification."""
    without = cb.solve(problem, cb.agbm(1.0, gamma, guard=False), 160)
    assert without.final.loss == pytest.approx(diverged, rel=1e-2)
    run = cb.solve(problem, cb.agbm(1.0, gamma), 400)
    first = int(np.flatnonzero(run.path.shrink == SLOWER)[0])
    losses = np.array([state.loss for state in without.replay(range(first + 1))])
    assert (
        "returned to its best model" in run.message
        and losses.argmin() == first
        and run.n_scans > run.n_steps
    )
    assert run.final.loss < 1e-3 * losses.min()
    assert (run.path.learner[:first] == without.path.learner[:first]).all()


def test_a_guarded_run_is_the_same_however_it_is_cut(tmp_path):
    whole = cb.solve(TEN, cb.agbm(1.0, 0.3), 100)
    for cut in (10, 17, 18, 25, 36, 37, 60):
        again = cb.solve(TEN, cb.agbm(1.0, 0.3), cut).resume(100 - cut)
        assert (again.beta == whole.beta).all() and (
            again.path.shrink == whole.path.shrink
        ).all(), cut
    whole.save(tmp_path / "run")
    loaded = cb.load(tmp_path / "run")
    assert (
        loaded.message == whole.message and (loaded.resume(60).beta == whole.resume(60).beta).all()
    )
    assert (cb.solve(TEN, cb.agbm(1.0, 0.3), 100, compile=False).beta == whole.beta).all()


def admissible(n):
    """(1 - sqrt(1 - Theta^2))^2 for the identity, where Theta^2 = 1 / n."""
    return (1 - math.sqrt(1 - 1 / n)) ** 2


@pytest.mark.parametrize("seed", range(20))
def test_the_guard_is_silent_where_the_theorem_holds(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    y = rng.integers(-9, 10, size=n) + 0.25 * rng.random(n)
    weight = 10.0 ** rng.uniform(-4, 0, size=n)
    problem = cb.Problem(
        np.eye(n) / np.sqrt(weight), y, sample_weight=weight, center=False, scale=False
    )
    guarded, plain = (
        cb.solve(problem, cb.agbm(1.0, admissible(n), guard), 600) for guard in (True, False)
    )
    assert (
        guarded.beta == plain.beta
    ).all() and "returned to its best model" not in guarded.message
    losses = np.array([state.loss for state in plain.replay(range(1, 601, 2))])
    m = np.arange(1, len(losses) + 1)
    assert (losses <= problem.start_loss * (1 + (m - 1) / (m + 1) ** 2) * (1 + 1e-12)).all()


def test_the_period_of_the_theorem_halves_the_gap():
    """M = ceil(sqrt(8 / (eta gamma mu))); half of that, the printed length, fails in one
    dimension.
    """
    one = identity(1, [1.0])
    for eta, gamma in [(1e-2, 0.2), (0.1, 0.9), (1.0, 1.0)]:
        period = math.ceil(math.sqrt(8 / (eta * gamma)))
        run = cb.solve(one, cb.agbmr(eta, gamma, period), 12 * period)
        losses = [state.loss for state in run.replay(range(0, 12 * period + 1, 2 * period))]
        assert all(later <= earlier / 2 for earlier, later in pairwise(losses))
    printed = cb.solve(one, cb.agbmr(1e-3, 0.2, 100), 200)
    assert printed.final.loss / one.start_loss == pytest.approx(0.5486077957790575, rel=1e-9)


def test_trees():
    """The guard also works for learners found by a search: learners of the abandoned part are
    removed.
    """
    X = RNG.normal(size=(120, 3))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.1 * RNG.normal(size=120)
    problem = cb.Problem(cb.data.trees(X, max_depth=2), y)
    wild, run = (cb.solve(problem, cb.agbm(1.0, 0.5, guard), 120) for guard in (False, True))
    assert wild.final.loss > problem.start_loss > 10 * run.final.loss and SLOWER in run.path.shrink
    assert run.problem.n_learners == len(run.beta) == 120 == len(set(run.path.learner.tolist()))
    np.testing.assert_allclose(run.predict(X), run.pred + problem.constant, atol=1e-10)
    assert (cb.solve(problem, cb.agbm(1.0, 0.5), 50).resume(70).beta == run.beta).all()


@pytest.mark.parametrize("period", [0, 1.5, -1, "often"])
def test_periods_are_whole(period):
    with pytest.raises(
        ValueError, match=r"period must be a whole number >= 1 and below 2\^62, or None"
    ):
        cb.agbmr(1.0, 0.1, period)
