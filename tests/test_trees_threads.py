"""A tree has the same bits in one call and on 1, 2 or 4 threads, however its work is cut."""

import importlib
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from test_trees import table, tree_of
from threadpoolctl import ThreadpoolController

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import coordboost as cb
from coordboost import _crew
from coordboost._atomic import ATOMIC
from coordboost.dictionaries.trees import GrownTogether, Growth, Workspace, forest, grow, rows, tasks, workspace
from coordboost.dictionaries.trees.histogram import where
from verification.benchmarks.harness import Contestant, Timed, compete
from verification.benchmarks.trees import later
from verification.benchmarks.trees_peers import Job

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
    for module in (tasks, _crew):
        monkeypatch.setattr(module, "pool", lambda: (POOL, 2))


def grown(binned, growth, space, *rest, threads=None):
    """The leaves of a tree that several threads grew."""
    target, weight, _, penalty = rest
    with GrownTogether(binned, growth, space, target, weight, penalty, threads=threads):
        return grow.ready(binned, growth, space, *rest)(binned, growth, space, *rest)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("features", [np.arange(D), np.array([0, 1, 3, 9, 10]), np.zeros(0, dtype=np.int64)], ids=len)
def test_same_bits(name, features):
    growth, weight = CASES[name]
    binned, penalty = table(CODES, MISSING, CATEGORICAL), RNG.random(D)
    space, (_, growth, target, _, _, _) = tree_of(binned, growth, TARGET, weight, features, penalty)
    other = Workspace.of(binned, growth)
    for threads in (1, 2, 3, 8, 2):
        n_leaves = grown(binned, growth, other, target, weight, features, penalty, threads=threads)
        assert n_leaves == space.count.leaves and other.count.nodes == space.count.nodes
        assert other.nodes[: other.count.nodes].tobytes() == space.nodes[: space.count.nodes].tobytes()
        assert other.values[:n_leaves].tobytes() == space.values[:n_leaves].tobytes()
        assert (other.leaf == space.leaf).all() and (other.goes_left == space.goes_left).all()


def simple():
    """A table, limits and what else a tree takes."""
    binned, growth = table(CODES), CASES["one weight"][0].check(table(CODES))
    return binned, growth, Workspace.of(binned, growth), TARGET, np.ones(1), np.arange(D), np.zeros(D)


@pytest.mark.skipif(not ATOMIC, reason="in plain Python nobody helps")
def test_helpers_take_tasks():
    data, until = simple(), time.monotonic() + 60
    run, candidates = grow.ready(*data), data[2].candidates
    with GrownTogether(*data[:5], data[-1]):
        while time.monotonic() < until and not (candidates[1]["feature"] >= 0).any():
            run(*data)
    assert (candidates[1]["feature"] >= 0).any()


def test_work_goes_on_where_all_other_threads_are_busy(monkeypatch):
    gate, data = threading.Event(), simple()
    with ThreadPoolExecutor(1) as one:
        one.submit(gate.wait)
        monkeypatch.setattr(_crew, "pool", lambda: (one, 2))
        try:
            assert grown(*data, threads=4) > 1
        finally:
            gate.set()


def test_one_thread_again_afterwards():
    data = simple()
    count = data[2].count
    before = count.threads, count.block
    grown(*data)
    assert (count.threads, count.block) == before == (1, N)


@pytest.mark.skipif(not ATOMIC, reason="in plain Python nobody helps")
def test_a_fault_of_a_helper_is_raised():
    came = threading.Event()

    def attend(k):
        came.set()
        return 1 // (k - 1)

    with pytest.raises(ZeroDivisionError), _crew.Helped(_crew.Crew.empty(), attend, 1):
        came.wait()


def test_tasks_are_taken_once_and_in_order():
    crew = _crew.Crew.empty()
    assert _crew.next_task(crew) == -1
    _crew.open_tasks(crew, 3)
    assert [_crew.next_task(crew) for _ in range(5)] == [0, 1, 2, -1, -1]
    with _crew.Helped(crew, abs, 0):
        assert _crew.next_task(crew) == -1
        _crew.open_tasks(crew, 1)
        assert _crew.next_task(crew) == 0
    assert _crew.next_task(crew) == -2


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_all_tasks_are_done_by_one_where_nobody_helps(n, shared):
    crew, done = _crew.Crew.empty(), []
    k = _crew.first_task(crew, n, shared)
    while k >= 0:
        done.append(k)
        k = _crew.task_after(crew, n, shared, k)
    assert done == list(range(n)) and crew.done[_crew.ALONE] == (n if shared else 0)


