"""Linear models of a tall table on a Dask cluster: passes, memory, and certificates of all rows.

Table: float32 chunks that the workers make from seeds whenever they are asked for, so that nothing
is kept; the columns have a common part, correlation 0.2, and ten have a coefficient. Measured on a
``LocalCluster`` of processes with one thread each: passes counted over the table for a path of the
Lasso, for forward stagewise on its problem and for cross-validation; seconds, CPU seconds of client
and workers, memory of both. Judged: the gaps of the path, computed in NumPy by one more pass.

    python -m verification.benchmarks.dask_linear [--rows 10000000] [--columns 100] [--workers 2]
"""

import argparse
import time

import numpy as np

import coordboost as cb
from verification.benchmarks.dask_trees import cpu_seconds
from verification.benchmarks.harness import resident

#: Rows of a chunk.
GRAIN = 200_000
N_ALPHAS, N_NONZERO, RHO = 50, 10, 0.2


def made_rows(number, n_columns):
    """A chunk of the table, float32."""
    rng = np.random.default_rng(number)
    X = rng.standard_normal((GRAIN, n_columns), dtype=np.float32)
    X += np.sqrt(np.float32(RHO / (1 - RHO))) * rng.standard_normal((GRAIN, 1), dtype=np.float32)
    return X


def made_target(number, n_columns):
    """The target of a chunk."""
    X = made_rows(number, n_columns)
    signal = X[:, :: n_columns // N_NONZERO][:, :N_NONZERO].sum(axis=1, dtype=np.float64)
    return signal + 3 * np.random.default_rng([number, 1]).standard_normal(GRAIN)


def table(n_rows, n_columns):
    """The table and its target, arrays of Dask of which nothing is made yet."""
    import dask.array as da
    from dask import delayed

    numbers = range(n_rows // GRAIN)
    rows = [delayed(made_rows)(k, n_columns) for k in numbers]
    targets = [delayed(made_target)(k, n_columns) for k in numbers]
    X = [da.from_delayed(chunk, (GRAIN, n_columns), np.float32) for chunk in rows]
    y = [da.from_delayed(chunk, (GRAIN,), np.float64) for chunk in targets]
    return da.concatenate(X), da.concatenate(y)


def part_products(X, y, mean, mean_y, coefs):
    """Of a chunk: the squared norms of the columns, sums of squares and products with residuals."""
    centred = X - mean
    resid = (y - mean_y)[:, None] - centred @ coefs
    return [np.einsum("ij,ij->j", centred, centred), (resid**2).sum(axis=0), centred.T @ resid]


def worst_gap(X, y, path, steps):
    """The largest gap of some points of a path, relative to the loss at 0, less that of the path.

    All rows are read once. *Cost*: a pass.
    """
    from dask import compute, delayed

    mean, mean_y = path.problem.standardization.mean, path.problem.constant
    coefs = np.column_stack([np.zeros(len(mean)), *(path.coef_at(step=step) for step in steps)])
    chunks = zip(X.to_delayed()[:, 0], y.to_delayed(), strict=True)
    call = delayed(part_products)
    parts = compute(*(call(rows, target, mean, mean_y, coefs) for rows, target in chunks))
    square, rss, products = map(sum, zip(*parts, strict=True))
    norm = np.sqrt(square)
    worst = -np.inf
    for k, step in enumerate(steps, 1):
        lam = path.alphas[step] * len(y)
        primal = rss[k] / 2 + lam * np.abs(coefs[:, k] * norm).sum()
        scale = min(1.0, lam / np.abs(products[:, k] / norm).max())
        # <resid, target> = rss + coef' X' resid
        inner = rss[k] + coefs[:, k] @ products[:, k]
        dual = scale * inner - scale**2 * rss[k] / 2
        worst = max(worst, (primal - dual) / (rss[0] / 2) - path.gaps[step])
    return worst


def report(name, client, work):
    """Do some work; print what it took, and return its result."""
    began = time.perf_counter()
    cpu = sum(cpu_seconds(client))
    result, problem = work()
    seconds = time.perf_counter() - began
    cpu = sum(cpu_seconds(client)) - cpu
    workers = max(client.run(resident, "VmHWM").values())
    print(
        f"{name}: {problem.reduced.passes:.2f} passes, {seconds:.1f} s, CPU {cpu:.1f} s, "
        f"client {resident('VmHWM'):.0f} MB, a worker {workers:.0f} MB",
        flush=True,
    )
    return result


def main():
    """Run the benchmark and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    from distributed import Client

    def path_of_lasso():
        path = cb.lasso_path(X, y, n_alphas=N_ALPHAS)
        return path, path.problem

    def stagewise():
        run = cb.solve(path.problem, cb.forward_stagewise(1e-2), 2000)
        return run.certificate(), path.problem

    def cross_validated():
        model = cb.CertifiedLassoCV(cv=5, n_alphas=N_ALPHAS).fit(X, y)
        return model, model.path_.problem

    options = {"n_workers": asked.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with Client(**options) as client:
        X, y = table(asked.rows, asked.columns)
        path = report("lasso_path", client, path_of_lasso)
        report("forward stagewise on its problem", client, stagewise)
        excess = worst_gap(X, y, path, range(4, N_ALPHAS, 9))
        print(f"a gap of all rows, less that of the path: {excess:.2g} at most; {path.message}")
        model = report("CertifiedLassoCV, 5 folds", client, cross_validated)
        certificate = model.certificate_
        print(f"gap of the chosen model {certificate.gap / certificate.upper:.2g} of its loss")


if __name__ == "__main__":
    # the workers import the functions by the name of their module
    from verification.benchmarks import dask_linear

    dask_linear.main()
