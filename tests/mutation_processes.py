"""Where a mutant meets its tests: in a fork of a process that has loaded them all, or in one that loads what it needs.

The *warm* process collects the tests of an unchanged copy of the package once, and parts for each mutant: in the fork every function of
the changed file gets its new code, in place, and the chosen tests run at once. That cannot show a change of what runs while modules are
loaded; for such a mutant the changed file is written, and a *new* process loads package and tests from it.
"""

import gc
import inspect
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import traceback
from types import CodeType, FunctionType

import mutation_map
import pytest

KILLED, SURVIVED, TIMED_OUT, BROKEN = 1, 0, 3, 4


class Guard:
    """A plugin of pytest: the first failure ends the process, and so does a test that takes much longer than it did."""

    def __init__(self, log):
        self.log, self.chosen = log, {}

    def pytest_runtest_logstart(self, nodeid):
        signal.signal(signal.SIGPROF, lambda *_: self.end(nodeid, TIMED_OUT))
        signal.setitimer(signal.ITIMER_PROF, 5 + 5 * self.chosen[nodeid])

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.end(report.nodeid, KILLED)

    def pytest_sessionfinish(self, exitstatus):
        self.end(f"pytest ended with status {int(exitstatus)}", SURVIVED if exitstatus == 0 else KILLED)

    def end(self, text, status):
        self.log.write_text(text)
        os._exit(status)


class Chosen(Guard):
    """These tests, in this order."""

    def __init__(self, log, chosen):
        self.log, self.chosen = log, chosen

    def pytest_collection_modifyitems(self, items):
        place = {test: i for i, test in enumerate(self.chosen)}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])

    def pytest_collectreport(self, report):
        if report.failed:
            self.end("", KILLED)


class Warm(Guard):
    """All tests, collected once; a fork for every mutant that is asked for.

    Asked is (file, source before, source after, line, tests); the answer is the status of the fork, or None where a change in place
    cannot show the mutant.
    """

    def __init__(self, log, root, connection):
        super().__init__(log)
        self.prefix, self.connection, self.loaded = f"{root}/", connection, set()
        sys.settrace(self.trace)

    def trace(self, frame, event, arg):
        """Note which lines of the package run while modules are loaded."""
        if not frame.f_code.co_filename.startswith(self.prefix + "coordboost"):
            return None
        self.loaded.add((frame.f_code.co_filename, frame.f_lineno))
        return self.trace

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        sys.settrace(None)
        items = {item.nodeid: item for item in session.items}
        functions = [one for one in gc.get_objects() if type(one) is FunctionType]
        gc.freeze()
        while True:
            try:
                file, before, after, line, chosen = self.connection.recv()
            except EOFError:
                os._exit(0)
            path = self.prefix + file
            found = None if (path, line) in self.loaded else changes(functions, path, before, after)
            if found is None:
                self.connection.send(None)
                continue
            child = os.fork()
            if child == 0:
                for function, code in found:
                    function.__code__ = code
                limits()
                self.chosen = chosen
                session.items[:] = [items[test] for test in chosen]
                return None  # pytest goes on with these
            self.connection.send(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def codes(source, path):
    """The code of a module and of all inside it, {qualified name: [code, ...]}."""
    found, todo = {}, [compile(source, path, "exec")]
    for code in todo:
        found.setdefault(code.co_qualname, []).append(code)
        todo.extend(const for const in code.co_consts if isinstance(const, CodeType))
    return found


def _once(code):
    """What of a code runs while its module is loaded, but for the functions in it; None for a function."""
    plain = [repr(const) for const in code.co_consts if not isinstance(const, CodeType)]
    return None if code.co_flags & inspect.CO_OPTIMIZED else (code.co_code, code.co_names, plain)


def changes(functions, path, before, after):
    """Those of the functions that come from a module, with their code in its changed source; None where more than that differs."""
    old, new = codes(before, path), codes(after, path)
    if {name: len(part) for name, part in old.items()} != {name: len(part) for name, part in new.items()}:
        return None
    pairs = [(one, other) for name in old for one, other in zip(old[name], new[name], strict=True)]
    code_of = {(one.co_qualname, one.co_firstlineno): other for one, other in pairs}
    same = all(_once(one) == _once(other) and one.co_freevars == other.co_freevars for one, other in pairs)
    if not same or len(code_of) < len(pairs):
        return None
    mine = [one for one in functions if one.__code__.co_filename == path]
    return [(one, code_of[one.__code__.co_qualname, one.__code__.co_firstlineno]) for one in mine] or None


def limits():
    """Of a process that a mutant may have led astray."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.alarm(600)  # a process that only waits


def run_pytest(copy, plugin, paths, *options):
    """In a process of its own, which a plugin ends."""
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    os.chdir(copy)
    sys.path[:0] = [str(copy), str(copy / "tests")]
    try:
        pytest.main([*options, *mutation_map.OPTIONS, *paths], plugins=[plugin])
        plugin.log.write_text("pytest went past its end")
    except BaseException:
        plugin.log.write_text(traceback.format_exc())
    os._exit(BROKEN)


class Bench:
    """A copy of the checkout where mutants meet their tests, one after the other.

    Parameters
    ----------
    copy : Path
    test_files : list of str
        Those that tests are chosen from.
    """

    def __init__(self, copy, test_files):
        self.copy, self.log = copy, copy / "killed-by"
        self.connection, theirs = multiprocessing.Pipe()
        self.warm = os.fork()
        if self.warm == 0:
            self.connection.close()
            run_pytest(copy, Warm(self.log, copy, theirs), test_files)
        theirs.close()

    def meet(self, file, before, after, line, chosen):
        """The status of a process in which the chosen tests met the changed source, and what it left in its log."""
        self.log.write_text("")
        self.connection.send((file, before, after, line, chosen))
        try:
            status = self.connection.recv()
        except EOFError:
            sys.exit(f"the tests could not be loaded: {self.log.read_text()}")
        status = self._new(file, before, after, chosen) if status is None else status
        if status == BROKEN:
            sys.exit(f"the tests could not be run: {self.log.read_text()}")
        return status, self.log.read_text()

    def _new(self, file, before, after, chosen):
        put(self.copy / file, after)
        child = os.fork()
        if child == 0:
            limits()
            run_pytest(self.copy, Chosen(self.log, chosen), sorted({test.split("::")[0] for test in chosen}), "-x")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        put(self.copy / file, before)
        return status

    def close(self):
        self.connection.close()
        os.waitpid(self.warm, 0)


def put(path, source):
    """Write a source; what was compiled from the last one might look as new as this one, and goes."""
    path.write_bytes(source)
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
