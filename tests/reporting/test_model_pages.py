"""The page of a fitted estimator, and what the page of a run with trees shows of its columns."""

import html
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from all_estimators import ESTIMATORS, X, Y, of_trees, quick, target
from sklearn.base import is_classifier
from sklearn.linear_model import Lasso
from sklearn.metrics import roc_auc_score

import coordboost as cb
from coordboost.reporting.pages import judged

TOWNS = np.array(["Jena", "Kiel", "Ulm"])[np.arange(80) % 3]
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(
    town=pd.Categorical(TOWNS), b=np.where(X[:, 1] > 4, np.nan, X[:, 1])
)
PRICE = Y + 9 * (TOWNS == "Kiel")


def words(page):
    """The text of a page, without pictures."""
    text = re.sub(r"<(svg|script|style).*?</\1>", "", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_estimator_has_a_page(kind):
    model = quick(kind).fit(X, target(kind))
    page = cb.html_report(model)
    assert f"<title>{kind.__name__}: 80 rows, 4 columns</title>" in page
    assert "Settings" in words(page) and "undefined" not in page and "nan" not in words(page)
    if of_trees(kind):
        assert "l1 norm" not in words(page) and "gap" not in words(page)
        assert page.count('aria-label="Partial dependence') == 2 * len(
            judged.of_estimator(model)[0].rows()
        )
        assert ("Calibration" in page) == is_classifier(model)
    else:
        assert "Certificate" in page and "Coefficients" in page


@pytest.mark.parametrize("kind", [cb.RandomizedGBMClassifier, cb.CertifiedLassoClassifier])
def test_rows_that_are_given_are_judged(kind):
    model = quick(kind).fit(X[::2], target(kind)[::2])
    y = target(kind)[1::2]
    text = words(cb.html_report(model, X=X[1::2], y=y))
    assert "On the rows given as X and y" in text
    auc = roc_auc_score(y == model.classes_[1], model.predict_proba(X[1::2])[:, 1])
    assert f"AUC {auc:.4g}" in text
    assert f"accuracy {100 * model.score(X[1::2], y):.4g} %" in text


@pytest.mark.parametrize("kind", [cb.RandomizedGBMRegressor, cb.LSBoostRegressorCV])
def test_pickled_models_have_a_page_without_the_rows_of_the_fit(kind):
    model = pickle.loads(pickle.dumps(quick(kind).fit(X, Y)))
    assert "Predictions" not in words(cb.html_report(model))
    assert "Predictions" in words(cb.html_report(model, X=X, y=Y))


@pytest.mark.parametrize(
    "kind",
    [
        cb.estimators.CertifiedRulesRegressor,
        cb.estimators.CertifiedRulesRegressorCV,
        cb.estimators.CertifiedRulesClassifier,
        cb.estimators.CertifiedRulesClassifierCV,
    ],
)
def test_models_of_rules_have_a_page_with_their_rules_as_bars(kind):
    settings = {"depth": 1, "eps": 0.4, "n_alphas": 3}
    choosing = kind.__name__.endswith("CV")
    model = kind(**settings, **({"cv": 2} if choosing else {})).fit(FRAME, target(kind))
    page = cb.html_report(model, X=FRAME[::2], y=target(kind)[::2])
    text = html.unescape(words(page))
    frame = model.rules_()
    assert f"rules of the model {len(frame)}" in text and "It is that over all rules" in text
    for rule, coefficient in zip(frame["rule"], frame["coefficient"], strict=True):
        assert f"{rule} {coefficient:.5g}" in text
    assert page.count('<td class="bar">') == len(frame)
    assert ("rows held out" in text) == choosing
    assert 'aria-label="Coefficients along the path' in page
    lower, upper = model.certificate_.lower, model.certificate_.upper
    assert f"{lower:.8g} {upper:.8g}" in text


def test_the_page_of_three_models_of_rules_keeps_them_apart():
    labels = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))
    model = cb.estimators.CertifiedRulesClassifier(depth=1, eps=0.4, n_alphas=3).fit(X, labels)
    text = words(cb.html_report(pickle.loads(pickle.dumps(model))))
    assert text.count("Where no rule holds it is") == 3
    assert [text.count(f"{bias:.6g}") for bias in model.intercept_] == [1, 1, 1]


def test_three_classes():
    model = quick(cb.RandomizedGBMClassifier).fit(X, np.digitize(Y, np.quantile(Y, [0.3, 0.7])))
    assert "classes 0, 1, 2" in words(cb.html_report(model))


