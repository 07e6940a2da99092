"""Ctrl-C and SIGTERM: the steps made are kept, handlers are put back, a second signal acts at once."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import coordboost as cb
from coordboost import Problem, Status
from coordboost.interrupt import interruptible

RNG = np.random.default_rng(9)
X, Y = RNG.normal(size=(40, 6)), RNG.normal(size=40)
FOREVER = 10**12
both = pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])


def problem():
    return Problem(X, Y)


def equals_fresh_run(run, method, **options):
    fresh = cb.solve(problem(), method, run.n_steps, **options)
    return fresh.beta.tobytes() == run.beta.tobytes() and fresh.path.theta.tobytes() == run.path.theta.tobytes()


@pytest.fixture
def at_terminal():
    """Handlers as in a terminal: test runners in the background are started with Ctrl-C ignored."""
    expected = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {one: signal.signal(one, handler) for one, handler in expected.items()}
    yield
    assert {one: signal.getsignal(one) for one in expected} == expected, "a handler was not put back"
    for one, handler in before.items():
        signal.signal(one, handler)


def send(signum):
    """To this thread, where it acts at once: what is sent to the process may come by another thread, and a moment later."""
    signal.raise_signal(signum)


@both
@pytest.mark.parametrize("method", [cb.ls_boost(0.1), cb.rtgcd(2)], ids=["greedy", "random"])
@pytest.mark.parametrize("at", [1, 4])
def test_the_steps_made_are_kept(signum, method, at, at_terminal, monkeypatch):
    monkeypatch.setattr("coordboost.driver.LOOK", 0.005)  # fewer steps to make again
    seen = []

    def watch(state):
        seen.append(state.k)
        if len(seen) == at:
            send(signum)

    run = cb.solve(problem(), method, FOREVER, rng=4, watch=watch)
    assert run.status is Status.INTERRUPTED and run.message == "the run was interrupted; the steps made are kept"
    assert len(seen) == at and run.n_steps == seen[-1] > 0
    assert equals_fresh_run(run, method, rng=4)
    assert run.resume(100).status is Status.COMPLETED
    assert equals_fresh_run(run.resume(100), method, rng=4)


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_a_second_ctrl_c_interrupts_at_once(first, at_terminal):
    def watch(state):
        send(first)
        send(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        cb.solve(problem(), cb.ls_boost(), FOREVER, watch=watch)


def test_a_handler_of_the_users_own_gets_the_second_signal_and_is_put_back():
    got = []
    before = signal.signal(signal.SIGTERM, lambda signum, frame: got.append(signum))
    own = signal.getsignal(signal.SIGTERM)
    try:
        with interruptible() as interrupted:
            assert not interrupted()
            send(signal.SIGTERM)
            assert interrupted() and got == []
            send(signal.SIGTERM)
            assert got == [signal.SIGTERM]
        assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)


@both
def test_an_ignored_signal_stays_ignored(signum):
    """As under nohup, or in a shell's background: the signal belongs to someone else."""
    before = signal.signal(signum, signal.SIG_IGN)
    try:
        run = cb.solve(problem(), cb.ls_boost(), 500, watch=lambda state: send(signum))
        assert run.status is Status.COMPLETED and run.n_steps == 500
        assert signal.getsignal(signum) is signal.SIG_IGN
    except KeyboardInterrupt:
        pytest.fail("the ignored signal interrupted the run")
    finally:
        signal.signal(signum, before)


CHILD = """
import signal
import numpy as np
import coordboost as cb
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(1)
problem, method = cb.Problem(rng.normal(size=(50, 8)), rng.normal(size=50)), cb.forward_stagewise(1e-6)
said = []
def watch(state):
    if not said:
        said.append(print("running", flush=True))
    TWICE
run = cb.solve(problem, method, 10**12, watch=watch)
fresh = cb.solve(problem, method, run.n_steps)
print(run.status.name, run.n_steps > 0, run.beta.tobytes() == fresh.beta.tobytes())
"""
TWICE = "import os; [os.kill(os.getpid(), signal.SIGTERM) for _ in range(2)]"


def child(source):
    return subprocess.Popen([sys.executable, "-W", "error", "-c", source], stdout=subprocess.PIPE, text=True)


@both
def test_a_signal_from_outside(signum):
    with child(CHILD.replace("TWICE", "")) as process:
        try:
            assert process.stdout.readline() == "running\n"
            time.sleep(0.05)
            process.send_signal(signum)
            assert process.communicate(timeout=60)[0] == "INTERRUPTED True True\n"
            assert process.returncode == 0
        finally:
            process.kill()


def test_a_second_sigterm_ends_the_process():
    with child(CHILD.replace("TWICE", TWICE)) as process:
        try:
            assert process.communicate(timeout=60)[0] == "running\n"
            assert process.returncode == -signal.SIGTERM
        finally:
            process.kill()


def test_a_thread_runs_without_touching_signals():
    results = []
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    thread = threading.Thread(target=lambda: results.append(cb.solve(problem(), cb.ls_boost(), 50)))
    thread.start()
    thread.join()
    assert equals_fresh_run(results[0], cb.ls_boost())
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before
