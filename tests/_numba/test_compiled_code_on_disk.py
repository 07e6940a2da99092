"""Code is compiled even if the cache cannot be used, with one warning that names a remedy; one
line on stderr shows that code is compiled.
"""

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference_sets import needs_compiler

pytestmark = needs_compiler
ROOT = Path(__file__).resolve().parents[2]
CODE = """
import warnings
import numpy as np, coordboost as cb
with warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    problem = cb.Problem(np.eye(4), np.arange(4.0))
    print(problem.value(np.zeros(4)) , *{str(one.message) for one in given}, sep="|")
"""


def told(folder, stderr=subprocess.PIPE):
    """Compute in a new process with its cache in `folder`, check the result, and return the
    warnings.
    """
    given = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=given,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    value, *said = done.stdout.strip().split("|")
    assert float(value) == 2.5
    return said


def warned_once(said):
    assert (
        len(said) == 1
        and said[0].startswith("compiled code cannot be cached on disk")
        and "NUMBA_CACHE_DIR" in said[0]
    )


def files(folder):
    return sorted(path for path in folder.rglob("*.nb?") if path.is_file())


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    assert told(folder) == [] and {path.suffix for path in files(folder)} == {".nbc", ".nbi"}
    return folder


DAMAGE = {
    "empty": lambda old: b"",
    "cut": lambda old: old[: len(old) // 2],
    "zeros": lambda old: bytes(len(old)),
    "noise": lambda old: np.random.default_rng(0).bytes(len(old)),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_replaced(filled, damage):
    for file in files(filled):
        if file.suffix == ".nbc":
            file.write_bytes(damage(file.read_bytes()))
    assert told(filled) == []
    assert all(file.stat().st_size > 1000 for file in files(filled) if file.suffix == ".nbc")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_folder_can_be_written(tmp_path):
    tmp_path.chmod(0o500)
    warned_once(told(tmp_path))


def test_the_folder_is_a_file(tmp_path):
    """There is no error, whether another folder is found or not."""
    (tmp_path / "file").write_text("no folder")
    assert len(told(tmp_path / "file")) <= 1 and (tmp_path / "file").read_text() == "no folder"


RUN = """
import numpy as np, coordboost as cb, coordboost._numba.compiling as compiling
compiling.SOON, compiling.AGAIN = {soon}, 0.01
problem = cb.Problem(np.eye(4), np.arange(4.0))
cb.solve(problem, cb.methods.gcd(), 2, model_state=cb.engine.NaiveState)
"""
NOTEBOOK = """
import sys, types
sys.modules["IPython"] = types.ModuleType("IPython")
sys.modules["IPython"].get_ipython = lambda: types.SimpleNamespace(kernel="of a notebook")
"""
LINE = "coordboost: compiling, which takes some seconds, once per installation\n"


def said_of(code, folder, *, terminal):
    """What a process says on stderr that runs `code` with the cache in `folder`."""
    ours, theirs = pty.openpty()
    stderr = theirs if terminal else subprocess.PIPE
    given = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], stderr=stderr, env=given, cwd=ROOT, check=True
    )
    os.write(theirs, b"END")
    os.close(theirs)
    said = os.read(ours, 10000).decode().removesuffix("END").replace("\r", "")
    os.close(ours)
    return said if terminal else done.stderr.decode()


@pytest.mark.parametrize(
    ("terminal", "head"),
    [(True, ""), (False, ""), (False, NOTEBOOK)],
    ids=["terminal", "script", "notebook"],
)
def test_one_line_is_shown(terminal, head, tmp_path):
    """Only if code is compiled: not where it is read from the disk, however long that takes."""
    assert said_of(head + RUN.format(soon=0.2), tmp_path, terminal=terminal) == LINE
    if terminal:
        assert said_of(RUN.format(soon=0.0), tmp_path, terminal=True) == ""


POOL = """
import multiprocessing
if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(target=exec, args=({code!r},))
    worker.start()
    worker.join()
"""


def test_a_process_of_a_pool_shows_none(tmp_path):
    """Many of them would show the same line."""
    code = POOL.format(code=RUN.format(soon=0.2))
    assert said_of(code, tmp_path, terminal=False) == ""


def test_a_first_fit_of_an_estimator_shows_the_line(tmp_path):
    code = RUN.format(soon=0.2).partition("problem")[0]
    code += "cb.ForwardStagewiseRegressor(eps=0.1, n_steps=3).fit(np.eye(4), np.arange(4.0))"
    assert said_of(code, tmp_path, terminal=True) == LINE
