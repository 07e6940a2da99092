"""Few columns: greedy runs on the Gram matrix find the largest correlation on bits."""

import numpy as np
import pytest

import coordboost as cb
from coordboost.engine import result as engine_result
from coordboost.engine import run as engine_run
from coordboost.theory.bounds import trail

METHODS = {
    "FS": cb.forward_stagewise(0.25),
    "R-FS": cb.regularized_forward_stagewise(0.25, 8.0),
    "LS-Boost": cb.ls_boost(0.5),
    "line search": cb.methods.gcd(cb.rules.LineSearch()),
    "Frank-Wolfe": cb.methods.frank_wolfe(5.0),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_the_steps_of_the_plain_search_bit_for_bit(method, weighted):
    """Whole numbers, copies and signs make many correlations tie."""
    rng = np.random.default_rng(5)
    for n_columns in (1, 3, 8, 21):
        X = rng.integers(-2, 3, (30, n_columns)) * 1.0
        X[:, 1::3] = -X[:, :1]
        X[0] += 1.0
        weight = rng.integers(1, 4, 30) * 1.0 if weighted else None
        problem = cb.Problem(X, rng.integers(-9, 10, 30) * 1.0, sample_weight=weight)
        runs = [
            cb.solve(problem, METHODS[method], 200, **options)
            for options in ({}, {"compile": False}, {"model_state": cb.engine.CovarianceState})
        ]
        assert runs[0].n_scans == 1 and runs[0].n_gram_columns == problem.n_learners
        for run in runs[1:]:
            assert run.path.learner.tobytes() == runs[0].path.learner.tobytes()
        assert runs[2].beta.tobytes() == runs[0].beta.tobytes()
        np.testing.assert_allclose(runs[1].beta, runs[0].beta, rtol=0, atol=1e-12 * 9)


def test_a_zero_target_and_a_diverging_run_end_as_usual():
    X = np.eye(6)[:, :3] + np.arange(6.0)[:, None]
    still = cb.solve(cb.Problem(X, np.full(6, 2.0)), cb.forward_stagewise(0.5), 10)
    assert still.final.l1 <= 0.5
    far = cb.solve(cb.Problem(X, np.arange(6.0)), cb.forward_stagewise(np.array([1e100, 1e250])), 2)
    assert far.status is cb.engine.Status.DIVERGED and far.n_steps == 1


@pytest.mark.parametrize("first", [np.inf, -np.inf, np.nan])
def test_a_search_among_numbers_that_left_the_range_ends(first):
    problem = cb.Problem(np.eye(6)[:, :3] + np.arange(6.0)[:, None], np.arange(6.0))
    state = cb.solve(problem, cb.ls_boost(0.5), 1).model_state.start(problem)
    for j in range(3):
        state.corr[:] = 1.0
        state.corr[j] = first
        assert state.best(None, None)[0] == (0 if np.isnan(first) else j)


def test_a_weighted_gram_matrix_of_many_rows():
    """Rows are weighted some at a time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 3))
    weight = rng.uniform(0.5, 2.0, 70_000)
    problem = cb.Problem(X, X @ [1.0, 2, 0], sample_weight=weight)
    rows = problem.dictionary.rows
    gram = problem.dictionary.gram(problem.weight)
    np.testing.assert_allclose(gram, (rows * problem.weight) @ rows.T, rtol=0, atol=1e-13)


def test_the_last_state_of_a_run_is_kept_but_not_shared_with_a_watching_function():
    X = np.random.default_rng(1).normal(size=(40, 4))
    seen = []
    run = cb.solve(cb.Problem(X, X[:, 0]), cb.ls_boost(0.1), 50, watch=seen.append)
    assert run.final is run.final and run.final.k == seen[-1].k == 50
    assert not np.shares_memory(run.final.beta, seen[-1].beta)
    assert run.final.loss == next(run.replay([50])).loss and run.final.seconds == run.seconds


@pytest.mark.parametrize("method", ["FS", "R-FS", "Frank-Wolfe"])
def test_points_on_a_path_are_those_of_replayed_states(method):
    X = np.random.default_rng(2).normal(size=(40, 5))
    run = cb.solve(cb.Problem(X, X @ [9.0, 7, 5, 3, 1]), METHODS[method], 333)
    states = list(run.replay(range(334)))
    for k in (0, 1, 5, 6, 7, 100, 332, 333):
        value = states[k].l1
        step = run.step_at(cb.lasso.PathPoint(l1=value))
        assert states[step].l1 >= value * (1 - 1e-12)
        assert step == 0 or states[step - 1].l1 < value
        found, plain = run._state_after(k), next(run.replay([k]))
        assert found.beta.tobytes() == plain.beta.tobytes() and found.k == k


def test_losses_are_computed_once_and_belong_to_the_caller():
    X = np.random.default_rng(3).normal(size=(20, 3))
    run = cb.solve(cb.Problem(X, X[:, 0]), cb.ls_boost(0.1), 9)
    first = run.losses
    kept = first.copy()
    first[:] = 0.0
    np.testing.assert_array_equal(run.losses, kept)
    assert run.losses[3] == pytest.approx(next(run.replay([3])).loss, rel=1e-12)


@pytest.mark.parametrize("eps", [1.0, 200.0])
def test_a_rise_of_the_loss_is_seen_without_a_pass_over_the_rows(eps):
    X = np.random.default_rng(4).normal(size=(50, 3))
    problem = cb.Problem(X, X @ [3.0, 2, 1])
    method = cb.forward_stagewise(np.full(5, eps))
    few, plain = (
        cb.solve(problem, method, 5, model_state=state) for state in (None, cb.engine.NaiveState)
    )
    assert few.message == plain.message and (few.rise > 0) == (eps == 200.0)
    assert few.rise == pytest.approx(plain.rise, rel=1e-9)


def test_no_cliff_where_the_gram_matrix_ends():
    """Up to 400 columns no step needs a scan; one more needs few, and less than all Gram
    columns.
    """
    X = np.random.default_rng(8).normal(size=(150, 401))
    y = X[:, :5].sum(axis=1)
    method = cb.forward_stagewise(0.05)
    few, more = (cb.solve(cb.Problem(X[:, :p], y), method, 2_000) for p in (400, 401))
    assert (few.n_scans, few.n_gram_columns) == (1, 400)
    assert more.n_scans <= 10 and more.n_gram_columns <= 400
    np.testing.assert_array_equal(few.path.learner[:500], more.path.learner[:500])


def counted(monkeypatch, module, name, size=lambda *args: 1):
    """A list that gets the size of each call of a function."""
    plain = getattr(module, name)
    sizes = []

    def call(*args, **kwargs):
        sizes.append(size(*args))
        return plain(*args, **kwargs)

    monkeypatch.setattr(module, name, call)
    return sizes


def test_what_follows_from_a_long_run_is_computed_once(monkeypatch):
    """To find a point the run is replayed from one of 64 places; the losses of all steps are
    computed once, and a check follows the run once for all theorems.
    """
    X = np.random.default_rng(6).normal(size=(60, 8))
    n_steps = 20_000
    run = cb.solve(cb.Problem(X, X @ np.arange(8.0)), cb.forward_stagewise(1e-3), n_steps)
    replayed = [
        counted(monkeypatch, module, "retrace", lambda _, path, start, stop: stop - start)
        for module in (engine_run, engine_result)
    ]
    for share in np.linspace(0.1, 0.9, 9):
        run.coef_at(l1=share * run.final.l1)
    most_of_a_point = n_steps * (1 + (2 + np.log2(n_steps)) / 64)
    assert sum(map(sum, replayed)) <= n_steps + 9 * most_of_a_point
    losses = counted(monkeypatch, engine_result, "training_losses")
    assert [len(run.losses) for _ in range(3)] == [n_steps + 1] * 3 and len(losses) == 1
    follow = counted(monkeypatch, trail, "_along")
    assert len(cb.theory.check(run)) > 3 and len(follow) == 1
