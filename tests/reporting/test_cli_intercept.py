"""Models of the command line are those of the estimators: with the best intercept for the
coefficients, for every loss.
"""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import fine, folds_of, said

import coordboost as cb

RNG = np.random.default_rng(12)
FRAME = pd.DataFrame(RNG.normal(size=(60, 3)) * [1, 4, 1] + [0, 2, 0], columns=list("abc"))
SCORE = FRAME["a"] - FRAME["b"] / 3 + RNG.logistic(size=60)
KINDS = np.where(SCORE.median() + 2 < SCORE, "yes", "no")
COUNTS = RNG.poisson(np.exp(0.4 * FRAME["a"] + 0.5))
WALK = "--method forward_stagewise --eps 0.4 --steps 50"
NEW = FRAME.iloc[:7] + 0.25
POISSON = cb.losses.Poisson()


def logistic(probability, yes):
    return -np.mean(np.log(np.where(yes, probability, 1 - probability)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.assign(kind=KINDS).to_csv("k.csv", index=False)
    FRAME.assign(n=COUNTS).to_csv("n.csv", index=False)
    NEW.to_csv("new.csv", index=False)
    return tmp_path


def test_classes(folder):
    row = said(f"fit k.csv --target kind --loss logistic {WALK} --out o")["rows"][0]
    model = cb.ForwardStagewiseClassifier(eps=0.4, n_steps=50).fit(FRAME, KINDS)
    found = said("predict o/forward_stagewise.run new.csv")
    np.testing.assert_allclose(found["probability"], model.predict_proba(NEW)[:, 1], rtol=1e-12)
    assert found["label"] == model.predict(NEW).tolist()
    plain = said("coef o/forward_stagewise.run")
    assert plain["intercept"] == pytest.approx(model.intercept_[0], rel=1e-12)
    (folder / "m.json").write_text(json.dumps(plain))
    assert said("predict m.json new.csv") == found
    assert row["training_error"] == pytest.approx(
        logistic(model.predict_proba(FRAME)[:, 1], KINDS == "yes"), rel=1e-12
    )
    # that model has the initial intercept
    assert row["training_error"] < model.run_.final.loss / 60 - 1e-4
    early = cb.ForwardStagewiseClassifier(eps=0.4, n_steps=20).fit(FRAME, KINDS)
    assert said("coef o/forward_stagewise.run --step 20")["intercept"] == pytest.approx(
        early.intercept_[0]
    )
    ball = said("certify o/forward_stagewise.run --ball 9")["model"]
    assert ball == pytest.approx(
        ball | {"upper": model.path_.certificate(cb.certificates.L1Ball(9.0)).upper}, rel=1e-12
    )
    fine("report o/forward_stagewise.run")
    page = (folder / "o" / "forward_stagewise.html").read_text()
    assert (
        f"The intercept is {model.intercept_[0]:.6g}." in page
        and f"{row['training_error']:.6g} per row" in page
    )


def test_counts_and_runs_side_by_side(folder):
    fine(f"fit n.csv --target n --loss poisson {WALK} --out o")
    model = cb.ForwardStagewiseRegressor(loss=POISSON, eps=0.4, n_steps=50).fit(FRAME, COUNTS)
    found = said("predict o/forward_stagewise.run new.csv")["prediction"]
    np.testing.assert_allclose(found, model.predict(NEW), rtol=1e-12)
    row = said("compare o/forward_stagewise.run o/forward_stagewise.run")["rows"][0]
    assert row["training_error"] == pytest.approx(
        -model.path_.score_path(FRAME, COUNTS)[-1], rel=1e-12
    )


def test_cross_validation(folder):
    words = f"cv k.csv --target kind --loss logistic {WALK} --folds 3 --seed 4 --out o --json"
    shown = json.loads(fine(words).stdout)
    row = shown["rows"][0]
    assert row["gap"] is None and any(one.startswith("No gap is shown") for one in shown["text"])
    model = cb.ForwardStagewiseClassifierCV(
        eps=0.4, n_steps=50, cv=folds_of((KINDS == "yes").astype(float), 3, 4)
    ).fit(FRAME, KINDS)
    assert row["cv_error"] == pytest.approx(model.cross_validation_.mean.min(), rel=1e-12)
    assert row["steps"] == row["cv_best_step"] == model.cross_validation_.best
    found = said("predict o/forward_stagewise-cv.run new.csv")["probability"]
    np.testing.assert_allclose(found, model.predict_proba(NEW)[:, 1], rtol=1e-12)


def test_without_centring_there_is_no_intercept(folder):
    fine(f"fit k.csv --target kind --loss logistic {WALK} --no-center --out o")
    assert said("coef o/forward_stagewise.run")["intercept"] == 0
