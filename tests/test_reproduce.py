"""The command on the page of a run makes that run again from the same table."""

import html
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import coordboost as cb
from coordboost.reporting.cli import main

RNG = np.random.default_rng(12)
N = 40
FRAME = pd.DataFrame(
    {
        "it's": RNG.normal(size=N).round(2), "code": RNG.integers(0, 3, N), "seen": [f"0{1 + i % 9}/0{1 + i % 7}/2021" for i in range(N)],
        "leak": RNG.normal(size=N).round(2), "y": RNG.normal(size=N).round(2), "class": np.where(np.arange(N) % 3, "b", "a"),
    }
)  # fmt: skip
FRAME["it's"] = FRAME["it's"].astype(str).mask(np.arange(N) % 9 == 4, "gone")
TABLE = ["--drop", "leak", "--text", "code", "--na", "gone", "--impute", "indicator", "--date-format", "%d/%m/%Y"]


def called(*words):
    result = CliRunner().invoke(main, [*words])
    assert result.exit_code == 0, result.output


def again(run):
    """The words of the command on the page."""
    return shlex.split(html.unescape(re.search(r"<pre>(coordboost fit TABLE .*)", cb.html_report(run))[1]))[3:]


@pytest.mark.parametrize(
    "words",
    [
        ["--target", "y", "--drop", "class", "--method", "ls_boost", "--eps", "0.1", *TABLE],
        ["--target", "class", "--drop", "y", "--method", "ls_boost", "--eps", "0.1", "--loss", "logistic", "--no-center", *TABLE],
    ],
    ids=["numbers", "classes"],
)
def test_the_command_makes_the_run_again(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("t.csv", index=False)
    called("fit", "t.csv", *words, "--steps", "20", "--out", "o")
    run = cb.load("o/ls_boost.run")
    called("fit", "t.csv", *again(run), "--out", "p")
    made = cb.load("p/ls_boost.run")
    assert made.problem.recipe == run.problem.recipe and list(made.problem.column_names) == list(run.problem.column_names)
    np.testing.assert_array_equal(made.beta, run.beta)
    assert made.n_steps == run.n_steps and made.problem.constant == run.problem.constant
