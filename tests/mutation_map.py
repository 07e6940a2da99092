"""Which tests execute which lines, and how long they take: measured once, so that a mutant meets its own tests only.

A map is a folder that survives the process: ``map.json`` with one entry for each test that passed within the limit,
``[node id, CPU seconds, {file: [lines]}]``, and the files it was measured on by a hash of their bytes.
Kernels run interpreted (``NUMBA_DISABLE_JIT=1``), so that their lines are seen.
"""

import ast
import hashlib
import json
import signal
import subprocess
import time
from collections import Counter

import pytest


def fingerprint(root, folders):
    """A name for the state of the sources below `folders`: a map made for another state is of no use."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(root)} ".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class Refused(BaseException):
    """A test is not for the map; not an `Exception`, which hypothesis would try to make smaller."""


class Recorder:
    """A plugin of pytest: each test is a context of the measurement.

    A test fails that takes longer than `limit` CPU seconds, or starts another process, of which nothing would be seen.
    """

    def __init__(self, coverage, limit):
        self.coverage, self.limit = coverage, limit
        self.seconds, self.bad = {}, set()
        signal.signal(signal.SIGPROF, self._refuse)
        subprocess.Popen = self._refuse

    def _refuse(self, *_, **__):
        raise Refused(f"longer than {self.limit} s, or another process")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.coverage.switch_context(item.nodeid)
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, self.limit, self.limit)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.seconds[item.nodeid] = time.process_time() - begin
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report):
        if not report.passed:
            self.bad.add(report.nodeid)


def lines_of_tests(data, root, package):
    """For each context of a measurement, the lines that it executed: {node id: {file: [lines]}}."""
    found = {}
    for name in data.measured_files():
        file = str(package.joinpath(name).relative_to(root))
        for line, contexts in data.contexts_by_lineno(name).items():
            for context in contexts:
                found.setdefault(context, {}).setdefault(file, []).append(line)
    return found


def measure(root, files, limit, tests=("tests",)):
    """Run the suite once below `root` and return the map, fastest tests first. *Cost*: the suite, interpreted, once."""
    from coverage import Coverage

    coverage = Coverage(data_file=None, config_file=False, include=[str(root / file) for file in files])
    recorder = Recorder(coverage, limit)
    coverage.start()
    options = ["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--no-header", "--tb=no"]
    pytest.main([*options, *(str(root / test) for test in tests)], plugins=[recorder])
    coverage.stop()
    lines = lines_of_tests(coverage.get_data(), root, root)
    good = [(seconds, test) for test, seconds in recorder.seconds.items() if test not in recorder.bad and test in lines]
    return [[test, round(seconds, 4), lines[test]] for seconds, test in sorted(good)]


def save(path, tests):
    """Write a map."""
    path.write_text(json.dumps(tests))


def load(path):
    """A map that `save` wrote."""
    return json.loads(path.read_text())


def scopes(source):
    """For each line of a source, the lines of the innermost function around it, or of the whole file: a list of ranges from line 1."""
    n = source.count(b"\n") + 1
    around = [range(1, n + 1)] * (n + 1)
    for node in ast.walk(ast.parse(source)):  # outer nodes come first
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            span = range(node.lineno, node.end_lineno + 1)
            around[span.start : span.stop] = [span] * len(span)
    return around


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

    def meeting(self, file, mutant, source):
        """Tests that execute the line, or, for a line of a definition, what is inside it; {test: CPU seconds}, fastest first.

        Of those within the time that a mutant may take, tests that have killed others come first.
        """
        spans = scopes(source)[mutant.line]
        found = self.of_line.get((file, mutant.line))
        if found is None:
            found = {test for line in spans for test in self.of_line.get((file, line), ())}
        chosen, total = {}, 0.0
        for test in sorted(found, key=self.seconds.get):
            total += self.seconds[test]
            if chosen and total > self.most:
                break
            chosen[test] = self.seconds[test]
        return dict(sorted(chosen.items(), key=lambda item: (-self.kills[item[0]], item[1])))
