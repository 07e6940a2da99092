"""Columns on disk give the same learners and coefficients as columns in memory, for every kind of
storage and chunk.
"""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from designs import ROUNDOFF
from reference_sets import needs_compiler
from refusal import refused
from stored import SOURCES, N, P, dask, data, every_source, pair, saved

import coordboost as cb
from coordboost import Problem

N_STEPS = 100
METHODS = {
    "forward_stagewise": cb.forward_stagewise(0.05),
    "ls_boost": cb.ls_boost(0.1),
    "regularized": cb.regularized_forward_stagewise(0.05, 3.0),
}


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Use tiles of about 1000 entries, so that these small matrices have many of them."""
    monkeypatch.setattr("coordboost.learners.stores.npy.TILE", 1000)
    monkeypatch.setattr("coordboost.learners.stores.zarray.TILE", 1000)
    monkeypatch.setattr("coordboost.learners.stores.parquet.TILE", 6000)
    monkeypatch.setattr("coordboost.learners.chunked.PIECE", 300)


@every_source
def test_runs_are_those_in_memory(source, tmp_path):
    stored, dense = pair(tmp_path, source, *data())
    for method in METHODS.values():
        run, expected = (cb.solve(problem, method, N_STEPS) for problem in (stored, dense))
        assert run.model_state is cb.engine.LookaheadState
        np.testing.assert_array_equal(run.path.learner, expected.path.learner)
        # a step is a correlation: it has a rounding error of order N roundoffs, and inherits the
        # errors of past steps
        np.testing.assert_allclose(
            run.coef,
            expected.coef,
            rtol=0,
            atol=N_STEPS * N * ROUNDOFF * np.abs(expected.coef).max(),
        )
        assert (
            abs(run.intercept - expected.intercept)
            <= N_STEPS * N * P * ROUNDOFF * np.abs(expected.coef).max() * 60
        )
        gap = run.certificate(cb.certificates.L1Ball(3.0)).gap
        expected_gap = expected.certificate(cb.certificates.L1Ball(3.0)).gap
        assert gap == pytest.approx(expected_gap, rel=1e-9)


@every_source
@pytest.mark.parametrize("center, weighted", [(True, False), (True, True), (False, False)])
def test_verbs(source, center, weighted, tmp_path):
    X, y = data(40, 25)
    X[:, 7] += np.arange(40) == 3
    rng = np.random.default_rng(1)
    weight = rng.uniform(0, 2, 40) * (rng.random(40) < 0.9) if weighted else np.ones(40)
    D = Problem(SOURCES[source](tmp_path, X), y, sample_weight=weight, center=center).dictionary
    B = X - (weight @ X / weight.sum() if center else 0)
    B /= np.sqrt(weight @ B**2)
    # subtracted means are up to 100 times the spread of a column, and are sums over 40 samples
    tolerance = 100 * (20 + 40) * ROUNDOFF * max(1, np.abs(B).max())
    v = rng.normal(size=40)
    beta = rng.normal(size=25) * (rng.random(25) < 0.5)
    index = np.array([5, 0, 24, 5])
    assert (D.n_samples, D.n_learners) == B.shape
    for found, expected in [
        (D.gather(np.arange(25)), B),
        (D.gather(index), B[:, index]),
        (D.gather(index[:0]), B[:, :0]),
        (D.column(3), B[:, 3]),
        (D.scan(v), v @ B),
        (D.correlations(v, index), v @ B[:, index]),
        (D.dot(4, v), v @ B[:, 4]),
        (D.combine(beta), B @ beta),
        (D.combine(0 * beta), 0 * v),
        (D.gram(weight), (B.T * weight) @ B),
    ]:
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=0, atol=40 * tolerance)
    total = v.copy()
    assert D.add(2, 0.5, total) is None
    np.testing.assert_allclose(total, v + 0.5 * B[:, 2], rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    "source", ["npy, C order", "npy, Fortran order", "zarr, blocks", "parquet", "dask, blocks"]
)
def test_other_methods_and_model_states(source, tmp_path):
    """Random and cyclic rules, refitting, Frank-Wolfe, the covariance and the naive state."""
    X, y = data()
    stored, dense = pair(tmp_path, source, X, y)
    for method, model_state in [
        (cb.rtgcd(5), None),
        (cb.methods.ccd(), None),
        (cb.forward_stepwise(), None),
        (cb.methods.gcd(), cb.engine.CovarianceState),
        (cb.methods.gcd(), cb.engine.NaiveState),
        (cb.methods.frank_wolfe(2.0), None),
    ]:
        run, expected = (
            cb.solve(problem, method, 12, model_state=model_state) for problem in (stored, dense)
        )
        np.testing.assert_array_equal(run.path.learner, expected.path.learner)
        np.testing.assert_allclose(
            run.beta, expected.beta, rtol=0, atol=1e-12 * np.abs(expected.beta).max()
        )


@pytest.mark.parametrize("source", ["npy, C order", "npy, Fortran order", "dask, blocks"])
def test_other_losses(source, tmp_path):
    X, y = data()
    stored, dense = pair(tmp_path, source, X, y > y.mean(), cb.losses.Logistic())
    run, expected = (
        cb.solve(problem, cb.forward_stagewise(0.1), 100) for problem in (stored, dense)
    )
    np.testing.assert_array_equal(run.path.learner, expected.path.learner)
    np.testing.assert_array_equal(run.beta, expected.beta)


@pytest.mark.parametrize("source", ["C", "F", "dask"])
def test_memory_for_learners(source, tmp_path, monkeypatch):
    """A run that may keep many, few or no learners in memory has the same result; with less memory
    it reads more.
    """
    monkeypatch.setattr(
        "coordboost.engine.loop.LOOK", np.inf
    )  # checks of the run read columns too, at times that depend on the clock
    X, y = data()
    passes = []
    runs = []
    opened = dask(X, (40, 100)) if source == "dask" else saved(tmp_path, X.copy(source))
    for memory in (1 << 28, 10 * N * 8, 0):
        with pytest.warns(cb.data.ConstantColumnWarning):
            problem = Problem(cb.data.open_columns(opened, memory=memory), y)
        runs.append(cb.solve(problem, cb.ls_boost(0.1), 200))
        assert len(problem.dictionary._held) <= memory // (8 * N)
        passes.append(problem.dictionary.passes)
    assert passes[0] < passes[1] < passes[2]
    np.testing.assert_array_equal(runs[0].path.learner, runs[2].path.learner)
    np.testing.assert_allclose(
        runs[0].beta, runs[2].beta, rtol=0, atol=1e-13 * np.abs(runs[0].beta).max()
    )


def test_passes_are_counted(tmp_path):
    X, y = data()
    with pytest.warns(cb.data.ConstantColumnWarning):
        problem = Problem(cb.data.open_columns(saved(tmp_path, np.asfortranarray(X))), y)
    D = problem.dictionary
    assert D.passes == 1
    D.scan(y), D.gram(problem.weight)
    assert D.passes == 3
    D.gather(np.arange(26)), D.gather(np.arange(26))
    assert D.passes == pytest.approx(3.1)
    with pytest.warns(cb.data.ConstantColumnWarning):
        by_row = Problem(cb.data.open_columns(saved(tmp_path, X)), y).dictionary
    by_row.column(3)
    assert by_row.passes == 2


def test_runs_are_saved_without_their_data(tmp_path):
    X, y = data()
    stored, _ = pair(tmp_path, "npy, C order", X, y)
    run = cb.solve(stored, cb.forward_stagewise(0.05), 300)
    refused(lambda: run.save(tmp_path / "a.run"), "cannot be saved")
    run.save(tmp_path / "b.run", data=False)
    again = cb.load(tmp_path / "b.run", stored).resume(200)
    np.testing.assert_array_equal(
        again.beta, cb.solve(stored, cb.forward_stagewise(0.05), 500).beta
    )


MEMORY = """
    import resource, sys
    import numpy as np
    import coordboost as cb

    p, n = 50_000, 1000
    rng, y = np.random.default_rng(0), 0
    with open(sys.argv[1], "wb") as handle:
        for _ in range(100):
            block = rng.random((p // 100, n))
            y = y + block[0]
            block.tofile(handle)
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    before = peak()
    columns = np.memmap(sys.argv[1], float, "r", shape=(p, n))
    problem = cb.Problem(cb.data.open_columns(columns, learners_first=True), y)
    run = cb.solve(problem, cb.forward_stagewise(0.01), 2000)
    print(len(set(run.path.learner)), problem.dictionary.passes, (peak() - before) * 1024)
"""


@needs_compiler
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts memory as Linux does")
def test_memory(tmp_path):
    """A run on a file of 400 MB takes less than half of that, its candidates and their Gram block
    included.
    """
    code = textwrap.dedent(MEMORY)
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "x.bin"], capture_output=True, text=True, check=True
    )
    learners, passes, grown = map(float, done.stdout.split())
    assert learners > 10 and passes < 10
    assert grown < 200e6


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_cluster(tmp_path):
    """Two worker processes, one of which is killed during a run: the completed and the resumed run
    are as in memory.
    """
    distributed = pytest.importorskip("distributed")
    X, y = data(100, 400)
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": None,
        "local_directory": tmp_path,
    }
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        for chunks in ((50, -1), (40, 200)):
            with pytest.warns(cb.data.ConstantColumnWarning):
                stored = Problem(cb.data.open_columns(dask(X, chunks).persist()), y)
                dense = Problem(X, y)
            killed = []

            def kill(state, killed=killed):
                if state.k > 10 and not killed:
                    killed.extend(client.run(os.getpid).values())
                    os.kill(killed[0], 9)

            method = cb.ls_boost(0.3)
            run = cb.solve(
                stored, method, 40, watch=kill, model_state=cb.engine.NaiveState
            )  # a scan in every step
            assert killed and run.n_scans > 10
            longer = run.resume(10)
            np.testing.assert_array_equal(
                longer.path.learner, cb.solve(dense, method, 50).path.learner
            )
            np.testing.assert_array_equal(
                longer.beta, cb.solve(stored, method, 50, model_state=cb.engine.NaiveState).beta
            )
