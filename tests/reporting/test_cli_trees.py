"""Trees and stumps on the command line: fitted, resumed, cross-validated and predicted as in
Python.
"""

import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from command_line import call, fine, folds_of, said

import coordboost as cb
from coordboost.reporting.cli import main
from coordboost.rules import Groups, LineSearch


@pytest.fixture
def frame(tmp_path, monkeypatch):
    """A working directory with a table, one with two classes in words, and both together as a data
    frame.
    """
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.normal(size=(70, 3)).round(3), columns=list("abc"))
    X["town"] = np.array(["Jena", "Kiel", "Ulm"])[np.arange(70) % 3]
    y = np.where(X.a > 0, 3.0, X.b) + (X.town == "Kiel") + 0.3 * rng.normal(size=70).round(3)
    X.assign(price=y).to_csv("t.csv", index=False)
    X.assign(price=np.where(y > y.median(), "dear", "cheap")).to_csv("k.csv", index=False)
    return X.assign(price=y)


def numbers(frame, learner="trees"):
    """The table as the command reads it: towns are categories, for stumps 0/1 columns."""
    if learner == "stumps":
        towns = [frame.town == town for town in ("Jena", "Kiel", "Ulm")]
        return np.column_stack([frame[list("abc")], *towns]).astype(float)
    return frame[["a", "b", "c", "town"]].assign(town=pd.Categorical(frame.town))


def predicted(words):
    return pd.read_csv(pd.io.common.StringIO(fine(words).stdout))


