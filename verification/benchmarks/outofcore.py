"""Forward stagewise on a file that is larger than memory.

Problem: n = 1000 samples, p = 1,000,000 Gaussian columns with correlation 0.5^abs(i - j), 8 GB in
one file of float64; y has norm 1, 50 non-zero coefficients +-1 at equal distances, and a
signal-to-noise ratio of 3. Method: FS with eps = 1e-4 over an arc of length 1, which is 10,000
steps. Measured: passes over the file (including the one for means and norms), scans, seconds, and
peak resident memory.

    python -m verification.benchmarks.outofcore FOLDER [--samples 1000] [--columns 1000000] [--eps
    1e-4]

The file is made in FOLDER and removed at the end. If it fits into the page cache of the system, the
seconds are those of memory, not disk.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

import coordboost as cb

N_NONZERO = 50
SNR = 3.0
RHO = 0.5
BLOCK = 2000


def write(file, n_samples, n_columns, seed=0):
    """Write the columns one after the other, block by block, and return y (n_samples,)."""
    rng = np.random.default_rng(seed)
    true = np.zeros(n_columns)
    true[:: max(1, n_columns // N_NONZERO)][:N_NONZERO] = 1.0
    true *= rng.choice([-1.0, 1.0], n_columns)
    last = rng.standard_normal((1, n_samples))
    signal = np.zeros(n_samples)
    with open(file, "wb") as handle:
        for first in range(0, n_columns, BLOCK):
            noise = np.sqrt(1 - RHO**2) * rng.standard_normal(
                (min(BLOCK, n_columns - first), n_samples)
            )
            block = lfilter([1.0], [1.0, -RHO], noise, axis=0, zi=RHO * last)[0]
            last = block[-1:]
            signal += true[first : first + len(block)] @ block
            block.tofile(handle)
    y = signal + np.std(signal) / np.sqrt(SNR) * rng.standard_normal(n_samples)
    y -= y.mean()
    return y / np.linalg.norm(y)


def peak():
    """Return the peak resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )


def measure(file, y, n_columns, eps):
    """Run the method and return the rows of the table, name -> number."""
    before = peak()
    began = time.perf_counter()
    columns = np.memmap(file, np.float64, "r", shape=(n_columns, len(y)))
    problem = cb.Problem(cb.data.open_columns(columns, learners_first=True), y)
    opened = time.perf_counter()
    run = cb.solve(problem, cb.forward_stagewise(eps), round(1 / eps))
    done = time.perf_counter()
    return {
        "file, GB": file.stat().st_size / 1e9,
        "steps": run.n_steps,
        "nonzero coefficients": len(run.final.support),
        "l1 norm": run.final.l1,
        "loss / loss at 0": run.final.loss / problem.value(np.zeros(len(y))),
        "scans": run.n_scans,
        "passes over the file": problem.dictionary.passes,
        "seconds, means and norms": opened - began,
        "seconds, run": done - opened,
        "peak memory before, GB": before / 1e9,
        "peak memory, GB": peak() / 1e9,
    }


def main():
    """Make the file, run the benchmark, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=1_000_000)
    parser.add_argument("--eps", type=float, default=1e-4)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        file = Path(folder) / "columns.bin"
        began = time.perf_counter()
        y = write(file, asked.samples, asked.columns)
        print(f"{'seconds, writing the file':30s} {time.perf_counter() - began:12.4g}")
        for what, figure in measure(file, y, asked.columns, asked.eps).items():
            print(f"{what:30s} {figure:12.6g}")


if __name__ == "__main__":
    main()