def test_no_two_threads_write_to_one_line_of_the_cache():
    """Where they did, four features took as long as eight."""
    binned, line = table(RNG.integers(0, 255, (9, 600))), workspace.LINE
    space = Workspace.of(binned, Growth(2).check(binned))
    for slot in range(2):
        for first in (0, 4, 8):
            begin = where(binned, space, np.arange(9), slot, first)[0]
            assert (space.histograms.ctypes.data + 8 * begin) % line == 0
    for scratch in (space.sums, space.tallies, space.scores, space.order):
        assert scratch.ctypes.data % line == 0 and scratch.strides[0] % line == 0
    used = space.candidates.dtype.itemsize * len(space.nodes)
    assert space.candidates.strides[0] - used >= line
    assert line <= _crew.ALONE * 8 and len(space.crew.ticket) * 8 == len(space.crew.done) * 8 >= 2 * line


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("n_features", [1, 4, 6, 27, 28, 50])
def test_every_feature_is_in_one_task_and_no_thread_has_a_task_more(n_features, threads):
    fours, n = tasks.share(n_features, threads)
    parts = [range(n_features)[tasks.first_of(k, fours) : tasks.first_of(k + 1, fours)] for k in range(n)]
    assert [feature for part in parts for feature in part] == list(range(n_features)) and all(parts)
    assert {len(part) for part in parts[:fours][:-1]} <= {4} and all(len(part) <= 2 for part in parts[fours:])
    busy = [0] * threads
    for part in parts:
        busy[busy.index(min(busy))] += len(part)
    assert threads != 2 or max(busy) <= workspace.multiple_of(2, (n_features + 1) // 2)


def test_rows_before_each_block():
    space = simple()[2]
    blocks = [(3, 0, 5, 2), (3, 5, 10, 4), (3, 10, 11, 1), (4, 11, 12, 0), (4, 12, 20, 5)]
    space.blocks[["node", "first", "last", "left"]][:5] = blocks
    rows.count_before(space.blocks, 5)
    assert space.blocks["left"][:5].tolist() == [0, 2, 6, 0, 0]


def test_not_finite():
    binned, growth, space, _, *rest = simple()
    assert grown(binned, growth, space, np.full(N, np.nan), *rest) == 0


RUNS = [(cb.gbm(0.3), False), (cb.gbm(0.3), True), (cb.rtgcd(select=cb.Groups(2)), False), (cb.agbm(0.5, 0.1), True)]
RUNS += [(cb.sglb(0.1, 100.0, share=0.5), False)]


@pytest.mark.parametrize(("method", "newton"), RUNS, ids=["gbm", "gbm, Newton", "groups", "agbm, Newton", "sglb"])
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


@pytest.mark.parametrize(("select", "looked"), [(None, N * D), (cb.Groups(2), 2 * N)], ids=["all", "two features"])
def test_threads_come_where_a_step_looks_at_much(monkeypatch, select, looked):
    problem, came = cb.Problem(cb.trees(CODES.T.astype(float), max_depth=2), TARGET), []
    method = cb.gbm(0.3) if select is None else cb.rtgcd(select=select)
    monkeypatch.setattr(forest, "GrownTogether", lambda *args: came.append(1) or GrownTogether(*args))
    for least, expected in ((looked, True), (looked + 1, False)):
        monkeypatch.setattr(tasks, "LITTLE", least)
        cb.solve(problem, method, 2)
        assert bool(came) == expected
        came.clear()


@pytest.mark.parametrize("threads", [1, 2])
def test_everybody_in_a_table_of_the_benchmark_has_its_threads(threads):
    """XGBoost and scikit-learn take no more than OpenMP is said to have, whatever they are asked for; our own trees ask the pool."""
    importlib.import_module("sklearn.ensemble")  # with its OpenMP

    def peer(job):
        libraries = ThreadpoolController().lib_controllers
        return lambda: Timed({tasks.pool()[1], *(one.num_threads for one in libraries if one.user_api == "openmp")}, 1, 1)

    run = later(peer, Job(None, None, False, 1, 1, threads))
    (row,) = compete([Contestant("peer", run)], lambda result: {"threads": result}, rounds=1)
    assert row["threads"] == {threads} and tasks.pool()[1] == 2