PAIRS = {
    "trees gbm": (
        "--learner trees --max-depth 2 --method gbm --rate 0.2",
        cb.data.trees,
        {"max_depth": 2},
        cb.gbm(0.2),
    ),
    "leaves": (
        "--learner trees --max-leaves 3 --min-samples 5 --l2 0.5 --method ls_boost",
        cb.data.trees,
        {"max_leaves": 3, "min_samples": 5, "l2": 0.5},
        cb.ls_boost(),
    ),
    "trees rtgcd": (
        "--learner trees --method rtgcd --t 2 --line-search",
        cb.data.trees,
        {},
        cb.rtgcd(select=Groups(2), step=LineSearch()),
    ),
    "trees agbm": (
        "--learner trees --method agbm --eta 0.1 --gamma 0.05",
        cb.data.trees,
        {},
        cb.methods.agbm(0.1, 0.05),
    ),
    "trees sglb": (
        "--learner trees --method sglb --beta 100",
        cb.data.trees,
        {},
        cb.methods.sglb(beta=100.0),
    ),
    "stumps gbm": (
        "--learner stumps --max-bins 9 --method gbm",
        cb.data.stumps,
        {"max_bins": 9},
        cb.gbm(),
    ),
    "stumps rtgcd": ("--learner stumps --method rtgcd --t 5", cb.data.stumps, {}, cb.rtgcd(5)),
    "families rgb": (
        "--learner families --method rgb --penalty 1",
        cb.data.tree_families,
        {},
        cb.methods.rgb(1.0),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_run_equals_the_run_in_python(frame, name):
    words, maker, limits, method = PAIRS[name]
    row = said("fit t.csv --target price --steps 12", words)["rows"][0]
    learner = name.split()[0]
    X = numbers(frame, learner)
    run = cb.solve(cb.Problem(maker(X, **limits), frame.price), method, 12)
    assert row["training_error"] == pytest.approx(run.final.loss / 70) and row["steps"] == 12
    file = f"coordboost-out/{method.name}.run"
    shuffled = frame.sample(frac=1, random_state=1)[["town", "c", "a", "b"]]
    shuffled.to_csv("new.csv", index=False)
    for step, more in ((12, ""), (5, " --step 5")):
        expected = run.predict(numbers(shuffled, learner), step=step)
        np.testing.assert_allclose(
            predicted(f"predict {file} new.csv{more}").prediction, expected, rtol=1e-9
        )
    np.testing.assert_allclose(
        cb.load(file).predict(shuffled), run.predict(numbers(shuffled, learner)), rtol=1e-9
    )


def test_a_run_over_trees_goes_on(frame):
    fine("fit t.csv --target price --learner trees --method gbm --steps 4")
    fine("fit --resume coordboost-out/gbm.run --steps 5")
    whole = cb.solve(cb.Problem(cb.data.trees(numbers(frame)), frame.price), cb.gbm(), 9)
    assert (cb.load("coordboost-out/gbm.run").path.theta == whole.path.theta).all()


def test_two_classes_are_probabilities(frame):
    fine("fit k.csv --target price --learner trees --newton --loss logistic --method gbm --steps 8")
    found = predicted("predict coordboost-out/gbm.run k.csv")
    y = np.where(pd.read_csv("k.csv").price == "dear", 1.0, -1.0)
    run = cb.solve(
        cb.Problem(cb.data.trees(numbers(frame), newton=True), y, cb.losses.Logistic()), cb.gbm(), 8
    )
    np.testing.assert_allclose(
        found.probability, 1 / (1 + np.exp(-run.predict(numbers(frame)))), rtol=1e-9
    )
    assert (found.label == np.where(found.probability > 0.5, "dear", "cheap")).all()


@pytest.mark.parametrize("learner, maker", [("trees", cb.data.trees), ("stumps", cb.data.stumps)])
def test_the_number_of_steps_is_chosen_on_rows_held_out(frame, learner, maker):
    row = said(
        f"cv t.csv --target price --learner {learner} --method gbm --rate 0.3 --steps 25 --folds 3 "
        "--seed 1"
    )["rows"][0]
    X = pd.DataFrame(numbers(frame, learner))
    y = frame.price.to_numpy()
    losses = np.zeros(26)
    for fit, held in folds_of(y, 3, 1):
        run = cb.solve(cb.Problem(maker(X.iloc[fit]), y[fit]), cb.gbm(0.3), 25)
        new = X.iloc[held]
        losses += [np.sum((y[held] - run.predict(new, step=k)) ** 2) / 2 for k in range(26)]
    assert row["cv_best_step"] == losses.argmin() == cb.load("coordboost-out/gbm-cv.run").n_steps
    assert row["cv_error"] == pytest.approx(losses.min() / 70)


def test_classes_are_scored_at_every_step(frame):
    row = said(
        "cv k.csv --target price --loss logistic --learner trees --method gbm --steps 6 --folds 3"
    )["rows"][0]
    held = cb.load("coordboost-out/gbm-cv.run").validation
    assert set(held["measures"]) == {"accuracy", "AUC"} and row["cv_best_step"] == int(
        np.argmin(held["mean"])
    )
    assert held["measures"]["AUC"][0] == 0.5 < max(held["measures"]["AUC"])


def test_text_stays_text_and_gaps_stay_gaps(frame):
    """The share of a column is one number, and predictions need no imputation."""
    holes = frame.assign(town=frame.town.mask(frame.index % 9 == 0), a=frame.a.mask(frame.c > 1))
    holes.to_csv("holes.csv", index=False)
    fine("fit holes.csv --target price --learner trees --method gbm --steps 9")
    run = cb.load("coordboost-out/gbm.run")
    assert run.problem.binning.names == ["a", "b", "c", "town"]
    X = holes[["a", "b", "c"]].assign(town=pd.Categorical(holes.town))
    same = cb.solve(cb.Problem(cb.data.trees(X), holes.price), cb.gbm(), 9)
    assert run.beta.tobytes() == same.beta.tobytes()
    found = predicted("predict coordboost-out/gbm.run holes.csv").prediction
    np.testing.assert_allclose(found, same.predict(X), rtol=1e-9)
    holes.assign(town="Rom").to_csv("rome.csv", index=False)
    result = call("predict coordboost-out/gbm.run rome.csv")
    assert result.exit_code == 1 and "holds 'Rom', which the model was not fitted" in result.stderr
    unknown = predicted("predict coordboost-out/gbm.run rome.csv --unknown none").prediction
    np.testing.assert_allclose(unknown, same.predict(X.assign(town=np.nan)), rtol=1e-9)


def test_rows_have_weights_and_trees_some_of_the_rows(frame):
    weight = 1 + np.arange(70) % 3
    frame.assign(w=weight).to_csv("w.csv", index=False)
    words = "--target price --weights w --learner trees --method gbm --steps 7 --seed 3"
    row = said("fit w.csv", words, "--subsample 0.6")["rows"][0]
    family = cb.data.trees(numbers(frame), subsample=0.6, seed=3)
    problem = cb.Problem(family, frame.price, sample_weight=weight)
    run = cb.solve(problem, cb.gbm(), 7, rng=3)
    back = cb.load("coordboost-out/gbm.run")
    assert back.beta.tobytes() == run.beta.tobytes()
    assert row["training_error"] == pytest.approx(run.final.loss / weight.sum())
    assert row["l1"] is None
    chosen = said("cv w.csv", words, "--folds 3")["rows"][0]
    assert chosen["cv_error"] < chosen["cv_error"] + chosen["cv_standard_error"]


def test_early_stopping_chooses_the_steps_on_a_tenth_of_the_rows(frame):
    words = "--target price --learner trees --method gbm --rate 0.5 --steps 60 --early-stopping 4"
    found = said("fit t.csv", words)
    run = cb.load("coordboost-out/gbm.run")
    fit, held = folds_of(frame.price.to_numpy(), 10)[0]
    X = numbers(frame)
    part = cb.solve(cb.Problem(cb.data.trees(X.iloc[fit]), frame.price[fit]), cb.gbm(0.5), 60)
    losses = [
        np.mean((frame.price[held] - part.predict(X.iloc[held], step=k)) ** 2) / 2
        for k in range(61)
    ]
    record = run.validation
    assert record["choose"] == "early-stopping" and record["folds"] == 1
    assert run.n_steps == np.argmin(losses[: record["at"][-1] + 1]) < 60
    np.testing.assert_allclose(record["mean"], np.array(losses)[record["at"]], rtol=1e-10)
    assert found["text"][0].startswith("Mean loss on a tenth of the rows, held out:")
    whole = cb.solve(cb.Problem(cb.data.trees(X), frame.price), cb.gbm(0.5), run.n_steps)
    assert run.beta.tobytes() == whole.beta.tobytes()


def test_tables_may_come_from_standard_input(frame):
    text = Path("t.csv").read_text()
    words = ["--target", "price", "--learner", "trees", "--method", "gbm", "--steps", "4"]
    runner = CliRunner()
    assert runner.invoke(main, ["fit", "-", *words], input=text).exit_code == 0
    run = cb.load("coordboost-out/gbm.run")
    expected = run.predict(numbers(frame))
    result = runner.invoke(main, ["predict", "coordboost-out/gbm.run", "-"], input=text)
    found = pd.read_csv(pd.io.common.StringIO(result.stdout)).prediction
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    empty = runner.invoke(main, ["predict", "coordboost-out/gbm.run", "-"], input="")
    assert empty.exit_code == 1 and empty.stderr.startswith("coordboost: standard input: expected")


def test_gaps_are_not_shown_where_no_bound_is_known(frame):
    found = said("fit t.csv --target price --learner trees --method gbm --steps 3")
    assert (
        found["rows"][0]["gap"] is None is found["rows"][0]["excess_percent"]
        and found["text"] == []
    )


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        (
            "--method ls_boost --max-depth 3",
            "--max-depth: a table without --learner takes no such option",
        ),
        (
            "--learner stumps --method ls_boost --newton",
            "--newton: --learner stumps takes --max-bins",
        ),
        ("--learner trees --method lasso_cd --lam 1", "lasso_cd needs an explicit dictionary"),
        ("--learner trees --method rgb --penalty 1", "rgb needs an explicit dictionary"),
        ("--learner forests --method gbm", "'forests' is not one of 'trees', 'stumps', 'families'"),
        ("--learner trees --method gbm --max-depth 0", "max_depth"),
        ("--learner trees --method gbm --no-data", "leave out --no-data"),
        ("--method gbm --early-stopping 5", "--early-stopping is for --learner trees or families"),
        ("--learner trees --method gbm --weights price", "is the target, it cannot hold the weig"),
        ("--learner trees --method gbm --weights d", "no column 'd' for the weights: choose among"),
        ("--learner trees --method gbm --weights a", "holds the weight -"),
        ("--learner trees --method gbm --subsample 2", "subsample must be above 0 and at most 1"),
        ("--learner stumps --method gbm --subsample 0.5", "--subsample: --learner stumps takes"),
    ],
)
def test_bad_options_are_refused(frame, words, fragment):
    result = call("fit t.csv --target price --steps 2", words)
    assert (
        result.exit_code in (1, 2)
        and fragment in result.stderr
        and "Traceback" not in result.stderr
    )


