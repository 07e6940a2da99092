"""Ctrl-C: runs keep their steps and warn, all else raises soon; a second Ctrl-C acts at once.
SIGTERM is left alone.
"""

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import coordboost as cb
from coordboost import Problem
from coordboost.engine import Status

RNG = np.random.default_rng(9)
X = RNG.normal(size=(40, 6))
Y = RNG.normal(size=40)
FOREVER = 10**12
both = pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])


def problem():
    return Problem(X, Y)


def equals_fresh_run(run, method, **options):
    fresh = cb.solve(problem(), method, run.n_steps, **options)
    return (
        fresh.beta.tobytes() == run.beta.tobytes()
        and fresh.path.theta.tobytes() == run.path.theta.tobytes()
    )


@contextmanager
def handlers(**ours):
    """Install handlers of signals, by name, and check at the end that they are still installed."""
    ours = {getattr(signal, name): handler for name, handler in ours.items()}
    before = {one: signal.signal(one, handler) for one, handler in ours.items()}
    try:
        yield
        assert {one: signal.getsignal(one) for one in ours} == ours, "a handler was not put back"
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@pytest.fixture
def at_terminal():
    """Handlers as in a terminal: test runners in the background are started with Ctrl-C ignored."""
    with handlers(SIGINT=signal.default_int_handler, SIGTERM=signal.SIG_DFL):
        yield


def send(signum):
    """Send a signal to this thread, where it acts at once: sent to the process, it may arrive later
    and in another thread.
    """
    signal.raise_signal(signum)


@pytest.mark.parametrize("method", [cb.ls_boost(0.1), cb.rtgcd(2)], ids=["greedy", "random"])
@pytest.mark.parametrize("at", [1, 4])
def test_the_steps_made_are_kept(method, at, at_terminal):
    seen = []

    def watch(state):
        seen.append(state.k)
        if len(seen) == at:
            send(signal.SIGINT)

    with pytest.warns(
        cb.engine.InterruptedWarning,
        match=r"the run was interrupted; the steps made are kept: [\d,]+ of 1,000,000,000,000",
    ):
        run = cb.solve(problem(), method, FOREVER, rng=4, watch=watch)
    assert (
        run.status is Status.INTERRUPTED
        and run.message == "the run was interrupted; the steps made are kept"
    )
    assert len(seen) == at and run.n_steps == seen[-1] > 0
    assert equals_fresh_run(run, method, rng=4)
    assert run.resume(100).status is Status.COMPLETED
    assert equals_fresh_run(run.resume(100), method, rng=4)


def test_a_second_ctrl_c_interrupts_at_once(at_terminal):
    def watch(state):
        send(signal.SIGINT)
        send(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        cb.solve(problem(), cb.ls_boost(), FOREVER, watch=watch)


def test_a_handler_of_the_users_own_gets_the_second_signal_and_is_put_back():
    got = []

    def watch(state):
        send(signal.SIGINT)
        before = len(got)
        send(signal.SIGINT)
        assert (before, len(got)) == (0, 1)

    with (
        handlers(SIGINT=lambda signum, frame: got.append(signum)),
        pytest.warns(cb.engine.InterruptedWarning),
    ):
        run = cb.solve(problem(), cb.ls_boost(), FOREVER, watch=watch)
    assert run.status is Status.INTERRUPTED and got == [signal.SIGINT]


@both
def test_an_ignored_signal_stays_ignored(signum):
    """As under nohup, or in a background process of a shell."""
    with handlers(**{signal.Signals(signum).name: signal.SIG_IGN}):
        try:
            run = cb.solve(problem(), cb.ls_boost(), 500, watch=lambda state: send(signum))
        except KeyboardInterrupt:
            pytest.fail("the ignored signal interrupted the run")
        assert run.status is Status.COMPLETED and run.n_steps == 500


def test_sigterm_is_left_alone():
    """The user's handler gets every SIGTERM, and the run goes on."""
    got = []
    sent = []

    def watch(state):
        sent.append(state.k)
        send(signal.SIGTERM)

    with handlers(SIGTERM=lambda signum, frame: got.append(signum)):
        run = cb.solve(problem(), cb.ls_boost(), 500, watch=watch)
        cb.lasso_path(X, Y, n_alphas=3)
        assert run.status is Status.COMPLETED and len(got) == len(sent) > 0


#: Start of the code of processes. ``tried(work)`` runs work that never ends, sends a signal, and
#: prints the result and how soon it came.
HEAD = """
import gc, os, signal, threading, time, warnings
import numpy as np
import coordboost as cb
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(1)
X, y = rng.normal(size=(60, 8)), rng.normal(size=60)
problem, method = cb.Problem(X, y), cb.forward_stagewise(1e-6)
warnings.simplefilter("ignore")

def tried(work, signum=signal.SIGINT, after=0.3):
    sent = []
    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signum)
    timer = threading.Timer(after, send)
    # earlier timers: Python loses an exception that is raised while a finished thread is collected
    gc.collect()
    timer.start()
    try:
        found = work()
    except KeyboardInterrupt:
        found = "KeyboardInterrupt"
    late = time.perf_counter() - sent[0] if sent else 0.0
    timer.cancel()
    print(found, "soon" if late < 2.0 else f"after {late:.1f} s", flush=True)

def for_ever(work):
    while True:
        work()
"""


def process(*lines, cache=None):
    """Return the lines that a process prints, its exit status, and the end of its stderr.

    cache : its folder of compiled code; with it the process compiles
    """
    source = "\n".join([HEAD, *lines])
    compiling = {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}
    given = {**os.environ, **({} if cache is None else compiling)}
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=500, env=given
    )
    return done.stdout.splitlines(), done.returncode, done.stderr[-2000:]


