"""From a file to predictions on the command line: options of tables, coefficients, predictions,
comparison, cross-validation, a page.
"""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from command_line import call, fine, said
from refusal import refused

import coordboost as cb
from coordboost.reporting.cli import main

FIT = "fit t.csv --target Preis --method ls_boost --eps 0.1 --steps 60 --impute indicator --out o"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a table as German spreadsheets write it, and a run on it."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(4)
    size = rng.normal(90, 20, 40).round(1)
    town = rng.choice(["Köln", "Ulm", "Jena"], 40)
    price = (2 * size + 30 * (town == "Köln") + rng.normal(0, 5, 40)).round(2)
    frame = pd.DataFrame({"Nr": range(1, 41), "Größe": size, "Ort": town, "Preis": price})
    frame.loc[3, "Größe"] = np.nan
    frame["Klasse"] = np.where(price > price.mean(), "teuer", "billig")
    (folder / "t.csv").write_bytes(
        frame.drop(columns="Klasse").to_csv(index=False, sep=";", decimal=",").encode("cp1252")
    )
    frame.drop(columns="Preis").dropna().to_csv(folder / "k.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        fine(FIT)
    return folder


@pytest.fixture
def folder(home, monkeypatch):
    """The same as the working directory."""
    monkeypatch.chdir(home)
    return home


def test_inferred_settings_are_one_line_on_stderr(folder):
    assert fine(FIT + " --json").stderr == (
        "note: read with encoding cp1252, semicolons between cells, a decimal comma; text as 0/1 "
        "columns: 'Ort' (Jena, Köln, Ulm); missing values imputed: 'Größe'; 'Nr' only numbers the "
        "rows, so you may want to leave it out (--drop 'Nr')\n"
    )


def test_remedies_are_named_as_options(folder):
    result = call(FIT.replace("--impute indicator", ""))
    assert (
        result.exit_code == 1
        and "line 5: no value in column 'Größe'" in result.stderr
        and '--impute "median"' in result.stderr
    )
    result = call(FIT + " --decimal .")
    assert "--text 'Größe'" in result.stderr or "--text 'Preis'" in result.stderr
    assert "add --loss logistic" in call("fit k.csv --target Klasse --method ls_boost").stderr


def test_coefficients_are_those_of_the_run(folder):
    run = cb.load("o/ls_boost.run")
    table = pd.read_csv(
        pd.io.common.StringIO(fine("coef o/ls_boost.run --csv --all").stdout)
    ).set_index("column")
    np.testing.assert_allclose(table["coefficient"][run.problem.column_names], run.coef, rtol=1e-12)
    assert table["coefficient"]["(intercept)"] == pytest.approx(run.intercept, rel=1e-12)
    X = pd.DataFrame(
        cb.read_table("t.csv", "Preis", impute="indicator").X, columns=run.problem.column_names
    )
    np.testing.assert_allclose(
        table["effect"][X.columns], run.coef * X.std(ddof=0), rtol=1e-9, atol=1e-12
    )
    early = said("coef o/ls_boost.run --step 7")
    state = next(run.replay([7]))
    assert [row["coefficient"] for row in early["coefficients"]] == run.problem.raw(state.beta)[
        0
    ].tolist() and early["step"] == 7
    shown = fine("coef o/ls_boost.run").stdout
    assert "Ort=Köln" in shown and "effect of one standard deviation" in shown and "60" in shown


def test_predictions_are_those_of_the_run_and_of_the_model_without_data(folder):
    run = cb.load("o/ls_boost.run")
    rows = pd.read_csv("k.csv")[["Ort", "Nr", "Größe"]]
    rows.to_csv("new.csv", index=False)
    found = pd.read_csv(
        pd.io.common.StringIO(fine("predict o/ls_boost.run new.csv --keep Nr").stdout)
    )
    assert found["Nr"].tolist() == rows["Nr"].tolist()
    np.testing.assert_allclose(found["prediction"], run.predict(rows), rtol=1e-12)
    fine(FIT.replace("--out o", "--out bare --no-data"))
    assert b"problem.y" not in (folder / "bare/ls_boost.run").read_bytes()
    fine("predict bare/ls_boost.json new.csv --keep Nr --out p.csv")
    assert pd.read_csv("p.csv").equals(found)


def test_unknown_categories_are_refused_unless_they_are_allowed(folder):
    (folder / "u.csv").write_text("Nr,Größe,Ort\n1,80,Bonn\n", encoding="utf-8")
    result = call("predict o/ls_boost.run u.csv")
    assert (
        result.exit_code == 1
        and "line 2, column 'Ort' holds 'Bonn'" in result.stderr
        and "--unknown none" in result.stderr
    )
    fine("predict o/ls_boost.run u.csv --unknown none")
    (folder / "u.csv").write_text("Nr,Ort\n1,Ulm\n", encoding="utf-8")
    assert "u.csv: the table lacks 'Größe'" in call("predict o/ls_boost.run u.csv").stderr


def test_two_classes_get_probabilities_and_labels(folder):
    fine("fit k.csv --target Klasse --method gcd --loss logistic --steps 40 --out o")
    found = said("predict o/gcd.run k.csv")
    run = cb.load("o/gcd.run")
    fine("report o/gcd.run --out classes.html")
    shown = _Page((folder / "classes.html").read_text(encoding="utf-8")).text
    share = 100 * np.mean(run.problem.y > 0)
    for words in (
        "gcd for Klasse = teuer",
        f"teuer {share:.3g} %, billig",
        "adds to the score of 'teuer' (the higher, the likelier)",
    ):
        assert words in shown
    assert (
        "the best of all models whose l1 norm is at most" in shown
        and "coordboost certify gcd.run --ball " in shown
    )
    assert "The sum over the columns is the score of 'teuer'" in " ".join(
        fine("coef o/gcd.run").stdout.split()
    )
    np.testing.assert_allclose(
        found["probability"],
        1 / (1 + np.exp(-run.refit_intercept().predict(pd.read_csv("k.csv")))),
        rtol=1e-12,
    )
    assert (
        found["label"] == np.where(np.array(found["probability"]) > 0.5, "teuer", "billig").tolist()
    )


def test_a_run_goes_on_as_if_it_had_never_stopped(folder):
    fine(
        "fit t.csv --target Preis --method ls_boost --eps 0.1 --steps 90 --impute indicator "
        "--out whole"
    )
    fine("fit --resume o/ls_boost.run --steps 30 --out more")
    assert (
        cb.load("more/ls_boost.run").beta.tobytes() == cb.load("whole/ls_boost.run").beta.tobytes()
    )
    result = call("fit t.csv --resume o/ls_boost.run --eps 0.2")
    assert (
        result.exit_code == 2
        and "--resume uses the table and the method of the run" in result.stderr
    )


def test_runs_side_by_side(folder):
    fine(
        "fit t.csv --target Preis --method forward_stagewise --eps 1 --steps 60 --impute "
        "indicator --out o"
    )
    rows = said("compare o/ls_boost.run o/forward_stagewise.run --plot both.png")
    assert [row["method"] for row in rows["rows"]] == ["ls_boost", "forward_stagewise"] and (
        folder / "both.png"
    ).is_file()
    shown = fine("compare o/ls_boost.run o/forward_stagewise.run").stdout
    assert (
        "cannot be compared" not in shown
        and "o/ls_boost.run" not in shown.partition("The smallest")[0]
    )
    fine("fit k.csv --target Nr --drop Klasse --method ls_boost --steps 5 --out other")
    shown = fine("compare o/ls_boost.run other/ls_boost.run o/ls_boost.run").stdout
    assert "are on different problems (not the same target): " in " ".join(shown.split())
    assert shown.count("other/") == 1  # runs with equal settings are distinguished by their files


ODD = [
    (
        "forward_stagewise --eps 1e6 --steps 5",
        "eps = 1e+06 is too long: no step of that length lowers the loss",
    ),
    (
        "regularized_forward_stagewise --eps 0.001 --delta 0.01 --steps 50",
        "Only one coefficient is not 0, as delta = 0.01",
    ),
    ("lasso_cd --lam 1e9 --steps 5", "All coefficients are 0, as lam = 1e+09"),
    ("ls_boost --steps 0", "No step was made, because of --steps 0"),
    ("ls_boost --steps 10 --time-limit 0", None),
]


@pytest.mark.parametrize(
    ("words", "hint"), ODD, ids=[one.split()[0] + str(i) for i, (one, _) in enumerate(ODD)]
)
def test_an_odd_outcome_gets_a_hint_in_words(folder, words, hint):
    result = call(f"fit t.csv --target Preis --impute drop --out odd --json --method {words}")
    # the loss ends above its start
    assert result.exit_code == (1 if "too long" in str(hint) else 0), result.output
    text = json.loads(result.stdout)["text"]
    assert (hint is None and text == []) or any(line.startswith(hint) for line in text)


def test_steps_are_chosen_by_cross_validation(folder):
    words = (
        "cv t.csv --target Preis --impute drop --method ls_boost --eps 0.1 --steps 80 --folds "
        "4 --out o"
    )
    row = said(words)["rows"][0]
    assert (
        row["steps"] == row["cv_best_step"] == cb.load("o/ls_boost-cv.run").n_steps
        and row["cv_one_se_step"] < row["cv_best_step"]
    )
    fewer = json.loads(fine(words + " --choose one-se --json").stdout)["rows"][0]
    assert (
        fewer["steps"] == row["cv_one_se_step"]
        and fewer["cv_error"] <= row["cv_error"] + row["cv_standard_error"]
    )
    assert "Mean loss on rows held out, 4 folds" in fine(words).stdout


class _Page(HTMLParser):
    """Open tags, links to other pages, ids, all links and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.away = []
        self.ids = []
        self.links = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ("meta",):
            self.open.append(tag)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs["href"]] if "href" in attrs else []
        self.away += [
            value
            for key, value in attrs.items()
            if key in ("src", "href") and not value.startswith("#")
        ]

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page_is_well_formed_and_needs_no_network(folder):
    fine("report o/ls_boost.run --out page.html")
    source = (folder / "page.html").read_text(encoding="utf-8")
    run = cb.load("o/ls_boost.run")
    assert (
        cb.html_report(run, "same.html", run_file="ls_boost.run")
        == source
        == (folder / "same.html").read_text(encoding="utf-8")
    )
    refused(
        lambda: cb.html_report("o/ls_boost.run"),
        "run must be a Run, from solve(...), load(file) or the run_ of an estimator, got 'o/",
    )
    page = _Page(source)
    assert (
        page.open == []
        and page.away == []
        and "http" not in re.sub(r"<style>.*?</style>", "", source)
    )
    assert [link[1:] for link in page.links] == [
        label for label in page.ids if label.startswith("s")
    ]
    for words in (
        "Certificate",
        "Theorem 2.1",
        "How to cite",
        "Ort=Köln",
        "arXiv:1505.04243",
        "--target 'Preis' --method ls_boost",
    ):
        assert words in page.text
    points = json.loads(re.search(r'id="points">(.*?)</script>', source)[1])
    run = cb.load("o/ls_boost.run")
    assert points["step"][-1] == run.n_steps and float(points["l1"][-1]) == pytest.approx(
        run.final.l1, rel=1e-3
    )
    name = points["lines"][0]["name"]
    last = run.beta[list(run.problem.feature_names).index(name)]
    assert float(points["lines"][0]["values"][-1]) == pytest.approx(last, rel=1e-3)


def test_names_cannot_break_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(
        np.random.default_rng(0).normal(size=(9, 2)), columns=["</script><b>", "y"]
    )
    table.to_csv("t.csv", index=False)
    fine("fit t.csv --method ls_boost --steps 3 --out o")
    fine("report o/ls_boost.run --out p.html")
    assert _Page((tmp_path / "p.html").read_text(encoding="utf-8")).open == []


def test_error_messages_name_options_of_the_command(folder):
    (folder / "s.csv").write_text("a;y\n1;2\n3;4\n")
    result = call("fit s.csv --sep , --method ls_boost --eps 1")
    assert result.exit_code == 1 and "--sep ';'" in result.stderr and "sep=" not in result.stderr


CONTROL = "\x1b]0;title\x07\u202e"


def test_names_with_control_characters_are_escaped_on_the_terminal(tmp_path, monkeypatch):
    """A column that would rename the window: printed as escapes in tables, notes and errors; a file
    gets it unchanged.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    problem = cb.Problem(X, X[:, 0] + 0.1 * rng.normal(size=30), feature_names=[CONTROL, "b"])
    cb.solve(problem, cb.ls_boost(0.5), 10).save(tmp_path / "a.run")
    run = str(tmp_path / "a.run")
    said = CliRunner()
    shown = said.invoke(main, ["coef", run]).output
    assert "\\x1b]0;title\\x07\\u202e" in shown and "\x1b]" not in shown and "\u202e" not in shown
    said.invoke(main, ["coef", run, "--csv", "--out", str(tmp_path / "a.csv")])
    assert CONTROL in (tmp_path / "a.csv").read_text(encoding="utf-8")
    for words in (
        ["compare", run, run],
        ["certify", run],
        ["coef", str(tmp_path / f"{CONTROL}.run")],
    ):
        result = said.invoke(main, words)
        assert "\x1b]" not in result.output and "\u202e" not in result.output
