"""Forward stagewise and LS-Boost steps: scans, and seconds per step, beside the naive and the usual fast way."""

import numpy as np

import coordboost as cb
from verification.benchmarks.data import ar1, npz
from verification.benchmarks.harness import Contestant, compete, ratios


def gram_columns(rows, y, eps, n_steps):
    """The usual fast way, a hand-written compiled loop: all correlations, moved by a cached Gram column per chosen learner."""
    import numba

    @numba.njit
    def burst(corr, cache, slot, eps, picks, k):
        while k < len(picks):
            j, size = 0, -1.0
            for i in range(len(corr)):
                if abs(corr[i]) > size:
                    size, j = abs(corr[i]), i
            if slot[j] < 0:
                return k, j
            step = eps if corr[j] > 0 else -eps
            column = cache[slot[j]]
            for i in range(len(corr)):
                corr[i] -= step * column[i]
            picks[k] = j
            k += 1
        return k, -1

    def run():
        corr, picks, slot, cache, held, k = (
            rows @ y,
            np.zeros(n_steps, dtype=np.int64),
            np.full(len(rows), -1),
            np.empty((64, len(rows))),
            0,
            0,
        )
        while k < n_steps:
            k, j = burst(corr, cache, slot, eps, picks, k)
            if j >= 0:
                if held == len(cache):
                    cache = np.concatenate([cache, np.empty_like(cache)])
                cache[held], slot[j] = rows @ rows[j], held
                held += 1
        return picks

    return run


def numpy_scans(rows, y, eps, n_steps):
    """The five-line reference: a scan per step."""

    def run():
        resid, picks = y.copy(), np.zeros(n_steps, dtype=np.int64)
        for k in range(n_steps):
            corr = rows @ resid
            j = picks[k] = np.argmax(np.abs(corr))
            resid -= eps * np.sign(corr[j]) * rows[j]
        return picks

    return run


def steps(name, X, y, eps, l1, *, naive=300, gram=3000, rounds=5):
    """One table: FS_eps to the l1 norm `l1`; peers run fewer steps of the same problem, figures are seconds per step."""
    problem = cb.Problem(X, y)
    rows, n_steps = problem.dictionary.rows, round(l1 / eps)
    ours = cb.solve(problem, cb.forward_stagewise(eps), n_steps)

    def judge(picks):
        picks = picks.path.learner if isinstance(picks, cb.Run) else picks
        same = int((picks == ours.path.learner[: len(picks)]).sum())
        return {"steps": len(picks), "same_picks": same}

    method = cb.forward_stagewise(eps)
    contestants = [
        Contestant("coordboost", lambda: cb.solve(problem, method, n_steps), n_steps),
        Contestant("coordboost, view=Explicit", lambda: cb.solve(problem, method, naive, view=cb.Explicit), naive),
        Contestant("compiled loop, Gram columns", gram_columns(rows, problem.y, eps, gram), gram),
        Contestant("NumPy, B'r in every step", numpy_scans(rows, problem.y, eps, naive), naive),
    ]
    table = compete(contestants, judge, rounds)
    summary = ratios(table, "coordboost", key="wall")
    whole = {"n_steps": n_steps, "n_scans": ours.n_scans, "l1": ours.final.l1}
    return {"name": name, "eps": eps, "shape": list(rows.shape[::-1]), **whole, **summary, "rows": table}


def tables(quick=False):
    """Yield the tables, smallest first."""
    for n_columns, eps in ((2_000, 1e-5), (10_000, 1e-5), (10_000, 1e-6), (50_000, 1e-5), (50_000, 1e-6)):
        if quick and n_columns > 2_000:
            return
        # the same steps for all where that takes seconds; else peers run the first of them
        gram = round(3.0 / eps) if n_columns <= 10_000 and eps >= 1e-5 else 20_000
        yield steps(f"AR(1), p = {n_columns}", *ar1(1000, n_columns), eps, 3.0, gram=gram, rounds=3)
    leukemia = npz("leukemia")
    if leukemia is not None:
        for l1 in (1.5, 2.0):
            yield steps(f"leukemia, l1 = {l1}", *leukemia, 1e-5, l1, naive=2000, gram=round(l1 / 1e-5), rounds=3)