def test_ctrl_c_keeps_the_steps_of_a_process():
    work = (
        "tried(lambda: (run := cb.solve(problem, method, 10**12)).status.name + "
        "str(run.n_steps > 0))"
    )
    assert process("cb.solve(problem, method, 10)", work)[:2] == (["INTERRUPTEDTrue soon"], 0)


def test_sigterm_ends_a_process_in_the_middle_of_a_loop():
    """Without a handler it ends the process, as `timeout` and job queues expect."""
    work = "tried(lambda: for_ever(lambda: cb.solve(problem, method, 10**9)), signal.SIGTERM)"
    assert process(work)[:2] == ([], -signal.SIGTERM)


#: Two pieces of code: a small one that compiles what is needed, and work that never ends.
FITS = {
    "cross-validation, ten million steps": (
        "cb.LSBoostRegressorCV(n_steps=10).fit(X, y)",
        "lambda: cb.LSBoostRegressorCV(eps=1e-9, n_steps=10**7).fit(X, y)",
    ),
    "cross-validation in threads": (
        "cb.LSBoostRegressorCV(n_steps=10, n_jobs=2).fit(X, y)",
        "lambda: cb.LSBoostRegressorCV(eps=1e-9, n_steps=10**7, n_jobs=2).fit(X, y)",
    ),
    "stagewise": (
        "cb.ForwardStagewiseRegressor(n_steps=10).fit(X, y)",
        "lambda: cb.ForwardStagewiseRegressor(n_steps=10**9, eps=1e-9).fit(X, y)",
    ),
    "trees": (
        "cb.RandomizedGBMRegressor(n_estimators=3).fit(X, y)",
        "lambda: cb.RandomizedGBMRegressor(n_estimators=10**7).fit(X, y)",
    ),
    "a lasso": (
        "cb.CertifiedLasso(alpha=0.01).fit(X, y)",
        "lambda: for_ever(lambda: cb.CertifiedLasso(alpha=0.01, tol=1e-9).fit(X, y))",
    ),
    "a lasso of classes": (
        "cb.CertifiedLassoClassifier().fit(X, y > 0)",
        "lambda: for_ever(lambda: cb.CertifiedLassoClassifier(alpha=0.001).fit(X, y > 0))",
    ),
}
ANSWERS = {
    "scores along a path": (
        "run = cb.solve(problem, method, 10**6); run.score_path(X, y); many = np.tile(X, (1000, "
        "1)), np.tile(y, 1000)",
        "lambda: run.score_path(*many)",
    ),
    "states by replay": ("", "lambda: [state.loss for state in run.replay(range(10**6))]"),
    "stability": (
        "walk = lambda *rows: cb.solve(cb.Problem(*rows[:2]), method, 10**5)",
        "lambda: cb.model_selection.stability_selection(walk, X, y, n_pairs=10**4, n_threads=2)",
    ),
    "an angle": (
        "",
        "lambda: for_ever(lambda: cb.theory.mca(cb.Problem(rng.normal(size=(40, 24)), "
        "rng.normal(size=40))))",
    ),
    "bounds": (
        "run = cb.solve(problem, cb.ls_boost(0.1), 1000); cb.theory.check(run)",
        "lambda: for_ever(lambda: cb.theory.check(run))",
    ),
    "a forecast": (
        "cb.theory.plan(problem, gap=1e-3)",
        "lambda: for_ever(lambda: cb.theory.plan(problem, gap=1e-3))",
    ),
}


