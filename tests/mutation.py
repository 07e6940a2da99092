"""Mutation: small wrong changes of the package, each of which some test should notice.

    python tests/mutation.py --n 300 --seed 0                    # two processes: --jobs 2
    python tests/mutation.py --n 40 --only pieces/losses.py --tests test_losses.py test_naive.py

Not part of the suite. The first run on a state of the sources measures which tests execute which lines (``coverage`` is needed for it:
``pip install coverage``), a file of tests at a time, and keeps the map in the folder for temporary files; cut short, it goes on there
the next time. Then each mutant is applied to a copy of the checkout and
meets the tests that execute its line, fastest first, without compilation, until one fails. The checkout itself is never changed.
The same seed gives the same mutants. Mutants that change nothing are listed in ``mutation_equivalents.txt``, with the reason.
"""

import argparse
import contextlib
import importlib.util
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import mutants
import mutation_map

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("pieces", "engine", "screening", "lasso", "exact", "targets", "storage", "data/standardize")
FOLDERS = ("coordboost", "tests", "verification")
EQUIVALENTS = ROOT / "tests" / "mutation_equivalents.txt"
# Loaded once, before processes part: what a mutant's process need not load again.
HEAVY = (
    "numpy", "scipy.sparse", "scipy.linalg", "numba.extending", "sklearn.linear_model", "pandas", "hypothesis.strategies",
    "hypothesis.extra.numpy", "click.testing", "rich.table", "matplotlib.pyplot", "pytest", "_pytest.assertion.rewrite",
)  # fmt: skip
KILLED, SURVIVED, TIMED_OUT, BROKEN = 1, 0, 3, 4
SETTINGS = {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}


def files(root, only):
    """The files that are mutated, with their numbers of lines: {file: lines}."""
    chosen = only or [f"{room}{end}" for room in ROOMS for end in ("", ".py")]
    paths = [path for name in chosen for path in [root / "coordboost" / name] if path.exists()]
    paths = [inner for path in paths for inner in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    if not paths:
        sys.exit(f"--only: none of {', '.join(chosen)} is a file or folder of coordboost/.")
    return {str(path.relative_to(root)): path.read_text().count("\n") for path in paths}


def equivalents():
    """The known mutants that change nothing: {(file, line before, line after)}."""
    blocks = EQUIVALENTS.read_text().split("\n\n") if EQUIVALENTS.exists() else []
    parts = [block.strip().split("\n") for block in blocks if block.startswith("coordboost/")]
    return {(file, old.removeprefix("- "), new.removeprefix("+ ")) for file, old, new, *_ in parts}


class Only:
    """A plugin of pytest: these tests in this order; one that takes much longer than it did ends the process."""

    def __init__(self, chosen, log):
        self.chosen, self.log = chosen, log

    def pytest_collection_modifyitems(self, items):
        place = {test: i for i, test in enumerate(self.chosen)}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])

    def pytest_runtest_logstart(self, nodeid):
        signal.signal(signal.SIGPROF, lambda *_: self.end(nodeid, TIMED_OUT))
        signal.setitimer(signal.ITIMER_PROF, 5 + 5 * self.chosen[nodeid])

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.end(report.nodeid, KILLED)

    def pytest_collectreport(self, report):
        if report.failed:
            self.end("", KILLED)

    def end(self, test, status):
        self.log.write_text(test)
        os._exit(status)


def run_tests(copy, chosen, log):
    """In a process of its own: the exit status says whether a test failed."""
    import pytest

    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    os.chdir(copy)
    sys.path[:0] = [str(copy), str(copy / "tests")]
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.alarm(600)  # a process that only waits
    paths = sorted({test.split("::")[0] for test in chosen})
    try:
        status = pytest.main(["-x", *mutation_map.OPTIONS, *paths], plugins=[Only(chosen, log)])
    except BaseException:
        log.write_text(traceback.format_exc())
        os._exit(BROKEN)
    log.write_text(f"pytest ended with status {int(status)}")
    os._exit(SURVIVED if status == 0 else KILLED)


def control(copy, tests):
    """The copy without a change must pass: else every mutant would seem to be killed."""
    fastest = dict(sorted(tests.seconds.items(), key=lambda item: item[1])[:200])
    child = os.fork()
    if child == 0:
        run_tests(copy, fastest, copy / "killed-by")
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != SURVIVED:
        sys.exit(f"without any change a test fails: {(copy / 'killed-by').read_text()}")


