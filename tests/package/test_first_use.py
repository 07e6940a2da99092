"""The names of the package are loaded at their first use, in any number of threads at once."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import coordboost as cb

ROOT = Path(cb.__file__).parent

#: Threads that use all public names for the first time, each in its own order, and fit a path. It
#: prints what failed.
THREADS = """
import random, sys, threading
import coordboost as cb

first, n_threads = int(sys.argv[1]), 8
failed, together = [], threading.Barrier(n_threads)

def use(seed):
    order = random.Random(seed).sample(dir(cb), len(dir(cb)))
    together.wait()
    try:
        for name in order:
            found = getattr(cb, name)
            for inner in getattr(found, "__all__", ()):
                getattr(found, inner)
        cb.lasso_path([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5], n_alphas=3)
    except BaseException as error:
        failed.append(f"{type(error).__name__}: {error}")

threads = [threading.Thread(target=use, args=(first + i,)) for i in range(n_threads)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failed)
"""

#: Three names that load many modules, one in each thread.
THREE = """
import threading
import coordboost as cb

failed, names = [], ["lasso_path", "exact_path", "read_table"]
together = threading.Barrier(len(names))

def use(name):
    together.wait()
    try:
        getattr(cb, name)
    except BaseException as error:
        failed.append(f"{type(error).__name__}: {error}")

threads = [threading.Thread(target=use, args=(name,)) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failed)
"""


def failures(source, *arguments):
    """What the threads of a fresh process print."""
    command = [sys.executable, "-c", source, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT.parent, capture_output=True, text=True, timeout=300, check=True
    ).stdout.strip()


@pytest.mark.parametrize("n_processes", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_three_names_in_three_threads(n_processes):
    assert [failures(THREE) for _ in range(n_processes)] == ["[]"] * n_processes


@pytest.mark.parametrize("n_processes", [1, pytest.param(50, marks=pytest.mark.slow)])
def test_all_public_names_in_eight_threads(n_processes):
    assert [failures(THREADS, 8 * i) for i in range(n_processes)] == ["[]"] * n_processes


def lazy_names():
    """The names of each package that are loaded at first use: {package: names}."""
    found = {}
    for stub in ROOT.rglob("__init__.pyi"):
        nodes = [
            node
            for node in ast.parse(stub.read_text(encoding="utf-8")).body
            if isinstance(node, ast.ImportFrom)
        ]
        package = ".".join(("coordboost", *stub.relative_to(ROOT).parts[:-1]))
        found[package] = {alias.name for node in nodes for alias in node.names}
    return found


def when_loaded(tree):
    """Yield the statements that run when a module is loaded."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from when_loaded(node)


def test_no_module_asks_for_such_a_name_while_it_is_loaded():
    """It would wait for a thread that may wait for this module."""
    lazy = lazy_names()
    found = []
    for path in ROOT.rglob("*.py"):
        for node in when_loaded(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in lazy:
                found += [
                    f"{path}: {node.module}.{alias.name}"
                    for alias in node.names
                    if alias.name in lazy[node.module]
                ]
    assert lazy["coordboost"] and lazy["coordboost.data"]
    assert found == []
