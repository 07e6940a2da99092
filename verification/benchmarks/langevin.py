"""Langevin boosting: CPU seconds of a step beside the same step without noise, and beside CatBoost's and hessboost's.

Two normal numbers for each sample are what noise costs: one where the learner is sought, one where it is fitted (for trees one for each
leaf). The first row is the run without noise, with the same shrinkage; CatBoost has noise in its leaves only, by gradients, hessboost in
the search and in the leaves. Everyone has one thread.
"""

import functools

import numpy as np

import coordboost as cb
from verification.benchmarks.harness import Contestant, compete, ratios, wanted
from verification.benchmarks.trees import judge, later, table
from verification.benchmarks.trees_peers import Job, catboost, clocked, hessboost

EPS, GAMMA = 0.1, 1e-3
#: As many as a ratio near 1 wants.
ROUNDS = 11
#: Samples, features.
SHAPE, SMALL = (50_000, 50), (5_000, 10)
#: Settings that come nearest to the paper's algorithm; CatBoost's need one more.
NOISE = {"langevin": True, "diffusion_temperature": 1.0, "model_shrink_rate": GAMMA}
PEERS = {
    "CatBoost": functools.partial(catboost, leaf_estimation_method="Gradient", **NOISE),
    "hessboost": functools.partial(hessboost, **NOISE),
}


def boosted(problem, method, job):
    """The run of a contestant: all but one of the steps on its clock."""

    def run():
        model_state = None if method.noise is not None or not problem.countable else cb.engine.NaiveState
        done = clocked(lambda: cb.solve(problem, method, job.n_trees + 1, model_state=model_state))
        share = job.n_trees / (job.n_trees + 1)
        return done._replace(result=done.result.pred + problem.constant, cpu=share * done.cpu, wall=share * done.wall)

    return run


def steps(name, shape, depth, n_steps, rounds=ROUNDS):
    """One table: the squared loss and trees of one depth, or all stumps as columns (depth 0)."""
    binned, y = table(*shape, False)
    job = Job(np.ascontiguousarray(binned.codes.T, dtype=np.float32), y, False, max(depth, 1), n_steps, least=1)
    problem = cb.Problem(cb.data.trees(job.codes, max_depth=depth) if depth else cb.data.stumps(job.codes), y)
    methods = {"no noise": cb.sgb(EPS, GAMMA), "coordboost": cb.sglb(EPS, float(len(y)), GAMMA)}
    makers = {one: functools.partial(boosted, problem, method) for one, method in methods.items()}
    if depth:
        makers |= {f"{one} langevin": peer for one, peer in PEERS.items()}
    contestants = [Contestant(one, later(make, job), n_steps) for one, make in makers.items()]
    rows = compete(contestants, judge(job), rounds)
    cost = {row["name"]: row.get("cpu", np.nan) for row in rows}
    facts = {"unit": "step", "shape": list(shape), "depth": depth, "n_steps": n_steps}
    facts["over no noise"] = cost["coordboost"] / cost["no noise"]
    return {
        "name": name,
        **facts,
        **ratios(rows, "coordboost", fair=lambda row: row["name"].endswith("langevin")),
        "rows": rows,
    }


def plans(quick):
    """Yield name and a function that makes the table."""
    shape = SMALL if quick else SHAPE
    for depth, n_steps in ((0, 100), (1, 100), (5, 20)):
        what = f"trees of depth {depth}" if depth else "stumps"
        name = f"Langevin, {shape[0]} x {shape[1]}, {what}, squared"
        yield name, lambda name, d=depth, n=n_steps: steps(name, shape, d, n)


def tables(quick=False, only=(), limit=None):
    """Yield the tables that are asked for; `limit` is not needed, as every contestant is told its steps."""
    for name, make in plans(quick):
        if wanted(name, only):
            yield make(name)
