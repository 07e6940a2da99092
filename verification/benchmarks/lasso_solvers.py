"""Which solver of a Lasso path is the fastest: a grid of tables, and what the default chooses.

``python -m verification.benchmarks.lasso_solvers`` measures CPU time, on one thread, of the exact
path and of coordinate descent on each table, interleaved, and prints medians, the default and what
it takes above the faster one. A word selects the tables whose name contains it.

*Source of the tables*: rows of a Gaussian with correlations rho^|i - j|, ten coefficients, noise as
large as the signal.
"""

import sys
import time
from itertools import product
from statistics import median
from typing import NamedTuple

import numpy as np

import coordboost as cb

ROUNDS = 3
SOLVERS = ("homotopy", "cd")
SHAPES = (
    (100, 5),
    (500, 10),
    (8192, 252),
    (100_000, 100),
    (500, 201),
    (1000, 300),
    (2000, 500),
    (4000, 1000),
    (400, 400),
    (200, 200),
    (100, 100),
    (60, 200),
    (60, 4000),
    (200, 1000),
    (200, 10_000),
    (400, 800),
    (400, 4000),
    (800, 1600),
)


class Case(NamedTuple):
    """A table and a grid of penalties."""

    n_samples: int
    n_columns: int
    rho: float
    eps: float
    tol: float
    copies: float | None = None  # the noise of copies that are half of the columns

    def __str__(self):
        copies = "" if self.copies is None else f" copies {self.copies:g}"
        return (
            f"{self.n_samples} x {self.n_columns} rho {self.rho:g} eps {self.eps:g} "
            f"tol {self.tol:g}{copies}"
        )


def cases():
    """The grid, each case once."""
    for shape, rho, eps, tol in product(SHAPES, (0.0, 0.9), (1e-2, 1e-3), (1e-3, 1e-6)):
        yield Case(*shape, rho, eps, tol)
    for noise, eps in product((0.0, 1e-6, 1e-2), (1e-2, 1e-3)):
        yield Case(400, 400, 0.0, eps, 1e-6, noise)


def table(case):
    """The columns and the target of a case."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((case.n_samples, case.n_columns))
    for j in range(1, case.n_columns):
        X[:, j] = case.rho * X[:, j - 1] + (1 - case.rho**2) ** 0.5 * X[:, j]
    if case.copies is not None:
        half = case.n_columns // 2
        X[:, half:] = X[:, :half] + case.copies * X[:, half:]
    coef = np.zeros(case.n_columns)
    coef[rng.choice(case.n_columns, min(10, case.n_columns), replace=False)] = 1.0
    signal = X @ coef
    return X, signal + signal.std() * rng.standard_normal(case.n_samples)


def seconds(problem, case, solver):
    """CPU seconds of a path."""
    start = time.process_time()
    path = cb.lasso_path(problem, eps=case.eps, tol=case.tol, solver=solver)
    taken = time.process_time() - start
    assert path.message == "complete", (case, solver, path.message)
    return taken, path.solver


def measure(case, rounds=ROUNDS):
    """Median seconds of each solver, and the default one."""
    problem = cb.Problem(*table(case))
    default = seconds(problem, case, None)[1]
    times = {solver: [] for solver in SOLVERS}
    for _ in range(rounds):
        for solver in SOLVERS:
            times[solver].append(seconds(problem, case, solver)[0])
    return {solver: median(times[solver]) for solver in SOLVERS}, default


def main(word=""):
    """Print the table."""
    print(f"{'table':48}{'homotopy ms':>12}{'cd ms':>10}  default  default / faster")
    for case in cases():
        if word in str(case):
            times, default = measure(case)
            lost = times[default] / min(times.values())
            print(
                f"{case!s:48}{1e3 * times['homotopy']:12.1f}{1e3 * times['cd']:10.1f}  "
                f"{default:8}{lost:7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
