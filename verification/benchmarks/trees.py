"""Boosting with regression trees: CPU seconds per tree, compared with other packages on the same
bins.

All run on one thread. In tables with "2 threads" in their name all get two, and wall times are
compared; our trees use one thread where there is little work. The tables of stumps compare runs
over an explicit dictionary of all stumps, by lookahead, with the same number of trees of depth 1.
"""

import contextlib
import functools
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_limits

import coordboost as cb
from coordboost._numba import threads as common
from coordboost.data.binning import bin_columns
from coordboost.learners.trees import grower
from verification.benchmarks.harness import Contestant, compete, ratios, wanted
from verification.benchmarks.trees_peers import PEERS, Job, clocked

#: Samples, features, trees of a run.
SHAPES = ((1_000, 10, 500), (10_000, 200, 40), (100_000, 50, 50), (1_000_000, 28, 10))
#: Samples, features, steps of the runs over stumps.
STUMPS = ((1_000, 10, 1_000), (100_000, 50, 1_000))


def table(n_samples, n_features, logistic, seed=0):
    """Return normal features in 255 bins each, and a target that depends on the first ten."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    signal = (
        X[:, 0]
        + X[:, 1] * X[:, 2]
        + np.sin(2 * X[:, 3])
        + (X[:, 4] > 0.5)
        + 0.3 * X[:, 5:10].sum(axis=1)
    )
    noisy = signal + rng.standard_normal(n_samples)
    return bin_columns(X, max_bins=255)[0], (noisy > np.median(noisy)).astype(
        float
    ) if logistic else noisy


def solved(job, newton=False):
    """Return a run of ``solve`` over trees; its clock counts all trees but one."""
    family = cb.data.trees(
        job.codes, max_depth=job.depth, min_samples=job.least, min_weight=0.0, newton=newton
    )
    problem = (
        cb.Problem(family, 2 * job.y - 1, cb.losses.Logistic())
        if job.logistic
        else cb.Problem(family, job.y)
    )
    method = cb.gbm(4 * job.rate if job.logistic and not newton else job.rate)

    def run():
        done = clocked(lambda: cb.solve(problem, method, job.n_trees + 1))
        share = job.n_trees / (job.n_trees + 1)
        return done._replace(
            result=done.result.pred + problem.constant, cpu=share * done.cpu, wall=share * done.wall
        )

    return run


def judge(job):
    """Return the judge: the mean training loss of raw predictions."""

    def loss(raw):
        if job.logistic:
            return {"loss": float(np.mean(np.logaddexp(0, -(2 * job.y - 1) * raw)))}
        return {"loss": float(np.mean((job.y - raw) ** 2) / 2)}

    return loss


def stumped(job):
    """Return a run of ``solve`` over all stumps.

    Its clock also counts the work that the first steps prepare for the others.
    """
    learners = cb.data.leaf_stumps(job.codes)

    def run():
        # new for each run, because a problem keeps its Gram columns
        problem = cb.Problem(learners, job.y)
        done = clocked(lambda: cb.solve(problem, cb.ls_boost(job.rate), job.n_trees + 1))
        share = job.n_trees / (job.n_trees + 1)
        return done._replace(
            result=done.result.pred + problem.constant, cpu=share * done.cpu, wall=share * done.wall
        )

    return run


def stumps(name, shape, rounds=None):
    """Return one table: squared loss and stumps on one data set."""
    n_samples, n_features, n_trees = shape
    binned, y = table(n_samples, n_features, False)
    job = Job(np.ascontiguousarray(binned.codes.T, dtype=np.float32), y, False, 1, n_trees, least=1)
    makers = {"coordboost, stumps": stumped, "coordboost, trees": solved, **PEERS}
    rows = compete(
        [Contestant(one, later(make, job), n_trees) for one, make in makers.items()],
        judge(job),
        rounds,
    )
    summary = ratios(
        rows, "coordboost, stumps", fair=lambda row: not row["name"].startswith("coordboost")
    )
    return {
        "name": name,
        "unit": "stump",
        "shape": [n_samples, n_features],
        "n_trees": n_trees,
        **summary,
        "rows": rows,
    }


def trees(name, shape, depth, logistic, rounds=None, threads=1):
    """Return one table: boosting on one data set with trees of one depth."""
    n_samples, n_features, n_trees = shape
    binned, y = table(n_samples, n_features, logistic)
    job = Job(
        np.ascontiguousarray(binned.codes.T, dtype=np.float32), y, logistic, depth, n_trees, threads
    )
    contestants = []
    for newton in (False, True)[: 1 + logistic]:
        kind = ", Newton" if newton else ""
        contestants.append(
            Contestant(
                f"coordboost{kind}", later(functools.partial(solved, newton=newton), job), n_trees
            )
        )
    for peer, make in PEERS.items():
        contestants.append(Contestant(peer, later(make, job), n_trees))
    rows = compete(contestants, judge(job), rounds)
    facts = {
        "unit": "tree",
        "shape": [n_samples, n_features],
        "depth": depth,
        "n_trees": n_trees,
        "threads": threads,
    }
    return {
        "name": name,
        **facts,
        **ratios(rows, "coordboost", "cpu" if threads == 1 else "wall"),
        "rows": rows,
    }


@contextlib.contextmanager
def on_threads(n):
    """Give `n` threads to all contestants: the harness limits OpenMP to one thread, which XGBoost
    and scikit-learn obey.
    """
    few = common.Pool(min(n, common.pool().n_threads))
    with contextlib.ExitStack() as stack:
        for module in (common, grower):
            stack.enter_context(mock.patch.object(module, "pool", lambda: few))
        stack.enter_context(threadpool_limits(n, "openmp"))
        yield


def later(make, job):
    """Return a run on the threads of the job.

    `make` is called at its first call, so that a missing package only fails its row.
    """
    made = []

    def run():
        with on_threads(job.threads):
            if not made:
                made.append(make(job))
            return made[0]()

    return run


def plans(quick):
    """Yield (name, function that makes the table), smallest first."""
    for shape in STUMPS[:1] if quick else STUMPS:
        yield (
            f"stumps, {shape[0]} x {shape[1]}, {shape[2]} of them, squared",
            lambda name, s=shape: stumps(name, s),
        )
    for shape in SHAPES[:1] if quick else SHAPES:
        for logistic in (False, True):
            for depth in (1, 3, 5):
                name = (
                    f"trees, {shape[0]} x {shape[1]}, depth {depth}, "
                    f"{'logistic' if logistic else 'squared'}"
                )
                yield name, lambda name, s=shape, d=depth, lo=logistic: trees(name, s, d, lo)
                yield (
                    f"{name}, 2 threads",
                    lambda name, s=shape, d=depth, lo=logistic: trees(name, s, d, lo, threads=2),
                )


def tables(quick=False, only=(), limit=None):
    """Yield the requested tables.

    `limit` is not used, as every contestant makes a fixed number of trees.
    """
    for name, make in plans(quick):
        if wanted(name, only):
            yield make(name)
