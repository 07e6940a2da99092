"""Models of rules: estimators, what people read of them, and predictions from what they read."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import coordboost as cb
from coordboost.estimators import (
    CertifiedRulesClassifier,
    CertifiedRulesClassifierCV,
    CertifiedRulesRegressor,
    CertifiedRulesRegressorCV,
)

RNG = np.random.default_rng(5)
QUICK = {"n_alphas": 3, "eps": 0.4, "depth": 1}


def table(n=240):
    frame = pd.DataFrame(
        {
            "age": RNG.integers(20, 70, n).astype(float),
            "town": pd.Categorical(RNG.choice(["Oslo", "Rome", "Bern"], n)),
            "income": RNG.gamma(2.0, 20.0, n),
        }
    )
    frame.loc[RNG.random(n) < 0.1, "age"] = np.nan
    y = 3.0 * ((frame["age"] > 40) & (frame["town"] == "Oslo")) - 1.0 * (frame["income"] > 50)
    return frame, (y + 0.3 * RNG.standard_normal(n)).to_numpy()


COMPARE = {
    "<=": lambda x, value: x <= value,
    ">": lambda x, value: x > value,
    "=": lambda x, value: x == value,
    "!=": lambda x, value: x != value,
    "is missing": lambda x, value: x.isna(),
    "is not missing": lambda x, value: x.notna(),
}


def predicted(rules, intercept, X):
    """Predictions on the link scale from the frame of the rules alone."""
    pred = np.full(len(X), intercept)
    for coefficient, tests in zip(rules["coefficient"], rules["tests"], strict=True):
        holds = np.ones(len(X), dtype=bool)
        for column, comparison, value in tests:
            holds &= COMPARE[comparison](X[column], value).to_numpy()
        pred += coefficient * holds
    return pred


def test_the_frame_of_the_rules_is_the_model():
    X, y = table()
    model = CertifiedRulesRegressor().fit(X, y)
    rules = model.rules_()
    np.testing.assert_allclose(predicted(rules, model.intercept_, X), model.predict(X), atol=1e-8)
    assert "town = Oslo" in rules["rule"][0] and "age > " in rules["rule"][0]
    assert model.score(X, y) > 0.8
    for support, lift, tests in zip(rules["support"], rules["lift"], rules["tests"], strict=True):
        inside = np.all([COMPARE[how](X[name], value) for name, how, value in tests], axis=0)
        assert support == pytest.approx(inside.mean())
        assert lift == pytest.approx(y[inside].mean() - y.mean())


def test_the_interval_holds_over_all_rules():
    X, y = table()
    model = CertifiedRulesRegressor().fit(X, y)
    assert model.certificate_.gap <= 1e-6 * (y - y.mean()) @ (y - y.mean())
    longer = cb.lasso_path(cb.data.rules(X, depth=2), y, model.path_.alphas[-1:], tol=1e-9)
    assert model.certificate_.lower <= longer.certificate().upper


def test_lift_of_a_class_is_the_ratio_of_its_shares():
    X, y = table()
    label = np.where(y > 0.5, "yes", "no")
    model = CertifiedRulesClassifier().fit(X, label)
    row = model.rules_().iloc[0]
    inside = np.all([COMPARE[how](X[name], value) for name, how, value in row["tests"]], axis=0)
    share = (label == "yes")[inside].mean() / (label == "yes").mean()
    assert row["lift"] == pytest.approx(share)
    link = np.log(model.predict_proba(X)[:, 1] / model.predict_proba(X)[:, 0])
    np.testing.assert_allclose(
        predicted(model.rules_(), model.intercept_[0], X), link, rtol=1e-6, atol=1e-6
    )


def test_three_classes_have_the_rules_of_each():
    X, y = table()
    label = np.digitize(y, [0.0, 1.5])
    model = CertifiedRulesClassifier(**QUICK).fit(X, label)
    assert set(model.rules_()["class"]) == {0, 1, 2}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, label) > 0.5


def test_the_rule_of_one_standard_error_takes_no_more_rules_than_the_best():
    X, y = table()
    best = CertifiedRulesRegressorCV(rule="best", n_alphas=8, cv=3).fit(X, y)
    simple = CertifiedRulesRegressorCV(n_alphas=8, cv=3).fit(X, y)
    assert simple.alpha_ >= best.alpha_ and best.score(X, y) > 0.7
    relaxed = CertifiedRulesRegressor(gamma=0.0, n_alphas=3, eps=0.5).fit(X, y)
    lasso = CertifiedRulesRegressor(n_alphas=3, eps=0.5).fit(X, y)
    assert relaxed.score(X, y) > lasso.score(X, y)
    assert set(relaxed.rules_()["rule"]) <= set(lasso.rules_()["rule"])


def test_a_pickle_holds_no_rows():
    X, y = table(6000)
    model = CertifiedRulesRegressor(**QUICK).fit(X, y)
    text = pickle.dumps(model)
    assert len(text) < 6000 * 3
    again = pickle.loads(text)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.rules_().equals(model.rules_())
    assert again.certificate_.lower == model.certificate_.lower


def test_what_is_of_columns_is_refused():
    X, y = table()
    model = CertifiedRulesRegressor(**QUICK).fit(X, y)
    with pytest.raises(ValueError, match="has no contributions of features"):
        model.contributions(X)
    with pytest.raises(ValueError, match="has no coefficients of columns"):
        model.coef_table()


def test_a_search_that_is_cut_short_warns():
    X, y = table()
    with pytest.warns(UserWarning, match="larger max_nodes"):
        model = CertifiedRulesRegressor(depth=4, max_nodes=1, n_alphas=3).fit(X, y)
    assert model.certificate_.gap > 0


# bins are quantiles of the rows, whatever their weights, unless there are bins enough
SMALL = {"n_alphas": 2, "eps": 0.2, "depth": 1, "max_bins": 64, "tol": 3e-9}
CHOOSING = SMALL | {"cv": 2, "rule": "best"}


@parametrize_with_checks([CertifiedRulesRegressor(**SMALL), CertifiedRulesClassifier(**SMALL)])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [CertifiedRulesRegressorCV(**CHOOSING), CertifiedRulesClassifierCV(**CHOOSING)]
)
def test_conventions_where_the_penalty_is_chosen(estimator, check):
    check(estimator)


def test_the_picture_has_the_text_of_the_rules():
    from matplotlib.figure import Figure

    X, y = table()
    model = CertifiedRulesRegressor().fit(X, y)
    display = cb.plots.RulesDisplay.from_estimator(model, n_bars=5, ax=Figure().subplots())
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert max(len(line) for label in labels for line in label.split("\n")) <= 40
    texts = [label.replace("\n", " ") for label in labels]
    assert len(texts) > 1 and texts == model.rules_()["rule"].tolist()[: len(texts)]
    with pytest.raises(ValueError, match="needs an estimator of rules"):
        cb.plots.RulesDisplay.from_estimator(cb.CertifiedLasso())
