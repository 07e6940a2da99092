"""Bars on a terminal, lines elsewhere: what is shown while a run is made, and that it changes no
step.
"""

import io
import re
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 4))
Y = X[:, 0] + RNG.normal(size=40)
PROBLEM = cb.Problem(X, Y)
METHOD = cb.forward_stagewise(0.01)
STEPS = 200
KINDS = np.digitize(Y, [-0.5, 0.5])


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


def shown_by(call, *, stdout=None):
    """What `call` returns, and what it shows on a terminal, which is also stdout by default."""
    screen = Terminal()
    with redirect_stderr(screen), redirect_stdout(stdout or screen):
        result = call()
    return result, screen.getvalue()


@pytest.fixture(autouse=True)
def kind_of_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


def same(run, other):
    return run.beta.tobytes() == other.beta.tobytes() and run.n_steps == other.n_steps


def test_without_a_terminal_there_are_lines(capsys):
    run = cb.solve(PROBLEM, METHOD, STEPS, progress=True)
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert shown.out == "" and 1 <= len(lines) <= 10
    found = [
        re.fullmatch(r"forward_stagewise: (\d+) of 200 steps, loss (\S+), \d:\d\d:\d\d left", line)
        for line in lines
    ]
    assert found[-1][1] == "200" and float(found[-1][2]) == pytest.approx(run.final.loss, rel=1e-5)
    assert same(run, cb.solve(PROBLEM, METHOD, STEPS)) and capsys.readouterr().err == ""


def test_a_terminal_shows_a_bar():
    seen = []
    run, shown = shown_by(
        lambda: cb.solve(
            PROBLEM, METHOD, STEPS, progress=True, watch=lambda state: seen.append(state.k)
        )
    )
    assert "200/200" in shown and f"loss {run.final.loss:.6g}" in shown
    assert seen[-1] == STEPS and same(run, cb.solve(PROBLEM, METHOD, STEPS))


def test_a_run_that_goes_on_counts_the_new_steps():
    half = cb.solve(PROBLEM, METHOD, 120)
    whole, shown = shown_by(lambda: half.resume(80, progress=True))
    assert "80/80" in shown and same(whole, cb.solve(PROBLEM, METHOD, STEPS))


@pytest.mark.parametrize("multinomial", [True, False])
def test_verbose_draws_a_bar_below_its_lines(multinomial):
    settings = {"n_estimators": 6, "multinomial": multinomial, "random_state": 0}
    settings["early_stopping"] = False
    talkative = cb.RandomizedGBMClassifier(verbose=3, **settings)
    model, shown = shown_by(lambda: talkative.fit(X, KINDS))
    assert "6/6" in shown and "last iteration 6: mean loss train" in shown
    assert ("class 2" in shown) is not multinomial
    plain = cb.RandomizedGBMClassifier(**settings).fit(X, KINDS)
    assert all(map(same, model.runs_, plain.runs_))


def test_lines_go_to_a_file_while_the_bar_is_on_the_terminal():
    model = cb.RandomizedGBMRegressor(n_estimators=4, verbose=2, random_state=0)
    file = io.StringIO()
    _, shown = shown_by(lambda: model.fit(X, Y), stdout=file)
    assert "last iteration 4" in file.getvalue()
    assert "4/4" in shown and "iteration" not in shown


def test_what_is_no_flag_and_no_function_is_refused():
    refused(lambda: cb.solve(PROBLEM, METHOD, 3, progress=2), "progress")
    refused(lambda: cb.solve(PROBLEM, METHOD, 3, progress=True, watch=3), "watch")
    refused(lambda: cb.solve(PROBLEM, METHOD, -3, progress=True), "n_steps")
