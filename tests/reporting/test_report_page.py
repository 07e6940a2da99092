"""The report page of a run: validation losses, an informative certificate, and commands that all
work.
"""

import html
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from command_line import folds_of
from refusal import refused

import coordboost as cb
from coordboost.reporting.cli import main

RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(RNG.normal(size=(60, 4)), columns=list("abcd"))
SCORE = 2 * FRAME["a"] - FRAME["b"] + RNG.logistic(size=60)
#: Columns that need a recipe.
MESSY = {
    "it's": FRAME["a"].round(2).astype(str).mask(np.arange(60) % 9 == 4, "gone"),
    "code": RNG.integers(0, 3, 60),
    "seen": [f"0{1 + i % 9}/0{1 + i % 7}/2021" for i in range(60)],
    "leak": RNG.normal(size=60).round(2),
}
RECIPE = "--drop leak --text code --na gone --impute indicator --date-format %d/%m/%Y"
TARGETS = {
    "kind": np.where(SCORE > 0, "yes", "no"),
    "price": 10 * SCORE + 100,
    "n": RNG.poisson(np.exp(0.4 * FRAME["a"] + 0.5)),
}
WAYS = [
    "fit price --method ls_boost --eps 0.1 --steps 30",
    "fit kind --method gcd --loss logistic --steps 30",
    "fit kind --method forward_stagewise --eps 0.2 --loss exponential --steps 20",
    "fit n --method forward_stagewise --eps 0.4 --loss poisson --steps 20",
    "fit price --method regularized_forward_stagewise --eps 2 --delta 90 --loss huber:0.5 "
    "--steps 20",
    "fit price --method path_forward_stagewise --eps 2 --deltas 20:90 --steps 15",
    "fit price --method frank_wolfe --delta 90 --line-search --steps 15",
    "fit price --method rtgcd --t 2 --steps 15 --seed 3",
    "fit price --method agbm --eta 0.5 --gamma 0.01 --no-guard --correction -1 --steps 12",
    "cv kind --method gcd --loss logistic --steps 40 --folds 4 --choose one-se",
    "cv price --method ls_boost --eps 0.5 --steps 30 --seed 2",
    "cv price --method path_forward_stagewise --eps 2 --deltas 20:90 --steps 15",
    f"fit price --method ls_boost --eps 0.1 --steps 20 {RECIPE}",
    f"fit kind --method ls_boost --eps 0.1 --loss logistic --no-center --steps 20 {RECIPE}",
]


def fine(words):
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, (words, result.output)
    return result.output


def made(way, folder):
    """Make the run that `way` describes; return it, the text of its page, and the source of the
    page.
    """
    command, target, *more = way.split()
    FRAME.assign(**{target: TARGETS[target]}, **(MESSY if RECIPE in way else {})).to_csv(
        folder / "t.csv", index=False
    )
    fine([command, "t.csv", "--target", target, *more, "--out", "o"])
    (file,) = (folder / "o").glob("*.run")
    fine(["report", str(file), "--out", "page.html"])
    source = (folder / "page.html").read_text(encoding="utf-8")
    seen = html.unescape(
        re.sub(r"<[^>]+>", " ", re.sub(r"<(svg|script|style).*?</\1>", "", source, flags=re.S))
    )
    return cb.load(file), " ".join(seen.split()), source


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "way", WAYS, ids=[" ".join(way.split()[:4:3]) + way.split()[1] for way in WAYS]
)
def test_every_command_on_the_page_works_and_the_first_makes_the_run_again(way, folder):
    run, _, source = made(way, folder)
    commands = [
        line
        for block in re.findall(r"<pre>(.*?)</pre>", source, re.S)
        for line in html.unescape(block).splitlines()
    ]
    makes = [command for command in commands if " TABLE" in command]
    assert len(makes) == 1 and len(commands) >= 4 and makes[0].split()[1] == way.split()[0]
    for one in commands:
        words = [
            {"TABLE": "t.csv", "NEW_TABLE": "t.csv"}.get(word, word)
            for word in shlex.split(one)[1:]
        ]
        words = [f"o/{word}" if word.endswith(".run") else word for word in words]
        fine([*words, *(["--out", "again"] if one in makes else [])])
    (again,) = (folder / "again").glob("*.run")
    again = cb.load(again)
    assert again.problem.recipe == run.problem.recipe and list(again.problem.column_names) == list(
        run.problem.column_names
    )
    assert again.n_steps == run.n_steps and again.problem.constant == run.problem.constant
    assert again.beta.tobytes() == run.beta.tobytes() and again.validation == run.validation


