"""Mutation: small wrong changes of the package, each of which some test should notice.

    python tests/mutation.py coordboost/losses/standard.py --tests test_losses.py test_naive.py
    python tests/mutation.py coordboost/learners/trees --tests test_trees.py --n 40 --jobs 2

Not part of the suite. Each mutant stands in a copy of the checkout and meets the tests that are named, without compilation, until one
fails; those that survive are printed. Some of them change nothing that can be seen. The same seed gives the same mutants.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutants

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0")


def drawn(places, count, seed):
    """(file, mutant, source): lines drawn from all files, one mutant of each."""
    draw, every = random.Random(seed), []
    for file in sorted(file for place in places for file in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"))):
        source, name = file.read_bytes(), str(file.relative_to(ROOT))
        every += [(name, mutant, source) for mutant in mutants.sample(source, count, f"{seed} {name}")]
    return draw.sample(every, min(count, len(every)))


def judge(copy, tests, seconds, work):
    """How many of the mutants are noticed in a copy of the checkout."""
    noticed, environment = 0, {**os.environ, **SETTINGS, "PYTHONPATH": str(copy)}
    for file, mutant, source in work:
        (copy / file).write_bytes(mutant.of(source))
        try:
            words = [sys.executable, *PYTEST, *(f"tests/{name}" for name in tests)]
            said = subprocess.run(words, cwd=copy, env=environment, timeout=seconds, capture_output=True).returncode
        except subprocess.TimeoutExpired:
            said = 1  # what goes on forever is noticed, too
        if said == 0:
            print("survived: {}:{}\n- {}\n+ {}".format(file, mutant.line, *mutant.lines(source)), flush=True)
        noticed += said != 0
        (copy / file).write_bytes(source)
    return noticed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("places", nargs="+", help="files or folders of the checkout")
    parser.add_argument("--tests", nargs="+", required=True, help="files of tests, the fast ones first")
    parser.add_argument("--n", type=int, default=40, help="how many mutants")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--seconds", type=float, default=300, help="how long the tests may take")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    options = parser.parse_args()
    work = drawn(options.places, options.n, options.seed)
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "_build")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        copies = [Path(shutil.copytree(ROOT, Path(folder) / str(job), ignore=unwanted)) for job in range(options.jobs)]
        jobs = [pool.submit(judge, copy, options.tests, options.seconds, work[k :: options.jobs]) for k, copy in enumerate(copies)]
        print(f"{sum(job.result() for job in jobs)} of {len(work)} noticed")


if __name__ == "__main__":
    main()
