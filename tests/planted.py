"""Planted errors: wrong constants, exponents, indices and hypotheses in what the ledger stands on, each of which it should notice.

    python tests/planted.py                       # the list by name, and generated ones up to 120
    python tests/planted.py --n 0                 # the list alone
    python tests/planted.py --only bounds/ls_boost

Not part of the suite. One error at a time goes into a copy of ``coordboost/bounds``, ``coordboost/geometry`` or a file of
``verification/theorems``. Then a fork of this process loads these rooms from the copy and goes through the quick rows of the ledger that
stand on the file, until one is not as claimed, or not as the table in the docs has it (a test holds that, too); an error that none notices
meets the tests of that file. The same seed gives the same errors. Generated ones change one number, operation, index or condition of a
claim, or of what computes it. What claims nothing is left alone: roundings, words, which instances are drawn, how long a search goes on,
the helpers of sabotages. Changes that change no claim are listed in ``planted_equivalents.txt``, with the reason.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from planted_errors import BOUNDS, ROOT, THEOREMS, by_name, files, generated

#: Tests of what lies there, for errors that the ledger does not notice.
TESTS = {
    f"{BOUNDS}randomized.py": "test_random_bounds.py",
    f"{BOUNDS}plan.py": "test_plans_by_hand.py test_bound_checks.py test_planning.py test_random_bounds.py test_accelerated_bounds.py",
    f"{BOUNDS}promises.py": "test_plans_by_hand.py test_planning.py",
    f"{BOUNDS}rademacher.py": "test_tree_families.py",
    f"{BOUNDS}accelerated.py": "test_accelerated_bounds.py",
    BOUNDS: "test_bounds.py test_bound_checks.py",
    "coordboost/geometry/momentum.py": "test_correction.py",
    "coordboost/geometry": "test_exact_angles.py test_sampled_angle.py test_least.py test_geometry.py "
    "test_distance.py",
}
#: Most seconds of CPU that the ledger or the tests of a file may take; what goes on forever is noticed, too.
LIMIT = 90


def _fresh(folder, file=""):
    """Load the rooms in which errors are planted from another folder; of an error in a file of theorems, what stands on it alone."""
    import coordboost

    if file.startswith(THEOREMS):
        from verification import theorems

        theorems.__path__ = [str(folder / THEOREMS)]
        for stem in files()[file]:
            sys.modules.pop(f"verification.theorems.{stem}", None)
        return
    rooms = ("verification", "coordboost.bounds", "coordboost.geometry", "coordboost.planning")
    for name in [name for name in sys.modules if name.startswith(rooms)]:
        del sys.modules[name]
    coordboost.__path__ = [str(folder / "coordboost"), *coordboost.__path__]
    for name, value in list(vars(coordboost).items()):
        if name in ("bounds", "geometry", "planning") or str(getattr(value, "__module__", "")).startswith(rooms[1:]):
            delattr(coordboost, name)
    sys.path.insert(0, str(folder))


def caught(file, source, rows, tests=()):
    """The first row of the ledger that is not as claimed, or else a test that fails, or an empty text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for room in ("coordboost/bounds", "coordboost/geometry", "verification"):
            for path in (ROOT / room).rglob("*"):
                if path.is_file() and path.suffix in (".py", ".json"):
                    (folder / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
                    (folder / path.relative_to(ROOT)).symlink_to(path)
        (folder / file).unlink()
        (folder / file).write_bytes(source)
        asks = [(rows, _first_fault), (tests, _first_failure)]
        # what a file of the geometry claims is seen sooner by its tests
        asks = [one for one in (asks[::-1] if "geometry" in file else asks) if one[0]]
        return next(filter(None, (_asked(folder, what, ask, file) for what, ask in asks)), "")


def _asked(folder, rows, ask, file=""):
    """What a fork of this process says about the ledger, or about tests, in a folder."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        status = "a fork that ended"
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        try:
            _fresh(folder, file)
            status = ask(rows)
        except BaseException as error:
            status = f"{type(error).__name__}: {error}"
        os.write(writing, status.encode()[:2000])
        os._exit(0)
    os.close(writing)
    _, status = os.wait()
    with os.fdopen(reading, "rb") as said:
        return said.read().decode() or ("no end" if os.WIFSIGNALED(status) else "")


def _first_fault(rows):
    from verification import ledger
    from verification.table import line

    written = {_words(text) for text in (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8").splitlines()}
    for part in rows:
        for module in ledger.modules():
            if part in module.__name__ and (faults := ledger.form_faults(module)):
                return faults[0]
        for statement, job in ledger.jobs(quick=True, only=part):
            one = job()
            if not one.good:
                return statement
            # what a test holds against the table in the docs
            if isinstance(one, ledger.Row) and _words(line(one)) not in written:
                return f"the table in the docs: {statement}"
    return ""


def _words(text):
    """Statement, variant, file, verdict and evidence of a line of the table."""
    return tuple(text.split(" | ")[:5])


def _first_failure(tests):
    import pytest

    failed = []

    class Watch:
        def pytest_runtest_logreport(self, report):
            failed.extend([report.nodeid] if report.failed else [])

    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    paths = [str(ROOT / "tests" / name) for name in tests]
    status = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-k", "not command", *paths], plugins=[Watch()])
    return failed[0] if failed else f"pytest: {status!r}" if status else ""


def tests_of(file):
    """The tests of a file."""
    return next((tests.split() for place, tests in TESTS.items() if file.startswith(place)), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=120, help="how many errors, those of the list included")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="files whose path contains this")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from verification import ledger

    list(ledger.jobs(quick=True, only="nothing"))
    began, places = time.perf_counter(), files()
    work = [one for one in by_name() if options.only is None or options.only in one[0]]
    work += generated(max(0, options.n - len(work)), options.seed, options.only)
    for part in sorted({part for rows in places.values() for part in rows}):
        if fault := _asked(ROOT, [part], _first_fault):
            sys.exit(f"without any error {fault} is not as claimed.")
    for tests in sorted(set(TESTS.values())):
        if fault := _asked(ROOT, tests.split(), _first_failure):
            sys.exit(f"without any error {fault} fails.")
    missed = 0
    for file, before, after, source in work:
        said = caught(file, source, places[file], tests_of(file))
        missed += not said
        print(
            f"{'caught by ' + said.splitlines()[0][:90] if said else 'MISSED'}: {file}\n- {before[:160]}\n+ {after[:160]}",
            flush=True,
        )
    print(f"{len(work) - missed} of {len(work)} caught in {time.perf_counter() - began:.0f} s")
    raise SystemExit(missed > 0.05 * len(work))


if __name__ == "__main__":
    main()