def test_classes_held_out(folder):
    run, seen, source = made(WAYS[9], folder)
    held = run.validation
    assert (
        held["choose"] == "one-se"
        and held["folds"] == 4
        and held["steps"] == 40
        and held["at"][-1] == 40
    )
    i = held["at"].index(run.n_steps)
    accuracy = held["measures"]["accuracy"][i]
    auc = held["measures"]["AUC"][i]
    assert f"On rows held out (4 folds): accuracy {100 * accuracy:.3g} %, AUC {auc:.3g}." in seen
    assert "Rows held out" in seen and "the fewest within one standard error" in seen
    assert (
        source.count("one standard error to either side</text>") == 2
    )  # in the wide and in the narrow layout
    y = np.where(TARGETS["kind"] == "yes", 1.0, -1.0)
    parts = []
    for fit, rows in folds_of(y, 4, 0):
        part = cb.solve(
            cb.Problem(FRAME.iloc[fit], y[fit], cb.losses.Logistic()), cb.methods.gcd(), 40
        ).refit_intercept()
        parts.append(
            (part.predict(FRAME.iloc[rows], at=cb.lasso.PathPoint(step=run.n_steps)), y[rows])
        )
    right = np.concatenate([(score > 0) == (truth > 0) for score, truth in parts])
    assert accuracy == pytest.approx(right.mean(), abs=1e-12)
    assert auc == pytest.approx(
        np.average([_auc(*part) for part in parts], weights=[len(one) for _, one in parts]),
        abs=1e-12,
    )


def _auc(score, truth):
    pairs = score[truth > 0][:, None] - score[truth < 0]
    return np.mean((pairs > 0) + 0.5 * (pairs == 0))


def test_numbers_held_out(folder):
    run, seen, _ = made(WAYS[10], folder)
    held = run.validation
    i = held["at"].index(run.n_steps)
    assert (
        held["measures"] == {}
        and f"root mean squared error {np.sqrt(2 * held['mean'][i]):.5g}" in seen
    )
    assert (
        "steps, chosen from 0 to 30 by cross-validation with 5 folds: the smallest mean loss on "
        "rows held out" in seen
    )
    longer = run.resume(2)
    assert longer.validation is None and "held out" not in cb.html_report(longer)


def test_the_page_of_a_cv_estimator_shows_the_cv_curve():
    model = cb.LSBoostRegressorCV(eps=0.5, n_steps=20, cv=3).fit(FRAME, TARGETS["price"])
    text = cb.html_report(model.run_, cross_validation=model.cross_validation_)
    assert "Rows held out" in text and "with 3 folds." in text and "coordboost cv" not in text
    refused(
        lambda: cb.html_report(model.run_, cross_validation=3),
        "cross_validation must be the CrossValidation",
    )
    assert "Rows held out" not in cb.html_report(model.run_)


@pytest.mark.parametrize(
    "way", [WAYS[1], WAYS[2], WAYS[3]], ids=["logistic", "exponential", "poisson"]
)
def test_without_strong_convexity_the_certificate_is_for_the_reached_ball(way, folder):
    run, seen, _ = made(way, folder)
    models = run.refit_intercept()
    (radius,) = re.findall(r"--ball (\S+)", seen)
    assert models.final.l1 <= float(radius) <= models.final.l1 * (1 + 2e-5)
    certificate = models.certificate(cb.certificates.L1Ball(float(radius)))
    assert f"of all models whose l1 norm is at most {radius}, the norm of this model" in seen
    (lower,) = re.findall(r"lower ([\d.]+)", seen)
    assert (
        certificate.lower * (1 - 1e-11) <= float(lower) <= certificate.lower
        and float(lower) > run.problem.infimum + 1
    )
    assert (
        f"proved to lie within {100 * certificate.gap / models.problem.start_excess:.3g} %" in seen
    )
    (file,) = (folder / "o").glob("*.run")
    assert f"l1 <= {float(radius):.5g}" in fine(["certify", str(file)])


def test_runs_without_a_command_line_equivalent_show_no_fit_command():
    wide = RNG.normal(size=(60, 300))
    weight = RNG.uniform(1, 2, 60)
    for X, method, given in (
        (wide, cb.agbm(0.5, "auto"), None),
        (FRAME, cb.ls_boost(), weight),
        (FRAME, cb.forward_stagewise([1.0] * 5), None),
    ):
        run = cb.solve(cb.Problem(X, TARGETS["price"], sample_weight=given), method, 4)
        assert "It was made in Python" in cb.html_report(
            run
        ) and "coordboost fit" not in cb.html_report(run)
    run = cb.solve(cb.Problem(FRAME, SCORE, cb.losses.Huber(np.float64(0.5))), cb.ls_boost(), 4)
    text = html.unescape(cb.html_report(run, run_file="my run.run"))
    assert "--loss huber:0.5 " in text and "coordboost coef 'my run.run'" in text
