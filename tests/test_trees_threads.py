"""A tree has the same bits in one call and on 1, 2 or 8 threads, however its work is cut."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from test_trees import table
from threadpoolctl import ThreadpoolController

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import coordboost as cb
from coordboost._numba import threads as common
from coordboost.dictionaries.trees import Grower, Growth, grower
from verification.benchmarks.harness import Contestant, Timed, compete
from verification.benchmarks.trees import later
from verification.benchmarks.trees_peers import Job

RNG = np.random.default_rng(8)
N, D = 700, 11
CODES = RNG.integers(0, RNG.integers(2, 60, (D, 1)), (D, N))
MISSING = np.where(np.arange(D) % 3 == 0, CODES.max(axis=1), -1)
CATEGORICAL = (np.arange(D) % 5 == 1).astype(int)
TARGET = RNG.standard_normal(N) + (CODES[1] > 3) * CODES[3] / 9
CASES = {
    "one weight": (Growth(5, min_samples=3), np.ones(1)),
    "weights": (Growth(5, min_samples=3), RNG.random(N)),
    "best first": (Growth(-1, 13, l2=1.0), np.ones(1)),
    "monotone": (Growth(4, monotone=(CATEGORICAL == 0).astype(int)), np.ones(1)),
}


@pytest.fixture
def on_threads(monkeypatch):
    """A function of a number of threads: a pool with so many, and work in small blocks."""
    pools = []

    def begin(n):
        pools.append(common.Pool(n))
        for module in (common, grower):
            monkeypatch.setattr(module, "pool", lambda: pools[-1])

    monkeypatch.setattr(grower, "LITTLE", 0)
    monkeypatch.setattr(grower, "BLOCK", 64)
    yield begin
    for pool in pools:
        pool.end()


def bits(one):
    """All that a tree is."""
    m, k = one.state.nodes, one.state.leaves
    return one.nodes[:m].tobytes(), one.values[:k].tobytes(), one.leaf.tobytes(), one.goes_left[:m].tobytes()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("features", [np.arange(D), np.array([0, 1, 3, 9, 10]), np.zeros(0, dtype=np.int64)], ids=len)
def test_same_bits(name, features, on_threads):
    growth, weight = CASES[name]
    binned, penalty = table(CODES, MISSING, CATEGORICAL), RNG.random(D)
    found = set()
    for threads in (1, 2, 3, 8, 2):
        on_threads(threads)
        one = Grower(binned, growth.check(binned))
        assert one.grow(TARGET, weight, features, penalty, len(weight) > 1) == one.state.leaves >= (2 if len(features) else 1)
        found.add(bits(one))
    assert len(found) == 1


def test_not_finite(on_threads):
    on_threads(2)
    binned = table(CODES)
    one = Grower(binned, CASES["one weight"][0].check(binned))
    assert one.grow(np.full(N, np.nan), np.ones(1), np.arange(D), np.zeros(D), False) == 0


RUNS = [(cb.gbm(0.3), False), (cb.gbm(0.3), True), (cb.rtgcd(select=cb.Groups(2)), False), (cb.agbm(0.5, 0.1), True)]
RUNS += [(cb.sglb(0.1, 100.0, share=0.5), False)]


@pytest.mark.parametrize(("method", "newton"), RUNS, ids=["gbm", "gbm, Newton", "groups", "agbm, Newton", "sglb"])
def test_a_run_has_the_same_bits_on_several_threads(on_threads, method, newton):
    on_threads(2)
    loss = cb.Logistic() if newton else cb.Squared()
    y = np.where(TARGET > 0, 1.0, -1.0) if newton else TARGET
    problem = cb.Problem(cb.trees(CODES.T.astype(float), max_depth=3, newton=newton), y, loss)
    several = cb.solve(problem, method, 12, rng=4)
    cut = cb.solve(problem, method, 5, rng=4).resume(7)
    on_threads(1)
    one = cb.solve(problem, method, 12, rng=4)
    for run in (several, cut):
        assert (run.path.learner == one.path.learner).all() and (run.path.theta == one.path.theta).all()
        assert (run.beta == one.beta).all() and (run.pred == one.pred).all()
        for ours, theirs in zip(run.problem.dictionary.trees, one.problem.dictionary.trees, strict=True):
            assert (ours == theirs).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_everybody_in_a_table_of_the_benchmark_has_its_threads(threads, on_threads):
    """XGBoost and scikit-learn take no more than OpenMP is said to have, whatever they are asked for; our own trees ask the pool."""
    importlib.import_module("sklearn.ensemble")  # with its OpenMP

    def peer(job):
        libraries = ThreadpoolController().lib_controllers
        return lambda: Timed({common.pool().n_threads, *(one.num_threads for one in libraries if one.user_api == "openmp")}, 1, 1)

    on_threads(2)
    run = later(peer, Job(None, None, False, 1, 1, threads))
    (row,) = compete([Contestant("peer", run)], lambda result: {"threads": result}, rounds=1)
    assert row["threads"] == {threads} and common.pool().n_threads == 2