@contextlib.contextmanager
def copies(jobs):
    """Copies of the checkout, one for each process at work."""
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "shared", "_build")
    with tempfile.TemporaryDirectory(prefix="coordboost-mutation-") as folder:
        yield [Path(shutil.copytree(ROOT, Path(folder) / str(job), ignore=unwanted)).resolve() for job in range(jobs)]


def the_map(copy, options):
    """The tests of each line: measured now as far as no map of this state of the sources is at hand."""
    state = mutation_map.fingerprint(ROOT, FOLDERS)
    path = Path(options.map or Path(tempfile.gettempdir()) / f"coordboost-mutation-{state}.json")
    if not path.exists() and importlib.util.find_spec("coverage") is None:
        sys.exit("the map of tests is measured with coverage, which is not installed: pip install coverage")
    return mutation_map.whole(path, copy, list(files(copy, None)), options.limit, options.jobs, options.tests)


def draw(root, only, n, seed):
    """The mutants of a run, [(file, mutant, source)], in a random order: those tried before a run is cut short are a sample too."""
    drawn = []
    for file, count in mutants.shares(files(root, only), n).items():
        source = (root / file).read_bytes()
        drawn += [(file, mutant, source) for mutant in mutants.sample(source, count, f"{seed} {file}")]
    random.Random(seed).shuffle(drawn)
    return drawn


def put(path, source):
    """Write a source; what was compiled from the last one might look as new as this one, and goes."""
    path.write_bytes(source)
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)


def run(work, tests, folders):
    """Yield (file, before, after, status, the test that failed) for each mutant, as their processes end."""
    idle, busy, work = list(folders), {}, iter(work)
    known, more = equivalents(), True
    while more or busy:
        while idle and more:
            file, mutant, source = next(work, (None, None, None))
            more = file is not None
            if not more:
                break
            what = (file, *mutant.lines(source))
            chosen = tests.meeting(file, mutant, source)
            if what in known or not chosen:
                yield (*what, "equivalent" if what in known else "survived", "no test executes it")
                continue
            copy = idle.pop()
            put(copy / file, mutant.of(source))
            child = os.fork()
            if child == 0:
                run_tests(copy, chosen, copy / "killed-by")
            busy[child] = what, copy, source
        if busy:
            child, status = os.wait()
            (what, copy, source) = busy.pop(child)
            put(copy / what[0], source)
            idle.append(copy)
            code = os.waitstatus_to_exitcode(status)
            by = (copy / "killed-by").read_text() if code in (KILLED, TIMED_OUT, BROKEN) else ""
            if code == BROKEN:
                sys.exit(f"the tests could not be run: {by}")
            tests.kills[by] += 1
            yield (*what, {SURVIVED: "survived", KILLED: "killed"}.get(code, "timed out"), by)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=300, help="how many mutants")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", nargs="*", help="files or folders of coordboost/; by default pieces, engine, screening, ...")
    parser.add_argument(
        "--seconds", type=float, default=40, help="CPU seconds of tests that a mutant meets at most, as measured"
    )
    parser.add_argument(
        "--limit", type=float, default=4, help="tests that take longer than this without compilation take no part"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--tests", nargs="*", help="files of tests that take part; by default all")
    parser.add_argument("--map", help="file of the map of tests")
    parser.add_argument("--log", help="file to write every mutant and its fate to")
    options = parser.parse_args()
    os.environ.update(SETTINGS)
    sys.dont_write_bytecode = False  # many processes load the same sources
    sys.path[:] = [str(ROOT / "tests"), *(p for p in sys.path if Path(p).resolve() != ROOT)]
    for name in HEAVY:
        importlib.import_module(name)
    began, counts = time.perf_counter(), Counter()
    with copies(options.jobs) as folders, open(options.log or os.devnull, "w") as log:
        tests = mutation_map.Tests(the_map(folders[0], options), options.seconds)
        control(folders[0], tests)
        work = draw(folders[0], options.only, options.n, options.seed)
        for file, before, after, fate, by in run(work, tests, folders):
            counts[fate] += 1
            print(f"{fate}: {file}  {by}\n- {before}\n+ {after}", file=log, flush=True)
            if fate == "survived":
                print(f"{file}\n- {before}\n+ {after}" + f"\n  {by}" * bool(by), flush=True)
    dead, judged = counts["killed"] + counts["timed out"], sum(counts.values()) - counts["equivalent"]
    print(f"{sum(counts.values())} mutants in {time.perf_counter() - began:.0f} s: {dict(counts)}")
    print(f"killed: {dead} of {judged} not known to be equivalent, {dead / max(judged, 1):.1%}")


if __name__ == "__main__":
    main()
