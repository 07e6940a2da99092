"""Trees on a Dask cluster beside the interfaces of LightGBM and XGBoost for Dask.

Table: rows of 28 float32 columns, made by the workers from seeds: two with ties, one with missing
values, one with long tails. Method: 50 trees of depth 6, 255 bins, learning rate 0.1, squared loss,
on a ``LocalCluster`` of processes with one thread each. Measured, in interleaved rounds: seconds
and CPU seconds (of client and workers) a tree after the first one, and seconds in all with bins;
the largest memory of the client, and of a worker beyond its persisted rows.

    python -m verification.benchmarks.dask_trees [--rows 500000] [--trees 50] [--workers 2]
    [--rounds 3] [--only coordboost]

Peers that are not installed are left out.
"""

import argparse
import time
from importlib.util import find_spec

import numpy as np

import coordboost as cb
from verification.benchmarks.harness import peak_memory, resident

COLUMNS, DEPTH, BINS, RATE = 28, 6, 255, 0.1
MIN_SAMPLES = 20
#: Rows that are made from one seed.
GRAIN = 50_000
#: Of a peer: (seconds, CPU seconds) of this worker after each tree.
TICKS: list[tuple[float, float]] = []


def tick(*_):
    """Note the clocks; a callback of the peers."""
    TICKS.append((time.perf_counter(), time.process_time()))


def forget_ticks():
    """Begin a fit."""
    TICKS.clear()


def ticks():
    """The clocks that were noted on a worker."""
    return list(TICKS)


def made_rows(number, n_rows):
    """Some rows of the table, float32."""
    rng = np.random.default_rng(number)
    X = rng.standard_normal((n_rows, COLUMNS), dtype=np.float32)
    X[:, 0] = np.round(3 * X[:, 0])
    X[:, 2] = np.exp(4 * X[:, 2])
    X[:, 3] = np.round(X[:, 3], 1)
    X[rng.random(n_rows) < 0.1, 1] = np.nan
    return X


def made_target(X):
    """The target of some rows, from their columns and the last of them as noise."""
    signal = X[:, 4] * X[:, 5] + np.sin(3 * X[:, 6]) + 0.3 * X[:, 0]
    missing = np.where(np.isnan(X[:, 1]), 1.0, np.abs(X[:, 7]))
    return (signal + missing + 0.5 * (X[:, 8] > X[:, 9]) + X[:, 27]).astype(np.float64)


