"""``coordboost lasso``; ``coordboost cv`` refers to it for penalties."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import call, folds_of, said
from test_cli import TRIALS

import coordboost as cb
from coordboost.certificates import L1Penalty


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with a table, one with missing values, and one of two classes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 4)) * [1, 10, 0.1, 2]
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        y=2 * X[:, 0] - 0.1 * X[:, 1] + rng.normal(size=50)
    )
    frame.to_csv("t.csv", index=False)
    frame.assign(y=(frame.y > 0.3).astype(int)).to_csv("k.csv", index=False)
    frame.loc[::5, "a"] = np.nan
    frame.to_csv("gaps.csv", index=False)
    return frame


def model(file):
    plain = json.loads(Path(file).read_text(encoding="utf-8"))
    return np.array([row["coefficient"] for row in plain["coefficients"]]), plain["intercept"]


def test_cv_refers_to_the_lasso_command_for_a_penalty(folder):
    result = call("cv t.csv --method lasso_cd --lam 5")
    assert (
        result.exit_code == 2
        and "`coordboost lasso t.csv --cv` chooses the penalty" in result.stderr
    )


@pytest.mark.parametrize("name", TRIALS)
def test_cv_refuses_no_method_but_the_lasso(tmp_path, monkeypatch, name):
    """All other methods fail later, at the missing file."""
    monkeypatch.chdir(tmp_path)
    result = call(f"cv none.csv --method {name} {TRIALS[name]}")
    given = {"lasso_cd": (1.0,)}
    assert (result.exit_code == 2) == (name in given), result.stderr
    assert ("coordboost lasso none.csv --cv" if name in given else "no such file") in result.stderr
    assert name not in given or isinstance(cb.methods.METHODS[name](*given[name]).target, L1Penalty)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("choose", ["best", "one-se"])
def test_the_choice_is_that_of_the_estimator(folder, scale, choose):
    table = pd.read_csv("t.csv")
    X = table.drop(columns="y").to_numpy()
    y = table.y.to_numpy()
    words = f"lasso t.csv --cv --folds 4 --seed 2 --choose {choose} --n-alphas 30"
    row = said(words + ("" if scale else " --no-scale"))["rows"][0]
    rule = choose.replace("-", "_")
    own = cb.CertifiedLassoCV(cv=folds_of(y, 4, 2), rule=rule, standardize=scale, n_alphas=30).fit(
        X, y
    )
    assert row["alpha"] == pytest.approx(own.alpha_, rel=1e-12) and row["gap"] <= 1e-6
    assert row["cv_error"] == pytest.approx(own.cross_validation_.mean[own.place_.step], rel=1e-6)
    coef, intercept = model("coordboost-out/lasso-cv.json")
    np.testing.assert_allclose(
        [*coef, intercept], [*own.coef_, own.intercept_], rtol=1e-5, atol=1e-6
    )
    shown = call("predict coordboost-out/lasso-cv.json t.csv").stdout
    np.testing.assert_allclose(
        pd.read_csv(pd.io.common.StringIO(shown))["prediction"], X @ coef + intercept, rtol=1e-12
    )
    assert "lasso, alpha = " in call("coef coordboost-out/lasso-cv.json").stdout


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_one_penalty_is_that_of_the_estimator(folder, loss):
    table = pd.read_csv("k.csv")
    made = said(f"lasso k.csv --alpha 0.05 --loss {loss}")
    maker = cb.CertifiedLasso if loss == "squared" else cb.CertifiedLassoClassifier
    own = maker(alpha=0.05, standardize=True).fit(table.drop(columns="y").to_numpy(), table.y)
    coef, intercept = model("coordboost-out/lasso.json")
    expected = [*np.ravel(own.coef_), *np.ravel(own.intercept_)]
    np.testing.assert_allclose([*coef, intercept], expected, rtol=1e-4, atol=1e-5)
    low, high = map(float, re.search(r"\[(.*), (.*)\]", made["text"][0]).groups())
    theirs = own.certificate_
    n = len(table)
    assert low <= theirs.upper / n + 1e-9 and theirs.lower / n - 1e-9 <= high and high - low <= 1e-6
    assert made["files"] == ["coordboost-out/lasso.json"]


def test_missing_values_are_imputed_from_training_rows_only(folder):
    row = said("lasso gaps.csv --impute median --cv --folds 5 --n-alphas 20")["rows"][0]
    y = folder.y.to_numpy()
    table = cb.read_table("gaps.csv", "y", impute="median")
    alphas = None
    losses = []
    for fit, held in [(slice(None), slice(None)), *folds_of(y, 5, 0)]:
        X = folder.drop(columns="y")
        X = X.fillna(X.iloc[fit].median()).to_numpy()
        spread = X[fit].std(axis=0)
        path = cb.lasso_path(
            X[fit], y[fit], alphas, n_alphas=20, penalty_factor=spread, unit_columns=False
        )
        if alphas is None:
            alphas = path.alphas
            np.testing.assert_allclose(X, table.X)
        else:
            losses.append(
                (
                    (
                        y[held]
                        - path.predict(X[held], cb.lasso.PathPoint(lam=row["alpha"] * len(X[fit])))
                    )
                    ** 2
                ).mean()
                / 2
            )
    assert row["cv_error"] == pytest.approx(np.mean(losses), rel=1e-5)


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("", 2, "give --alpha X for one penalty, or --cv"),
        ("--alpha 1 --cv", 2, "give --alpha X for one penalty, or --cv"),
        ("--alpha 0", 2, "--alpha"),
        ("--cv --eps 1", 2, "--eps"),
        ("--cv --folds 51", 1, "at most the 50 rows"),
        ("--alpha 1 --loss logistic", 1, "expects labels"),
    ],
)
def test_wrong_options_are_refused(folder, words, code, sentence):
    result = call(f"lasso t.csv {words}")
    assert result.exit_code == code and sentence in result.stderr and result.stdout == ""


def test_odd_outcomes_get_a_hint(folder):
    assert "All coefficients are 0" in said("lasso t.csv --alpha 1e6")["text"][-1]
    assert "try --eps 0.09" in " ".join(said("lasso t.csv --cv --eps 0.9 --n-alphas 3")["text"])


@pytest.mark.parametrize("words", ["--cv", "--alpha 0.05", "--alpha 99"])
def test_the_path_is_drawn_with_the_model_marked(folder, words, monkeypatch):
    """Against alpha, with a line at the alpha of the model, which is a point of the path."""
    drawn = []
    from_path = cb.plots.ProfileDisplay.from_path

    def keep(*args, **options):
        drawn.append(from_path(*args, **options))
        return drawn[-1]

    monkeypatch.setattr(cb.plots.ProfileDisplay, "from_path", keep)
    made = said(f"lasso t.csv {words} --n-alphas 12 --plot path.pdf --out .")
    assert Path("path.pdf").read_bytes().startswith(b"%PDF") and "path.pdf" in made["files"]
    display = drawn[-1]
    alpha = made["rows"][0]["alpha"]
    assert display.against == "alpha"
    assert display.numbers["alpha"][display.model] == pytest.approx(alpha, rel=1e-12)
    line = next(line for line in display.ax_.lines if line.get_label() == "the model")
    assert line.get_xdata()[0] == pytest.approx(alpha, rel=1e-12)
    assert len(display.coefs) == (12 if words == "--cv" else 13)


def test_a_picture_of_no_known_kind_is_refused_before_the_fit(folder):
    result = call("lasso t.csv --cv --plot path.xyz")
    assert result.exit_code == 2
    assert "path.xyz must end with one of" in result.stderr and ".pdf" in result.stderr
    assert not Path("coordboost-out").exists()
