"""Runs on the command line end at a gap, after a time or at a signal; they are saved, and the
command that resumes them is shown.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from command_line import fine

import coordboost
from coordboost import load


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with a small table."""
    monkeypatch.chdir(tmp_path)
    table = np.random.default_rng(1).standard_normal((30, 5))
    np.savetxt("t.csv", table, delimiter=",", header="a,b,c,d,price", comments="")
    return tmp_path


def test_a_gap_or_a_time_ends_the_run(folder):
    words = "path t.csv --target price --method ls_boost --eps 0.1 --steps 100000"
    fine(words, "--gap 0.01 --out o")
    run = load("o/ls_boost.run")
    assert run.message.startswith(
        f"GapBelow ended the run at step {run.n_steps}: the certified gap is at most 0.01"
    )
    fine(words, "--seconds 0 --steps 1000000000 --out o")
    assert "the time limit of 0 s was reached" in load("o/ls_boost.run").message


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to a process")
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_ctrl_c_keeps_the_steps_made(signum, folder):
    words = "path t.csv --target price --method forward_stagewise --eps 1e-6"
    fine(words, "--steps 1 --out warm")  # compiles, so that the other process starts soon
    words = f"-m coordboost {words} --steps 1000000000 --out o"
    process = subprocess.Popen(
        [sys.executable, *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(coordboost.__file__).parents[1]),
        },  # this checkout, from any folder
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a process in the background inherits that it is ignored
    )
    try:
        deadline = time.monotonic() + 60
        while not (folder / "o").exists() and time.monotonic() < deadline:
            time.sleep(0.05)  # the folder is made right before the run
        # on a busy machine its code is loaded first; millions of steps take seconds to compress
        time.sleep(3)
        process.send_signal(signum)
        stdout, stderr = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[signum], stderr
    run = load("o/forward_stagewise.run")
    assert 0 < run.n_steps < 10**9 and f"after {run.n_steps:,} steps" in stderr
    assert "to continue: coordboost fit --resume o/forward_stagewise.run --steps 9" in stderr
    assert "interrupted" in stdout and (folder / "o" / "forward_stagewise.png").is_file()