def test_partial_dependence_is_the_mean_prediction_of_changed_rows():
    settings = {"max_depth": 3, "n_estimators": 12, "min_samples_leaf": 5, "random_state": 0}
    model = cb.RandomizedGBMRegressor(**settings).fit(FRAME, PRICE)
    view, rows = judged.of_estimator(model)
    np.testing.assert_allclose(rows.y, PRICE)
    np.testing.assert_allclose(rows.pred, model.predict(FRAME))
    found = {one.name: one for one in view.dependences(model.run_.problem.dictionary.binned)}
    town = found["town"]
    assert town.at == ["Jena", "Kiel", "Ulm"]
    for name, mean in zip(town.at, town.mean, strict=True):
        changed = FRAME.assign(town=pd.Categorical([name] * 80, town.at))
        assert mean == pytest.approx(model.predict(changed).mean(), rel=1e-12)
    b = found["b"]
    assert b.missing == pytest.approx(model.predict(FRAME.assign(b=np.nan)).mean(), rel=1e-12)
    for at, mean in zip(b.at[1:-1], b.mean[1:-1], strict=True):
        assert mean == pytest.approx(model.predict(FRAME.assign(b=at)).mean(), rel=1e-12)
    order = np.argsort(-model.feature_importances_)
    assert [name for name, _ in view.rows()] == FRAME.columns[order].tolist()[: len(view.rows())]


def test_the_page_of_a_run_with_trees_shows_columns_and_no_certificate():
    problem = cb.Problem(cb.data.trees(FRAME), np.where(PRICE > 2, 1.0, -1.0), cb.losses.Logistic())
    run = cb.solve(problem, cb.gbm(0.5), 10)
    page = cb.html_report(run)
    text = words(page)
    assert "Certificate" not in text and "l1 norm" not in page and "relative gap" not in text
    assert 'aria-label="Calibration"' in page and "Partial dependence on town" in page
    _, rows = judged.of_run(run)
    np.testing.assert_allclose(rows.pred[:, 1], 1 / (1 + np.exp(-run.predict(FRAME))), rtol=1e-10)
    stumps = cb.solve(cb.Problem(cb.data.stumps(X), Y), cb.ls_boost(0.5), 10)
    assert "Certificate" in words(cb.html_report(stumps))


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda model: cb.html_report(Lasso()), "a run or an estimator of coordboost"),
        (lambda model: cb.html_report(cb.LSBoostRegressor()), "not fitted"),
        (lambda model: cb.html_report(model, X=X), "X and y come together: y is missing"),
        (lambda model: cb.html_report(model, X=X, y=Y[:3]), "one number for each of the 80 rows"),
        (lambda model: cb.html_report(model.run_, X=X, y=Y), "X and y are for an estimator"),
        (lambda model: cb.html_report(model, cross_validation=1), "is for a run"),
    ],
)
def test_what_has_no_page_is_refused(ask, sentence):
    model = quick(cb.LSBoostRegressor).fit(X, Y)
    with pytest.raises(ValueError, match=sentence):
        ask(model)


PATHS = {
    "lasso": lambda: cb.lasso_path(X, Y, n_alphas=30),
    "relaxed": lambda: cb.lasso_path(X, Y, n_alphas=5).relaxed(0.5),
    "elastic net": lambda: cb.lasso_path(X, Y, n_alphas=5, l1_ratio=0.5),
    "logistic": lambda: cb.lasso_path(
        X, np.where(np.median(Y) < Y, 1, -1), loss=cb.losses.Logistic(), n_alphas=5
    ),
    "exact": lambda: cb.exact_path(X, Y),
}


@pytest.mark.parametrize("name", PATHS)
def test_a_path_has_a_page(name, tmp_path):
    path = PATHS[name]()
    page = cb.html_report(path, tmp_path / "path.html")
    text = words(page)
    assert (tmp_path / "path.html").read_text(encoding="utf-8") == page
    assert f"<title>{type(path).__name__}: 80 rows, 4 columns</title>" in page
    assert 'aria-label="Coefficients along the path"' in page
    assert "nan" not in text and "undefined" not in text
    numbers = path.profile()[0]
    last = np.count_nonzero(path.coef_at(step=path.n_points - 1))
    end = f"{numbers['alpha'][-1]:.5g} {numbers['l1'][-1]:.5g} {last} "
    assert end + f"{100 * numbers['deviance'][-1]:.4g} %" in text
    middle = path.certificate_at(cb.lasso.PathPoint(step=0))
    assert f"{middle.lower:.8g} {middle.upper:.8g}" in text


def test_a_path_has_no_rows_and_no_folds_of_its_own():
    path = PATHS["exact"]()
    for given in ({"X": X, "y": Y}, {"cross_validation": 3}):
        with pytest.raises(ValueError, match="a path is shown as it is"):
            cb.html_report(path, **given)


def test_a_lasso_chosen_by_cross_validation_shows_choice_path_and_certificate():
    model = cb.CertifiedLassoCV(n_alphas=12).fit(X, Y)
    page = cb.html_report(model)
    assert {"Losses", "Path", "Coefficients", "Certificate"} <= set(
        re.findall(r">(\w+)</h2>", page)
    )
    assert f"alpha {model.alpha_:.6g}" in words(page) and "The line marks the model" in words(page)
