"""Files are written under a temporary name, then renamed: on a full disk the old file stays, and
the error names the file.

Permissions stay, and what killed processes left behind is removed.
"""

import contextlib
import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import coordboost as cb
from coordboost.reporting.cli import main

RNG = np.random.default_rng(1)


@contextlib.contextmanager
def room(size):
    """Limit the size of written files, as on a full disk; only briefly, since pytest may also write
    to a file.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A folder with a table and the files of two runs."""
    folder = tmp_path_factory.mktemp("table")
    X = RNG.normal(size=(300, 4))
    y = X[:, 0] - X[:, 1] + 0.1 * RNG.normal(size=300)
    np.savetxt(
        folder / "t.csv",
        np.column_stack([X, y]),
        delimiter=",",
        header="a,b,c,d,price",
        comments="",
        fmt="%.3g",
    )
    for name, eps in (("one", 0.1), ("two", 0.5)):
        problem = cb.read_table(folder / "t.csv", target="price").problem()
        cb.solve(problem, cb.ls_boost(eps), 20, compile=False).save(folder / name)
    return folder


#: Commands, the file that does not fit, and the available size: enough for the files written before
#: it.
COMMANDS = {
    "fit, the run": (
        "fit {t}/t.csv --target price --method ls_boost --steps 5 --out o",
        "o/ls_boost.run",
        500,
    ),
    "fit, the picture": (
        "fit {t}/t.csv --target price --method ls_boost --steps 5 --out o",
        "o/ls_boost.png",
        28_000,
    ),
    "cv": (
        "cv {t}/t.csv --target price --method ls_boost --steps 5 --out o",
        "o/ls_boost-cv.png",
        28_000,
    ),
    "predict": ("predict {t}/one {t}/t.csv --out p.csv", "p.csv", 500),
    "report": ("report {t}/one --out r.html", "r.html", 500),
    "compare": ("compare {t}/one {t}/two --plot c.png", "c.png", 500),
    "compare, svg": ("compare {t}/one {t}/two --plot c.svg", "c.svg", 500),
    "check": ("check {t}/one --plot b.png --angle-learners 0", "b.png", 500),
}


