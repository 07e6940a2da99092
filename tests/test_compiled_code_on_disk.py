"""Whatever is wrong with the disk, code is compiled, with one warning that says how to help; and who waits at a terminal is told."""

import errno
import io
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core import caching
from reference_sets import needs_compiler

from coordboost import _compiling
from coordboost._generic import build

pytestmark = needs_compiler
ROOT = Path(__file__).resolve().parents[1]


def total_of(v):
    out = 0.0
    for x in v:
        out += 2.0 * x
    return out


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the cache, as NUMBA_CACHE_DIR would name it; nobody was warned."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(_compiling, "_warned", set())
    return tmp_path / "cache"


def fresh(kind=float):
    """What a new process computes, the warnings that it gives, and whether the code came from the disk."""
    form = build(total_of, "test", True, False)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        assert form(np.ones(3, dtype=kind)) == 6.0
    return [str(one.message) for one in given], sum(form.stats.cache_hits.values()) == 1


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def warned_once(said, words="compiled code could not be "):
    assert len(said) == 1 and said[0].startswith(words) and "NUMBA_CACHE_DIR" in said[0] and "\n" not in said[0]


def test_code_is_kept(folder):
    assert fresh() == ([], False)
    assert fresh() == ([], True)
    assert [path.suffix for path in files(folder)] == [".nbc", ".nbi"]


DAMAGE = {
    "empty": lambda old: b"",
    "cut": lambda old: old[: len(old) // 2],
    "cut at the end": lambda old: old[:-1],
    "a few bytes": lambda old: old[:7],
    "zeros": lambda old: bytes(len(old)),
    "zeros at the end": lambda old: old[: len(old) // 2] + bytes(len(old) - len(old) // 2),
    "zeros within": lambda old: old[: len(old) // 3] + bytes(len(old) // 3) + old[2 * len(old) // 3 :],
    "noise": lambda old: np.random.default_rng(0).bytes(len(old)),
    "noise within": lambda old: old[: len(old) // 2] + np.random.default_rng(1).bytes(64) + old[len(old) // 2 + 64 :],
    "text": lambda old: b"<html>quota exceeded</html>",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_files(folder, suffix, damage):
    """They are made anew; there is one warning, unless numba takes the file for one of another version."""
    fresh()
    (file,) = [path for path in files(folder) if path.suffix == suffix]
    file.write_bytes(damage(file.read_bytes()))
    said, found = fresh()
    assert not found and len(said) <= 1
    if suffix == ".nbc":
        warned_once(said)
    assert fresh() == ([], True)  # the next process finds sound files


def refusing(code):
    """As ``open``, on a disk that takes no more writing."""

    def opened(file, mode="r", **more):
        if "w" not in mode:
            return open(file, mode, **more)
        raise OSError(code, os.strerror(code), str(file))

    return opened


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_disk_that_takes_no_files(folder, monkeypatch, code):
    monkeypatch.setattr(caching, "open", refusing(code), raising=False)
    said, _ = fresh()
    warned_once(said)
    assert os.strerror(code) in said[0] and str(folder) in said[0]
    assert fresh() == ([], False)  # said once


def test_no_room_for_the_last_bytes(folder, monkeypatch):
    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(caching, "open", lambda file, mode: (Full if "w" in mode else open)(file, mode), raising=False)
    warned_once(fresh()[0])
    assert files(folder) == []


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_no_folder_can_be_written(folder, monkeypatch, code):
    """An installation that is read-only, and no home."""

    def refused(*args, **more):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        assert [build(total_of, f"test {k}", True, False)(np.ones(3)) for k in range(2)] == [6.0, 6.0]
    warned_once([str(one.message) for one in given], "compiled code cannot be kept on the disk")


def test_the_folder_is_a_file(folder, monkeypatch):
    """Another place is found, or none: no error in either case."""
    folder.write_text("no folder")
    assert len(fresh()[0]) <= 1 and folder.read_text() == "no folder"


def test_the_folder_goes_away(folder):
    form = build(total_of, "test", True, False)
    shutil.rmtree(folder)
    assert form(np.ones(3)) == 6.0
    shutil.rmtree(folder)
    assert form(np.ones(3, dtype=np.float32)) == 6.0
    assert fresh(np.float32) == ([], True)


def test_the_folder_goes_away_while_a_file_is_written(folder, monkeypatch):
    ensure = caching.UserProvidedCacheLocator.ensure_cache_path
    form = build(total_of, "test", True, False)
    monkeypatch.setattr(caching.UserProvidedCacheLocator, "ensure_cache_path", lambda self: (ensure(self), shutil.rmtree(folder)))
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        assert form(np.ones(3)) == 6.0


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at_terminal(monkeypatch, soon=0.0):
    """A terminal on stderr; whoever waits at all is told. Not a fixture, after which stderr is another one."""
    monkeypatch.setattr(_compiling, "SOON", soon)
    monkeypatch.setattr(_compiling._WAITING, "said", False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def test_who_waits_at_a_terminal_reads_one_line(folder, monkeypatch):
    terminal = at_terminal(monkeypatch)
    for kind in (float, np.float32, np.int64):
        fresh(kind)
    assert terminal.getvalue() == "coordboost: compiling, which takes some seconds, once per installation\n"


def test_what_is_not_kept_is_not_once(monkeypatch):
    terminal = at_terminal(monkeypatch)
    build(total_of, "test", False, False)(np.ones(3))
    assert terminal.getvalue().endswith("in every process, as it cannot be kept on the disk\n")


def test_who_does_not_wait_reads_nothing(folder, monkeypatch):
    terminal = at_terminal(monkeypatch, 1e6)
    fresh()
    monkeypatch.setattr(_compiling, "SOON", 0.0)
    assert fresh() == ([], True)  # from the disk
    numba.njit(lambda x: x + 1)(1.0)  # not ours
    with _compiling.silently():
        fresh(np.float32)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    fresh(np.int64)
    assert terminal.getvalue() == sys.stderr.getvalue() == ""


def test_a_compiler_that_fails_is_not_waited_for(monkeypatch):
    at_terminal(monkeypatch, 1e6)
    with pytest.raises(numba.core.errors.NumbaError):
        build(total_of, "test", False, False)("words")
    _compiling._WAITING.timer.join(60)
    assert _compiling._WAITING.outer is None and not _compiling._WAITING.timer.is_alive()


CHILD = """
import sys
import numpy as np
from coordboost import _compiling
from coordboost._generic import compiled
from coordboost.paths.folds import fill_columns
_compiling.SOON = 0.0
compiled(fill_columns, ())(np.ones((2, 4)), np.arange(3), np.zeros(2), np.ones(2), np.array([1]), np.empty((1, 3)))
"""


@pytest.mark.parametrize("there", [True, False])
def test_a_process_at_a_terminal(there, tmp_path):
    ours, theirs = pty.openpty()
    given = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    stderr = theirs if there else subprocess.PIPE
    done = subprocess.run([sys.executable, "-c", CHILD], stderr=stderr, env=given, cwd=ROOT, check=True)
    os.close(theirs)
    said = os.read(ours, 10000) if there else done.stderr
    os.close(ours)
    assert said.decode().replace("\r", "") == ("coordboost: compiling, which takes some seconds, once per installation\n" if there else "")
