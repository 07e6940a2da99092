"""Trees on Dask workers that are killed, and clients that are: same model, clean workers."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from reference_sets import needs_compiler

import coordboost as cb
from coordboost.data.bins_on_parts import TableOnParts
from coordboost.learners.parts import LocalParts, Part

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = needs_compiler

#: The rows of a block; see ``coordboost.learners.parts``.
BLOCK = 1 << 14
N_TREES = 12
N_TRIALS = 20
#: Seconds in which a trial ends, a restart of the lost worker and its compiled code included.
LONGEST = 180
#: Kills of a worker after which a cluster is made anew: after some more it brings back none.
PER_CLUSTER = 5
RNG = np.random.default_rng(0)
X = RNG.normal(size=(70_000, 6)).astype(np.float32)
Y = X[:, 4] * X[:, 5] + X[:, 1] + RNG.normal(size=len(X))
OPTIONS = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}

#: A program that boosts until it is ended, on a cluster, its own if there is no other.
CLIENT = """
import os
import sys
import dask.array as da
import distributed
import numpy as np
import coordboost as cb

if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else None
    own = {} if address else {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    client = distributed.Client(address, direct_to_workers=True, **own)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70_000, 6)).astype(np.float32)
    lazy = client.persist(da.from_array(X, chunks=(20_000, 6)))
    print(*client.run(os.getpid).values(), flush=True)
    problem = cb.Problem(cb.data.trees(lazy, max_depth=5), X[:, 1])
    cb.solve(problem, cb.gbm(0.1), 1)
    print("grows trees", flush=True)
    cb.solve(problem, cb.gbm(0.1), 100_000)
"""


class LosesParts(LocalParts):
    """Parts of which one is lost, and made again, before every message."""

    def __init__(self, given, n_samples):
        super().__init__([Part(*of_part) for of_part in given], n_samples)
        self.given = given

    def answers(self, message):
        lost = self.n_seen % len(self.parts)
        self.parts[lost] = Part(*self.given[lost])
        earlier = [self.for_part(lost, message) for message in self.earlier()]
        for k, part in enumerate(self.parts):
            before = earlier if k == lost else None
            yield k, part.receive(self.n_seen, before, self.for_part(k, message))


def test_a_part_lost_before_any_message_changes_no_bit():
    n_rows = 2 * BLOCK
    given = [([X[:n_rows]], [0], [n_rows], np.arange(2), n_rows)]
    given += [([X[n_rows:]], [0], [len(X) - n_rows], np.arange(2, 5), len(X) - n_rows)]
    run = boosted(TableOnParts(LosesParts(given, len(X))), 3)
    assert_same(run, boosted(X, 3))


@contextlib.contextmanager
def cluster(folder):
    """A cluster of two processes, and a client of it."""
    with (
        distributed.LocalCluster(local_directory=folder, **OPTIONS) as two,
        distributed.Client(two, direct_to_workers=True) as client,
    ):
        yield client


@contextlib.contextmanager
def limit(seconds):
    """Raise an error in what takes longer, so that nothing hangs."""

    def end(signum, frame):
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def boosted(table, n_trees=N_TREES):
    problem = cb.Problem(cb.data.trees(table, max_depth=5), Y)
    return cb.solve(problem, cb.gbm(0.1), n_trees)


def assert_same(run, other):
    np.testing.assert_array_equal(run.path.theta, other.path.theta)
    for own, its in zip(run.problem.dictionary.trees, other.problem.dictionary.trees, strict=True):
        np.testing.assert_array_equal(own, its)
    assert run.final.loss == other.final.loss


def pids(client):
    return list(client.run(os.getpid).values())


def n_kept(client):
    """The number of actors, and of tasks that run, on each worker."""
    return client.run(
        lambda dask_worker: (len(dask_worker.state.actors), dask_worker.state.executing_count)
    )


@pytest.mark.slow
def test_workers_killed_at_any_moment_change_no_bit(tmp_path):
    here = boosted(X)
    lazy = da.from_array(X, chunks=(20_000, 6))
    rng = np.random.default_rng(0)
    n_restored = 0
    for _ in range(N_TRIALS // PER_CLUSTER):
        with cluster(tmp_path) as client:
            boosted(lazy)
            began = time.perf_counter()
            boosted(lazy)
            usual = time.perf_counter() - began
            for _ in range(PER_CLUSTER):
                with limit(LONGEST):
                    client.wait_for_workers(1)
                    victim = rng.choice(pids(client))
                    killer = threading.Timer(
                        rng.uniform(0, usual), os.kill, (victim, signal.SIGKILL)
                    )
                    killer.start()
                    run = boosted(lazy)
                    killer.join()
                n_restored += run.problem.dictionary.parts.n_restored
                assert_same(run, here)
    assert n_restored >= N_TRIALS // 4


def started(*address):
    """A process that boosts trees on a cluster, and the process numbers of its workers."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return process, list(map(int, line.split()))


def wait_until(condition, seconds=10):
    """Wait until a condition holds; an error if it does not in time."""
    deadline = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < deadline
        time.sleep(0.1)


def is_idle(client):
    return not any(map(any, n_kept(client).values()))


@pytest.mark.slow
def test_clients_that_are_terminated_end_soon_and_leave_workers_clean(tmp_path):
    rng = np.random.default_rng(1)
    with cluster(tmp_path) as client:
        own = pids(client)
        for trial in range(N_TRIALS):
            with limit(LONGEST):
                process, workers = started(client.scheduler.address)
                if trial % 2:
                    assert process.stdout.readline() == "grows trees\n"
                    assert not is_idle(client)
                time.sleep(rng.uniform(0, 1))
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=5)
                assert process.returncode == -signal.SIGTERM and workers == own
                wait_until(lambda: is_idle(client))
        assert pids(client) == own
        with limit(LONGEST):
            assert_same(boosted(da.from_array(X, chunks=(20_000, 6))), boosted(X))


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_a_client_that_is_terminated_takes_its_own_workers_with_it():
    process, workers = started()
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=5)
    wait_until(lambda: all(map(is_gone, workers)), 5)


@pytest.mark.slow
def test_ctrl_c_keeps_the_steps_and_the_run_goes_on(tmp_path):
    rng = np.random.default_rng(2)
    lazy = da.from_array(X, chunks=(20_000, 6))
    with cluster(tmp_path) as client:
        problem = cb.Problem(cb.data.trees(client.persist(lazy), max_depth=5), Y)
        cb.solve(problem, cb.gbm(0.1), 2)
        for _ in range(5):
            after = rng.uniform(0.05, 0.5)
            ctrl_c = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
            ctrl_c.start()
            with limit(LONGEST), pytest.warns(cb.engine.InterruptedWarning):
                run = cb.solve(problem, cb.gbm(0.1), 100_000)
            assert run.status is cb.engine.Status.INTERRUPTED
            n_steps = run.n_steps
            assert_same(run.resume(3), boosted(X, n_steps + 3))