def test_help_of_learners_and_reports_without_coefficients(frame):
    text = fine("fit --learner trees --help").stdout
    assert (
        "All regression trees on the columns of X" in text
        and "--max-depth N" in text
        and "--monotone" not in text
    )
    assert (
        "--max-depth" not in fine("fit --help").stdout
        and len(fine("fit --help").stdout.splitlines()) <= 50
    )
    fine("fit t.csv --target price --learner trees --method gbm --steps 2")
    page = fine("report coordboost-out/gbm.run") and Path("coordboost-out/gbm.html").read_text(
        encoding="utf-8"
    )
    run = cb.load("coordboost-out/gbm.run")
    gains = np.zeros(6)
    for feature, gain in zip(
        run.problem.dictionary.trees.feature[:2], run.problem.dictionary.trees.gain[:2], strict=True
    ):
        np.add.at(gains, feature[feature >= 0], gain[feature >= 0])
    assert (
        f"{100 * gains[0] / gains.sum():.3g} %" in page
        and "undefined" not in page
        and "coordboost coef gbm.run" in page
    )
    fine(
        "cv k.csv --target price --loss logistic --learner stumps --method gbm --steps 5 --folds 3"
    )
    fine("report coordboost-out/gbm-cv.run")
    assert "AUC" in Path("coordboost-out/gbm-cv.html").read_text(encoding="utf-8")
    assert json.loads(fine("compare coordboost-out/gbm.run --json").stdout)["rows"][0]["steps"] == 2


