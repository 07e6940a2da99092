"""Langevin boosting: CPU seconds of a step, compared with the same step without noise, and with
CatBoost and hessboost.

The noise costs two normal numbers for each sample: one for the search of the learner, one for its
fit (for trees, one for each leaf). The first row is the run without noise, with the same shrinkage.
CatBoost, with gradient leaf values, has noise in its leaves only; hessboost has it in the search
and in the leaves. All run on one thread.
"""

import functools

import numpy as np

import coordboost as cb
from verification.benchmarks.harness import Contestant, compete, ratios, wanted
from verification.benchmarks.trees import judge, later, table
from verification.benchmarks.trees_peers import Job, catboost, clocked, hessboost

EPS, GAMMA = 0.1, 1e-3
#: Many rounds, because the ratio to the run without noise is near 1.
ROUNDS = 11
#: Samples, features.
SHAPE = (50_000, 50)
SMALL = (5_000, 10)
#: The settings closest to the paper's algorithm; CatBoost needs one more.
NOISE = {"langevin": True, "diffusion_temperature": 1.0, "model_shrink_rate": GAMMA}
PEERS = {
    "CatBoost": functools.partial(catboost, leaf_estimation_method="Gradient", **NOISE),
    "hessboost": functools.partial(hessboost, **NOISE),
}


def boosted(problem, method, job):
    """Return the run of a contestant; its clock counts all steps but one."""

    def run():
        model_state = (
            None if method.noise is not None or not problem.countable else cb.engine.NaiveState
        )
        done = clocked(lambda: cb.solve(problem, method, job.n_trees + 1, model_state=model_state))
        share = job.n_trees / (job.n_trees + 1)
        return done._replace(
            result=done.result.pred + problem.constant, cpu=share * done.cpu, wall=share * done.wall
        )

    return run


def steps(name, shape, depth, n_steps, rounds=ROUNDS):
    """Return one table: squared loss and trees of one depth, or all stumps as columns (depth 0)."""
    binned, y = table(*shape, False)
    job = Job(
        np.ascontiguousarray(binned.codes.T, dtype=np.float32),
        y,
        False,
        max(depth, 1),
        n_steps,
        least=1,
    )
    problem = cb.Problem(
        cb.data.trees(job.codes, max_depth=depth) if depth else cb.data.stumps(job.codes), y
    )
    methods = {"no noise": cb.sgb(EPS, GAMMA), "coordboost": cb.sglb(EPS, float(len(y)), GAMMA)}
    makers = {one: functools.partial(boosted, problem, method) for one, method in methods.items()}
    if depth:
        makers |= {f"{one} langevin": peer for one, peer in PEERS.items()}
    contestants = [Contestant(one, later(make, job), n_steps) for one, make in makers.items()]
    rows = compete(contestants, judge(job), rounds)
    cost = {row["name"]: row.get("cpu", np.nan) for row in rows}
    facts = {"unit": "step", "shape": list(shape), "depth": depth, "n_steps": n_steps}
    facts["ratio to no noise"] = cost["coordboost"] / cost["no noise"]
    return {
        "name": name,
        **facts,
        **ratios(rows, "coordboost", fair=lambda row: row["name"].endswith("langevin")),
        "rows": rows,
    }


def plans(quick):
    """Yield (name, function that makes the table)."""
    shape = SMALL if quick else SHAPE
    for depth, n_steps in ((0, 100), (1, 100), (5, 20)):
        what = f"trees of depth {depth}" if depth else "stumps"
        name = f"Langevin, {shape[0]} x {shape[1]}, {what}, squared"
        yield name, lambda name, d=depth, n=n_steps: steps(name, shape, d, n)


def tables(quick=False, only=(), limit=None):
    """Yield the requested tables.

    `limit` is not used, as every contestant makes a fixed number of steps.
    """
    for name, make in plans(quick):
        if wanted(name, only):
            yield make(name)
