"""Missing values on the command line: imputed from training rows only, and marked by the same words
in new tables.
"""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import fine, folds_of
from sklearn.impute import SimpleImputer

import coordboost as cb


def test_missing_values_are_imputed_from_training_rows_only(tmp_path, monkeypatch):
    """As scikit-learn's imputer and a run in each of the same folds."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.exponential(size=(60, 3)) ** 3, columns=list("abc"))
    y = frame["a"] - frame["b"] + rng.normal(size=60)
    frame = frame.mask(rng.random((60, 3)) < 0.3)
    frame.assign(y=y).to_csv(tmp_path / "g.csv", index=False)
    words = (
        "cv g.csv --impute median --method ls_boost --eps 0.1 --steps 20 --folds 3 --seed 5 --json"
    )
    row = json.loads(fine(words).stdout)["rows"][0]
    table = frame.to_numpy()
    losses = np.zeros(21)
    for fit, held in folds_of(y.to_numpy(), 3, 5):
        imputer = SimpleImputer(strategy="median").fit(table[fit])
        run = cb.solve(cb.Problem(imputer.transform(table[fit]), y[fit]), cb.ls_boost(0.1), 20)
        losses -= len(held) * run.score_path(imputer.transform(table[held]), y[held])
    assert row["cv_error"] == pytest.approx(losses.min() / 60, rel=1e-12) and row[
        "cv_best_step"
    ] == np.argmin(losses)


def test_words_that_mark_missing_values_are_kept_with_the_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.csv").write_text("a,b,y\n1,p,2\nk.A.,q,3\n4,k.A.,5\n6,q,6\n")
    (tmp_path / "v.csv").write_text("a,b\nk.A.,k.A.\n")
    fine("fit w.csv --na k.A. --impute median --method ls_boost --eps 0.1 --steps 5 --out w")
    run = cb.load("w/ls_boost.run")
    assert run.problem.recipe.na == ("k.A.",)
    out = fine("predict w/ls_boost.run v.csv").stdout.split()
    assert float(out[1]) == pytest.approx(run.predict(np.array([[4.0, 1.0]]))[0])
    fine("coef w/ls_boost.run --json --out w/m.json")
    assert fine("predict w/m.json v.csv").stdout.split() == out