def test_a_run_that_ends_above_its_start_exits_with_1(frame):
    ended = call("fit t.csv --target price --method forward_stagewise --eps 1000 --steps 3")
    assert ended.exit_code == 1 and "eps = 1000 is too long" in ended.output
    frame.assign(price=np.arange(70) % 10 == 0).astype({"price": int}).to_csv(
        "counts.csv", index=False
    )
    for newton in ("", "--newton"):
        assert (
            call(
                f"fit counts.csv --target price --loss poisson --learner trees {newton} --method "
                "gbm --rate 1 --steps 5"
            ).exit_code
            == 0
        )
        run = cb.load("coordboost-out/gbm.run")
        assert (np.diff(run.losses) <= 1e-12).all()


@pytest.mark.parametrize("learner", ["trees", "stumps"])
def test_coef_shows_the_importance_of_columns(frame, learner):
    fine(f"fit t.csv --target price --steps 12 --learner {learner} --method gbm")
    file = "coordboost-out/gbm.run"
    shares = pd.read_csv(pd.io.common.StringIO(fine(f"coef {file} --csv --all").stdout))
    assert shares.share.sum() == pytest.approx(1) and shares.share.is_monotonic_decreasing
    text = fine(f"coef {file}").stdout
    assert "share, %" in text and f"of {len(shares)} columns are used" in text
    refused = call(f"coef {file} --json")
    assert refused.exit_code == 1 and "not a linear model of a table" in refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        "--method gbm --rate 0.3 --max-depth 4 --max-leaves 9 --min-samples 2 --l2 0.5",
        "--method rtgcd --t 2 --line-search --max-bins 9 --subsample 0.6 --seed 3",
        "--method gbm --early-stopping 3 --loss poisson --newton --category-smoothing 2.0",
    ],
)
def test_the_command_on_a_page_of_trees_repeats_the_run(frame, words):
    frame.assign(price=np.arange(70) % 5).to_csv("t.csv", index=False)
    fine(f"fit t.csv --target price --learner trees --steps 8 {words}")
    (file,) = Path("coordboost-out").glob("*.run")
    before = cb.load(file)
    page = html.unescape(cb.html_report(before))
    (again,) = re.findall(r"coordboost (fit TABLE .*)", page)
    assert "--early-stopping" not in again
    fine(again.replace("TABLE", "t.csv").replace("'", ""))
    after = cb.load(file)
    assert after.pred.tobytes() == before.pred.tobytes() and len(after.path) == len(before.path)


def test_trees_with_limits_of_python_show_no_command(frame):
    X = frame[list("abc")]
    for given in ({"monotone": [1, 0, 0]}, {"penalty": [1.0, 0, 0]}, {"min_weight": 2.0}):
        run = cb.solve(cb.Problem(cb.data.trees(X, **given), frame.price), cb.gbm(), 2)
        assert "It was made in Python" in cb.html_report(run)