@pytest.mark.filterwarnings(
    "ignore:compiled code cannot be cached on disk:RuntimeWarning"
)  # the disk is full for compiled code, too
@pytest.mark.parametrize(("words", "name", "size"), COMMANDS.values(), ids=COMMANDS)
def test_commands_on_a_full_disk(words, name, size, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("what was there")
    with room(size):
        result = CliRunner().invoke(main, words.format(t=table).split())
    assert (
        result.exit_code == 1 and f"{file}: " in result.output and "too large" in result.output
    ), result.output
    assert file.read_text() == "what was there"
    assert [path for path in tmp_path.rglob("*.part")] == []
    result = CliRunner().invoke(main, words.format(t=table).split())
    assert result.exit_code == 0 and len(file.read_bytes()) > size, result.output


WRITERS = {
    "run": lambda file: cb.solve(
        cb.Problem(np.eye(60), np.arange(60.0)), cb.ls_boost(0.1), 5, compile=False
    ).save(file),
    "page": lambda file: cb.html_report(
        cb.solve(cb.Problem(np.eye(6), np.arange(6.0)), cb.ls_boost(0.1), 5, compile=False), file
    ),
}


@pytest.mark.parametrize("how", ["full", "interrupted"])
@pytest.mark.parametrize("name", WRITERS)
def test_writers_leave_the_old_file(name, how, tmp_path, monkeypatch):
    file = tmp_path / (name if "." in name else f"file.{name}")
    file.write_text("what was there")
    if how == "full":
        with pytest.raises(OSError) as caught, room(100):
            WRITERS[name](file)
        assert caught.value.filename == str(file) and caught.value.strerror
    else:

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            WRITERS[name](file)
        monkeypatch.undo()
    assert file.read_text() == "what was there" and os.listdir(tmp_path) == [file.name]
    WRITERS[name](file)
    assert len(file.read_bytes()) > 100 and os.listdir(tmp_path) == [file.name]


#: What each command or call writes, besides those of WRITERS: a function of a folder with saved
#: runs, and of the file.
OTHERS = {
    "model": lambda t, file: CliRunner().invoke(
        main, f"coef {t}/one --json --out {file}".split(), catch_exceptions=False
    ),
    "predictions": lambda t, file: CliRunner().invoke(
        main, f"predict {t}/one {t}/t.csv --out {file}".split(), catch_exceptions=False
    ),
    "figure.png": lambda t, file: CliRunner().invoke(
        main, f"compare {t}/one {t}/two --plot {file}".split(), catch_exceptions=False
    ),
    "codes.npy": lambda t, file: cb.data.bin_columns(np.arange(6.0).reshape(3, 2), file=file),
}
ALL = {
    **{name: lambda t, file, write=write: write(file) for name, write in WRITERS.items()},
    **OTHERS,
}


@pytest.mark.parametrize("name", ALL)
def test_permissions_stay_and_new_files_follow_the_umask(name, table, tmp_path):
    file = tmp_path / name
    umask = os.umask(0o027)
    try:
        ALL[name](table, file)
        assert file.stat().st_mode & 0o777 == 0o640
        for mode in (0o600, 0o664):
            file.write_bytes(b"")
            file.chmod(mode)
            ALL[name](table, file)
            assert file.stat().st_mode & 0o777 == mode and len(file.read_bytes()) > 0
    finally:
        os.umask(umask)
    assert os.listdir(tmp_path) == [name]


#: A process that is stopped while it writes: it prints a line and waits, with the file half
#: written.
HALF = """
import sys, time
from unittest import mock
import numpy as np
import coordboost as cb

def wait(number):
    print("half", flush=True)
    time.sleep(600)

run = cb.solve(cb.Problem(np.eye(6), np.arange(6.0)), cb.ls_boost(0.1), 5, compile=False)
with mock.patch("os.fsync", wait):
    run.save(sys.argv[1])
"""


def test_files_of_killed_processes_are_removed_by_the_next_save(tmp_path):
    """Also those of other files in the folder; files that a living process is writing stay, and so
    do files of others.
    """
    (tmp_path / ".notes.part").write_text("mine")
    (tmp_path / "old").write_text("what was there")
    writers = [
        subprocess.Popen([sys.executable, "-c", HALF, str(tmp_path / name)], stdout=subprocess.PIPE)
        for name in ("old", "new")
    ]
    for writer in writers:
        assert writer.stdout.readline() == b"half\n"
    WRITERS["run"](tmp_path / "another")
    assert len(list(tmp_path.glob(".*.part"))) == 3, "the files of living processes are removed"
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    assert len(list(tmp_path.glob(".*.part"))) == 3
    WRITERS["run"](tmp_path / "another")
    assert sorted(os.listdir(tmp_path)) == [".notes.part", "another", "old"]
    assert (tmp_path / "old").read_text() == "what was there" and (
        tmp_path / ".notes.part"
    ).read_text() == "mine"


@pytest.mark.parametrize(
    "write", [lambda run, out: run.save(out), cb.html_report], ids=["a run", "a page"]
)
def test_a_folder_is_refused_in_a_sentence(write, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in (".", "..", tmp_path):
        with pytest.raises(ValueError) as caught:
            write(cb.load(table / "one"), folder)
        assert str(caught.value) == f"{folder} is a folder: name a file in it."
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("letter", ["a", "\u00e9", "\u4e2d", "\U0001f600"])
def test_names_of_255_bytes(letter, tmp_path):
    n_bytes = len(letter.encode())
    for name in (letter * (255 // n_bytes), "x" * (255 % n_bytes) + letter * (255 // n_bytes)):
        WRITERS["run"](tmp_path / name)
        assert cb.load(tmp_path / name).n_steps == 5
        (tmp_path / name).unlink()
    with pytest.raises(OSError, match="too long"):
        WRITERS["run"](tmp_path / (letter * (256 // n_bytes + 1)))
    assert os.listdir(tmp_path) == []
