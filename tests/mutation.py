"""Mutation: small wrong changes of the package, each of which some test should notice.

    python tests/mutation.py --n 300 --seed 0                    # two processes: --jobs 2
    python tests/mutation.py --n 40 --only pieces/losses.py --tests test_losses.py test_naive.py
    python tests/mutation.py --again survivors.log               # those that survived in a run with --log survivors.log

Not part of the suite. The first run on a state of the sources measures which tests execute which lines (``coverage`` is needed for it:
``pip install coverage``), a file of tests at a time, and keeps the map in the folder for temporary files; cut short, it goes on there
the next time. Then each mutant meets the tests that execute its line, those that killed others and the fast ones first, without
compilation, until one fails. The checkout itself is never changed: copies of it are.
The same seed gives the same mutants. Mutants that change nothing are listed in ``mutation_equivalents.txt``, with the reason.
"""

import argparse
import contextlib
import importlib.util
import multiprocessing.connection
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import mutants
import mutation_map
from mutation_processes import KILLED, SURVIVED, Bench

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("_winner", "pieces", "engine", "screening", "lasso", "exact", "targets", "storage", "data/standardize")
FOLDERS = ("coordboost", "tests", "verification")
EQUIVALENTS = ROOT / "tests" / "mutation_equivalents.txt"
# Loaded once, before processes part.
HEAVY = (
    "numpy", "scipy.sparse", "scipy.linalg", "numba.extending", "sklearn.linear_model", "pandas", "hypothesis.strategies",
    "hypothesis.extra.numpy", "click.testing", "rich.table", "matplotlib.pyplot", "pytest", "_pytest.assertion.rewrite",
)  # fmt: skip
FATES = {SURVIVED: "survived", KILLED: "killed"}
SETTINGS = {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}


def files(root, only):
    """The files that are mutated, with their numbers of lines: {file: lines}."""
    paths = []
    for name in only or ROOMS:
        found = [path for path in (root / "coordboost" / name, root / "coordboost" / f"{name}.py") if path.exists()]
        if not found:
            sys.exit(f"--only: {name} is no file or folder of coordboost/.")
        paths += [inner for path in found for inner in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    return {str(path.relative_to(root)): path.read_text().count("\n") for path in paths}


def equivalents():
    """The known mutants that change nothing: {(file, line before, line after)}."""
    blocks = EQUIVALENTS.read_text().split("\n\n") if EQUIVALENTS.exists() else []
    parts = [block.strip().split("\n") for block in blocks if block.strip().startswith("coordboost/")]
    return {(file, old.removeprefix("- "), new.removeprefix("+ ")) for file, old, new, *_ in parts}


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


def again(root, log):
    """The mutants that survived in the run that wrote `log`, as by ``draw``: each at the place nearest to where it was."""
    found = []
    for block in ("\n" + Path(log).read_text()).split("\nsurvived: ")[1:]:
        first, old, new = block.split("\n")[:3]
        file, line = first.split("  ")[0].split(":")
        source, what = (root / file).read_bytes(), (old.removeprefix("- "), new.removeprefix("+ "))
        same = [mutant for mutant in mutants.mutants(source) if mutant.lines(source) == what]
        found += [(file, min(same, key=lambda one: abs(one.line - int(line))), source)] if same else []
    return found


def control(bench, tests):
    """The copy without a change must pass: else every mutant would seem to be killed."""
    fastest = dict(sorted(tests.seconds.items(), key=lambda item: item[1])[:200])
    file = "coordboost/__init__.py"
    source = (bench.copy / file).read_bytes()
    status, said = bench.meet(file, source, source, 0, fastest)
    if status != SURVIVED:
        sys.exit(f"without any change a test fails: {said}")


def judged(copy, tests, work):
    """Yield (file, line, before, after, fate, the test that failed) for each mutant."""
    bench, known = Bench(copy, tests.files()), equivalents()
    control(bench, tests)
    for file, mutant, source in work:
        text, chosen = mutant.lines(source), tests.meeting(file, mutant, source)
        what, same = (file, mutant.line, *text), (file, *text) in known
        if same or not chosen:
            yield (*what, "equivalent" if same else "survived", "no test executes it")
            continue
        status, by = bench.meet(file, source, mutant.of(source), mutant.line, chosen)
        tests.kills[by] += 1
        yield (*what, FATES.get(status, "timed out"), by if status else "")
    bench.close()


@contextlib.contextmanager
def ending():
    """End this process, which is a fork: nothing of what its parent was about to do is done twice."""
    status = 1
    try:
        yield
        status = 0
    except BaseException as error:
        print("".join(traceback.format_exception(error)), file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(status)


def run(folders, tests, work):
    """All that ``judged`` yields, from as many processes at a time as there are folders, as they come."""
    sources = []
    for i, copy in enumerate(folders):
        ours, theirs = multiprocessing.Pipe()
        if os.fork() == 0:
            with ending():
                ours.close()
                for result in judged(copy, tests, work[i :: len(folders)]):
                    theirs.send(result)
        theirs.close()
        sources.append(ours)
    while sources:
        for ready in multiprocessing.connection.wait(sources):
            try:
                yield ready.recv()
            except EOFError:
                sources.remove(ready)
                if os.waitstatus_to_exitcode(os.wait()[1]):
                    sys.exit("a process of mutants came to grief.")


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
    parser.add_argument("--again", help="file that --log wrote: its survivors take the place of new mutants")
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
        work = again(folders[0], options.again) if options.again else draw(folders[0], options.only, options.n, options.seed)
        for file, line, before, after, fate, by in run(folders, tests, work):
            counts[fate] += 1
            print(f"{fate}: {file}:{line}  {by}\n- {before}\n+ {after}", file=log, flush=True)
            if fate == "survived":
                print(f"{file}:{line}\n- {before}\n+ {after}" + f"\n  {by}" * bool(by), flush=True)
    dead, judged = counts["killed"] + counts["timed out"], sum(counts.values()) - counts["equivalent"]
    print(f"{sum(counts.values())} mutants in {time.perf_counter() - began:.0f} s: {dict(counts)}")
    print(f"killed: {dead} of {judged} not known to be equivalent, {dead / max(judged, 1):.1%}")


if __name__ == "__main__":
    main()
