"""Which tests execute which lines, and how long they take: measured once, so that a mutant meets its own tests only.

A map has an entry ``[node id, CPU seconds, {file: [lines]}]`` for each test that passed within the limit. Kernels run interpreted
(``NUMBA_DISABLE_JIT=1``), so that their lines are seen. Each file of tests runs in a process of its own: one whose test takes too long
is ended there, and another goes on behind it.
"""

import ast
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

#: Options of pytest: the same examples in every run; no warning of what comes from loading modules before pytest begins.
OPTIONS = ["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
OPTIONS += ["-W", "ignore:Module already imported", "-W", "ignore:the matrix subclass:PendingDeprecationWarning"]


def fingerprint(root, folders):
    """A name for the state of the sources below `folders`: a map made for another state is of no use."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(root)} ".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class Refused(BaseException):
    """A test is not for the map; not an `Exception`, which hypothesis would try to make smaller."""


def refuse(*_, **__):
    """In place of starting a process, of which nothing would be seen."""
    raise Refused


class Recorder:
    """A plugin of pytest: each test not in `seen` is a context of the measurement, which ends at one that takes too long."""

    def __init__(self, coverage, limit, seen, end):
        self.coverage, self.limit, self.seen, self.end = coverage, limit, seen, end
        self.seconds, self.bad, self.data = {}, set(), None
        subprocess.Popen = refuse
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, lambda *_: self.end(self))

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid not in self.seen]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.seen.append(item.nodeid)
        self.coverage.switch_context(item.nodeid)
        signal.setitimer(signal.ITIMER_PROF, self.limit)
        signal.alarm(120)  # for a test that waits
        begin = time.process_time()
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            self.seconds[item.nodeid] = time.process_time() - begin
            self.data = self.coverage.get_data()
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report):
        if not report.passed:
            self.bad.add(report.nodeid)


def part(root, files, limit, test_file, seen, out):
    """In a process of its own: measure the tests of one file that were not seen yet, write them to `out`; status 1: not all."""
    from coverage import Coverage

    coverage = Coverage(data_file=None, config_file=False, include=[str(root / file) for file in files])
    coverage.set_option("run:disable_warnings", ["no-data-collected"])  # a test may well touch none of the files

    def end(recorder, status=1):
        sys.settrace(None)  # a signal may have come while the measurement held a lock: it is not asked for anything more
        lines = {}
        for name in recorder.data.measured_files() if recorder.data else ():
            for line, contexts in recorder.data.contexts_by_lineno(name).items():
                for test in contexts:
                    lines.setdefault(test, {}).setdefault(str(Path(name).relative_to(root)), []).append(line)
        good = [test for test in recorder.seconds if test not in recorder.bad and test in lines]
        tests = [[test, round(recorder.seconds[test], 4), lines[test]] for test in good]
        out.write_text(json.dumps({"tests": tests, "seen": recorder.seen}))
        os._exit(status)

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    os.chdir(root)
    sys.path[:0] = [str(root), str(root / "tests")]
    recorder = Recorder(coverage, limit, seen, end)
    coverage.start()
    pytest.main([*OPTIONS, str(test_file)], plugins=[recorder])
    end(recorder, 0)


def measure(root, files, limit, jobs, test_files):
    """Run these files of tests below `root` and yield the entries of each, (name, tests). *Cost*: the tests, interpreted, once."""
    work, found, seen, busy = sorted(test_files, reverse=True), {}, {}, {}
    while work or busy:
        while work and len(busy) < jobs:
            name = work.pop()
            out = root / f"{Path(name).stem}.json"
            child = os.fork()
            if child == 0:
                part(root, files, limit, root / "tests" / name, seen.get(name, []), out)
            busy[child] = name, out
        child, status = os.wait()
        name, out = busy.pop(child)
        answer = json.loads(out.read_text()) if out.exists() else {"tests": [], "seen": []}
        out.unlink(missing_ok=True)
        found.setdefault(name, []).extend(answer["tests"])
        if os.waitstatus_to_exitcode(status) == 1 and len(answer["seen"]) > len(seen.get(name, [])):
            seen[name] = answer["seen"]
            work.append(name)
        else:
            yield name, found.pop(name)


def whole(path, root, files, limit, jobs, wanted):
    """The map of the wanted files of tests: what `path` holds of it, and the rest measured now and added there as it comes."""
    held = json.loads(path.read_text()) if path.exists() else {}
    names = {file.name for file in (root / "tests").glob("test_*.py") if not wanted or file.name in wanted}
    for name, tests in measure(root, files, limit, jobs, names - set(held)):
        print(f"map of tests: {name}, {len(tests)} tests", file=sys.stderr, flush=True)
        held[name] = tests
        path.write_text(json.dumps(held))
    return [entry for name in sorted(names) for entry in held.get(name, [])]


def scopes(source):
    """For each line of a source, from 1: the lines of the innermost definition around it, or of the file; and whether it is in a body.

    Lines that are in no body of a function run when the module is loaded, for whichever test comes first: two lists.
    """
    n = source.count(b"\n") + 1
    around, inside = [range(1, n + 1)] * (n + 1), [False] * (n + 1)
    for node in ast.walk(ast.parse(source)):  # outer nodes come first
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            span, body = range(node.lineno, node.end_lineno + 1), node.body[0].lineno
            around[span.start : span.stop] = [span] * len(span)
            inside[body : span.stop] = [isinstance(node, ast.FunctionDef)] * (span.stop - body)
    return around, inside


class Tests:
    """Which tests a mutant meets."""

    def __init__(self, tests, most):
        self.seconds, self.most = {test: cost for test, cost, _ in tests}, most
        self.of_line = {}
        for test, _, found in tests:
            for file, lines in found.items():
                for line in lines:
                    self.of_line.setdefault((file, line), []).append(test)
        self.kills = Counter()

    def files(self):
        """The files of tests that have any."""
        return sorted({test.split("::")[0] for test in self.seconds})

    def meeting(self, file, mutant, source):
        """Tests that execute the line, or, for one that runs while a module is loaded, what is around it; {test: CPU seconds}, by time.

        Of those within the time that a mutant may take, tests that have killed others come first.
        """
        around, inside = scopes(source)
        found = self.of_line.get((file, mutant.line)) if inside[mutant.line] else None
        if found is None:
            found = {test for line in around[mutant.line] for test in self.of_line.get((file, line), ())}
        chosen, total = {}, 0.0
        for test in sorted(found, key=self.seconds.get):
            total += self.seconds[test]
            if chosen and total > self.most:
                break
            chosen[test] = self.seconds[test]
        return dict(sorted(chosen.items(), key=lambda item: (-self.kills[item[0]], item[1])))