def table(client, n_rows, n_chunks):
    """The persisted table and its target, arrays of Dask."""
    import dask.array as da
    from dask import delayed
    from distributed import wait

    blocks = []
    targets = []
    for chunk in np.array_split(np.arange(n_rows // GRAIN), n_chunks):
        seeds = [delayed(made_rows)(int(number), GRAIN) for number in chunk]
        rows = delayed(np.concatenate)(seeds)
        shape = (len(chunk) * GRAIN, COLUMNS)
        blocks.append(da.from_delayed(rows, shape, np.float32))
        targets.append(da.from_delayed(delayed(made_target)(rows), shape[:1], np.float64))
    persisted = client.persist([da.concatenate(blocks), da.concatenate(targets)])
    wait(persisted)
    return persisted


class Ours:
    """The trees of this package: the client notes the clocks, its own and those of the workers."""

    name = "coordboost"

    def fit(self, client, X, y, n_trees):
        """Fit; return (seconds, CPU seconds) after each tree; the latter for the ends alone."""
        family = cb.data.trees(X, max_depth=DEPTH, max_bins=BINS, min_samples=MIN_SAMPLES)
        problem = cb.Problem(family, y.compute())
        clocks = []
        for state in cb.iterate(problem, cb.gbm(RATE), n_trees):
            if state.k:
                ends = state.k in (1, n_trees)  # to ask the workers takes time
                cpu = sum(cpu_seconds(client)) if ends else np.nan
                clocks.append((time.perf_counter(), cpu))
        parts = family.binned.parts
        print(f"  {parts.n_trips} round trips, {parts.n_received / 1e6:.1f} MB received")
        return clocks


class LightGBM:
    """Its trees by leaves, as many as a tree of that depth has."""

    name = "LightGBM"
    module = "lightgbm"

    def fit(self, client, X, y, n_trees):
        """As `Ours.fit`; the clocks are those of the workers."""
        import lightgbm

        client.run(forget_ticks)
        lightgbm.DaskLGBMRegressor(
            client=client,
            n_estimators=n_trees,
            learning_rate=RATE,
            max_depth=DEPTH,
            num_leaves=1 << DEPTH,
            min_child_samples=MIN_SAMPLES,
            min_child_weight=0.0,
            max_bin=BINS,
            n_jobs=1,
            verbose=-1,
        ).fit(X, y, callbacks=[tick])
        return joined(client.run(ticks))


class XGBoost:
    """Its trees by levels."""

    name = "XGBoost"
    module = "xgboost"

    def fit(self, client, X, y, n_trees):
        """As `LightGBM.fit`."""
        import xgboost
        from xgboost import dask

        client.run(forget_ticks)
        called = {"after_iteration": tick}
        clock = type("Clock", (xgboost.callback.TrainingCallback,), called)
        options = {
            "tree_method": "hist",
            "max_bin": BINS,
            "max_depth": DEPTH,
            "eta": RATE,
            "min_child_weight": MIN_SAMPLES,  # second derivatives are 1
            "lambda": 0.0,
            "objective": "reg:squarederror",
            "nthread": 1,
        }
        rows = dask.DaskQuantileDMatrix(client, X, y, max_bin=BINS)
        dask.train(client, options, rows, n_trees, callbacks=[clock()])
        return joined(client.run(ticks))


def joined(of_workers):
    """The clocks of all workers as one: the last second, the sum of CPU seconds."""
    return [
        (max(wall for wall, _ in clocks), sum(cpu for _, cpu in clocks))
        for clocks in zip(*of_workers.values(), strict=True)
    ]


def cpu_seconds(client):
    """CPU seconds of this process, which runs the scheduler too, and of each worker."""
    return [time.process_time(), *client.run(time.process_time).values()]


#: The measurement of the memory of this worker, see ``peak_memory``.
MEMORY: list = []


def begin_memory():
    """Begin to measure the memory of a worker."""
    MEMORY[:] = [peak_memory()]
    MEMORY.append(MEMORY[0].__enter__())


def end_memory():
    """The largest memory since, beyond that at the beginning, MB."""
    MEMORY[0].__exit__(None, None, None)
    return MEMORY[1][0]


def measured(one, client, X, y, n_trees):
    """The figures of a fit."""
    client.run(begin_memory)
    began = time.perf_counter()
    cpu = sum(cpu_seconds(client))
    clocks = np.array(one.fit(client, X, y, n_trees))
    return {
        "s_in_all": time.perf_counter() - began,
        "cpu_s_in_all": sum(cpu_seconds(client)) - cpu,
        "ms_a_tree": 1e3 * np.median(np.diff(clocks[:, 0])),
        "cpu_ms_a_tree": 1e3 * (clocks[-1, 1] - clocks[0, 1]) / (n_trees - 1),
        "worker_mb": max(client.run(end_memory).values()),
        "client_mb": resident("VmHWM"),
    }


def main():
    """Run the benchmark and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    from distributed import Client

    contestants = [Ours()]
    contestants += [peer() for peer in (LightGBM, XGBoost) if find_spec(peer.module)]
    contestants = [one for one in contestants if asked.only in one.name]
    options = {"n_workers": asked.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with Client(**options, direct_to_workers=True) as client:
        n_chunks = max(2 * asked.workers, asked.rows // 1_000_000)
        X, y = table(client, asked.rows, n_chunks)
        a_row = (COLUMNS + 8) * asked.rows / asked.workers / 1e6
        print(f"codes and target of a worker: {a_row:.0f} MB; client {resident('VmRSS'):.0f} MB")
        for one in contestants:  # compiled code, and peers loaded
            one.fit(client, X, y, 2)
        for _ in range(asked.rounds):
            for one in contestants:
                figures = measured(one, client, X, y, asked.trees)
                shown = ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
                print(f"{one.name}: {shown}", flush=True)


if __name__ == "__main__":
    # the workers import the functions by the name of their module
    from verification.benchmarks import dask_trees

    dask_trees.main()
