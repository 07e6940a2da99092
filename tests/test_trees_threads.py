"""A tree has the same bits in one call and on 1, 2 or 4 threads, however its work is cut."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from test_trees import table, tree_of

import coordboost as cb
from coordboost.dictionaries.trees import Growth, Workspace, grow_on_threads, tasks
from coordboost.engine import loop
from coordboost.engine.views.tasked import Tasked

RNG = np.random.default_rng(8)
N, D = 700, 11
CODES = RNG.integers(0, RNG.integers(2, 60, (D, 1)), (D, N))
MISSING = np.where(np.arange(D) % 3 == 0, CODES.max(axis=1), -1)
CATEGORICAL = (np.arange(D) % 5 == 1).astype(int)
TARGET = RNG.standard_normal(N) + (CODES[1] > 3) * CODES[3] / 9
POOL = ThreadPoolExecutor(2)
CASES = {
    "one weight": (Growth(5, min_samples=3), np.ones(1)),
    "weights": (Growth(5, min_samples=3), RNG.random(N)),
    "best first": (Growth(-1, 13, l2=1.0), np.ones(1)),
    "monotone": (Growth(4, monotone=(CATEGORICAL == 0).astype(int)), np.ones(1)),
}


@pytest.fixture(autouse=True)
def small_work(monkeypatch):
    monkeypatch.setattr(tasks, "LITTLE", 0)
    monkeypatch.setattr(tasks, "BLOCK", 64)
    monkeypatch.setattr(tasks, "pool", lambda: (POOL, 2))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("features", [np.arange(D), np.array([0, 1, 3, 9, 10]), np.zeros(0, dtype=np.int64)], ids=len)
def test_same_bits(name, features):
    growth, weight = CASES[name]
    binned, penalty = table(CODES, MISSING, CATEGORICAL), RNG.random(D)
    space, (_, growth, target, _, _, _) = tree_of(binned, growth, TARGET, weight, features, penalty)
    for threads in (1, 2, 4):
        other = Workspace.of(binned, growth)
        n_leaves = grow_on_threads(binned, growth, other, target, weight, features, penalty, threads)
        assert n_leaves == space.count.leaves and other.count.nodes == space.count.nodes
        assert other.nodes[: other.count.nodes].tobytes() == space.nodes[: space.count.nodes].tobytes()
        assert other.values[:n_leaves].tobytes() == space.values[:n_leaves].tobytes()
        assert (other.leaf == space.leaf).all() and (other.goes_left == space.goes_left).all()


def test_little_work_is_one_call(monkeypatch):
    monkeypatch.setattr(tasks, "LITTLE", N * D + 1)
    monkeypatch.setattr(tasks, "shares", None)
    growth, weight = CASES["one weight"]
    binned = table(CODES)
    growth = growth.check(binned)
    space = Workspace.of(binned, growth)
    assert grow_on_threads(binned, growth, space, TARGET, weight, np.arange(D), np.zeros(D), threads=2) > 1


def test_work_goes_on_where_all_other_threads_are_busy(monkeypatch):
    done, gate = [], threading.Event()
    with ThreadPoolExecutor(1) as one:
        one.submit(gate.wait)
        monkeypatch.setattr(tasks, "pool", lambda: (one, 2))
        try:
            assert tasks.shared_out(lambda k: done.append(k) or -k, range(5), 4) == [0, -1, -2, -3, -4]
        finally:
            gate.set()
    assert done == [0, 1, 2, 3, 4] and tasks.shared_out(abs, [], 4) == []


def test_a_fault_in_a_task_is_raised():
    with pytest.raises(ZeroDivisionError):
        tasks.shared_out(lambda k: 1 // k, [1, 2, 0, 3], 2)


@pytest.mark.parametrize("n", [0, 1, 4, 5, 50, 200])
@pytest.mark.parametrize("most", [2, 4, 99])
def test_shares_cover_all_features(n, most):
    found = tasks.shares(n, most)
    assert [k for first, last in found for k in range(first, last)] == list(range(n))
    assert len(found) <= min(most, 16) and all(first % 4 == 0 for first, _ in found)


def test_rows_before_each_block():
    blocks = [(3, 0, 5, 0), (3, 5, 10, 0), (3, 10, 11, 0), (4, 11, 12, 0), (4, 12, 20, 0)]
    assert list(tasks.before_each(blocks, [2, 4, 1, 0, 5])) == [0, 2, 6, 0, 0]


def test_not_finite():
    growth, weight = CASES["one weight"]
    binned = table(CODES)
    growth = growth.check(binned)
    space = Workspace.of(binned, growth)
    assert grow_on_threads(binned, growth, space, np.full(N, np.nan), weight, np.arange(D), np.zeros(D), threads=2) == 0


RUNS = [(cb.gbm(0.3), False), (cb.gbm(0.3), True), (cb.rtgcd(select=cb.Groups(2)), False), (cb.agbm(0.5, 0.1), True)]


@pytest.mark.parametrize(("method", "newton"), RUNS, ids=["gbm", "gbm, Newton", "groups", "agbm, Newton"])
def test_a_run_has_the_same_bits_on_several_threads(monkeypatch, method, newton):
    loss = cb.Logistic() if newton else cb.Squared()
    y = np.where(TARGET > 0, 1.0, -1.0) if newton else TARGET
    problem = cb.Problem(cb.trees(CODES.T.astype(float), max_depth=3, newton=newton), y, loss)
    several = cb.solve(problem, method, 12, rng=4)
    cut = cb.solve(problem, method, 5, rng=4).resume(7)
    monkeypatch.setattr(tasks, "LITTLE", N * D + 1)
    one = cb.solve(problem, method, 12, rng=4)
    for run in (several, cut):
        assert (run.path.learner == one.path.learner).all() and (run.path.theta == one.path.theta).all()
        assert (run.beta == one.beta).all() and (run.pred == one.pred).all()
        for ours, theirs in zip(run.problem.dictionary.trees, one.problem.dictionary.trees, strict=True):
            assert (ours == theirs).all()


def test_a_run_of_much_work_grows_in_tasks(monkeypatch):
    grown = []
    monkeypatch.setattr(tasks, "every_share", tasks.shares, raising=False)
    monkeypatch.setattr(tasks, "shares", lambda *args: grown.append(args) or tasks.every_share(*args))
    problem = cb.Problem(cb.trees(CODES.T.astype(float), max_depth=2), TARGET)
    cb.solve(problem, cb.gbm(0.3), 3)
    assert len(grown) >= 3 * 3  # features, rows and nodes
    monkeypatch.setattr(tasks, "LITTLE", N * D + 1)
    grown.clear()
    cb.solve(problem, cb.gbm(0.3), 3)
    assert not grown


def test_few_features_of_many_are_little_work(monkeypatch):
    """Steps around searches on several threads are in plain Python: what they cost is paid where a step looks at much."""
    problem, around = cb.Problem(cb.trees(CODES.T.astype(float), max_depth=2), TARGET), []
    monkeypatch.setattr(loop, "Tasked", lambda *args: around.append(1) or Tasked(*args))
    for least, expected in ((2 * N, True), (2 * N + 1, False)):
        monkeypatch.setattr(tasks, "LITTLE", least)
        cb.solve(problem, cb.rtgcd(select=cb.Groups(2)), 2)
        assert bool(around) == expected
        around.clear()
