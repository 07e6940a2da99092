"""Early ends of a run, by stop rules and divergence: the steps made equal those of a shorter
run.
"""

import signal
import time
from collections import namedtuple

import numpy as np
import pytest

import coordboost as cb
from coordboost import Problem
from coordboost.engine import Status

RNG = np.random.default_rng(9)
M, N = 40, 6
X = RNG.normal(size=(M, N))
Y = RNG.normal(size=M)
FOREVER = 10**12


def problem():
    return Problem(X, Y)


def equals_fresh_run(run, method, **options):
    fresh = cb.solve(problem(), method, run.n_steps, **options)
    return (
        fresh.beta.tobytes() == run.beta.tobytes()
        and fresh.path.theta.tobytes() == run.path.theta.tobytes()
    )


METHOD = cb.ls_boost(0.5)


def stopped(stop, method=METHOD, n_steps=FOREVER):
    run = cb.solve(problem(), method, n_steps, stop=stop)
    assert (
        run.status is Status.STOPPED and 0 < run.n_steps < n_steps and equals_fresh_run(run, method)
    )
    return run


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("target", [None, cb.certificates.L1Ball(100.0)])
def test_stop_below_a_gap(tolerance, target):
    run = stopped(cb.engine.GapBelow(tolerance, target))
    limit = tolerance * run.problem.value(np.zeros(M))
    assert run.certificate(target).gap <= limit < cb.certify(run.problem, np.zeros(N), target).gap
    assert (
        run.message == f"GapBelow ended the run at step {run.n_steps:,}: "
        f"{cb.engine.GapBelow(tolerance, target)}"
    )
    assert f"{tolerance:g}" in run.message


def test_stop_without_progress():
    run = stopped(cb.engine.NoProgress(1e-9))
    assert (
        np.abs(run.final.corr).max()
        <= 1e-9 * np.abs(run.problem.dictionary.scan(run.problem.y)).max()
    )
    # on a ball correlations stay large
    assert not cb.engine.NoProgress()(cb.solve(problem(), cb.methods.frank_wolfe(1.0), 3).final)


def test_stop_by_time():
    began = time.perf_counter()
    run = stopped(cb.engine.TimeLimit(0.3), cb.forward_stagewise(1e-9))
    assert run.seconds >= 0.3 and time.perf_counter() - began < 30
    assert "0.3 s" in run.message
    again = run.resume(FOREVER, stop=cb.engine.TimeLimit(run.seconds + 0.1))
    assert (
        again.status is Status.STOPPED
        and again.n_steps > run.n_steps
        and again.seconds >= run.seconds + 0.1
    )


def test_stop_by_any_callable_and_the_first_of_several():
    class Ten:
        def __call__(self, state):
            return state.k >= 10

        def __str__(self):
            return "ten are enough"

    run = stopped([cb.engine.GapBelow(0.0), Ten(), cb.engine.TimeLimit(1000.0)])
    assert run.message == "Ten ended the run at step 10: ten are enough" and run.n_steps == 10
    assert stopped(lambda state: np.bool_(state.l1 > 0)).n_steps > 0
    assert cb.solve(problem(), METHOD, 50, stop=lambda state: False).status is Status.COMPLETED
    assert cb.solve(problem(), METHOD, 50, stop=[]).status is Status.COMPLETED


def test_watch_sees_states_and_cannot_stop():
    seen = []

    def watch(state):
        seen.append((state.k, state.loss))
        state.beta[:] = 0
        return True

    run = cb.solve(problem(), METHOD, 100, watch=watch)
    assert run.status is Status.COMPLETED and equals_fresh_run(run, METHOD)
    assert [k for k, _ in seen] == sorted({k for k, _ in seen}) and seen[-1][0] == 100
    assert seen[-1][1] == run.final.loss


def test_an_error_in_watch_is_the_users_own():
    with pytest.raises(ZeroDivisionError):
        cb.solve(problem(), METHOD, 100, watch=lambda state: 1 / 0)


class Doubling(namedtuple("Doubling", "factor"), cb.rules.StepRule):
    """A user's step rule that overshoots: each step multiplies the residual along the learner by 1
    - factor.
    """

    def move(self, k, state, j, corr, beta_j):
        return 0, self.factor * corr


class Sick(namedtuple("Sick", "at"), cb.rules.StepRule):
    """A step rule that returns NaN at step `at`."""

    def move(self, k, state, j, corr, beta_j):
        return 0, corr / 2 if k < self.at else corr * np.nan


DIVERGING = [
    cb.rules.Method("overshoot", cb.rules.Greedy(), Doubling(3.0)),
    cb.rules.Method("leap", cb.rules.Cyclic(), Doubling(1e40)),
    cb.rules.Method("NaN", cb.rules.Greedy(), Sick(23)),
]


@pytest.mark.parametrize(
    "method, model_state, loss, compile",
    [
        (DIVERGING[0], cb.engine.CovarianceState, cb.losses.Squared(), True),
        (DIVERGING[2], cb.engine.NaiveState, cb.losses.Squared(), True),
        *((method, cb.engine.CovarianceState, cb.losses.Squared(), False) for method in DIVERGING),
        *(
            (method, cb.engine.NaiveState, loss, False)
            for method in DIVERGING
            for loss in (cb.losses.Squared(), cb.losses.Huber(1e300))
        ),
    ],
)
def test_divergence_never_returns_nan(method, model_state, loss, compile, deadline):
    run = cb.solve(Problem(X, Y, loss), method, 100_000, model_state=model_state, compile=compile)
    cause = "; Sick.move returned shrink = 0, theta = nan in step 23" * (method.name == "NaN")
    assert run.status is Status.DIVERGED and run.message == Status.DIVERGED.value + cause
    assert 0 < run.n_steps < 100_000 and (run.n_steps == 23 or method.name != "NaN")
    assert np.isfinite(
        [*run.beta, *run.coef, run.intercept, *run.pred, *run.path.theta, run.final.loss]
    ).all()
    fresh = cb.solve(
        Problem(X, Y, loss), method, run.n_steps, model_state=model_state, compile=compile
    )
    assert fresh.beta.tobytes() == run.beta.tobytes()
    assert np.isfinite(run.predict(X)).all() and "DIVERGED" not in repr(run)


@pytest.fixture
def deadline():
    """Fail after 30 seconds instead of hanging."""

    def late(signum, frame):
        raise AssertionError("the loop never ends")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_iterate_ends_on_divergence_too(deadline):
    """It must neither yield NaN nor loop forever."""
    states = []
    for state in cb.iterate(problem(), DIVERGING[0], 5000, every=100):
        states.append(state)
        assert np.isfinite(state.beta).all() and len(states) < 60
    assert states
