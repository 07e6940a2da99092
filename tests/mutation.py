"""Mutation: small wrong changes of the package, each of which some test should notice.

    python tests/mutation.py --n 300 --seed 0                    # two processes: --jobs 2
    python tests/mutation.py --n 40 --only pieces/losses.py --tests test_losses.py test_naive.py
    python tests/mutation.py --again survivors.log               # those that survived in a run with --log survivors.log

Not part of the suite. The first run on a state of the sources measures which tests execute which lines (``coverage`` is needed for it:
``pip install coverage``), a file of tests at a time, and keeps the map in the folder for temporary files; cut short, it goes on there
the next time. Then each mutant meets the tests that execute its line, the fast files first, without compilation, until one fails. The
checkout itself is never changed: copies of it are. The same seed gives the same mutants. Mutants that change nothing are listed in
``mutation_equivalents.txt``, with the reason.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutants

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("pieces", "engine", "screening", "lasso", "exact", "targets", "storage", "data/standardize")
EQUIVALENTS = ROOT / "tests" / "mutation_equivalents.txt"
SETTINGS = {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-W", "ignore:Module already imported")


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


def run(copy, words, seconds):
    """The status of a process in a copy of the checkout; None where it takes longer."""
    try:
        options = {"cwd": copy, "env": {**os.environ, **SETTINGS}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.run([sys.executable, *words], timeout=seconds, **options).returncode
    except subprocess.TimeoutExpired:
        return None


def measured(copy, name, limit):
    """The seconds of a file of tests, and the tests that execute each line: {file: {line: [test]}}; none if it fails or takes longer."""
    (copy / "map.ini").write_text("[run]\ndynamic_context = test_function\nsource = coordboost\n[json]\nshow_contexts = True\n")
    words = ("-m", "coverage", "run", "--rcfile=map.ini", "--data-file=map.data", *PYTEST, "--junitxml=map.xml", f"tests/{name}")
    if run(copy, words, limit) != 0:
        return {"seconds": limit, "lines": {}}
    run(copy, ("-m", "coverage", "json", "--rcfile=map.ini", "--data-file=map.data", "-o", "map.json"), limit)
    seconds = float(xml.etree.ElementTree.parse(copy / "map.xml").getroot()[0].get("time"))
    lines = {
        file: {line: sorted({test.rpartition(".")[2] for test in tests if test}) for line, tests in part["contexts"].items()}
        for file, part in json.loads((copy / "map.json").read_text())["files"].items()
    }
    return {"seconds": seconds, "lines": lines}


def the_map(copy, options):
    """The tests of each line: measured now as far as no map of this state of the sources is at hand."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in ("coordboost", "tests", "verification") for path in (ROOT / folder).rglob("*.py")):
        digest.update(path.read_bytes())
    kept = Path(tempfile.gettempdir()) / f"coordboost-mutation-{digest.hexdigest()[:16]}.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    if importlib.util.find_spec("coverage") is None:
        sys.exit("the map of tests is measured with coverage, which is not installed: pip install coverage")
    names = options.tests or sorted(path.name for path in (copy / "tests").glob("test_*.py"))
    for name in (name for name in names if name not in found):
        found[name] = measured(copy, name, options.limit)
        kept.write_text(json.dumps(found))
    return {name: found[name] for name in sorted(names, key=lambda name: found[name]["seconds"])}


def draw(options):
    """The mutants of a run, [(file, mutant, source)], in a random order: those tried before a run is cut short are a sample too."""
    drawn = []
    for file, count in mutants.shares(files(ROOT, options.only), options.n).items():
        source = (ROOT / file).read_bytes()
        drawn += [(file, mutant, source) for mutant in mutants.sample(source, count, f"{options.seed} {file}")]
    random.Random(options.seed).shuffle(drawn)
    return drawn


def again(log):
    """The mutants that survived in the run that wrote `log`, as by ``draw``: each at the place nearest to where it was."""
    found = []
    for block in ("\n" + Path(log).read_text()).split("\nsurvived: ")[1:]:
        first, old, new = block.split("\n")[:3]
        file, line = first.split("  ")[0].split(":")
        source, what = (ROOT / file).read_bytes(), (old.removeprefix("- "), new.removeprefix("+ "))
        same = [mutant for mutant in mutants.mutants(source) if mutant.lines(source) == what]
        found += [(file, min(same, key=lambda one: abs(one.line - int(line))), source)] if same else []
    return found


def fate(copy, tests, file, mutant, source):
    """What becomes of a mutant, and the file of tests that failed."""
    meeting = {name: part["lines"].get(file, {}).get(str(mutant.line)) for name, part in tests.items()}
    if not any(meeting.values()):
        return "survived", "no test executes it"
    (copy / file).write_bytes(mutant.of(source))
    try:
        for name, chosen in meeting.items():
            if chosen:
                status = run(copy, (*PYTEST, *(f"tests/{name}::{test}" for test in chosen)), 60 + 4 * tests[name]["seconds"])
                if status != 0:
                    return "timed out" if status is None else "killed", name
    finally:
        (copy / file).write_bytes(source)
    return "survived", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=300, help="how many mutants")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", nargs="*", help="files or folders of coordboost/; by default pieces, engine, screening, ...")
    parser.add_argument("--limit", type=float, default=60, help="files of tests that take longer without compilation take no part")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--tests", nargs="*", help="files of tests that take part; by default all")
    parser.add_argument("--again", help="file that --log wrote: its survivors take the place of new mutants")
    parser.add_argument("--log", help="file to write every mutant and its fate to")
    options = parser.parse_args()
    began, counts, known = time.perf_counter(), Counter(), equivalents()
    work = again(options.again) if options.again else draw(options)
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "_build")
    with tempfile.TemporaryDirectory() as folder, open(options.log or os.devnull, "w") as log:
        copies = [Path(shutil.copytree(ROOT, Path(folder) / str(job), ignore=unwanted)) for job in range(options.jobs)]
        tests, shares = the_map(copies[0], options), defaultdict(list)
        for k, (file, mutant, source) in enumerate(work):
            shares[k % options.jobs].append((file, mutant, source))

        def judged(job):
            for file, mutant, source in shares[job]:
                before, after = mutant.lines(source)
                same = (file, before, after) in known
                end, by = ("equivalent", "") if same else fate(copies[job], tests, file, mutant, source)
                counts[end] += 1
                print(f"{end}: {file}:{mutant.line}  {by}\n- {before}\n+ {after}", file=log, flush=True)
                if end == "survived":
                    print(f"{file}:{mutant.line}\n- {before}\n+ {after}" + f"\n  {by}" * bool(by), flush=True)

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(judged, range(options.jobs)))
    dead, tried = counts["killed"] + counts["timed out"], sum(counts.values()) - counts["equivalent"]
    print(f"{sum(counts.values())} mutants in {time.perf_counter() - began:.0f} s: {dict(counts)}")
    print(f"killed: {dead} of {tried} not known to be equivalent, {dead / max(tried, 1):.1%}")


if __name__ == "__main__":
    main()
