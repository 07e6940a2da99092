"""Tables of coefficients, against the estimator and its path."""

import numpy as np
import pandas as pd
import pytest
from all_estimators import ESTIMATORS, of_trees, quick, target
from all_estimators import X as TABLE
from refusal import refused
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError

import coordboost as cb

X, Y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
LINEAR = [kind for kind in ESTIMATORS if not of_trees(kind)]


@pytest.fixture(scope="module")
def model():
    return cb.CertifiedLassoCV(standardize=True, n_alphas=20).fit(X, Y)


def test_the_columns_of_a_table(model):
    table = model.coef_table(zeros=True)
    assert list(table.columns) == ["coef", "standardized", "entry", "deviance"]
    assert table.loc["(intercept)", "coef"] == model.intercept_
    rows = table.drop(index="(intercept)").loc[X.columns]
    np.testing.assert_array_equal(rows["coef"], model.coef_)
    np.testing.assert_allclose(rows["standardized"], model.coef_ * X.std(ddof=0), rtol=1e-12)
    order = model.path_.order_of_entry()
    assert rows["entry"].dropna().sort_values().index.tolist() == X.columns[order].tolist()
    frame = model.path_.to_frame()
    for name in X.columns[order]:
        first = frame.loc[frame[name] != 0, "deviance"].iloc[0]
        assert rows.loc[name, "deviance"] == pytest.approx(first)
    share = frame["deviance"][int(model.place_.step)]
    assert table.attrs["deviance"] == pytest.approx(share)
    sizes = np.abs(table["standardized"].to_numpy()[1:])
    assert (np.diff(sizes) <= 0).all()
    short = model.coef_table()
    assert len(short) == 1 + np.count_nonzero(model.coef_)
    assert short.to_latex().count("\\\\") == len(short) + 2


def test_a_model_of_one_penalty_has_no_columns_about_a_path():
    table = cb.CertifiedLasso().fit(X, Y).coef_table()
    assert list(table.columns) == ["coef", "standardized"]
    assert table.to_numpy()[1:].all()


def test_frequencies_of_selection(model):
    def fit(X, y, weight):
        return cb.exact_path(cb.Problem(X, y, sample_weight=weight), max_knots=8)

    found = cb.model_selection.stability_selection(fit, X, Y, n_pairs=4)
    table = model.coef_table(stability=found, q=3, zeros=True)
    np.testing.assert_array_equal(table.loc[X.columns, "selected"], found.frequencies(3))
    refused(lambda: model.coef_table(stability=found), "stability needs q")
    fewer = cb.model_selection.stability_selection(fit, X.iloc[:, :4], Y, n_pairs=2)
    refused(
        lambda: model.coef_table(stability=fewer, q=1), "stability must be a Stability of the 10"
    )


@pytest.mark.parametrize("kind", LINEAR, ids=lambda kind: kind.__name__)
def test_every_linear_estimator_has_one(kind):
    y = target(kind)
    model = quick(kind).fit(TABLE, y)
    table = model.coef_table()
    assert isinstance(table, pd.DataFrame)
    coefs = np.atleast_2d(model.coef_)
    assert len(table) == len(coefs) + np.count_nonzero(coefs)
    with pytest.raises(NotFittedError):
        kind().coef_table()


def test_three_classes():
    three = np.array(["a", "b", "c"])[np.digitize(Y, [100, 200])]
    apart = cb.CertifiedLassoClassifier(alpha=0.02, standardize=True).fit(X, three)
    table = apart.coef_table(zeros=True)
    for k, name in enumerate("abc"):
        np.testing.assert_array_equal(table.loc[name].loc[X.columns, "coef"], apart.coef_[k])
    joint = cb.CertifiedLassoClassifier(alpha=0.02, standardize=True, multinomial=True)
    table = joint.fit(X, three).coef_table()
    assert list(table.columns) == ["coef", "standardized"]
    assert is_classifier(joint) and table.index.names == ["class", "column"]