@pytest.mark.parametrize("works", [FITS, ANSWERS], ids=["fits", "answers"])
def test_ctrl_c_acts_soon(works):
    """Estimators, cross-validation, replay, scores, angles and bounds raise KeyboardInterrupt, and
    return nothing.
    """
    out, code, words = process(
        *(line for ready, work in works.values() for line in (ready, f"tried({work})"))
    )
    assert dict(zip(works, out, strict=False)) == dict.fromkeys(works, "KeyboardInterrupt soon"), (
        words
    )
    assert code == 0


#: First calls in a process whose cache of compiled code is empty. They compile many functions.
FIRST = {
    "a run": "cb.solve(cb.Problem(X, y), cb.forward_stagewise(0.01), 10**5)",
    "a path": "cb.lasso_path(X, y)",
    "an exact path": "cb.exact_path(rng.normal(size=(300, 200)), rng.normal(size=300))",
}

#: ``broken_off(work, nth)`` sends Ctrl-C when the nth function of `work` begins to be compiled.
BROKEN_OFF = """
from numba.core import event

class Interrupter(event.Listener):
    def __init__(self, nth):
        self.left = nth
    def on_start(self, started):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)
    def on_end(self, ended):
        pass

def broken_off(work, nth):
    with event.install_listener("numba:compile", Interrupter(nth)):
        try:
            print(type(work()).__name__)
        except KeyboardInterrupt:
            print("KeyboardInterrupt", flush=True)
"""


@pytest.mark.parametrize("work", FIRST.values(), ids=FIRST)
def test_first_compilations_are_broken_off(work, tmp_path):
    """Nothing was made, so nothing is lost: KeyboardInterrupt. The next call compiles again, and is
    not disturbed.
    """
    code = [f"broken_off(lambda: {work}, {nth})" for nth in (1, 3)]
    last = "print(cb.solve(cb.Problem(X, y), cb.forward_stagewise(0.01), 50).n_steps)"
    out, status, words = process(BROKEN_OFF, *code, last, cache=tmp_path)
    assert (out, status) == (["KeyboardInterrupt", "KeyboardInterrupt", "50"], 0), words


MANY = """
class Fit:
    order_of_entry = list

def stop(signum, frame):
    raise KeyboardInterrupt

def walk(X, y, sample_weight):
    if not begun:
        begun.append(True)
        signal.setitimer(signal.ITIMER_REAL, after)
    return Fit()

signal.signal(signal.SIGALRM, stop)
n = 0
for after in np.random.default_rng(0).uniform(1e-5, 5e-3, 100):
    begun = []
    try:
        cb.model_selection.bootstrap_frequencies(walk, X, y, n_draws=2000, n_threads=2)
    except KeyboardInterrupt:
        n += 1
print(n, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signal.setitimer")
def test_ctrl_c_at_any_moment_leaves_no_lock_behind():
    """Also while threads start and take tasks: KeyboardInterrupt is always raised, and the process
    ends.
    """
    assert process(MANY)[:2] == (["100"], 0)


def test_a_thread_runs_without_touching_signals():
    results = []
    before = [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)]
    thread = threading.Thread(target=lambda: results.append(cb.solve(problem(), cb.ls_boost(), 50)))
    thread.start()
    thread.join()
    assert equals_fresh_run(results[0], cb.ls_boost())
    assert [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)] == before
